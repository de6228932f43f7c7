#include "step-sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "unit/harness.h"
#include "x86/emu/access.h"
#include "x86/emu/step.h"

enum { MEMORY = ARENA_DATA_SIZE + ARENA_STACK_SIZE };

struct sets {
	enum x86_mode mode;
	struct space *space;
	struct x86_emulator *emulator;
	struct x86_cpu *cpu;
	struct x86_ring *ring;
	unsigned checked, differences, shown;
	uint64_t seed;
};

struct sets *sets_create(enum x86_mode mode)
{
	struct sets *sets = calloc(1, sizeof *sets);
	struct x86_model model;

	x86_model_everything(&model);
	sets->mode = mode;
	sets->space = space_create(mode == X86_MODE_64 ?
				   1ull << SPACE_X86_64_BITS : 1ull << 32,
				   NULL);
	sets->emulator = x86_emulator_create(sets->space, mode, &model, NULL);
	sets->cpu = x86_cpu_create(sets->emulator);
	sets->ring = x86_ring_create(16);
	space_map(sets->space, ARENA_CODE, 0x1000,
		  SPACE_READ | SPACE_WRITE | SPACE_EXECUTE, false, -1, 0, "");
	space_map(sets->space, ARENA_DATA, ARENA_DATA_SIZE,
		  SPACE_READ | SPACE_WRITE, false, -1, 0, "");
	space_map(sets->space, ARENA_STACK, ARENA_STACK_SIZE,
		  SPACE_READ | SPACE_WRITE, false, -1, 0, "");
	return sets;
}

void sets_free(struct sets *sets)
{
	x86_ring_free(sets->ring);
	x86_cpu_free(sets->cpu);
	x86_emulator_free(sets->emulator);
	space_free(sets->space);
	free(sets);
}

unsigned sets_differences(const struct sets *sets)
{
	return sets->differences;
}

unsigned sets_checked(const struct sets *sets)
{
	return sets->checked;
}

/* ---- All state as bytes ---- */

struct state {
	uint64_t reg[16];
	union x86_vector vector[16];
	uint8_t x87[8][10];  /* physical */
	uint16_t control, status;
	uint8_t top, empty;
	uint16_t opcode;
	uint64_t pointers[2];
	uint32_t mxcsr_control, mxcsr_status;
	uint64_t segment_base[6];
	uint16_t selector[6];
	uint64_t time;
	uint32_t flags;
	uint64_t rip;
	uint8_t memory[MEMORY];
};

enum { MXCSR_FLAGS = 0x3f };

static void save(struct sets *sets, struct state *state)
{
	const struct x86_cpu *cpu = sets->cpu;

	memset(state, 0, sizeof *state);
	memcpy(state->reg, cpu->reg, sizeof state->reg);
	memcpy(state->vector, cpu->vector, sizeof state->vector);
	for (int i = 0; i < 8; i++)
		memcpy(state->x87[i], cpu->x87.reg[i].bytes, 10);
	state->control = cpu->x87.control;
	state->status = cpu->x87.status;
	state->top = cpu->x87.top;
	state->empty = cpu->x87.empty;
	state->opcode = cpu->x87.opcode;
	state->pointers[0] = cpu->x87.instruction_pointer;
	state->pointers[1] = cpu->x87.data_pointer;
	state->mxcsr_control = cpu->mxcsr & ~(uint32_t)MXCSR_FLAGS;
	state->mxcsr_status = cpu->mxcsr & MXCSR_FLAGS;
	for (int i = 0; i < 6; i++) {
		state->segment_base[i] = cpu->segment[i].base;
		state->selector[i] = cpu->segment[i].selector;
	}
	state->time = cpu->time_base + x86_instructions(cpu);
	state->flags = x86_eflags(cpu);
	state->rip = cpu->rip;
	space_read(sets->space, ARENA_DATA, state->memory, ARENA_DATA_SIZE);
	space_read(sets->space, ARENA_STACK, state->memory + ARENA_DATA_SIZE,
		   ARENA_STACK_SIZE);
}

static void load(struct sets *sets, const struct state *state)
{
	struct x86_cpu *cpu = sets->cpu;

	memcpy(cpu->reg, state->reg, sizeof state->reg);
	memcpy(cpu->vector, state->vector, sizeof state->vector);
	for (int i = 0; i < 8; i++)
		memcpy(cpu->x87.reg[i].bytes, state->x87[i], 10);
	cpu->x87.control = state->control;
	cpu->x87.status = state->status;
	cpu->x87.top = state->top;
	cpu->x87.empty = state->empty;
	cpu->x87.opcode = state->opcode;
	cpu->x87.instruction_pointer = state->pointers[0];
	cpu->x87.data_pointer = state->pointers[1];
	cpu->mxcsr = state->mxcsr_control | state->mxcsr_status;
	for (int i = 0; i < 6; i++) {
		cpu->segment[i].base = state->segment_base[i];
		cpu->segment[i].selector = state->selector[i];
	}
	cpu->time_base = state->time - x86_instructions(cpu);
	x86_eflags_set(cpu, state->flags);
	cpu->rip = state->rip;
	space_write(sets->space, ARENA_DATA, state->memory, ARENA_DATA_SIZE);
	space_write(sets->space, ARENA_STACK, state->memory + ARENA_DATA_SIZE,
		    ARENA_STACK_SIZE);
}

/* A piece of the state, and the location that it is of. */
struct piece {
	unsigned location; /* enum x86_location; X86_LOCATION_COUNT: none */
	size_t offset, size;
};

/* The location of a physical x87 register that counts in a set of names that
 * are relative to `top`. */
static bool x87_in(uint64_t set, unsigned physical, unsigned top)
{
	return set & (X86_AT(X86_AT_MM + physical) |
		      X86_AT(X86_AT_ST + ((physical - top) & 7)));
}

static unsigned pieces(struct piece *list)
{
	unsigned n = 0;
#define PIECE(location, field) \
	list[n++] = (struct piece){ location, offsetof(struct state, field), \
				    sizeof ((struct state *)0)->field }
	for (unsigned i = 0; i < 16; i++) {
		PIECE(X86_AT_GENERAL + i, reg[i]);
		PIECE(X86_AT_VECTOR + i, vector[i]);
	}
	for (unsigned i = 0; i < 8; i++)
		PIECE(X86_AT_MM + i, x87[i]);
	PIECE(X86_AT_X87_CONTROL, control);
	PIECE(X86_AT_X87_STATUS, status);
	PIECE(X86_AT_X87_TOP, top);
	PIECE(X86_AT_X87_TAGS, empty);
	PIECE(X86_AT_X87_POINTERS, opcode);
	PIECE(X86_AT_X87_POINTERS, pointers);
	PIECE(X86_AT_MXCSR_CONTROL, mxcsr_control);
	PIECE(X86_AT_MXCSR_STATUS, mxcsr_status);
	for (unsigned i = 0; i < 6; i++) {
		PIECE(X86_AT_SEGMENT + i, segment_base[i]);
		PIECE(X86_AT_SEGMENT + i, selector[i]);
	}
#undef PIECE
	return n;
}

static bool in_set(const struct x86_inst *inst, const struct piece *piece,
		   bool written, unsigned top)
{
	uint64_t set = written ? inst->written : inst->read;

	/* What a push writes is named by the top behind it. */
	if (written && inst->x87_push > 0)
		top -= (unsigned)inst->x87_push;
	if (piece->location >= X86_AT_MM && piece->location < X86_AT_MM + 8)
		return x87_in(set, piece->location - X86_AT_MM, top);
	return set & X86_AT(piece->location);
}

/* ---- Saying what is wrong ---- */

static bool show(struct sets *sets, const char *name,
		 const struct x86_inst *inst, const char *what)
{
	sets->differences++;
	if (sets->shown++ > 60)
		return false;
	printf("# %s, %s: %s", name,
	       ZydisMnemonicGetString((ZydisMnemonic)inst->mnemonic), what);
	return true;
}

static void show_piece(struct sets *sets, const char *name,
		       const struct x86_inst *inst, const char *what,
		       unsigned location)
{
	if (show(sets, name, inst, what))
		printf(" %u (read %llx, written %llx, push %d)\n", location,
		       (unsigned long long)inst->read,
		       (unsigned long long)inst->written, inst->x87_push);
}

/* ---- Memory ---- */

/* Where an address is in state->memory, or -1. */
static int memory_index(uint64_t address)
{
	if (address - ARENA_DATA < ARENA_DATA_SIZE)
		return (int)(address - ARENA_DATA);
	if (address - ARENA_STACK < ARENA_STACK_SIZE)
		return (int)(address - ARENA_STACK) + ARENA_DATA_SIZE;
	return -1;
}

/* Marks what the references of a record touched. */
static void mark(const struct x86_record *record,
		 const struct x86_reference *list, uint8_t touched[MEMORY])
{
	memset(touched, 0, MEMORY);
	for (unsigned i = 0; i < record->references; i++)
		for (uint64_t k = 0; k < (uint64_t)list[i].count *
					     list[i].size; k++) {
			int at = memory_index(list[i].address + k);

			if (at >= 0)
				touched[at] |= (uint8_t)list[i].direction;
		}
}

/* Whether Zydis tells other accesses than `touched`. */
static void check_oracle(struct sets *sets, const char *name,
			 const struct x86_inst *inst,
			 const struct x86_record *record,
			 const struct x86_access *access, size_t count,
			 const uint8_t touched[MEMORY])
{
	uint8_t expected[MEMORY] = { 0 };
	bool fewer = false, inexact = inst->class == X86_CLASS_STATE ||
		       record->unfinished ||
		       inst->class == X86_CLASS_NOTHING ||
		       inst->mnemonic == ZYDIS_MNEMONIC_ENTER;

	/* Of ENTER Zydis tells one word of several. */
	for (unsigned i = 0; i < inst->memory_count; i++)
		fewer |= inst->memory[i].conditional &&
			 !(inst->traits & X86_REPEATED);
	for (size_t i = 0; i < count; i++)
		for (uint64_t k = 0; k < access[i].size; k++) {
			int at = memory_index(access[i].address + k);

			if (at >= 0)
				expected[at] |=
					(access[i].read ? X86_LOAD : 0) |
					(access[i].write ? X86_STORE : 0);
		}
	for (int i = 0; i < MEMORY; i++) {
		/* Repeated comparisons may end before the count. */
		if (touched[i] & ~expected[i] && !inexact) {
			if (show(sets, name, inst, "touches more than "
						   "its operands"))
				printf(" at %x: %u, not %u\n", i, touched[i],
				       expected[i]);
			return;
		}
		if (expected[i] & ~touched[i] && !inexact && !fewer &&
		    !(inst->traits & X86_REPEATED &&
		      inst->flags_written)) {
			if (show(sets, name, inst, "touches less than "
						   "its operands"))
				printf(" at %x: %u, not %u\n", i, touched[i],
				       expected[i]);
			return;
		}
	}
}

/* ---- One instruction ---- */

static void randomize(struct sets *sets, void *at, size_t size)
{
	uint8_t *byte = at;

	while (size--)
		*byte++ = (uint8_t)random_draw(&sets->seed);
}

/* Something else in a piece of state that is valid there. */
static void change(struct sets *sets, struct state *state,
		   const struct piece *piece)
{
	uint8_t *at = (uint8_t *)state + piece->offset;
	uint64_t random = random_draw(&sets->seed);
	bool wide = sets->mode == X86_MODE_64;

	switch (piece->location) {
	case X86_AT_X87_CONTROL:
		state->control = (uint16_t)((random & 0xf00) | 0x7f);
		return;
	case X86_AT_X87_STATUS:
		/* Flags that are masked, and condition codes. */
		state->status = random & 0x4700;
		return;
	case X86_AT_X87_TOP:
		state->top = random & 7;
		return;
	case X86_AT_X87_POINTERS:
		state->opcode = random & 0x7ff;
		state->pointers[0] = random >> 16 & 0xffffffff;
		state->pointers[1] = random >> 32;
		return;
	case X86_AT_MXCSR_CONTROL:
		state->mxcsr_control = (random & 0xe040) | 0x1f80;
		return;
	case X86_AT_MXCSR_STATUS:
		state->mxcsr_status = random & MXCSR_FLAGS;
		return;
	case X86_AT_SEGMENT + X86_FS:
	case X86_AT_SEGMENT + X86_GS:
		if (piece->size == 8 && wide)
			state->segment_base[piece->location - X86_AT_SEGMENT] =
				random & 0x7ffffffff000;
		return;
	case X86_AT_SEGMENT + X86_ES:
	case X86_AT_SEGMENT + X86_CS:
	case X86_AT_SEGMENT + X86_SS:
	case X86_AT_SEGMENT + X86_DS:
		return;
	default:
		break;
	}
	if (piece->location < X86_AT_VECTOR && !wide) {
		if (piece->location < 8) /* the upper half stays 0 */
			randomize(sets, at, 4);
		return;
	}
	if (piece->location >= X86_AT_VECTOR + 8 &&
	    piece->location < X86_AT_VECTOR + 16 && !wide)
		return;
	randomize(sets, at, piece->size);
}

/* One step from a state; true when it retired. */
static bool step(struct sets *sets, const struct state *from,
		 struct state *to, struct x86_record *record,
		 struct x86_reference list[128])
{
	struct x86_ring *ring = sets->ring;
	enum x86_stop stop;

	load(sets, from);
	ring->tail = ring->head;
	stop = x86_step(sets->cpu, ring, 0);
	save(sets, to);
	if (ring->head == ring->tail)
		return false;
	*record = ring->record[ring->tail & ring->mask];
	memcpy(list, ring->reference + record->first,
	       record->references * sizeof *list);
	return stop == X86_STOP_QUANTUM;
}

/* Whether a byte is the result that it was, or what it was left as. */
static bool consistent(uint8_t before, uint8_t after, uint8_t changed,
		       uint8_t result)
{
	return result == after || (after == before && result == changed);
}

static void compare_results(struct sets *sets, const char *name,
			    const struct x86_inst *inst,
			    const struct state *before,
			    const struct state *after,
			    const struct state *changed,
			    const struct state *result, const char *what)
{
	struct piece list[128];
	unsigned count = pieces(list);
	uint32_t flags = 0;

	for (unsigned i = 0; i < count; i++)
		for (size_t k = 0; k < list[i].size; k++) {
			size_t at = list[i].offset + k;

			if (consistent(((const uint8_t *)before)[at],
				       ((const uint8_t *)after)[at],
				       ((const uint8_t *)changed)[at],
				       ((const uint8_t *)result)[at]))
				continue;
			show_piece(sets, name, inst, what, list[i].location);
			return;
		}
	for (int i = 0; i < MEMORY; i++)
		if (!consistent(before->memory[i], after->memory[i],
				changed->memory[i], result->memory[i])) {
			show_piece(sets, name, inst, what,
				   X86_LOCATION_COUNT);
			return;
		}
	/* A flag likewise. */
	flags = (result->flags ^ after->flags) &
		((after->flags ^ before->flags) |
		 (result->flags ^ changed->flags)) & X86_ARITHMETIC;
	if (flags & ~inst->flags_undefined)
		show_piece(sets, name, inst, what, 1000 + flags);
	if (result->rip != after->rip)
		show_piece(sets, name, inst, what, 2000);
}

/* Changes all that the instruction does not read, or only what is of one
 * location. */
static void check_reads(struct sets *sets, const char *name,
			const struct x86_inst *inst,
			const struct state *before, const struct state *after,
			const struct x86_record *record,
			const struct x86_reference *references,
			const uint8_t touched[MEMORY], unsigned round)
{
	static struct state changed, result;
	struct x86_reference list[128];
	struct x86_record other = { 0 };
	struct piece piece[128];
	unsigned count = pieces(piece);
	const char *what;

	changed = *before;
	for (unsigned i = 0; i < count; i++)
		if (!in_set(inst, &piece[i], false, before->top))
			change(sets, &changed, &piece[i]);
	changed.flags ^= (uint32_t)random_draw(&sets->seed) &
			 (X86_ARITHMETIC | X86_DF) & ~inst->flags_read;
	if (!(inst->read & X86_AT(X86_AT_TIME)))
		changed.time += round + 1;
	for (int i = 0; i < MEMORY; i++)
		if (!(touched[i] & X86_LOAD))
			changed.memory[i] =
				(uint8_t)random_draw(&sets->seed);
	what = "depends on what it is not said to read:";
	if (!step(sets, &changed, &result, &other, list)) {
		show_piece(sets, name, inst, what, 3000);
		return;
	}
	compare_results(sets, name, inst, before, after, &changed, &result,
			what);
	if (other.references != record->references ||
	    memcmp(list, references,
		   record->references * sizeof *list) != 0 ||
	    other.taken != record->taken || other.next != record->next)
		show_piece(sets, name, inst, what, 4000);
}

/* Whether two states are the same; says which place is not. */
static void compare_states(struct sets *sets, const char *name,
			   const struct x86_inst *inst,
			   const struct state *expected,
			   const struct state *found, const char *what)
{
	struct piece list[128];
	unsigned count = pieces(list);

	for (unsigned i = 0; i < count; i++)
		if (memcmp((const uint8_t *)expected + list[i].offset,
			   (const uint8_t *)found + list[i].offset,
			   list[i].size) != 0)
			show_piece(sets, name, inst, what, list[i].location);
	if (memcmp(expected->memory, found->memory, MEMORY) != 0)
		show_piece(sets, name, inst, what, X86_LOCATION_COUNT);
	if (expected->flags != found->flags || expected->rip != found->rip)
		show_piece(sets, name, inst, what, 2000);
}

/* The same with its stores held back, and on a wrong path. */
static void check_redirected(struct sets *sets, const char *name,
			     const struct x86_inst *inst,
			     const struct state *before,
			     const struct state *after)
{
	static struct state result, expected;
	struct x86_cpu *cpu = sets->cpu;
	enum x86_stop stop;
	unsigned level;

	if (inst->written & X86_AT(X86_AT_RANDOM))
		return;
	load(sets, before);
	sets->ring->tail = sets->ring->head;
	x86_stores_hold(cpu, true);
	stop = x86_step(cpu, sets->ring, 0);
	if (stop != X86_STOP_QUANTUM)
		show_piece(sets, name, inst, "held stores: it stops", stop);
	x86_stores_hold(cpu, false);
	save(sets, &result);
	compare_states(sets, name, inst, after, &result,
		       "with held stores it does something else:");
	load(sets, before);
	sets->ring->tail = sets->ring->head;
	level = x86_speculate_begin(cpu, before->rip);
	stop = x86_step(cpu, sets->ring, 0);
	save(sets, &result);
	expected = inst->traits & X86_LOCKED ? *before : *after;
	memcpy(expected.memory, before->memory, MEMORY);
	if (stop != (inst->traits & X86_LOCKED ? X86_STOP_ASKED
					       : X86_STOP_QUANTUM))
		show_piece(sets, name, inst, "on a wrong path it stops", stop);
	compare_states(sets, name, inst, &expected, &result,
		       "on a wrong path it does something else:");
	x86_speculate_end(cpu, level);
	save(sets, &result);
	compare_states(sets, name, inst, before, &result,
		       "of a wrong path there remains:");
}

/* False when it did not retire. */
static bool check_one(struct sets *sets, const char *name)
{
	static struct state before, after;
	struct x86_access access[X86_ACCESSES_MAX];
	struct x86_reference references[128];
	struct x86_record record = { 0 };
	const struct x86_inst *inst;
	uint8_t touched[MEMORY];
	struct piece list[128];
	unsigned count = pieces(list);
	size_t accesses;
	uint32_t flags;
	bool done;

	save(sets, &before);
	inst = x86_inst_at(sets->emulator, sets->cpu->rip);
	if (!inst)
		return false;
	accesses = x86_accesses(sets->cpu, access);
	done = step(sets, &before, &after, &record, references);
	if (!done) {
		x86_inst_release(inst);
		return false;
	}
	sets->checked++;
	mark(&record, references, touched);
	for (unsigned i = 0; i < count; i++) {
		size_t at = list[i].offset;

		if (memcmp((uint8_t *)&before + at, (uint8_t *)&after + at,
			   list[i].size) != 0 &&
		    !in_set(inst, &list[i], true, before.top))
			show_piece(sets, name, inst,
				   "changes what it is not said to write:",
				   list[i].location);
	}
	flags = (before.flags ^ after.flags) & ~inst->flags_written;
	if (flags & (X86_ARITHMETIC | X86_DF))
		show_piece(sets, name, inst,
			   "changes flags that it is not said to write:",
			   flags);
	for (int i = 0; i < MEMORY; i++)
		if (before.memory[i] != after.memory[i] &&
		    !(touched[i] & X86_STORE)) {
			show_piece(sets, name, inst,
				   "tells too few stores:", (unsigned)i);
			break;
		}
	check_oracle(sets, name, inst, &record, access, accesses, touched);
	for (unsigned round = 0; round < 2; round++)
		check_reads(sets, name, inst, &before, &after, &record,
			    references, touched, round);
	check_redirected(sets, name, inst, &before, &after);
	x86_inst_release(inst);
	load(sets, &after);
	return true;
}

/* One step that is not looked at. */
static bool pass(struct sets *sets)
{
	sets->ring->tail = sets->ring->head;
	return x86_step(sets->cpu, sets->ring, 0) == X86_STOP_QUANTUM;
}

void sets_check(struct sets *sets, const char *name, const uint8_t *code,
		size_t size, size_t from, size_t length,
		struct machine *machine)
{
	struct x86_cpu *cpu = sets->cpu;

	space_write(sets->space, ARENA_CODE, code, size);
	space_write(sets->space, ARENA_DATA, machine->data,
		    sizeof machine->data);
	space_write(sets->space, ARENA_STACK, machine->stack,
		    sizeof machine->stack);
	memcpy(cpu->reg, machine->reg, sizeof machine->reg);
	x86_eflags_set(cpu, machine->eflags);
	cpu->rip = ARENA_CODE;
	for (int i = 0; i < 200; i++) {
		uint64_t at = cpu->rip - ARENA_CODE;

		if (at >= size)
			break;
		if (!(at - from < length ? check_one(sets, name) : pass(sets)))
			break;
	}
}
