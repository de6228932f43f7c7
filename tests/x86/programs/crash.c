/* Ends in a fault that nobody handles, in the way that the argument names. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile int zero;
/* Volatile: clang calls a constant relative to the program. */
static void (*volatile nowhere)(void) = (void (*)(void))8;
static const char constant[] = "read only";
static _Alignas(16) unsigned char data[64] = { 0xc3 };

APART static void store(volatile int *where)
{
	*where = 1;
	zero++;
}

APART static int middle(volatile int *where)
{
	store(where);
	return zero + 1;
}

static int compare(const void *a, const void *b)
{
	(void)a;
	(void)b;
	store((int *)16);
	return zero;
}

APART static int deep(int n)
{
	volatile char space[500];

	space[n % 500] = 1;
	return deep(n + 1) + space[0];
}

static void handler(int number)
{
	(void)number;
	store((int *)8);
	zero++;
}

static void *waiting(void *argument)
{
	pause();
	return argument;
}

static void *deep_thread(void *argument)
{
	zero = deep(0);
	return argument;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int list[4] = { 4, 2, 3, 1 };
	pthread_t thread;

	if (!strcmp(how, "null"))
		return middle((int *)16);
	if (!strcmp(how, "wild"))
		return middle((int *)0x12345678);
	if (!strcmp(how, "constant"))
		return middle((int *)constant);
	if (!strcmp(how, "callback"))
		qsort(list, 4, sizeof list[0], compare);
	if (!strcmp(how, "overflow"))
		return deep(0);
	if (!strcmp(how, "data"))
		((void (*)(void))data)();
	if (!strcmp(how, "jump"))
		nowhere();
	if (!strcmp(how, "divide"))
		return 10 / zero;
	if (!strcmp(how, "illegal"))
		__asm__ volatile("ud2");
	if (!strcmp(how, "halt"))
		__asm__ volatile("hlt");
	if (!strcmp(how, "aligned"))
		__asm__ volatile("movaps 4(%0), %%xmm0" :: "r"(data));
	if (!strcmp(how, "file")) {
		char name[] = "/tmp/m2s-crash-XXXXXX";
		int file = mkstemp(name);

		unlink(name);
		return middle(mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_SHARED, file, 0));
	}
	if (!strcmp(how, "handler")) {
		signal(SIGUSR1, handler);
		raise(SIGUSR1);
	}
	if (!strcmp(how, "thread") || !strcmp(how, "threads")) {
		pthread_create(&thread, NULL, waiting, NULL);
		if (how[6])
			pthread_create(&thread, NULL, deep_thread, NULL);
		usleep(1000);
		sleep(how[6] ? 1000 : 0);
		return middle((int *)16);
	}
	return 0;
}
