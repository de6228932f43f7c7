/* Everything that could differ from run to run, printed: clocks, sleeping,
 * timers, random numbers, and the interleaving of threads and processes. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char order[4096];
static int used;
static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

static int64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static uint64_t counter(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return low | (uint64_t)high << 32;
}

static void *work(void *argument)
{
	int id = *(int *)argument;
	unsigned char sleep;
	struct timespec time = { 0 };

	for (int i = 0; i < 40; i++) {
		getrandom(&sleep, 1, 0);
		for (volatile int spin = 0; spin < sleep * 300; spin++)
			;
		time.tv_nsec = sleep * 10000;
		nanosleep(&time, NULL);
		pthread_mutex_lock(&lock);
		if (used < (int)sizeof order - 1)
			order[used++] = (char)('a' + id);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	struct itimerval interval = { { 0, 1000 }, { 0, 1000 } };
	struct itimerspec once = { { 0, 0 }, { 0, 3000000 } };
	struct pollfd poller;
	struct timeval day;
	pthread_t threads[4];
	int ids[4] = { 0, 1, 2, 3 }, file, status;
	uint64_t random[2], before, after;
	int64_t start;

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &interval, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(threads + i, NULL, work, ids + i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	printf("order %s\nalarms %d\n", order, alarms);
	getrandom(random, sizeof random, 0);
	printf("getrandom %016llx\n", (unsigned long long)random[0]);
	file = open("/dev/urandom", O_RDONLY);
	if (read(file, random, sizeof random) != sizeof random)
		puts("short read");
	close(file);
	printf("urandom %016llx\nAT_RANDOM %016llx\n",
	       (unsigned long long)random[0],
	       *(unsigned long long *)getauxval(AT_RANDOM));
	gettimeofday(&day, NULL);
	printf("clocks %lld %lld %lld %lld %lld, %lld.%06ld\n",
	       (long long)now(CLOCK_REALTIME), (long long)time(NULL),
	       (long long)now(CLOCK_MONOTONIC),
	       (long long)now(CLOCK_PROCESS_CPUTIME_ID),
	       (long long)now(CLOCK_THREAD_CPUTIME_ID),
	       (long long)day.tv_sec, (long)day.tv_usec);
	/* All ways to tell a duration agree. */
	start = now(CLOCK_MONOTONIC);
	before = counter();
	usleep(5000);
	after = counter() - before;
	start = now(CLOCK_MONOTONIC) - start;
	printf("slept %lld, counted %lld\n", (long long)start,
	       (long long)after);
	if (start < 5000000 || (int64_t)after < 5000000 ||
	    (int64_t)after > start)
		puts("clocks disagree");
	poller = (struct pollfd){ .fd = timerfd_create(CLOCK_MONOTONIC, 0),
				  .events = POLLIN };
	timerfd_settime(poller.fd, 0, &once, NULL);
	start = now(CLOCK_MONOTONIC);
	printf("poll %d", poll(&poller, 1, 1));
	printf(" %d", poll(&poller, 1, 100));
	printf(" after %lld\n", (long long)(now(CLOCK_MONOTONIC) - start));
	fflush(stdout);
	if (fork() == 0) {
		usleep(2000);
		printf("child %d of %d at %lld\n", getpid(), getppid(),
		       (long long)now(CLOCK_MONOTONIC));
		fflush(stdout);
		_exit(0);
	}
	printf("parent at %lld\n", (long long)now(CLOCK_MONOTONIC));
	wait(&status);
	printf("times %ld\n", (long)times(&(struct tms){ 0 }));
	return 0;
}
