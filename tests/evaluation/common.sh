# What the evaluation's commands share. Sourced by them, with top_srcdir,
# top_builddir and M2S in the environment, and from the user: JOBS,
# simulations at a time; OPTIONS, further options of m2s.
# shellcheck shell=bash
set -u
export LC_ALL=C
JOBS=${JOBS:-$(nproc)}
OPTIONS=${OPTIONS:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-evaluation-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export top_builddir M2S OPTIONS work

# simulate KEY SAMPLE SIZE [OPTION...]: one line, KEY,cycles,launches,L1 hit
# ratio of reads. The keys of a list differ.
simulate() {
	local key=$1 sample=$2 size=$3 summary=$work/$1.summary

	shift 3
	# shellcheck disable=SC2086
	if ! "$M2S" --evg-sim detailed --threads 1 $OPTIONS "$@" \
		"$top_builddir/samples/$sample/$sample" -q -n "$size" \
		>"$work/$key.out" 2>"$summary"
	then
		echo "$sample -n $size $*: failed" >&2
		tail -n 5 "$work/$key.out" "$summary" >&2
		return 255 # xargs starts no more
	fi
	awk -v key="$key" '
		/^\[/ { inside = $0 == "[ Evergreen ]" }
		inside { value[$1] = $3 }
		END { printf "%s,%.0f,%.0f,%s\n", key, value["Cycles"],
			value["NDRangeCount"], value["L1HitRatio"] }' "$summary"
	rm -f "$work/$key.out" "$summary"
}
export -f simulate

# simulate_all: runs the lines of standard input, arguments of simulate, JOBS
# at a time; writes the results in the order of the lines.
simulate_all() {
	cat >"$work/list"
	xargs -P "$JOBS" -L 1 bash -c 'simulate "$@"' - \
		<"$work/list" >"$work/results" || return 1
	awk -F '[ ,]' 'NR == FNR { line[$1] = $0; next } { print line[$1] }' \
		"$work/results" "$work/list"
}

chart() {
	"$top_builddir/tests/evaluation/chart" "$@"
}
