#!/bin/bash
# Checkpoints and --x86-sim detailed: what is simulated behind a checkpoint takes the
# cycles that it takes in a run from the start; checkpoints of detailed runs go on
# in runs of both kinds.
set -u
. "$(dirname "$0")/begin.sh" checkpoint-cores

value() { # FILE, SECTION, NAME
	awk -v section="[ $2 ]" -v name="$3" '/^\[/ { on = $0 == section }
		on && $1 == name { print $3 }' "$1"
}

cat >table.c <<'ENDC'
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static unsigned table[32768];

int main(void)
{
	unsigned sum = 0, at = 1, backwards = 0;
	struct timespec last = { 0 }, now;
	unsigned long stamp = 0;

	for (unsigned i = 0; i < 32768; i++)
		table[i] = i * 2654435761u;
	for (unsigned i = 0; i < 25000; i++) {
		at = at * 1664525 + 1013904223;
		if (table[at >> 17] & 0x1000)
			sum += table[at >> 17];
		table[(at >> 17) ^ 64]++;
		if (i % 500)
			continue;
		/* Time does not go back, and does not jump far. */
		clock_gettime(CLOCK_MONOTONIC, &now);
		backwards += (i && now.tv_sec - last.tv_sec > 1) ||
			     now.tv_sec < last.tv_sec ||
			     (now.tv_sec == last.tv_sec &&
			      now.tv_nsec < last.tv_nsec);
		last = now;
		backwards += __builtin_ia32_rdtsc() < stamp;
		stamp = __builtin_ia32_rdtsc();
	}
	printf("%u %u\n", sum, backwards);
	return 5;
}
ENDC
cat >threads.c <<'ENDC'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static unsigned long sum[4], total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static void *work(void *number)
{
	unsigned long *to = number;
	char byte = 1;

	for (unsigned i = 0; i < 8000; i++) {
		*to += i;
		if (i % 500)
			continue;
		pthread_mutex_lock(&lock);
		total += i;
		pthread_mutex_unlock(&lock);
		/* in the kernel now and then */
		write(ends[1], &byte, 1);
		read(ends[0], &byte, 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[4];

	pipe(ends);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, &sum[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	printf("%lu %lu\n", total, sum[0] + sum[1] + sum[2] + sum[3]);
	return 7;
}
ENDC
if ! $CC -O1 -w -static -o table table.c ||
	! $CC -O1 -w -static -pthread -o threads threads.c; then
	echo "ok - skipped: no static programs"
	exit 0
fi
./table >table.out
./threads >threads.out
printf '[General]\nCores = 4\n' >four.ini

functional() { # OPTIONS PROGRAM
	"$m2s" --quiet --overwrite --x86-clock simulated "$@" >out 2>err
}

detailed() { # REPORT OPTIONS PROGRAM
	local report=$1
	shift
	"$m2s" --quiet --x86-sim detailed --x86-preset haswell --overwrite \
		--provenance none --x86-report "$report" "$@" >out 2>err
}

# Sections of cores, caches and the memory: all cycles and counts.
cores() { # REPORT
	awk '/^\[/ { on = 1 } /^\[ (General|Sampling)/ { on = 0 }
		on && $1 !~ /^(Instructions|Turns|SystemCalls|Faults|Contexts|Processes|UnknownCalls|Signals)$/' "$1"
}

# 300,000 instructions are skipped and 100,000 warm; the checkpoint lies between.
part="--x86-fast-forward 400000 --x86-warm 100000 --x86-max-inst 500000"
detailed whole $part ./table
functional --x86-save-checkpoint functional.ckpt --x86-max-inst 300000 ./table
detailed saved --x86-fast-forward 350000 --x86-max-inst 300000 \
	--x86-save-checkpoint detailed.ckpt ./table
for kind in functional detailed; do
	detailed resumed --x86-load-checkpoint $kind.ckpt \
		--x86-fast-forward 100000 --x86-warm all --x86-max-inst 500000
	[ $? = 122 ] && [ "$(value whole Global Cycles)" -gt 10000 ] &&
		diff <(cores whole) <(cores resumed) >differs
	say $? "checkpoint of a $kind run: all figures of the part are those of \
a run from the start ($(value resumed Global Cycles) cycles)"
done
detailed cold --x86-load-checkpoint functional.ckpt --x86-max-inst 500000
detailed resumed --x86-load-checkpoint functional.ckpt --x86-max-inst 500000
cmp -s cold resumed
say $? "without warming runs repeat exactly, too"

# In the middle of what is simulated.
detailed first --x86-checkpoint-at 350000 --x86-checkpoint-stop \
	--x86-save-checkpoint middle.ckpt ./table
[ $? = 0 ] && [ "$(value first Global Instructions)" = 350000 ] &&
	[ "$(value first Global Commit.Instructions)" = 350000 ]
say $? "--x86-checkpoint-at: the cores have drained"
detailed rest --x86-load-checkpoint middle.ckpt
[ $? = 5 ] && cmp -s out table.out
say $? "the program goes on in a detailed run, and its clocks go on"
detailed complete ./table
[ $(($(value rest Global Commit.Instructions) + 350000)) = \
	"$(value complete Global Commit.Instructions)" ]
say $? "with all instructions"
functional --x86-load-checkpoint middle.ckpt
[ $? = 5 ] && cmp -s out table.out
say $? "and in a functional one"

# Four threads on four cores, stopped anywhere: also in system calls.
bad=
for at in 130013 170001; do
	detailed first --x86-config four.ini --x86-max-inst $at \
		--x86-save-checkpoint four.ckpt ./threads
	[ $? = 122 ] || bad="$bad save:$at"
	detailed rest --x86-config four.ini --x86-load-checkpoint four.ckpt
	[ $? = 7 ] && cmp -s out threads.out || bad="$bad detailed:$at"
	functional --x86-load-checkpoint four.ckpt
	[ $? = 7 ] && cmp -s out threads.out || bad="$bad functional:$at"
done
[ -z "$bad" ]
say $? "four threads on four cores are saved and go on$bad"

# A call in progress at the limit takes effect, and has its result: each byte is
# written once, and each write() returns 1.
cat >calls.s <<'END'
	.globl _start
_start:	mov $20, %ebx
1:	mov $1, %eax
	mov $1, %edi
	lea byte(%rip), %rsi
	mov $1, %edx
	syscall
	cmp $1, %eax
	jne 2f
	dec %ebx
	jnz 1b
	mov $7, %edi
2:	mov $231, %eax
	syscall
	.data
byte:	.ascii "x"
END
$CC -nostdlib -static -o calls calls.s
bad=
for at in $(seq 40 60); do
	detailed first --x86-max-inst "$at" --x86-save-checkpoint calls.ckpt \
		./calls
	cp out before
	functional --x86-load-checkpoint calls.ckpt
	[ $? = 7 ] && [ "$(cat before out)" = xxxxxxxxxxxxxxxxxxxx ] ||
		bad="$bad $at"
done
[ -z "$bad" ]
say $? "calls in progress are saved with their result$bad"

refused() { # WORDS OPTIONS
	local words=$1
	shift
	"$m2s" --x86-sim detailed "$@" >/dev/null 2>err
	[ $? = 1 ] && grep -q -- "$words" err
	say $? "$*: $words"
}
refused 'needs --x86-checkpoint-stop' --x86-checkpoint-at 1000 \
	--x86-save-checkpoint other ./table
refused 'needs the whole program' --x86-check --x86-load-checkpoint middle.ckpt
exit $failed
