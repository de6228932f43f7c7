/* The run loop: everything between blocks. */
#include "x86/emu/access.h"
#include "x86/emu/branch-log.h"
#include "x86/emu/observe/redirect.h"
#include "x86/emu/run.h"
#include "x86/emu/trap.h"
#include "x86/emu/vector/float.h"
#include "x86/isa/disasm.h"

/* A block for cpu->rip, decoded if need be; NULL and cpu->fault set when the
 * code cannot be fetched. */
static struct x86_block *block_at_rip(struct x86_cpu *cpu)
{
	struct x86_emulator *emulator = cpu->emulator;
	const struct space_region *region;
	struct x86_block *block;
	bool checked, shared;

	emulator->counts.lookups++;
	block = x86_block_find(emulator, cpu->rip);
	if (block)
		return block;
	if (x86_blocks_full(emulator)) {
		x86_blocks_drop_all(emulator);
		cpu->link = NULL; /* links led into dropped blocks */
		cpu->op = NULL;
	}
	region = space_region_at(emulator->space, cpu->rip);
	checked = x86_code_unwatched(emulator, cpu->rip);
	/* Only code of files is worth remembering; programs write over other
	 * code. */
	shared = emulator->decoder->templates && !checked && region &&
		 !region->anonymous && !emulator->breakpoint_count &&
		 !emulator->last_size &&
		 emulator->watch_start == emulator->watch_end;
	if (shared)
		block = x86_template_find(emulator, cpu->rip);
	if (!block) {
		block = x86_decode(emulator, emulator->block_memory, cpu->rip,
				   X86_BLOCK_INSTRUCTIONS, checked,
				   &cpu->fault);
		if (block && shared)
			x86_template_keep(emulator, block);
	}
	if (block && block->pages == 2 && !checked &&
	    x86_page_get(emulator, cpu->rip + block->bytes - 1)->writes >=
		    X86_PAGE_WRITES)
		block = x86_decode(emulator, emulator->block_memory, cpu->rip,
				   X86_BLOCK_INSTRUCTIONS, true, &cpu->fault);
	if (!block)
		return NULL;
	x86_block_insert(emulator, block);
	x86_watch_code(emulator, block);
	return block;
}

/* Executes the instruction at rip from a block of its own, which is not kept.
 * Used after a write to watched code, to stop at an exact instruction, and for
 * flags that trap. */
static int step(struct x86_cpu *cpu, bool trace)
{
	struct x86_emulator *emulator = cpu->emulator;
	/* The memory of blocks that a log names must not be reused. */
	struct x86_block_memory *memory = emulator->log
						  ? emulator->block_memory
						  : emulator->step_memory;
	struct x86_block *block;
	bool holds, iterates;
	int leave;

	if (!emulator->log)
		x86_block_memory_clear(memory);
	else if (x86_blocks_full(emulator))
		x86_blocks_drop_all(emulator);
	emulator->segmented = cpu->segmented;
	block = x86_decode(emulator, memory, cpu->rip, 1, false, &cpu->fault);
	emulator->segmented = false;
	if (!block) {
		cpu->op = NULL;
		return X86_LEAVE_FAULT;
	}
	x86_set_budget(cpu, 1);
	if (!trace && !cpu->segmented)
		return block->op->handler(cpu, block->op);
	holds = trace && !cpu->trap_held && x86_loads_ss(block);
	iterates = x86_iterate(cpu, block->op);
	cpu->trap_held = false;
	leave = block->op->handler(cpu, block->op);
	if (iterates && leave == X86_LEAVE_LINK &&
	    x86_iterates_again(cpu, block->op)) {
		cpu->rip = block->rip;
		cpu->eflags |= trace ? X86_RF : 0;
	}
	cpu->trap_held = holds;
	return leave;
}

static int execute(struct x86_cpu *cpu, const struct x86_op *op)
{
	int leave;

	do {
		leave = op->handler(cpu, op);
		op = cpu->op;
	} while (leave == X86_LEAVE_CHAIN);
	return leave;
}

/* State of one x86_run() that must outlive a siglongjmp(). */
struct run {
	struct x86_cpu *cpu;
	uint64_t end;              /* instruction count to stop at */
	bool step;                 /* execute just one instruction next */
};

/* Notes the block to which an exit or an indirect jump led, for the next
 * time. */
static void note_block(struct x86_cpu *cpu, int leave,
		       struct x86_block *block)
{
	if (leave == X86_LEAVE_LINK && cpu->link)
		x86_block_link(x86_op_block(cpu->op), cpu->link, block);
	else if (leave == X86_LEAVE_LOOKUP)
		cpu->jumps[x86_jump_hash(block->rip)] =
			(struct x86_jump_entry){ ~block->rip, block->op };
}

/* The debug exception after an instruction that began with TF set. */
static void trace_trap(struct x86_cpu *cpu)
{
	cpu->fault = (struct x86_fault){
		.signal = SIGTRAP, .code = TRAP_TRACE,
		.address = cpu->rip, .vector = 1,
	};
	cpu->op = NULL;
}

/* Runs until something stops the cpu. Escapes return to x86_run(). */
static enum x86_stop run_until_stop(struct run *run)
{
	struct x86_cpu *cpu = run->cpu;
	bool log = cpu->emulator->log && cpu->emulator->log->on;
	struct x86_block *block;
	int leave = X86_LEAVE_CODE_CHANGED; /* nothing to note */

	for (;;) {
		int64_t left = (int64_t)(run->end - x86_instructions(cpu));

		if (log)
			x86_log_count(cpu);
		if (left <= 0)
			return X86_STOP_QUANTUM;
		if (run->step || left <= X86_BLOCK_INSTRUCTIONS ||
		    cpu->eflags & X86_SLOW_FLAGS || cpu->segmented) {
			bool trace = cpu->eflags & X86_TF;

			if (!run->step && cpu->emulator->breakpoint_count &&
			    x86_breakpoint_at(cpu->emulator, cpu->rip))
				return X86_STOP_BREAKPOINT;
			if (!run->step && x86_near_watch(cpu))
				return X86_STOP_WATCH;
			run->step = false;
			if ((cpu->eflags & X86_AC || cpu->segmented) &&
			    x86_refuses(cpu))
				return X86_STOP_FAULT;
			leave = step(cpu, trace);
			if (leave == X86_LEAVE_LOOKUP && x86_jump_fault(cpu))
				return X86_STOP_FAULT;
			if (log)
				x86_log_leave(cpu, leave);
			/* Nothing may point to the scratch block any more. */
			cpu->link = NULL;
			if (trace && !cpu->trap_held &&
			    (leave == X86_LEAVE_LINK ||
			     leave == X86_LEAVE_LOOKUP ||
			     leave == X86_LEAVE_MARKER)) {
				trace_trap(cpu);
				return X86_STOP_FAULT;
			}
			if (leave == X86_LEAVE_CHAIN)
				leave = X86_LEAVE_CODE_CHANGED;
		} else {
			block = block_at_rip(cpu);
			if (!block) {
				cpu->op = NULL;
				return X86_STOP_FAULT;
			}
			note_block(cpu, leave, block);
			/* A block begins while the budget is positive, and then
			 * runs to its end. */
			left -= X86_BLOCK_INSTRUCTIONS;
			if (log) {
				leave = x86_execute_logged(cpu, block->op,
							   left);
			} else {
				x86_set_budget(cpu, left);
				leave = execute(cpu, block->op);
			}
			if (leave == X86_LEAVE_LOOKUP && x86_jump_fault(cpu))
				return X86_STOP_FAULT;
			if (log)
				x86_log_leave(cpu, leave);
		}
		switch (leave) {
		case X86_LEAVE_LINK:
		case X86_LEAVE_LOOKUP:
			break;
		case X86_LEAVE_CODE_CHANGED:
			if (cpu->op && cpu->op->handler == x86_op_check) {
				block = x86_op_block(cpu->op);
				cpu->rip = block->rip;
				cpu->op = NULL;
				x86_block_drop(cpu->emulator, block);
			}
			break;
		case X86_LEAVE_INT80:
			return X86_STOP_INT80;
		case X86_LEAVE_SYSCALL:
			return X86_STOP_SYSCALL;
		case X86_LEAVE_SYSENTER:
			return X86_STOP_SYSENTER;
		case X86_LEAVE_MARKER:
			return X86_STOP_MARKER;
		case X86_LEAVE_UNSUPPORTED:
			x86_rewind_to_op(cpu);
			return X86_STOP_UNSUPPORTED;
		case X86_LEAVE_BREAKPOINT:
			x86_rewind_to_op(cpu);
			return X86_STOP_BREAKPOINT;
		case X86_LEAVE_WATCH:
			x86_rewind_to_op(cpu);
			return X86_STOP_WATCH;
		case X86_LEAVE_LAST:
			x86_rewind_to_op(cpu);
			return X86_STOP_LAST;
		default:
			if (cpu->op)
				x86_rewind_to_op(cpu);
			return X86_STOP_FAULT;
		}
	}
}

enum x86_stop x86_run(struct x86_cpu *cpu, uint64_t instructions)
{
	struct host_fault fault;
	struct run run = {
		.cpu = cpu, .end = x86_instructions(cpu) + instructions,
	};
	struct run *volatile kept = &run;
	enum x86_stop stop;

	/* Plain handlers access only memory. */
	if (x86_speculating(cpu))
		return X86_STOP_ASKED;
	x86_stores_publish(cpu, UINT64_MAX);
	x86_bind_memory(cpu);
	cpu->link = NULL;
	cpu->op = NULL;
	cpu->eflags &= ~(uint32_t)X86_RF; /* the instruction is begun anew */
	cpu->escape = &fault;
	space_fault_enter(&fault, cpu->space);
	fault.arithmetic = true;
	run.step = (cpu->emulator->breakpoint_count &&
		    x86_breakpoint_at(cpu->emulator, cpu->rip)) ||
		   x86_near_watch(cpu);
	x86_float_enter(cpu);
	switch (sigsetjmp(fault.environment, 0)) {
	case X86_ESCAPE_HOST_FAULT:
		x86_float_fault(kept->cpu, fault.mxcsr);
		/* In a step of its own: */
		if (x86_host_fault(kept->cpu, &fault, false) ==
		    X86_OUTCOME_FAULT) {
			stop = X86_STOP_FAULT;
			break;
		}
		kept->step = true;
		/* fall through */
	case 0:
		stop = run_until_stop(kept);
		break;
	case X86_ESCAPE_FAR:
		x86_rewind_to_op(kept->cpu);
		if (space_reach(kept->cpu->space, kept->cpu->fault.address)) {
			x86_bind_memory(kept->cpu);
			stop = run_until_stop(kept);
			break;
		}
		x86_complete_page_fault(kept->cpu);
		stop = X86_STOP_FAULT;
		break;
	default:
		x86_rewind_to_op(kept->cpu);
		if (kept->cpu->fault.vector == 14)
			x86_complete_page_fault(kept->cpu);
		stop = X86_STOP_FAULT;
	}
	x86_float_leave(kept->cpu);
	host_fault_leave(&fault);
	return stop;
}

void x86_describe_instruction(const struct x86_cpu *cpu, char *text,
			      size_t size)
{
	uint8_t code[15];
	size_t length = sizeof code;

	while (length && space_read(cpu->space, cpu->rip, code, length))
		length--;
	x86_disasm_describe(cpu->mode == X86_MODE_64, cpu->rip, code, length,
			    text, size);
}
