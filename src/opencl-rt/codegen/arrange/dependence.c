#include "opencl-rt/codegen/arrange/dependence.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { NOBODY = -1 };

/* Instructions one of which comes next may wait for: a list that grows. */
struct waiting {
	unsigned *list;
	unsigned count, capacity;
};

/* The last write of a register, and the reads behind it: a chain through
 * `reads`. */
struct accesses {
	int writer, reader;
};

static const struct accesses no_accesses = { NOBODY, NOBODY };

struct dependence_room {
	struct accesses first; /* as many as registers */
};

struct read {
	unsigned inst;
	int next;
};

struct finding {
	struct dependences *found;
	struct accesses *registers;
	struct read *reads;
	unsigned read_count, read_capacity;
	int test, store, barrier, local;
	struct waiting predicated; /* behind the last test */
	struct waiting fetches;    /* behind the last store */
	struct waiting accesses;   /* behind the last barrier */
};

static bool is_barrier(const struct machine_inst *inst)
{
	return inst->kind == MACHINE_ALU && inst->op == EVG_ALU_GROUP_BARRIER;
}

static void stay_behind(struct finding *finding, int inst)
{
	struct dependences *found = finding->found;

	if (inst == NOBODY)
		return;
	ARRAY_GROW(found->before, found->count, found->capacity);
	found->before[found->count++] = (unsigned)inst;
}

static void stay_behind_all(struct finding *finding, struct waiting *waiting)
{
	for (unsigned i = 0; i < waiting->count; i++)
		stay_behind(finding, (int)waiting->list[i]);
	waiting->count = 0;
}

static void add_waiting(struct waiting *waiting, unsigned inst)
{
	ARRAY_GROW(waiting->list, waiting->count, waiting->capacity);
	waiting->list[waiting->count++] = inst;
}

/* --- Registers ------------------------------------------------------------ */

static void find_by_registers(struct finding *finding,
			      const struct machine_inst *inst, unsigned number)
{
	for (unsigned k = 0; k < inst->source_count; k++) {
		struct accesses *accesses;

		if (inst->source[k].reg == MACHINE_NONE)
			continue;
		accesses = &finding->registers[inst->source[k].reg];
		stay_behind(finding, accesses->writer);
		ARRAY_GROW(finding->reads, finding->read_count,
			   finding->read_capacity);
		finding->reads[finding->read_count] =
			(struct read){ number, accesses->reader };
		accesses->reader = (int)finding->read_count++;
	}
	for (unsigned k = 0; k < inst->dest_count; k++) {
		struct accesses *accesses =
			&finding->registers[inst->dest[k]];

		stay_behind(finding, accesses->writer);
		for (int i = accesses->reader; i != NOBODY;
		     i = finding->reads[i].next)
			if (finding->reads[i].inst != number)
				stay_behind(finding, (int)finding->reads[i].inst);
		*accesses = (struct accesses){ (int)number, NOBODY };
	}
}

/* --- Effects -------------------------------------------------------------- */

/* Tests keep their order with what asks for the predicate. */
static void find_by_predicate(struct finding *finding,
			      const struct machine_inst *inst, unsigned number)
{
	if (inst->predicate) {
		stay_behind(finding, finding->test);
		add_waiting(&finding->predicated, number);
	}
	if (machine_is_test(inst)) {
		stay_behind(finding, finding->test);
		stay_behind_all(finding, &finding->predicated);
		finding->test = (int)number;
	}
}

/* Fetches may overtake each other, but no store. */
static void find_by_memory(struct finding *finding,
			   const struct machine_inst *inst, unsigned number)
{
	if (inst->kind == MACHINE_FETCH) {
		stay_behind(finding, finding->store);
		add_waiting(&finding->fetches, number);
	} else if (inst->kind == MACHINE_STORE) {
		stay_behind(finding, finding->store);
		stay_behind_all(finding, &finding->fetches);
		finding->store = (int)number;
	}
}

static void find_by_barrier(struct finding *finding,
			    const struct machine_inst *inst, unsigned number)
{
	if (is_barrier(inst)) {
		stay_behind(finding, finding->barrier);
		stay_behind_all(finding, &finding->accesses);
		finding->barrier = (int)number;
	} else if (inst->kind != MACHINE_ALU || machine_is_local(inst)) {
		stay_behind(finding, finding->barrier);
		add_waiting(&finding->accesses, number);
	}
}

/* All that puts something into the queues or takes something from them. */
static void find_by_queues(struct finding *finding,
			   const struct machine_inst *inst, unsigned number)
{
	if (!machine_is_local(inst) && !machine_takes_from_queue(inst))
		return;
	stay_behind(finding, finding->local);
	finding->local = (int)number;
}

/* --- Stretches ------------------------------------------------------------ */

struct dependence_room *dependence_room(const struct machine *machine)
{
	struct accesses *registers =
		xcalloc(machine->register_count + 1, sizeof *registers);

	for (unsigned r = 0; r < machine->register_count; r++)
		registers[r] = no_accesses;
	return (struct dependence_room *)registers;
}

/* The room is for the next stretch then. */
static void forget_registers(struct finding *finding,
			     const struct machine_inst *insts, unsigned count)
{
	for (unsigned n = 0; n < count; n++) {
		for (unsigned k = 0; k < insts[n].source_count; k++)
			if (insts[n].source[k].reg != MACHINE_NONE)
				finding->registers[insts[n].source[k].reg] =
					no_accesses;
		for (unsigned k = 0; k < insts[n].dest_count; k++)
			finding->registers[insts[n].dest[k]] = no_accesses;
	}
}

struct dependences dependences_find(const struct machine *machine,
				    struct dependence_room *room,
				    unsigned first, unsigned count)
{
	struct dependences found = {
		.start = xcalloc(count + 1, sizeof(unsigned)),
	};
	struct finding finding = {
		.found = &found,
		.registers = &room->first,
		.test = NOBODY, .store = NOBODY, .barrier = NOBODY,
		.local = NOBODY,
	};

	for (unsigned n = 0; n < count; n++) {
		const struct machine_inst *inst = &machine->insts[first + n];

		find_by_registers(&finding, inst, n);
		find_by_predicate(&finding, inst, n);
		find_by_memory(&finding, inst, n);
		find_by_barrier(&finding, inst, n);
		find_by_queues(&finding, inst, n);
		found.start[n + 1] = found.count;
	}
	forget_registers(&finding, machine->insts + first, count);
	free(finding.reads);
	free(finding.predicated.list);
	free(finding.fetches.list);
	free(finding.accesses.list);
	return found;
}

void dependences_free(struct dependences *dependences)
{
	free(dependences->start);
	free(dependences->before);
}
