/* What gdb and strace look at in tests/x86/tracers.sh. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct pair {
	int first;
	double second;
};

static int counter;
static volatile int seen;

static void note(int number)
{
	seen = number;
}

static int add(struct pair *to, int value)
{
	to->first += value;
	to->second /= 2;
	counter = to->first;
	return counter;
}

static void *work(void *argument)
{
	usleep(50000); /* the others wait for it */
	add(argument, 100);
	return argument;
}

int main(int argc, char **argv)
{
	struct pair pair = { 1, 8 };
	pthread_t thread;
	sigset_t set;
	int i;

	for (i = 0; i < 3; i++)
		add(&pair, i);
	signal(SIGUSR1, note);
	raise(SIGUSR1);
	pthread_create(&thread, NULL, work, &pair);
	pthread_join(thread, NULL);
	/* Which would come before or after the end of wait(). */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (!fork())
		_exit(3);
	wait(NULL);
	printf("%d %g %d\n", pair.first, pair.second, seen);
	return pair.first & 0x7f;
}
