/* seccomp: strict mode and filters. "filters probe" tells whether the system
 * has them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_I386
#endif
#define FIELD(name) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define SIZE(list) (sizeof(list) / sizeof *(list))

static void show(const char *what, long result)
{
	printf("%s: %ld %s\n", what, result, result < 0 ? strerror(errno) : "");
	fflush(stdout);
}

static int filter(unsigned flags, const struct sock_filter *code, int count)
{
	struct sock_fprog program = { count, (struct sock_filter *)code };

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* A call gets this verdict, others are made. */
static int rule(unsigned flags, int number, uint32_t verdict)
{
	struct sock_filter code[] = {
		FIELD(nr),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, verdict),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return filter(flags, code, SIZE(code));
}

/* Runs in a child, which may come to a bad end. */
static void child(const char *what, void (*part)(void))
{
	int status;

	printf("-- %s\n", what);
	fflush(stdout);
	if (!fork()) {
		struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		part();
		fflush(stdout);
		syscall(SYS_exit_group, 0);
	}
	wait(&status);
	if (WIFSIGNALED(status))
		printf("ended by %s\n", strsignal(WTERMSIG(status)));
	else
		printf("status %d\n", WEXITSTATUS(status));
}

/* ---- Arguments ---- */

static void arguments(void)
{
	static struct sock_filter many[4097];
	const struct sock_filter allow =
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	static const uint32_t actions[] = {
		SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD,
		SECCOMP_RET_TRAP, SECCOMP_RET_ERRNO, SECCOMP_RET_TRACE,
		SECCOMP_RET_LOG, SECCOMP_RET_ALLOW, 0x12340000,
	};

	for (size_t i = 0; i < SIZE(many); i++)
		many[i] = allow;
	show("unknown operation", syscall(SYS_seccomp, 99, 0, 0));
	show("strict with flags", syscall(SYS_seccomp, 0, 1, 0));
	show("strict with an argument", syscall(SYS_seccomp, 0, 0, 8));
	show("unknown flags", filter(0x8000, &allow, 1));
	show("no program", syscall(SYS_seccomp, 1, 0, 0));
	show("bad program", syscall(SYS_seccomp, 1, 0, 8));
	show("bad instructions", filter(0, (void *)8, 1));
	show("none", filter(0, &allow, 0));
	show("too many", filter(0, many, 4097));
	show("prctl, unknown mode", prctl(PR_SET_SECCOMP, 7, 0));
	show("prctl, bad program", prctl(PR_SET_SECCOMP, 2, 8));
	show("prctl, mode", prctl(PR_GET_SECCOMP));
	for (size_t i = 0; i < SIZE(actions); i++)
		show("action", syscall(SYS_seccomp, 2, 0, actions + i));
	show("action with flags", syscall(SYS_seccomp, 2, 1, actions));
	show("bad action", syscall(SYS_seccomp, 2, 0, 8));
	show("many", filter(0, many, 4096));
	show("prctl, mode", prctl(PR_GET_SECCOMP));
	show("strict with filters", syscall(SYS_seccomp, 0, 0, 0));
	/* Linux counts what it makes of them: not how many fit is compared. */
	for (int i = 0; i < 20; i++)
		if (filter(0, many, 4096)) {
			show("more", -1);
			break;
		}
}

static void rights(void)
{
	const struct sock_filter allow =
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	int status;

	printf("-- without rights\n");
	fflush(stdout);
	if (!fork()) {
		if (getuid() == 0) {
			setresgid(65534, 65534, 65534);
			setresuid(65534, 65534, 65534);
		}
		show("filter", filter(0, &allow, 1));
		show("empty", filter(0, &allow, 0));
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		show("without new privileges", filter(0, &allow, 1));
		_exit(0);
	}
	wait(&status);
}

/* ---- Programs ---- */

/* Which instructions a filter may have: each alone before a RET. */
static void instructions(void)
{
	static const uint32_t values[] = { 0, 1, 3, 15, 16, 31, 32, 60, 64,
					   0xfffffffc };
	unsigned sum = 0, good = 0;

	for (unsigned code = 0; code < 0x200; code++)
		for (size_t i = 0; i < SIZE(values); i++) {
			struct sock_filter program[] = {
				BPF_STMT(BPF_ST, 15),
				{ code, code % 3, code % 2, values[i] },
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
			};
			int result;

			/* What decides by itself would end this program. */
			if (BPF_CLASS(code) == BPF_RET)
				program[1].k = SECCOMP_RET_ALLOW;
			if (code == (BPF_RET | BPF_A))
				continue;
			/* The total length is limited: a filter each. */
			if (!vfork()) {
				result = filter(0, program, SIZE(program));
				_exit(result ? errno : 0);
			}
			wait(&result);
			sum = sum * 31 + code * 7 + i + WEXITSTATUS(result);
			good += !result;
		}
	printf("instructions: %u good, sum %x\n", good, sum);
}

static void memory(void)
{
	const struct sock_filter one_way[] = {
		FIELD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
		BPF_STMT(BPF_ST, 3), BPF_STMT(BPF_LD | BPF_MEM, 3),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	}, both_ways[] = {
		FIELD(nr), BPF_STMT(BPF_ST, 3),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
		BPF_STMT(BPF_ST, 4), BPF_STMT(BPF_LD | BPF_MEM, 3),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	}, never_reached[] = {
		BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
		BPF_STMT(BPF_LD | BPF_MEM, 3),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	}, no_end[] = {
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), FIELD(nr),
	};

	show("written on one way", filter(0, one_way, SIZE(one_way)));
	show("written on both", filter(0, both_ways, SIZE(both_ways)));
	show("never reached", filter(0, never_reached, SIZE(never_reached)));
	show("no end", filter(0, no_end, SIZE(no_end)));
}

/* The machine: getpriority() answers what a program calculates from its
 * arguments, as an errno. */
static void calculations(void)
{
	const struct sock_filter code[] = {
		FIELD(nr),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpriority, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		FIELD(args[0]), BPF_STMT(BPF_ST, 0),
		FIELD(args[1]), BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_MEM, 0),
		BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0),
		BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, 77),
		BPF_STMT(BPF_ALU | BPF_XOR | BPF_X, 0),
		BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, 1000),
		BPF_STMT(BPF_ALU | BPF_NEG, 0),
		BPF_STMT(BPF_ST, 1),
		BPF_STMT(BPF_LDX | BPF_W | BPF_LEN, 0),
		BPF_STMT(BPF_STX, 2),
		BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
		BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 3),
		BPF_STMT(BPF_LDX | BPF_MEM, 1),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_X, 0, 0, 1),
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 5),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x40, 1, 0),
		BPF_STMT(BPF_ALU | BPF_OR | BPF_X, 0),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x1000, 0, 2),
		BPF_STMT(BPF_MISC | BPF_TXA, 0),
		BPF_JUMP(BPF_JMP | BPF_JA, 0, 0, 0),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xfff),
		BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};
	unsigned seed = 1;

	show("machine", filter(0, code, SIZE(code)));
	for (int i = 0; i < 200; i++) {
		unsigned a = seed = seed * 1664525 + 1013904223;
		unsigned b = seed = seed * 1664525 + 1013904223;
		long result = syscall(SYS_getpriority, a >> i % 32,
				      b >> i % 29 | 1);

		printf("%d ", result < 0 ? errno : (int)result);
	}
	printf("\nnow by zero\n");
	fflush(stdout);
	syscall(SYS_getpriority, 5, 0);
}

/* ---- Verdicts ---- */

static void strict(void)
{
	show("strict", prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
	write(1, "written\n", 8);
	syscall(SYS_exit, 7);
}

static void strict_breach(void)
{
	syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, 0);
	write(1, "written\n", 8);
	syscall(SYS_getpid);
	write(1, "not ended\n", 10);
}

static void errors(void)
{
	show("rule", rule(0, SYS_uname, SECCOMP_RET_ERRNO | 7));
	show("uname", syscall(SYS_uname, 0));
	show("rule", rule(0, SYS_uname, SECCOMP_RET_ERRNO | 0xffff));
	errno = 0;
	show("uname, two filters", syscall(SYS_uname, 0));
	show("rule", rule(0, SYS_getppid, SECCOMP_RET_ERRNO));
	show("getppid", syscall(SYS_getppid));
	show("rule", rule(0, SYS_getsid, SECCOMP_RET_TRACE | 5));
	show("getsid", syscall(SYS_getsid, 0));
	show("rule", rule(0, SYS_getsid, SECCOMP_RET_LOG));
	show("getsid", syscall(SYS_getsid, 0));
	show("rule", rule(0, SYS_getuid, SECCOMP_RET_LOG));
	printf("getuid: %d\n", getuid() == geteuid());
	show("rule", rule(0, SYS_getpgid, 0x7fc00000));
	show("getpgid", syscall(SYS_getpgid, 0));
}

static void killed_process(void)
{
	rule(0, SYS_getppid, SECCOMP_RET_KILL_PROCESS);
	rule(0, SYS_getppid, SECCOMP_RET_ERRNO | 1);
	getppid();
}

static void killed_thread(void)
{
	rule(0, SYS_getppid, SECCOMP_RET_KILL_THREAD);
	getppid();
}

static void killed_otherwise(void)
{
	rule(0, SYS_getppid, 0x12340000);
	getppid();
}

static void *breach(void *argument)
{
	syscall(SYS_getppid);
	printf("not ended\n");
	return argument;
}

static void killed_other_thread(void)
{
	pthread_t thread;

	rule(0, SYS_getppid, SECCOMP_RET_KILL_THREAD);
	pthread_create(&thread, NULL, breach, NULL);
	usleep(200000);
	printf("first thread goes on\n");
}

/* A handler sees the call and can do it itself. */
static void handler(int number, siginfo_t *information, void *where)
{
	ucontext_t *frame = where;
#ifdef __x86_64__
	greg_t *result = &frame->uc_mcontext.gregs[REG_RAX];
	greg_t place = frame->uc_mcontext.gregs[REG_RIP];
#else
	greg_t *result = &frame->uc_mcontext.gregs[REG_EAX];
	greg_t place = frame->uc_mcontext.gregs[REG_EIP];
#endif

	printf("signal %d, code %d, data %d, call %d, arch %x, here %d, "
	       "register %d\n", number, information->si_code,
	       information->si_errno, information->si_syscall == SYS_getppid,
	       information->si_arch,
	       (greg_t)(long)information->si_call_addr == place,
	       *result == SYS_getppid);
	*result = 1234;
}

static void trapped(void)
{
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO };
	sigset_t set;

	sigaction(SIGSYS, &action, NULL);
	rule(0, SYS_getppid, SECCOMP_RET_TRAP | 42);
	show("getppid", syscall(SYS_getppid));
	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	sigprocmask(SIG_BLOCK, &set, NULL);
	syscall(SYS_getppid);
	printf("not ended\n");
}

/* ---- Who has filters ---- */

static void *in_thread(void *argument)
{
	show("in a thread", syscall(SYS_getppid) > 0);
	return argument;
}

static volatile int done;

static void *waits(void *argument)
{
	while (!done)
		usleep(1000);
	show("synchronized", syscall(SYS_getpgrp));
	show("its mode", prctl(PR_GET_SECCOMP));
	return argument;
}

static void *has_own(void *argument)
{
	rule(0, SYS_getpgid, SECCOMP_RET_ALLOW);
	*(int *)argument = syscall(SYS_gettid);
	while (!done)
		usleep(1000);
	return argument;
}

static void inherited(void)
{
	pthread_t thread;
	int status, id = 0, result;

	rule(0, SYS_getppid, SECCOMP_RET_ERRNO | 9);
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	fflush(stdout);
	if (!fork()) {
		show("in a child", syscall(SYS_getppid));
		execl("/proc/self/exe", "filters", "executed", NULL);
		_exit(1);
	}
	wait(&status);
	pthread_create(&thread, NULL, waits, NULL);
	show("synchronize", rule(SECCOMP_FILTER_FLAG_TSYNC, SYS_getpgrp,
				 SECCOMP_RET_ERRNO | 11));
	done = 1;
	pthread_join(thread, NULL);
	done = 0;
	pthread_create(&thread, NULL, has_own, &id);
	while (!*(volatile int *)&id)
		usleep(1000);
	result = rule(SECCOMP_FILTER_FLAG_TSYNC, SYS_getpgrp,
		      SECCOMP_RET_ERRNO | 12);
	printf("the other is told: %d\n", result == id);
	show("or an error", rule(SECCOMP_FILTER_FLAG_TSYNC |
				 SECCOMP_FILTER_FLAG_TSYNC_ESRCH, SYS_getpgrp,
				 SECCOMP_RET_ERRNO | 12));
	done = 1;
	pthread_join(thread, NULL);
}

static void status_file(void)
{
	char line[200];
	FILE *file;

	rule(0, SYS_getppid, SECCOMP_RET_ERRNO | 9);
	rule(0, SYS_getppid, SECCOMP_RET_ERRNO | 9);
	file = fopen("/proc/self/status", "r");
	while (fgets(line, sizeof line, file))
		if (!strncmp(line, "Seccomp", 7))
			fputs(line, stdout);
	fclose(file);
}

/* ---- A tracer decides ---- */

static void traced(void)
{
	int status, calls = 0;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		rule(0, SYS_getppid, SECCOMP_RET_TRACE | 77);
		show("made", syscall(SYS_getppid) > 0);
		errno = 0;
		show("not made", syscall(SYS_getppid));
		show("another", syscall(SYS_getppid) == getpid());
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESECCOMP);
	ptrace(PTRACE_CONT, pid, 0, 0);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		unsigned long message = 0;
		struct user_regs_struct registers;

		ptrace(PTRACE_GETEVENTMSG, pid, 0, &message);
		ptrace(PTRACE_GETREGS, pid, 0, &registers);
#ifdef __x86_64__
		printf("stop %x, data %lu, call %d, result %lld\n", status >> 8,
		       message, registers.orig_rax == SYS_getppid,
		       (long long)registers.rax);
		if (calls == 1)
			registers.orig_rax = -1, registers.rax = -5;
		if (calls == 2)
			registers.orig_rax = SYS_getpid;
#else
		printf("stop %x, data %lu, call %d, result %ld\n", status >> 8,
		       message, registers.orig_eax == SYS_getppid,
		       registers.eax);
		if (calls == 1)
			registers.orig_eax = -1, registers.eax = -5;
		if (calls == 2)
			registers.orig_eax = SYS_getpid;
#endif
		ptrace(PTRACE_SETREGS, pid, 0, &registers);
		fflush(stdout);
		calls++;
		ptrace(PTRACE_CONT, pid, 0, 0);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "probe")) {
		uint32_t action = SECCOMP_RET_KILL_PROCESS;

		return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0,
			       &action) != 0;
	}
	if (argc > 1 && !strcmp(argv[1], "executed")) {
		show("after exec", syscall(SYS_getppid));
		return 0;
	}
	child("arguments", arguments);
	rights();
	child("instructions", instructions);
	child("memory", memory);
	child("calculations", calculations);
	child("strict", strict);
	child("strict, breached", strict_breach);
	child("errors", errors);
	child("the process is ended", killed_process);
	child("the only thread is ended", killed_thread);
	child("unknown verdict", killed_otherwise);
	child("another thread is ended", killed_other_thread);
	child("trap", trapped);
	child("inherited", inherited);
	child("status", status_file);
	child("traced", traced);
	return 0;
}
