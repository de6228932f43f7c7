/* One call that observes: its state, and what follows a handler that has come
 * back. What step.c and stretch.c share. Internal to x86/emu. */
#ifndef M2S_X86_EMU_OBSERVATION_H
#define M2S_X86_EMU_OBSERVATION_H

#include "x86/emu/observe/observe.h"
#include "x86/emu/observe/redirect.h"
#include "x86/emu/run.h"
#include "x86/emu/trap.h"
#include "x86/emu/vector/float.h"

/* State of one call, which must outlive a siglongjmp(). */
struct observation {
	struct x86_cpu *cpu;
	struct x86_ring *ring;
	const struct x86_inst *inst; /* at rip, or NULL */
	uint64_t left;
	unsigned before;  /* enum x86_trait */
	bool alone;       /* blocks have changed: find inst's successor anew */
	bool careful;     /* x86_run() must execute the next instruction */
	bool single;      /* stop also after a part of an instruction */
	bool stretches;   /* the ring gets stretches, not records */
	/* The first instruction of the stretch that is being executed; NULL:
	 * none is. */
	const struct x86_inst *from;
	enum x86_floating floating; /* what the host has of the guest's */
	uint64_t drops;   /* x86_drops(), when inst was found */
};

/* Executes from o->inst on, as long as there are plain instructions (outlines say
 * which are) and nothing has to be looked for, and appends their stretches. False:
 * none was executed. *stop, which is X86_STOP_QUANTUM, may get the reason to
 * stop. */
bool x86_execute_stretches(struct observation *o, enum x86_stop *stop);
/* A signal handler or an access has left a handler for good. Of a stretch, what
 * had been executed before is appended; o->inst is the instruction that was
 * left. */
void x86_stretch_escape(struct observation *o);
struct x86_outline *x86_outline_make(struct x86_block *block);
static inline const struct x86_outline *x86_outline_of(struct x86_block *block)
{
	return block->outline ? block->outline : x86_outline_make(block);
}

/* Appends the `count` instructions from number `start` on, whose marks are there. */
static inline void x86_append_stretch(struct observation *o,
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

/* Appends a stretch of one instruction, or of a part of it. */
void x86_append_alone(struct observation *o, const struct x86_inst *inst,
		      const struct x86_reference *end, bool taken,
		      bool unfinished);

/* Whether x86_run() must execute the next instruction: one that it executes
 * singly, or in front of which it checks something. */
static inline bool x86_needs_care(const struct x86_cpu *cpu)
{
	const struct x86_emulator *emulator = cpu->emulator;

	/* nothing stops a wrong path */
	if (cpu->redirect & X86_REDIRECT_WRONG)
		return cpu->eflags & X86_SLOW_FLAGS || cpu->segmented;
	return cpu->eflags & X86_SLOW_FLAGS || cpu->segmented ||
	       emulator->breakpoint_count || emulator->last_size ||
	       emulator->watch_start != emulator->watch_end;
}

/* The description of the next instruction, if it is at hand. */
static inline const struct x86_inst *x86_follow(struct x86_cpu *cpu)
{
	struct x86_block *block = *x86_recent(cpu->emulator, cpu->rip);

	return block && block->rip == cpu->rip && !block->dropped ? block->inst
								   : NULL;
}

/* Likewise by an exit of inst's block, which is then linked. */
static inline const struct x86_inst *
x86_follow_exit(struct x86_cpu *cpu, const struct x86_inst *inst,
		unsigned which)
{
	struct x86_block *block = x86_inst_block(inst), *to;
	struct x86_exit *exit = (void *)(block->op + block->op_count - 1);

	cpu->rip = exit->address[which];
	if (exit->target[which])
		return x86_op_block(exit->target[which])->inst;
	to = *x86_recent(cpu->emulator, cpu->rip);
	if (!to || to->rip != cpu->rip || to->dropped)
		return NULL;
	if (!block->dropped)
		x86_block_link(block, &exit->target[which], to);
	return to->inst;
}

static inline void x86_append(struct observation *o,
			      const struct x86_inst *inst,
			      const struct x86_reference *end, bool taken,
			      bool unfinished)
{
	struct x86_ring *ring = o->ring;
	const struct x86_reference *start =
		ring->reference + ring->reference_head;
	uint32_t count = (uint32_t)(end - start);

	if (o->stretches) {
		x86_append_alone(o, inst, end, taken, unfinished);
		return;
	}
	ring->record[ring->head & ring->mask] = (struct x86_record){
		.inst = inst, .next = o->cpu->rip,
		.first = ring->reference_head, .references = (uint16_t)count,
		.taken = taken, .unfinished = unfinished,
	};
	ring->reference_head += count;
	ring->parts += unfinished;
	ring->head++;
}

/* Appends the part of a faulting instruction at rip that was executed for
 * good. */
static inline void x86_append_part(struct observation *o,
				   const struct x86_inst *inst)
{
	const struct x86_reference *start =
		o->ring->reference + o->ring->reference_head;

	if (o->cpu->reference_done == start)
		return;
	x86_append(o, inst, o->cpu->reference_done, false, true);
	if (o->single)
		o->left = 0;
}

/* Forgets the stores that a faulting instruction has made so far. */
static inline void x86_forget_stores(struct x86_cpu *cpu)
{
	if (cpu->redirect)
		x86_overlay_cancel(cpu);
}

/* The rarer ways in which the handler of `inst` has come back: those but
 * X86_LEAVE_NEXT and the exits. Whether the instruction has retired. *stop gets
 * X86_STOP_QUANTUM, with the next instruction (or NULL) as o->inst, or the reason
 * to stop. */
bool x86_settle_rarely(struct observation *o, const struct x86_inst *inst,
		       int leave, bool *taken, enum x86_stop *stop);

/* Likewise, whichever way. *stop is X86_STOP_QUANTUM, and *taken false. */
static inline __attribute__((always_inline)) bool
x86_settle(struct observation *o, const struct x86_inst *inst, int leave,
	   bool *taken, enum x86_stop *stop)
{
	struct x86_cpu *cpu = o->cpu;

	if (__builtin_expect(leave == X86_LEAVE_NEXT, 1)) {
		cpu->budget--;
		cpu->rip = inst->address + inst->length;
		o->inst = inst->traits & X86_LAST
				  ? x86_follow_exit(cpu, inst, 1)
				  : inst + 1;
	} else if (leave == X86_LEAVE_EXIT) {
		*taken = true;
		o->inst = x86_follow_exit(cpu, inst, 0);
	} else if (leave == X86_LEAVE_EXIT_1) {
		o->inst = x86_follow_exit(cpu, inst, 1);
	} else {
		return x86_settle_rarely(o, inst, leave, taken, stop);
	}
	return true;
}

#endif
