/* ptrace: a tracer and its children, with every stop told. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
#define IP(r) (r).rip
#define SP(r) (r).rsp
#define AX(r) (r).rax
#define ORIGINAL(r) (r).orig_rax
#define FLAGS(r) (r).eflags
#define FIRST(r) (r).rdi
#else
#define IP(r) (r).eip
#define SP(r) (r).esp
#define AX(r) (r).eax
#define ORIGINAL(r) (r).orig_eax
#define FLAGS(r) (r).eflags
#define FIRST(r) (r).ebx
#endif
typedef struct user_regs_struct registers;

static volatile long shared_word = 0x1234567;
static volatile int seen;
static char path[] = "/proc/self/exe";

static void note(int number)
{
	seen = number;
}

static pid_t traced(void (*body)(void))
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		body();
		fflush(stdout);
		_exit(7);
	}
	return child;
}

/* A wait status without what differs between runs. */
static void show(const char *name, int status)
{
	if (WIFSTOPPED(status))
		printf("%s: stopped by %s%s, event %d\n", name,
		       strsignal(WSTOPSIG(status) & 0x7f),
		       WSTOPSIG(status) & 0x80 ? " (call)" : "",
		       status >> 16);
	else if (WIFEXITED(status))
		printf("%s: exited %d\n", name, WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		printf("%s: killed by %s\n", name, strsignal(WTERMSIG(status)));
	else
		printf("%s: %x\n", name, status);
}

static int next(const char *name, pid_t child)
{
	int status = 0;

	if (waitpid(child, &status, __WALL) < 0)
		printf("%s: %s\n", name, strerror(errno));
	else
		show(name, status);
	return status;
}

static void go(int request, pid_t child, long signal)
{
	if (ptrace(request, child, 0, signal) < 0)
		printf("request %d: %s\n", request, strerror(errno));
}

static void show_signal(const char *name, pid_t child)
{
	siginfo_t information;

	memset(&information, 0, sizeof information);
	if (ptrace(PTRACE_GETSIGINFO, child, 0, &information) < 0)
		printf("%s: no siginfo: %s\n", name, strerror(errno));
	else
		printf("%s: signal %d code %d\n", name, information.si_signo,
		       information.si_code);
}

static void finish(const char *name, pid_t child)
{
	int status;

	go(PTRACE_CONT, child, 0);
	while (waitpid(child, &status, __WALL) == child) {
		show(name, status);
		if (!WIFSTOPPED(status))
			return;
		go(PTRACE_CONT, child, 0);
	}
}

static void pause_ms(int ms)
{
	struct timespec time = { 0, ms * 1000000 };

	while (nanosleep(&time, &time))
		;
}

/* ---- Words and registers ---- */

static void nothing(void)
{
	printf("word %lx\n", shared_word);
}

static void words(void)
{
	pid_t child = traced(nothing);
	registers r;
	struct user_fpregs_struct f;
	struct iovec part = { &r, sizeof r };
	long word;

	next("words", child);
	errno = 0;
	word = ptrace(PTRACE_PEEKDATA, child, &shared_word, 0);
	printf("peek %lx\n", word);
	printf("poke %ld\n", ptrace(PTRACE_POKEDATA, child, &shared_word, 0xabcdefL));
	printf("poke of code %ld\n", ptrace(PTRACE_POKETEXT, child, nothing,
		ptrace(PTRACE_PEEKTEXT, child, nothing, 0)));
	errno = 0;
	ptrace(PTRACE_PEEKDATA, child, 8, 0);
	printf("peek of nothing: %s\n", strerror(errno));
	printf("registers %ld\n", ptrace(PTRACE_GETREGS, child, 0, &r));
	errno = 0;
	printf("user: %d %d\n",
	       ptrace(PTRACE_PEEKUSER, child, offsetof(registers, eflags), 0) == FLAGS(r),
	       ptrace(PTRACE_PEEKUSER, child, (char *)&IP(r) - (char *)&r, 0) == IP(r));
	printf("after the call %ld, number %ld\n", (long)AX(r), (long)ORIGINAL(r));
	errno = 0;
	ptrace(PTRACE_PEEKUSER, child, 3, 0);
	printf("unaligned: %s\n", strerror(errno));
	errno = 0;
	ptrace(PTRACE_PEEKUSER, child, 4096, 0);
	printf("too far: %s\n", strerror(errno));
	printf("selectors %lx %lx\n", (long)r.
#ifdef __x86_64__
	       cs, (long)r.ss);
#else
	       xcs, (long)r.xss);
#endif
	memset(&r, 0, sizeof r);
	printf("set %ld", ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &part));
	printf(" size %zu of %zu, %d\n", part.iov_len, sizeof r, IP(r) != 0);
	printf("set back %ld\n", ptrace(PTRACE_SETREGSET, child, NT_PRSTATUS, &part));
	printf("fp %ld", ptrace(PTRACE_GETFPREGS, child, 0, &f));
	printf(" %x\n",
#ifdef __x86_64__
	       f.cwd);
#else
	       (unsigned)f.cwd & 0xffff);
#endif
	printf("fp back %ld\n", ptrace(PTRACE_SETFPREGS, child, 0, &f));
	part = (struct iovec){ &f, sizeof f };
	printf("fp set %ld size %d\n", ptrace(PTRACE_GETREGSET, child, NT_PRFPREG, &part),
	       (int)part.iov_len);
	printf("no such set %ld", ptrace(PTRACE_GETREGSET, child, 0x7777, &part));
	printf(" %s\n", strerror(errno));
	finish("words", child);
}

/* ---- Calls ---- */

static void some_calls(void)
{
	syscall(SYS_getppid);
	syscall(SYS_close, -1);
	syscall(SYS_getpgid, 0);
}

static void calls(void)
{
	pid_t child = traced(some_calls);
	int status, rounds = 0;

	status = next("calls", child);
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD);
	go(PTRACE_SYSCALL, child, 0);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		struct __ptrace_syscall_info info = { 0 };
		registers r;
		long size = ptrace(PTRACE_GET_SYSCALL_INFO, child,
				   (void *)sizeof info, &info);

		ptrace(PTRACE_GETREGS, child, 0, &r);
		if (rounds++ < 8) {
			show("call", status);
			printf("  info %ld op %d nr %d", size, info.op,
			       (int)ORIGINAL(r));
			if (info.op == 1)
				printf(" same %d rax %d\n",
				       (int)info.entry.nr == (int)ORIGINAL(r),
				       (int)AX(r));
			else
				printf(" error %d %d\n", info.exit.is_error,
				       info.exit.is_error ? (int)info.exit.rval : 0);
			show_signal("call", child);
		}
		/* getppid becomes getuid's number of another life; close(-1)
		 * is not made at all */
		if (info.op == 1 && (int)ORIGINAL(r) == SYS_getpgid) {
			ORIGINAL(r) = SYS_getppid;
			ptrace(PTRACE_SETREGS, child, 0, &r);
		} else if (info.op == 1 && (int)ORIGINAL(r) == SYS_close) {
			ORIGINAL(r) = -1;
			AX(r) = -77;
			ptrace(PTRACE_SETREGS, child, 0, &r);
		}
		go(PTRACE_SYSCALL, child, 0);
	}
	show("calls", status);
}

/* ---- Signals ---- */

static void some_signals(void)
{
	signal(SIGUSR1, note);
	signal(SIGUSR2, note);
	raise(SIGUSR1);
	printf("got %d\n", seen);
	seen = 0;
	raise(SIGUSR1);
	printf("got %d\n", seen);
	seen = 0;
	raise(SIGUSR2);
	printf("got %d\n", seen);
	raise(SIGWINCH); /* ignored, and still told */
	fflush(stdout);
	raise(SIGTERM);
	*(volatile int *)8 = 1;
}

static void signals(void)
{
	pid_t child = traced(some_signals);
	siginfo_t information;
	uint64_t mask = 0;

	next("signals", child);
	go(PTRACE_CONT, child, 0);
	next("changed", child);
	show_signal("changed", child);
	ptrace(PTRACE_GETSIGINFO, child, 0, &information);
	printf("from itself %d\n", information.si_pid == child);
	printf("mask %ld %lx\n", ptrace(PTRACE_GETSIGMASK, child, 8, &mask),
	       (long)mask);
	go(PTRACE_CONT, child, SIGUSR2);
	next("dropped", child);
	go(PTRACE_CONT, child, 0);
	next("delivered", child);
	go(PTRACE_CONT, child, SIGUSR2);
	next("ignored", child);
	go(PTRACE_CONT, child, SIGWINCH);
	next("term", child);
	go(PTRACE_CONT, child, 0);
	next("fault", child);
	show_signal("fault", child);
	printf("invalid %ld\n", ptrace(PTRACE_CONT, child, 0, 99));
	go(PTRACE_CONT, child, SIGSEGV);
	next("fault", child);
}

static void blocks(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	syscall(SYS_tkill, getpid(), SIGUSR1);
	kill(getpid(), SIGUSR2);
	raise(SIGTRAP);
}

static void pending(void)
{
	pid_t child = traced(blocks);
	struct __ptrace_peeksiginfo_args own = { 0, 0, 4 }, shared = { 0, 1, 4 };
	siginfo_t list[4];

	next("pending", child);
	go(PTRACE_CONT, child, 0);
	next("pending", child);
	printf("own %ld", ptrace(PTRACE_PEEKSIGINFO, child, &own, list));
	printf(" %d", list[0].si_signo);
	printf(" shared %ld", ptrace(PTRACE_PEEKSIGINFO, child, &shared, list));
	printf(" %d\n", list[0].si_signo);
	finish("pending", child);
}

/* ---- Steps and breakpoints ---- */

static void straight(void)
{
	long flags;

	__asm__ volatile("int3\n\tnop\n\tnop\n\tpushf\n\tpop %0\n\tnop\n\t"
			 "int3\n\tnop\n\tnop"
			 : "=r"(flags) : : "memory", "cc");
	syscall(SYS_getppid);
	signal(SIGUSR1, note);
	raise(SIGUSR1);
}

static void steps(void)
{
	pid_t child = traced(straight);
	unsigned long before;
	registers r;

	next("steps", child);
	go(PTRACE_CONT, child, 0);
	next("breakpoint", child);
	show_signal("breakpoint", child);
	for (int i = 0; i < 8; i++) {
		ptrace(PTRACE_GETREGS, child, 0, &r);
		before = IP(r);
		go(PTRACE_SINGLESTEP, child, 0);
		next("step", child);
		show_signal("step", child);
		ptrace(PTRACE_GETREGS, child, 0, &r);
		printf("%ld bytes, TF %d\n", (long)(IP(r) - before),
		       (int)FLAGS(r) >> 8 & 1);
	}
	/* Into a handler. */
	go(PTRACE_CONT, child, 0);
	next("to the signal", child);
	go(PTRACE_SINGLESTEP, child, SIGUSR1);
	next("handler", child);
	show_signal("handler", child);
	ptrace(PTRACE_GETREGS, child, 0, &r);
	printf("at its beginning %d\n", IP(r) == (unsigned long)note);
	finish("steps", child);
}

/* A call, stepped over. */
static void one_call(void)
{
#ifdef __x86_64__
	__asm__ volatile("int3\n\tsyscall\n\tnop"
			 : : "a"(SYS_getppid) : "rcx", "r11", "memory");
#else
	__asm__ volatile("int3\n\tint $0x80\n\tnop"
			 : : "a"(SYS_getppid) : "memory");
#endif
}

static void step_over_call(void)
{
	pid_t child = traced(one_call);
	registers r;
	unsigned long before;

	next("step over call", child);
	go(PTRACE_CONT, child, 0);
	next("step over call", child);
	for (int i = 0; i < 2; i++) {
		ptrace(PTRACE_GETREGS, child, 0, &r);
		before = IP(r);
		go(PTRACE_SINGLESTEP, child, 0);
		next("step", child);
		show_signal("step", child);
		ptrace(PTRACE_GETREGS, child, 0, &r);
		printf("%ld bytes, %d\n", (long)(IP(r) - before),
		       i || AX(r) == getpid());
	}
	finish("step over call", child);
}

__attribute__((noinline)) static int target(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static void call_target(void)
{
	printf("target %d\n", target(4));
	shared_word = 5;
	printf("word %ld\n", shared_word + target(1));
}

static void breakpoints(void)
{
	pid_t child = traced(call_target);
	long word;
	registers r;

	next("breakpoints", child);
	word = ptrace(PTRACE_PEEKTEXT, child, target, 0);
	ptrace(PTRACE_POKETEXT, child, target, (word & ~0xffL) | 0xcc);
	go(PTRACE_CONT, child, 0);
	next("at target", child);
	ptrace(PTRACE_GETREGS, child, 0, &r);
	printf("behind it %d\n", IP(r) == (unsigned long)target + 1);
	IP(r)--;
	ptrace(PTRACE_SETREGS, child, 0, &r);
	ptrace(PTRACE_POKETEXT, child, target, word);
	finish("breakpoints", child);
}

#define DEBUG_REGISTER(n) \
	(void *)(offsetof(struct user, u_debugreg) + (n) * sizeof(long))

static void hardware(void)
{
	pid_t child = traced(call_target);
	registers r;

	next("hardware", child);
	printf("set %ld %ld", ptrace(PTRACE_POKEUSER, child, DEBUG_REGISTER(0), target),
	       ptrace(PTRACE_POKEUSER, child, DEBUG_REGISTER(1), &shared_word));
	/* 0: execute; 1: write, as many bytes as a word */
	printf(" %ld\n", ptrace(PTRACE_POKEUSER, child, DEBUG_REGISTER(7),
			       5L | 1L << 20 | (sizeof(long) == 8 ? 2L : 3L) << 22));
	for (int i = 0; i < 3; i++) {
		go(PTRACE_CONT, child, 0);
		next("hardware", child);
		show_signal("hardware", child);
		ptrace(PTRACE_GETREGS, child, 0, &r);
		errno = 0;
		printf("status %lx, at target %d, RF %d\n",
		       ptrace(PTRACE_PEEKUSER, child, DEBUG_REGISTER(6), 0) & 0xf,
		       IP(r) == (unsigned long)target, (int)FLAGS(r) >> 16 & 1);
		if (i == 1)
			printf("written %ld\n", ptrace(PTRACE_PEEKDATA, child, &shared_word, 0));
	}
	printf("io %ld", ptrace(PTRACE_POKEUSER, child, DEBUG_REGISTER(7), 1L | 2L << 16));
	printf(" %s\n", strerror(errno));
	printf("off %ld\n", ptrace(PTRACE_POKEUSER, child, DEBUG_REGISTER(7), 0));
	finish("hardware", child);
}

/* ---- Events ---- */

static void *thread(void *argument)
{
	return argument;
}

static void births(void)
{
	pthread_t id;
	pid_t child = fork();
	int status;

	if (!child)
		_exit(3);
	waitpid(child, &status, 0);
	child = vfork();
	if (!child)
		_exit(4);
	waitpid(child, &status, 0);
	pthread_create(&id, NULL, thread, NULL);
	pthread_join(id, NULL);
	pause_ms(50); /* its end is told before that of the process */
}

/* Tells whatever happens: children have names in order of birth. */
static void follow(const char *name, pid_t first, int request)
{
	pid_t known[8] = { first };
	int count = 1, status;
	char text[64];
	pid_t id;

	go(request, first, 0);
	/* One after the other, so that the order is the same always. */
	for (;;) {
		int deliver = 0, index = 0;
		unsigned long message = 0;

		for (index = count - 1; index >= 0; index--)
			if (known[index] &&
			    (id = waitpid(known[index], &status, __WALL)) > 0)
				break;
		if (index < 0)
			return;
		snprintf(text, sizeof text, "%s %d", name, index);
		show(text, status);
		if (!WIFSTOPPED(status)) {
			known[index] = 0;
			continue;
		}
		ptrace(PTRACE_GETEVENTMSG, id, 0, &message);
		switch (status >> 16) {
		case PTRACE_EVENT_FORK:
		case PTRACE_EVENT_VFORK:
		case PTRACE_EVENT_CLONE:
			known[count++] = message;
			break;
		case PTRACE_EVENT_EXIT:
			printf("%s: exits with %lx\n", text, message);
			break;
		case PTRACE_EVENT_VFORK_DONE:
			printf("%s: done %d\n", text, message == known[2]);
			break;
		case PTRACE_EVENT_EXEC:
			printf("%s: was %d\n", text, message == id);
			break;
		case 0:
			if (WSTOPSIG(status) != SIGSTOP &&
			    WSTOPSIG(status) != SIGTRAP)
				deliver = WSTOPSIG(status);
		}
		go(request, id, deliver);
	}
}

static void events(void)
{
	pid_t child = traced(births);

	next("events", child);
	ptrace(PTRACE_SETOPTIONS, child, 0,
	       PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
		       PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXIT);
	follow("events", child, PTRACE_CONT);
}

static void runs(void)
{
	execl(path, "traced", "hello", NULL);
}

static void execution(void)
{
	pid_t child = traced(runs);

	next("exec", child);
	finish("exec", child);
	child = traced(runs);
	next("exec event", child);
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT);
	follow("exec event", child, PTRACE_CONT);
}

/* ---- Attaching ---- */

static pid_t sleeper(int ms)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		struct timespec time = { 0, ms * 1000000 };
		int result = nanosleep(&time, NULL);

		printf("slept: %d\n", result);
		fflush(stdout);
		_exit(result ? 1 : 9);
	}
	pause_ms(50);
	return child;
}

static void attach(void)
{
	pid_t child = sleeper(300);
	int status;

	printf("attach %ld\n", ptrace(PTRACE_ATTACH, child, 0, 0));
	printf("again %ld", ptrace(PTRACE_ATTACH, child, 0, 0));
	printf(" %s\n", strerror(errno));
	next("attach", child);
	show_signal("attach", child);
	printf("detach %ld\n", ptrace(PTRACE_DETACH, child, 0, 0));
	printf("not traced %ld", ptrace(PTRACE_CONT, child, 0, 0));
	printf(" %s\n", strerror(errno));
	next("attach", child);
	/* What the interrupted call looks like. */
	child = sleeper(300);
	ptrace(PTRACE_ATTACH, child, 0, 0);
	next("attached", child);
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD);
	{
		registers r;

		ptrace(PTRACE_GETREGS, child, 0, &r);
		printf("in the call: %ld %d\n", (long)(int)AX(r),
		       (int)ORIGINAL(r) != -1);
		go(PTRACE_SYSCALL, child, 0);
		next("attached", child);
		ptrace(PTRACE_GETREGS, child, 0, &r);
		printf("again: %d\n", (int)ORIGINAL(r) == SYS_restart_syscall);
		go(PTRACE_SYSCALL, child, 0);
		next("attached", child);
		ptrace(PTRACE_GETREGS, child, 0, &r);
		printf("result %ld\n", (long)(int)AX(r));
	}
	finish("attached", child);
	printf("own process %ld", ptrace(PTRACE_ATTACH, getpid(), 0, 0));
	printf(" %s\n", strerror(errno));
	printf("nobody %ld", ptrace(PTRACE_ATTACH, 0x3fffff, 0, 0));
	printf(" %s\n", strerror(errno));
	(void)status;
}

static void seize(void)
{
	pid_t child = sleeper(400);
	siginfo_t information;

	printf("seize %ld\n", ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_TRACESYSGOOD));
	printf("runs %ld", ptrace(PTRACE_CONT, child, 0, 0));
	printf(" %s\n", strerror(errno));
	printf("interrupt %ld\n", ptrace(PTRACE_INTERRUPT, child, 0, 0));
	next("interrupt", child);
	show_signal("interrupt", child);
	printf("listen %ld\n", ptrace(PTRACE_LISTEN, child, 0, 0));
	printf("interrupt %ld\n", ptrace(PTRACE_INTERRUPT, child, 0, 0));
	next("listening", child);
	go(PTRACE_CONT, child, 0);
	kill(child, SIGTSTP);
	next("tstp", child);
	go(PTRACE_CONT, child, SIGTSTP);
	next("group stop", child);
	show_signal("group stop", child);
	go(PTRACE_LISTEN, child, 0);
	kill(child, SIGCONT);
	next("continued", child);
	go(PTRACE_CONT, child, 0);
	next("SIGCONT", child);
	go(PTRACE_CONT, child, SIGCONT);
	next("seize", child);
	(void)information;
}

static void stops(void)
{
	pid_t child = sleeper(200);
	siginfo_t information;

	/* Stopped before anybody traces it, and by somebody who does not
	 * seize. */
	ptrace(PTRACE_ATTACH, child, 0, 0);
	next("stops", child);
	go(PTRACE_CONT, child, SIGSTOP);
	next("group stop", child);
	show_signal("group stop", child);
	go(PTRACE_CONT, child, 0);
	next("stops", child);
	child = sleeper(200);
	ptrace(PTRACE_ATTACH, child, 0, 0);
	memset(&information, 0, sizeof information);
	waitid(P_PID, child, &information, WSTOPPED | WNOWAIT);
	printf("waitid: code %d status %d\n", information.si_code, information.si_status);
	printf("kill %ld\n", ptrace(PTRACE_KILL, child, 0, 0));
	next("kill", child);
}

/* ---- The tracer ends ---- */

static void tracer_ends(void)
{
	for (int kill_too = 0; kill_too < 2; kill_too++) {
		int ends[2];
		char byte;
		pid_t child, tracer;

		if (pipe(ends))
			return;
		child = sleeper(150);
		tracer = fork();
		if (!tracer) {
			ptrace(PTRACE_SEIZE, child, 0,
			       kill_too ? PTRACE_O_EXITKILL : 0);
			ptrace(PTRACE_INTERRUPT, child, 0, 0);
			waitpid(child, NULL, __WALL);
			write(ends[1], "x", 1);
			pause_ms(50);
			_exit(0);
		}
		read(ends[0], &byte, 1);
		printf("traced by another: %d\n", waitpid(child, NULL, WNOHANG));
		next("tracer", tracer);
		next("tracee", child);
	}
}

/* The parent learns of an end when the tracer has. */
static void another_traces(void)
{
	pid_t child = sleeper(100), tracer = fork();
	int status;

	if (!tracer) {
		ptrace(PTRACE_SEIZE, child, 0, 0);
		pause_ms(100);
		next("told first", child);
		printf("once: %d\n", (int)waitpid(child, NULL, __WALL));
		fflush(stdout);
		_exit(0);
	}
	next("told then", child);
	next("tracer", tracer);
	(void)status;
}

static void other_memory(void)
{
	long word = 0, other = 77;
	struct iovec local = { &word, sizeof word };
	struct iovec remote = { (void *)&shared_word, sizeof word };
	pid_t child = traced(nothing);

	next("other memory", child);
	printf("read %d %lx\n", (int)process_vm_readv(child, &local, 1, &remote, 1, 0), word);
	local.iov_base = &other;
	printf("written %d\n", (int)process_vm_writev(child, &local, 1, &remote, 1, 0));
	finish("other memory", child);
}

static void told(void)
{
	char line[128];
	FILE *file = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof line, file))
		if (!strncmp(line, "TracerPid", 9))
			printf("traced by the parent: %d\n",
			       atoi(line + 10) == getppid());
	fclose(file);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{ "words", words }, { "calls", calls },
		{ "signals", signals }, { "pending", pending },
		{ "steps", steps }, { "step-call", step_over_call },
		{ "breakpoints", breakpoints }, { "hardware", hardware },
		{ "events", events }, { "exec", execution },
		{ "attach", attach }, { "seize", seize }, { "stops", stops },
		{ "tracer-ends", tracer_ends }, { "another", another_traces },
		{ "memory", other_memory },
	};
	pid_t child;

	if (argc > 1 && !strcmp(argv[1], "hello")) {
		puts("hello");
		return 5;
	}
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (argc > 1 && strcmp(argv[1], parts[i].name))
			continue;
		printf("---- %s\n", parts[i].name);
		parts[i].run();
	}
	child = traced(told);
	next("told", child);
	finish("told", child);
	return 0;
}
