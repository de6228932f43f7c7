#include "m2s/run/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "m2s/run/deadline.h"

/* A second Ctrl-C within this time, in ms, is for the simulator. */
enum { AGAIN = 1000 };

/* The simulator's action for a signal that no program takes. */
enum effect { END, SHOW_STATE, STOP_SELF, NOTHING };

/* Not in the list: signals that report m2s's own faults and children, signals
 * that cannot be caught, and signals whose default action suits m2s as it suits
 * a program (SIGTTIN, SIGTTOU, SIGXCPU). Real-time signals end the
 * simulation. */
static const struct {
	int number;
	enum effect effect;
	/* Stays ignored where it was, for nohup(1). Shells ignore SIGINT for
	 * jobs in the background, which `kill -INT` should still reach. */
	bool may_be_ignored;
} signals[] = {
	{ SIGHUP, END, true },
	{ SIGINT, END, false },
	{ SIGQUIT, END, false },
	{ SIGTERM, END, false },
	{ SIGUSR1, SHOW_STATE, true },
	{ SIGUSR2, END, true },
	{ SIGALRM, END, true },
	{ SIGVTALRM, END, true },
	{ SIGPROF, END, true },
	{ SIGIO, END, true },
	{ SIGPWR, END, true },
	{ SIGTSTP, STOP_SELF, true },
	{ SIGCONT, NOTHING, true },
	{ SIGURG, NOTHING, true },
	{ SIGWINCH, NOTHING, true },
};

/* A slot per signal, for one that waits: Linux does not count waiting standard
 * signals either. Signal handlers have no other way to tell something. */
enum { EMPTY, FILLING, FULL };
static struct {
	atomic_int state;
	struct linux_outside_signal signal;
} waiting[65];
static atomic_bool any;
static volatile sig_atomic_t ended_by;

static int64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Counts Ctrl-C. The second one within a second ends the simulation, whatever
 * the program does with it; the next one ends the simulation at once. */
static void count_interrupt(void)
{
	static _Atomic int64_t last = INT64_MIN / 2;
	int64_t now = milliseconds();

	if (ended_by)
		_Exit(128 + SIGINT);
	if (now - last < AGAIN)
		ended_by = SIGINT;
	last = now;
}

static void note(int number, siginfo_t *information, void *context)
{
	int empty = EMPTY;

	(void)context;
	if (number == SIGINT)
		count_interrupt();
	if (!atomic_compare_exchange_strong(&waiting[number].state, &empty,
					    FILLING))
		return;
	waiting[number].signal = (struct linux_outside_signal){
		.number = number,
		.from_terminal = information->si_code == SI_KERNEL,
		.code = information->si_code,
		.pid = information->si_pid,
		.uid = (int)information->si_uid,
		.value = (uint64_t)(uintptr_t)information->si_value.sival_ptr,
	};
	waiting[number].state = FULL;
	any = true;
}

static void install(int number, bool may_be_ignored)
{
	struct sigaction action = { .sa_sigaction = note,
				    .sa_flags = SA_SIGINFO }, before;

	if (!may_be_ignored || sigaction(number, NULL, &before) ||
	    before.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

void interrupt_install(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		install(signals[i].number, signals[i].may_be_ignored);
	for (int number = SIGRTMIN; number < DEADLINE_SIGNAL; number++)
		install(number, true);
}

static enum effect effect_of(int number)
{
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (signals[i].number == number)
			return signals[i].effect;
	return END;
}

/* Acts on a signal that no program takes. */
static void act(int number, bool *show_state)
{
	switch (effect_of(number)) {
	case END:
		if (!ended_by)
			ended_by = number;
		break;
	case SHOW_STATE:
		*show_state = true;
		break;
	case STOP_SELF:
		raise(SIGSTOP);
		break;
	case NOTHING:
		break;
	}
}

/* Handles one signal. A signal for programs goes on waiting while they cannot
 * take it. */
static void handle(struct linux_system *guest, int number, bool deliver,
		   bool *show_state)
{
	struct linux_outside_signal signal = waiting[number].signal;
	bool ends = linux_signal_ends_program(guest, &signal);

	if (!ends && !deliver) {
		any = true;
		return;
	}
	waiting[number].state = EMPTY;
	if (ends)
		act(number, show_state);
	else
		linux_send_signal(guest, &signal);
}

int interrupt_handle(struct linux_system *guest, bool deliver, bool *show_state)
{
	if (any) {
		any = false;
		for (int i = 1; i < (int)ARRAY_SIZE(waiting); i++)
			if (waiting[i].state == FULL)
				handle(guest, i, deliver, show_state);
	}
	return ended_by;
}

int interrupt_signal(void)
{
	return ended_by;
}
