/* Threads: mutexes, conditions, barriers, thread-local data, semaphores. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 2000, ITEMS = 3000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static long counter, total;
static atomic_long atomic_counter;
static __thread long mine = 5;
static int queue[16], used;
static pthread_key_t key;
static atomic_int destroyed;

static void *count(void *argument)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
		atomic_fetch_add(&atomic_counter, 3);
		mine++;
		if (i % 500 == 0)
			pthread_barrier_wait(&barrier);
	}
	pthread_rwlock_wrlock(&shared);
	total += mine;
	pthread_rwlock_unlock(&shared);
	return (void *)((intptr_t)argument * 2);
}

static void *produce(void *argument)
{
	(void)argument;
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&lock);
		while (used == 16)
			pthread_cond_wait(&emptied, &lock);
		queue[used++] = i;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *consume(void *argument)
{
	long sum = 0;

	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&lock);
		while (!used)
			pthread_cond_wait(&filled, &lock);
		sum += queue[--used];
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&lock);
	}
	*(long *)argument = sum;
	return NULL;
}

static void destroy(void *value)
{
	(void)value;
	destroyed++;
}

static void *with_key(void *argument)
{
	pthread_setspecific(key, argument);
	sem_wait(&semaphore);
	return NULL;
}

static void *endless(void *argument)
{
	(void)argument;
	for (;;)
		pause();
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS], one, two;
	struct timespec limit;
	long sum = 0, result = 0;
	void *value;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(thread + i, NULL, count, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &value);
		result += (intptr_t)value;
	}
	printf("%ld %ld %ld %ld %ld\n", counter, (long)atomic_counter, total,
	       mine, result);
	pthread_create(&one, NULL, produce, NULL);
	pthread_create(&two, NULL, consume, &sum);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	printf("consumed %ld\n", sum);
	pthread_key_create(&key, destroy);
	sem_init(&semaphore, 0, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_create(thread + i, NULL, with_key, &key);
	for (int i = 0; i < THREADS; i++)
		sem_post(&semaphore);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("destroyed %d\n", destroyed);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_nsec += 20000000;
	if (limit.tv_nsec >= 1000000000) {
		limit.tv_sec++;
		limit.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&lock);
	printf("timed wait %s\n",
	       pthread_cond_timedwait(&filled, &lock, &limit) == ETIMEDOUT
		       ? "timed out"
		       : "ended");
	pthread_mutex_unlock(&lock);
	pthread_create(&one, NULL, endless, NULL);
	usleep(1000);
	pthread_cancel(one);
	pthread_join(one, &value);
	printf("canceled %d\n", value == PTHREAD_CANCELED);
	/* Threads that still run end with the program. */
	pthread_create(&two, NULL, endless, NULL);
	return 11;
}
