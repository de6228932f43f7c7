#!/bin/bash
# Prefetch instructions: loads that nobody waits for, into the first or the second
# level, and nothing where nothing is mapped.
set -u
. "$(dirname "$0")/begin.sh" hints
$CC -O2 -w -static -o hints "$top_srcdir/tests/x86/programs/hints.c" 2>/dev/null || {
	echo "skipped: no static programs"
	exit 0
}

run() { # PRESET WHICH OPTION...: cycles; ./report
	local preset=$1 which=$2
	shift 2
	timeout 100 "$m2s" --quiet --x86-env clean --x86-sim detailed --x86-preset "$preset" \
		--provenance none --overwrite --x86-report report "$@" ./hints "$which" >out 2>&1 &&
		sed -n '/^\[ Global \]/,/^\[ Core/s/^Cycles = //p' report
}
count() { # NAME: its value in ./report
	sed -n "s/^$1 = \([0-9.]*\).*/\1/p" report | head -1
}
percent() { # CYCLES OF: whole percents
	echo $(($1 * 100 / ($2 + !$2)))
}

for preset in nehalem skylake k10 zen2; do
	none=$(run $preset none)
	near=$(run $preset t0)
	asked=$(count Hints)
	[ "$(percent "$near" "$none")" -lt 85 ] && [ "$asked" -gt 15000 ]
	say $? "$preset: $asked lines come early, $near of $none cycles"
	far=$(run $preset t1)
	if [ $preset = k10 ]; then
		[ "$(percent "$far" "$near")" -ge 99 ] && [ "$(percent "$far" "$near")" -le 101 ]
	else
		[ "$far" -gt $((near + 20000 * 2)) ] && [ "$far" -lt "$none" ]
	fi
	say $? "$preset: PREFETCHT1 takes $far"
	nothing=$(run $preset unmapped)
	[ "$(count Hints.Dropped)" -ge 20000 ] && [ "$(count Hints)" -lt 100 ] &&
		[ "$(percent "$nothing" "$none")" -ge 97 ] && [ "$(percent "$nothing" "$none")" -le 105 ]
	say $? "$preset: where nothing is mapped nothing is asked for"
	write=$(run $preset w)
	asked=$(count Hints)
	case $preset in
	nehalem) [ "$asked" = 0 ] && [ "$(percent "$write" "$none")" -ge 97 ] ;;
	*) [ "$asked" -gt 15000 ] && [ "$(percent "$write" "$none")" -lt 85 ] ;;
	esac
	say $? "$preset: PREFETCHW asks for $asked lines"
done
alike() { # CYCLES OTHER: but for the names of their arguments
	[ "$1" -gt 0 ] && [ "$(percent "$1" "$2")" -ge 98 ] && [ "$(percent "$1" "$2")" -le 102 ]
}
near=$(run haswell t0)
alike "$(run haswell nta)" "$near"
say $? "PREFETCHNTA is PREFETCHT0"
[ "$(run haswell t0 --set Caches.hints=0)" -gt "$near" ] && [ "$(count Hints)" = 0 ]
say $? "hints = 0: none asks"
alike "$(run haswell t1 --set Caches.hints=1)" "$near"
say $? "hints = 1: all into the first level"
run haswell twice >/dev/null && dropped=$(count Hints.Dropped) &&
	run haswell twice --set General.PrefetchHistorySize=4 >/dev/null &&
	[ "$(count Hints.Dropped)" -ge $((dropped + 20000)) ]
say $? "a history forgets repeated ones"

none=$(run multi2sim-4.2 none)
with=$(run multi2sim-4.2 t0)
without=$(run multi2sim-4.2 t0 --set General.ProcessPrefetchHints=f)
[ "$(percent "$with" "$none")" -lt 85 ] && [ "$(percent "$without" "$none")" -ge 98 ]
say $? "multi2sim-4.2: ProcessPrefetchHints = t $with, f $without, without any $none"

run haswell t0 >/dev/null && mv report live &&
	run haswell t0 --set General.Memoize=No >/dev/null &&
	! diff live report | grep '^[<>]' | grep -qv Memoize &&
	run haswell t0 --set General.Memoize=Check >/dev/null
say $? "what a core remembers has them"

# The first half is warmed: pages of the other half come by themselves.
run haswell unmapped --x86-fast-forward 300000 --x86-warm all >/dev/null && faults=$(count PageFaults) &&
	run haswell none --x86-fast-forward 300000 --x86-warm all >/dev/null &&
	[ "$faults" -le $(($(count PageFaults) + 2)) ]
say $? "warming touches no page by them ($faults faults)"
exit $failed
