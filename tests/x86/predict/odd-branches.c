/* Run by test-branch-log: branches of all kinds and places where blocks of
 * decoded code are left in their middle. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* Of fault()'s store. */
enum { STORE_BYTES = 2 };
static volatile unsigned faults;

/* Goes on behind the store. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	ucontext_t *own = context;

	(void)number;
	(void)info;
	faults++;
#ifdef __x86_64__
	own->uc_mcontext.gregs[REG_RIP] += STORE_BYTES;
#else
	own->uc_mcontext.gregs[REG_EIP] += STORE_BYTES;
#endif
}

/* A branch whose target is the next instruction, taken or not. */
static unsigned to_next(unsigned value)
{
	__asm__ volatile("testb $1, %b0\n\tjz 1f\n1:\tincl %k0"
			 : "+q"(value) : : "cc");
	return value;
}

static unsigned loops(unsigned count)
{
	unsigned sum = 0;

	__asm__ volatile("jecxz 2f\n1:\taddl %1, %0\n\tloop 1b\n2:"
			 : "+r"(sum), "+c"(count) : : "cc");
	return sum;
}

/* Faults at mov %al, (%rdi), in the middle of a block. */
static void fault(void)
{
	__asm__ volatile("nop\n\txor %%eax, %%eax\n\t.byte 0x88, 0x07\n\tnop"
			 : : "D"(16) : "eax", "memory");
}

static uint8_t *code;

/* mov $value, %eax; ret: written over each time. */
static unsigned changed(unsigned value)
{
	code[0] = 0xb8;
	memcpy(code + 1, &value, 4);
	code[5] = value & 1 ? 0xc3 : 0x90;
	code[6] = 0xc3;
	return ((unsigned (*)(void))code)();
}

/* Names the code segment that it is in. */
static void far_return(void)
{
#ifdef __x86_64__
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tmov %%cs, %%eax\n\t"
			 "push %%rax\n\tlea 1f(%%rip), %%rax\n\t"
			 "push %%rax\n\tlretq\n1:\tlea 128(%%rsp), %%rsp"
			 : : : "rax", "memory");
#else
	__asm__ volatile("mov %%cs, %%eax\n\tpush %%eax\n\tpush $1f\n\t"
			 "lret\n1:"
			 : : : "eax", "memory");
#endif
}

static unsigned a(unsigned x) { return x + 1; }
static unsigned b(unsigned x) { return x * 3; }
static unsigned c(unsigned x) { return x ^ 5; }

static unsigned deep(unsigned n)
{
	return n ? deep(n - 1) + to_next(n) : 1;
}

int main(void)
{
	static unsigned (*const list[])(unsigned) = { a, b, c };
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO };
	unsigned sum = 0;
	char text[16];

	sigaction(SIGSEGV, &action, NULL);
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < 2000; i++) {
		sum = list[(sum >> 3) % 3](sum) + to_next(i) + loops(i % 5);
		if (i % 10 == 0)
			sum += changed(i / 10);
		if (i % 50 == 0)
			fault();
		if (i % 100 == 0) {
			sum += deep(i % 300);
			far_return();
			getppid();
		}
		memset(text, (int)i, sizeof text);
		sum += (unsigned)text[i % 16];
	}
	sum += faults;
	for (int i = 0; i < 8; i++)
		text[i] = "0123456789abcdef"[sum >> 4 * i & 15];
	text[8] = '\n';
	return write(1, text, 9) != 9;
}
