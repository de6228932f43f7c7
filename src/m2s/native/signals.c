#include "m2s/native/signals.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

/* Those that end a program by default, but for SIGKILL, and SIGUSR1 and the
 * like, which are rare without a handler. */
static const int ending[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGPIPE, SIGXCPU, SIGXFSZ,
	SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS,
};

/* Seconds for the reports. The signal may have come while this thread held a
 * lock of the C library that writing them needs. */
enum { PATIENCE = 10 };

/* A signal handler has no other way to tell something. */
static atomic_int taken;
static atomic_bool late; /* --max-time is over */
static sem_t wake;
static bool started;
static uint64_t limit;
static void (*end_run)(int signal), (*end_crashed)(int signal);

_Thread_local volatile int native_requests
	__attribute__((tls_model("initial-exec")));

static bool is_fault(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGFPE ||
	       number == SIGILL || number == SIGSYS || number == SIGABRT;
}

void native_signals_die(int number)
{
	sigset_t one;

	signal(number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, number);
	kill(getpid(), number);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	for (;;)
		pause();
}

/* The program stands still here until the watching thread has ended it. */
static void wait_for_end(int number)
{
	const struct timespec patience = { .tv_sec = PATIENCE };
	struct timespec left = patience;

	while (nanosleep(&left, &left) && errno == EINTR)
		continue;
	native_signals_die(number);
}

static void note(int number)
{
	int before = errno, none = 0;

	/* The second one is for whoever does not want to wait. */
	if (!atomic_compare_exchange_strong(&taken, &none, number))
		native_signals_die(number);
	/* A fault in a request would come again. It may have come where the C
	 * library holds a lock: then the alarm ends the process. */
	if (native_requests && is_fault(number)) {
		signal(SIGALRM, SIG_DFL);
		alarm(PATIENCE);
		end_crashed(number);
		native_signals_die(number);
	}
	sem_post(&wake);
	if (!native_requests)
		wait_for_end(number);
	errno = before;
}

static void *watch(void *unused)
{
	struct timespec until;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)limit;
	while (!taken && !late) {
		if (!limit)
			sem_wait(&wake);
		else if (sem_clockwait(&wake, CLOCK_MONOTONIC, &until) &&
			 errno == ETIMEDOUT)
			late = true;
	}
	end_run(taken);
	return NULL;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = note }, before;

	/* No other signal meanwhile but those of a user who is impatient. */
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigdelset(&action.sa_mask, ending[i]);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (!sigaction(ending[i], NULL, &before) &&
		    !(before.sa_flags & SA_SIGINFO) &&
		    before.sa_handler == SIG_DFL)
			sigaction(ending[i], &action, NULL);
}

void native_signals_start(uint64_t seconds, void (*end)(int signal),
			  void (*crash)(int signal))
{
	sigset_t all, before;
	pthread_t thread;

	end_run = end;
	end_crashed = crash;
	limit = seconds < INT32_MAX ? seconds : INT32_MAX;
	sem_init(&wake, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = !pthread_create(&thread, NULL, watch, NULL);
	if (started)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started)
		catch_signals();
}

const char *native_signals_reason(void)
{
	return taken ? "Signal" : late ? "MaxTime" : NULL;
}

void native_signals_forked(void)
{
	struct sigaction now;

	for (size_t i = 0; started && i < ARRAY_SIZE(ending); i++)
		if (!sigaction(ending[i], NULL, &now) && now.sa_handler == note)
			signal(ending[i], SIG_DFL);
	started = false;
	taken = 0;
	late = false;
}
