#!/bin/bash
# Several threads of one core (SMT): width is shared, a thread that waits lets the
# others run, queues are divided or shared, sums are exact, runs repeat.
set -u
. "$(dirname "$0")/begin.sh" smt

cat >work.c <<'END'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

/* work KINDS STEPS: a thread for each letter. Prints the cycles of each. */
enum { RING = 1 << 18, FAR = 16 * 4051 }; /* 1 MB: the third level */
static uint32_t ring[RING];
static unsigned threads, here;
static int steps;
static volatile uint64_t sink;

static uint64_t work(char kind)
{
	uint64_t a = 1, b = 2, c = 3;
	uint32_t k = 0;

	switch (kind) {
	case 'c': /* one chain of instructions */
		for (int i = 0; i < steps * 4; i++)
			__asm__ volatile("imul %0, %0\n\timul %0, %0"
					 : "+r"(a));
		break;
	case 'w': /* as wide as the core */
		for (int i = 0; i < steps * 4; i++)
			__asm__ volatile("mov $1, %k0\n\tmov $1, %k1\n\t"
					 "mov $1, %k2\n\tmov $2, %k0\n\t"
					 "mov $2, %k1\n\tmov $2, %k2\n\t"
					 "mov $3, %k0\n\tmov $3, %k1\n\t"
					 : "+r"(a), "+r"(b), "+r"(c));
		break;
	case 'm': /* each load needs the one before, and misses */
		for (int i = 0; i < steps / 20; i++)
			a += k = ring[k];
		break;
	case 'i': /* loads that miss and do not need one another */
		for (int i = 0; i < steps / 10; i++) {
			k = k * 1664525 + 1013904223;
			b += ring[k >> 14];
			__asm__ volatile(".rept 32\n\tnop\n\t.endr");
		}
		break;
	case 'f': /* has few instructions in flight */
		for (int i = 0; i < steps; i++)
			__asm__ volatile("lfence");
		break;
	}
	return sink = a + b + c;
}

static void *run(void *kind)
{
	uint64_t start;

	__atomic_fetch_add(&here, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&here, __ATOMIC_SEQ_CST) < threads)
		_mm_pause();
	start = __rdtsc();
	work(*(const char *)kind);
	return (void *)(__rdtsc() - start);
}

int main(int argc, char **argv)
{
	const char *kinds = argv[1];
	pthread_t thread[16];
	void *cycles;

	steps = atoi(argv[2]);
	for (uint32_t i = 0, k = 0; strpbrk(kinds, "mi") && i < RING / 16;
	     i++, k = (k + FAR) % RING)
		ring[k] = (k + FAR) % RING;
	for (threads = 0; kinds[threads];)
		threads++;
	for (unsigned i = 1; i < threads; i++)
		pthread_create(&thread[i], NULL, run, (void *)&kinds[i]);
	cycles = run((void *)kinds);
	printf("%c %llu\n", kinds[0], (unsigned long long)(uintptr_t)cycles);
	for (unsigned i = 1; i < threads; i++) {
		pthread_join(thread[i], &cycles);
		printf("%c %llu\n", kinds[i],
		       (unsigned long long)(uintptr_t)cycles);
	}
	return 0;
}
END
$CC -O2 -w -pthread -static -o work work.c 2>/dev/null || {
	echo "skipped: no static programs"
	exit 0
}

config() { # NAME THREADS LINES: a configuration file
	printf '[General]\nThreads = %d\n%b' "$2" "${3:-}" >"$1.ini"
}
config one 1
config two 2
config four 4
config time 2 '[Pipeline]\nFetchKind = TimeSlice\nCommitKind = Shared\nIssueKind = TimeSlice\n'
config each 2 '[Pipeline]\nFetchKind = Shared\nDispatchKind = Shared\n'
config event 2 'ThreadQuantum = 1000\nThreadSwitchPenalty = 20\n[Pipeline]\nFetchKind = SwitchOnEvent\n'
config shared 2 '[Queues]\nRobKind = Shared\nLsqKind = Shared\n'
config private 2 '[Queues]\nIqKind = Private\n'

run() { # CONFIGURATION PRESET KINDS STEPS: ./out, ./report
	timeout 60 "$m2s" --quiet --x86-env clean --x86-sim detailed --x86-config "$1.ini" \
		--x86-preset "$2" --x86-report report ${room:+--env ROOM=$room} \
		./work "$3" "$4" >out &&
		awk -v file="$1 $2 $3" -f sums.awk report
}
cycles() { # NUMBER: of this thread of ./out
	awk -v n="$1" 'NR == n { print $2 }' out
}
within() { # VALUE LEAST MOST (percent of) REFERENCE
	awk -v v="$1" -v a="$2" -v b="$3" -v r="$4" \
		'BEGIN { exit !(100 * v >= a * r && 100 * v <= b * r) }'
}
figure() { # FILE SECTION NAME
	awk -v s="[ $2 ]" -v n="$3" '/^\[/ { in_it = $0 == s }
		in_it && $1 == n { print $3 }' "$1"
}

# Each thread's slots are its cycles times the width, 4; together threads retire
# and rename no more than the core can; a core's instructions are its threads'.
cat >sums.awk <<'END'
/^\[/ { s = $0 }
s !~ /Core [0-9]+/ { next }
$1 == "Cycles" { cycles[s] = $3 }
$1 ~ /^Commit\.Slots\./ { slots[s] += $3 }
$1 ~ /^Dispatch\.Stall\./ { renamed[s] += $3 }
$1 == "Commit.Slots.Base" && s ~ /Thread/ { base += $3 }
$1 ~ /^Dispatch\.Stall\.(used|spec)$/ && s ~ /Thread/ { used += $3 }
$1 == "Instructions" { if (s ~ /Thread/) own += $3; else all += $3 }
END {
	for (s in slots)
		if (slots[s] != 4 * cycles[s] || renamed[s] != 4 * cycles[s]) {
			print "# " file, s, slots[s], renamed[s], 4 * cycles[s]
			bad = 1
		}
	most = 4 * cycles["[ Core 0 ]"]
	if (base > most || used > most || (own && own != all)) {
		print "# " file, base, used, most, own, all
		bad = 1
	}
	exit bad
}
END

for preset in nehalem multi2sim-4.2; do
	run one $preset c 2000 && alone=$(figure report Global Cycles)
	run two $preset c 2000 && [ "$(figure report Global Cycles)" = "$alone" ]
	say $? "$preset: a core of two threads with one program is as fast as a core of one: $alone cycles"
done

run one nehalem c 2000 && chain=$(cycles 1)
run two nehalem cc 2000
within "$(cycles 1)" 99 105 "$chain" && within "$(cycles 2)" 99 105 "$chain"
say $? "two chains: $(echo $(<out)), alone $chain: nearly twice the throughput"
cp report first
run two nehalem cc 2000
grep -v -e ^Date -e ^CommandLine report >a
grep -v -e ^Date -e ^CommandLine first | cmp -s - a
say $? "two runs have the same report"

run one nehalem w 2000 && wide=$(cycles 1)
run two nehalem ww 2000
within "$(cycles 1)" 150 205 "$wide" && within "$(cycles 2)" 97 103 "$(cycles 1)"
say $? "two as wide as the core: $(echo $(<out)), alone $wide: they divide it evenly"
[ "$(figure report 'Core 0 Thread 0' Commit.Slots.Sibling)" -gt 0 ] &&
	[ "$(figure report 'Core 0 Thread 1' Dispatch.Stall.smt)" -gt 0 ]
say $? "the report says what the other thread took"

run one nehalem m 2000 && chase=$(cycles 1)
run two nehalem mw 2000
within "$(cycles 2)" 95 125 "$wide" && within "$(cycles 1)" 95 125 "$chase"
say $? "a thread that waits for memory lets the other run: $(echo $(<out)), alone $chase and $wide"

for kind in time each event private; do
	run $kind nehalem mw 1000 && run $kind multi2sim-4.2 wc 1000
	say $? "$kind: sums are exact: $(echo $(<out))"
done
run event nehalem mw 2000
within "$(cycles 2)" 95 160 "$wide"
say $? "SwitchOnEvent: fetch leaves a thread that waits: $(echo $(<out))"

# A thread that waits for another one, and fills what they share with a chain of
# multiplications meanwhile.
cat >fill.c <<'END'
#include <pthread.h>
static volatile int done;
static void *run(void *none)
{
	for (volatile int i = 0; i < 100; i++)
		;
	done = 1;
	return none;
}
int main(void)
{
	unsigned long a = 3;
	pthread_t thread;

	pthread_create(&thread, 0, run, 0);
	while (!done)
		__asm__ volatile(".rept 8\n\timul %0, %0\n\t.endr" : "+r"(a));
	return pthread_join(thread, 0);
}
END
$CC -O2 -w -pthread -static -o fill fill.c
config all 2 '[Queues]\nRobKind = Shared\nLsqKind = Shared\nIqKind = Shared\nRfKind = Shared\n'
for preset in haswell zen2 multi2sim-4.2; do
	for kind in two all; do
		timeout 60 "$m2s" --quiet --x86-env clean --x86-sim detailed --x86-preset $preset \
			--set General.Watchdog=100000 --x86-config $kind.ini ./fill
		say $? "$preset, $kind: a thread that fills the queues does not keep the other one out"
	done
done

# Threads that wait for each other at a unit that is busy for 20 cycles each time, a
# number that both threads' turns divide.
$CC -O2 -w -pthread -static -o handover "$top_srcdir/tests/x86/programs/handover.c"
for preset in nehalem ivybridge haswell skylake; do
	timeout 60 "$m2s" --quiet --x86-env clean --x86-sim detailed --x86-preset $preset \
		--set General.Watchdog=100000 --x86-config two.ini ./handover 300 >out
	say $? "$preset: two threads of a core hand a byte over: $(<out) ns"
done

# The environment moves the stack: other conflicts of lines, other machine clears.
for room in '' aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; do
	run two nehalem if 4000 && divided=$(cycles 1)
	run shared nehalem if 4000
	within "$(cycles 1)" 30 85 "$divided"
	say $? "a shared reorder buffer lets one thread have more of it: $(cycles 1) cycles, divided $divided"
done

run four haswell cccc 1000 && [ "$(wc -l <out)" = 4 ]
say $? "four threads of a core: $(echo $(<out))"
run two haswell ww 1000 >said && timeout 60 "$m2s" --quiet --x86-env clean --x86-sim detailed \
	--x86-config two.ini --x86-preset skylake --x86-check ./work wm 500 >out
say $? "threads of a core are checked in lockstep"

printf '[General]\nThreads = 16\n[Core]\nstore_queue = 8\n' >bad.ini
"$m2s" --x86-env clean --x86-sim detailed --x86-config bad.ini /bin/true 2>said
[ $? = 1 ] && grep -q 'Threads = 16.*store_queue = 0' said
say $? "refused: what leaves a thread nothing"
exit $failed
