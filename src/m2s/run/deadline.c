#include "m2s/run/deadline.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The interval at which calls are interrupted once the time is over, since a
 * call may begin just behind a signal. */
enum { AGAIN_MS = 200 };

/* A signal handler has no other way to say something. */
static volatile sig_atomic_t passed;
static timer_t timer;
static bool started;

static void note(int signal)
{
	(void)signal;
	passed = true;
}

int deadline_start(unsigned long seconds, struct error *error)
{
	struct sigaction action = { .sa_handler = note };
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = DEADLINE_SIGNAL,
	};
	struct itimerspec times = {
		{ .tv_nsec = AGAIN_MS * 1000000 },
		{ .tv_sec = seconds > INT_MAX ? INT_MAX : (time_t)seconds },
	};

	event._sigev_un._tid = gettid();
	passed = false;
	sigaction(DEADLINE_SIGNAL, &action, NULL); /* without SA_RESTART */
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &times, NULL))
		return error_set(error, "--max-time: cannot make a timer: %s",
				 strerror(errno));
	started = true;
	return 0;
}

bool deadline_passed(void)
{
	return passed;
}

void deadline_end(void)
{
	if (started)
		timer_delete(timer);
	started = false;
}
