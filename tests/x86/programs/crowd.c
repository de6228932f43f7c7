/* Sixty-four threads and everything POSIX gives them: mutexes of all kinds,
 * condition variables, read-write locks, barriers, semaphores, spin locks,
 * thread-local storage, cancellation, keys, once, timed waits, atomics, malloc
 * from all at once. Output does not depend on who runs first. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 64 };

static pthread_barrier_t barrier;

static void all(const char *name, void *(*body)(void *))
{
	pthread_t thread[THREADS];
	pthread_attr_t attributes;
	long total = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + (32 << 10));
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], i % 2 ? &attributes : NULL,
				   body, (void *)i)) {
			printf("%s: cannot create\n", name);
			exit(1);
		}
	for (int i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(thread[i], &result);
		total += (long)result;
	}
	pthread_barrier_destroy(&barrier);
	printf("%s: %ld\n", name, total);
}

/* ---- Mutexes ---- */

static pthread_mutex_t mutex[4];
static long counter[4];
static pthread_spinlock_t spin;

static void *lockers(void *number)
{
	long mine = (long)number;

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 200; i++) {
		int which = (int)(mine + i) % 4;

		while (i % 3 == 0 && pthread_mutex_trylock(&mutex[which]))
			sched_yield();
		if (i % 3)
			pthread_mutex_lock(&mutex[which]);
		counter[which]++;
		if (which == 1) { /* recursive */
			pthread_mutex_lock(&mutex[which]);
			counter[which]++;
			pthread_mutex_unlock(&mutex[which]);
		}
		if (which == 2 && /* checks errors */
		    pthread_mutex_lock(&mutex[which]) != EDEADLK)
			counter[which] += 1000000;
		pthread_mutex_unlock(&mutex[which]);
		pthread_spin_lock(&spin);
		counter[0] += 0;
		pthread_spin_unlock(&spin);
	}
	return (void *)1;
}

static void mutexes(void)
{
	int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
			PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP };

	for (int i = 0; i < 4; i++) {
		pthread_mutexattr_t attributes;

		pthread_mutexattr_init(&attributes);
		pthread_mutexattr_settype(&attributes, types[i]);
		pthread_mutex_init(&mutex[i], &attributes);
	}
	pthread_spin_init(&spin, 0);
	all("mutexes", lockers);
	printf("  %ld %ld %ld %ld\n", counter[0], counter[1], counter[2],
	       counter[3]);
}

/* ---- A queue ---- */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	long items[8];
	int count, left;
} queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
	    PTHREAD_COND_INITIALIZER, { 0 }, 0, THREADS / 2 };

static void *traders(void *number)
{
	long mine = (long)number, sum = 0;

	if (mine % 2) {
		for (long i = 0; i < 100; i++) {
			pthread_mutex_lock(&queue.lock);
			while (queue.count == 8)
				pthread_cond_wait(&queue.not_full,
						  &queue.lock);
			queue.items[queue.count++] = mine * 1000 + i;
			pthread_cond_signal(&queue.not_empty);
			pthread_mutex_unlock(&queue.lock);
		}
		pthread_mutex_lock(&queue.lock);
		if (!--queue.left)
			pthread_cond_broadcast(&queue.not_empty);
		pthread_mutex_unlock(&queue.lock);
		return NULL;
	}
	pthread_mutex_lock(&queue.lock);
	for (;;) {
		while (!queue.count && queue.left)
			pthread_cond_wait(&queue.not_empty, &queue.lock);
		if (!queue.count)
			break;
		sum += queue.items[--queue.count];
		pthread_cond_signal(&queue.not_full);
	}
	pthread_mutex_unlock(&queue.lock);
	return (void *)sum;
}

/* ---- Readers and writers, semaphores, TLS, malloc ---- */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static long table[16];

static void *readers(void *number)
{
	long mine = (long)number, torn = 0;

	for (int i = 0; i < 100; i++) {
		if ((mine + i) % 8 == 0) {
			pthread_rwlock_wrlock(&rwlock);
			for (int j = 0; j < 16; j++)
				table[j]++;
			pthread_rwlock_unlock(&rwlock);
			continue;
		}
		pthread_rwlock_rdlock(&rwlock);
		for (int j = 1; j < 16; j++)
			torn += table[j] != table[0];
		pthread_rwlock_unlock(&rwlock);
	}
	return (void *)(torn * 1000000);
}

static sem_t slots;
static atomic_int inside, most;

static void *limited(void *number)
{
	(void)number;
	for (int i = 0; i < 30; i++) {
		int now;

		sem_wait(&slots);
		now = ++inside;
		for (int seen = most; now > seen;)
			if (atomic_compare_exchange_weak(&most, &seen, now))
				break;
		sched_yield();
		inside--;
		sem_post(&slots);
	}
	return (void *)1;
}

static __thread long local = 5;
static __thread char block[1000];
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int destroyed, initialised;

static void destroy(void *value)
{
	destroyed++;
	free(value);
}

static void initialise(void)
{
	initialised++;
	pthread_key_create(&key, destroy);
}

static void *locals(void *number)
{
	long mine = (long)number;

	pthread_once(&once, initialise);
	pthread_setspecific(key, malloc(10));
	for (int i = 0; i < 100; i++) {
		local += mine;
		block[i * 10] = (char)mine;
		if (i % 10 == 0)
			sched_yield();
		errno = (int)mine;
	}
	if (errno != (int)mine)
		return (void *)100000000;
	return (void *)(local + block[990]);
}

static void *allocators(void *number)
{
	uint32_t state = (uint32_t)(long)number + 1;
	char *kept[50] = { 0 };
	long bad = 0;

	for (int i = 0; i < 1000; i++) {
		int at = (int)(state >> 16) % 50;
		size_t size = (state >> 8) % 3000 + 1;

		state = state * 1664525 + 1013904223;
		if (kept[at] && kept[at][0] != (char)(long)number)
			bad++;
		free(kept[at]);
		kept[at] = malloc(size);
		memset(kept[at], (int)(long)number, size);
	}
	for (int i = 0; i < 50; i++)
		free(kept[i]);
	return (void *)bad;
}

/* ---- Cancellation and timed waits ---- */

static void on_cancel(void *number)
{
	atomic_int *cleaned = number;

	++*cleaned;
}

static atomic_int cleaned;

static void *sleeper(void *number)
{
	pthread_cleanup_push(on_cancel, &cleaned);
	if ((long)number % 3 == 0) {
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
		for (;;)
			;
	}
	if ((long)number % 3 == 1)
		sleep(1000);
	sem_wait(&slots); /* nobody posts */
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancellation(void)
{
	pthread_t thread[THREADS];
	int cancelled = 0;

	sem_init(&slots, 0, 0);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, sleeper, (void *)i);
	usleep(1000);
	for (int i = 0; i < THREADS; i++) {
		void *result;

		pthread_cancel(thread[i]);
		pthread_join(thread[i], &result);
		cancelled += result == PTHREAD_CANCELED;
	}
	/* One cancelled before it began has nothing to clean up. */
	printf("cancelled %d, cleaned %d\n", cancelled, cleaned > 0);
}

static void *timed(void *number)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until;
	int result;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 1000000 + (long)number * 10000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&lock);
	result = pthread_cond_timedwait(&never, &lock, &until);
	pthread_mutex_unlock(&lock);
	if (result != ETIMEDOUT)
		return (void *)100000;
	result = sem_timedwait(&slots, &until);
	return (void *)(long)(result == -1 && errno == ETIMEDOUT);
}

/* ---- Atomics ---- */

static _Atomic uint64_t wide;
static atomic_uint narrow;
static _Atomic uint8_t tiny;

static void *atomics(void *number)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 500; i++) {
		uint64_t seen = wide;

		while (!atomic_compare_exchange_weak(
			&wide, &seen, seen + 0x100000001u))
			;
		atomic_fetch_add(&narrow, (unsigned)(long)number);
		atomic_fetch_xor(&tiny, (uint8_t)(1 << i % 8));
	}
	return NULL;
}

/* ---- Shared between processes ---- */

static void robust(void)
{
	struct shared { pthread_mutex_t lock; int value; } *shared;
	pthread_mutexattr_t attributes;
	int result, status;

	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&shared->lock, &attributes);
	fflush(stdout);
	if (!fork()) {
		pthread_mutex_lock(&shared->lock);
		shared->value = 42;
		_exit(0);
	}
	wait(&status);
	result = pthread_mutex_lock(&shared->lock);
	printf("robust %d %d", result == EOWNERDEAD, shared->value);
	pthread_mutex_consistent(&shared->lock);
	pthread_mutex_unlock(&shared->lock);
	printf(" %d\n", pthread_mutex_lock(&shared->lock));
}

int main(void)
{
	mutexes();
	all("queue", traders);
	all("readers and writers", readers);
	sem_init(&slots, 0, 5);
	all("semaphore", limited);
	printf("  at most 5 inside: %d\n", most <= 5 && most > 0);
	all("locals", locals);
	printf("  keys %d %d\n", destroyed, initialised);
	all("allocators", allocators);
	all("atomics", atomics);
	printf("  %llx %u %u\n", (unsigned long long)wide, narrow, tiny);
	cancellation();
	all("timed waits", timed);
	robust();
	return 11;
}
