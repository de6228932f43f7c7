/* Functional warming: instructions that are not simulated touch caches and TLBs,
 * train predictors and rename registers, in their order and without time. */
#include "base/optimize.h"

#include <string.h>

#include "m2s/cores/internal.h"

/* Instructions that are executed before caches follow, and after which the filter
 * forgets. */
enum { BATCH = 256 };

/* Lines that were accessed last: of data that may be stored to, of other data, of
 * code. To access one of them again changes nothing worth the time. */
enum { FILTER_STORED, FILTER_LOADED, FILTER_CODE, FILTERS };
enum { FILTER_LINES = 64 };

struct filter {
	unsigned shift; /* line = address >> shift */
	uint64_t line[FILTERS][FILTER_LINES]; /* + 1; 0: none */
};

/* Whether a line was among the last; it is from now on. */
static bool filter_has(struct filter *filter, unsigned kind, uint64_t line)
{
	uint64_t *last = &filter->line[kind][line % FILTER_LINES];

	if (*last == line + 1)
		return true;
	*last = line + 1;
	return false;
}

static void warm_data(struct machine_core *core, struct filter *filter,
		      uint64_t instruction,
		      const struct x86_reference *reference)
{
	unsigned shift = filter->shift;
	uint64_t end = reference->address +
		       (uint64_t)reference->size * reference->count;
	uint64_t line = reference->address >> shift, at;
	bool store = reference->direction & X86_STORE;

	for (at = reference->address; at < end; at = ++line << shift) {
		bool loaded = filter_has(filter, FILTER_LOADED, line);

		if (store ? !filter_has(filter, FILTER_STORED, line) : !loaded)
			x86_caches_warm(core->caches, instruction, at, store,
					false);
	}
}

static void warm(struct machine_core *core, struct filter *filter,
		 const struct x86_record *record)
{
	const struct x86_inst *inst = record->inst;
	const struct x86_template *form =
		x86_template_of(core->fetch.templates, inst);
	const struct x86_reference *reference =
		core->fetch.ring->reference + record->first;
	uint64_t last = inst->address + inst->length - 1, line;

	if (core->caches) {
		line = last >> filter->shift;
		if (!filter_has(filter, FILTER_CODE, line))
			x86_caches_warm(core->caches, 0, last, false, true);
		for (unsigned i = 0; i < record->references; i++)
			if (reference[i].direction != X86_HINT)
				warm_data(core, filter, inst->address,
					  &reference[i]);
			else
				x86_caches_warm_hint(core->caches,
						     inst->address,
						     reference[i].address,
						     form->hint);
	}
	x86_core_warm(core->core, inst, form);
	if (inst->branch != X86_BRANCH_NONE)
		fetch_train(&core->fetch, record);
}

enum x86_stop machine_core_warm(struct machine_core *core, uint64_t wanted)
{
	struct x86_cpu *cpu = linux_cpu(core->thread);
	struct fetch *fetch = &core->fetch;
	struct x86_ring *ring = fetch->ring;
	struct predict_counts counts[BRANCH_KINDS];
	enum x86_stop stop = X86_STOP_QUANTUM;
	struct filter filter = { 0 };

	if (core->caches)
		filter.shift = (unsigned)__builtin_ctz(
			x86_caches_line(core->caches));
	x86_core_warm_begin(core->core);
	memcpy(counts, fetch->unit.counts, sizeof counts);
	while (wanted && stop == X86_STOP_QUANTUM) {
		uint64_t batch = wanted < BATCH ? wanted : BATCH;
		uint64_t before = x86_instructions(cpu);


		stop = x86_observe(cpu, ring, batch, 0);
		memset(filter.line, 0, sizeof filter.line);
		wanted -= x86_instructions(cpu) - before;
		for (; ring->tail != ring->head; ring->tail++)
			warm(core, &filter, &ring->record[ring->tail & ring->mask]);
	}
	fetch->next_record = ring->head;
	memcpy(fetch->unit.counts, counts, sizeof counts);
	return stop;
}
