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

# ---- Memory renaming ----
cat >renamed.c <<'ENDC'
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **argument)
{
	static long place[8];
	long *one = place, *other = atoi(argument[1]) ? place : place + 4, sum = 0;

	for (long i = 1; i <= 4000; i++) {
		long value;

		/* Once by its own name only, and once by another pointer, too. */
		__asm__ volatile("addq $1, 8(%0); addq $1, 8(%0)"
				 : : "r"(one) : "memory");
		__asm__ volatile("movq %2, (%1); addq $5, (%3); movq (%1), %0"
				 : "=&r"(value)
				 : "r"(one), "r"(i), "r"(other) : "memory");
		/* An argument on the stack, below the red zone. */
		__asm__ volatile("subq $256, %%rsp; pushq %1; call 1f; jmp 2f;"
				 "1: movq 8(%%rsp), %0; ret;"
				 "2: addq $264, %%rsp"
				 : "=&r"(sum) : "r"(sum * 3 + value)
				 : "memory");
	}
	printf("%ld %ld\n", sum, place[1]);
	return 0;
}
ENDC
$CC -O1 -w -static -o renamed renamed.c || exit 1

# renamed SAME OPTIONS
renamed() {
	local same=$1
	shift
	"$m2s" --quiet --overwrite --provenance none --x86-sim detailed \
		--x86-preset zen2 --x86-env clean --x86-report report "$@" \
		./renamed "$same" >out 2>err
	[ "$("$m2s" --quiet ./renamed "$same" 2>/dev/null)" = "$(cat out)" ]
	say $? "renamed, $same $*: the values"
	cycles=$(value Cycles)
	renamed=$(value MemoryOrder.Renamed)
	mistaken=$(value MemoryOrder.Mistaken)
	violations=$(value MemoryOrder.Violations)
}

renamed 0 --set x86:Core.memory_renaming=0
[ "$renamed" = 0 ]
say $? "memory_renaming = 0: $cycles cycles"
without=$cycles
renamed 0
# Two additions, a load and an argument in a turn.
[ "$renamed" -ge 15000 ] && [ "$mistaken" -le 5 ] &&
	[ "$cycles" -lt $((without - 4000 * 8)) ]
say $? "zen2: $renamed loads get a register, $mistaken a wrong one; $cycles cycles"
cp report report.yes
for memoize in No Check; do
	renamed 0 --set x86:General.Memoize=$memoize
	diff <(grep -v ^Memoize report.yes) <(grep -v ^Memoize report) >&2
	say $? "renamed, Memoize = $memoize"
done
# The load that is wrong stops after its first mistake.
renamed 1
[ "$mistaken" -ge 1 ] && [ "$mistaken" -le 20 ] &&
	[ "$violations" -ge 1 ] && [ "$renamed" -ge 11000 ]
say $? "another pointer to it: $renamed loads get a register, $mistaken a wrong one"
cp report report.yes
renamed 1 --set x86:General.Memoize=Check
diff <(grep -v ^Memoize report.yes) <(grep -v ^Memoize report) >&2
say $? "another pointer to it, Memoize = Check"
exit $failed
