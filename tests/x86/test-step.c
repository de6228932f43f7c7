/* The seam for timing models: descriptions, steps, batches. Small hand-made
 * programs; their listings are beside them. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "unit/harness.h"
#include "x86/emu/block.h"
#include "x86/emu/step.h"
#include "x86/hex.h"

enum {
	CODE = 0x10000,
	DATA = 0x20000, /* two pages */
	STACK = 0x30000,
	RW = SPACE_READ | SPACE_WRITE,
	RX = SPACE_READ | SPACE_EXECUTE,
	RWX = RW | SPACE_EXECUTE,
};

struct guest {
	struct space *space;
	struct x86_emulator *emulator;
	struct x86_cpu *cpu;
	struct x86_ring *ring;
};

static void put_code(struct guest *guest, uint64_t address, const char *text)
{
	uint8_t code[256];
	size_t size = hex(text, code);

	CU_ASSERT_EQUAL(space_write(guest->space, address, code, size), 0);
}

static struct guest start(enum x86_mode mode, int protection,
			  const char *code)
{
	struct x86_model model;
	struct guest guest;

	x86_model_everything(&model);
	guest.space = space_create(mode == X86_MODE_64 ?
				   1ull << SPACE_X86_64_BITS : 1ull << 32,
				   NULL);
	guest.emulator = x86_emulator_create(guest.space, mode, &model, NULL);
	guest.cpu = x86_cpu_create(guest.emulator);
	guest.ring = x86_ring_create(64);
	space_map(guest.space, CODE, 0x2000, RWX, false, -1, 0, "");
	space_map(guest.space, DATA, 0x2000, RW, false, -1, 0, "");
	space_map(guest.space, STACK, 0x1000, RW, false, -1, 0, "");
	put_code(&guest, CODE, code);
	space_protect(guest.space, CODE, 0x2000, protection);
	guest.cpu->rip = CODE;
	guest.cpu->reg[X86_RSP] = STACK + 0x800;
	return guest;
}

static void finish(struct guest *guest)
{
	x86_ring_free(guest->ring);
	x86_cpu_free(guest->cpu);
	x86_emulator_free(guest->emulator);
	space_free(guest->space);
}

/* The oldest record that is left, and its references; an empty one when there
 * is none. */
static struct x86_record take(struct guest *guest,
			      const struct x86_reference **list)
{
	static const struct x86_reference none[4];
	struct x86_ring *ring = guest->ring;
	struct x86_record record = { 0 };

	if (list)
		*list = none;
	CU_ASSERT_NOT_EQUAL(ring->tail, ring->head);
	if (ring->tail == ring->head)
		return record;
	record = ring->record[ring->tail++ & ring->mask];
	if (list && record.references)
		*list = ring->reference + record.first;
	return record;
}

static bool is_reference(const struct x86_reference *r, uint64_t address,
			 unsigned count, unsigned size, unsigned direction)
{
	bool same = r->address == address && r->count == count &&
		    r->size == size && r->direction == direction;

	if (!same)
		printf("# %u elements of %u bytes at %llx, direction %u\n",
		       r->count, r->size, (unsigned long long)r->address,
		       r->direction);
	return same;
}

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
		struct guest guest = start(X86_MODE_64, RX, e->code);
		const struct x86_inst *inst = x86_inst_at(guest.emulator,
							  CODE);
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
		finish(&guest);
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
		struct guest guest = start(cases[i].mode32 ? X86_MODE_32
							   : X86_MODE_64,
					   RX, cases[i].code);
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
		finish(&guest);
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
		struct guest guest = start(X86_MODE_64, RX, cases[i].code);
		const struct x86_inst *inst = x86_inst_at(guest.emulator,
							  CODE);
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
		finish(&guest);
	}
}

/* cmp eax, ebx; je +0; nop; add rax, [rbx + rcx * 4 + 16]; ret: what x86_run()
 * fuses or leaves out is described one by one. */
static void test_sequence(void)
{
	struct guest guest = start(X86_MODE_64, RX,
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
	finish(&guest);
}

/* ---- Life of descriptions ---- */

static void test_stale(void)
{
	struct guest guest = start(X86_MODE_64, RWX, "01 d8 c3");
	const struct x86_inst *old = x86_inst_at(guest.emulator, CODE), *new;

	CU_ASSERT(!x86_inst_stale(old));
	put_code(&guest, CODE, "29");
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
	struct guest guest = start(X86_MODE_64, RX,
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
			struct x86_record record = take(&guest, NULL);
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
	finish(&guest);
}

/* ---- Steps ---- */

static void test_step(void)
{
	/* 0: mov [rdi], eax; 2: add ecx, [rdi + 4]; 5: add [rdi], eax;
	 * 7: push rax; 8: pop [rdi + 8]; b: call +1; 10: nop; 11: ret */
	struct guest guest = start(X86_MODE_64, RX,
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
	record = take(&guest, &list);
	CU_ASSERT_EQUAL(record.next, CODE + 2);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, DATA, 1, 4, X86_STORE));
	record = take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, DATA + 4, 1, 4, X86_LOAD));
	record = take(&guest, &list);
	CU_ASSERT(record.references == 2 &&
		  is_reference(list, DATA, 1, 4, X86_LOAD) &&
		  is_reference(list + 1, DATA, 1, 4, X86_STORE));
	record = take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, STACK + 0x7f8, 1, 8, X86_STORE));
	record = take(&guest, &list);
	CU_ASSERT(record.references == 2 &&
		  is_reference(list, STACK + 0x7f8, 1, 8, X86_LOAD) &&
		  is_reference(list + 1, DATA + 8, 1, 8, X86_STORE));
	record = take(&guest, &list);
	CU_ASSERT(record.taken && record.next == CODE + 0x11);
	record = take(&guest, &list);
	CU_ASSERT(record.taken && record.next == CODE + 0x10);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, STACK + 0x7f8, 1, 8, X86_LOAD));
	CU_ASSERT_EQUAL(cpu->rip, CODE + 0x10);
	CU_ASSERT_EQUAL(guest.ring->head, guest.ring->tail);
	finish(&guest);
}

/* A loop of many rounds through a small ring. */
static void test_observe(void)
{
	/* 0: add rax, [rdi]; 3: dec ecx; 5: jnz 0; 7: int 0x80 */
	struct guest guest = start(X86_MODE_64, RX,
				   "48 03 07 ff c9 75 f9 cd 80");
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

			record = take(&guest, &list);
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
	finish(&guest);
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
			struct guest guest = start(X86_MODE_64, RX, "90 90");
			struct x86_cpu *cpu = guest.cpu;

			space_protect(guest.space, CODE, 0x2000, RWX);
			put_code(&guest, CODE + 2, cases[i].code);
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
			finish(&guest);
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
	struct guest guest = start(X86_MODE_64, RX, "90 0f 31");
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
	finish(&guest);
}

/* A store to code: mov byte [rdi], al; nop; inc eax: the nop becomes clc. */
static void test_code_store(void)
{
	for (int batch = 0; batch < 2; batch++) {
		struct guest guest = start(X86_MODE_64, RWX,
					   "88 07 90 ff c0 ff c0");
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
		record = take(&guest, &list);
		CU_ASSERT(x86_inst_stale(record.inst));
		CU_ASSERT(record.references == 1 &&
			  is_reference(list, CODE + 2, 1, 1, X86_STORE));
		CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 2, 0),
				X86_STOP_QUANTUM);
		record = take(&guest, NULL);
		CU_ASSERT_EQUAL(record.inst->mnemonic, ZYDIS_MNEMONIC_CLC);
		record = take(&guest, NULL);
		CU_ASSERT_EQUAL(record.inst->mnemonic, ZYDIS_MNEMONIC_INC);
		finish(&guest);
	}
}

/* The same without being asked, in one batch, so often that the page is no
 * longer watched: mov byte [rdi], al; nop or clc; xor eax, 0x68; jmp back */
static void test_code_stores(void)
{
	struct guest guest = start(X86_MODE_64, RWX,
				   "88 07 90 35 68 00 00 00 eb f6");
	struct x86_cpu *cpu = guest.cpu;
	unsigned seen = 0;

	cpu->reg[X86_RDI] = CODE + 2;
	cpu->reg[X86_RAX] = 0xf8;
	for (int i = 0; i < 60; i++) {
		CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 4, 0),
				X86_STOP_QUANTUM);
		for (int k = 0; k < 4; k++) {
			struct x86_record record = take(&guest, NULL);

			if (k != 1)
				continue;
			CU_ASSERT_EQUAL(record.inst->mnemonic,
					i & 1 ? ZYDIS_MNEMONIC_NOP
					      : ZYDIS_MNEMONIC_CLC);
			seen++;
		}
	}
	CU_ASSERT_EQUAL(seen, 60);
	finish(&guest);
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
		struct guest guest = start(X86_MODE_64, RX, cases[i].code);
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
			record = take(&guest, &list);
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
		finish(&guest);
	}
}

/* A fault in the middle: rep stosb to the end of what is mapped. */
static void test_repeat_fault(void)
{
	struct guest guest = start(X86_MODE_64, RX, "f3 aa");
	struct x86_cpu *cpu = guest.cpu;
	const struct x86_reference *list;
	struct x86_record record;

	cpu->reg[X86_RDI] = DATA + 0x1ff0;
	cpu->reg[X86_RCX] = 100;
	CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 1, 0), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(cpu->fault.address, DATA + 0x2000);
	CU_ASSERT_EQUAL(cpu->reg[X86_RCX], 84);
	CU_ASSERT_EQUAL(x86_instructions(cpu), 0);
	record = take(&guest, &list);
	CU_ASSERT(record.unfinished && record.references == 1 &&
		  is_reference(list, DATA + 0x1ff0, 16, 1, X86_STORE));
	CU_ASSERT_EQUAL(record.next, CODE);
	finish(&guest);
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
			struct guest guest = start(X86_MODE_64, RX,
						   cases[i].code);
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
			finish(&guest);
		}
}

/* With the trap flag every instruction ends in a fault, and each iteration of
 * a repeated one. */
static void test_trap_flag(void)
{
	/* mov [rdi], eax; rep stosd */
	struct guest guest = start(X86_MODE_64, RX, "89 07 f3 ab 90");
	struct x86_cpu *cpu = guest.cpu;
	const struct x86_reference *list;
	struct x86_record record;

	cpu->reg[X86_RDI] = DATA;
	cpu->reg[X86_RCX] = 2;
	cpu->eflags |= X86_TF;
	CU_ASSERT_EQUAL(x86_step(cpu, guest.ring, 0), X86_STOP_FAULT);
	CU_ASSERT_EQUAL(cpu->fault.signal, SIGTRAP);
	record = take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, DATA, 1, 4, X86_STORE));
	for (unsigned i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 5, 0),
				X86_STOP_FAULT);
		record = take(&guest, &list);
		CU_ASSERT_EQUAL(record.unfinished, i == 0);
		CU_ASSERT(record.references == 1 &&
			  is_reference(list, DATA + 4 * i, 1, 4, X86_STORE));
	}
	CU_ASSERT_EQUAL(cpu->rip, CODE + 4);
	finish(&guest);
}

static void test_breakpoint(void)
{
	struct guest guest = start(X86_MODE_64, RX, "90 ff c0 ff c0");
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
	finish(&guest);
}

/* Steps and runs in turn; the first change what the second has decoded. */
static void test_mixture(void)
{
	/* 0: inc eax; 2: push rax; 3: pop rbx; 4: jmp 0 */
	struct guest guest = start(X86_MODE_64, RX, "ff c0 50 5b eb fa");
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
	finish(&guest);
}

/* ---- Masks, gathers, areas ---- */

static void test_prefetches(void)
{
	/* 0: prefetcht0 [rdi + 8]; 4: prefetchw [rsi]; 7: prefetchnta [rax] */
	struct guest guest = start(X86_MODE_64, RX,
				   "0f 18 4f 08 0f 0d 0e 0f 18 00");
	struct x86_cpu *cpu = guest.cpu;
	const struct x86_reference *list;
	struct x86_record record;

	cpu->reg[X86_RDI] = DATA;
	cpu->reg[X86_RSI] = DATA + 0x40;
	cpu->reg[X86_RAX] = 0x123456789000; /* nothing is mapped there */
	for (int i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(x86_step(cpu, guest.ring, 0),
				X86_STOP_QUANTUM);
	record = take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, DATA + 8, 1, 1, X86_HINT));
	record = take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, DATA + 0x40, 1, 1, X86_HINT));
	record = take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, 0x123456789000, 1, 1, X86_HINT));
	finish(&guest);
}

static void test_vector_references(void)
{
	/* vpmaskmovd [rdi], xmm1, xmm0: elements 1 and 3 */
	struct guest guest = start(X86_MODE_64, RX,
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
		finish(&guest);
		return;
	}
	cpu->reg[X86_RDI] = DATA + 0x100;
	cpu->vector[1].u32[1] = cpu->vector[1].u32[3] = 0x80000000;
	for (unsigned i = 0; i < 4; i++)
		cpu->vector[3].i32[i] = (int)(16 * i) - 32;
	CU_ASSERT_EQUAL(x86_observe(cpu, guest.ring, 4, 0), X86_STOP_QUANTUM);
	record = take(&guest, &list);
	CU_ASSERT(record.references == 2 &&
		  is_reference(list, DATA + 0x104, 1, 4, X86_STORE) &&
		  is_reference(list + 1, DATA + 0x10c, 1, 4, X86_STORE));
	record = take(&guest, &list);
	CU_ASSERT(record.references == 2 &&
		  is_reference(list, DATA + 0x100 - 64, 1, 4, X86_LOAD) &&
		  is_reference(list + 1, DATA + 0x100 + 64, 1, 4, X86_LOAD));
	record = take(&guest, &list);
	CU_ASSERT(record.references == 1 && list->address == DATA + 0x100 &&
		  list->direction == X86_STORE && list->size >= 288);
	record = take(&guest, &list);
	CU_ASSERT(record.references == 1 &&
		  is_reference(list, DATA + 0x100, 1, 32, X86_STORE));
	finish(&guest);
}

static CU_TestInfo tests[] = {
	{ "descriptions", test_descriptions },
	{ "encodings", test_encoding },
	{ "hidden operands", test_hidden },
	{ "descriptions of a sequence", test_sequence },
	{ "stale descriptions", test_stale },
	{ "descriptions that are pushed out", test_pushed_out },
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
