/* Whether values keep their places for as long as something reads them. The
 * instructions are gone through from the last to the first, with the set of
 * registers that are read later on some way of a lane: by lanes that have passed
 * the last test, by those that have not, or by both. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/registers.h"
#include "opencl-rt/codegen/stage/stage.h"

enum {
	PASSED = 1, NOT_PASSED = 2, ALL_LANES = 3,
	PLACES = 256 * CODEGEN_CHANNELS,
};

/* Sets of lanes for each register: two bits, PASSED the low one. */
enum { LANE_BITS = 2, REGISTERS = 64 / LANE_BITS };
#define EACH_PASSED (UINT64_MAX / ALL_LANES)

/* Such sets for control flow around the place. */
struct level {
	uint64_t *after; /* behind it */
	uint64_t *other;  /* IF: at the beginning of ELSE */
	unsigned loop; /* its first instruction */
};

struct liveness {
	const struct machine *machine;
	size_t words;            /* of a set */
	uint64_t *live;
	struct level levels[MACHINE_DEPTH];
	unsigned depth;
	uint64_t **heads;        /* of loops, by instruction */
	int *first;              /* instruction that writes each register */
	int *last;               /* and that reads it; NULL: in any turn */
	/* The sets have registers of one place side by side: where each is, the
	 * register that is there, and where those of each place begin. */
	unsigned *slot, *owner;
	unsigned start[PLACES + 2];
	bool changed;
};

static unsigned lanes_of(const struct liveness *liveness, int reg)
{
	unsigned r = liveness->slot[reg];

	return liveness->live[r / REGISTERS] >> r % REGISTERS * LANE_BITS &
	       ALL_LANES;
}

static void add_lanes(struct liveness *liveness, int reg, uint64_t lanes)
{
	unsigned r = liveness->slot[reg];

	liveness->live[r / REGISTERS] |= lanes << r % REGISTERS * LANE_BITS;
}

static void take_lanes(struct liveness *liveness, int reg, uint64_t lanes)
{
	unsigned r = liveness->slot[reg];

	liveness->live[r / REGISTERS] &= ~(lanes << r % REGISTERS * LANE_BITS);
}

static void assign(const struct liveness *liveness, uint64_t *to,
		   const uint64_t *from)
{
	memcpy(to, from, liveness->words * sizeof *to);
}

static uint64_t *copy_set(const struct liveness *liveness, const uint64_t *from)
{
	uint64_t *set = xcalloc(liveness->words, sizeof *set);

	if (from)
		assign(liveness, set, from);
	return set;
}

static void unite(struct liveness *liveness, uint64_t *to, const uint64_t *from)
{
	for (size_t i = 0; i < liveness->words; i++)
		to[i] |= from[i];
}

static void clear(struct liveness *liveness)
{
	memset(liveness->live, 0, liveness->words * sizeof *liveness->live);
}

static struct level *open_level(struct liveness *liveness)
{
	struct level *level = &liveness->levels[liveness->depth++];

	level->after = copy_set(liveness, liveness->live);
	level->other = NULL;
	return level;
}

/* Where an instruction in its loop continues when it leaves the loop. */
static const uint64_t *behind_loop(const struct liveness *liveness)
{
	unsigned depth = liveness->depth;

	while (depth-- && !liveness->levels[depth].loop)
		;
	return liveness->levels[depth].after;
}

static void close_level(struct liveness *liveness)
{
	struct level *level = &liveness->levels[--liveness->depth];

	free(level->after);
	free(level->other);
}

static void begin_loop(struct liveness *liveness, unsigned place)
{
	uint64_t *head = liveness->heads[place];

	if (memcmp(head, liveness->live, liveness->words * sizeof *head)) {
		assign(liveness, head, liveness->live);
		liveness->changed = true;
	}
	close_level(liveness);
}

/* The beginning of a loop, from its end. */
static unsigned find_loop(const struct machine *machine, unsigned end)
{
	unsigned depth = 0;

	while (end--) {
		if (machine->insts[end].kind == MACHINE_END_LOOP)
			depth++;
		if (machine->insts[end].kind == MACHINE_LOOP && !depth--)
			return end;
	}
	return 0;
}

static void end_loop(struct liveness *liveness, unsigned place)
{
	struct level *level = open_level(liveness);
	unsigned head = find_loop(liveness->machine, place);

	/* Behind an endless loop's end comes only its beginning. */
	level->loop = head + 1;
	if (!liveness->heads[head])
		liveness->heads[head] = copy_set(liveness, NULL);
	assign(liveness, liveness->live, liveness->heads[head]);
}

static void step_flow(struct liveness *liveness,
		      const struct machine_inst *inst, unsigned place)
{
	struct level *level = &liveness->levels[liveness->depth - 1];

	switch (inst->kind) {
	case MACHINE_END_IF:
		open_level(liveness)->loop = 0;
		break;
	case MACHINE_ELSE:
		level->other = copy_set(liveness, liveness->live);
		assign(liveness, liveness->live, level->after);
		break;
	case MACHINE_IF:
		unite(liveness, liveness->live,
		      level->other ? level->other : level->after);
		close_level(liveness);
		break;
	case MACHINE_END_LOOP:
		end_loop(liveness, place);
		break;
	case MACHINE_LOOP:
		begin_loop(liveness, place);
		break;
	case MACHINE_BREAK:
		if (!inst->source_count)
			clear(liveness);
		unite(liveness, liveness->live, behind_loop(liveness));
		break;
	default:
		break;
	}
}

/* PLACES: it has none. */
static unsigned place_of(const struct machine_register *reg)
{
	return reg->channel < 0 ? PLACES
				: reg->number * CODEGEN_CHANNELS +
					  (unsigned)reg->channel;
}

/* Whether a written register has the place of one that is read later. */
static bool is_lost(const struct liveness *liveness, int reg, uint8_t lanes,
		    unsigned place)
{
	unsigned at = place_of(&liveness->machine->registers[reg]);
	unsigned slot = liveness->start[at], end = liveness->start[at + 1];

	while (slot < end) {
		uint64_t some = liveness->live[slot / REGISTERS] &
				EACH_PASSED * lanes;
		unsigned of_word = slot % REGISTERS * LANE_BITS, r;

		some = some >> of_word << of_word;
		if (!some) {
			slot = (slot / REGISTERS + 1) * REGISTERS;
			continue;
		}
		slot = slot / REGISTERS * REGISTERS +
		       (unsigned)__builtin_ctzll(some) / LANE_BITS;
		if (slot >= end)
			break;
		r = liveness->owner[slot++];
		if ((int)r != reg && liveness->first[r] < (int)place &&
		    (!liveness->last || liveness->last[r] > (int)place))
			return true;
	}
	return false;
}

/* A copy to the same place writes what is there. */
static bool is_idle(const struct machine *machine,
		    const struct machine_inst *inst)
{
	const struct machine_register *from, *to;

	if (inst->kind != MACHINE_ALU || inst->op != EVG_ALU_MOV ||
	    inst->source[0].reg == MACHINE_NONE || inst->source[0].negate ||
	    inst->source[0].absolute)
		return false;
	from = &machine->registers[inst->source[0].reg];
	to = &machine->registers[inst->dest[0]];
	return from->number == to->number && from->channel == to->channel;
}

/* Before the test any lane may be one that passes it. */
static void forget_test(struct liveness *liveness)
{
	for (size_t i = 0; i < liveness->words; i++) {
		uint64_t some = (liveness->live[i] | liveness->live[i] >> 1) &
				EACH_PASSED;

		liveness->live[i] = some * ALL_LANES;
	}
}

static const char *step(struct liveness *liveness,
			const struct machine_inst *inst, unsigned place)
{
	uint8_t lanes = inst->predicate == 3   ? PASSED
			: inst->predicate == 2 ? NOT_PASSED
					       : ALL_LANES;
	const char *why = NULL;
	uint8_t wanted = 0;

	for (unsigned k = 0; k < inst->dest_count; k++)
		if (!is_idle(liveness->machine, inst) &&
		    is_lost(liveness, inst->dest[k], lanes, place))
			why = "a value is written over that is read later";
	for (unsigned k = 0; k < inst->dest_count; k++) {
		wanted |= (uint8_t)lanes_of(liveness, inst->dest[k]);
		take_lanes(liveness, inst->dest[k], lanes);
	}
	/* What only computes reads for the lanes that its results are for. */
	if (machine_is_pure(inst))
		lanes &= wanted;
	step_flow(liveness, inst, place);
	if (machine_is_test(inst))
		forget_test(liveness);
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg != MACHINE_NONE)
			add_lanes(liveness, inst->source[k].reg, lanes);
	return why;
}

static const char *pass(struct liveness *liveness, unsigned *place)
{
	const struct machine *machine = liveness->machine;
	const char *why = NULL;

	liveness->changed = false;
	clear(liveness);
	for (unsigned i = machine->inst_count; i--;) {
		const char *fault = step(liveness, &machine->insts[i], i);

		if (!fault)
			continue;
		why = fault;
		*place = i;
	}
	return why;
}

/* Operands of memory are channels of one register: all of a texel's place, and
 * all data of a store. */
static const char *verify_together(const struct machine *machine,
				   const struct machine_inst *inst)
{
	unsigned data = inst->image ? MACHINE_DWORDS : 1;

	int first = MACHINE_NONE;

	if (inst->kind != MACHINE_STORE && !inst->image)
		return NULL;
	for (unsigned k = 0; k < inst->source_count; k++) {
		int reg = inst->source[k].reg;

		if (k == data)
			first = MACHINE_NONE;
		if (reg == MACHINE_NONE) /* a constant coordinate */
			continue;
		if (first == MACHINE_NONE)
			first = reg;
		if (machine->registers[reg].number !=
		    machine->registers[first].number)
			return "operands of memory in several registers";
	}
	return NULL;
}

/* The results of a fetch share a register. */
static const char *verify_tuple(const struct machine *machine,
				const struct machine_inst *inst)
{
	for (unsigned k = 0; k < inst->dest_count; k++) {
		const struct machine_register *reg =
			&machine->registers[inst->dest[k]];

		if (reg->number >= machine->hardware_registers ||
		    reg->channel < 0 || reg->channel >= CODEGEN_CHANNELS)
			return "a result without a place";
		if (inst->kind == MACHINE_FETCH &&
		    reg->number != machine->registers[inst->dest[0]].number)
			return "a fetch to several registers";
		for (unsigned j = 0; j < k; j++)
			if (reg->number == machine->registers[inst->dest[j]]
						   .number &&
			    reg->channel == machine->registers[inst->dest[j]]
						    .channel)
				return "two results in one place";
	}
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg != MACHINE_NONE &&
		    (machine->registers[inst->source[k].reg].number >=
			     machine->hardware_registers ||
		     machine->registers[inst->source[k].reg].channel < 0))
			return "an operand without a place";
	return verify_together(machine, inst);
}

static void note_reads(const struct machine_inst *inst, bool *read)
{
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg != MACHINE_NONE)
			read[inst->source[k].reg] = true;
}

/* Where each register is written first: in a loop, the loop's beginning, since an
 * earlier iteration may have written it. Block by block a lane has always come by
 * the first block of the loop that writes what it reads, which the ways through
 * the code do not tell (find_last). */
static void find_first(struct liveness *liveness)
{
	const struct machine *machine = liveness->machine;
	bool *read = xcalloc(machine->register_count + 1, sizeof *read);
	unsigned depth = 0, outer = 0;

	for (unsigned r = 0; r < machine->register_count; r++)
		liveness->first[r] = machine->registers[r].given
					     ? -1
					     : (int)machine->inst_count;
	for (unsigned i = 0; i < machine->inst_count; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		if (inst->kind == MACHINE_LOOP && !depth++)
			outer = i;
		depth -= inst->kind == MACHINE_END_LOOP;
		note_reads(inst, read);
		for (unsigned k = 0; k < inst->dest_count; k++) {
			int r = inst->dest[k];
			bool around = depth && (!machine->dispatched || read[r]);
			int from = (int)(around ? outer : i);

			if (liveness->first[r] > from &&
			    (!machine->dispatched ||
			     liveness->first[r] == (int)machine->inst_count))
				liveness->first[r] = from;
		}
	}
	free(read);
}

static void sort_by_place(struct liveness *liveness)
{
	const struct machine *machine = liveness->machine;
	unsigned *start = liveness->start;

	for (unsigned r = 0; r < machine->register_count; r++)
		start[place_of(&machine->registers[r]) + 1]++;
	for (unsigned at = 1; at <= PLACES; at++)
		start[at] += start[at - 1];
	for (unsigned r = 0; r < machine->register_count; r++) {
		unsigned *next = &start[place_of(&machine->registers[r])];

		liveness->slot[r] = *next;
		liveness->owner[(*next)++] = r;
	}
	/* Each is where the next one begins now. */
	memmove(start + 1, start, (PLACES + 1) * sizeof *start);
	start[0] = 0;
}

/* Where registers are read last: in a loop in which they have not been written
 * first, the loop's end. */
static void find_last(struct liveness *liveness)
{
	const struct machine *machine = liveness->machine;
	unsigned begins[MACHINE_DEPTH], ends[MACHINE_DEPTH], depth = 0;

	liveness->last = xcalloc(machine->register_count + 1,
				 sizeof *liveness->last);
	for (unsigned i = machine->inst_count; i--;) {
		const struct machine_inst *inst = &machine->insts[i];

		if (inst->kind == MACHINE_END_LOOP) {
			begins[depth] = find_loop(machine, i);
			ends[depth++] = i;
		}
		depth -= inst->kind == MACHINE_LOOP;
		for (unsigned k = 0; k < inst->source_count; k++) {
			int r = inst->source[k].reg, last = (int)i;

			if (r == MACHINE_NONE)
				continue;
			for (unsigned d = depth; d--;)
				if ((int)begins[d] >= liveness->first[r])
					last = (int)ends[d];
			if (liveness->last[r] < last)
				liveness->last[r] = last;
		}
	}
}

const char *stage_verify_places(const struct machine *machine, unsigned *place)
{
	struct liveness *liveness = xcalloc(1, sizeof *liveness);
	const char *why = NULL;

	for (unsigned i = 0; i < machine->inst_count && !why; i++) {
		*place = i;
		why = verify_tuple(machine, &machine->insts[i]);
	}
	liveness->machine = machine;
	liveness->words = machine->register_count / REGISTERS + 1;
	liveness->live = copy_set(liveness, NULL);
	liveness->slot = xcalloc(machine->register_count + 1,
				 sizeof *liveness->slot);
	liveness->owner = xcalloc(machine->register_count + 1,
				  sizeof *liveness->owner);
	liveness->first = xcalloc(machine->register_count + 1,
				  sizeof *liveness->first);
	liveness->heads = xcalloc(machine->inst_count + 1,
				  sizeof *liveness->heads);
	find_first(liveness);
	sort_by_place(liveness);
	if (machine->dispatched)
		find_last(liveness);
	/* Sets only grow, so the last pass sees them whole. */
	while (!why) {
		why = pass(liveness, place);
		if (!liveness->changed)
			break;
	}
	for (unsigned i = 0; i < machine->inst_count; i++)
		free(liveness->heads[i]);
	free(liveness->heads);
	free(liveness->first);
	free(liveness->last);
	free(liveness->slot);
	free(liveness->owner);
	free(liveness->live);
	free(liveness);
	return why;
}
