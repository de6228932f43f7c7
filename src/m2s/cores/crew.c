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

/* Turns before a thread without jobs takes those of another, which then has not
 * got a processor for that long: what a job works on is in the other's cache. */
enum { PATIENCE = 1000 };

struct crew {
	unsigned threads;    /* the caller's included */
	struct helper {
		struct crew *crew;
		unsigned number;
		pthread_t thread;
	} *helper;
	/* What is to be done; written by the caller when nobody works. */
	void (*job)(void *owner, unsigned n);
	void *owner;
	/* The number of the task above, of its jobs below; and jobs that are
	 * done. */
	alignas(128) _Atomic uint64_t task;
	alignas(128) _Atomic unsigned done;
	alignas(128) _Atomic unsigned sleepers;
	_Atomic bool quit;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	/* For each job the last task in which somebody has taken it. A late helper
	 * finds that its task's are all taken. */
	struct {
		alignas(64) _Atomic uint64_t task;
	} taken[CREW_JOBS];
};

enum { COUNT_BITS = 16 };

static uint64_t number_of(uint64_t task)
{
	return task >> COUNT_BITS;
}

static unsigned count_of(uint64_t task)
{
	return task & ((1u << COUNT_BITS) - 1);
}

static void take(struct crew *crew, uint64_t task, unsigned n)
{
	uint64_t last = atomic_load(&crew->taken[n].task);

	if (last >= number_of(task) ||
	    !atomic_compare_exchange_strong(&crew->taken[n].task, &last,
					    number_of(task)))
		return;
	crew->job(crew->owner, n);
	atomic_fetch_add(&crew->done, 1);
}

/* A thread's own jobs. */
static void work(struct crew *crew, uint64_t task, unsigned thread)
{
	for (unsigned n = thread; n < count_of(task); n += crew->threads)
		take(crew, task, n);
}

static void work_for_others(struct crew *crew, uint64_t task)
{
	for (unsigned n = 0; n < count_of(task); n++)
		take(crew, task, n);
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
	while (number_of(atomic_load(&crew->task)) == last &&
	       !atomic_load(&crew->quit))
		pthread_cond_wait(&crew->wake, &crew->mutex);
	atomic_fetch_sub(&crew->sleepers, 1);
	pthread_mutex_unlock(&crew->mutex);
}

static void *help(void *owner)
{
	struct helper *helper = owner;
	struct crew *crew = helper->crew;
	uint64_t last = 0, task;

	while (!atomic_load(&crew->quit)) {
		unsigned turn = 0;

		while (number_of(atomic_load(&crew->task)) == last &&
		       turn < YIELDS && !atomic_load(&crew->quit))
			wait_turn(turn++);
		if (turn == YIELDS)
			sleep_until_task(crew, last);
		task = atomic_load(&crew->task);
		last = number_of(task);
		work(crew, task, helper->number);
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
	uint64_t number = number_of(atomic_load(&crew->task)) + 1;
	uint64_t task = number << COUNT_BITS | count;

	crew->job = job;
	crew->owner = owner;
	atomic_store(&crew->done, 0);
	/* Last: then they may begin. */
	atomic_store(&crew->task, task);
	if (atomic_load(&crew->sleepers))
		wake_all(crew);
	work(crew, task, 0);
	for (unsigned turn = 0; atomic_load(&crew->done) != count; turn++) {
		if (turn == PATIENCE)
			work_for_others(crew, task);
		wait_turn(turn);
	}
}

struct crew *crew_create(unsigned threads)
{
	struct crew *crew = xcalloc_aligned(sizeof *crew);
	sigset_t some, before;

	pthread_mutex_init(&crew->mutex, NULL);
	pthread_cond_init(&crew->wake, NULL);
	crew->helper = xcalloc(threads, sizeof *crew->helper);
	crew->threads = 1;
	/* Signals are the main thread's, but for those that a guest's access
	 * raises (memsys/space/host-fault.h). */
	sigfillset(&some);
	sigdelset(&some, SIGSEGV);
	sigdelset(&some, SIGBUS);
	sigdelset(&some, SIGFPE);
	pthread_sigmask(SIG_SETMASK, &some, &before);
	for (unsigned i = 1; i < threads; i++) {
		struct helper *helper = &crew->helper[i];

		*helper = (struct helper){ .crew = crew, .number = i };
		if (pthread_create(&helper->thread, NULL, help, helper))
			break;
		crew->threads++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return crew;
}

void crew_free(struct crew *crew)
{
	if (!crew)
		return;
	atomic_store(&crew->quit, true);
	wake_all(crew);
	for (unsigned i = 1; i < crew->threads; i++)
		pthread_join(crew->helper[i].thread, NULL);
	pthread_cond_destroy(&crew->wake);
	pthread_mutex_destroy(&crew->mutex);
	free(crew->helper);
	free(crew);
}
