/* Stretches: instructions one behind another in a block, executed in one go. Of
 * each, it is only kept which memory it has referred to. */
#include "base/optimize.h"

#include "x86/emu/observe/observation.h"

/* ---- Outlines ---- */

/* Whether an instruction can be one of several in a stretch: nothing about it
 * has to be looked at but how its handler comes back. */
static bool is_plain(const struct x86_inst *inst)
{
	enum {
		OTHERS = X86_SYSTEM_CALL | X86_LOCKED | X86_FENCE |
			 X86_READS_TIME | X86_SERIALIZING | X86_REPEATED |
			 X86_UNKNOWN | X86_MARKED | X86_RANDOM,
	};

	/* A gather can be done in part. */
	return !(inst->traits & OTHERS) && !inst->memory[0].vector;
}

static struct x86_outline *make_outline(struct x86_block *block)
{
	unsigned count = block->instructions;
	struct x86_outline *outline = x86_block_allocate(
		block->generation->memory,
		sizeof *outline + count * sizeof outline->part[0]);

	*outline = (struct x86_outline){
		.inst = block->inst,
		.instructions = (uint8_t)count,
		.branch = block->inst[count - 1].branch,
	};
	for (unsigned i = count; i-- > 0;) {
		const struct x86_inst *inst = &block->inst[i];
		struct x86_outline_part *part = &outline->part[i];
		uint8_t floating = inst->traits & X86_FLOATING
					   ? (uint8_t)x86_floating_of(inst)
					   : X86_FLOATING_NONE;

		part->end = (uint16_t)(inst->address + inst->length -
				       block->rip);
		part->op = inst->op->position;
		part->plain = 0;
		if (is_plain(inst))
			part->plain = (uint8_t)(1 + (i + 1 < count
							     ? part[1].plain
							     : 0));
		if (part->plain && floating > outline->floating)
			outline->floating = floating;
		/* A prefetch touches nothing, but refers. */
		if (inst->traits & X86_TOUCHES ||
		    inst->class == X86_CLASS_NOTHING)
			outline->touches |= UINT64_C(1) << i;
	}
	block->outline = outline;
	return outline;
}

static inline const struct x86_outline *outline_of(struct x86_block *block)
{
	return block->outline ? block->outline : make_outline(block);
}

void *x86_outline_allocate(const struct x86_outline *outline, size_t size)
{
	return x86_block_allocate(
		x86_inst_block(outline->inst)->generation->memory, size);
}

/* ---- Appending ---- */

/* Appends the `count` instructions from number `start` on, whose marks are there. */
static inline void append(struct observation *o,
			  const struct x86_outline *outline, size_t start,
			  unsigned count, bool taken, bool unfinished)
{
	struct x86_ring *ring = o->ring;
	const struct x86_reference **mark = ring->mark + ring->marks;

	ring->stretch[ring->head & ring->mask] = (struct x86_stretch){
		.outline = outline, .next = o->cpu->rip,
		.reference = ring->reference + ring->reference_head,
		.mark = mark,
		.start = (uint8_t)start,
		.count = (uint8_t)count,
		.taken = taken, .unfinished = unfinished,
	};
	ring->head++;
	ring->marks += count;
	ring->reference_head = (uint32_t)(mark[count - 1] - ring->reference);
}

void x86_append_alone(struct observation *o, const struct x86_inst *inst,
		      const struct x86_reference *end, bool taken,
		      bool unfinished)
{
	const struct x86_outline *outline = outline_of(x86_inst_block(inst));

	o->ring->mark[o->ring->marks] = end;
	append(o, outline, (size_t)(inst - outline->inst), 1, taken,
	       unfinished);
}

/* ---- Executing ---- */

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
		const struct x86_outline *outline = outline_of(block);
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
				append(o, outline, at, count, false, false);
			break;
		}
		append(o, outline, at, count + 1, taken, false);
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
		append(o, outline, (size_t)(from - outline->inst), count,
		       false, false);
	}
	/* No part of a plain instruction is done for good. */
	o->cpu->reference_done = o->ring->reference + o->ring->reference_head;
}
