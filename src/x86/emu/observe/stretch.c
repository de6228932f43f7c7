/* Stretches: instructions one behind another in a block, executed in one go. Of
 * each, it is only kept which memory it has referred to. */
#include "base/optimize.h"

#include "x86/emu/observe/observation.h"

/* How many instructions can be one stretch from o->inst on, number `at` of the
 * outline. */
static inline unsigned length(const struct observation *o,
			      const struct x86_outline *outline, size_t at)
{
	const struct x86_ring *ring = o->ring;
	unsigned count = outline->part[at].plain;
	uint32_t room = (ring->reference_end - ring->reference_head) /
			X86_REFERENCES_MAX;

	if (ring->head - ring->tail > ring->mask)
		return 0;
	if (count > room)
		count = room;
	return count < o->left ? count : (unsigned)o->left;
}

bool x86_execute_stretches(struct observation *o, enum x86_stop *stop)
{
	struct x86_cpu *cpu = o->cpu;
	struct x86_ring *ring = o->ring;
	bool any = false;

	while (o->inst && !o->careful && !cpu->redirect) {
		const struct x86_inst *inst = o->inst, *end;
		struct x86_block *block = x86_inst_block(inst);
		const struct x86_outline *outline = x86_outline_of(block);
		/* Nearly always the first one, without a division. */
		size_t at = inst == outline->inst
				    ? 0 : (size_t)(inst - outline->inst);
		const struct x86_outline_part *part = &outline->part[at];
		const struct x86_reference **mark = ring->mark + ring->marks;
		unsigned count = length(o, outline, at);
		bool taken = false;
		int leave;

		if (!count)
			break;
		any = true;
		o->floating = x86_floating_enter(cpu, outline->floating,
						 o->floating);
		cpu->reference = cpu->reference_done =
			ring->reference + ring->reference_head;
		o->from = inst;
		for (end = inst + count - 1;; inst++) {
			const struct x86_op *op = block->op + part++->op;

			cpu->inst = inst;
			leave = op->handler(cpu, op);
			*mark++ = cpu->reference;
			if (leave != X86_LEAVE_NEXT || inst == end)
				break;
		}
		/* Those before the last one. */
		count = (unsigned)(inst - o->from);
		cpu->budget -= count;
		o->left -= count;
		o->from = NULL;
		if (!x86_settle(o, inst, leave, &taken, stop)) {
			if (count)
				x86_append_stretch(o, outline, at, count, false, false);
			break;
		}
		x86_append_stretch(o, outline, at, count + 1, taken, false);
		o->left--;
		if (*stop != X86_STOP_QUANTUM)
			break;
	}
	return any;
}

void x86_stretch_escape(struct observation *o)
{
	const struct x86_inst *from = o->from, *inst = from;
	const struct x86_outline *outline = x86_inst_block(from)->outline;
	unsigned count;

	/* Which instruction it was, its op says. */
	while (!(inst->traits & X86_LAST) && inst[1].op <= o->cpu->op)
		inst++;
	count = (unsigned)(inst - from);
	o->from = NULL;
	o->inst = o->cpu->inst = inst;
	o->cpu->budget -= count;
	o->left -= count;
	if (count) {
		o->cpu->rip = inst->address;
		x86_append_stretch(o, outline, (size_t)(from - outline->inst), count,
		       false, false);
	}
	/* No part of a plain instruction is done for good. */
	o->cpu->reference_done = o->ring->reference + o->ring->reference_head;
}
