/* For builds with a sanitizer: threads, a child, and on request a defect. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *size)
{
	char *block = malloc((size_t)size);
	long sum = 0;

	memset(block, 1, (size_t)size);
	for (size_t i = 0; i < (size_t)size; i++)
		sum += block[i];
	free(block);
	pthread_mutex_lock(&mutex);
	shared += sum;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *race(void *unused)
{
	shared++;
	return unused;
}

static void in_threads(void *(*body)(void *))
{
	pthread_t thread[4];

	for (size_t i = 0; i < 4; i++)
		pthread_create(thread + i, NULL, body,
			       (void *)(1000 + i * 100000));
	for (size_t i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	volatile size_t size = 10;
	char *volatile block = malloc(size);
	int status;

	in_threads(work);
	printf("%ld\n", shared);
	fflush(stdout);
	if (!fork()) {
		free(block);
		block = malloc(200000);
		memset(block, 3, 200000);
		status = block[199999];
		free(block);
		_exit(status);
	}
	wait(&status);
	printf("child %d\n", WEXITSTATUS(status));
	fflush(stdout);
	if (argc > 1 && !strcmp(argv[1], "overflow"))
		block[size] = 1;
	if (argc > 1 && !strcmp(argv[1], "race"))
		in_threads(race);
	if (argc > 1 && !strcmp(argv[1], "leak"))
		block = NULL;
	free(block);
	return 0;
}
