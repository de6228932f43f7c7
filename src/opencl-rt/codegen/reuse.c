/* Operations that need not be done again: what an earlier instruction has
 * computed on every way to a place is read there, and what does not change in a
 * loop is computed before it. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/machine.h"

/* How many results a loop may get from before it: each is a register for as
 * long as the loop runs. */
enum { HOISTED = 16 };

struct reuse {
	struct machine *machine;
	unsigned *writes;    /* of each register */
};

/* Whether it gives the same result wherever its sources are known: all
 * registers have one value. */
static bool is_constant(const struct reuse *reuse,
			const struct machine_inst *inst)
{
	if (inst->kind != MACHINE_ALU || inst->dest_count != 1 ||
	    inst->predicate ||
	    !machine_is_pure(inst) || reuse->writes[inst->dest[0]] != 1)
		return false;
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg != MACHINE_NONE &&
		    reuse->writes[inst->source[k].reg] != 1)
			return false;
	return true;
}

/* A register that must have a place of its own: in a tuple, in a channel. */
static bool is_bound(const struct reuse *reuse, int reg)
{
	const struct machine_register *place = &reuse->machine->registers[reg];

	return place->tuple != MACHINE_NONE || place->channel != MACHINE_NONE;
}

/* --- What has been computed ----------------------------------------------- */

enum { BUCKETS = 1024 };

/* Instructions whose results can be read at the present place, by a hash of
 * what they compute; the last one first, so that the end of a construct takes
 * its own off. */
struct known {
	int bucket[BUCKETS];
	int *next;           /* of each instruction */
	unsigned *list;
	unsigned count;
};

static unsigned hash_of(const struct machine_inst *inst)
{
	uint64_t hash = inst->op;

	for (unsigned k = 0; k < inst->source_count; k++) {
		const struct machine_source *source = &inst->source[k];

		hash = hash * 0x100000001b3u + (unsigned)source->reg;
		hash = hash * 0x100000001b3u + source->select;
		hash = hash * 0x100000001b3u + source->literal;
	}
	return (unsigned)(hash ^ hash >> 20) % BUCKETS;
}

static bool same_operation(const struct machine_inst *a,
			   const struct machine_inst *b)
{
	if (a->op != b->op || a->source_count != b->source_count)
		return false;
	for (unsigned k = 0; k < a->source_count; k++)
		if (!machine_same_source(&a->source[k], &b->source[k]))
			return false;
	return true;
}

static int find_known(const struct machine *machine, const struct known *known,
		      const struct machine_inst *inst)
{
	int at = known->bucket[hash_of(inst)];

	while (at >= 0 && !same_operation(&machine->insts[at], inst))
		at = known->next[at];
	return at;
}

static void add_known(const struct machine *machine, struct known *known,
		      unsigned place)
{
	int *bucket = &known->bucket[hash_of(&machine->insts[place])];

	known->next[place] = *bucket;
	*bucket = (int)place;
	known->list[known->count++] = place;
}

static void forget_known(const struct machine *machine, struct known *known,
			 unsigned count)
{
	while (known->count > count) {
		unsigned place = known->list[--known->count];

		known->bucket[hash_of(&machine->insts[place])] =
			known->next[place];
	}
}

static void rename_sources(struct machine_inst *inst, const int *renamed)
{
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg != MACHINE_NONE)
			inst->source[k].reg = renamed[inst->source[k].reg];
}

static bool opens(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_IF || inst->kind == MACHINE_LOOP;
}

static bool closes(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_END_IF || inst->kind == MACHINE_END_LOOP;
}

static void share_results(const struct reuse *reuse, struct known *known,
			  int *renamed, bool *gone)
{
	struct machine *machine = reuse->machine;
	unsigned before[MACHINE_DEPTH], depth = 0;

	for (unsigned i = 0; i < machine->inst_count; i++) {
		struct machine_inst *inst = &machine->insts[i];
		int at;

		rename_sources(inst, renamed);
		if (closes(inst) || inst->kind == MACHINE_ELSE)
			forget_known(machine, known, before[--depth]);
		if (opens(inst) || inst->kind == MACHINE_ELSE)
			before[depth++] = known->count;
		if (!is_constant(reuse, inst))
			continue;
		at = find_known(machine, known, inst);
		if (at < 0) {
			if (!is_bound(reuse, inst->dest[0]))
				add_known(machine, known, i);
			continue;
		}
		if (is_bound(reuse, inst->dest[0]))
			continue;
		renamed[inst->dest[0]] = machine->insts[at].dest[0];
		gone[i] = true;
	}
}

/* --- Loops ---------------------------------------------------------------- */

/* For each register the instruction that writes it, or -1. */
static int *find_writers(const struct machine *machine)
{
	int *writers = xcalloc(machine->register_count + 1, sizeof *writers);

	for (unsigned r = 0; r < machine->register_count; r++)
		writers[r] = -1;
	for (unsigned i = 0; i < machine->inst_count; i++)
		for (unsigned k = 0; k < machine->insts[i].dest_count; k++)
			writers[machine->insts[i].dest[k]] = (int)i;
	return writers;
}

static bool comes_from_before(const struct machine_inst *inst,
			      const int *writers, unsigned loop)
{
	for (unsigned k = 0; k < inst->source_count; k++)
		if (inst->source[k].reg != MACHINE_NONE &&
		    writers[inst->source[k].reg] > (int)loop)
			return false;
	return true;
}

/* Whether it only adds a number: done again, it costs less than the register
 * that would hold its result. */
static bool adds_number(const struct machine_inst *inst)
{
	return inst->op == EVG_ALU_ADD_INT &&
	       inst->source[1].reg == MACHINE_NONE &&
	       inst->source[1].select == EVG_SELECT_LITERAL;
}

/* An instruction goes to an earlier place, and those between move by one. */
static void move_up(struct machine *machine, int *writers, unsigned from,
		    unsigned to)
{
	const struct machine_inst inst = machine->insts[from];

	memmove(&machine->insts[to + 1], &machine->insts[to],
		(from - to) * sizeof inst);
	machine->insts[to] = inst;
	/* The last first, for none to be taken for its neighbour. */
	for (unsigned i = from; i > to; i--)
		for (unsigned k = 0; k < machine->insts[i].dest_count; k++)
			if (writers[machine->insts[i].dest[k]] == (int)i - 1)
				writers[machine->insts[i].dest[k]] = (int)i;
	writers[inst.dest[0]] = (int)to;
}

/* Moves instructions of a loop to its front: *loop is where it begins. */
static void hoist(const struct reuse *reuse, int *writers, unsigned *loop,
		  unsigned end)
{
	struct machine *machine = reuse->machine;
	unsigned count = 0;

	for (unsigned i = *loop + 1; i < end && count < HOISTED; i++) {
		const struct machine_inst *inst = &machine->insts[i];

		if (inst->op == EVG_ALU_MOV || adds_number(inst) ||
		    !is_constant(reuse, inst) ||
		    is_bound(reuse, inst->dest[0]) ||
		    !comes_from_before(inst, writers, *loop))
			continue;
		move_up(machine, writers, i, *loop);
		++*loop;
		count++;
	}
}

/* Inner loops first: what they give away may leave the outer one, too. */
static void hoist_all(const struct reuse *reuse)
{
	const struct machine *machine = reuse->machine;
	int *writers = find_writers(machine);
	unsigned begins[MACHINE_DEPTH], depth = 0;

	for (unsigned i = 0; i < machine->inst_count; i++)
		if (machine->insts[i].kind == MACHINE_LOOP)
			begins[depth++] = i;
		else if (machine->insts[i].kind == MACHINE_END_LOOP)
			hoist(reuse, writers, &begins[--depth], i);
	free(writers);
}

void machine_reuse(struct machine *machine)
{
	struct reuse reuse = { machine, machine_count_writes(machine) };
	struct known known = {
		.next = xcalloc(machine->inst_count + 1, sizeof(int)),
		.list = xcalloc(machine->inst_count + 1, sizeof(unsigned)),
	};
	bool *gone = xcalloc(machine->inst_count + 1, sizeof *gone);
	int *renamed = xcalloc(machine->register_count + 1, sizeof *renamed);

	for (unsigned r = 0; r < machine->register_count; r++)
		renamed[r] = (int)r;
	memset(known.bucket, 0xff, sizeof known.bucket);
	hoist_all(&reuse);
	share_results(&reuse, &known, renamed, gone);
	machine_take_out(machine, gone);
	free(reuse.writes);
	free(known.next);
	free(known.list);
	free(gone);
	free(renamed);
}
