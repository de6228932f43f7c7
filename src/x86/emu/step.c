/* Guest instructions one by one, with all accesses.
 *
 * Observed blocks are decoded apart from those of x86_run(). Their ops have
 * handlers that note memory references (op.h, X86_OBSERVED) and return after
 * each instruction. The descriptions lie beside the ops. */
#include "base/optimize.h"

#include "x86/emu/step.h"

#include "x86/emu/observe/division.h"
#include "x86/emu/observe/observation.h"
#include "x86/emu/operand.h"

/* ---- One instruction ---- */

/* Execution has left an instruction in the middle: it has not begun, or a part of
 * it is done. */
static void take_back(struct observation *o)
{
	x86_rewind_to_op(o->cpu);
	x86_forget_stores(o->cpu);
	x86_append_part(o, o->inst);
}

/* The handler of `inst` has returned `leave`: appends its record. Returns
 * X86_STOP_QUANTUM, with the next instruction (or NULL) as o->inst, or the reason
 * to stop. */
static inline __attribute__((always_inline)) enum x86_stop
complete(struct observation *o, const struct x86_inst *inst, int leave)
{
	struct x86_cpu *cpu = o->cpu;
	enum x86_stop stop = X86_STOP_QUANTUM;
	bool taken = false;

	if (!x86_settle(o, inst, leave, &taken, &stop))
		return stop;
	if (__builtin_expect(cpu->redirect, 0)) {
		x86_overlay_done(cpu);
		if (inst->traits & (X86_FENCE | X86_SERIALIZING))
			x86_stores_publish(cpu, UINT64_MAX);
		/* Publishing stores may have changed code. */
		if (o->drops != x86_drops(cpu->emulator)) {
			o->drops = x86_drops(cpu->emulator);
			if (o->inst && x86_inst_block(o->inst)->dropped)
				o->inst = NULL;
		}
	}
	x86_append(o, inst, cpu->reference, taken, false);
	o->left--;
	return stop;
}

/* Executes o->inst and appends its record; as complete(). */
static inline __attribute__((always_inline)) enum x86_stop
execute(struct observation *o)
{
	struct x86_cpu *cpu = o->cpu;
	struct x86_ring *ring = o->ring;
	const struct x86_inst *inst = o->inst;
	struct x86_reference *start =
		ring->reference + ring->reference_head;
	struct x86_dividend dividend;
	uint64_t head = ring->head;
	enum x86_stop stop;
	bool divides = false;

	cpu->inst = inst;
	cpu->reference = cpu->reference_done = start;
	if (__builtin_expect(inst->traits & (o->before | X86_REPEATED |
					     X86_DIVIDES), 0)) {
		if (inst->traits & o->before)
			return X86_STOP_ASKED;
		divides = inst->traits & X86_DIVIDES && !o->stretches;
		if (divides)
			dividend = x86_dividend_of(cpu, inst);
		cpu->reference_limit = start + X86_REFERENCES_PAUSE;
	}
	stop = complete(o, inst, inst->op->handler(cpu, inst->op));
	if (__builtin_expect(divides, 0) && ring->head != head)
		x86_division_note(&ring->record[head & ring->mask], cpu, inst,
				  &dividend);
	return stop;
}

/* Whether the host has what an instruction needs of its floating-point
 * environment. */
static inline bool has_floating(const struct x86_inst *inst,
				enum x86_floating floating)
{
	return !(inst->traits & X86_FLOATING) ||
	       x86_floating_of(inst) <= floating;
}

/* Executes plain instructions of a block from o->inst on and appends their records:
 * what is the same for all of them is not looked at for each. They are counted and
 * noted one by one, as each may fault. *last is the last one that has been executed,
 * NULL if none. */
static inline __attribute__((always_inline)) enum x86_stop
execute_row(struct observation *o, const struct x86_inst **last)
{
	struct x86_cpu *cpu = o->cpu;
	struct x86_ring *ring = o->ring;
	struct x86_record *record = ring->record;
	struct x86_reference *start = ring->reference + ring->reference_head;
	uint64_t head = ring->head, mask = ring->mask;
	uint64_t most = mask + 1 - (head - ring->tail);
	uint32_t first = ring->reference_head;
	unsigned others = o->before | X86_REPEATED | X86_DIVIDES;
	enum x86_floating floating = o->floating;
	const struct x86_inst *inst = o->inst;

	if (most > o->left)
		most = o->left;
	if (most > (ring->reference_end - first) / X86_REFERENCES_MAX)
		most = (ring->reference_end - first) / X86_REFERENCES_MAX;
	*last = NULL;
	for (; most && !(inst->traits & others) &&
	       has_floating(inst, floating); most--) {
		uint64_t next = inst->address + inst->length;
		uint32_t count;
		int leave;

		*last = inst;
		cpu->inst = inst;
		cpu->reference = cpu->reference_done = start;
		leave = inst->op->handler(cpu, inst->op);
		if (leave != X86_LEAVE_NEXT || cpu->redirect ||
		    inst->traits & X86_LAST || inst->branch)
			return complete(o, inst, leave);
		cpu->budget--;
		cpu->rip = next;
		count = (uint32_t)(cpu->reference - start);
		record[head++ & mask] = (struct x86_record){
			.inst = inst, .next = next, .first = first,
			.references = (uint16_t)count,
		};
		start += count;
		first += count;
		ring->reference_head = first;
		ring->head = head;
		o->left--;
		o->inst = ++inst;
	}
	return X86_STOP_QUANTUM;
}

/* ---- Calls ---- */

/* Fills in o->inst. False and cpu->fault set when there is no code. */
static bool find_inst(struct observation *o)
{
	struct x86_cpu *cpu = o->cpu;
	struct x86_block *block;

	x86_overlay_before_code(cpu);
	block = x86_observed_block_at(cpu->emulator, cpu->rip, &cpu->fault);
	cpu->op = NULL;
	o->inst = block ? block->inst : NULL;
	x86_redirect_code(cpu, o->before);
	return block;
}

static enum x86_stop observe(struct observation *o)
{
	struct x86_ring *ring = o->ring;
	const struct x86_inst *inst;
	enum x86_stop stop;

	for (;;) {
		bool alone = o->alone;

		if (!o->left || o->careful ||
		    ring->head - ring->tail > ring->mask)
			return X86_STOP_QUANTUM;
		if (ring->reference_end - ring->reference_head <
			    X86_REFERENCES_MAX && !x86_ring_window(ring))
			return X86_STOP_QUANTUM;
		if (!o->inst) {
			if (o->before & X86_BESIDE &&
			    !x86_observed_at_hand(o->cpu))
				return X86_STOP_ALONE;
			if (!find_inst(o))
				return X86_STOP_FAULT;
			if (!x86_ring_bind(ring,
					   o->cpu->emulator->generation)) {
				o->inst = NULL;
				return X86_STOP_QUANTUM;
			}
		}
		inst = NULL;
		stop = X86_STOP_QUANTUM;
		if (o->stretches && !alone && x86_execute_stretches(o, &stop)) {
			if (stop != X86_STOP_QUANTUM)
				return stop;
			continue;
		}
		if (!o->stretches && !alone)
			stop = execute_row(o, &inst);
		if (!inst) {
			inst = o->inst;
			if (inst->traits & X86_FLOATING)
				o->floating = x86_floating_add(o->cpu, inst,
							       o->floating);
			stop = execute(o);
		}
		if (stop != X86_STOP_QUANTUM)
			return stop;
		if (inst->branch && o->before & X86_AFTER_BRANCH)
			o->left = 0;
		if (__builtin_expect(alone, 0)) {
			o->alone = false;
			o->inst = NULL;
		}
	}
}

/* Likewise, in an environment where handlers may fault. */
static enum x86_stop observe_guarded(struct observation *observation)
{
	struct observation *volatile kept = observation;
	struct x86_cpu *cpu = observation->cpu;
	struct host_fault fault;
	enum x86_outcome outcome;
	enum x86_stop stop;
	int escape;

	x86_redirect_code(cpu, observation->before);
	x86_bind_redirected(cpu);
	cpu->link = NULL;
	cpu->op = NULL;
	cpu->escape = &fault;
	space_fault_enter(&fault, cpu->space);
	fault.arithmetic = true;
	escape = sigsetjmp(fault.environment, 0);
	if (escape && kept->from)
		x86_stretch_escape(kept);
	switch (escape) {
	case 0:
		stop = observe(kept);
		break;
	case X86_ESCAPE_HOST_FAULT:
		/* Signal handlers have the host's environment, so the guest's
		 * is entered anew. */
		if (kept->floating != X86_FLOATING_NONE) {
			x86_float_fault(kept->cpu, fault.mxcsr);
			kept->floating = X86_FLOATING_ALL;
		}
		outcome = x86_host_fault(kept->cpu, &fault,
					 kept->before & X86_CODE_STORE);
		x86_forget_stores(kept->cpu);
		x86_append_part(kept, kept->inst);
		if (outcome == X86_OUTCOME_AGAIN) {
			x86_bind_redirected(kept->cpu);
			kept->alone = true;
			stop = observe(kept);
		} else {
			stop = outcome == X86_OUTCOME_KEPT ? X86_STOP_ASKED
							   : X86_STOP_FAULT;
		}
		break;
	case X86_ESCAPE_FAR:
		take_back(kept);
		if (space_reach(kept->cpu->space, kept->cpu->fault.address)) {
			x86_bind_redirected(kept->cpu);
			stop = observe(kept);
			break;
		}
		x86_complete_page_fault(kept->cpu);
		stop = X86_STOP_FAULT;
		break;
	case X86_ESCAPE_ASKED:
		take_back(kept);
		stop = X86_STOP_ASKED;
		break;
	case X86_ESCAPE_ALONE:
		take_back(kept);
		stop = X86_STOP_ALONE;
		break;
	default:
		take_back(kept);
		/* Nothing more of a wrong path's faults is needed. */
		if (kept->cpu->fault.vector == 14 &&
		    !(kept->cpu->redirect & X86_REDIRECT_WRONG))
			x86_complete_page_fault(kept->cpu);
		stop = X86_STOP_FAULT;
	}
	kept->floating = x86_floating_leave(kept->cpu, kept->floating);
	host_fault_leave(&fault);
	return stop;
}

/* ---- With care ---- */

/* Executes one instruction by x86_run(). */
static enum x86_stop observe_carefully(struct observation *o, bool first)
{
	struct x86_cpu *cpu = o->cpu;
	struct x86_emulator *emulator = cpu->emulator;
	struct x86_access list[X86_ACCESSES_MAX];
	uint64_t retired = x86_instructions(cpu), count, from = cpu->rip;
	uint64_t counter = cpu->reg[X86_RCX];
	const struct x86_inst *inst;
	enum x86_stop stop;
	bool done;

	if (!find_inst(o))
		return X86_STOP_FAULT;
	inst = o->inst;
	o->inst = NULL;
	if (!x86_ring_bind(o->ring, emulator->generation))
		return X86_STOP_QUANTUM;
	if (inst->traits & o->before)
		return X86_STOP_ASKED;
	if (!first && x86_breakpoint_at(emulator, cpu->rip))
		return X86_STOP_BREAKPOINT;
	if (!first && x86_near_watch(cpu))
		return X86_STOP_WATCH;
	count = x86_first_accesses(cpu, list);
	stop = x86_run(cpu, 1);
	done = x86_instructions(cpu) != retired;
	cpu->reference = o->ring->reference + o->ring->reference_head;
	if (done || (inst->traits & X86_REPEATED &&
		     cpu->reg[X86_RCX] != counter)) {
		x86_refer_to(cpu, inst, list, count,
			     counter - cpu->reg[X86_RCX]);
		done = done && !(inst->traits & X86_REPEATED &&
				 cpu->rip == from);
		x86_append(o, inst, cpu->reference,
			   inst->branch &&
				   cpu->rip != inst->address + inst->length,
			   !done);
		o->left--;
		if (inst->branch && o->before & X86_AFTER_BRANCH)
			o->left = 0;
	}
	return stop;
}

/* ---- The interface ---- */

static void start(struct observation *o)
{
	struct x86_cpu *cpu = o->cpu;
	const struct x86_inst *inst = cpu->inst;

	cpu->eflags &= ~(uint32_t)X86_RF;
	o->drops = x86_drops(cpu->emulator);
	o->careful = x86_needs_care(cpu);
	if (cpu->redirect & X86_REDIRECT_WRONG)
		o->before |= X86_SYSTEM_CALL | X86_LOCKED | X86_MARKED;
	if (o->before & X86_BESIDE)
		cpu->redirect |= X86_REDIRECT_BESIDE;
	/* The last call stopped here. */
	if (inst && cpu->inst_epoch == cpu->emulator->epoch &&
	    inst->address == cpu->rip && !x86_inst_block(inst)->dropped &&
	    !x86_inst_block(inst)->code &&
	    o->ring->generation == cpu->emulator->generation)
		o->inst = inst;
}

static void finish(struct observation *o)
{
	o->cpu->inst = o->inst;
	o->cpu->inst_epoch = o->cpu->emulator->epoch;
	o->cpu->redirect &= ~(unsigned)X86_REDIRECT_BESIDE;
}

static enum x86_stop observe_all(struct observation *o)
{
	enum x86_stop stop = X86_STOP_QUANTUM;
	bool first = true;

	while (o->left && stop == X86_STOP_QUANTUM &&
	       x86_ring_window(o->ring)) {
		uint64_t head = o->ring->head;

		if (o->careful && o->cpu->redirect & X86_REDIRECT_WRONG) {
			stop = X86_STOP_ASKED;
		} else if (o->careful && o->before & X86_BESIDE) {
			stop = X86_STOP_ALONE;
		} else if (o->careful) {
			stop = observe_carefully(o, first);
			o->careful = x86_needs_care(o->cpu);
		} else {
			stop = observe_guarded(o);
		}
		first = false;
		/* the consumer must release records */
		if (o->ring->head == head)
			break;
	}
	finish(o);
	return stop;
}

enum x86_stop x86_observe(struct x86_cpu *cpu, struct x86_ring *ring,
			  uint64_t instructions, unsigned before)
{
	struct observation o = {
		.cpu = cpu, .ring = ring, .left = instructions,
		.before = before, .stretches = ring->stretch,
	};

	start(&o);
	return observe_all(&o);
}

enum x86_stop x86_step(struct x86_cpu *cpu, struct x86_ring *ring,
		       unsigned before)
{
	struct observation o = {
		.cpu = cpu, .ring = ring, .left = 1, .before = before,
		.single = true,
	};
	const unsigned guarded = X86_TOUCHES | X86_FLOATING | X86_UNKNOWN;
	enum x86_stop stop;

	start(&o);
	if (o.careful || !o.inst || o.inst->traits & guarded)
		return observe_all(&o);
	/* Without these traits an instruction faults only by its handler's
	 * return. */
	if (!x86_ring_window(ring))
		return X86_STOP_QUANTUM;
	cpu->op = NULL;
	stop = execute(&o);
	finish(&o);
	return stop;
}
