/* The seam for timing models: steps and batches. Small hand-made programs; their
 * listings are beside them. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/harness.h"
#include "x86/emu/block.h"
#include "x86/emu/step.h"
#include "x86/guest.h"

/* ---- Steps ---- */

static void test_step(void)
{
	/* 0: mov [rdi], eax; 2: add ecx, [rdi + 4]; 5: add [rdi], eax;
	 * 7: push rax; 8: pop [rdi + 8]; b: call +1; 10: nop; 11: ret */
	struct guest guest = guest_start(X86_MODE_64, true, RX,
					 "89 07 03 4f 04 01 07 50 8f 47 08 "
					 "e8 01 00 00 00 90 c3");
	struct x86_cpu *cpu = guest.cpu;
	const struct x86_reference *list;
	struct x86_record record;

	cpu->reg[X86_RDI] = DATA;
	for (int i = 0; i < 7; i++)
		CU_ASSERT_EQUAL(x86_step(cpu, guest.ring, 0),
				X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(x86_instructions(cpu), 7);
	record = guest_take(&guest, &list);
	CU_ASSERT_EQUAL(record.next, CODE + 2);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, DATA, 1, 4, X86_STORE));
	record = guest_take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, DATA + 4, 1, 4, X86_LOAD));
	record = guest_take(&guest, &list);
	CU_ASSERT(record.references == 2 &&
		  is_reference(list, DATA, 1, 4, X86_LOAD) &&
		  is_reference(list + 1, DATA, 1, 4, X86_STORE));
	record = guest_take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, STACK + 0x7f8, 1, 8, X86_STORE));
	record = guest_take(&guest, &list);
	CU_ASSERT(record.references == 2 &&
		  is_reference(list, STACK + 0x7f8, 1, 8, X86_LOAD) &&
		  is_reference(list + 1, DATA + 8, 1, 8, X86_STORE));
	record = guest_take(&guest, &list);
	CU_ASSERT(record.taken && record.next == CODE + 0x11);
	record = guest_take(&guest, &list);
	CU_ASSERT(record.taken && record.next == CODE + 0x10);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, STACK + 0x7f8, 1, 8, X86_LOAD));
	CU_ASSERT_EQUAL(cpu->rip, CODE + 0x10);
	CU_ASSERT_EQUAL(guest.ring->head, guest.ring->tail);
	guest_finish(&guest);
}

/* A loop of many rounds through a small ring. */
static void test_observe(void)
{
	/* 0: add rax, [rdi]; 3: dec ecx; 5: jnz 0; 7: int 0x80 */
	struct guest guest =
	    guest_start(X86_MODE_64, true, RX, "48 03 07 ff c9 75 f9 cd 80");
	struct x86_cpu *cpu = guest.cpu;
	enum x86_stop stop;
	uint64_t count = 0, loads = 0, taken = 0;
	struct x86_record record = { 0 };

	cpu->reg[X86_RDI] = DATA;
	cpu->reg[X86_RCX] = 100000;
	do {
		stop = x86_observe(cpu, guest.ring, 1000, 0);
		while (guest.ring->tail != guest.ring->head) {
			const struct x86_reference *list;

			record = guest_take(&guest, &list);
			count++;
			taken += record.taken;
			loads += record.references;
			if (record.references)
				CU_ASSERT(list->address == DATA &&
					  list->size == 8);
		}
	} while (stop == X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(stop, X86_STOP_INT80);
	CU_ASSERT_EQUAL(count, 300001);
	CU_ASSERT_EQUAL(x86_instructions(cpu), 300001);
	CU_ASSERT_EQUAL(loads, 100000);
	CU_ASSERT_EQUAL(taken, 99999);
	CU_ASSERT_EQUAL(record.inst->mnemonic, ZYDIS_MNEMONIC_INT);
	CU_ASSERT_EQUAL(record.next, CODE + 9);
	guest_finish(&guest);
}

/* ---- What it stops before ---- */

static void test_stops(void)
{
	static const struct {
		const char *code;
		unsigned before;
		enum x86_stop stop; /* without being asked */
	} cases[] = {
		{ "0f 05", X86_SYSTEM_CALL, X86_STOP_SYSCALL },
		{ "cd 80", X86_SYSTEM_CALL, X86_STOP_INT80 },
		{ "f0 ff 07", X86_LOCKED, X86_STOP_QUANTUM },
		{ "87 07", X86_LOCKED, X86_STOP_QUANTUM },
		{ "0f ae f8", X86_FENCE, X86_STOP_QUANTUM },
		{ "0f 31", X86_READS_TIME, X86_STOP_QUANTUM },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (int batch = 0; batch < 2; batch++) {
			struct guest guest =
			    guest_start(X86_MODE_64, true, RX, "90 90");
			struct x86_cpu *cpu = guest.cpu;

			space_protect(guest.space, CODE, 0x2000, RWX);
			guest_put_code(&guest, CODE + 2, cases[i].code);
			cpu->reg[X86_RDI] = DATA;
			if (batch) {
				CU_ASSERT_EQUAL(
					x86_observe(cpu, guest.ring, 3,
						    cases[i].before),
					X86_STOP_ASKED);
			} else {
				x86_step(cpu, guest.ring, cases[i].before);
				x86_step(cpu, guest.ring, cases[i].before);
				CU_ASSERT_EQUAL(
					x86_step(cpu, guest.ring,
						 cases[i].before),
					X86_STOP_ASKED);
			}
			CU_ASSERT_EQUAL(cpu->rip, CODE + 2);
			CU_ASSERT_EQUAL(x86_instructions(cpu), 2);
			CU_ASSERT_EQUAL(guest.ring->head, 2);
			CU_ASSERT_EQUAL(x86_step(cpu, guest.ring,
						 0x1f & ~cases[i].before),
					cases[i].stop);
			CU_ASSERT_EQUAL(x86_instructions(cpu), 3);
			CU_ASSERT_EQUAL(guest.ring->head, 3);
			guest_finish(&guest);
		}
}

static uint64_t tell_time(void *owner, const struct x86_cpu *cpu)
{
	CU_ASSERT_EQUAL(cpu->rip, CODE + 1);
	return *(uint64_t *)owner;
}

/* The time-stamp counter is the timing model's when it wants to. */
static void test_time(void)
{
	struct guest guest = guest_start(X86_MODE_64, true, RX, "90 0f 31");
	struct x86_cpu *cpu = guest.cpu;
	uint64_t time = 0x123456789a;

	x86_emulator_set_time(guest.emulator, tell_time, &time);
	CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 2, X86_READS_TIME),
			X86_STOP_ASKED);
	time += 5;
	CU_ASSERT_EQUAL(x86_step(cpu, guest.ring, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(cpu->reg[X86_RAX], 0x3456789f);
	CU_ASSERT_EQUAL(cpu->reg[X86_RDX], 0x12);
	x86_emulator_set_time(guest.emulator, NULL, NULL);
	cpu->rip = CODE + 1;
	CU_ASSERT_EQUAL(x86_step(cpu, guest.ring, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(cpu->reg[X86_RAX], 2);
	guest_finish(&guest);
}

/* A store to code: mov byte [rdi], al; nop; inc eax: the nop becomes clc. */
static void test_code_store(void)
{
	for (int batch = 0; batch < 2; batch++) {
		struct guest guest =
		    guest_start(X86_MODE_64, true, RWX, "88 07 90 ff c0 ff c0");
		struct x86_cpu *cpu = guest.cpu;
		const struct x86_reference *list;
		struct x86_record record;
		enum x86_stop stop;

		cpu->reg[X86_RDI] = CODE + 2;
		cpu->reg[X86_RAX] = 0xf8;
		stop = batch ? x86_observe(cpu, guest.ring, 3, X86_CODE_STORE)
			     : x86_step(cpu, guest.ring, X86_CODE_STORE);
		CU_ASSERT_EQUAL(stop, X86_STOP_ASKED);
		CU_ASSERT_EQUAL(cpu->rip, CODE);
		CU_ASSERT_EQUAL(guest.ring->head, 0);
		CU_ASSERT_EQUAL(x86_step(cpu, guest.ring, 0),
				X86_STOP_QUANTUM);
		record = guest_take(&guest, &list);
		CU_ASSERT(x86_inst_stale(record.inst));
		CU_ASSERT(record.references == 1 &&
			  is_reference(list, CODE + 2, 1, 1, X86_STORE));
		CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 2, 0),
				X86_STOP_QUANTUM);
		record = guest_take(&guest, NULL);
		CU_ASSERT_EQUAL(record.inst->mnemonic, ZYDIS_MNEMONIC_CLC);
		record = guest_take(&guest, NULL);
		CU_ASSERT_EQUAL(record.inst->mnemonic, ZYDIS_MNEMONIC_INC);
		guest_finish(&guest);
	}
}

/* The same without being asked, in one batch, so often that the page is no
 * longer watched: mov byte [rdi], al; nop or clc; xor eax, 0x68; jmp back */
static void test_code_stores(void)
{
	struct guest guest = guest_start(X86_MODE_64, true, RWX,
					 "88 07 90 35 68 00 00 00 eb f6");
	struct x86_cpu *cpu = guest.cpu;
	unsigned seen = 0;

	cpu->reg[X86_RDI] = CODE + 2;
	cpu->reg[X86_RAX] = 0xf8;
	for (int i = 0; i < 60; i++) {
		CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 4, 0),
				X86_STOP_QUANTUM);
		for (int k = 0; k < 4; k++) {
			struct x86_record record = guest_take(&guest, NULL);

			if (k != 1)
				continue;
			CU_ASSERT_EQUAL(record.inst->mnemonic,
					i & 1 ? ZYDIS_MNEMONIC_NOP
					      : ZYDIS_MNEMONIC_CLC);
			seen++;
		}
	}
	CU_ASSERT_EQUAL(seen, 60);
	guest_finish(&guest);
}

/* ---- Repeated string instructions ---- */

/* All iterations are told, whatever the direction and overlap. */
static void test_repeat(void)
{
	static const struct {
		const char *code;
		unsigned count, size;
		bool down;
		unsigned distance; /* from source to target */
	} cases[] = {
		{ "f3 a4", 1000, 1, false, 0x1000 },
		{ "f3 a5", 700, 4, false, 0x1000 },
		{ "f3 48 a5", 300, 8, true, 0x1000 },
		{ "f3 a4", 500, 1, false, 1 },
		{ "f3 a4", 0, 1, false, 1 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		unsigned size = cases[i].size, done = 0, records = 0;
		struct guest guest =
		    guest_start(X86_MODE_64, true, RX, cases[i].code);
		struct x86_cpu *cpu = guest.cpu;
		uint64_t from = DATA + 0x40, to;
		int64_t by = cases[i].down ? -(int64_t)size : size;
		struct x86_record record;

		space_map(guest.space, DATA, 0x8000, RW, false, -1, 0, "");
		if (cases[i].down)
			from += cases[i].count * size;
		to = from + cases[i].distance;
		cpu->reg[X86_RSI] = from;
		cpu->reg[X86_RDI] = to;
		cpu->reg[X86_RCX] = cases[i].count;
		if (cases[i].down)
			cpu->eflags |= X86_DF;
		do {
			const struct x86_reference *list;

			CU_ASSERT_EQUAL(x86_step(cpu, guest.ring, 0),
					X86_STOP_QUANTUM);
			record = guest_take(&guest, &list);
			records++;
			CU_ASSERT_EQUAL(record.references % 2, 0);
			for (unsigned k = 0; k < record.references; k += 2) {
				unsigned n = list[k].count;

				CU_ASSERT(is_reference(
					list + k,
					from + (uint64_t)(by * (int)done), n,
					size, X86_LOAD));
				CU_ASSERT(is_reference(
					list + k + 1,
					to + (uint64_t)(by * (int)done), n,
					size, X86_STORE));
				CU_ASSERT(n == 1 || by > 0);
				done += n;
			}
			CU_ASSERT_EQUAL(cases[i].count - done,
					cpu->reg[X86_RCX]);
			CU_ASSERT_EQUAL(record.unfinished, done <
						cases[i].count);
			CU_ASSERT_EQUAL(record.next,
					record.unfinished ? CODE :
					record.inst->address +
						record.inst->length);
		} while (record.unfinished && records < 1000);
		CU_ASSERT_EQUAL(done, cases[i].count);
		CU_ASSERT_EQUAL(x86_instructions(cpu), 1);
		guest_finish(&guest);
	}
}

/* A fault in the middle: rep stosb to the end of what is mapped. */
static void test_repeat_fault(void)
{
	struct guest guest = guest_start(X86_MODE_64, true, RX, "f3 aa");
	struct x86_cpu *cpu = guest.cpu;
	const struct x86_reference *list;
	struct x86_record record;

	cpu->reg[X86_RDI] = DATA + 0x1ff0;
	cpu->reg[X86_RCX] = 100;
	CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 1, 0), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(cpu->fault.address, DATA + 0x2000);
	CU_ASSERT_EQUAL(cpu->reg[X86_RCX], 84);
	CU_ASSERT_EQUAL(x86_instructions(cpu), 0);
	record = guest_take(&guest, &list);
	CU_ASSERT(record.unfinished && record.references == 1 &&
		  is_reference(list, DATA + 0x1ff0, 16, 1, X86_STORE));
	CU_ASSERT_EQUAL(record.next, CODE);
	guest_finish(&guest);
}

/* ---- Faults and traps ---- */

static void test_faults(void)
{
	static const struct {
		const char *code;
		int signal;
		unsigned rip, retired;
	} cases[] = {
		{ "8b 04 25 00 00 09 00", SIGSEGV, 0, 0 },
		{ "31 c9 f7 f1", SIGFPE, 2, 1 },
		{ "0f 0b", SIGILL, 0, 0 },
		{ "cc", SIGTRAP, 1, 1 },
		{ "0f 58 00", SIGSEGV, 0, 0 },             /* not aligned */
		{ "f4", SIGSEGV, 0, 0 },
		{ "48 bb 00 00 00 00 00 00 ff 00 ff e3", SIGSEGV, 10, 1 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (int batch = 0; batch < 2; batch++) {
			struct guest guest =
			    guest_start(X86_MODE_64, true, RX, cases[i].code);
			struct x86_cpu *cpu = guest.cpu;
			enum x86_stop stop = X86_STOP_QUANTUM;

			cpu->reg[X86_RAX] = DATA + 1;
			for (int k = 0; k < 3 && stop == X86_STOP_QUANTUM;
			     k++)
				stop = batch ? x86_observe(cpu, guest.ring, 9,
							   0)
					     : x86_step(cpu, guest.ring, 0);
			CU_ASSERT_EQUAL(stop, X86_STOP_FAULT);
			CU_ASSERT_EQUAL(cpu->fault.signal, cases[i].signal);
			CU_ASSERT_EQUAL(cpu->rip, CODE + cases[i].rip);
			CU_ASSERT_EQUAL(x86_instructions(cpu),
					cases[i].retired);
			CU_ASSERT_EQUAL(guest.ring->head, cases[i].retired);
			guest_finish(&guest);
		}
}

/* With the trap flag every instruction ends in a fault, and each iteration of
 * a repeated one. */
static void test_trap_flag(void)
{
	/* mov [rdi], eax; rep stosd */
	struct guest guest =
	    guest_start(X86_MODE_64, true, RX, "89 07 f3 ab 90");
	struct x86_cpu *cpu = guest.cpu;
	const struct x86_reference *list;
	struct x86_record record;

	cpu->reg[X86_RDI] = DATA;
	cpu->reg[X86_RCX] = 2;
	cpu->eflags |= X86_TF;
	CU_ASSERT_EQUAL(x86_step(cpu, guest.ring, 0), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(cpu->fault.signal, SIGTRAP);
	record = guest_take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, DATA, 1, 4, X86_STORE));
	for (unsigned i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 5, 0),
				X86_STOP_FAULT);
		record = guest_take(&guest, &list);
		CU_ASSERT_EQUAL(record.unfinished, i == 0);
		CU_ASSERT(record.references == 1 &&
			  is_reference(list, DATA + 4 * i, 1, 4, X86_STORE));
	}
	CU_ASSERT_EQUAL(cpu->rip, CODE + 4);
	guest_finish(&guest);
}

static void test_breakpoint(void)
{
	struct guest guest =
	    guest_start(X86_MODE_64, true, RX, "90 ff c0 ff c0");
	struct x86_cpu *cpu = guest.cpu;

	CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 1, 0), X86_STOP_QUANTUM);
	x86_breakpoint_insert(guest.emulator, CODE + 3);
	CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 9, 0),
			X86_STOP_BREAKPOINT);
	CU_ASSERT_EQUAL(cpu->rip, CODE + 3);
	CU_ASSERT_EQUAL(guest.ring->head, 2);
	/* A run that begins there goes on. */
	CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 1, 0), X86_STOP_QUANTUM);
	CU_ASSERT_EQUAL(cpu->reg[X86_RAX], 2);
	guest_finish(&guest);
}

/* Steps and runs in turn; the first change what the second has decoded. */
static void test_mixture(void)
{
	/* 0: inc eax; 2: push rax; 3: pop rbx; 4: jmp 0 */
	struct guest guest =
	    guest_start(X86_MODE_64, true, RX, "ff c0 50 5b eb fa");
	struct x86_cpu *cpu = guest.cpu;
	uint64_t retired = 0;

	for (unsigned i = 0; i < 3000; i++) {
		unsigned n = i % 3 == 2 ? 1 + i % 200 : i % 3 ? 3 : 1;

		if (i % 3 == 0)
			x86_step(cpu, guest.ring, 0);
		else if (i % 3 == 1)
			x86_observe(cpu, guest.ring, 3, 0);
		else
			x86_run(cpu, n);
		retired += n;
		guest.ring->tail = guest.ring->head;
		CU_ASSERT_EQUAL(x86_instructions(cpu), retired);
		CU_ASSERT_EQUAL(cpu->reg[X86_RAX], (retired + 3) / 4);
	}
	guest_finish(&guest);
}

/* ---- Masks, gathers, areas ---- */

static void test_prefetches(void)
{
	/* 0: prefetcht0 [rdi + 8]; 4: prefetchw [rsi]; 7: prefetchnta [rax] */
	struct guest guest =
	    guest_start(X86_MODE_64, true, RX, "0f 18 4f 08 0f 0d 0e 0f 18 00");
	struct x86_cpu *cpu = guest.cpu;
	const struct x86_reference *list;
	struct x86_record record;

	cpu->reg[X86_RDI] = DATA;
	cpu->reg[X86_RSI] = DATA + 0x40;
	cpu->reg[X86_RAX] = 0x123456789000; /* nothing is mapped there */
	for (int i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(x86_step(cpu, guest.ring, 0),
				X86_STOP_QUANTUM);
	record = guest_take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, DATA + 8, 1, 1, X86_HINT));
	record = guest_take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, DATA + 0x40, 1, 1, X86_HINT));
	record = guest_take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, 0x123456789000, 1, 1, X86_HINT));
	guest_finish(&guest);
}

static void test_vector_references(void)
{
	/* vpmaskmovd [rdi], xmm1, xmm0: elements 1 and 3 */
	struct guest guest =
	    guest_start(X86_MODE_64, true, RX,
			"c4 e2 71 8e 07 "
			/* vgatherdps xmm2, [rdi+xmm3*4], xmm1 */
			"c4 e2 71 92 14 9f "
			/* fxsave [rdi]; vmovaps [rdi], ymm0 */
			"0f ae 07 c5 fc 29 07");
	struct x86_cpu *cpu = guest.cpu;
	const struct x86_reference *list;
	struct x86_record record;

	if (!x86_host_has(X86_FEATURE_AVX2)) {
		printf("# skipped: no AVX2 on this host\n");
		guest_finish(&guest);
		return;
	}
	cpu->reg[X86_RDI] = DATA + 0x100;
	cpu->vector[1].u32[1] = cpu->vector[1].u32[3] = 0x80000000;
	for (unsigned i = 0; i < 4; i++)
		cpu->vector[3].i32[i] = (int)(16 * i) - 32;
	CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 4, 0), X86_STOP_QUANTUM);
	record = guest_take(&guest, &list);
	CU_ASSERT(record.references == 2 &&
		  is_reference(list, DATA + 0x104, 1, 4, X86_STORE) &&
		  is_reference(list + 1, DATA + 0x10c, 1, 4, X86_STORE));
	record = guest_take(&guest, &list);
	CU_ASSERT(record.references == 2 &&
		  is_reference(list, DATA + 0x100 - 64, 1, 4, X86_LOAD) &&
		  is_reference(list + 1, DATA + 0x100 + 64, 1, 4, X86_LOAD));
	record = guest_take(&guest, &list);
	CU_ASSERT(record.references == 1 && list->address == DATA + 0x100 &&
		  list->direction == X86_STORE && list->size >= 288);
	record = guest_take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, DATA + 0x100, 1, 32, X86_STORE));
	guest_finish(&guest);
}

static CU_TestInfo tests[] = {
	{ "steps", test_step },
	{ "batches", test_observe },
	{ "stops when asked", test_stops },
	{ "the time-stamp counter", test_time },
	{ "a store to code", test_code_store },
	{ "stores to code", test_code_stores },
	{ "repeated instructions", test_repeat },
	{ "a fault in a repeated instruction", test_repeat_fault },
	{ "faults and traps", test_faults },
	{ "the trap flag", test_trap_flag },
	{ "breakpoints", test_breakpoint },
	{ "steps, batches and runs", test_mixture },
	{ "masks, gathers, areas", test_vector_references },
	{ "prefetches", test_prefetches },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "x86 step", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
