/* Calls that wait while the process is stopped and goes on: which are made
 * again, with what is left of their timeouts, and which fail. */
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct timespec quarter = { 0, 250000000 };

static int sleep_relative(void)
{
	return nanosleep(&quarter, NULL);
}

static int sleep_absolute(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static int poll_nothing(void)
{
	return poll(NULL, 0, 250);
}

static int ppoll_nothing(void)
{
	return ppoll(NULL, 0, &quarter, NULL);
}

static int select_nothing(void)
{
	struct timeval time = { 0, 250000 };

	return select(0, NULL, NULL, NULL, &time);
}

static int epoll_nothing(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_create1(0), &event, 1, 250);
}

static int semaphore(void)
{
	struct timespec until;
	sem_t none;

	sem_init(&none, 0, 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	return sem_timedwait(&none, &until);
}

static int wait_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return sigtimedwait(&set, NULL, &quarter);
}

static int read_pipe(void)
{
	char byte;
	int ends[2];

	if (pipe(ends))
		return 99;
	alarm(1);
	return read(ends[0], &byte, 1); /* for the alarm to end */
}

static int wait_for_signal(void)
{
	alarm(1);
	return pause();
}

static void try(const char *name, int (*call)(void))
{
	const struct timespec moment = { 0, 60000000 };
	int status, ready[2];
	char byte;
	pid_t child;

	fflush(stdout);
	if (pipe(ready))
		return;
	child = fork();
	if (!child) {
		int result;

		write(ready[1], "x", 1);
		errno = 0;
		result = call();
		printf("%s: %d, %s\n", name, result, strerror(errno));
		fflush(stdout);
		_exit(0);
	}
	setpgid(child, child);
	read(ready[0], &byte, 1);
	nanosleep(&moment, NULL);
	kill(child, SIGTSTP);
	waitpid(child, &status, WUNTRACED);
	printf("%s: stopped %d\n", name,
	       WIFSTOPPED(status) && WSTOPSIG(status) == SIGTSTP);
	fflush(stdout);
	kill(child, SIGCONT);
	waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		printf("%s: %s\n", name, strsignal(WTERMSIG(status)));
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	try("nanosleep", sleep_relative);
	try("clock_nanosleep", sleep_absolute);
	try("poll", poll_nothing);
	try("ppoll", ppoll_nothing);
	try("select", select_nothing);
	try("epoll_wait", epoll_nothing);
	try("sem_timedwait", semaphore);
	try("sigtimedwait", wait_signal);
	try("read", read_pipe);
	try("pause", wait_for_signal);
	return 0;
}
