#!/bin/bash
# --ctx-config: several programs at once, each with its own memory, arguments,
# environment, folder and standard streams.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

cat >show.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char line[100] = "", folder[4096];

	if (!fgets(line, sizeof line, stdin))
		strcpy(line, "nothing\n");
	printf("%d words, %s of %s, %s: %s", argc - 1, argv[argc - 1],
	       strrchr(getcwd(folder, sizeof folder), '/'), getenv("COLOUR"),
	       line);
	fprintf(stderr, "done\n");
	return atoi(getenv("STATUS"));
}
C
# Prints its name at intervals measured in instructions.
cat >ticker.c <<'C'
#include <unistd.h>
int main(int argc, char **argv)
{
	(void)argc;
	for (int i = 0; i < 40; i++) {
		for (volatile int n = 0; n < 30000; n++)
			;
		write(1, argv[1], 1);
	}
	return 0;
}
C
mkdir one two && echo first line >one/input
formats=
for bits in 64 32; do
	[ $bits = 64 ] || [ "$HAVE_M32" = yes ] || continue
	$CC -m$bits -o show$bits show.c && $CC -m$bits -o ticker$bits ticker.c
	formats="$formats $bits"
done
last=${formats##* }

cat >programs.ini <<INI
[ Context 0 ]
Exe = $folder/show64
Args = a 'b c' "d \"e\""
Env = "COLOUR=deep blue" STATUS=0
Cwd = one
Stdin = input
Stdout = output
[ Context 1 ]
Exe = ../show$last
Args = x
Cwd = $folder/two
Stdin = /dev/null
Stdout = $folder/two.out
INI
COLOUR=green timeout 60 "$M2S" --quiet --env STATUS=7 \
	--ctx-config programs.ini >out 2>err
[ $? -eq 7 ]
check "the status is that of the first program that failed" $?
printf '3 words, d "e" of /one, deep blue: first line\n' >want1
printf '1 words, x of /two, green: nothing\n' >want2
grep -v done one/output | cmp - want1 && grep -v done two.out | cmp - want2
check "arguments, environment, folder, input and output" $?
grep -q done one/output && grep -q done two.out && ! [ -s out ]
check "standard error goes with standard output" $?

cat >tickers.ini <<INI
[ Context 0 ]
Exe = ./ticker64
Args = a
[ Context 1 ]
Exe = ./ticker$last
Args = b
[ Context 2 ]
Exe = ./ticker64
Args = c
INI
timeout 60 "$M2S" --quiet --ctx-config tickers.ini ./ticker64 z >first
timeout 60 "$M2S" --quiet --ctx-config tickers.ini ./ticker64 z >second
[ "$(wc -c <first)" -eq 160 ] && cmp first second && grep -q 'abc.*abc' first
check "the same interleaving in two runs" $?

cat >opencl.ini <<INI
[ Context 0 ]
Exe = $top_builddir/samples/vector-add/vector-add
Args = -n 256
Stdout = add.out
[ Context 1 ]
Exe = $top_builddir/samples/vector-add/vector-add
Args = -n 512
Stdout = add2.out
[ Context 2 ]
Exe = $top_builddir/samples/bitonic-sort/bitonic-sort
Args = -n 512
Stdout = sort.out
INI
for kind in functional detailed; do
	timeout 100 "$M2S" --quiet --evg-sim $kind --ctx-config opencl.ini &&
		grep -q PASSED add.out && grep -q PASSED add2.out &&
		grep -q PASSED sort.out
	check "three OpenCL programs at once, $kind" $?
	rm -f ./*.out
done

# refuse MESSAGE TEXT: that file is refused with that message.
refuse() {
	printf "$2" >bad.ini
	timeout 60 "$M2S" --quiet --ctx-config bad.ini >out 2>err
	[ $? -eq 1 ] && grep -q -- "$1" err
	check "refused: $1" $?
}
refuse 'no section \[ Context 0 \]' '[ Context 1 ]\nExe = true\n'
refuse 'bad.ini:3: .*Exe, the program to run, is missing' \
	'[ Context 0 ]\nExe = true\n[ Context 1 ]\nArgs = x\n'
refuse 'Context 3' '[ Context 0 ]\nExe = true\n[ Context 3 ]\nExe = true\n'
refuse 'Arg' '[ Context 0 ]\nExe = true\nArg = x\n'
refuse 'not closed' '[ Context 0 ]\nExe = true\nArgs = "x\n'
refuse 'expected NAME=VALUE' '[ Context 0 ]\nExe = true\nEnv = x\n'
refuse 'cannot open nowhere' '[ Context 0 ]\nExe = true\nStdin = nowhere\n'
refuse 'no-such-program' '[ Context 0 ]\nExe = no-such-program\n'

# Two threads that wait for each other's mutex: the report says where.
cat >deadlock.c <<'C'
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void take_both(pthread_mutex_t *first,
						pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	for (int i = 0; i < 100; i++)
		sched_yield();
	pthread_mutex_lock(second);
}
static void *forwards(void *p) { take_both(&a, &b); return p; }
static void *backwards(void *p) { take_both(&b, &a); return p; }
int main(void)
{
	pthread_t thread[2];
	pthread_create(&thread[0], 0, forwards, 0);
	pthread_create(&thread[1], 0, backwards, 0);
	pthread_join(thread[0], 0);
	return 0;
}
C
for bits in $formats; do
	$CC -m$bits -g -pthread -o deadlock deadlock.c
	timeout 60 "$M2S" --quiet ./deadlock 2>first
	[ $? -eq 1 ] && grep -q 'deadlock: every thread' first &&
		[ "$(grep -c 'waits for a futex.*from .* take_both+0x' \
			first)" -eq 2 ] &&
		grep -q 'context 100 .*from .* main+0x' first
	check "a deadlock is reported with where each thread waits, $bits bits" $?
	timeout 60 "$M2S" --quiet ./deadlock 2>second
	cmp first second
	check "the same deadlock again, $bits bits" $?
done
