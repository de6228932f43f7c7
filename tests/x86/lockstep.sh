#!/bin/bash
# `make check-lockstep`: long runs of --x86-sim detailed with --x86-check, wrong
# paths executed, on one core and on four; more than 10^7 instructions each.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
CC=${CC:-gcc}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-lockstep-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
printf '[General]\nCores = 4\n' >four.ini
for abi in ${ABIS:-64 32}; do
	for name in contexts memory far jit litmus; do
		arguments=
		[ $name != litmus ] || arguments="500 1"
		$CC -m$abi -O2 -w -D_GNU_SOURCE -pthread -static -o $name \
			"$top_srcdir/tests/x86/programs/$name.c" -lm -lrt \
			2>/dev/null ||
			{ echo "skipped: $name of $abi bits"; continue; }
		"$m2s" --x86-sim detailed --x86-check --x86-config four.ini \
			--x86-preset haswell --x86-report report ./$name \
			$arguments >/dev/null 2>said </dev/null
		count=$(awk '$1 == "Check.Instructions" { s += $3 }
			END { printf "%.1f", s / 1e6 }' report)
		if ! grep -q x86-check said &&
			awk -v n="$count" 'BEGIN { exit n < 10 }'; then
			echo "ok - $name, $abi bits: $count million instructions"
		else
			echo "not ok - $name, $abi bits: $count million" \
				"instructions; $(grep -a x86-check said)"
			failed=1
		fi
	done
done
exit $failed
