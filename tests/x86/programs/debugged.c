/* What the test of --gdb looks at. Lines with a marker are found by it. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int watched;
double real = 1.5;
static volatile int handled;
__thread int own = 5;

static int inner(int n)
{
	return n * 3; /* INNER */
}

static int outer(int n)
{
	int result = inner(n) + 1; /* OUTER */

	return result;
}

static void handler(int number)
{
	handled += number; /* HANDLER */
}

static int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return *x - *y; /* COMPARE */
}

static pthread_barrier_t barrier;

static void *thread(void *argument)
{
	own = 6;
	pthread_barrier_wait(&barrier);
	while (handled != -1)
		usleep(1000);
	return argument;
}

int main(int argc, char **argv)
{
	int list[] = { 5, 3, 8, 1 }, sum = 0;
	pthread_t id;

	if (argc > 1 && !strcmp(argv[1], "spin"))
		for (;;)
			handled++;
	if (argc > 1 && !strcmp(argv[1], "sleep"))
		sleep(1000);
	if (argc > 1 && !strcmp(argv[1], "exec")) {
		execl(argv[0], argv[0], "exit", (char *)NULL);
		return 1;
	}
	if (argc > 1 && !strcmp(argv[1], "lock")) {
		pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

		pthread_mutex_lock(&lock);
		pthread_mutex_lock(&lock);
	}
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		int status;

		if (!fork())
			_exit(inner(2));
		wait(&status);
		if (!vfork())
			_exit(inner(3));
		wait(NULL);
		return WEXITSTATUS(status) + inner(1);
	}
	if (argc > 1 && !strcmp(argv[1], "null"))
		*(volatile int *)16 = 1;
	if (argc > 1 && !strcmp(argv[1], "exit"))
		return 7;
	for (int i = 0; i < 10; i++)
		sum += outer(i); /* LOOP */
	qsort(list, 4, sizeof list[0], compare);
	watched = sum; /* WATCHED */
	signal(SIGUSR1, handler);
	raise(SIGUSR1); /* RAISE */
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&id, NULL, thread, NULL);
	pthread_barrier_wait(&barrier);
	printf("sum %d, handled %d\n", sum, handled); /* THREADS */
	handled = -1;
	pthread_join(id, NULL);
	return sum & 127; /* END */
}
