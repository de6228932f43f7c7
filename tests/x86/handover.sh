#!/bin/bash
# Two threads that compare and swap one byte in turn: locked operations are executed
# when their line has come, so a change is seen about one transfer later. The times
# beside chips' are in doc/x86-timing.md.
set -u
. "$(dirname "$0")/begin.sh" handover
$CC -O2 -w -pthread -static -o handover "$top_srcdir/tests/x86/programs/handover.c" 2>/dev/null || {
	echo "skipped: no static programs"
	exit 0
}

run() { # PRESET CORES THREADS: ./out, ./report
	timeout 100 "$m2s" --quiet --x86-env clean --x86-sim detailed --x86-preset "$1" \
		--set "x86:General.Cores=$2" --set "x86:General.Threads=$3" --set General.Watchdog=100000 \
		--provenance none --overwrite --x86-report report ./handover 500 >out
}
within() { # LEAST MOST: what ./out has
	awk -v least="$1" -v most="$2" '{ exit !($1 >= least && $1 <= most) }' out
}

# In nanoseconds. At least the lock and the way from the third level; spins in flight
# that had been executed too early made it 68 to 184, and 49 to 120.
for preset in nehalem sandybridge haswell skylake k10 zen2; do
	run $preset 2 1 && within 9 40
	say $? "$preset: from core to core in $(<out) ns"
	run $preset 1 2 && within 3 15
	say $? "$preset: from thread to thread of a core in $(<out) ns"
done
run haswell 2 2 && mv report first && run haswell 2 2 && cmp -s first report
say $? "two runs have the same report"
exit $failed
