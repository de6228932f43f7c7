#!/bin/bash
# Fidelity of caches and memory (`--x86-memlat`) against measured latencies, a
# part of `make fidelity-x86 DATA=FOLDER`. The folder has memlat-haswell.csv and
# the like: rows of pattern, KB, stride, cycles from load to use, as
# InstLatx64's dumps have them. The project ships none of them.
#
# Prints the median error for each region of size and each kind of order. Sizes
# within a quarter of a cache's size are left out, where other programs and page
# placement decide. LATENCIES=N takes every Nth row (default: 16), CORES="NAME ..."
# these cores.
set -u
m2s=${M2S:-m2s}
data=${DATA:-}
[ -n "$data" ] || { echo "expected DATA=FOLDER" >&2; exit 1; }
every=${LATENCIES:-16}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-memlat-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

region() { # FIRST LAST ORDERS
	awk -F, -v first="$1" -v last="$2" -v orders="$3" '
		$1 ~ orders && $2 >= first && $2 <= last && $4 > 0 {
			e = ($8 - $4) / $4; print (e < 0 ? -e : e) }' \
		"$work/both" | sort -g | awk '{ e[NR] = $1 }
		END { if (!NR) { printf "-"; exit }
			m = (e[int((NR + 1) / 2)] + e[int(NR / 2) + 1]) / 2
			printf "%.1f%% of %d", 100 * m, NR }'
}

# Chips of these cores that are not those of the presets: clock, third level.
chip() { # CORE
	case $1 in
	skylake) # i5-6400T
		echo --set Core.frequency=2210 --set Caches.third_kb=6144 \
			--set Caches.third_ways=12 ;;
	zen2) # Ryzen 9 3900
		echo --set Core.frequency=3090 ;;
	esac
}

echo "core, memory latency, median error: L1 and L2, L3, DRAM random, DRAM linear"
for core in ${CORES:-haswell nehalem k10 skylake ivybridge sandybridge zen2}; do
	[ -e "$data/memlat-$core.csv" ] || continue
	# large sizes take long: only those far beyond the third level
	tr -d '\r' <"$data/memlat-$core.csv" |
		grep -E '^(Linear|Page|Random)_[A-Za-z]*,[0-9]+,[0-9]+,[0-9.]+$' |
		awk -F, '$3 < 8 { next }
			$2 <= 24 || ($2 >= 48 && $2 <= 192) ||
			($2 >= 384 && $2 <= 6144) || $2 >= 32768' |
		awk -v every="$every" 'NR % every == 0' >"$work/measured"
	"$m2s" --x86-memlat "$work/measured" --x86-preset $core \
		$(chip "$core") >"$work/simulated" || exit 1
	paste -d, "$work/measured" "$work/simulated" >"$work/both"
	echo "$core, $(region 1 192 .), $(region 384 6144 .)," \
		"$(region 32768 1000000 Random), $(region 32768 1000000 Linear)"
done
