/* Control that C does not see: ucontext switches, setjmp and longjmp, signals
 * on stacks of their own, faults repaired by their handlers, timers. Output
 * does not depend on timing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- Coroutines ---- */

enum { ROUTINES = 50, STACK = 64 << 10 };
static ucontext_t scheduler, routine[ROUTINES];
static int running, finished;
static double results[ROUTINES];

static void routine_body(int number, int rounds)
{
	volatile double sum = 0;

	for (int i = 1; i <= rounds; i++) {
		/* The rounding mode belongs to the context. */
		fesetround(number % 2 ? FE_UPWARD : FE_DOWNWARD);
		sum += 1.0 / (i + number);
		swapcontext(&routine[number], &scheduler);
	}
	results[number] = sum;
	finished++;
}

static void coroutines(void)
{
	int switches = 0, done[ROUTINES] = { 0 };

	for (int i = 0; i < ROUTINES; i++) {
		getcontext(&routine[i]);
		routine[i].uc_stack.ss_sp = malloc(STACK);
		routine[i].uc_stack.ss_size = STACK;
		routine[i].uc_link = &scheduler;
		makecontext(&routine[i], (void (*)(void))routine_body, 2, i,
			    100 + i);
	}
	while (finished < ROUTINES) {
		int before = finished;

		if (!done[running]) {
			swapcontext(&scheduler, &routine[running]);
			switches++;
			if (finished != before)
				done[running] = 1;
		}
		running = (running + 7) % ROUTINES;
	}
	printf("coroutines %d switches, rounding %d, %.17g %.17g\n", switches,
	       fegetround() == FE_TONEAREST, results[10], results[11]);
	for (int i = 0; i < ROUTINES; i++)
		free(routine[i].uc_stack.ss_sp);
}

/* ---- Jumps ---- */

static jmp_buf levels[100];

static int nest(int level)
{
	int value = setjmp(levels[level]);

	if (value)
		return value + level;
	if (level == 99)
		longjmp(levels[(level * 37) % 99], 1000);
	return nest(level + 1) + 1;
}

static sigjmp_buf escape;
static volatile int faults;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	faults++;
	siglongjmp(escape, signal * 1000 + info->si_code);
}

static void jumps(void)
{
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO };
	int total = 0, codes = 0;
	sigset_t mask;

	for (int i = 0; i < 200; i++)
		total += nest(0);
	printf("jumps %d\n", total);
	sigemptyset(&action.sa_mask);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	for (volatile int i = 0; i < 600; i++) {
		int code = sigsetjmp(escape, 1);
		volatile int zero = 0;

		if (code) {
			codes += code;
			continue;
		}
		if (i % 3 == 0)
			*(volatile int *)(uintptr_t)(i + 16) = 1;
		else if (i % 3 == 1)
			zero = 5 / zero;
		else
			__asm__ volatile("ud2");
	}
	sigprocmask(SIG_BLOCK, NULL, &mask);
	printf("faults %d, codes %d, blocked %d\n", faults, codes,
	       sigismember(&mask, SIGSEGV));
	signal(SIGSEGV, SIG_DFL);
}

/* ---- Repairing ---- */

static char *lazy;
static size_t page;
static volatile int repaired;

static void on_lazy(int signal, siginfo_t *info, void *context)
{
	char *at = (char *)((uintptr_t)info->si_addr & ~(page - 1));

	(void)signal, (void)context;
	if (at < lazy || at >= lazy + 200 * page)
		_exit(99);
	repaired++;
	mprotect(at, page, PROT_READ | PROT_WRITE);
	memset(at, (int)((at - lazy) / (long)page), page);
}

/* Steps over the instruction that divided by zero: idivl %ecx is two bytes. */
static void on_divide(int signal, siginfo_t *info, void *context)
{
	ucontext_t *user = context;

	(void)signal, (void)info;
#ifdef __x86_64__
	user->uc_mcontext.gregs[REG_RIP] += 2;
	user->uc_mcontext.gregs[REG_RAX] = 4711;
#else
	user->uc_mcontext.gregs[REG_EIP] += 2;
	user->uc_mcontext.gregs[REG_EAX] = 4711;
#endif
}

static void repairs(void)
{
	struct sigaction action = { .sa_sigaction = on_lazy,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = malloc(STACK), .ss_size = STACK };
	unsigned sum = 0;
	int quotient;

	page = (size_t)sysconf(_SC_PAGESIZE);
	lazy = mmap(NULL, 200 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < 200; i++)
			sum += (unsigned char)lazy[i * page + i];
	/* Across two pages, by a string instruction. */
	mprotect(lazy, 200 * page, PROT_NONE);
	memcpy(lazy + page - 100, "0123456789", 10);
	memmove(lazy + 3 * page - 5, lazy + page - 105, 300);
	printf("repairs %d, sum %u, %.5s\n", repaired, sum, lazy + 3 * page);
	action.sa_sigaction = on_divide;
	sigaction(SIGFPE, &action, NULL);
	__asm__ volatile("cltd\n\tidivl %%ecx"
			 : "=a"(quotient) : "a"(7), "c"(0) : "edx");
	printf("divide %d\n", quotient);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGFPE, SIG_DFL);
	free(stack.ss_sp);
}

/* ---- Stack overflow ---- */

static int overflow(int n)
{
	volatile char pad[1000];

	pad[0] = (char)n;
	return overflow(n + 1) + pad[0];
}

static void on_overflow(int signal)
{
	(void)signal;
	siglongjmp(escape, 1);
}

static void overflows(void)
{
	stack_t stack = { .ss_sp = malloc(STACK), .ss_size = STACK };
	struct sigaction action = { .sa_handler = on_overflow,
				    .sa_flags = SA_ONSTACK };
	volatile int caught = 0;

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	for (volatile int i = 0; i < 3; i++)
		if (sigsetjmp(escape, 1))
			caught++;
		else
			overflow(0);
	printf("stack overflows %d\n", caught);
	signal(SIGSEGV, SIG_DFL);
}

/* ---- Queues and timers ---- */

static volatile sig_atomic_t order[64], count;

static void on_queued(int signal, siginfo_t *info, void *context)
{
	(void)context;
	order[count++] = (signal - SIGRTMIN) * 100 + info->si_value.sival_int;
}

static volatile sig_atomic_t alarms;
static volatile double kept;

static void on_alarm(int signal)
{
	/* Vector and x87 state must survive this. */
	long double noise = 1.0L;

	(void)signal;
	for (int i = 0; i < 20; i++)
		noise *= 1.5L;
	kept = (double)noise;
	alarms++;
}

static void signals(void)
{
	struct sigaction action = { .sa_sigaction = on_queued,
				    .sa_flags = SA_SIGINFO };
	struct itimerval timer = { { 0, 2000 }, { 0, 2000 } };
	double sum = 0;
	long double wide = 0;
	sigset_t all, old;

	sigfillset(&action.sa_mask);
	for (int i = 0; i < 4; i++)
		sigaction(SIGRTMIN + i, &action, NULL);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	for (int i = 0; i < 24; i++)
		sigqueue(getpid(), SIGRTMIN + (i * 7) % 4,
			 (union sigval){ .sival_int = i });
	sigprocmask(SIG_SETMASK, &old, NULL);
	printf("queue");
	for (int i = 0; i < count; i++)
		printf(" %d", (int)order[i]);
	printf("\n");

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 1; alarms < 5; i = i % 1000 + 1) {
		double a = i, b = a * a, c = b - a;
		long double x = a;

		sum = c / b + a * 3 - b + c;
		wide = x * x / 3 - x;
		if (sum != (a - 1) / a + a * 3 - b + c &&
		    sum != c / b + a * 3 - b + c)
			printf("vector state lost\n");
		if (wide != (long double)i * i / 3 - i)
			printf("x87 state lost\n");
	}
	timer = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("alarms enough, noise %.6f\n", kept);
}

/* ---- Threads and signals ---- */

static pthread_barrier_t barrier;
static volatile sig_atomic_t visits[8];
static __thread int self;

static void on_visit(int signal)
{
	(void)signal;
	visits[self]++;
}

static void *visited(void *number)
{
	sigset_t none;

	self = (int)(intptr_t)number;
	pthread_barrier_wait(&barrier);
	sigemptyset(&none);
	while (visits[self] < 20)
		sigsuspend(&none);
	return NULL;
}

static void threads(void)
{
	pthread_t thread[8];
	sigset_t usr;
	int total = 0;

	signal(SIGUSR1, on_visit);
	sigemptyset(&usr);
	sigaddset(&usr, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &usr, NULL);
	pthread_barrier_init(&barrier, NULL, 9);
	for (int i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, visited, (void *)(intptr_t)i);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 8; i++)
		for (int j = 1; j <= 20; j++) {
			pthread_kill(thread[i], SIGUSR1);
			while (visits[i] < j)
				sched_yield();
		}
	for (int i = 0; i < 8; i++) {
		pthread_join(thread[i], NULL);
		total += visits[i];
	}
	printf("threads %d\n", total);
	pthread_sigmask(SIG_UNBLOCK, &usr, NULL);
}

static void children(void)
{
	int sum = 0, status;

	fflush(stdout);
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid) {
			if (i % 2)
				_exit(i);
			raise(SIGKILL);
		}
		waitpid(pid, &status, 0);
		sum += WIFEXITED(status) ? WEXITSTATUS(status)
					 : 1000 * WTERMSIG(status);
	}
	printf("children %d\n", sum);
}

int main(void)
{
	coroutines();
	jumps();
	repairs();
	overflows();
	signals();
	threads();
	children();
	return 5;
}
