#!/bin/bash
# Loads and older stores whose addresses are not known yet: what is predicted, what
# waits, what clears the machine; none of it changes a value.
set -u
. "$(dirname "$0")/begin.sh" order

# A store whose address comes from divisions, and a load at once, which needs the
# store's data in every EACHth turn (0: in none).
cat >program.c <<'ENDC'
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **argument)
{
	static volatile unsigned place[64];
	unsigned each = count > 1 ? (unsigned)atoi(argument[1]) : 0, sum = 0;
	unsigned turns = each ? each : 1000000;

	for (unsigned i = 1; i <= 3000; i++) {
		unsigned far = i % turns ? 32 + i % 16 : 0, at = far * 59 * 61;

		__asm__ volatile("xorl %%edx, %%edx; movl $59, %%ecx; divl %%ecx;"
				 "xorl %%edx, %%edx; movl $61, %%ecx; divl %%ecx"
				 : "+a"(at) : : "ecx", "edx");
		place[at] = i;
		sum = sum * 3 + place[0];
	}
	printf("%u\n", sum);
	return 0;
}
ENDC
if ! $CC -O1 -w -static -o program program.c; then
	echo "ok - skipped: no static programs"
	exit 0
fi

# run EACH OPTIONS: the report is `report`, the output `out`
run() {
	local each=$1
	shift
	"$m2s" --quiet --overwrite --provenance none --x86-sim detailed \
		--x86-preset haswell --x86-env clean --x86-report report "$@" \
		./program "$each" >out 2>err
}

# value NAME: of core 0
value() {
	awk -v name="$1" '/^\[/ { core = $0 ~ /Core 0 *\]/ }
		core && $1 == name { print $3; exit }' report
}

# expect LABEL CONDITION: of the values
expect() {
	local early waits needless violations cycles part
	early=$(value MemoryOrder.Early)
	waits=$(value MemoryOrder.Waits)
	needless=$(value MemoryOrder.Needless)
	violations=$(value MemoryOrder.Violations)
	cycles=$(value Cycles)
	part=$(value Cycles.MemoryOrder)
	awk -v early="$early" -v waits="$waits" -v needless="$needless" \
		-v violations="$violations" -v cycles="$cycles" \
		-v part="$part" "BEGIN { exit !($2) }"
	say $? "$1: $early early, $waits wait, $needless of them in vain; \
$violations violations, which take $part of $cycles cycles"
}

output() { # EACH
	cmp -s out "out.$1"
	say $? "every $1th turn: the values"
}

for each in 0 1 4 40; do
	./program $each >out.$each 2>/dev/null ||
		"$m2s" --quiet ./program $each >out.$each
done
run 0
output 0
# Fifteen times it waits in vain; other loads have counters, too.
expect "never" "early > 2900 && waits < 400 && needless >= 15 &&
	violations == 0 && part == 0"
run 1
output 1
expect "always" "waits - needless > 2900 && violations == 0"
run 4
output 4
expect "every fourth time" "waits > 2900 && needless > 1000 && violations == 0"
run 40
output 40
# 75 conflicts, of which each comes behind 15 turns that waited; fetch and the
# predecoder take 9 cycles then, until something is in the reorder buffer again.
expect "every fortieth time" "violations >= 70 && violations <= 80 &&
	early > 1500 && part > violations * 7 && part < violations * 15"
cycles=$(value Cycles)
for memoize in No Check; do
	mv report report.yes
	run 40 --set x86:General.Memoize=$memoize
	diff <(grep -v ^Memoize report.yes) <(grep -v ^Memoize report) >&2
	say $? "Memoize = $memoize"
done
run 40 --x86-check
[ "$(value Cycles)" = "$cycles" ] && cmp -s out out.40
say $? "in lockstep"
run 40 --set x86:Core.disambiguation=0
output 40
expect "addresses known" "early + waits + violations == 0"
run 40 --set x86:Core.disambiguation=1
output 40
expect "loads always wait" "early + violations == 0 && waits > 2900"
run 40 --set x86:Core.disambiguation=3
output 40
# Locked operations always wait.
expect "perfect prediction" "violations == 0 && needless < 10 && waits >= 75 &&
	early > 2900"
run 40 --x86-preset k10
output 40
expect "k10" "early + violations == 0 && waits > 2900"
run 40 --x86-preset zen2
output 40
expect "zen2" "violations >= 70 && violations <= 80 && early > 1500"
run 40 --x86-preset multi2sim-4.2
expect "multi2sim-4.2" "early + waits + violations == 0"
# With two threads on a core each has its counters.
run 40 --set x86:General.Threads=2
output 40
[ "$(value Cycles)" = "$cycles" ]
say $? "a core of two threads"
exit $failed
