/* Handlers, masks, faults and how they are told, alternate stacks, timers. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf escape;
static volatile sig_atomic_t seen, ticks;
static volatile siginfo_t last;
static int pipe_ends[2];

static void note(int number)
{
	seen = number;
}

static void tick(int number)
{
	(void)number;
	ticks++;
}

static void fault(int number, siginfo_t *information, void *context)
{
	(void)context;
	last = *information;
	siglongjmp(escape, number);
}

static void on_alternate(int number, siginfo_t *information, void *context)
{
	const ucontext_t *from = context;
	char here;

	(void)information;
	seen = (&here >= (char *)from->uc_stack.ss_sp &&
		&here < (char *)from->uc_stack.ss_sp +
				from->uc_stack.ss_size) ? number : -1;
	siglongjmp(escape, number);
}

/* Skips the instruction that faulted: two bytes, ud2. */
static void skip(int number, siginfo_t *information, void *context)
{
	ucontext_t *from = context;

	(void)information;
	seen = number;
#ifdef __x86_64__
	from->uc_mcontext.gregs[REG_RIP] += 2;
#else
	from->uc_mcontext.gregs[REG_EIP] += 2;
#endif
}

/* Spoils floating-point state, which the return must bring back. */
static void spoil(int number)
{
	volatile double x = 2;
	volatile long double y = 3;

	(void)number;
	x = sqrt(x) * 7;
	y = y / 7 + x;
	seen = y > 0;
}

static void install(int number, void (*handler)(int, siginfo_t *, void *),
		    int flags)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | flags };

	action.sa_sigaction = handler;
	sigaction(number, &action, NULL);
}

static int recurse(int n)
{
	volatile char space[4096];

	space[0] = (char)n;
	return recurse(n + 1) + space[0];
}

static void *sender(void *argument)
{
	usleep(2000);
	pthread_kill(*(pthread_t *)argument, SIGUSR1);
	return NULL;
}

static void faults(void)
{
	volatile int zero = 0, one = 1;
	volatile int *wild = (int *)(uintptr_t)0x1230;
	char *page;
	int number;

	install(SIGSEGV, fault, 0);
	install(SIGFPE, fault, 0);
	install(SIGILL, fault, 0);
	install(SIGBUS, fault, 0);
	if (!(number = sigsetjmp(escape, 1)))
		*wild = 1;
	printf("signal %d code %d address %p\n", number, last.si_code,
	       last.si_addr);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!(number = sigsetjmp(escape, 1)))
		page[16] = 1;
	printf("signal %d code %d offset %d\n", number, last.si_code,
	       (int)((char *)last.si_addr - page));
	if (!(number = sigsetjmp(escape, 1)))
		one = one / zero;
	printf("signal %d code %d\n", number, last.si_code);
	if (!(number = sigsetjmp(escape, 1)))
		((void (*)(void))page)();
	printf("signal %d code %d offset %d\n", number, last.si_code,
	       (int)((char *)last.si_addr - page));
	if (!(number = sigsetjmp(escape, 1)))
		__asm__ volatile("ud2");
	printf("signal %d code %d\n", number, last.si_code);
	install(SIGILL, skip, 0);
	__asm__ volatile("ud2");
	printf("skipped after %d\n", seen);
}

static void alternate(void)
{
	static char space[65536];
	stack_t stack = { .ss_sp = space, .ss_size = sizeof space };

	sigaltstack(&stack, NULL);
	install(SIGSEGV, on_alternate, SA_ONSTACK);
	if (!sigsetjmp(escape, 1))
		printf("%d\n", recurse(0));
	printf("stack overflow: %d\n", seen);
	signal(SIGSEGV, SIG_DFL);
}

static void timers(void)
{
	struct itimerval interval = { { 0, 3000 }, { 0, 3000 } };
	struct itimerspec once = { { 0, 0 }, { 0, 2000000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGRTMIN + 1 };
	struct signalfd_siginfo information;
	uint64_t expirations;
	sigset_t set;
	siginfo_t got;
	timer_t timer;
	int file;

	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &interval, NULL);
	while (ticks < 3)
		pause();
	memset(&interval, 0, sizeof interval);
	setitimer(ITIMER_REAL, &interval, NULL);
	printf("three ticks\n");
	alarm(1);
	printf("alarm left %u\n", alarm(0));
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	event.sigev_value.sival_int = 77;
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &once, NULL);
	printf("sigwaitinfo %d", sigwaitinfo(&set, &got) == SIGRTMIN + 1);
	printf(" value %d code %d\n", got.si_value.sival_int,
	       got.si_code == SI_TIMER);
	timer_delete(timer);
	file = timerfd_create(CLOCK_MONOTONIC, 0);
	timerfd_settime(file, 0, &once, NULL);
	printf("timerfd %zd", read(file, &expirations, 8));
	printf(" %d\n", (int)expirations);
	close(file);
	file = signalfd(-1, &set, 0);
	sigqueue(getpid(), SIGRTMIN + 1, (union sigval){ .sival_int = 5 });
	printf("signalfd %zd", read(file, &information, sizeof information));
	printf(" %d\n", information.ssi_int);
	close(file);
}

int main(void)
{
	double before = 1.25;
	struct sigaction action = { .sa_handler = note };
	sigset_t set, old;
	pthread_t self = pthread_self(), other;
	char byte;

	setvbuf(stdout, NULL, _IONBF, 0);
	signal(SIGUSR1, note);
	raise(SIGUSR1);
	printf("handled %d\n", seen == SIGUSR1);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	signal(SIGUSR2, note);
	sigprocmask(SIG_BLOCK, &set, &old);
	seen = 0;
	kill(getpid(), SIGUSR2);
	sigpending(&set);
	printf("blocked %d pending %d\n", seen, sigismember(&set, SIGUSR2));
	sigprocmask(SIG_SETMASK, &old, NULL);
	printf("unblocked %d\n", seen == SIGUSR2);
	signal(SIGUSR1, spoil);
	raise(SIGUSR1);
	printf("floating point %f %d\n", before * 2, seen);
	faults();
	alternate();
	timers();
	/* EINTR and SA_RESTART. */
	if (pipe(pipe_ends))
		return 1;
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&other, NULL, sender, &self);
	printf("read %zd", read(pipe_ends[0], &byte, 1));
	printf(" %s\n", strerror(errno));
	pthread_join(other, NULL);
	signal(SIGPIPE, SIG_IGN);
	close(pipe_ends[0]);
	printf("write %zd", write(pipe_ends[1], "x", 1));
	printf(" %s\n", strerror(errno));
	return 0;
}
