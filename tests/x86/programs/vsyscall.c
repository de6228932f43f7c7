/* The calls at fixed addresses, which are older than the vDSO. i386 processes
 * have none. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

static void maps(void)
{
	char line[300];
	FILE *file = fopen("/proc/self/maps", "r");

	while (file && fgets(line, sizeof line, file))
		if (strstr(line, "[vsyscall]"))
			fputs(line, stdout);
	fclose(file);
}

#ifdef __x86_64__

#define PAGE UINT64_C(0xffffffffff600000)

static sigjmp_buf back;
static volatile uint64_t place;

static void handler(int number, siginfo_t *information, void *state)
{
	place = (uint64_t)((ucontext_t *)state)->uc_mcontext.gregs[REG_RIP];
	siglongjmp(back, number);
}

/* Calls an address; RCX and R11, which a SYSCALL changes, must stay. */
static long call(uint64_t address, const void *first, const void *second)
{
	register uint64_t r11 asm("r11") = 11;
	uint64_t rcx = 12, result;

	asm volatile("call *%%rax"
		     : "=a"(result), "+c"(rcx), "+r"(r11)
		     : "a"(address), "D"(first), "S"(second)
		     : "memory", "cc");
	if (rcx != 12 || r11 != 11)
		puts("registers changed");
	return (long)result;
}

static void faults(const char *what, uint64_t address, const void *first)
{
	volatile int number = sigsetjmp(back, 1);

	if (!number) {
		call(address, first, NULL);
		puts("no fault");
	}
	printf("%s: signal %d at 0x%lx\n", what, number, (long)place);
}

static void calls(void)
{
	struct timezone zone = { 9, 9 };
	struct timeval now = { 0 };
	unsigned cpu = 1 << 20, node = 1 << 20;
	time_t before = time(NULL), stored = 0, value;

	printf("gettimeofday %ld", call(PAGE, &now, &zone));
	printf(" now %d zone %d %d\n",
	       now.tv_sec >= before && now.tv_sec < before + 60,
	       zone.tz_minuteswest, zone.tz_dsttime);
	printf("nowhere %ld\n", call(PAGE, NULL, NULL));
	value = call(PAGE + 1024, &stored, NULL);
	printf("time %d stored %d\n", value >= before && value < before + 60,
	       stored == value);
	printf("getcpu %ld", call(PAGE + 2048, &cpu, &node));
	printf(" %d %d\n", cpu < 1 << 20, node < 1 << 20);
}

static void filtered(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_time, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 77),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	printf("filter %d\n",
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
	printf("time %ld\n", call(PAGE + 1024, NULL, NULL));
	printf("gettimeofday %ld\n", call(PAGE, NULL, NULL));
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO };

	maps();
	sigaction(SIGSEGV, &action, NULL);
	calls();
	faults("no pointer", PAGE + 1024, (void *)8);
	faults("constant", PAGE + 1024, (void *)(uintptr_t)main);
	faults("between", PAGE + 1, NULL);
	faults("fourth", PAGE + 3072, NULL);
	faults("beyond", PAGE + 4096, NULL);
	place = 0;
	if (!sigsetjmp(back, 1))
		printf("%d\n", *(volatile char *)PAGE);
	printf("read %d\n", place != 0);
	filtered();
	return 0;
}

#else

int main(void)
{
	maps();
	puts("none");
	return 0;
}

#endif
