#include "x86/timing/study/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

struct study_workers {
	void *owner;
	void (*task)(void *owner, size_t number);
	size_t count;
	atomic_size_t next;
	bool over;
	pthread_barrier_t begin, end;
	unsigned thread_count;
	pthread_t *threads; /* from 1 on; NULL when there are none */
};

static void do_tasks(struct study_workers *workers)
{
	size_t number;

	while ((number = atomic_fetch_add(&workers->next, 1)) < workers->count)
		workers->task(workers->owner, number);
}

static void *work(void *argument)
{
	struct study_workers *workers = argument;

	for (;;) {
		pthread_barrier_wait(&workers->begin);
		if (workers->over)
			return NULL;
		do_tasks(workers);
		pthread_barrier_wait(&workers->end);
	}
}

void study_workers_do(struct study_workers *workers, size_t count,
		      void (*task)(void *owner, size_t number))
{
	workers->task = task;
	workers->count = count;
	atomic_store(&workers->next, 0);
	if (!workers->threads) {
		do_tasks(workers);
		return;
	}
	pthread_barrier_wait(&workers->begin);
	do_tasks(workers);
	pthread_barrier_wait(&workers->end);
}

struct study_workers *study_workers_create(unsigned threads, void *owner)
{
	struct study_workers *workers = xcalloc(1, sizeof *workers);

	workers->owner = owner;
	workers->thread_count = threads;
	if (threads < 2)
		return workers;
	workers->threads = xcalloc(threads, sizeof *workers->threads);
	pthread_barrier_init(&workers->begin, NULL, threads);
	pthread_barrier_init(&workers->end, NULL, threads);
	for (unsigned i = 1; i < threads; i++)
		if (pthread_create(&workers->threads[i], NULL, work, workers))
			abort(); /* no memory */
	return workers;
}

void study_workers_free(struct study_workers *workers)
{
	if (workers->threads) {
		workers->over = true;
		pthread_barrier_wait(&workers->begin);
		for (unsigned i = 1; i < workers->thread_count; i++)
			pthread_join(workers->threads[i], NULL);
		pthread_barrier_destroy(&workers->begin);
		pthread_barrier_destroy(&workers->end);
		free(workers->threads);
	}
	free(workers);
}
