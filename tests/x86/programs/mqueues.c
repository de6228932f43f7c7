/* POSIX message queues between processes and threads. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char name[40], other[40];

static void show(const char *what, long result)
{
	printf("%s: %s\n", what,
	       result < 0 ? strerror(errno) : result == 0 ? "0" : "more");
}

static void attributes(mqd_t queue)
{
	struct mq_attr a = { 0 };

	mq_getattr(queue, &a);
	printf("flags %lx, %ld of %ld messages of %ld bytes\n", a.mq_flags,
	       a.mq_curmsgs, a.mq_maxmsg, a.mq_msgsize);
}

static void state(mqd_t queue)
{
	struct pollfd list = { .fd = queue, .events = POLLIN | POLLOUT };
	char text[100] = "";

	poll(&list, 1, 0);
	lseek(queue, 0, SEEK_SET);
	printf("may be%s%s\n", list.revents & POLLIN ? " read" : "",
	       list.revents & POLLOUT ? " written" : "");
}

static void receive(mqd_t queue)
{
	char text[100] = "";
	unsigned priority = 77;
	ssize_t size = mq_receive(queue, text, 64, &priority);

	if (size < 0)
		show("receive", size);
	else
		printf("received %.*s, priority %u\n", (int)size, text,
		       priority);
}

/* ---- One process ---- */

static void opening(void)
{
	struct mq_attr a = { .mq_maxmsg = 4, .mq_msgsize = 64 }, bad = a;
	struct rlimit limit = { 100, 100 };
	mqd_t queue, again;

	show("none yet", mq_open(name, O_RDWR));
	bad.mq_maxmsg = 0;
	show("no room", mq_open(name, O_CREAT | O_RDWR, 0600, &bad));
	bad.mq_maxmsg = 70000;
	show("too much", mq_open(name, O_CREAT | O_RDWR, 0600, &bad));
	show("no slash", mq_open("queue", O_CREAT | O_RDWR, 0600, &a));
	show("two slashes", mq_open("/a/b", O_CREAT | O_RDWR, 0600, &a));
	show("bad address", syscall(SYS_mq_open, -1, O_RDWR, 0, 0));
	queue = mq_open(name, O_CREAT | O_RDWR, 0620, &a);
	show("made", queue < 0 ? -1 : 0);
	show("once more", mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &a));
	attributes(queue);
	printf("closed on exec: %d\n", fcntl(queue, F_GETFD));
	again = mq_open(name, O_RDONLY | O_NONBLOCK);
	attributes(again);
	receive(again);
	show("sent to a reader", mq_send(again, "x", 1, 0));
	a.mq_flags = O_NONBLOCK | O_APPEND;
	show("other flags", mq_setattr(queue, &a, NULL));
	mq_close(again);
	again = mq_open(name, O_WRONLY);
	receive(again);
	mq_close(again);
	show("closed", mq_close(again));
	show("not a queue", mq_send(0, "x", 1, 0));
	fflush(stdout);
	if (fork() == 0) {
		a = (struct mq_attr){ .mq_maxmsg = 4, .mq_msgsize = 64 };
		setrlimit(RLIMIT_MSGQUEUE, &limit);
		show("limit", mq_open(other, O_CREAT | O_RDWR, 0600, &a));
		if (getuid() == 0) {
			setuid(65534);
			show("not mine", mq_open(name, O_RDWR));
			show("not mine", mq_unlink(name));
		}
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	mq_close(queue);
}

static void order(void)
{
	mqd_t queue = mq_open(name, O_RDWR | O_NONBLOCK);
	char text[100];

	state(queue);
	mq_send(queue, "one", 3, 1);
	state(queue);
	mq_send(queue, "five", 4, 5);
	mq_send(queue, "one too", 7, 1);
	mq_send(queue, "", 0, 32767);
	state(queue);
	show("full", mq_send(queue, "more", 4, 0));
	show("priority", mq_send(queue, "more", 4, 32768));
	show("long", mq_send(queue, text, 65, 0));
	show("short", mq_receive(queue, text, 63, NULL));
	show("bad address", syscall(SYS_mq_timedsend, queue, -1, 4, 0, 0));
	attributes(queue);
	for (int i = 0; i < 5; i++)
		receive(queue);
	mq_close(queue);
}

static void interrupted(int number)
{
	(void)number;
}

static void waiting(void)
{
	mqd_t queue = mq_open(name, O_RDWR);
	struct sigaction action = { .sa_handler = interrupted };
	struct timespec soon, bad = { 0, 1000000000 }, past = { 1, 0 };
	char text[64];

	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 5000000;
	if (soon.tv_nsec > 999999999) {
		soon.tv_sec++;
		soon.tv_nsec -= 1000000000;
	}
	show("in time", mq_timedreceive(queue, text, 64, NULL, &soon));
	show("past", mq_timedreceive(queue, text, 64, NULL, &past));
	show("no time", mq_timedreceive(queue, text, 64, NULL, &bad));
	sigaction(SIGALRM, &action, NULL);
	ualarm(20000, 0);
	show("interrupted", mq_receive(queue, text, 64, NULL));
	mq_close(queue);
}

/* ---- Several ---- */

/* A queue of four places is full most of the time. */
static void producers(void)
{
	mqd_t queue = mq_open(name, O_RDWR);
	long sum = 0;
	int number;

	fflush(stdout);
	for (int child = 0; child < 3; child++)
		if (fork() == 0) {
			for (int i = 0; i < 200; i++) {
				number = child * 1000 + i;
				mq_send(queue, (char *)&number, 4, child);
			}
			_exit(child);
		}
	for (int i = 0; i < 600; i++) {
		char bytes[64];

		mq_receive(queue, bytes, 64, NULL);
		memcpy(&number, bytes, 4);
		sum += number;
	}
	while (wait(NULL) > 0)
		;
	printf("sum %ld\n", sum);
	mq_close(queue);
}

static void told(int number, siginfo_t *information, void *context)
{
	char text[80];
	int length = snprintf(text, sizeof text,
			      "signal %d, code %d, value %d, by a child %d\n",
			      number, information->si_code,
			      information->si_value.sival_int,
			      information->si_pid != getpid());

	(void)context;
	write(1, text, length);
}

static void notice(void)
{
	mqd_t queue = mq_open(name, O_RDWR | O_NONBLOCK);
	struct sigaction action = { .sa_sigaction = told,
				    .sa_flags = SA_SIGINFO };
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1,
		.sigev_value = { .sival_int = 42 },
	};

	sigaction(SIGUSR1, &action, NULL);
	show("notify", mq_notify(queue, &event));
	show("again", mq_notify(queue, &event));
	show("never", mq_notify(queue, NULL));
	event.sigev_signo = 100;
	show("no signal", mq_notify(queue, &event));
	event.sigev_signo = SIGUSR1;
	event.sigev_notify = 9;
	show("no way", mq_notify(queue, &event));
	event.sigev_notify = SIGEV_SIGNAL;
	show("notify", mq_notify(queue, &event));
	fflush(stdout);
	if (fork() == 0) {
		show("another's", mq_notify(queue, &event));
		show("not mine", mq_notify(queue, NULL));
		fflush(stdout);
		mq_send(queue, "first", 5, 0);
		mq_send(queue, "second", 6, 0);
		_exit(0);
	}
	while (wait(NULL) < 0)
		;
	receive(queue);
	show("again", mq_notify(queue, &event));
	fflush(stdout);
	mq_send(queue, "not to an empty one", 19, 0);
	receive(queue);
	receive(queue);
	mq_close(queue);
	queue = mq_open(name, O_RDWR | O_NONBLOCK);
	fflush(stdout);
	mq_send(queue, "to nobody", 9, 0);
	receive(queue);
	mq_close(queue);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int calls;

static void in_thread(union sigval value)
{
	pthread_mutex_lock(&lock);
	calls += value.sival_int;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&lock);
}

static void by_thread(void)
{
	mqd_t queue = mq_open(name, O_RDWR | O_NONBLOCK);
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD, .sigev_value = { 5 },
		.sigev_notify_function = in_thread,
	};

	for (int i = 1; i <= 2; i++) {
		show("notify by thread", mq_notify(queue, &event));
		mq_send(queue, "hello", 5, 0);
		pthread_mutex_lock(&lock);
		while (calls < 5 * i)
			pthread_cond_wait(&done, &lock);
		pthread_mutex_unlock(&lock);
		receive(queue);
	}
	mq_close(queue);
}

int main(void)
{
	mqd_t queue;

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	umask(022);
	snprintf(name, sizeof name, "/m2s-test-%d", getpid());
	snprintf(other, sizeof other, "/m2s-other-%d", getpid());
	opening();
	order();
	waiting();
	producers();
	notice();
	by_thread();
	queue = mq_open(name, O_RDWR);
	show("unlink", mq_unlink(name));
	show("unlink", mq_unlink(name));
	mq_send(queue, "still there", 11, 0);
	receive(queue);
	return 0;
}
