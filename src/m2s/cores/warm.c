/* Functional warming: instructions that are not simulated touch caches and TLBs,
 * train predictors and rename registers, in their order and without time. */
#include "base/optimize.h"

#include <string.h>

#include "m2s/cores/internal.h"

enum {
	/* Instructions that are executed before caches follow. */
	BATCH = 512,
	/* Instructions after which the filter forgets. */
	REMEMBERED = 256,
};

/* Lines that were accessed last: of data that may be stored to, of other data, of
 * code. To access one of them again changes nothing worth the time. */
enum { FILTER_STORED, FILTER_LOADED, FILTER_CODE, FILTERS };
enum { FILTER_LINES = 64 };

struct filter {
	unsigned shift; /* line = address >> shift */
	unsigned left;  /* instructions until it forgets */
	uint64_t line[FILTERS][FILTER_LINES]; /* + 1; 0: none */
};

/* Whether a line was among the last; it is from now on. */
static inline bool filter_has(struct filter *filter, unsigned kind,
			      uint64_t line)
{
	uint64_t *last = &filter->line[kind][line % FILTER_LINES];

	if (*last == line + 1)
		return true;
	*last = line + 1;
	return false;
}

/* ---- Blocks ---- */

/* What warming has to know of a block, made when it warms first. */
struct warm_block {
	uint64_t written;    /* by any of its instructions */
	uint64_t eliminable; /* bit i: instruction i is such a move */
	struct branch branch; /* at its end, if there is one */
	uint64_t behind;
};

static const struct warm_block *make_block(struct machine_core *core,
					   const struct x86_outline *outline)
{
	const struct x86_inst *last = outline->inst + outline->instructions - 1;
	struct warm_block *block = x86_outline_allocate(outline, sizeof *block);

	*block = (struct warm_block){ 0 };
	for (unsigned i = 0; i < outline->instructions; i++) {
		const struct x86_inst *inst = outline->inst + i;
		const struct x86_template *form =
			x86_template_of(core->fetch.templates, inst);

		block->written |= inst->written;
		block->eliminable |= (uint64_t)form->eliminable << i;
	}
	if (last->branch != X86_BRANCH_NONE)
		block->branch = fetch_describe(last);
	block->behind = last->address + last->length;
	/* The timing model owns `timing`. */
	((struct x86_outline *)(uintptr_t)outline)->timing = block;
	return block;
}

/* ---- Memory ---- */

static inline void warm_line(struct machine_core *core, struct filter *filter,
			     uint64_t instruction, uint64_t address, bool store)
{
	uint64_t line = address >> filter->shift;
	bool known = filter_has(filter, FILTER_LOADED, line);

	if (store)
		known = filter_has(filter, FILTER_STORED, line);
	if (!known)
		x86_caches_warm(core->caches, instruction, address, store,
				false);
}

static inline void warm_data(struct machine_core *core, struct filter *filter,
			     uint64_t instruction,
			     const struct x86_reference *reference)
{
	uint64_t at = reference->address;
	uint64_t size = (uint64_t)reference->size * reference->count;
	uint64_t last = (at + size - 1) >> filter->shift;
	bool store = reference->direction & X86_STORE;

	if (!size)
		return;
	warm_line(core, filter, instruction, at, store);
	while (at >> filter->shift != last) {
		at = ((at >> filter->shift) + 1) << filter->shift;
		warm_line(core, filter, instruction, at, store);
	}
}

/* References of one instruction. */
static inline void warm_references(struct machine_core *core,
				   struct filter *filter,
				   const struct x86_inst *inst,
				   const struct x86_reference *reference,
				   const struct x86_reference *end)
{
	for (; reference != end; reference++)
		if (reference->direction != X86_HINT)
			warm_data(core, filter, inst->address, reference);
		else
			x86_caches_warm_hint(
				core->caches, inst->address,
				reference->address,
				x86_template_of(core->fetch.templates, inst)
					->hint);
}

static inline void warm_code(struct machine_core *core, struct filter *filter,
			     uint64_t last)
{
	if (!filter_has(filter, FILTER_CODE, last >> filter->shift))
		x86_caches_warm(core->caches, 0, last, false, true);
}

/* The memory of instructions [from, end) of a stretch's block. */
static void warm_memory(struct machine_core *core, struct filter *filter,
			const struct x86_stretch *stretch, unsigned from,
			unsigned end)
{
	const struct x86_outline *outline = stretch->outline;
	const struct x86_outline_part *part = outline->part;
	const struct x86_reference *const *mark =
		stretch->mark - stretch->start;
	const struct x86_reference *reference =
		from > stretch->start ? mark[from - 1] : stretch->reference;
	/* of the byte in front of the block */
	uint64_t before = outline->inst->address - 1;
	uint64_t line = (before + part[from].end) >> filter->shift;
	uint64_t last = (before + part[end - 1].end) >> filter->shift;
	uint64_t touches = outline->touches >> from << from;

	if (end < 64)
		touches &= (UINT64_C(1) << end) - 1;
	warm_code(core, filter, before + part[from].end);
	for (; touches; touches &= touches - 1) {
		unsigned at = (unsigned)__builtin_ctzll(touches);

		/* The lines of code up to this instruction, each by the first
		 * one that ends in it. */
		for (; line != last; from++) {
			uint64_t address = before + part[from].end;

			if (address >> filter->shift != line) {
				line = address >> filter->shift;
				warm_code(core, filter, address);
			}
			if (from == at)
				break;
		}
		warm_references(core, filter, outline->inst + at, reference,
				mark[at]);
		reference = mark[at];
	}
	for (; line != last; from++) {
		uint64_t address = before + part[from].end;

		if (address >> filter->shift == line)
			continue;
		line = address >> filter->shift;
		warm_code(core, filter, address);
	}
}

/* ---- Stretches ---- */

static void warm(struct machine_core *core, struct filter *filter,
		 const struct x86_stretch *stretch)
{
	const struct x86_outline *outline = stretch->outline;
	const struct warm_block *block = outline->timing;
	unsigned from = stretch->start, end = from + stretch->count;

	if (!block)
		block = make_block(core, outline);
	while (core->caches && from < end) {
		unsigned part = end - from;

		if (!filter->left) {
			memset(filter->line, 0, sizeof filter->line);
			filter->left = REMEMBERED;
		}
		if (part > filter->left)
			part = filter->left;
		warm_memory(core, filter, stretch, from, from + part);
		/* A part of an instruction is none. */
		filter->left -= stretch->unfinished ? 0 : part;
		from += part;
	}
	x86_core_warm(core->core, outline->inst + stretch->start, stretch->count,
		      block->written, block->eliminable >> stretch->start);
	if (end == outline->instructions && outline->branch != X86_BRANCH_NONE)
		predict_unit_pass(
			&core->fetch.unit, &block->branch, block->behind,
			&(struct predict_outcome){
				.next = stretch->next,
				.taken = stretch->taken ||
					 block->branch.kind !=
						 BRANCH_CONDITIONAL,
			});
}

enum x86_stop machine_core_warm(struct machine_core *core, uint64_t wanted)
{
	struct x86_cpu *cpu = linux_cpu(core->thread);
	struct x86_ring *ring;
	enum x86_stop stop = X86_STOP_QUANTUM;
	struct filter filter = { 0 };

	if (!core->stretches)
		core->stretches = x86_ring_create_stretches(BATCH);
	ring = core->stretches;
	if (core->caches)
		filter.shift = (unsigned)__builtin_ctz(
			x86_caches_line(core->caches));
	x86_core_warm_begin(core->core);
	while (wanted && stop == X86_STOP_QUANTUM) {
		uint64_t batch = wanted < BATCH ? wanted : BATCH;
		uint64_t before = x86_instructions(cpu);

		stop = x86_observe(cpu, ring, batch, 0);
		wanted -= x86_instructions(cpu) - before;
		for (; ring->tail != ring->head; ring->tail++)
			warm(core, &filter,
			     &ring->stretch[ring->tail & ring->mask]);
	}
	return stop;
}
