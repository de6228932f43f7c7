/* handover [ROUNDS]: two threads change one byte in turn, each by compare-and-swap
 * as soon as the other one has. Prints the nanoseconds from one change to the
 * next. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MINE, YOURS };

static _Alignas(128) _Atomic unsigned char turn;
static _Alignas(128) _Atomic unsigned here;
static int rounds;

static void take_turns(unsigned char from)
{
	for (int i = 0; i < rounds; i++) {
		unsigned char seen = from;

		while (!atomic_compare_exchange_strong_explicit(
			&turn, &seen, (unsigned char)!from,
			memory_order_relaxed, memory_order_relaxed))
			seen = from;
	}
}

static void meet(void)
{
	atomic_fetch_add(&here, 1);
	while (atomic_load(&here) < 2)
		;
}

static void *other(void *unused)
{
	meet();
	take_turns(YOURS);
	return unused;
}

int main(int argc, char **argv)
{
	struct timespec start, end;
	pthread_t thread;
	double nanoseconds;

	rounds = argc > 1 ? atoi(argv[1]) : 1000;
	if (pthread_create(&thread, NULL, other, NULL))
		return 1;
	meet();
	clock_gettime(CLOCK_MONOTONIC, &start);
	take_turns(MINE);
	clock_gettime(CLOCK_MONOTONIC, &end);
	pthread_join(thread, NULL);
	nanoseconds = (double)(end.tv_sec - start.tv_sec) * 1e9 +
		      (double)(end.tv_nsec - start.tv_nsec);
	printf("%.2f\n", nanoseconds / rounds / 2);
	return 0;
}
