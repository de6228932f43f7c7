/* The emulator's machinery: spaces, precise faults, exact instruction counts,
 * code that changes. Small hand-made programs; their listings are beside
 * them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/harness.h"
#include "x86/emu/emu.h"
#include "x86/guest.h"
#include "x86/isa/disasm.h"

static uint32_t word_at(const struct guest *guest, uint64_t address)
{
	uint32_t value = 0;

	CU_ASSERT_EQUAL(space_read(guest->space, address, &value, 4), 0);
	return value;
}

/* ---- Spaces ---- */

static void count_region(void *owner, const struct space_region *region)
{
	(void)region;
	(*(int *)owner)++;
}

static void test_space(void)
{
	struct space *space = space_create(1ull << 32, NULL);
	char text[32];
	int regions = 0;

	CU_ASSERT_EQUAL(space_map(space, 0x10000, 0x3000, RW, false, -1, 0,
				  ""), 0);
	CU_ASSERT_EQUAL(space_map(space, 0x13000, 0x1000, RW, false, -1, 0,
				  ""), 0);
	space_visit(space, count_region, &regions);
	CU_ASSERT_EQUAL(regions, 1); /* joined */
	CU_ASSERT(space_check(space, 0x10000, 0x4000, RW));
	CU_ASSERT(!space_check(space, 0x10000, 0x4001, RW));
	CU_ASSERT_EQUAL(space_protect(space, 0x11000, 0x1000, SPACE_READ), 0);
	CU_ASSERT(!space_check(space, 0x10000, 0x4000, SPACE_WRITE));
	CU_ASSERT(space_check(space, 0x10000, 0x4000, SPACE_READ));
	CU_ASSERT_EQUAL(space_write(space, 0x10ffe, "abcd", 4), -1);
	CU_ASSERT_EQUAL(space_write(space, 0x12000, "abcd", 5), 0);
	CU_ASSERT_EQUAL(space_read_string(space, 0x12000, text, 32), 4);
	CU_ASSERT_STRING_EQUAL(text, "abcd");
	CU_ASSERT_EQUAL(space_read_string(space, 0x12000, text, 4), -2);
	/* A string that ends right at the end of what is mapped. */
	CU_ASSERT_EQUAL(space_write(space, 0x13ffd, "xy", 3), 0);
	CU_ASSERT_EQUAL(space_read_string(space, 0x13ffd, text, 32), 2);
	CU_ASSERT_EQUAL(space_unmap(space, 0x12000, 0x1000), 0);
	CU_ASSERT_EQUAL(space_read(space, 0x12000, text, 1), -1);
	CU_ASSERT_EQUAL(space_protect(space, 0x11000, 0x2000, RW), -ENOMEM);
	CU_ASSERT_EQUAL(space_find_gap(space, 0x10000, 1ull << 32, 0x1000,
				       false), 0x12000);
	CU_ASSERT_EQUAL(space_find_gap(space, 0x10000, 1ull << 32, 0x2000,
				       false), 0x14000);
	CU_ASSERT_EQUAL(space_find_gap(space, 0x10000, 0x14000, 0x1000, true),
			0x12000);
	CU_ASSERT_EQUAL(space_find_gap(space, 0x1000, 0x14000, 0xf000, true),
			0x1000);
	CU_ASSERT_EQUAL(space_find_gap(space, 0x1000, 0x14000, 0x10000, true),
			0);
	CU_ASSERT_EQUAL(space_map(space, 0xfffff000, 0x2000, RW, false, -1, 0,
				  ""), -EINVAL);
	CU_ASSERT_EQUAL(space_map(space, 0xfffff000, 0x1000, RW, false, -1, 0,
				  ""), 0);
	space_free(space);
}

/* A file shorter than its mapping: reads fail, the guest gets SIGBUS. */
static void test_short_file(void)
{
	/* mov eax, [0x41000]: 8b 04 25 ... */
	struct guest guest =
	    guest_start(X86_MODE_64, false, RX, "8b 04 25 00 10 04 00");
	FILE *file = tmpfile();
	uint8_t byte;

	fputs("short", file);
	fflush(file);
	CU_ASSERT_EQUAL(space_map(guest.space, 0x40000, 0x2000, SPACE_READ,
				  false, fileno(file), 0, "short"), 0);
	CU_ASSERT_EQUAL(space_read(guest.space, 0x40001, &byte, 1), 0);
	CU_ASSERT_EQUAL(byte, 'h');
	CU_ASSERT_EQUAL(space_read(guest.space, 0x41000, &byte, 1), -1);
	CU_ASSERT_EQUAL(x86_run(guest.cpu, 1000), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(guest.cpu->fault.signal, SIGBUS);
	CU_ASSERT_EQUAL(guest.cpu->fault.address, 0x41000);
	CU_ASSERT_EQUAL(guest.cpu->rip, CODE);
	fclose(file);
	guest_finish(&guest);
}

/* ---- Faults ---- */

struct expected {
	const char *name;
	const char *code;
	int signal, si_code;
	uint64_t address;
	unsigned offset;       /* of rip from CODE */
	unsigned instructions; /* retired */
	int error_code;        /* -1: any */
};

static void check_faults(enum x86_mode mode, const struct expected *list,
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct expected *e = &list[i];
		struct guest guest = guest_start(mode, false, RX, e->code);
		struct x86_cpu *cpu = guest.cpu;
		uint64_t before[16];
		bool good;

		for (int r = 0; r < 16; r++)
			if (r != X86_RSP && (r < 8 || mode == X86_MODE_64))
				cpu->reg[r] = 0x1000 + (unsigned)r;
		memcpy(before, cpu->reg, sizeof before);
		good = x86_run(cpu, 1000) == X86_STOP_FAULT &&
		       cpu->fault.signal == e->signal &&
		       cpu->fault.code == e->si_code &&
		       cpu->fault.address == e->address &&
		       cpu->rip == CODE + e->offset &&
		       x86_instructions(cpu) == e->instructions &&
		       (e->error_code < 0 ||
			cpu->fault.error_code == e->error_code);
		/* The codes below change rax before the fault; nothing else
		 * may be different. */
		before[X86_RAX] = cpu->reg[X86_RAX];
		good = good && !memcmp(before, cpu->reg, sizeof before);
		if (!good)
			printf("# %s: signal %d code %d address %llx rip %llx "
			       "error %d after %llu\n",
			       e->name, cpu->fault.signal, cpu->fault.code,
			       (unsigned long long)cpu->fault.address,
			       (unsigned long long)cpu->rip,
			       cpu->fault.error_code,
			       (unsigned long long)x86_instructions(cpu));
		CU_ASSERT(good);
		guest_finish(&guest);
	}
}

static void test_faults(void)
{
	static const struct expected list64[] = {
		/* inc eax; nop; mov rbx, [rip + far] */
		{ "read", "ff c0 90 48 8b 1d 00 00 10 00", SIGSEGV,
		  SEGV_MAPERR, CODE + 0x10000a, 3, 2, 4 },
		/* inc eax; add [0x400000], ebx */
		{ "write", "ff c0 01 1c 25 00 00 40 00", SIGSEGV, SEGV_MAPERR,
		  0x400000, 2, 1, -1 },
		/* mov [0x10000], ebx */
		{ "read-only", "89 1c 25 00 00 01 00", SIGSEGV, SEGV_ACCERR,
		  CODE, 0, 0, 7 },
		/* mov eax, 0x20000; jmp rax */
		{ "no code", "b8 00 00 02 00 ff e0", SIGSEGV, SEGV_ACCERR,
		  DATA, DATA - CODE, 2, 21 },
		{ "no memory", "b8 00 00 40 00 ff e0", SIGSEGV, SEGV_MAPERR,
		  0x400000, 0x400000 - CODE, 2, 20 },
		/* mov rax, 1 << 44; mov ebx, [rax] */
		{ "beyond the window",
		  "48 b8 00 00 00 00 00 10 00 00 8b 18", SIGSEGV,
		  SEGV_MAPERR, 1ull << 44, 10, 1, -1 },
		/* mov eax, 0x21ffe; xor [rax], rbx: over the end */
		{ "straddling", "b8 fe 1f 02 00 48 31 18", SIGSEGV,
		  SEGV_MAPERR, 0x22000, 5, 1, -1 },
		/* xor eax, eax; div eax */
		{ "divide", "31 c0 f7 f0", SIGFPE, FPE_INTDIV, CODE + 2, 2, 1,
		  -1 },
		{ "undefined", "0f 0b", SIGILL, ILL_ILLOPN, CODE, 0, 0, -1 },
		{ "invalid", "ff c0 06", SIGILL, ILL_ILLOPN, CODE + 2, 2, 1,
		  -1 },
		{ "halt", "f4", SIGSEGV, SI_KERNEL, 0, 0, 0, -1 },
		{ "int3", "ff c0 cc", SIGTRAP, SI_KERNEL, 0, 3, 2, -1 },
		/* mov eax, 0x20008; movaps xmm0, [rax] */
		{ "alignment", "b8 08 00 02 00 0f 28 00", SIGSEGV, SI_KERNEL,
		  0, 5, 1, -1 },
		/* call [0x400000]; the stack is as it was */
		{ "call", "ff 14 25 00 00 40 00", SIGSEGV, SEGV_MAPERR,
		  0x400000, 0, 0, -1 },
		/* pop [0x400000] */
		{ "pop", "8f 04 25 00 00 40 00", SIGSEGV, SEGV_MAPERR,
		  0x400000, 0, 0, 6 },
		/* xadd [0x400000], ebx */
		{ "xadd", "0f c1 1c 25 00 00 40 00", SIGSEGV, SEGV_MAPERR,
		  0x400000, 0, 0, -1 },
	};
	static const struct expected list32[] = {
		/* mov [0xfffffffe], ebx: over the end of the space */
		{ "end", "89 1d fe ff ff ff", SIGSEGV, SEGV_MAPERR,
		  0xfffffffe, 0, 0, -1 },
		/* inc eax; mov gs, eax: no such selector */
		{ "selector", "40 8e e8", SIGSEGV, SI_KERNEL, 0, 1, 1, -1 },
		{ "syscall", "0f 05", SIGILL, ILL_ILLOPN, CODE, 0, 0, -1 },
		{ "bound", "62 05 00 00 02 00", SIGSEGV, SI_KERNEL, 0, 0, 0,
		  -1 },
	};

	check_faults(X86_MODE_64, list64, sizeof list64 / sizeof list64[0]);
	check_faults(X86_MODE_32, list32, sizeof list32 / sizeof list32[0]);
}

/* An instruction over a page end whose second page cannot be fetched. */
static void test_fetch_straddling(void)
{
	struct guest guest = guest_start(X86_MODE_64, false, RWX, "90");

	guest_put_code(&guest, CODE + 0x1ffe, "b8 01");
	guest.cpu->rip = CODE + 0x1ffe;
	CU_ASSERT_EQUAL(x86_run(guest.cpu, 10), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(guest.cpu->fault.address, CODE + 0x2000);
	CU_ASSERT_EQUAL(guest.cpu->rip, CODE + 0x1ffe);
	/* Once there is one, it goes on. mov eax, 1; syscall */
	space_map(guest.space, CODE + 0x2000, 0x1000, RWX, false, -1, 0, "");
	guest_put_code(&guest, CODE + 0x2000, "00 00 00 0f 05");
	CU_ASSERT_EQUAL(x86_run(guest.cpu, 10), X86_STOP_SYSCALL);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RAX], 1);
	/* Its second half is overwritten: decoded anew. */
	guest_put_code(&guest, CODE + 0x2000, "02");
	guest.cpu->rip = CODE + 0x1ffe;
	CU_ASSERT_EQUAL(x86_run(guest.cpu, 1000), X86_STOP_SYSCALL);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RAX], 0x201);
	guest_finish(&guest);
}

/* rep stosd stops where the page ends and goes on after it is mapped. */
static void test_string_restart(void)
{
	struct guest guest = guest_start(X86_MODE_64, false, RX, "f3 ab cd 80");
	struct x86_cpu *cpu = guest.cpu;

	cpu->reg[X86_RDI] = DATA + 0x1f00;
	cpu->reg[X86_RCX] = 0x100;
	cpu->reg[X86_RAX] = 0x12345678;
	CU_ASSERT_EQUAL(x86_run(cpu, 100), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(cpu->rip, CODE);
	CU_ASSERT_EQUAL(cpu->reg[X86_RCX], 0x100 - 0x40);
	CU_ASSERT_EQUAL(cpu->reg[X86_RDI], DATA + 0x2000);
	CU_ASSERT_EQUAL(cpu->fault.address, DATA + 0x2000);
	CU_ASSERT_EQUAL(x86_instructions(cpu), 0);
	space_map(guest.space, DATA + 0x2000, 0x1000, RW, false, -1, 0, "");
	CU_ASSERT_EQUAL(x86_run(cpu, 100), X86_STOP_INT80);
	CU_ASSERT_EQUAL(cpu->reg[X86_RCX], 0);
	CU_ASSERT_EQUAL(word_at(&guest, DATA + 0x22fc), 0x12345678);
	CU_ASSERT_EQUAL(x86_instructions(cpu), 2);
	guest_finish(&guest);
}

static void test_undefined(void)
{
	/* inc eax; vaddps zmm0, zmm1, zmm2 */
	struct guest guest =
	    guest_start(X86_MODE_64, false, RX, "ff c0 62 f1 74 48 58 c2");
	char text[256];

	CU_ASSERT_EQUAL(x86_run(guest.cpu, 100), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(guest.cpu->fault.signal, SIGILL);
	CU_ASSERT_EQUAL(guest.cpu->rip, CODE + 2);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RAX], 1);
	x86_describe_instruction(guest.cpu, text, sizeof text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "vaddps"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "62 f1 74 48 58 c2"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "0x10002"));
	guest_finish(&guest);
}

/* ---- Exact counts ---- */

/* Wherever a run is cut, the state is the one that single steps give. */
static void test_quantum(void)
{
	/* 0: add eax, 3; imul ebx, eax; push rbx; cmp eax, 60; pop rdx;
	 *    jl 0; xor ecx, eax; call f; jmp 0;  f: sub eax, 50; ret */
	static const char code[] =
		"83 c0 03 0f af d8 53 83 f8 3c 5a 7c f3 31 c1 e8 02 00 00 00 "
		"eb ea 83 e8 32 c3";
	struct guest one = guest_start(X86_MODE_64, false, RX, code);
	unsigned failed = 0;

	for (unsigned n = 1; n < 300; n++) {
		struct guest all = guest_start(X86_MODE_64, false, RX, code);

		CU_ASSERT_EQUAL(x86_run(one.cpu, 1), X86_STOP_QUANTUM);
		CU_ASSERT_EQUAL(x86_run(all.cpu, n), X86_STOP_QUANTUM);
		failed += memcmp(one.cpu->reg, all.cpu->reg, 16 * 8) != 0 ||
			  one.cpu->rip != all.cpu->rip ||
			  x86_eflags(one.cpu) != x86_eflags(all.cpu) ||
			  x86_instructions(all.cpu) != n ||
			  x86_instructions(one.cpu) != n;
		guest_finish(&all);
	}
	CU_ASSERT_EQUAL(failed, 0);
	guest_finish(&one);
}

/* Two cpus of one emulator, in turns, do not disturb each other; and the
 * time-stamp counter is their own instruction count. */
static void test_two_cpus(void)
{
	/* inc eax; rdtsc; jmp 0 */
	struct guest guest =
	    guest_start(X86_MODE_64, false, RX, "ff c3 0f 31 eb fa");
	struct x86_cpu *other = x86_cpu_create(guest.emulator);

	x86_cpu_copy(other, guest.cpu);
	for (int i = 0; i < 10; i++) {
		x86_run(guest.cpu, 100);
		x86_run(other, 10);
	}
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RBX], 334);
	CU_ASSERT_EQUAL(other->reg[X86_RBX], 34);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RAX], 997);
	CU_ASSERT_EQUAL(x86_instructions(other), 100);
	x86_cpu_free(other);
	guest_finish(&guest);
}

/* ---- Segments ---- */

static void test_segments(void)
{
	/* mov eax, fs:[0x10]; mov ebx, fs:[ebx] (67 64 8b 1b); syscall */
	struct guest guest = guest_start(X86_MODE_64, false, RX,
					 "64 8b 04 25 10 00 00 00 67 64 8b 1b "
					 "0f 05");
	static const char code32[] =
		/* mov gs, eax; mov ebx, gs:[4]; mov ecx, gs; lodsb gs;
		 * int 0x80 */
		"8e e8 65 8b 1d 04 00 00 00 8c e9 65 ac cd 80";

	space_write(guest.space, DATA + 0x10, "\1\2\3\4\5\6\7\10", 8);
	guest.cpu->segment[X86_FS].base = DATA;
	guest.cpu->reg[X86_RBX] = 0xffffffff00000014;
	CU_ASSERT_EQUAL(x86_run(guest.cpu, 100), X86_STOP_SYSCALL);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RAX], 0x04030201);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RBX], 0x08070605);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RCX], CODE + 14);
	guest_finish(&guest);

	guest = guest_start(X86_MODE_32, false, RX, code32);
	space_write(guest.space, DATA + 4, "\1\2\3\4", 4);
	guest.cpu->tls[0].base = DATA;
	guest.cpu->tls[0].limit = 0xfffff;
	guest.cpu->tls[0].flags = 0x51; /* 32 bits, in pages, usable */
	guest.cpu->tls[0].present = true;
	guest.cpu->reg[X86_RAX] = 12 * 8 + 3;
	guest.cpu->reg[X86_RSI] = 6;
	CU_ASSERT_EQUAL(x86_run(guest.cpu, 100), X86_STOP_INT80);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RBX], 0x04030201);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RCX], 0x63);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RAX], 0x03);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RSI], 7);
	guest_finish(&guest);
}

/* ---- Code that changes ---- */

/* A store into the instruction that follows it in the same block. */
static void test_modify_next(void)
{
	/* mov byte [rip + 1], 7; mov eax, 1 -> 7; int 0x80 */
	struct guest guest = guest_start(X86_MODE_64, false, RWX,
					 "c6 05 01 00 00 00 07 b8 01 00 00 00 "
					 "cd 80");
	struct x86_emulator_counts counts;

	CU_ASSERT_EQUAL(x86_run(guest.cpu, 1000), X86_STOP_INT80);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RAX], 7);
	CU_ASSERT_EQUAL(x86_instructions(guest.cpu), 3);
	x86_emulator_counts(guest.emulator, &counts);
	CU_ASSERT_EQUAL(counts.code_faults, 1);
	guest_finish(&guest);
}

/* A loop that rewrites an immediate of its own: after some faults its page
 * is compared instead of protected. */
static void test_modify_loop(void)
{
	/* 0: inc dword [rip + 3]; add eax, imm (starts at 0); dec ecx;
	 *    jnz 0; int 0x80 */
	struct guest guest =
	    guest_start(X86_MODE_64, false, RWX,
			"ff 05 01 00 00 00 05 00 00 00 00 ff c9 "
			"75 f1 cd 80");
	struct x86_emulator_counts counts;

	guest.cpu->reg[X86_RCX] = 1000;
	CU_ASSERT_EQUAL(x86_run(guest.cpu, 100000), X86_STOP_INT80);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RAX], 500500);
	CU_ASSERT_EQUAL(x86_instructions(guest.cpu), 4001);
	x86_emulator_counts(guest.emulator, &counts);
	CU_ASSERT(counts.code_faults < 50);
	guest_finish(&guest);
}

/* Code rewritten from outside, remapped, and made inaccessible, while linked
 * from other blocks. */
static void test_modify_outside(void)
{
	/* 0: call 0x11000; int 0x80; jmp 0 */
	struct guest guest =
	    guest_start(X86_MODE_64, false, RX, "e8 fb 0f 00 00 cd 80 eb f7");
	static const char one[] = "b8 01 00 00 00 c3"; /* mov eax, 1; ret */
	static const char two[] = "b8 02 00 00 00 c3";
	struct x86_cpu *cpu = guest.cpu;

	space_protect(guest.space, CODE + 0x1000, 0x1000, RWX);
	for (int i = 0; i < 5; i++) {
		guest_put_code(&guest, CODE + 0x1000, i & 1 ? two : one);
		CU_ASSERT_EQUAL(x86_run(cpu, 1000), X86_STOP_INT80);
		CU_ASSERT_EQUAL(cpu->reg[X86_RAX], i & 1 ? 2 : 1);
	}
	/* A host system call writes there. */
	CU_ASSERT_EQUAL(space_prepare_write(guest.space, CODE + 0x1001, 1), 0);
	guest.space->base[CODE + 0x1001] = 5;
	CU_ASSERT_EQUAL(x86_run(cpu, 1000), X86_STOP_INT80);
	CU_ASSERT_EQUAL(cpu->reg[X86_RAX], 5);
	/* Mapped anew: zeros are "add [rax], al". */
	space_map(guest.space, CODE + 0x1000, 0x1000, RX, false, -1, 0, "");
	cpu->reg[X86_RAX] = 0;
	CU_ASSERT_EQUAL(x86_run(cpu, 1000), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(cpu->rip, CODE + 0x1000);
	CU_ASSERT_EQUAL(cpu->fault.address, 0);
	/* Not executable any more. */
	space_protect(guest.space, CODE + 0x1000, 0x1000, RW);
	guest_put_code(&guest, CODE + 0x1000, one);
	CU_ASSERT_EQUAL(x86_run(cpu, 1000), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(cpu->fault.address, CODE + 0x1000);
	space_protect(guest.space, CODE + 0x1000, 0x1000, RX);
	CU_ASSERT_EQUAL(x86_run(cpu, 1000), X86_STOP_INT80);
	CU_ASSERT_EQUAL(cpu->reg[X86_RAX], 1);
	space_unmap(guest.space, CODE + 0x1000, 0x1000);
	CU_ASSERT_EQUAL(x86_run(cpu, 1000), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(cpu->rip, CODE + 0x1000);
	guest_finish(&guest);
}

/* A just-in-time compiler's way: write, protect, run, again and again. */
static void test_write_protect_run(void)
{
	struct guest guest =
	    guest_start(X86_MODE_32, false, RX, "e8 fb 0f 00 00 cd 80");

	for (unsigned i = 0; i < 100; i++) {
		char code[32];

		space_protect(guest.space, CODE + 0x1000, 0x1000, RW);
		snprintf(code, sizeof code, "b8 %02x 00 00 00 c3", i);
		guest_put_code(&guest, CODE + 0x1000, code);
		space_protect(guest.space, CODE + 0x1000, 0x1000, RX);
		guest.cpu->rip = CODE;
		CU_ASSERT_EQUAL(x86_run(guest.cpu, 500), X86_STOP_INT80);
		CU_ASSERT_EQUAL(guest.cpu->reg[X86_RAX], i);
	}
	guest_finish(&guest);
}

/* Data beside code in one writable page. */
static void test_data_beside_code(void)
{
	/* 0: add [rip + 0x100], ecx; dec ecx; jnz 0; int 0x80 */
	struct guest guest = guest_start(X86_MODE_64, false, RWX,
					 "01 0d 00 01 00 00 ff c9 75 f6 cd 80");
	struct x86_emulator_counts counts;

	guest.cpu->reg[X86_RCX] = 10000;
	CU_ASSERT_EQUAL(x86_run(guest.cpu, 1000000), X86_STOP_INT80);
	CU_ASSERT_EQUAL(word_at(&guest, CODE + 0x106), 50005000);
	x86_emulator_counts(guest.emulator, &counts);
	CU_ASSERT(counts.code_faults < 50);
	guest_finish(&guest);
}

/* Code in shared memory that is written through another mapping of it. */
static void test_shared_code(void)
{
	/* 0: mov [0x51001], ecx; call 0x50000; dec ecx; jnz 0; int 0x80 */
	struct guest guest = guest_start(X86_MODE_64, false, RX,
					 "89 0c 25 01 10 05 00 e8 f4 ff 03 00 "
					 "ff c9 75 f0 cd 80");
	FILE *file = tmpfile();

	CU_ASSERT_EQUAL(ftruncate(fileno(file), 0x1000), 0);
	CU_ASSERT_EQUAL(space_map(guest.space, 0x50000, 0x1000, RX, true,
				  fileno(file), 0, "code"), 0);
	CU_ASSERT_EQUAL(space_map(guest.space, 0x51000, 0x1000, RW, true,
				  fileno(file), 0, "code"), 0);
	guest_put_code(&guest, 0x51000, "05 00 00 00 00 c3"); /* add eax, imm */
	guest.cpu->reg[X86_RCX] = 100;
	CU_ASSERT_EQUAL(x86_run(guest.cpu, 100000), X86_STOP_INT80);
	CU_ASSERT_EQUAL(guest.cpu->reg[X86_RAX], 5050);
	fclose(file);
	guest_finish(&guest);
}

/* ---- The processor's description ---- */

static void test_cpuid(void)
{
	/* cpuid; int 0x80; jmp 0 */
	struct guest guest =
	    guest_start(X86_MODE_64, false, RX, "0f a2 cd 80 eb fa");
	struct x86_cpu *cpu = guest.cpu;

	cpu->reg[X86_RAX] = 1;
	x86_run(cpu, 1000);
	CU_ASSERT(cpu->reg[X86_RCX] & 1u << 20);    /* SSE4.2 */
	CU_ASSERT(!(cpu->reg[X86_RCX] & 1u << 28)); /* no AVX */
	CU_ASSERT(!(cpu->reg[X86_RCX] & 1u << 27)); /* no OSXSAVE */
	CU_ASSERT(cpu->reg[X86_RDX] & 1u << 26);    /* SSE2 */
	cpu->reg[X86_RAX] = 7;
	cpu->reg[X86_RCX] = 0;
	x86_run(cpu, 1000);
	CU_ASSERT_EQUAL(cpu->reg[X86_RBX], 0);
	guest_finish(&guest);
}

static void test_disasm(void)
{
	char text[128];
	const uint8_t code[] = { 0x83, 0xc0, 0x03 };

	CU_ASSERT_EQUAL(x86_disasm(true, 0x1000, code, 3, text, sizeof text),
			3);
	CU_ASSERT_STRING_EQUAL(text, "add eax, 0x03");
	CU_ASSERT_EQUAL(x86_disasm(true, 0x1000, code, 2, text, sizeof text),
			0);
}

/* Watched are also places that more than an address names: the bit that a
 * register numbers, the element that AL or a vector does. */
static void test_watched_places(void)
{
	static const struct {
		const char *code;
		uint64_t rax;
	} cases[] = { /* a run does not stop at its first instruction */
		{ "90 0f a3 07", 801 },               /* bt [rdi], eax */
		{ "90 48 0f bb 07", 800 },            /* btc [rdi], rax */
		{ "48 89 fb d7", 100 },            /* mov rbx, rdi; xlat */
		/* vpgatherqd xmm2, [rdi + ymm1 * 4], xmm3 */
		{ "90 c4 e2 65 91 14 8f", 0 },
		/* vpgatherdd ymm2, [rdi + ymm4 * 4], ymm3 */
		{ "90 c4 e2 65 90 14 a7", 0 },
	};
	struct x86_model model;

	x86_model_everything(&model);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct guest guest =
		    guest_start(X86_MODE_64, false, RX, cases[i].code);
		struct x86_cpu *cpu;

		x86_cpu_free(guest.cpu);
		x86_emulator_free(guest.emulator);
		guest.emulator = x86_emulator_create(guest.space, X86_MODE_64,
						     &model, NULL);
		guest.cpu = cpu = x86_cpu_create(guest.emulator);
		cpu->rip = CODE;
		cpu->reg[X86_RDI] = DATA;
		cpu->reg[X86_RAX] = cases[i].rax;
		cpu->vector[1].i64[1] = 25;
		cpu->vector[4].i32[7] = 25;
		x86_watch(guest.emulator, DATA + 100, DATA + 101);
		CU_ASSERT_EQUAL(x86_run(cpu, 100), X86_STOP_WATCH);
		guest_finish(&guest);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "space: regions, protections, gaps", test_space },
		{ "file shorter than its mapping", test_short_file },
		{ "faults are precise", test_faults },
		{ "instruction over a page end", test_fetch_straddling },
		{ "string instruction restarts", test_string_restart },
		{ "undefined instruction is named", test_undefined },
		{ "stops at any instruction count", test_quantum },
		{ "two cpus, time-stamp counter", test_two_cpus },
		{ "segment bases", test_segments },
		{ "store into the next instruction", test_modify_next },
		{ "loop that rewrites itself", test_modify_loop },
		{ "code changed from outside", test_modify_outside },
		{ "write, protect, run", test_write_protect_run },
		{ "data beside code", test_data_beside_code },
		{ "shared code written elsewhere", test_shared_code },
		{ "cpuid", test_cpuid },
		{ "disassembly", test_disasm },
		{ "watched places that registers name", test_watched_places },
	CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "x86 emulator", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
