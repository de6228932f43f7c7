# Builds the programs of the evaluation of cores into $work, and simulates one of
# them. Sourced behind common.sh; from the user: PRESET, PROGRAMS, and FORWARD and
# INSTRUCTIONS, the part of each program that is simulated.
# shellcheck shell=bash
CC=${CC:-gcc}
PRESET=${PRESET:-haswell} FORWARD=${FORWARD:-20000000}
INSTRUCTIONS=${INSTRUCTIONS:-1000000}
PROGRAMS=${PROGRAMS:-sieve quicksort sha256 interpreter strings matrix}
export PRESET FORWARD INSTRUCTIONS

for program in $PROGRAMS; do
	$CC -O2 -w -D_GNU_SOURCE -static -o "$work/$program" \
		"$top_srcdir/tests/x86/bench/$program.c" -lm || exit 1
done
$CC -O2 -static -o "$work/threads" "$top_srcdir/tests/evaluation/threads.c" \
	-pthread || exit 1

# simulate_core KEY COMMAND [OPTION...]: one line, KEY,cycles,instructions,
# mispredicted branches of 1,000 instructions, misses of the L1 of 1,000. In
# COMMAND, + stands for a blank. Programs of one thread are warmed first.
simulate_core() {
	local key=$1 command part=() skip=0 status

	IFS=+ read -r -a command <<<"$2"
	shift 2
	if [ "${command[0]}" != threads ]; then
		skip=$FORWARD
		part=(--x86-fast-forward "$FORWARD" --x86-warm all
			--x86-max-inst "$((FORWARD + INSTRUCTIONS))")
	fi
	command[0]=$work/${command[0]}
	# shellcheck disable=SC2086
	"$M2S" --quiet --x86-env clean --x86-sim detailed --x86-preset "$PRESET" \
		"${part[@]}" $OPTIONS "$@" --x86-report "$work/$key.report" \
		--mem-report "$work/$key.memory" --report-format csv \
		"${command[@]}" >"$work/$key.out" 2>"$work/$key.err"
	status=$?
	# 122: the limit of instructions
	if [ $status -ne 0 ] && [ $status -ne 122 ]; then
		echo "$key: failed" >&2
		tail -n 5 "$work/$key.err" >&2
		return 255 # xargs starts no more
	fi
	awk -F, -v key="$key" -v skip="$skip" '
		$1 == "Global" { value[$2] = $3 }
		FILENAME ~ /memory$/ && $1 ~ /^l1d-/ && $2 == "Misses" {
			misses += $3 }
		END {
			n = value["Commit.Total"] ? value["Commit.Total"] : 1
			inst = value["Instructions"] - skip
			printf "%s,%.0f,%.0f,%.4g,%.4g\n", key,
				value["Cycles"], inst,
				1e3 * value["Commit.Mispred"] / inst,
				1e3 * misses / inst
		}' "$work/$key.report" "$work/$key.memory"
	rm -f "$work/$key".*
}
export -f simulate_core
