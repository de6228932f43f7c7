/* What a checkpoint must hold, one part at a time: checkpoint PART [FOLDER].
 * Everything is deterministic when the clock is simulated. */
#include <asm/ldt.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "m2s.h"

static uint32_t state = 1;

static uint32_t next(void)
{
	return state = state * 1664525 + 1013904223;
}

static uint64_t work(int rounds)
{
	uint64_t sum = 0;

	while (rounds--)
		sum = sum * 31 + next();
	return sum;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* ---- Registers, x87 and vector state, code that changes ---- */

static void part_compute(void)
{
	unsigned char *code = mmap(NULL, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);
	long double slow = 1;
	double fast = 1;

	for (int i = 0; i < 60; i++) {
		/* mov $i, %eax; ret */
		unsigned char text[] = { 0xb8, i, 1, 0, 0, 0xc3 };

		memcpy(code, text, sizeof text);
		slow = slow * 1.0000001L + sinl(i) / ((int (*)(void))code)();
		for (int j = 0; j < 200; j++)
			fast += sqrt(fast + j) * 1e-3;
		printf("%d %llx %.18Lg %.17g\n", i,
		       (unsigned long long)work(2000), slow, fast);
	}
}

/* ---- Threads that wait for each other ---- */

enum { THREADS = 6, STEPS = 40 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int turn;
static __thread uint64_t own;

static void *thread(void *argument)
{
	int me = (int)(intptr_t)argument;

	for (int i = 0; i < STEPS; i++) {
		own += work(300 * (me + 1));
		pthread_mutex_lock(&lock);
		while (turn % THREADS != me)
			pthread_cond_wait(&turned, &lock);
		turn++;
		pthread_cond_broadcast(&turned);
		pthread_mutex_unlock(&lock);
		if (i % 10 == 0)
			pthread_barrier_wait(&barrier);
	}
	return (void *)(uintptr_t)(own & 0xffff);
}

static void part_threads(void)
{
	pthread_t threads[THREADS];
	void *result;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		printf("thread %d: %p\n", i, result);
	}
	printf("turn %d\n", turn);
}

/* ---- Processes and pipes ---- */

static void part_processes(void)
{
	uint32_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ends[2], status;
	uint64_t sum = 0;
	char buffer[3000];
	ssize_t got;

	pipe(ends);
	for (int child = 0; child < 3; child++) {
		if (fork())
			continue;
		close(ends[0]);
		for (int i = 0; i < 40; i++) {
			uint64_t value = work(500 * (child + 1));

			memset(buffer, (int)value, sizeof buffer);
			write(ends[1], buffer, 1000 + value % 2000);
			__atomic_add_fetch(shared, (uint32_t)value,
					   __ATOMIC_RELAXED);
		}
		_exit(child + 10);
	}
	close(ends[1]);
	while ((got = read(ends[0], buffer, 777)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			sum = sum * 31 + (unsigned char)buffer[i];
		work(100);
	}
	for (int child = 0; child < 3; child++) {
		pid_t pid = wait(&status);

		printf("%d: %d\n", pid, WEXITSTATUS(status));
	}
	printf("%llx %x\n", (unsigned long long)sum, *shared);
}

/* ---- Signals: handlers at work, timers ---- */

static volatile int alarms, nested, late;

static void on_alarm(int number, siginfo_t *information, void *context)
{
	alarms++;
	work(3000);
	if (alarms % 3 == 0)
		raise(SIGUSR1);
}

static void on_user(int number)
{
	nested++;
	work(2000);
}

static void on_timer(int number, siginfo_t *information, void *context)
{
	late += information->si_value.sival_int;
}

static void part_signals(void)
{
	static char stack[65536];
	stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
	struct sigaction action = { .sa_sigaction = on_alarm,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct itimerval often = { { 0, 200 }, { 0, 100 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGRTMIN,
				  .sigev_value.sival_int = 3 };
	struct itimerspec interval = { { 0, 500000 }, { 0, 250000 } };
	timer_t timer;
	sigset_t set, old;

	sigaltstack(&other, NULL);
	sigaction(SIGALRM, &action, NULL);
	signal(SIGUSR1, on_user);
	action.sa_sigaction = on_timer;
	sigaction(SIGRTMIN, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &interval, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 40; i++) {
		work(5000);
		sigemptyset(&set);
		sigaddset(&set, SIGALRM);
		sigprocmask(SIG_BLOCK, &set, &old);
		work(3000);
		sigprocmask(SIG_SETMASK, &old, NULL);
		if (i % 8 == 0) {
			struct timespec time = { 0, 300000 };

			while (nanosleep(&time, &time) < 0)
				;
		}
	}
	printf("%d %d %d %.9f\n", alarms, nested, late, now());
}

/* ---- Descriptors that are waited for ---- */

static void *feeder(void *argument)
{
	int *files = argument;

	for (uint64_t i = 1; i <= 30; i++) {
		work(2000);
		write(files[0], &i, sizeof i);
		write(files[1], "0123456789", 1 + i % 10);
		if (i % 7 == 0)
			kill(getpid(), SIGUSR2);
	}
	return NULL;
}

static void part_events(void)
{
	struct itimerspec interval = { { 0, 100000 }, { 0, 100000 } };
	struct epoll_event events[8], event = { .events = EPOLLIN };
	int ends[2], files[4], epoll = epoll_create1(0), finished = 0;
	uint64_t sums[4] = { 0 };
	pthread_t other;
	sigset_t set;
	char buffer[256];

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pipe(ends);
	files[0] = eventfd(0, EFD_NONBLOCK);
	files[1] = ends[1];
	files[2] = timerfd_create(CLOCK_MONOTONIC, 0);
	files[3] = signalfd(-1, &set, 0);
	timerfd_settime(files[2], 0, &interval, NULL);
	for (int i = 0; i < 4; i++) {
		event.data.u64 = (uint64_t)i << 40 | 7;
		epoll_ctl(epoll, EPOLL_CTL_ADD, i == 1 ? ends[0] : files[i],
			  &event);
	}
	pthread_create(&other, NULL, feeder, files);
	while (sums[0] < 30 * 31 / 2 || finished < 50) {
		int ready = epoll_wait(epoll, events, 8, 1);

		for (int i = 0; i < ready; i++) {
			int which = (int)(events[i].data.u64 >> 40);
			uint64_t value = 0;
			ssize_t got = read(which == 1 ? ends[0] : files[which],
					   which == 1 || which == 3
						   ? (void *)buffer
						   : (void *)&value,
					   which == 1 ? 7
					   : which == 3 ? 128 : 8);

			sums[which] += which == 1 || which == 3 ? got : value;
		}
		finished++;
	}
	pthread_join(other, NULL);
	printf("%d %d %d %d, %.9f\n", (int)sums[0], (int)sums[1],
	       (int)sums[2], (int)sums[3], now());
}

/* ---- Files ---- */

static void part_files(const char *folder)
{
	char path[500], buffer[5000], *map, *own_map;
	int file, copy, hidden, reader;
	uint64_t sum = 0;
	FILE *log;

	chdir(folder);
	file = open("data", O_RDWR | O_CREAT | O_TRUNC, 0644);
	copy = dup(file);
	log = fopen("log", "w");
	snprintf(path, sizeof path, "%s/hidden", folder);
	hidden = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	unlink(path);
	ftruncate(file, 16384);
	map = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	own_map = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE, file,
		       0);
	reader = open("/proc/self/exe", O_RDONLY);
	for (int i = 0; i < 50; i++) {
		uint64_t value = work(2000);

		map[value % 16384] = (char)i;
		own_map[(value >> 20) % 16384] += (char)i;
		write(i & 1 ? file : copy, &value, sizeof value);
		pwrite(hidden, &value, sizeof value, i * 100);
		fprintf(log, "%d %llx\n", i, (unsigned long long)value);
		if (i % 10 == 0)
			fflush(log);
		lseek(reader, i * 16, SEEK_SET);
		read(reader, buffer, 16);
		sum = sum * 31 + (unsigned char)buffer[3];
	}
	fclose(log);
	printf("position %d\n", (int)lseek(file, 0, SEEK_CUR));
	lseek(hidden, 0, SEEK_SET);
	read(hidden, buffer, sizeof buffer);
	for (size_t i = 0; i < 4900; i++)
		sum = sum * 31 + (unsigned char)buffer[i];
	for (size_t i = 0; i < 16384; i++)
		sum = sum * 31 + (unsigned char)own_map[i] * 3 +
		      (unsigned char)map[i];
	log = fopen("log", "r");
	while (fgets(buffer, sizeof buffer, log))
		sum = sum * 31 + strtoull(strchr(buffer, ' '), NULL, 16);
	printf("%llx\n", (unsigned long long)sum);
}

/* ---- Markers, output ---- */

static void part_markers(void)
{
	for (int i = 0; i < 3; i++) {
		work(10000);
		printf("before %d\n", i);
		fflush(stdout);
		m2s_marker(200);
		m2s_checkpoint();
		printf("after %d\n", i);
	}
}

/* ---- A local descriptor table ---- */

#ifdef __i386__
#define SEGMENT "fs"
#else
#define SEGMENT "gs"
#endif

static void part_segments(void)
{
	struct user_desc segment = {
		.entry_number = 3, .limit = 1023, .seg_32bit = 1,
	};
	uint32_t sum = 0, value;
	void *low = mmap(NULL, 1024, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	segment.base_addr = (unsigned)(uintptr_t)low;
	if (syscall(SYS_modify_ldt, 1, &segment, sizeof segment))
		printf("no table\n");
	__asm__ volatile("movw %w0, %%" SEGMENT : : "r"(3 * 8 + 7));
	for (unsigned i = 0; i < 100000; i++) {
		uintptr_t at = next() % 256 * 4;

		__asm__ volatile("addl %1, %%" SEGMENT ":(%2)\n\t"
				 "movl %%" SEGMENT ":(%2), %0"
				 : "=r"(value) : "r"(i), "r"(at)
				 : "memory", "cc");
		sum = sum * 31 + value;
	}
	printf("%x %x\n", sum, ((uint32_t *)low)[7]);
}

/* ---- What cannot be saved ---- */

static void part_socket(void)
{
	int ends[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	m2s_checkpoint();
	printf("not reached\n");
}

static void part_traced(void)
{
	if (!fork()) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		m2s_checkpoint();
		_exit(0);
	}
	wait(NULL);
	printf("not reached\n");
}

/* ---- Keys and keyrings of threads and processes ---- */

static long keyctl(int command, long a, long b, long c, long d)
{
	return syscall(SYS_keyctl, command, a, b, c, d);
}

static void use_keys(const char *who, int keys)
{
	char name[32], bytes[64];
	int key = 0, own = 0;

	for (int i = 0; i < keys; i++) {
		snprintf(name, sizeof name, "%s %d", who, i);
		memset(bytes, 'a' + i % 26, sizeof bytes);
		key = (int)syscall(SYS_add_key, "user", name, bytes, 1 + i,
				   i % 3 ? KEY_SPEC_SESSION_KEYRING
					 : KEY_SPEC_PROCESS_KEYRING);
		if (i % 4 == 1)
			keyctl(KEYCTL_SET_TIMEOUT, key, 1 + i % 2, 0, 0);
		if (i % 7 == 2)
			keyctl(KEYCTL_REVOKE, key, 0, 0, 0);
		if (i % 5 == 3)
			keyctl(KEYCTL_UNLINK, key, KEY_SPEC_SESSION_KEYRING, 0,
			       0);
		work(2000);
	}
	for (int i = 0; i < keys; i++) {
		memset(bytes, 0, sizeof bytes);
		snprintf(name, sizeof name, "%s %d", who, i);
		key = (int)syscall(SYS_request_key, "user", name, NULL, 0);
		own = key < 0 ? -errno
			      : (int)keyctl(KEYCTL_READ, key, (long)bytes,
					    sizeof bytes, 0);
		printf("%s: %d, %d bytes: %s\n", name, key, own, bytes);
		work(1000);
	}
	fflush(stdout);
}

static void part_keys(void)
{
	int ring = (int)keyctl(KEYCTL_JOIN_SESSION_KEYRING, (long)"checkpoint",
			       0, 0, 0);
	int status;

	printf("session: %d\n", ring);
	syscall(SYS_add_key, "keyring", "inner", NULL, 0, ring);
	syscall(SYS_add_key, "user", "thread's", "x", 1,
		KEY_SPEC_THREAD_KEYRING);
	use_keys("parent", 10);
	if (!fork()) {
		use_keys("child", 20);
		_exit(3);
	}
	use_keys("parent", 20);
	wait(&status);
	use_keys("child", 2);
	printf("thread's: %ld\n", syscall(SYS_request_key, "user", "thread's",
					  NULL, 0));
	printf("end: 0x%x\n", status);
}

/* ---- Filters of system calls, which threads share ---- */

static int add_filter(int number, unsigned error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, code };

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0,
			    &program);
}

static void try_calls(const char *who)
{
	long results[4];

	for (int i = 0; i < 30; i++) {
		work(300);
		results[0] = syscall(SYS_getpgid, 0) < 0 ? errno : 0;
		results[1] = syscall(SYS_getsid, 0) < 0 ? errno : 0;
		results[2] = syscall(SYS_getppid) < 0 ? errno : 0;
		results[3] = syscall(SYS_getpriority, 0, 0) < 0 ? errno : 0;
		printf("%s: %ld %ld %ld %ld\n", who, results[0], results[1],
		       results[2], results[3]);
	}
	fflush(stdout);
}

static void *filtered_thread(void *argument)
{
	add_filter(SYS_getppid, 13);
	try_calls(argument);
	return argument;
}

static void part_filters(void)
{
	pthread_t thread;
	int status;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	try_calls("none");
	printf("filter: %d\n", add_filter(SYS_getpgid, 11));
	if (!fork()) {
		add_filter(SYS_getsid, 12);
		try_calls("child");
		_exit(3);
	}
	wait(&status);
	pthread_create(&thread, NULL, filtered_thread, "thread");
	try_calls("first");
	pthread_join(thread, NULL);
	add_filter(SYS_getpriority, 14);
	try_calls("last");
}

/* A program that has given up rights cannot be saved. */
static void part_restrained(void)
{
	uint64_t handled = 1;

	syscall(444, &handled, sizeof handled, 0); /* a ruleset of Landlock */
	m2s_checkpoint();
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	static char buffer[4096];

	/* Without a buffer of ours fstat() brings the host's times into the
	 * program's memory. */
	setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
	if (!strcmp(part, "compute"))
		part_compute();
	else if (!strcmp(part, "threads"))
		part_threads();
	else if (!strcmp(part, "processes"))
		part_processes();
	else if (!strcmp(part, "signals"))
		part_signals();
	else if (!strcmp(part, "events"))
		part_events();
	else if (!strcmp(part, "files"))
		part_files(argv[2]);
	else if (!strcmp(part, "markers"))
		part_markers();
	else if (!strcmp(part, "socket"))
		part_socket();
	else if (!strcmp(part, "segments"))
		part_segments();
	else if (!strcmp(part, "traced"))
		part_traced();
	else if (!strcmp(part, "keys"))
		part_keys();
	else if (!strcmp(part, "filters"))
		part_filters();
	else if (!strcmp(part, "restrained"))
		part_restrained();
	else
		return 2;
	return 5;
}
