/* Descriptions of instructions: what they say, and how long they live. Small
 * hand-made programs; their listings are beside them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "unit/harness.h"
#include "x86/emu/block.h"
#include "x86/emu/step.h"
#include "x86/guest.h"
#include "x86/hex.h"

/* ---- Descriptions ---- */

#define R(name) X86_AT(X86_R##name)
#define XMM(n) X86_AT(X86_AT_VECTOR + n)
#define ST(n) X86_AT(X86_AT_ST + n)
#define MXCSR \
	(X86_AT(X86_AT_MXCSR_CONTROL) | X86_AT(X86_AT_MXCSR_STATUS))
#define X87 \
	(X86_AT(X86_AT_X87_CONTROL) | X86_AT(X86_AT_X87_STATUS) | \
	 X86_AT(X86_AT_X87_TOP) | X86_AT(X86_AT_X87_TAGS))
enum { ALL = X86_ARITHMETIC, NOT_CF = ALL & ~X86_CF };

static const struct expected {
	const char *code, *row;
	unsigned class, branch, traits;
	uint64_t read, written;
	unsigned flags_read, flags_written;
	unsigned memory; /* operands */
	uint64_t target;
} expected[] = {
	{ "01 d8", "ADD R32 R32 _ _", X86_CLASS_ARITHMETIC, 0, 0,
	  R(AX) | R(BX), R(AX), 0, ALL, 0, 0 },
	{ "ff 40 08", "INC M32 _ _ _", X86_CLASS_ARITHMETIC, 0, X86_TOUCHES,
	  R(AX), 0, 0, NOT_CF, 1, 0 },
	{ "f0 48 0f b1 0f", "CMPXCHG M64 R64 _ _", X86_CLASS_ARITHMETIC, 0,
	  X86_TOUCHES | X86_LOCKED, R(AX) | R(CX) | R(DI), R(AX), 0, ALL, 1,
	  0 },
	{ "87 07", "XCHG M32 R32 _ _", X86_CLASS_MOVE, 0,
	  X86_TOUCHES | X86_LOCKED, R(AX) | R(DI), R(AX), 0, 0, 1, 0 },
	{ "50", "PUSH R64 _ _ _", X86_CLASS_STACK, 0, X86_TOUCHES,
	  R(AX) | R(SP), R(SP), 0, 0, 1, 0 },
	{ "d3 e0", "SHL R32 R8 _ _", X86_CLASS_SHIFT, 0, 0, R(AX) | R(CX),
	  R(AX), ALL, ALL, 0, 0 },
	{ "0f 44 c3", "CMOVZ R32 R32 _ _", X86_CLASS_MOVE, 0, 0,
	  R(AX) | R(BX), R(AX), X86_ZF, 0, 0, 0 },
	{ "48 8d 44 8b 10", "LEA R64 M _ _", X86_CLASS_ADDRESS, 0, 0,
	  R(BX) | R(CX), R(AX), 0, 0, 0, 0 },
	{ "64 8b 00", "MOV R32 M32 _ _", X86_CLASS_MOVE, 0, X86_TOUCHES,
	  R(AX) | X86_AT(X86_AT_SEGMENT + X86_FS), R(AX), 0, 0, 1, 0 },
	{ "f3 48 a5", "MOVSQ _ _ _ _", X86_CLASS_STRING, 0,
	  X86_TOUCHES | X86_REPEATED, R(SI) | R(DI) | R(CX),
	  R(SI) | R(DI) | R(CX), X86_DF, 0, 2, 0 },
	{ "74 10", "JZ J _ _ _", X86_CLASS_BRANCH, X86_BRANCH_CONDITIONAL, 0,
	  0, 0, X86_ZF, 0, 0, CODE + 0x12 },
	{ "e8 fb 0f 00 00", "CALL J _ _ _", X86_CLASS_BRANCH,
	  X86_BRANCH_CALL, X86_TOUCHES, R(SP), R(SP), 0, 0, 1,
	  CODE + 0x1000 },
	{ "ff e0", "JMP R64 _ _ _", X86_CLASS_BRANCH,
	  X86_BRANCH_INDIRECT_JUMP, 0, R(AX), 0, 0, 0, 0, 0 },
	{ "c3", "RET _ _ _ _", X86_CLASS_BRANCH, X86_BRANCH_RETURN,
	  X86_TOUCHES, R(SP), R(SP), 0, 0, 1, 0 },
	{ "0f 58 c1", "ADDPS X X _ _", X86_CLASS_VECTOR, 0, X86_FLOATING,
	  XMM(0) | XMM(1) | MXCSR, XMM(0) | X86_AT(X86_AT_MXCSR_STATUS), 0,
	  0, 0, 0 },
	{ "0f 28 c1", "MOVAPS X X _ _", X86_CLASS_VECTOR, 0, X86_FLOATING,
	  XMM(1), XMM(0), 0, 0, 0, 0 },
	{ "de c1", "FADDP F F _ _", X86_CLASS_X87, 0, X86_FLOATING,
	  ST(0) | ST(1) | X87,
	  ST(1) | X86_AT(X86_AT_X87_STATUS) | X86_AT(X86_AT_X87_TOP) |
		  X86_AT(X86_AT_X87_TAGS) | X86_AT(X86_AT_X87_POINTERS), 0, 0, 0, 0 },
	{ "0f a2", "CPUID _ _ _ _", X86_CLASS_SYSTEM, 0, X86_SERIALIZING,
	  R(AX) | R(CX), R(AX) | R(BX) | R(CX) | R(DX), 0, 0, 0, 0 },
	{ "0f ae f0", "MFENCE _ _ _ _", X86_CLASS_FENCE, 0, X86_FENCE, 0, 0,
	  0, 0, 0, 0 },
	{ "66 05 34 12", "ADD R16 I _ _", X86_CLASS_ARITHMETIC, 0,
	  X86_LENGTH_PREFIX, R(AX), R(AX), 0, ALL, 0, 0 },
	{ "62 f1 7c 48 58 c1", NULL, X86_CLASS_SYSTEM, 0, X86_UNKNOWN, 0, 0,
	  0, 0, 0, 0 },
	/* Those that make no op for x86_run(). */
	{ "90", NULL, X86_CLASS_NOTHING, 0, 0, 0, 0, 0, 0, 0, 0 },
	{ "f3 90", NULL, X86_CLASS_NOTHING, 0, 0, 0, 0, 0, 0, 0, 0 },
	{ "f3 0f 1e fa", NULL, X86_CLASS_NOTHING, 0, 0, 0, 0, 0, 0, 0, 0 },
	{ "0f 1f 44 00 00", NULL, X86_CLASS_NOTHING, 0, 0, 0, 0, 0, 0, 0, 0 },
	{ "0f 0b", "UD2 _ _ _ _", X86_CLASS_SYSTEM, 0, 0, 0, 0, 0, 0, 0, 0 },
};

static void test_descriptions(void)
{
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		const struct expected *e = &expected[i];
		struct guest guest =
		    guest_start(X86_MODE_64, true, RX, e->code);
		const struct x86_inst *inst = x86_inst_at(guest.emulator, CODE);
		const char *row = x86_row_name(inst->row);
		uint8_t code[16];
		bool good;

		good = inst->address == CODE &&
		       inst->length == hex(e->code, code) &&
		       inst->class == e->class &&
		       inst->branch == e->branch &&
		       (inst->traits & ~X86_LAST) == (int)e->traits &&
		       inst->read == e->read && inst->written == e->written &&
		       inst->flags_read == e->flags_read &&
		       inst->flags_written == e->flags_written &&
		       inst->memory_count == e->memory &&
		       inst->target == e->target &&
		       (e->row ? row && !strcmp(row, e->row) : !row);
		if (!good)
			printf("# %s: row %s class %u branch %u traits %x "
			       "read %llx written %llx flags %x %x memory %u "
			       "target %llx\n",
			       e->code, row ? row : "none", inst->class,
			       inst->branch, inst->traits,
			       (unsigned long long)inst->read,
			       (unsigned long long)inst->written,
			       inst->flags_read, inst->flags_written,
			       inst->memory_count,
			       (unsigned long long)inst->target);
		CU_ASSERT(good);
		CU_ASSERT_PTR_NULL(inst->timing);
		x86_inst_release(inst);
		/* Nothing was executed. */
		CU_ASSERT_EQUAL(guest.cpu->rip, CODE);
		CU_ASSERT_EQUAL(x86_instructions(guest.cpu), 0);
		guest_finish(&guest);
	}
}

/* What of the encoding matters to a front end. */
static void test_encoding(void)
{
	static const struct {
		const char *code;
		unsigned mode32, prefixes, at, opcode, map, modrm;
		unsigned length_prefix;
		int64_t immediate;
		unsigned immediate_bytes, displacement_bytes;
	} cases[] = {
		{ "01 d8", 0, 0, 0, 0x01, X86_MAP_ONE_BYTE, 1, 0, 0, 0, 0 },
		{ "48 83 e8 fb", 0, 1, 1, 0x83, X86_MAP_ONE_BYTE, 1, 0, -5, 1,
		  0 },
		{ "83 e8 00", 0, 0, 0, 0x83, X86_MAP_ONE_BYTE, 1, 0, 0, 1, 0 },
		{ "d1 e0", 0, 0, 0, 0xd1, X86_MAP_ONE_BYTE, 1, 0, 1, 0, 0 },
		{ "66 05 34 12", 0, 1, 1, 0x05, X86_MAP_ONE_BYTE, 0, 1, 0x1234,
		  2, 0 },
		{ "66 83 c0 34", 0, 1, 1, 0x83, X86_MAP_ONE_BYTE, 1, 0, 0x34,
		  1, 0 },
		{ "66 c2 34 12", 0, 1, 1, 0xc2, X86_MAP_ONE_BYTE, 0, 0, 0x1234,
		  2, 0 },
		{ "67 8b 00", 0, 1, 1, 0x8b, X86_MAP_ONE_BYTE, 1, 0, 0, 0, 0 },
		{ "67 a1 78 56 34 12", 0, 1, 1, 0xa1, X86_MAP_ONE_BYTE, 0, 1,
		  0, 0, 4 },
		{ "67 8b 00", 1, 1, 1, 0x8b, X86_MAP_ONE_BYTE, 1, 1, 0, 0, 0 },
		{ "67 8b 46 10", 1, 1, 1, 0x8b, X86_MAP_ONE_BYTE, 1, 1, 0, 0,
		  1 },
		{ "66 41 0f 6f 00", 0, 2, 3, 0x6f, X86_MAP_0F, 1, 0, 0, 0, 0 },
		{ "66 0f 38 00 c1", 0, 1, 3, 0x00, X86_MAP_0F38, 1, 0, 0, 0,
		  0 },
		{ "66 0f 3a 0f c1 07", 0, 1, 3, 0x0f, X86_MAP_0F3A, 1, 0, 7, 1,
		  0 },
		{ "c5 f8 58 c1", 0, 0, 2, 0x58, X86_MAP_0F, 1, 0, 0, 0, 0 },
		{ "c4 e2 71 00 c2", 0, 0, 3, 0x00, X86_MAP_0F38, 1, 0, 0, 0,
		  0 },
		{ "66 0f 1f 44 00 00", 0, 1, 2, 0x1f, X86_MAP_0F, 1, 0, 0, 0,
		  1 },
		{ "74 10", 0, 0, 0, 0x74, X86_MAP_ONE_BYTE, 0, 0, 0, 1, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct guest guest =
		    guest_start(cases[i].mode32 ? X86_MODE_32 : X86_MODE_64,
				true, RX, cases[i].code);
		const struct x86_inst *inst = x86_inst_at(guest.emulator,
							  CODE);
		bool good = inst->prefix_bytes == cases[i].prefixes &&
			    inst->opcode_offset == cases[i].at &&
			    inst->opcode == cases[i].opcode &&
			    inst->map == cases[i].map &&
			    inst->modrm == cases[i].modrm &&
			    !(inst->traits & X86_LENGTH_PREFIX) ==
				    !cases[i].length_prefix &&
			    inst->immediate == cases[i].immediate &&
			    inst->immediate_bytes ==
				    cases[i].immediate_bytes &&
			    inst->displacement_bytes ==
				    cases[i].displacement_bytes;

		if (!good)
			printf("# %s: %u prefixes, opcode %x at %u, table %u, "
			       "ModRM %d, traits %x, immediate %lld of %u, "
			       "displacement of %u\n",
			       cases[i].code, inst->prefix_bytes, inst->opcode,
			       inst->opcode_offset, inst->map, inst->modrm,
			       inst->traits, (long long)inst->immediate,
			       inst->immediate_bytes,
			       inst->displacement_bytes);
		CU_ASSERT(good);
		x86_inst_release(inst);
		guest_finish(&guest);
	}
}

/* Hidden registers follow the visible operands. */
static void test_hidden(void)
{
	static const struct {
		const char *code;
		unsigned visible, hidden;
		uint8_t location[4]; /* of the hidden ones */
	} cases[] = {
		{ "48 f7 e3", 1, 2, { X86_RAX, X86_RDX } },
		{ "f0 48 0f b1 0f", 2, 1, { X86_RAX } },
		{ "48 0f c7 0f", 1, 4, { X86_RDX, X86_RAX, X86_RCX,
					 X86_RBX } },
		{ "50", 1, 1, { X86_RSP } },
		{ "d3 e0", 2, 0, { 0 } }, /* CL is visible */
		{ "01 d8", 2, 0, { 0 } },
		{ "99", 0, 2, { X86_RDX, X86_RAX } },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct guest guest =
		    guest_start(X86_MODE_64, true, RX, cases[i].code);
		const struct x86_inst *inst = x86_inst_at(guest.emulator, CODE);
		unsigned found = 0;

		CU_ASSERT_EQUAL(inst->operand_count, cases[i].visible);
		CU_ASSERT_EQUAL(inst->hidden_count, cases[i].hidden);
		for (unsigned k = 0; k < inst->hidden_count; k++) {
			unsigned at = inst->operand_count + k;

			CU_ASSERT_EQUAL(inst->operand[at].kind,
					X86_OPERAND_REGISTER);
			for (unsigned n = 0; n < cases[i].hidden; n++)
				found += inst->operand[at].location ==
					 cases[i].location[n];
		}
		CU_ASSERT_EQUAL(found, cases[i].hidden);
		x86_inst_release(inst);
		guest_finish(&guest);
	}
}

/* cmp eax, ebx; je +0; nop; add rax, [rbx + rcx * 4 + 16]; ret: what x86_run()
 * fuses or leaves out is described one by one. */
static void test_sequence(void)
{
	struct guest guest = guest_start(X86_MODE_64, true, RX,
					 "90 39 d8 74 00 48 03 44 8b 10 c3");
	const struct x86_inst *inst = x86_inst_at(guest.emulator, CODE);
	const struct x86_inst *first = inst, *next;
	const struct x86_memory *memory;

	CU_ASSERT_EQUAL(inst->mnemonic, ZYDIS_MNEMONIC_NOP);
	inst = x86_inst_next(inst);
	CU_ASSERT_EQUAL(inst->mnemonic, ZYDIS_MNEMONIC_CMP);
	inst = x86_inst_next(inst);
	CU_ASSERT_EQUAL(inst->mnemonic, ZYDIS_MNEMONIC_JZ);
	CU_ASSERT_EQUAL(inst->target, CODE + 5);
	CU_ASSERT_PTR_NULL(x86_inst_next(inst));
	next = x86_inst_at(guest.emulator, CODE + 5);
	CU_ASSERT_EQUAL(next->operand_count, 2);
	CU_ASSERT_EQUAL(next->operand[0].kind, X86_OPERAND_REGISTER);
	CU_ASSERT_EQUAL(next->operand[0].location, X86_RAX);
	CU_ASSERT(next->operand[0].read && next->operand[0].write);
	CU_ASSERT_EQUAL(next->operand[1].kind, X86_OPERAND_MEMORY);
	memory = &next->memory[0];
	CU_ASSERT(memory->base == X86_RBX && memory->index == X86_RCX &&
		  memory->scale == 4 && memory->displacement == 16 &&
		  memory->size == 8 && memory->read && !memory->write);
	CU_ASSERT_EQUAL(next->displacement_bytes, 1);
	x86_inst_release(next);
	x86_inst_release(first);
	/* Nothing is there. */
	CU_ASSERT_PTR_NULL(x86_inst_at(guest.emulator, 0x90000));
	CU_ASSERT_PTR_NULL(x86_inst_at(guest.emulator, DATA));
	guest_finish(&guest);
}

/* ---- Life of descriptions ---- */

static void test_stale(void)
{
	struct guest guest = guest_start(X86_MODE_64, true, RWX, "01 d8 c3");
	const struct x86_inst *old = x86_inst_at(guest.emulator, CODE), *new;

	CU_ASSERT(!x86_inst_stale(old));
	guest_put_code(&guest, CODE, "29");
	CU_ASSERT(x86_inst_stale(old));
	CU_ASSERT_EQUAL(old->mnemonic, ZYDIS_MNEMONIC_ADD);
	new = x86_inst_at(guest.emulator, CODE);
	CU_ASSERT(!x86_inst_stale(new));
	CU_ASSERT_EQUAL(new->mnemonic, ZYDIS_MNEMONIC_SUB);
	space_unmap(guest.space, CODE, 0x2000);
	CU_ASSERT(x86_inst_stale(new));
	CU_ASSERT_PTR_NULL(x86_inst_at(guest.emulator, CODE));
	/* The emulator may go before what it described. */
	x86_ring_free(guest.ring);
	x86_cpu_free(guest.cpu);
	x86_emulator_free(guest.emulator);
	space_free(guest.space);
	CU_ASSERT_EQUAL(old->mnemonic, ZYDIS_MNEMONIC_ADD);
	CU_ASSERT(x86_inst_stale(new));
	x86_inst_release(old);
	x86_inst_release(new);
}

/* Blocks are pushed out all the time, and the records stay readable. */
static void test_pushed_out(void)
{
	/* inc eax; jmp +0; inc eax; jmp +0; inc eax; jmp to the start */
	struct guest guest = guest_start(X86_MODE_64, true, RX,
					 "ff c0 eb 00 ff c0 eb 00 ff c0 eb f4");
	unsigned taken = 0;

	guest.emulator->observed_max = 1;
	for (int i = 0; i < 1000; i++) {
		uint64_t head = guest.ring->head;
		enum x86_stop stop = i & 1 ?
			x86_observe(guest.cpu, guest.ring, 7, 0) :
			x86_step(guest.cpu, guest.ring, 0);

		CU_ASSERT_EQUAL(stop, X86_STOP_QUANTUM);
		if (guest.ring->head != head && guest.ring->head -
			    guest.ring->tail < 20)
			continue;
		while (guest.ring->tail != guest.ring->head) {
			struct x86_record record = guest_take(&guest, NULL);
			bool jump = record.inst->mnemonic ==
				    ZYDIS_MNEMONIC_JMP;

			CU_ASSERT_EQUAL(record.inst->length, 2);
			CU_ASSERT_EQUAL(record.taken, jump);
			CU_ASSERT_EQUAL(record.inst->address - CODE,
					taken * 2 % 12);
			taken++;
		}
	}
	CU_ASSERT(taken > 500);
	CU_ASSERT(guest.emulator->epoch > 100);
	guest_finish(&guest);
}

static CU_TestInfo tests[] = {
	{ "descriptions", test_descriptions },
	{ "encodings", test_encoding },
	{ "hidden operands", test_hidden },
	{ "descriptions of a sequence", test_sequence },
	{ "stale descriptions", test_stale },
	{ "descriptions that are pushed out", test_pushed_out },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "x86 descriptions", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
