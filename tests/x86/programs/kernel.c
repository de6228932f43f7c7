/* Memory, processes, threads, signals: what the C library rarely shows. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                       \
	do {                                                                   \
		errno = 0;                                                     \
		if (!(condition))                                              \
			printf("line %d: %s: %s\n", __LINE__, #condition,      \
			       strerror(errno));                               \
	} while (0)
#define FAILS(call, number) CHECK((long)(call) == -1 && errno == (number))
#define PAGE 4096

static char *pages(int count, int flags)
{
	return mmap(NULL, (size_t)count * PAGE, PROT_READ | PROT_WRITE,
		    MAP_ANONYMOUS | flags, -1, 0);
}

/* ---- Memory ---- */

static void remap(void)
{
	char *at = pages(4, MAP_PRIVATE), *to, *other;
	int file = open("mapped", O_RDWR | O_CREAT, 0600);

	memset(at, 'a', 4 * PAGE);
	to = pages(8, MAP_PRIVATE);
	CHECK(mremap(at, 4 * PAGE, 6 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		     to) == to);
	CHECK(to[0] == 'a' && to[4 * PAGE - 1] == 'a' && !to[5 * PAGE]);
	FAILS(msync(at, PAGE, MS_SYNC), ENOMEM);
	CHECK(mremap(to, 6 * PAGE, 2 * PAGE, 0) == to);
	FAILS(mremap(to, 2 * PAGE, PAGE, MREMAP_FIXED, at), EINVAL);
	FAILS(mremap(to + 1, PAGE, PAGE, 0), EINVAL);
	FAILS(mremap(to, 0, PAGE, MREMAP_MAYMOVE), EINVAL);
	other = mremap(to, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0);
	CHECK(other != MAP_FAILED && other[5] == 'a' && to[5] == 0);
	munmap(to, 8 * PAGE);
	/* A shared mapping twice; a file's page that moves. */
	at = pages(1, MAP_SHARED);
	to = mremap(at, 0, PAGE, MREMAP_MAYMOVE);
	CHECK(to != MAP_FAILED && to != at);
	strcpy(at, "both");
	CHECK(!strcmp(to, "both"));
	CHECK(write(file, "file", 4) == 4 && ftruncate(file, 3 * PAGE) == 0);
	at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	to = mremap(at, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
	CHECK(to != MAP_FAILED && !memcmp(to, "file", 4));
	CHECK(pwrite(file, "second", 6, PAGE) == 6 &&
	      !memcmp(to + PAGE, "second", 6));
	to[0] = 'F';
	CHECK(madvise(to, PAGE, MADV_DONTNEED) == 0 && to[0] == 'f');
	close(file);
	puts("mremap");
}

static void advice(void)
{
	char *at = pages(4, MAP_PRIVATE);
	unsigned char resident[4];

	memset(at, 'x', 4 * PAGE);
	CHECK(madvise(at + PAGE, PAGE, MADV_DONTNEED) == 0);
	CHECK(at[0] == 'x' && at[PAGE] == 0 && at[2 * PAGE] == 'x');
	CHECK(mincore(at, 4 * PAGE, resident) == 0 && (resident[0] & 1));
	munmap(at + 2 * PAGE, PAGE);
	FAILS(mincore(at, 4 * PAGE, resident), ENOMEM);
	FAILS(madvise(at, 4 * PAGE, MADV_DONTNEED), ENOMEM);
	CHECK(at[0] == 0 && at[3 * PAGE] == 0);
	FAILS(madvise(at, PAGE, 12345), EINVAL);
	FAILS(madvise(at + 1, PAGE, MADV_DONTNEED), EINVAL);
	CHECK(mlock(at, PAGE) == 0 && munlock(at, PAGE) == 0);
	FAILS(mlock(at + 2 * PAGE, PAGE), ENOMEM);
	FAILS(mmap(at, PAGE, PROT_READ,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
	      EEXIST);
	CHECK(mmap(at + 2 * PAGE, PAGE, PROT_READ,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		   0) == at + 2 * PAGE);
	FAILS(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	      EINVAL);
	FAILS(mmap(NULL, PAGE, PROT_READ, MAP_ANONYMOUS, -1, 0), EINVAL);
	FAILS(mprotect(at + 4 * PAGE + 1, PAGE, PROT_READ), EINVAL);
	FAILS(munmap(at + 1, PAGE), EINVAL);
	munmap(at, 4 * PAGE);
	puts("advice");
}

static void other_memory(void)
{
	static char text[] = "mine";
	char got[8] = "";
	struct iovec local = { got, 4 }, remote = { text, 4 };
	pid_t pid = fork();

	if (!pid) {
		strcpy(text, "hers");
		pause();
	}
	do
		CHECK(process_vm_readv(pid, &local, 1, &remote, 1, 0) == 4);
	while (memcmp(got, "hers", 4) && usleep(1000) == 0);
	CHECK(!strcmp(text, "mine"));
	local.iov_base = "ours";
	CHECK(process_vm_writev(pid, &local, 1, &remote, 1, 0) == 4);
	local.iov_base = got;
	CHECK(process_vm_readv(pid, &local, 1, &remote, 1, 0) == 4 &&
	      !memcmp(got, "ours", 4));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	FAILS(process_vm_readv(pid, &local, 1, &remote, 1, 0), ESRCH);
	puts("memory of others");
}

/* ---- Futexes ---- */

/* Waits until all other threads sleep. */
static void settle(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;

	while ((entry = readdir(tasks))) {
		char name[300], state = 0;
		FILE *file;

		if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
			continue;
		snprintf(name, sizeof name, "/proc/self/task/%s/stat",
			 entry->d_name);
		file = fopen(name, "r");
		if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1 ||
		    state != 'S') {
			rewinddir(tasks);
			usleep(1000);
		}
		if (file)
			fclose(file);
	}
	closedir(tasks);
}

static int futex_word, other_word;

static long futex(int *word, int operation, int value, const void *time,
		  int *second, int third)
{
	return syscall(SYS_futex, word, operation, value, time, second, third);
}

static void *wait_on_futex(void *argument)
{
	(void)argument;
	return (void *)futex(&futex_word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void *wait_for_bits(void *argument)
{
	return (void *)futex(&futex_word, FUTEX_WAIT_BITSET, 0, NULL, NULL,
			     (int)(long)argument);
}

static void *wait_for_two(void *argument)
{
	struct futex_waitv list[2] = {
		{ 0, (uintptr_t)&futex_word, FUTEX_32, 0 },
		{ 0, (uintptr_t)&other_word, FUTEX_32, 0 },
	};

	(void)argument;
	return (void *)syscall(SYS_futex_waitv, list, 2, 0, NULL, 0);
}

static void *join(pthread_t thread)
{
	void *result;

	pthread_join(thread, &result);
	return result;
}

static void futexes(void)
{
	struct timespec time = { 0, 1000000 };
	pthread_t one, two;

	FAILS(futex(&futex_word, FUTEX_WAIT, 1, NULL, NULL, 0), EAGAIN);
	FAILS(futex(&futex_word, FUTEX_WAIT, 0, &time, NULL, 0), ETIMEDOUT);
	FAILS(futex((int *)((char *)&futex_word + 1), FUTEX_WAIT, 0, NULL,
		    NULL, 0), EINVAL);
	CHECK(futex(&futex_word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0);
	pthread_create(&one, NULL, wait_on_futex, NULL);
	pthread_create(&two, NULL, wait_on_futex, NULL);
	settle();
	FAILS(futex(&futex_word, FUTEX_CMP_REQUEUE, 1, (void *)1, &other_word,
		    5), EAGAIN);
	CHECK(futex(&futex_word, FUTEX_CMP_REQUEUE, 1, (void *)1, &other_word,
		    0) == 2);
	CHECK(futex(&futex_word, FUTEX_WAKE, 9, NULL, NULL, 0) == 0);
	CHECK(futex(&other_word, FUTEX_WAKE, 9, NULL, NULL, 0) == 1);
	CHECK(join(one) == 0 && join(two) == 0);
	pthread_create(&one, NULL, wait_for_bits, (void *)1);
	pthread_create(&two, NULL, wait_for_bits, (void *)2);
	settle();
	CHECK(futex(&futex_word, FUTEX_WAKE_BITSET, 9, NULL, NULL, 4) == 0);
	CHECK(futex(&futex_word, FUTEX_WAKE_BITSET, 9, NULL, NULL, 2) == 1);
	CHECK(join(two) == 0);
	CHECK(futex(&other_word, FUTEX_WAKE_OP, 1, (void *)1, &futex_word,
		    FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_EQ, 0)) == 1);
	CHECK(join(one) == 0 && futex_word == 5);
	futex_word = 0;
	pthread_create(&one, NULL, wait_for_two, NULL);
	settle();
	CHECK(futex(&other_word, FUTEX_WAKE, 1, NULL, NULL, 0) == 1);
	CHECK(join(one) == (void *)1);
	puts("futexes");
}

static pthread_mutex_t mutex;
static int shared_count;

static void *count_up(void *argument)
{
	(void)argument;
	for (int i = 0; i < 2000; i++) {
		pthread_mutex_lock(&mutex);
		shared_count++;
		if (i % 100 == 0)
			sched_yield();
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void *die_with_lock(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&mutex);
	return NULL;
}

static void mutexes(void)
{
	pthread_mutexattr_t attribute;
	pthread_t threads[4];

	for (int protocol = 0; protocol < 2; protocol++) {
		pthread_mutexattr_init(&attribute);
		pthread_mutexattr_setprotocol(&attribute,
					      protocol ? PTHREAD_PRIO_INHERIT
						       : PTHREAD_PRIO_NONE);
		pthread_mutexattr_setrobust(&attribute, PTHREAD_MUTEX_ROBUST);
		CHECK(pthread_mutex_init(&mutex, &attribute) == 0);
		shared_count = 0;
		for (int i = 0; i < 4; i++)
			pthread_create(threads + i, NULL, count_up, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		CHECK(shared_count == 8000);
		pthread_create(threads, NULL, die_with_lock, NULL);
		pthread_join(threads[0], NULL);
		CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
		CHECK(pthread_mutex_consistent(&mutex) == 0);
		CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
		pthread_mutex_unlock(&mutex);
		pthread_mutex_destroy(&mutex);
	}
	puts("mutexes");
}

/* ---- Signals ---- */

static volatile sig_atomic_t got[65];
static siginfo_t last;
static void *handler_stack;
static int nested;

static void note(int number, siginfo_t *information, void *context)
{
	(void)context;
	got[number]++;
	last = *information;
	handler_stack = __builtin_frame_address(0);
}

static void nest(int number)
{
	if (++nested < 3)
		raise(number);
}

static void on(int number, int flags)
{
	struct sigaction action = { .sa_sigaction = note,
				    .sa_flags = flags | SA_SIGINFO };

	sigaction(number, &action, NULL);
}

static sigjmp_buf escape;

static void jump(int number, siginfo_t *information, void *context)
{
	note(number, information, context);
	siglongjmp(escape, 1);
}

static void faults(void)
{
	struct sigaction action = { .sa_sigaction = jump,
				    .sa_flags = SA_SIGINFO };
	char *at = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	int file = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
	volatile int zero = 0;
	char *beyond = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0);

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	if (!sigsetjmp(escape, 1))
		*(volatile char *)at = 1;
	CHECK(last.si_code == SEGV_ACCERR && last.si_addr == at);
	munmap(at, PAGE);
	if (!sigsetjmp(escape, 1))
		*(volatile char *)at;
	CHECK(last.si_code == SEGV_MAPERR && last.si_addr == at);
	if (!sigsetjmp(escape, 1))
		*(volatile char *)beyond;
	CHECK(last.si_signo == SIGBUS && last.si_code == BUS_ADRERR &&
	      last.si_addr == beyond);
	if (!sigsetjmp(escape, 1))
		__asm__ volatile("xorl %%edx, %%edx; idivl %0"
				 : : "r"(zero), "a"(1) : "edx");
	CHECK(last.si_signo == SIGFPE && last.si_code == FPE_INTDIV);
	if (!sigsetjmp(escape, 1))
		__asm__ volatile("ud2");
	CHECK(last.si_signo == SIGILL && last.si_code == ILL_ILLOPN);
	CHECK(got[SIGSEGV] == 2 && got[SIGBUS] == 1);
	close(file);
	puts("faults");
}

static void signals(void)
{
	static char space[65536];
	stack_t stack = { .ss_sp = space, .ss_size = sizeof space,
			  .ss_flags = (int)(1u << 31) /* AUTODISARM */ }, old;
	struct sigaction action = { .sa_handler = nest,
				    .sa_flags = SA_NODEFER }, was;
	struct timespec none = { 0 };
	struct itimerval interval = { .it_value.tv_usec = 1000 };
	siginfo_t information;
	sigset_t set, pending;
	timer_t timer;
	struct itimerspec expiry = { .it_value.tv_nsec = 1000000 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGRTMIN,
				  .sigev_value.sival_int = 77 };

	CHECK(sigaltstack(&stack, NULL) == 0);
	on(SIGUSR1, SA_ONSTACK);
	raise(SIGUSR1);
	CHECK((char *)handler_stack >= space &&
	      (char *)handler_stack < space + sizeof space);
	CHECK(sigaltstack(NULL, &old) == 0 && old.ss_sp == space &&
	      old.ss_flags == stack.ss_flags);
	CHECK(last.si_code == SI_TKILL && last.si_pid == getpid());
	stack.ss_flags = SS_DISABLE;
	CHECK(sigaltstack(&stack, NULL) == 0);
	stack.ss_flags = 0;
	stack.ss_size = 100;
	FAILS(sigaltstack(&stack, NULL), ENOMEM);
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	CHECK(nested == 3);
	on(SIGUSR2, SA_RESETHAND);
	raise(SIGUSR2);
	CHECK(sigaction(SIGUSR2, NULL, &was) == 0 &&
	      was.sa_handler == SIG_DFL);
	/* Queued real-time signals keep their order and values. */
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGRTMIN + 1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 3; i++)
		sigqueue(getpid(), SIGRTMIN + (i == 1),
			 (union sigval){ .sival_int = i });
	CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGRTMIN));
	CHECK(sigtimedwait(&set, &information, &none) == SIGRTMIN &&
	      information.si_value.sival_int == 0 &&
	      information.si_code == SI_QUEUE);
	CHECK(sigwaitinfo(&set, &information) == SIGRTMIN &&
	      information.si_value.sival_int == 2);
	CHECK(sigwaitinfo(&set, &information) == SIGRTMIN + 1);
	FAILS(sigtimedwait(&set, &information, &none), EAGAIN);
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 &&
	      timer_settime(timer, 0, &expiry, NULL) == 0);
	CHECK(sigwaitinfo(&set, &information) == SIGRTMIN &&
	      information.si_code == SI_TIMER &&
	      information.si_value.sival_int == 77);
	CHECK(timer_delete(timer) == 0);
	on(SIGALRM, 0);
	setitimer(ITIMER_REAL, &interval, NULL);
	FAILS(pause(), EINTR);
	CHECK(last.si_signo == SIGALRM && last.si_code == SI_KERNEL);
	FAILS(kill(getpid(), 99), EINVAL);
	FAILS(kill(999999, 0), ESRCH);
	information.si_code = SI_USER;
	FAILS(syscall(SYS_rt_sigqueueinfo, getppid(), SIGUSR1, &information),
	      EPERM);
	FAILS(syscall(SYS_rt_sigaction, SIGKILL, &action, NULL, 8), EINVAL);
	puts("signals");
}

static void *restarted(void *argument)
{
	usleep(20000);
	pthread_kill(*(pthread_t *)argument, SIGUSR1);
	usleep(20000);
	return write(*(int *)((char *)argument + sizeof(pthread_t)), "x", 1) ==
			       1
		       ? NULL
		       : argument;
}

static void restarts(void)
{
	struct {
		pthread_t main;
		int pipe;
	} argument = { pthread_self(), 0 };
	pthread_t thread;
	int pipes[2];
	char byte;

	CHECK(pipe(pipes) == 0);
	argument.pipe = pipes[1];
	on(SIGUSR1, SA_RESTART);
	pthread_create(&thread, NULL, restarted, &argument);
	CHECK(read(pipes[0], &byte, 1) == 1 && got[SIGUSR1] == 2);
	CHECK(join(thread) == NULL);
	on(SIGUSR1, 0);
	pthread_create(&thread, NULL, restarted, &argument);
	FAILS(read(pipes[0], &byte, 1), EINTR);
	CHECK(join(thread) == NULL && read(pipes[0], &byte, 1) == 1);
	puts("restarts");
}

/* ---- Processes ---- */

static void many(void)
{
	enum { COUNT = 150 };
	int pipes[2], status, good = 0;
	char byte;

	CHECK(pipe(pipes) == 0);
	for (int i = 0; i < COUNT; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid)
			continue;
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1) == 0 ? i % 100 : 255);
	}
	close(pipes[1]);
	while (wait(&status) > 0)
		good += WIFEXITED(status) && WEXITSTATUS(status) < 100;
	CHECK(good == COUNT);
	close(pipes[0]);
	puts("150 processes");
}

static void new_process(void)
{
	uint64_t arguments[11] = { 0 };
	int descriptor = -1, status;
	char script[] = "#!/bin/sh\necho script $0 $1\n";
	char *argv[] = { "x", "one", NULL }, *none[] = { NULL };
	int file = open("script", O_RDWR | O_CREAT, 0755);
	pid_t pid;

	arguments[0] = 0x1000 /* CLONE_PIDFD */;
	arguments[1] = (uintptr_t)&descriptor;
	arguments[4] = SIGCHLD;
	pid = (pid_t)syscall(SYS_clone3, arguments, sizeof arguments);
	if (!pid)
		_exit(7);
	CHECK(pid > 0 && descriptor >= 0);
	CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
	close(descriptor);
	FAILS(syscall(SYS_clone3, arguments, 8), EINVAL);
	arguments[4] = 99;
	FAILS(syscall(SYS_clone3, arguments, sizeof arguments), EINVAL);
	FAILS(syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0), EINVAL);
	CHECK(write(file, script, sizeof script - 1) == sizeof script - 1);
	close(file);
	fflush(stdout);
	if (!fork()) {
		execve("script", argv, none);
		_exit(1);
	}
	CHECK(wait(&status) > 0 && status == 0);
	file = open("script", O_PATH);
	if (!fork()) {
		dup2(1, 2);
		syscall(SYS_execveat, file, "", argv, none, AT_EMPTY_PATH);
		_exit(1);
	}
	CHECK(wait(&status) > 0 && status == 0);
	close(file);
	FAILS(execve("none", argv, none), ENOENT);
	FAILS(execve("mapped", argv, none), EACCES);
	FAILS(execve("/", argv, none), EACCES);
	FAILS(waitid(P_ALL, 0, NULL, 0), EINVAL);
	FAILS(wait(NULL), ECHILD);
	unlink("script");
	puts("processes");
}

static void limits(void)
{
	struct rlimit limit, was;
	int file, top = -1;

	CHECK(getrlimit(RLIMIT_NOFILE, &was) == 0);
	limit = (struct rlimit){ 20, was.rlim_max };
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	while ((file = dup(0)) >= 0)
		top = file;
	printf("%s after %d\n", strerror(errno), top);
	for (file = 3; file < 20; file++)
		close(file);
	FAILS(dup2(0, 20), EBADF);
	limit = (struct rlimit){ 10, 5 };
	FAILS(setrlimit(RLIMIT_NOFILE, &limit), EINVAL);
	setrlimit(RLIMIT_NOFILE, &was);
	FAILS(getrlimit(99, &limit), EINVAL);
	signal(SIGXFSZ, SIG_IGN);
	limit = (struct rlimit){ 10, RLIM_INFINITY };
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	file = open("mapped", O_RDWR | O_TRUNC);
	CHECK(write(file, "0123456789abc", 13) == 10);
	FAILS(write(file, "x", 1), EFBIG);
	FAILS(ftruncate(file, 11), EFBIG);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	close(file);
	puts("limits");
}

static void attributes(void)
{
	char name[16] = "";
	struct sched_param parameter = { 0 };
	unsigned char set[128] = { 1 };
	int before, wanted;

	CHECK(prctl(PR_SET_NAME, "a-long-thread-name") == 0 &&
	      prctl(PR_GET_NAME, name) == 0 &&
	      !strcmp(name, "a-long-thread-n"));
	CHECK(prctl(PR_SET_PDEATHSIG, SIGTERM) == 0);
	FAILS(prctl(PR_SET_PDEATHSIG, 99), EINVAL);
	CHECK(prctl(PR_GET_DUMPABLE) == 1);
	FAILS(prctl(9999), EINVAL);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	      prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	CHECK(sched_getscheduler(0) == SCHED_OTHER);
	CHECK(sched_setscheduler(0, SCHED_BATCH, &parameter) == 0);
	FAILS(sched_setscheduler(0, 77, &parameter), EINVAL);
	FAILS(sched_getparam(999999, &parameter), ESRCH);
	CHECK(sched_get_priority_max(SCHED_FIFO) == 99);
	CHECK(syscall(SYS_sched_setaffinity, 0, sizeof set, set) == 0);
	/* The tests may run at a lower priority, the simulated program not. */
	before = getpriority(PRIO_PROCESS, 0);
	wanted = before + 3 < 19 ? before + 3 : 19;
	CHECK(nice(3) == wanted && getpriority(PRIO_PROCESS, 0) == wanted);
	FAILS(syscall(100000), ENOSYS);
	puts("attributes");
}

int main(void)
{
	char folder[] = "/tmp/m2s-kernel-XXXXXX";

	setvbuf(stdout, NULL, _IOLBF, 0);
	CHECK(mkdtemp(folder) && chdir(folder) == 0);
	remap();
	advice();
	other_memory();
	futexes();
	mutexes();
	faults();
	signals();
	restarts();
	many();
	new_process();
	limits();
	attributes();
	unlink("mapped");
	CHECK(chdir("/") == 0 && rmdir(folder) == 0);
	return 0;
}
