#include "sim/turn.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

#include "base/memory.h"

struct turn {
	void (*work)(void *owner);
	void *owner;
	pthread_t thread;
	bool ended, free;  /* free: there is nothing to be done */
	sem_t own, caller; /* whose turn it is */
};

static void await_turn(sem_t *semaphore)
{
	while (sem_wait(semaphore) && errno == EINTR)
		;
}

static void *run(void *argument)
{
	struct turn *turn = argument;

	await_turn(&turn->own);
	if (!turn->free)
		turn->work(turn->owner);
	turn->ended = true;
	sem_post(&turn->caller);
	return NULL;
}

/* Signals from outside are the caller's; those that the work causes itself are
 * faults of guests' memory. */
static void outside_signals(sigset_t *set)
{
	sigfillset(set);
	sigdelset(set, SIGSEGV);
	sigdelset(set, SIGBUS);
	sigdelset(set, SIGFPE);
	sigdelset(set, SIGILL);
}

struct turn *turn_create(void (*work)(void *owner), void *owner)
{
	struct turn *turn = xcalloc(1, sizeof *turn);
	sigset_t outside, before;
	int status;

	turn->work = work;
	turn->owner = owner;
	sem_init(&turn->own, 0, 0);
	sem_init(&turn->caller, 0, 0);
	outside_signals(&outside);
	pthread_sigmask(SIG_BLOCK, &outside, &before);
	status = pthread_create(&turn->thread, NULL, run, turn);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!status)
		return turn;
	sem_destroy(&turn->own);
	sem_destroy(&turn->caller);
	free(turn);
	return NULL;
}

bool turn_go_on(struct turn *turn)
{
	sem_post(&turn->own);
	await_turn(&turn->caller);
	return turn->ended;
}

void turn_give_way(struct turn *turn)
{
	sem_post(&turn->caller);
	await_turn(&turn->own);
}

void turn_free(struct turn *turn)
{
	if (!turn)
		return;
	if (!turn->ended) {
		turn->free = true;
		turn_go_on(turn);
	}
	pthread_join(turn->thread, NULL);
	sem_destroy(&turn->own);
	sem_destroy(&turn->caller);
	free(turn);
}
