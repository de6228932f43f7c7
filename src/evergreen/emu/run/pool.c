#include "evergreen/emu/run/pool.h"

#include <errno.h>
#include <immintrin.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"

/* Seconds that a thread looks for what it waits for before it sleeps: a
 * launch is often followed by another soon, and waking a thread takes longer
 * than a small launch. A helper that has worked for longer may look for longer,
 * a quarter of that time: so it never costs much more than it has done. */
static const double spin_least = 100e-6, spin_most = 2e-3, spin_share = 0.25;

struct evg_pool {
	pthread_mutex_t lock; /* of everything here that changes */
	pthread_cond_t wanted, done;
	pthread_t *threads;
	unsigned started, most;
	_Atomic unsigned pending; /* helpers still to begin */
	_Atomic unsigned running;
	_Atomic bool ending;
	/* The caller's processor, which helpers stay away from; -1: none. */
	int avoided;
	/* Each thread has a processor: then only other programs lose by it
	 * when one spins. */
	_Atomic bool has_processors;
	void (*work)(void *owner);
	void *owner;
};

static bool has_work(const struct evg_pool *pool)
{
	return pool->pending || pool->ending;
}

static bool is_idle(const struct evg_pool *pool)
{
	return !pool->running;
}

/* Without the lock, for a little while. */
static void spin(const struct evg_pool *pool, double seconds,
		 bool (*until)(const struct evg_pool *pool))
{
	enum { PAUSES = 16 };
	double end;

	if (!pool->has_processors || until(pool))
		return;
	end = host_seconds() + seconds;
	do {
		for (int i = 0; i < PAUSES && !until(pool); i++)
			_mm_pause();
	} while (!until(pool) && host_seconds() < end);
}

static void *helper(void *argument)
{
	struct evg_pool *pool = argument;
	double worked = 0;

	for (;;) {
		spin(pool, fmin(fmax(spin_share * worked, spin_least), spin_most),
		     has_work);
		pthread_mutex_lock(&pool->lock);
		while (!pool->ending && !pool->pending)
			pthread_cond_wait(&pool->wanted, &pool->lock);
		if (pool->ending)
			break;
		pool->pending--;
		pool->running++;
		pthread_mutex_unlock(&pool->lock);
		worked = -host_seconds();
		pool->work(pool->owner);
		worked += host_seconds();
		pthread_mutex_lock(&pool->lock);
		if (!--pool->running)
			pthread_cond_signal(&pool->done);
		pthread_mutex_unlock(&pool->lock);
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
	pool->avoided = -1;
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

/* The scheduler likes to wake a thread on the processor of the one that wakes
 * it, where it then waits for milliseconds. So helpers that have processors of
 * their own may use all of the caller's but the one it is on. */
static void move_away(struct evg_pool *pool, bool any_new)
{
	int here = sched_getcpu();
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set))
		return;
	pool->has_processors = (unsigned)CPU_COUNT(&set) > pool->most;
	if (!pool->has_processors)
		here = -1;
	if (here == pool->avoided && !any_new)
		return;
	if (here >= 0)
		CPU_CLR(here, &set);
	for (unsigned i = 0; i < pool->started; i++)
		pthread_setaffinity_np(pool->threads[i], sizeof set, &set);
	pool->avoided = here;
}

void evg_pool_start(struct evg_pool *pool, unsigned helpers,
		    void (*work)(void *owner), void *owner)
{
	unsigned started;

	if (helpers > pool->most)
		helpers = pool->most;
	if (!helpers)
		return;
	started = pool->started;
	start_threads(pool, helpers);
	move_away(pool, pool->started > started);
	pthread_mutex_lock(&pool->lock);
	pool->work = work;
	pool->owner = owner;
	helpers = helpers < pool->started ? helpers : pool->started;
	pool->pending = helpers;
	if (helpers == 1)
		pthread_cond_signal(&pool->wanted);
	else
		pthread_cond_broadcast(&pool->wanted);
	pthread_mutex_unlock(&pool->lock);
}

bool evg_pool_wait(struct evg_pool *pool, double seconds)
{
	struct timespec until;
	bool idle;

	pthread_mutex_lock(&pool->lock);
	pool->pending = 0;
	pthread_mutex_unlock(&pool->lock);
	spin(pool, spin_least, is_idle);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)(seconds * 1e9);
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&pool->lock);
	while (pool->running &&
	       pthread_cond_timedwait(&pool->done, &pool->lock, &until) !=
		       ETIMEDOUT)
		;
	idle = !pool->running;
	pthread_mutex_unlock(&pool->lock);
	return idle;
}
