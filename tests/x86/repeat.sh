#!/bin/bash
# With --x86-clock simulated two runs of a program that uses clocks, sleeps,
# threads and random numbers are the same to the last byte.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
CC=${CC:-gcc}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-repeat-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"

report() { # LABEL STATUS
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		failed=1
	fi
}

run() { # NAME OPTIONS...: stdout and the summary, without real times
	local name=$1
	shift
	timeout 60 "$m2s" "$@" "$work/repeat" >"$work/$name" \
		2>"$work/$name.err" </dev/null || echo "status $?" \
		>>"$work/$name"
	grep -E '^(Instructions|Contexts) ' "$work/$name.err" >>"$work/$name"
}

for abi in $abis; do
	if ! $CC -O2 -w -D_GNU_SOURCE -m$abi -pthread \
		"$top_srcdir/tests/x86/programs/repeat.c" -o "$work/repeat" \
		>"$work/log" 2>&1; then
		report "repeat: builds, $abi bits" 1
		continue
	fi
	run one --x86-clock simulated
	sleep 0.1
	run two --x86-clock simulated
	cmp "$work/one" "$work/two" && grep -q '^Instructions ' "$work/one" &&
		grep -q '^times' "$work/one"
	report "simulated clock: two runs are the same, $abi bits" $?
	! grep -q disagree "$work/one"
	report "simulated clock: clocks and time stamps agree, $abi bits" $?
	run other --x86-clock simulated --seed 1
	! cmp -s "$work/one" "$work/other" &&
		[ "$(grep -c -F -x -f "$work/one" \
			<(grep -E 'random|RANDOM' "$work/other"))" = 0 ]
	report "seed: other numbers, $abi bits" $?
	run detailed --evg-sim detailed
	cmp "$work/one" "$work/detailed"
	report "detailed simulation: simulated clock, $abi bits" $?
	run host
	! grep -q disagree "$work/host" && grep -q '^times' "$work/host"
	report "host clock: clocks and time stamps agree, $abi bits" $?
done
timeout 20 "$m2s" --x86-clock sundial "$work/repeat" 2>&1 |
	grep -q 'host or simulated'
report "refuses another clock" $?
exit $failed
