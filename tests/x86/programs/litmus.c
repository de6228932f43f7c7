/* Litmus tests of memory order: each runs many times with other start skews.
 * Prints the runs of each test, and those that ended in its outcome. The tests
 * and their verdicts: Owens, Sarkar and Sewell, "A better x86 memory model:
 * x86-TSO", TPHOLs 2009; Maranget, Sarkar and Sewell's tutorial for the names.
 *
 *	litmus RUNS SEED
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, LINE = 64 };

static struct {
	_Alignas(LINE) volatile int value;
} variable[2];
#define x variable[0].value
#define y variable[1].value

static int result[THREADS][2];
static unsigned runs, seed;

#define STORE(v, c) \
	__asm__ volatile("movl %1, %0" : "=m"(v) : "i"(c) : "memory")
#define LOAD(v) \
	({ int r; __asm__ volatile("movl %1, %0" : "=r"(r) : "m"(v) \
				   : "memory"); r; })
#define MFENCE __asm__ volatile("mfence" : : : "memory")
#define LOCK \
	({ int stack; __asm__ volatile("lock; orl $0, %0" : "=m"(stack) : \
				       : "memory", "cc"); })
#define XCHG(v, c) \
	({ int r = c; __asm__ volatile("xchgl %0, %1" : "+r"(r), "+m"(v) : \
				       : "memory"); })
#define R0 result[thread][0]
#define R1 result[thread][1]

enum verdict { NEVER, MAY, MUST };

/* TEST(name, verdict, threads, code of the threads, outcome) */
#define TESTS \
	TEST("SB", MUST, 2, \
	     { STORE(x, 1); R0 = LOAD(y); }, { STORE(y, 1); R0 = LOAD(x); }, \
	     , , r[0][0] == 0 && r[1][0] == 0) \
	TEST("SB+mfences", NEVER, 2, \
	     { STORE(x, 1); MFENCE; R0 = LOAD(y); }, \
	     { STORE(y, 1); MFENCE; R0 = LOAD(x); }, \
	     , , r[0][0] == 0 && r[1][0] == 0) \
	TEST("SB+locks", NEVER, 2, \
	     { STORE(x, 1); LOCK; R0 = LOAD(y); }, \
	     { STORE(y, 1); LOCK; R0 = LOAD(x); }, \
	     , , r[0][0] == 0 && r[1][0] == 0) \
	TEST("SB+xchgs", NEVER, 2, \
	     { XCHG(x, 1); R0 = LOAD(y); }, { XCHG(y, 1); R0 = LOAD(x); }, \
	     , , r[0][0] == 0 && r[1][0] == 0) \
	TEST("SB+mfence+po", MAY, 2, \
	     { STORE(x, 1); MFENCE; R0 = LOAD(y); }, \
	     { STORE(y, 1); R0 = LOAD(x); }, \
	     , , r[0][0] == 0 && r[1][0] == 0) \
	TEST("SB+rfis", MUST, 2, \
	     { STORE(x, 1); R1 = LOAD(x); R0 = LOAD(y); }, \
	     { STORE(y, 1); R1 = LOAD(y); R0 = LOAD(x); }, \
	     , , r[0][0] == 0 && r[1][0] == 0 && r[0][1] && r[1][1]) \
	TEST("MP", NEVER, 2, \
	     { STORE(x, 1); STORE(y, 1); }, { R0 = LOAD(y); R1 = LOAD(x); }, \
	     , , r[1][0] == 1 && r[1][1] == 0) \
	TEST("MP+xchg", NEVER, 2, \
	     { STORE(x, 1); XCHG(y, 1); }, { R0 = LOAD(y); R1 = LOAD(x); }, \
	     , , r[1][0] == 1 && r[1][1] == 0) \
	TEST("LB", NEVER, 2, \
	     { R0 = LOAD(x); STORE(y, 1); }, { R0 = LOAD(y); STORE(x, 1); }, \
	     , , r[0][0] == 1 && r[1][0] == 1) \
	TEST("S", NEVER, 2, \
	     { STORE(x, 2); STORE(y, 1); }, { R0 = LOAD(y); STORE(x, 1); }, \
	     , , r[1][0] == 1 && x == 2) \
	TEST("R", MUST, 2, \
	     { STORE(x, 1); STORE(y, 1); }, { STORE(y, 2); R0 = LOAD(x); }, \
	     , , r[1][0] == 0 && y == 2) \
	TEST("R+po+mfence", NEVER, 2, \
	     { STORE(x, 1); STORE(y, 1); }, \
	     { STORE(y, 2); MFENCE; R0 = LOAD(x); }, \
	     , , r[1][0] == 0 && y == 2) \
	TEST("2+2W", NEVER, 2, \
	     { STORE(x, 1); STORE(y, 2); }, { STORE(y, 1); STORE(x, 2); }, \
	     , , x == 1 && y == 1) \
	TEST("n5", NEVER, 2, \
	     { STORE(x, 1); R0 = LOAD(x); }, { STORE(x, 2); R0 = LOAD(x); }, \
	     , , r[0][0] == 2 && r[1][0] == 1) \
	TEST("n6", MAY, 2, \
	     { STORE(x, 1); R0 = LOAD(x); R1 = LOAD(y); }, \
	     { STORE(y, 1); STORE(x, 2); }, \
	     , , r[0][0] == 1 && r[0][1] == 0 && x == 1) \
	TEST("CoRR", NEVER, 2, \
	     { STORE(x, 1); }, { R0 = LOAD(x); R1 = LOAD(x); }, \
	     , , r[1][0] == 1 && r[1][1] == 0) \
	TEST("WRC", NEVER, 3, \
	     { STORE(x, 1); }, { R0 = LOAD(x); STORE(y, 1); }, \
	     { R0 = LOAD(y); R1 = LOAD(x); }, , \
	     r[1][0] == 1 && r[2][0] == 1 && r[2][1] == 0) \
	TEST("IRIW", NEVER, 4, \
	     { STORE(x, 1); }, { STORE(y, 1); }, \
	     { R0 = LOAD(x); R1 = LOAD(y); }, \
	     { R0 = LOAD(y); R1 = LOAD(x); }, \
	     r[2][0] == 1 && r[2][1] == 0 && r[3][0] == 1 && r[3][1] == 0)

#define TEST(name, verdict, threads, a, b, c, d, outcome) \
	{ name, verdict, threads },
static const struct {
	const char *name;
	enum verdict verdict;
	int threads;
} tests[] = { TESTS };
#undef TEST
enum { COUNT = sizeof tests / sizeof tests[0] };

static void act(int test, int thread)
{
	int number = 0;

#define TEST(name, verdict, threads, a, b, c, d, outcome) \
	if (test == number++) { \
		if (thread == 0) { a; } \
		else if (thread == 1) { b; } \
		else if (thread == 2) { c; } \
		else { d; } \
		return; \
	}
	TESTS
#undef TEST
}

static int outcome(int test)
{
	const int (*r)[2] = (void *)result;
	int number = 0;

#define TEST(name, verdict, threads, a, b, c, d, outcome) \
	if (test == number++) \
		return outcome;
	TESTS
#undef TEST
	return 0;
}

/* All of a test's threads wait for one another. */
static struct {
	_Alignas(LINE) _Atomic unsigned arrived, gone;
} meeting[COUNT];

static void meet(int test, unsigned turn)
{
	if (atomic_fetch_add(&meeting[test].arrived, 1) + 1 ==
	    (unsigned)tests[test].threads * turn)
		atomic_store(&meeting[test].gone, turn);
	while (atomic_load_explicit(&meeting[test].gone,
				    memory_order_acquire) < turn)
		;
}

static void wait(unsigned turns)
{
	while (turns--)
		__asm__ volatile("");
}

static void run(int thread)
{
	unsigned random = seed * 97 + (unsigned)thread * 31, seen;

	for (int test = 0; test < COUNT; test++) {
		if (thread >= tests[test].threads)
			continue;
		seen = 0;
		for (unsigned i = 0; i < runs; i++) {
			unsigned skew;

			random = random * 1664525 + 1013904223;
			skew = random >> 24;
			meet(test, 2 * i + 1);
			wait(skew);
			act(test, thread);
			/* The meeting's locked operation drains the store
			 * buffer. */
			wait(200);
			meet(test, 2 * i + 2);
			if (thread)
				continue;
			seen += (unsigned)outcome(test);
			x = y = 0;
		}
		if (thread)
			continue;
		printf("%s %s %u of %u\n", tests[test].name,
		       (const char *[]){ "never", "may", "must" }
			       [tests[test].verdict], seen, runs);
	}
}

static void *other(void *argument)
{
	run((int)(intptr_t)argument);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	runs = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
	seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	for (intptr_t i = 1; i < THREADS; i++)
		pthread_create(&thread[i], NULL, other, (void *)i);
	run(0);
	for (int i = 1; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
