#!/bin/bash
# Memory order of several simulated cores: litmus tests over start skews and
# seeds. What total store order allows is seen, and what it forbids is not.
set -u
. "$(dirname "$0")/begin.sh" litmus

printf '[General]\nCores = 4\n' >caches.ini
printf '[General]\nCores = 4\nMemory = FirstLevel\nWrongPath = Wait\n' >flat.ini

verdicts() { # OUTPUT
	awk '$2 == "must" && $3 == 0 || $2 == "never" && $3 != 0 {
			print "# " $0; bad = 1 }
		END { exit bad || NR != 18 }' "$1"
}

sum() { # REPORT NAME
	awk -v name="$2" '$1 == name { sum += $3 } END { print sum + 0 }' "$1"
}

# Where threads of one core meet, few skews let a store wait: something that total
# store order allows is seen.
seen() { # OUTPUT
	awk '$2 == "must" { seen += $3 } $2 == "never" { bad += $3 }
		END { exit bad || !seen || NR != 18 }' "$1"
}

litmus() { # ABI CONFIGURATION PRESET RUNS SEED [VERDICT]
	"$m2s" --x86-env clean --x86-sim detailed --x86-config "$2.ini" --x86-preset "$3" \
		--x86-report report "./litmus.$1" "$4" "$5" >out 2>said &&
		${6:-verdicts} out
	say $? "$1 bits, $2, $3, seed $5: $(awk '$2 != "never" {
		printf "%s %d, ", $1, $3 }' out)of $4; forbidden outcomes never"
}

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"
for abi in $abis; do
	$CC -m$abi -O2 -w -pthread -static -o litmus.$abi \
		"$top_srcdir/tests/x86/programs/litmus.c" 2>/dev/null ||
		{ echo "skipped: no static programs of $abi bits"; continue; }
	litmus $abi caches nehalem 50 1
	litmus $abi flat skylake 50 2
done
[ -x litmus.64 ] || exit $failed
# Threads of one core see each other's stores when they are committed, too.
printf '[General]\nCores = 2\nThreads = 2\n' >two.ini
litmus 64 two nehalem 30 2 seen
printf '[General]\nThreads = 4\n' >four.ini
litmus 64 four nehalem 40 2 seen
litmus 64 caches haswell 30 3
grep -v -e ^Date -e ^CommandLine report >first
[ "$(sum first Order.Stores)" -gt 1000 ] &&
	[ "$(sum first Order.StoreCycles)" -gt "$(sum first Order.Stores)" ] &&
	[ "$(sum first Order.LoadCycles)" -gt "$(sum first Order.Loads)" ]
say $? "the report counts stores that waited, and how early values were bound"
litmus 64 caches haswell 30 3
grep -v -e ^Date -e ^CommandLine report | cmp -s - first
say $? "two runs have the same report"

# A load that has been executed early, behind one that misses, sees its line
# taken: the machine is cleared, and the values are those of the program's order.
cat >share.c <<'END'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { STEPS = 1 << 16 };
static _Alignas(64) volatile uint64_t line[8];
static volatile int ends;
static uint64_t *ring[STEPS];

static void *count(void *argument)
{
	while (!ends)
		line[0]++;
	return argument;
}

int main(void)
{
	pthread_t thread;
	uint64_t last = 0, **at = (uint64_t **)ring;
	int backwards = 0;

	for (unsigned i = 0, k = 0; i < STEPS; i++, k = (k * 5 + 8) % STEPS)
		ring[k] = (uint64_t *)&ring[(k * 5 + 8) % STEPS];
	pthread_create(&thread, NULL, count, NULL);
	for (int i = 0; i < 2000; i++) {
		uint64_t now;

		at = (uint64_t **)*at;
		now = line[0];
		backwards += now < last;
		last = now;
	}
	ends = 1;
	pthread_join(thread, NULL);
	printf("%d %d\n", backwards, at != NULL);
	return 0;
}
END
shared() { # CONFIGURATION
	$CC -O2 -w -pthread -static -o share share.c 2>/dev/null
	"$m2s" --x86-env clean --x86-sim detailed --x86-check --x86-config "$1.ini" \
		--x86-report report ./share >out 2>said && grep -qx '0 1' out
}
shared caches && [ "$(sum report Order.Clears)" -gt 300 ] &&
	[ "$(sum report Commit.Slots.MachineClear)" -gt 3000 ]
say $? "lost lines clear the machine, $(sum report Order.Clears) times, and cost time"
shared flat && [ "$(sum report Order.Clears)" = 0 ]
say $? "without caches no line is lost"

# A thread alone holds nothing back.
cat >alone.c <<'END'
int main(void)
{
	volatile int value = 0;

	for (int i = 0; i < 1000; i++)
		value = i;
	return 0;
}
END
$CC -O2 -static -o alone alone.c 2>/dev/null || exit $failed
"$m2s" --x86-env clean --x86-sim detailed --x86-config caches.ini --x86-report report ./alone \
	>/dev/null 2>&1 && [ "$(sum report Stores)" -gt 1000 ] &&
	[ "$(sum report Order.Loads)" = 0 ] &&
	[ "$(sum report Order.Stores)" = 0 ]
say $? "a thread alone holds no stores back"
exit $failed
