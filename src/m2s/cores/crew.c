#include "m2s/cores/crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

/* Turns of waiting before a thread gives its processor to others, and before it
 * sleeps: jobs come every few microseconds, or not for long. */
enum { SPINS = 2000, YIELDS = 4000 };

struct crew {
	unsigned helpers;
	pthread_t *thread;
	/* What is to be done; written by the caller when nobody works. */
	void (*job)(void *owner, unsigned n);
	void *owner;
	unsigned count;
	/* The number of the task above, the next job below; and jobs that are
	 * done. The task makes sure that a late helper takes none of the next
	 * task's jobs by what it knows of the last one. */
	alignas(128) _Atomic uint64_t next;
	alignas(128) _Atomic unsigned done;
	alignas(128) _Atomic unsigned sleepers;
	_Atomic bool quit;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
};

enum { TASK_SHIFT = 32 };

static uint64_t task_of(uint64_t next)
{
	return next >> TASK_SHIFT;
}

/* Takes jobs of the present task as long as there are any. */
static void work(struct crew *crew)
{
	uint64_t next = atomic_load(&crew->next);

	while ((uint32_t)next) {
		unsigned n = (uint32_t)next - 1;

		/* What a failed exchange reads is of a task that is over. */
		if (!atomic_compare_exchange_weak(&crew->next, &next, next - 1))
			continue;
		crew->job(crew->owner, crew->count - 1 - n);
		atomic_fetch_add(&crew->done, 1);
		next = atomic_load(&crew->next);
	}
}

static void wait_turn(unsigned turn)
{
	if (turn >= SPINS)
		sched_yield();
#if defined(__x86_64__) || defined(__i386__)
	else
		__builtin_ia32_pause();
#endif
}

static void sleep_until_task(struct crew *crew, uint64_t last)
{
	pthread_mutex_lock(&crew->mutex);
	atomic_fetch_add(&crew->sleepers, 1);
	while (task_of(atomic_load(&crew->next)) == last &&
	       !atomic_load(&crew->quit))
		pthread_cond_wait(&crew->wake, &crew->mutex);
	atomic_fetch_sub(&crew->sleepers, 1);
	pthread_mutex_unlock(&crew->mutex);
}

static void *help(void *owner)
{
	struct crew *crew = owner;
	uint64_t last = 0;

	while (!atomic_load(&crew->quit)) {
		unsigned turn = 0;

		while (task_of(atomic_load(&crew->next)) == last &&
		       turn < YIELDS && !atomic_load(&crew->quit))
			wait_turn(turn++);
		if (turn == YIELDS)
			sleep_until_task(crew, last);
		last = task_of(atomic_load(&crew->next));
		work(crew);
	}
	return NULL;
}

static void wake_all(struct crew *crew)
{
	pthread_mutex_lock(&crew->mutex);
	pthread_cond_broadcast(&crew->wake);
	pthread_mutex_unlock(&crew->mutex);
}

void crew_do(struct crew *crew, unsigned count,
	     void (*job)(void *owner, unsigned n), void *owner)
{
	uint64_t task = task_of(atomic_load(&crew->next)) + 1;

	crew->job = job;
	crew->owner = owner;
	crew->count = count;
	atomic_store(&crew->done, 0);
	/* Last: then they may begin. */
	atomic_store(&crew->next, task << TASK_SHIFT | count);
	if (atomic_load(&crew->sleepers))
		wake_all(crew);
	work(crew);
	for (unsigned turn = 0; atomic_load(&crew->done) != count; turn++)
		wait_turn(turn);
}

struct crew *crew_create(unsigned threads)
{
	struct crew *crew = xcalloc_aligned(sizeof *crew);
	sigset_t some, before;

	pthread_mutex_init(&crew->mutex, NULL);
	pthread_cond_init(&crew->wake, NULL);
	crew->thread = xcalloc(threads, sizeof *crew->thread);
	/* Signals are the main thread's, but for those that a guest's access
	 * raises (memsys/space/host-fault.h). */
	sigfillset(&some);
	sigdelset(&some, SIGSEGV);
	sigdelset(&some, SIGBUS);
	sigdelset(&some, SIGFPE);
	pthread_sigmask(SIG_SETMASK, &some, &before);
	while (crew->helpers + 1 < threads &&
	       !pthread_create(&crew->thread[crew->helpers], NULL, help, crew))
		crew->helpers++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return crew;
}

void crew_free(struct crew *crew)
{
	if (!crew)
		return;
	atomic_store(&crew->quit, true);
	wake_all(crew);
	for (unsigned i = 0; i < crew->helpers; i++)
		pthread_join(crew->thread[i], NULL);
	pthread_cond_destroy(&crew->wake);
	pthread_mutex_destroy(&crew->mutex);
	free(crew->thread);
	free(crew);
}
