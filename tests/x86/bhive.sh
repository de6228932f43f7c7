#!/bin/bash
# Fidelity of --x86-blocks against measured basic blocks: `make fidelity-x86
# DATA=FOLDER`. The folder has bhive-hsw.csv.gz, bhive-ivb.csv.gz and
# bhive-skl.csv.gz (or without .gz): rows of a block's bytes in hex and its
# measured cycles for 100 executions, as BHive's files have them. The project
# ships none of them.
#
# For instructions alone: instlat-CORE.csv, with columns instruction (the texts
# of InstLatx64), latency_cycles and reciprocal_throughput_cycles (instlat.py).
#
# Prints for each the mean error of cycles, Kendall's tau (b), and how many
# blocks could be run; one that could not counts as an error of 100 %. EVERY=N
# takes every Nth row.
set -u
m2s=${M2S:-m2s}
data=${DATA:-}
[ -n "$data" ] || { echo "expected DATA=FOLDER" >&2; exit 1; }
every=${EVERY:-1}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-bhive-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
seen=0

compare() { # CHIP CORE
	local file=$data/bhive-$1.csv
	if [ -e "$file.gz" ]; then
		gzip -dc "$file.gz" | tr -d '\r' >"$work/rows"
	elif [ -e "$file" ]; then
		tr -d '\r' <"$file" >"$work/rows"
	else
		echo "$1: no $file.gz"
		return
	fi
	seen=1
	grep -i '^[0-9a-f]*,[0-9.]*$' "$work/rows" |
		awk -v every="$every" 'NR % every == 0' >"$work/measured"
	"$m2s" --x86-blocks "$work/measured" --x86-preset "$2" \
		--x86-blocks-bound \
		>"$work/simulated" 2>"$work/said" || return
	paste -d, "$work/measured" "$work/simulated" |
		python3 "$(dirname "$0")/bhive.py" "$2"
	tail -n 1 "$work/said" | sed 's/^m2s:/   /'
}

echo "core, rows, run, mean error, median error, within 5 %, tau"
compare hsw haswell
compare ivb ivybridge
compare skl skylake
echo "core, latencies and throughputs, run, within limits, of them outcomes," \
	"run, within limits, inputs, run, within limits"
for core in haswell skylake ivybridge sandybridge nehalem k10 zen2; do
	[ -e "$data/instlat-$core.csv" ] || continue
	seen=1
	python3 "$(dirname "$0")/instlat.py" "$m2s" $core \
		"$data/instlat-$core.csv"
done
if [ "$seen" = 0 ]; then
	echo "no measurements in $data" >&2
	exit 1
fi
