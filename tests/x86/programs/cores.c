/* Threads that never stop by themselves: one is sent signals, one executes
 * another program from under the others, and all are ended from outside. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int handled, ready;
static volatile long spins;

static void handler(int number)
{
	(void)number;
	atomic_fetch_add(&handled, 1);
}

static void *spin(void *argument)
{
	(void)argument;
	atomic_fetch_add(&ready, 1);
	for (;;)
		spins++;
	return NULL;
}

static void *execute(void *argument)
{
	char **argv = argument;

	execl(argv[0], argv[0], "again", (char *)NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[3], other;
	int status;
	pid_t child;

	if (argc > 1 && !strcmp(argv[1], "again")) {
		printf("again\n");
		return 7;
	}
	signal(SIGUSR1, handler);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, spin, NULL);
	while (atomic_load(&ready) != 3)
		;
	for (int i = 1; i <= 50; i++) {
		pthread_kill(thread[i % 3], SIGUSR1);
		while (atomic_load(&handled) != i)
			;
	}
	printf("signals %d\n", atomic_load(&handled));
	fflush(stdout);
	child = fork();
	if (!child) {
		pthread_create(&other, NULL, spin, NULL);
		pthread_create(&thread[0], NULL, execute, argv);
		for (;;)
			spins++;
	}
	waitpid(child, &status, 0);
	printf("the child ended with %d\n", WEXITSTATUS(status));
	fflush(stdout);
	child = fork();
	if (!child)
		for (;;)
			spins++;
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	printf("the other one by signal %d\n", WTERMSIG(status));
	return 3; /* and the threads go, too */
}
