#include "evergreen/emu/pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"

struct evg_pool {
	pthread_mutex_t lock; /* of everything here */
	pthread_cond_t wanted, done;
	pthread_t *threads;
	unsigned started, most;
	unsigned pending;     /* helpers still to begin */
	unsigned running;
	bool ending;
	void (*work)(void *owner);
	void *owner;
};

static void *helper(void *argument)
{
	struct evg_pool *pool = argument;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (!pool->ending && !pool->pending)
			pthread_cond_wait(&pool->wanted, &pool->lock);
		if (pool->ending)
			break;
		pool->pending--;
		pool->running++;
		pthread_mutex_unlock(&pool->lock);
		pool->work(pool->owner);
		pthread_mutex_lock(&pool->lock);
		if (!--pool->running)
			pthread_cond_signal(&pool->done);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct evg_pool *evg_pool_create(unsigned threads)
{
	struct evg_pool *pool = xcalloc(1, sizeof *pool);
	pthread_condattr_t monotonic;

	pool->most = threads > 1 ? threads - 1 : 0;
	pool->threads = xcalloc(pool->most + 1, sizeof *pool->threads);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->wanted, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->done, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return pool;
}

void evg_pool_free(struct evg_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->ending = true;
	pthread_cond_broadcast(&pool->wanted);
	pthread_mutex_unlock(&pool->lock);
	while (pool->started)
		pthread_join(pool->threads[--pool->started], NULL);
	pthread_cond_destroy(&pool->done);
	pthread_cond_destroy(&pool->wanted);
	pthread_mutex_destroy(&pool->lock);
	free(pool->threads);
	free(pool);
}

/* Signals are for the thread that owns the pool. */
static void start_threads(struct evg_pool *pool, unsigned count)
{
	sigset_t all, old;

	if (pool->started >= count)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (pool->started < count &&
	       !pthread_create(&pool->threads[pool->started], NULL, helper,
			       pool))
		pool->started++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void evg_pool_start(struct evg_pool *pool, unsigned helpers,
		    void (*work)(void *owner), void *owner)
{
	if (helpers > pool->most)
		helpers = pool->most;
	if (!helpers)
		return;
	start_threads(pool, helpers);
	pthread_mutex_lock(&pool->lock);
	pool->work = work;
	pool->owner = owner;
	pool->pending = helpers < pool->started ? helpers : pool->started;
	if (pool->pending == 1)
		pthread_cond_signal(&pool->wanted);
	else
		pthread_cond_broadcast(&pool->wanted);
	pthread_mutex_unlock(&pool->lock);
}

bool evg_pool_wait(struct evg_pool *pool, double seconds)
{
	struct timespec until;
	bool idle;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)(seconds * 1e9);
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&pool->lock);
	pool->pending = 0;
	while (pool->running &&
	       pthread_cond_timedwait(&pool->done, &pool->lock, &until) !=
		       ETIMEDOUT)
		;
	idle = !pool->running;
	pthread_mutex_unlock(&pool->lock);
	return idle;
}
