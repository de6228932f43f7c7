#!/bin/bash
# --x86-sim detailed: processes have physical pages of their own, shared mappings
# are shared, translations that are no longer true are forgotten on all cores.
set -u
. "$(dirname "$0")/begin.sh" spaces

cat >spaces.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 64, PAGE = 4096 };

static volatile int turn;

static void *other(void *memory)
{
	volatile char *page = memory;

	while (turn < 100)
		(void)page[0];
	return NULL;
}

int main(int argc, char **argv)
{
	int shared = !strcmp(argv[1], "shared");
	int alone = !strcmp(argv[1], "alone");
	volatile char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				     MAP_ANONYMOUS | (shared ? MAP_SHARED
							     : MAP_PRIVATE),
				     -1, 0);
	pthread_t thread;
	pid_t child;
	int status;

	for (int i = 0; i < PAGES; i++)
		memory[i * PAGE] = 1;
	if (!strcmp(argv[1], "protect") || alone) {
		if (!alone)
			pthread_create(&thread, NULL, other, (void *)memory);
		for (; turn < 100; turn++) {
			mprotect((void *)memory, PAGE, PROT_READ);
			mprotect((void *)memory, PAGE, PROT_READ | PROT_WRITE);
			memory[8] = 3;
		}
		if (!alone)
			pthread_join(thread, NULL);
		return 0;
	}
	if (!strcmp(argv[1], "none"))
		return 0;
	child = fork();
	for (int i = 0; child == 0 && i < PAGES; i++)
		memory[i * PAGE] = 2;
	if (child == 0)
		_exit(0);
	waitpid(child, &status, 0);
	printf("%d\n", memory[PAGE]);
	return argc - 2;
}
END
if ! $CC -O1 -w -D_GNU_SOURCE -static -pthread -o spaces spaces.c; then
	echo "ok - skipped: no static programs"
	exit 0
fi

figure() { # FILE SECTION NAME
	awk -v section="[ $2 ]" -v name="$3" '
		/^\[/ { inside = $0 == section }
		inside && $1 == name { print $3 }' "$1"
}

go() { # NAME PRESET CORES MODE
	printf '[General]\nCores = %d\n%s\n' "$3" "${5-}" >"$1.cfg"
	"$m2s" --x86-sim detailed --x86-preset "$2" --x86-config "$1.cfg" \
		--overwrite --x86-report "$1.ini" ./spaces "$4" \
		>"$1.out" 2>"$1.err"
}

go none nehalem 1 none
[ "$(figure none.ini 'Core 0' PageFaults)" -ge 64 ] &&
	[ "$(figure none.ini Global Frames.Given)" -ge 64 ] &&
	[ "$(figure none.ini Global Frames.Copied)" -lt 16 ]
say $? "a page's first touch is a fault"

go slow nehalem 1 none 'PageFaultCycles = 21500'
a=$(figure none.ini 'Core 0' Cycles)
b=$(figure slow.ini 'Core 0' Cycles)
n=$(figure none.ini 'Core 0' PageFaults)
[ $((b - a)) -gt $((64 * 20000)) ] && [ $((b - a)) -lt $((n * 21000)) ]
say $? "and takes PageFaultCycles ($a, $b cycles, $n faults)"

go fork nehalem 1 fork
go shared nehalem 1 shared
[ "$(cat fork.out shared.out | tr '\n' ' ')" = "1 2 " ] &&
	[ "$(figure fork.ini Global Frames.Copied)" -ge 64 ] &&
	[ "$(figure shared.ini Global Frames.Copied)" -lt 64 ]
say $? "stores behind fork() get pages of their own, those to shared memory do not"

[ "$(figure fork.ini 'Core 0' TLB.Flushes)" -ge 2 ]
say $? "TLBs without tags forget all when the process changes"
go tagged haswell 1 fork
[ "$(figure tagged.ini 'Core 0' TLB.Flushes)" = 0 ]
say $? "tagged ones do not"

go two haswell 2 protect
[ "$(figure two.ini 'Core 0' Shootdowns)" -ge 150 ] &&
	[ "$(figure two.ini 'Core 1' TLB.Lost)" -ge 50 ]
say $? "other cores forget translations, and the call waits for them"
go alone haswell 2 alone
[ "$(figure alone.ini 'Core 0' Shootdowns)" = 0 ] &&
	[ "$(figure alone.ini 'Core 0' TLB.Lost)" -ge 100 ]
say $? "alone a process waits for nobody"

cp two.ini first.ini
go two haswell 2 protect
cmp -s <(grep -v -e Time -e PerSecond -e Date first.ini) \
	<(grep -v -e Time -e PerSecond -e Date two.ini)
say $? "runs repeat exactly"
exit $failed
