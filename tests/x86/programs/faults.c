/* Every kind of fault, with the registers, siginfo and trap information that
 * its handler gets. Code, data and stack are at fixed addresses and all
 * registers have known values, so the output is the same everywhere. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define CODE 0x20000000ul   /* two pages, the second may be taken away */
#define DATA 0x20010000ul   /* readable, writable */
#define CONST 0x20020000ul  /* readable */
#define NONE 0x20030000ul   /* no access */
#define BEYOND 0x20040000ul /* file mapping, the second page behind its end */
#define STACK 0x20050000ul  /* 64 KiB */
#define HOLE 0x20080000ul   /* not mapped */
#define PAGE 4096

#ifdef __x86_64__
#define A "%rax"
#define B "%rbx"
#define C "%rcx"
#define SP "%rsp"
#define BP "%rbp"
#else
#define A "%eax"
#define B "%ebx"
#define C "%ecx"
#define SP "%esp"
#define BP "%ebp"
#endif

/* name, instructions; the registers before: see enter(). */
#define COMMON(X) \
	X(null_read, "mov 0, %eax") \
	X(null_write, "movl $1, 16") \
	X(null_change, "incl 32") \
	X(wild_read, "mov $0x20080123, " B "; mov (" B "), %eax") \
	X(wild_write, "mov $0x20080123, " B "; mov %al, (" B ")") \
	X(const_write, "mov $0x20020040, " B "; movw $1, (" B ")") \
	X(const_exchange, "mov $0x20020040, " B "; xchg %eax, (" B ")") \
	X(none_read, "mov $0x20030ff0, " B "; cmpb $1, (" B ")") \
	X(none_write, "mov $0x20030ff0, " B "; push $1; pop (" B ")") \
	X(straddle_read, "mov $0x20010ffe, " B "; mov (" B "), %eax") \
	X(straddle_write, "mov $0x20010ffe, " B "; mov %eax, (" B ")") \
	X(sse_straddle, "mov $0x20010ff8, " B "; movups %xmm0, (" B ")") \
	X(jump_hole, "mov $0x20080010, " A "; jmp *" A) \
	X(call_hole, "mov $0x20080010, " A "; call *" A) \
	X(return_hole, "push $0x20080010; ret") \
	X(jump_data, "mov $0x20010010, " A "; jmp *" A) \
	X(jump_none, "mov $0x20030010, " A "; jmp *" A) \
	X(jump_null, "xor %eax, %eax; call *" A) \
	X(beyond_read, "mov $0x20041008, " B "; mov (" B "), %eax") \
	X(beyond_write, "mov $0x20041008, " B "; mov %eax, (" B ")") \
	X(push_hole, "mov $0x20080100, " SP "; push " A) \
	X(push_const, "mov $0x20020100, " SP "; push " A) \
	X(pop_hole, "mov $0x20080100, " SP "; pop " A) \
	X(call_no_stack, "mov $0x20080100, " SP "; call 1f; 1: nop") \
	X(enter_hole, "mov $0x20080100, " SP "; enter $16, $0") \
	X(string_store, "mov $0x20010ff0, %edi; mov $40, %ecx; rep stosb") \
	X(string_move, "mov $0x20010ff0, %esi; mov $0x20010000, %edi; " \
		"mov $40, %ecx; rep movsl") \
	X(string_compare, "mov $0x20010fe0, %esi; mov $0x20010fc0, %edi; " \
		"mov $400, %ecx; repe cmpsb") \
	X(divide8, "xor %cl, %cl; div %cl") \
	X(divide32, "xor %ecx, %ecx; div %ecx") \
	X(divide_signed, "xor %ecx, %ecx; idiv %ecx") \
	X(divide_overflow, "mov $2, %ecx; mov $7, %edx; div %ecx") \
	X(divide_minimum, "mov $0x80000000, %eax; cltd; mov $-1, %ecx; " \
		"idiv %ecx") \
	X(divide_memory, "mov $0x20010000, " B "; movl $0, (" B "); " \
		"divl (" B ")") \
	X(undefined, "ud2") \
	X(undefined_encoding, ".byte 0x0f, 0xff, 0xff, 0xff") \
	X(bad_group, ".byte 0xff, 0xff") \
	X(bad_lock, ".byte 0xf0, 0x90") \
	X(bad_lock_register, ".byte 0xf0, 0x01, 0xc0") \
	X(too_long, ".fill 15, 1, 0x66; nop") \
	X(halt, "hlt") \
	X(disable_interrupts, "cli") \
	X(enable_interrupts, "sti") \
	X(port_in, "in $0x60, %al") \
	X(port_out, "out %al, %dx") \
	X(port_string, "insb") \
	X(read_msr, "rdmsr") \
	X(write_msr, "wrmsr") \
	X(read_control, "mov %cr0, " A) \
	X(write_control, "mov " A ", %cr3") \
	X(read_debug, "mov %dr7, " A) \
	X(clear_task, "clts") \
	X(load_gdt, "mov $0x20010000, " B "; lgdt (" B ")") \
	X(load_task, "ltr %ax") \
	X(invalidate, "mov $0x20010000, " B "; invlpg (" B ")") \
	X(invalidate_cache, "wbinvd") \
	X(breakpoint, "int3; nop") \
	X(breakpoint_long, ".byte 0xcd, 3; nop") \
	X(interrupt, "int $0x21") \
	X(interrupt_255, "int $0xff") \
	X(interrupt_0, "int $0") \
	X(trap_flag, "pushf; orl $0x100, (" SP "); popf; nop; nop") \
	X(bad_selector, "mov $0x1234, %eax; mov %ax, %ds") \
	X(bad_stack_selector, "xor %eax, %eax; mov %ax, %ss") \
	X(aligned_load, "mov $0x20010008, " B "; movaps (" B "), %xmm1") \
	X(aligned_store, "mov $0x20010004, " B "; movdqa %xmm1, (" B ")") \
	X(aligned_add, "mov $0x20010004, " B "; addps (" B "), %xmm1") \
	X(aligned_save, "mov $0x20010008, " B "; fxsave (" B ")") \
	X(bad_mxcsr, "push $-1; ldmxcsr (" SP ")") \
	X(x87_divide, "push $0x37b; fldcw (" SP "); fldz; fld1; " \
		"fdiv %st(1), %st; fwait; nop") \
	X(x87_invalid, "push $0x37e; fldcw (" SP "); fldz; fldz; " \
		"fdivp; fwait; nop") \
	X(x87_stack, "push $0x37e; fldcw (" SP "); fstp %st(0); " \
		"fwait; nop") \
	X(sse_divide, "push $0x1d80; ldmxcsr (" SP "); mov $1, %eax; " \
		"cvtsi2ss %eax, %xmm0; xorps %xmm1, %xmm1; " \
		"divss %xmm1, %xmm0") \
	X(sse_invalid, "push $0x1f00; ldmxcsr (" SP "); xorps %xmm1, %xmm1; " \
		"divps %xmm1, %xmm1") \
	X(sse_inexact, "push $0xf80; ldmxcsr (" SP "); mov $1, %eax; " \
		"cvtsi2sd %eax, %xmm0; mov $3, %eax; cvtsi2sd %eax, %xmm1; " \
		"divsd %xmm1, %xmm0")

#ifdef __x86_64__
#define MORE(X) \
	X(high_read, "mov $0x7fffffffe008, %rbx; mov (%rbx), %eax") \
	X(high_write, "mov $0x7f0000000008, %rbx; mov %eax, (%rbx)") \
	X(kernel_read, "mov $-4096, %rbx; mov (%rbx), %eax") \
	X(kernel_write, "mov $-4096, %rbx; mov %eax, (%rbx)") \
	X(kernel_jump, "mov $-2147483648, %rax; jmp *%rax") \
	X(odd_read, "mov $0x123456789abcdef0, %rbx; mov (%rbx), %eax") \
	X(odd_write, "mov $0x8000000000000000, %rbx; mov %eax, (%rbx)") \
	X(odd_stack, "mov $0x123456789abcdef0, %rbp; mov (%rbp), %eax") \
	X(odd_push, "mov $0x123456789abcdef0, %rsp; push %rax") \
	X(odd_jump, "mov $0x123456789abcdef0, %rax; jmp *%rax") \
	X(odd_call, "mov $0x123456789abcdef0, %rax; call *%rax") \
	X(odd_return, "mov $0x123456789abcdef0, %rax; push %rax; ret") \
	X(divide64, "xor %ecx, %ecx; div %rcx") \
	X(divide64_overflow, "mov $1, %edx; mov $1, %ecx; div %rcx") \
	X(aligned_16, "mov $0x20010008, %rbx; lock cmpxchg16b (%rbx)") \
	X(old_push, ".byte 0x06") \
	X(old_bcd, ".byte 0x27")
#else
#define MORE(X) \
	X(high_read, "mov $0xfffff000, %ebx; mov (%ebx), %eax") \
	X(last_byte, "mov $0xfffffffe, %ebx; mov (%ebx), %eax") \
	X(wrap_around, "mov $0xfffffff0, %ebx; movl $1, 32(%ebx)") \
	X(high_jump, "mov $0xfffff000, %eax; jmp *%eax") \
	X(overflow, "mov $0x7fffffff, %eax; inc %eax; into; nop") \
	X(bound, "mov $0x20010000, %ebx; movl $5, (%ebx); " \
		"movl $9, 4(%ebx); mov $10, %eax; bound %eax, (%ebx)") \
	X(bad_aam, "aam $0") \
	X(segment_limit, "mov $0x63, %eax; mov %ax, %fs; nop; ud2")
#endif

#define LABELS(name, text) \
	__asm__(".pushsection .rodata; start_" #name ": " text \
		"; end_" #name ": .popsection"); \
	extern const uint8_t start_##name[], end_##name[];
COMMON(LABELS)
MORE(LABELS)

static const struct {
	const char *name;
	const uint8_t *start, *end;
} cases[] = {
#define ROW(name, text) { #name, start_##name, end_##name },
	COMMON(ROW)
	MORE(ROW)
};

static sigjmp_buf back;

static void handler(int number, siginfo_t *information, void *context)
{
	const ucontext_t *user = context;
	const greg_t *reg = user->uc_mcontext.gregs;

	/* AF is undefined after some of these. */
	printf(" signal %d code %d address %lx trap %d error %lx cr2 %lx\n",
	       number, information->si_code,
	       (unsigned long)information->si_addr, (int)reg[REG_TRAPNO],
	       (unsigned long)reg[REG_ERR],
#ifdef __x86_64__
	       (unsigned long)reg[REG_CR2]);
	printf("  rip %llx flags %llx rax %llx rbx %llx rcx %llx rdx %llx "
	       "rsi %llx rdi %llx rbp %llx rsp %llx r8 %llx r15 %llx\n",
	       reg[REG_RIP], reg[REG_EFL] & ~0x10, reg[REG_RAX], reg[REG_RBX],
	       reg[REG_RCX], reg[REG_RDX], reg[REG_RSI], reg[REG_RDI],
	       reg[REG_RBP], reg[REG_RSP], reg[REG_R8], reg[REG_R15]);
#else
	       user->uc_mcontext.cr2);
	printf("  eip %x flags %x eax %x ebx %x ecx %x edx %x esi %x edi %x "
	       "ebp %x esp %x\n", reg[REG_EIP], reg[REG_EFL] & ~0x10,
	       reg[REG_EAX], reg[REG_EBX], reg[REG_ECX], reg[REG_EDX],
	       reg[REG_ESI], reg[REG_EDI], reg[REG_EBP], reg[REG_ESP]);
#endif
	siglongjmp(back, 1);
}

/* Goes to CODE with all registers known. */
static void enter(void)
{
#ifdef __x86_64__
	__asm__ volatile(
		"cld; mov $0x2005ff00, %%rsp; mov $0x11, %%eax\n\t"
		"mov $0x22, %%ebx; mov $0x33, %%ecx; mov $0x44, %%edx\n\t"
		"mov $0x55, %%esi; mov $0x66, %%edi; mov $0x77, %%ebp\n\t"
		"mov $0x88, %%r8d; mov $0x99, %%r15d; mov $0x20000000, %%r14\n\t"
		"cmp %%eax, %%eax; jmp *%%r14" ::: "memory");
#else
	__asm__ volatile(
		"cld; mov $0x2005ff00, %%esp; mov $0x11, %%eax\n\t"
		"mov $0x22, %%ebx; mov $0x33, %%ecx; mov $0x44, %%edx\n\t"
		"mov $0x55, %%esi; mov $0x66, %%edi; mov $0x77, %%ebp\n\t"
		"cmp %%eax, %%eax; push $0x20000000; ret" ::: "memory");
#endif
}

static void *map(unsigned long address, size_t size, int protection)
{
	return mmap((void *)address, size, protection,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void try(const char *name, const uint8_t *start, const uint8_t *end,
		unsigned long where)
{
	int all = PROT_READ | PROT_WRITE | PROT_EXEC;

	map(CODE, 2 * PAGE, all);
	map(DATA, PAGE, PROT_READ | PROT_WRITE);
	*(volatile char *)DATA = 0;
	map(STACK, 16 * PAGE, PROT_READ | PROT_WRITE);
	memcpy((void *)where, start, (size_t)(end - start));
	memset((void *)(where + (end - start)), 0xf4, 16); /* hlt */
	if (where != CODE) {
		/* jmp to it */
		int32_t distance = (int32_t)(where - CODE - 5);

		*(uint8_t *)CODE = 0xe9;
		memcpy((uint8_t *)CODE + 1, &distance, 4);
	}
	printf("%s:", name);
	fflush(stdout);
	if (!sigsetjmp(back, 1)) {
		if (where != CODE)
			munmap((void *)(CODE + PAGE), PAGE);
		enter();
	}
	/* The handler left with whatever the case did to these. */
	__asm__ volatile("fninit");
	uint32_t control = 0x1f80;
	__asm__ volatile("ldmxcsr %0" :: "m"(control));
}

static int deep(volatile char *above)
{
	volatile char here[1000];

	here[0] = *above;
	return deep(here) + here[1];
}

static void overflow_handler(int number, siginfo_t *information,
			     void *context)
{
	const ucontext_t *user = context;
#ifdef __x86_64__
	unsigned long sp = user->uc_mcontext.gregs[REG_RSP];
#else
	unsigned long sp = user->uc_mcontext.gregs[REG_ESP];
#endif
	long distance = (long)((unsigned long)information->si_addr - sp);

	printf("overflow: signal %d code %d near the stack %d trap %d "
	       "error %lx\n", number, information->si_code,
	       distance > -65536 && distance < 65536,
	       (int)user->uc_mcontext.gregs[REG_TRAPNO],
	       (unsigned long)user->uc_mcontext.gregs[REG_ERR]);
	siglongjmp(back, 1);
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL,
				       SIGTRAP };
	static char alternate[65536];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof alternate };
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	char name[] = "/tmp/m2s-faults-XXXXXX";
	int file = mkstemp(name);
	char start = 1;

	sigaltstack(&stack, NULL);
	for (int i = 0; i < 5; i++)
		sigaction(signals[i], &action, NULL);
	unlink(name);
	if (ftruncate(file, 100))
		return 1;
	map(CONST, PAGE, PROT_READ);
	map(NONE, PAGE, PROT_NONE);
	*(volatile char *)CONST; /* error codes tell pages never touched */
	mmap((void *)BEYOND, 2 * PAGE, PROT_READ | PROT_WRITE,
	     MAP_SHARED | MAP_FIXED, file, 0);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (argc < 2 || !strcmp(argv[1], cases[i].name))
			try(cases[i].name, cases[i].start, cases[i].end, CODE);
	if (argc > 1)
		return 0;
	/* Instructions whose bytes reach into a page that is not there. */
	for (int bytes = 1; bytes < 5; bytes++) {
		static const uint8_t add[] = { 0x81, 0xc1, 1, 2, 3, 4 };

		try("straddling code", add, add + 6,
		    CODE + PAGE - (unsigned)bytes);
	}
	action.sa_sigaction = overflow_handler;
	sigaction(SIGSEGV, &action, NULL);
	if (!sigsetjmp(back, 1))
		deep(&start);
	return 0;
}
