#!/bin/bash
# Parts of a program in detail: fast-forward by instructions, regions by the
# markers of m2s.h, gem5, Sniper and ZSim. Programs print and end as always;
# reports cover the parts; runs repeat exactly.
set -u
. "$(dirname "$0")/begin.sh" regions

value() { # FILE, SECTION, NAME
	awk -v section="[ $2 ]" -v name="$3" '/^\[/ { on = $0 == section }
		on && $1 == name { print $3 }' "$1"
}

# A program of three parts, the second of which is the region: a loop of 5
# instructions, one iteration a cycle.
cat >parts.c <<'END'
#include <m2s.h>
#include <stdio.h>
#ifdef GEM5
#define BEGIN __asm__ volatile(".byte 0x0f, 0x04; .word 0x5a" ::: "memory")
#define END __asm__ volatile(".byte 0x0f, 0x04; .word 0x5b" ::: "memory")
#elif defined SNIPER
#define BEGIN __asm__ volatile("xchg %%bx, %%bx" :: "a"(1L) : "memory")
#define END __asm__ volatile("xchg %%bx, %%bx" :: "a"(2L) : "memory")
#elif defined ZSIM && defined __i386__
#define BEGIN __asm__ volatile("xchg %%ecx, %%ecx" :: "c"(1025L) : "memory")
#define END __asm__ volatile("xchg %%ecx, %%ecx" :: "c"(1026L) : "memory")
#elif defined ZSIM
#define BEGIN __asm__ volatile("xchg %%rcx, %%rcx" :: "c"(1025L) : "memory")
#define END __asm__ volatile("xchg %%rcx, %%rcx" :: "c"(1026L) : "memory")
#else
#define BEGIN m2s_region_begin()
#define END m2s_region_end()
#endif

static unsigned work(unsigned count)
{
	unsigned sum = 0;

	__asm__ volatile("1: add $7, %0; nop; nop; dec %1; jnz 1b"
			 : "+r"(sum), "+r"(count));
	return sum;
}

int main(void)
{
	unsigned before = work(300000), inside, after;

	BEGIN;
	inside = work(20000);
	END;
	after = work(200000);
	printf("%u %u %u\n", before, inside, after);
	return 3;
}
END

build() { # NAME, FLAGS...
	local name=$1
	shift
	$CC -O1 -I "$top_srcdir/include" -o "$name" "$@" 2>build.log
}

run() { # REPORT, ARGUMENTS...
	local report=$1
	shift
	"$m2s" --x86-sim detailed --x86-preset haswell --x86-report "$report" \
		"$@" >out 2>said
}

same() { # TWO REPORTS
	diff <(grep -v -e CommandLine -e ^Date "$1") <(grep -v -e CommandLine -e ^Date "$2") >/dev/null
}

for abi in 64 32; do
	for kind in M2S GEM5 SNIPER ZSIM; do
		[ $abi = 64 ] || [ "${HAVE_M32:-yes}" = yes ] || continue
		build parts -m$abi -D$kind parts.c || { say 1 "$kind: builds"; continue; }
		run report --x86-region ./parts
		[ $? = 3 ] && [ "$(cat out)" = '2100000 140000 1400000' ]
		say $? "$abi-bit, $kind: output and status"
		instructions=$(value report Global Commit.Instructions)
		cycles=$(value report Global Cycles)
		[ "$instructions" -gt 99999 ] && [ "$instructions" -lt 100100 ] &&
			[ "$cycles" -gt 20000 ] && [ "$cycles" -lt 24000 ]
		say $? "$abi-bit, $kind: the report covers the region ($instructions instructions, $cycles cycles)"
	done
done
build parts parts.c
run again --x86-region ./parts
run report --x86-region ./parts
same again report
say $? "runs repeat exactly"
slots=$(awk '/^\[/ { on = $0 == "[ Core 0 ]" }
	on && /^Commit.Slots/ { sum += $3 } END { print sum }' report)
[ "$slots" = $(($(value report 'Core 0' Cycles) * 4)) ]
say $? "parts sum to the region's cycles"

# By instructions: exact, and what is left is simulated.
run whole ./parts
whole=$(value whole Global Commit.Instructions)
for count in 1 1000 123457 1000000; do
	run report --x86-fast-forward $count ./parts
	[ $? = 3 ] && [ "$(cat out)" = '2100000 140000 1400000' ] &&
		[ $(($(value report Global Commit.Instructions) + count)) = "$whole" ]
	say $? "--x86-fast-forward $count: $count instructions are not simulated"
done
run report --x86-fast-forward 100000 --x86-max-inst 150000 ./parts
[ "$(value report Global Commit.Instructions)" = 50000 ] &&
	[ "$(value report Global Instructions)" = 150000 ]
say $? "--x86-max-inst counts all instructions"
printf '[General]\nFastForward = 1000\n' >forward.ini
run report --x86-config forward.ini ./parts
[ $(($(value report Global Commit.Instructions) + 1000)) = "$whole" ]
say $? "FastForward of the configuration"

# Four threads, of which one has a region; all switch.
cat >threads.c <<'END'
#include <m2s.h>
#include <pthread.h>
#include <stdio.h>

static unsigned sum[4];

static void *work(void *number)
{
	unsigned *to = number;

	for (unsigned part = 0; part < 3; part++) {
		if (to == &sum[1] && part == 1)
			m2s_region_begin();
		for (int i = 0; i < 20000; i++)
			__asm__ volatile("add $3, %0" : "+r"(*to));
		if (to == &sum[1] && part == 1)
			m2s_region_end();
		__atomic_fetch_add(&sum[0], 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[4];

	for (int i = 1; i < 4; i++)
		pthread_create(&thread[i], NULL, work, &sum[i]);
	for (int i = 1; i < 4; i++)
		pthread_join(thread[i], NULL);
	printf("%u %u %u %u\n", sum[0], sum[1], sum[2], sum[3]);
	return 0;
}
END
printf '[General]\nCores = 4\n' >four.ini
build threads -pthread threads.c
for options in --x86-region '--x86-fast-forward 150000'; do
	# shellcheck disable=SC2086
	run report --x86-config four.ini $options ./threads
	[ $? = 0 ] && [ "$(cat out)" = '9 180000 180000 180000' ]
	say $? "four cores, $options: output"
	# shellcheck disable=SC2086
	run again --x86-config four.ini $options ./threads
	same again report
	say $? "four cores, $options: runs repeat exactly"
done
run report --x86-config four.ini --x86-region ./threads
share=$(value report Global Commit.Instructions)
[ "$share" -gt 80000 ] && [ "$share" -lt 500000 ]
say $? "four cores: the region of one thread is simulated on all ($share instructions)"

refused() { # MESSAGE, ARGUMENTS...
	local message=$1
	shift
	"$m2s" "$@" ./parts >/dev/null 2>said
	[ $? = 1 ] && grep -q -- "$message" said
	say $? "refused: $message"
}
refused 'needs --x86-sim detailed' --x86-region
refused 'needs --x86-sim detailed' --x86-fast-forward 5
refused 'needs the whole program' --x86-sim detailed --x86-check --x86-region
# Without --x86-region gem5's instruction is what it is on a processor.
build gem5 -DGEM5 parts.c && { "$m2s" ./gem5; } >/dev/null 2>&1
[ $? = 132 ]
say $? "without --x86-region gem5's instruction is undefined"
exit $failed
