/* Fused handlers: each row of fused.def, assembled from its name, run as a
 * block and one instruction at a time (which never fuses): same registers,
 * flags, memory, counts and faults. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/harness.h"
#include "unit/random.h"
#include "x86/emu/block.h"
#include "x86/emu/emu.h"

enum {
	CODE = 0x10000,
	DATA = 0x20000,
	DATA_SIZE = 0x1000,
	STACK = 0x30000,
	NOWHERE = 0x50000,
	TARGET = CODE + 0x200, /* of jumps: int 0x80 */
	ROUNDS = 6,
	RW = SPACE_READ | SPACE_WRITE,
};

static uint64_t seed = 20261121;

static uint32_t draw(void)
{
	return (uint32_t)random_draw(&seed);
}

/* ---- Assembling a handler's name ---- */

struct code {
	uint8_t bytes[128];
	unsigned size;
	bool wide; /* 64-bit mode */
};

static void byte(struct code *code, unsigned value)
{
	code->bytes[code->size++] = (uint8_t)value;
}

static void number(struct code *code, uint32_t value, unsigned bytes)
{
	for (; bytes--; value >>= 8)
		byte(code, value & 0xff);
}

/* Not rBX, which is the base of memory operands, nor rSP and rBP; byte
 * registers whose number means the same in both modes. */
static unsigned any_register(unsigned bits)
{
	static const unsigned numbers[] = { 0, 1, 2, 6, 7 };

	return numbers[draw() % (bits == 8 ? 3 : 5)];
}

static void prefix(struct code *code, unsigned bits)
{
	if (bits == 16)
		byte(code, 0x66);
	if (bits == 64)
		byte(code, 0x48);
}

static void registers(struct code *code, unsigned reg, unsigned rm)
{
	byte(code, 0xc0 | reg << 3 | rm);
}

static void memory(struct code *code, unsigned reg)
{
	byte(code, 0x80 | reg << 3 | 3); /* [rBX + disp32] */
	number(code, draw() % 64 * 8, 4);
}

/* The operands that a form's letters ask for, after the opcode. */
static void operands(struct code *code, const char *form, unsigned digit,
		     unsigned to, unsigned from)
{
	bool is_memory = form[0] == 'm' || form[1] == 'm';
	unsigned reg = form[1] == 'i' ? digit :
		       form[0] == 'm' || (form[1] == 'r' && to == from) ?
		       any_register(from) : any_register(to);

	if (is_memory)
		memory(code, reg);
	else
		registers(code, reg, any_register(from));
	if (form[1] == 'i')
		number(code, draw() % 4 ? draw() : draw() % 3, to == 8 ? 1 :
		       to == 16 ? 2 : 4);
}

static bool assemble_alu(struct code *code, const char *name, unsigned bits,
			 const char *form)
{
	static const char *const names[] = {
		"add", "or", "adc", "sbb", "and", "sub", "xor", "cmp",
	};
	unsigned wide = bits != 8;

	for (unsigned i = 0; i < 8; i++) {
		if (strcmp(name, names[i]))
			continue;
		prefix(code, bits);
		byte(code, form[1] == 'i' ? 0x80 + wide :
			   form[1] == 'm' ? i << 3 | 2 | wide : i << 3 | wide);
		operands(code, form, i, bits, bits);
		return true;
	}
	return false;
}

static unsigned condition_number(const char *name)
{
	static const char *const names[16] = {
		"o", "no", "b", "ae", "e", "ne", "be", "a",
		"s", "ns", "p", "np", "l", "ge", "le", "g",
	};

	for (unsigned i = 0; i < 16; i++)
		if (!strcmp(name, names[i]))
			return i;
	abort();
}

static void branch(struct code *code)
{
	uint32_t next = CODE + code->size + 4;

	number(code, (uint32_t)TARGET - next, 4);
}

static bool assemble_end(struct code *code, const char *name)
{
	char condition[8], kind[8];

	if (sscanf(name, "if_%7[a-z]_%7[a-z]", condition, kind) == 2 ||
	    sscanf(name, "j_%7[a-z]_%7[a-z]", condition, kind) == 2) {
		byte(code, 0x0f);
		byte(code, 0x80 | condition_number(condition));
		branch(code);
	} else if (!strcmp(name, "jmp")) {
		byte(code, 0xe9);
		branch(code);
	} else if (!strncmp(name, "call", 4)) {
		byte(code, 0xe8);
		branch(code);
	} else if (!strncmp(name, "ret", 3)) {
		byte(code, 0xc3);
	} else if (!strcmp(name, "jmp64_r")) {
		byte(code, 0xff);
		registers(code, 4, any_register(64));
	} else {
		return false;
	}
	return true;
}

static bool assemble(struct code *code, const char *name)
{
	char base[16] = "", form[4] = "";
	unsigned bits = 0, from = 0;

	if (assemble_end(code, name))
		return true;
	if (sscanf(name, "mov%*1[sz]x%u_%u_%3s", &bits, &from, form) == 3) {
		prefix(code, bits);
		if (from == 32)
			byte(code, 0x63);
		else {
			byte(code, 0x0f);
			byte(code, (name[3] == 'z' ? 0xb6 : 0xbe) +
				   (from == 16));
		}
		operands(code, form, 0, bits, from);
		return true;
	}
	if (sscanf(name, "%15[a-z]%u_%3s", base, &bits, form) < 2)
		return false;
	if (assemble_alu(code, base, bits, form))
		return true;
	if (!strcmp(base, "push") || !strcmp(base, "pop")) {
		byte(code, (base[1] == 'o' ? 0x58 : 0x50) |
			   any_register(bits));
		return true;
	}
	prefix(code, bits);
	if (!strcmp(base, "test")) {
		byte(code, form[1] == 'i' ? 0xf6 + (bits != 8) :
					    0x84 + (bits != 8));
	} else if (!strcmp(base, "lea")) {
		byte(code, 0x8d);
		memory(code, any_register(bits));
		return true;
	} else if (!strcmp(base, "mov")) {
		byte(code, form[1] == 'i' ? 0xc6 + (bits != 8) :
			   form[1] == 'm' ? 0x8a + (bits != 8) :
					    0x88 + (bits != 8));
	} else {
		return false;
	}
	operands(code, form, 0, bits, bits);
	return true;
}

/* "cmp64_rr j_e_sub", "mov64_rm test64_rr__if_e_logic", ... */
static bool assemble_row(struct code *code, const char *row)
{
	char text[128], *name, *next;

	snprintf(text, sizeof text, "%s", row);
	code->wide = strstr(text, "64") != NULL;
	code->size = 0;
	for (name = text; name; name = next) {
		next = strpbrk(name, " _");
		while (next && *next == '_' && next[1] != '_')
			next = strpbrk(next + 1, " _");
		if (next) {
			unsigned skip = *next == ' ' ? 1 : 2;

			*next = 0;
			next += skip;
		}
		if (!assemble(code, name)) {
			printf("# cannot assemble %s of %s\n", name, row);
			return false;
		}
	}
	byte(code, 0xcd);
	byte(code, 0x80);
	return true;
}

/* ---- Running ---- */

struct machine {
	struct space *space;
	struct x86_emulator *emulator;
	struct x86_cpu *cpu;
	enum x86_stop stop;
	uint8_t data[DATA_SIZE], stack[DATA_SIZE];
};

static void create(struct machine *machine, bool wide)
{
	static const uint8_t stop[] = { 0xcd, 0x80 };

	machine->space = space_create(wide ? 1ull << SPACE_X86_64_BITS
					   : 1ull << 32, NULL);
	machine->emulator = x86_emulator_create(
		machine->space, wide ? X86_MODE_64 : X86_MODE_32, NULL, NULL);
	machine->cpu = x86_cpu_create(machine->emulator);
	space_map(machine->space, CODE, 0x1000, RW | SPACE_EXECUTE, false, -1,
		  0, "");
	space_map(machine->space, DATA, DATA_SIZE, RW, false, -1, 0, "");
	space_map(machine->space, STACK, DATA_SIZE, RW, false, -1, 0, "");
	space_write(machine->space, TARGET, stop, sizeof stop);
}

static void destroy(struct machine *machine)
{
	x86_cpu_free(machine->cpu);
	x86_emulator_free(machine->emulator);
	space_free(machine->space);
}

enum broken { NOTHING, MEMORY, STACK_POINTER, BROKEN_COUNT };

static void prepare(struct machine *machine, const struct code *code,
		    uint32_t start, enum broken broken)
{
	struct x86_cpu *cpu = machine->cpu;
	uint64_t saved = seed;

	seed = start;
	for (unsigned i = 0; i < 8; i++)
		cpu->reg[i] = draw() % 3 ? draw() : draw() % 2;
	if (code->wide && draw() % 2)
		for (unsigned i = 0; i < 8; i++)
			cpu->reg[i] *= UINT64_C(0x100000001);
	for (unsigned i = 0; i < DATA_SIZE; i++)
		machine->data[i] = (uint8_t)(draw() % 4 ? draw() >> 8 : 0);
	seed = saved;
	for (unsigned i = 0; i < DATA_SIZE; i += code->wide ? 8 : 4) {
		uint64_t address = TARGET;

		memcpy(machine->stack + i, &address, code->wide ? 8 : 4);
	}
	cpu->reg[X86_RBX] = broken == MEMORY ? NOWHERE : DATA + 0x100;
	cpu->reg[X86_RSP] = broken == STACK_POINTER ? NOWHERE : STACK + 0x800;
	cpu->rip = CODE;
	x86_eflags_set(cpu, start & X86_ARITHMETIC);
	space_write(machine->space, CODE, code->bytes, code->size);
	space_write(machine->space, DATA, machine->data, DATA_SIZE);
	space_write(machine->space, STACK, machine->stack, DATA_SIZE);
}

static void take(struct machine *machine)
{
	space_read(machine->space, DATA, machine->data, DATA_SIZE);
	space_read(machine->space, STACK, machine->stack, DATA_SIZE);
}

static bool same(const struct machine *a, const struct machine *b)
{
	return a->stop == b->stop && a->cpu->rip == b->cpu->rip &&
	       !memcmp(a->cpu->reg, b->cpu->reg,
		       16 * sizeof a->cpu->reg[0]) &&
	       x86_eflags(a->cpu) == x86_eflags(b->cpu) &&
	       x86_instructions(a->cpu) == x86_instructions(b->cpu) &&
	       (a->stop != X86_STOP_FAULT ||
		(a->cpu->fault.signal == b->cpu->fault.signal &&
		 a->cpu->fault.address == b->cpu->fault.address)) &&
	       !memcmp(a->data, b->data, DATA_SIZE) &&
	       !memcmp(a->stack, b->stack, DATA_SIZE);
}

static void check(struct machine *whole, struct machine *single,
		  const struct x86_fusion *row, const struct code *code,
		  enum broken broken, bool used[])
{
	uint32_t start = draw();
	struct x86_block *block;
	bool right;

	prepare(whole, code, start, broken);
	prepare(single, code, start, broken);
	whole->stop = x86_run(whole->cpu, 1000);
	do
		single->stop = x86_run(single->cpu, 1);
	while (single->stop == X86_STOP_QUANTUM);
	take(whole);
	take(single);
	right = same(whole, single);
	CU_ASSERT(right);
	if (!right)
		printf("# %s differs: stop %d %d rip %#llx %#llx\n", row->name,
		       (int)whole->stop, (int)single->stop,
		       (unsigned long long)whole->cpu->rip,
		       (unsigned long long)single->cpu->rip);
	block = x86_block_find(whole->emulator, CODE);
	if (block && block->op->handler == row->fused)
		used[row - x86_fusion_rows] = true;
}

static void test_rows(void)
{
	struct machine machines[2][2];
	bool *used = calloc(x86_fusion_count, sizeof *used);
	unsigned missing = 0;

	for (int i = 0; i < 4; i++)
		create(&machines[i / 2][i % 2], i / 2);
	for (unsigned i = 0; i < x86_fusion_count; i++)
		for (int round = 0; round < ROUNDS; round++) {
			struct code code;

			CU_ASSERT_FATAL(assemble_row(
				&code, x86_fusion_rows[i].name));
			check(&machines[code.wide][0], &machines[code.wide][1],
			      &x86_fusion_rows[i], &code,
			      round >= BROKEN_COUNT ? NOTHING
						    : (enum broken)round,
			      used);
		}
	for (unsigned i = 0; i < x86_fusion_count; i++)
		if (!used[i] && missing++ < 10)
			printf("# not fused: %s\n", x86_fusion_rows[i].name);
	CU_ASSERT_EQUAL(missing, 0);
	for (int i = 0; i < 4; i++)
		destroy(&machines[i / 2][i % 2]);
	free(used);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "as a whole and step by step", test_rows },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "fused handlers", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
