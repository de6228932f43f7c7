/* Running a traced thread: single steps, which are those of the processor's
 * trap flag, and what the debug registers watch for. */
#include <signal.h>
#include <string.h>

#include "x86/linux/debug/events.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/run.h"
#include "x86/linux/state.h"

enum {
	CONTROL = 7,
	STATUS = 6,
	STEP_BIT = 1 << 14, /* of the status: a single step is done */
};

static bool steps(const struct tracee *tracee)
{
	return tracee->resume == TRACEE_STEPS ||
	       tracee->resume == TRACEE_STEPS_SKIPPING;
}

/* POPF and IRET: TF is then what they have loaded. */
static bool loads_flags(const struct x86_cpu *cpu)
{
	static const uint8_t prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
					    0x66, 0x67, 0xf0, 0xf2, 0xf3 };
	uint8_t byte;

	for (unsigned i = 0; i < 15; i++) {
		if (space_read(cpu->space, cpu->rip + i, &byte, 1))
			return false;
		if (byte == 0x9d || byte == 0xcf)
			return true;
		if (!memchr(prefixes, byte, sizeof prefixes) &&
		    !(cpu->mode == X86_MODE_64 && byte >> 4 == 4))
			return false;
	}
	return false;
}

static enum x86_stop run_plainly(struct context *context, uint64_t instructions)
{
	return context->process->system->debug
		       ? debug_run(context, instructions)
		       : context_run(context, instructions);
}

/* Runs with the trap flag set for the tracer, which does not see the flag. */
static enum x86_stop run_step(struct context *context)
{
	struct x86_cpu *cpu = context->cpu;
	bool keep = (cpu->eflags & X86_TF) || loads_flags(cpu);
	enum x86_stop stop;

	cpu->eflags |= X86_TF;
	stop = run_plainly(context, 1);
	if (!keep)
		cpu->eflags &= ~(uint32_t)X86_TF;
	return stop;
}

static bool is_debug_trap(const struct x86_cpu *cpu, enum x86_stop stop)
{
	return stop == X86_STOP_FAULT && cpu->fault.signal == SIGTRAP &&
	       cpu->fault.vector == 1;
}

/* A debug exception for these bits of the status. */
static enum x86_stop debug_trap(struct context *context, uint64_t status)
{
	struct x86_cpu *cpu = context->cpu;

	context->tracee->debug[STATUS] = status;
	cpu->fault = (struct x86_fault){
		.signal = SIGTRAP,
		.code = status & STEP_BIT ? TRAP_TRACE : TRAP_HWBKPT,
		.address = cpu->rip, .vector = 1,
	};
	return X86_STOP_FAULT;
}

static enum x86_stop run_watched(struct context *context,
				 uint64_t instructions)
{
	struct x86_cpu *cpu = context->cpu;
	uint64_t hits = cpu->eflags & X86_RF
				? 0
				: debug_registers_break(context, cpu->rip);
	uint64_t before = x86_instructions(cpu);
	enum x86_stop stop;

	if (hits) {
		cpu->eflags |= X86_RF; /* the next time it is executed */
		return debug_trap(context, hits);
	}
	if (x86_near_watch(cpu)) {
		hits = debug_registers_watch(context);
		instructions = 1;
	}
	stop = steps(context->tracee) ? run_step(context)
				      : run_plainly(context, instructions);
	if (x86_instructions(cpu) == before)
		hits = 0;
	if (is_debug_trap(cpu, stop))
		hits |= STEP_BIT;
	if (hits)
		return debug_trap(context, hits);
	/* Before what is watched: the next round looks closely. */
	return stop == X86_STOP_BREAKPOINT || stop == X86_STOP_WATCH
		       ? X86_STOP_QUANTUM
		       : stop;
}

enum x86_stop ptrace_run(struct context *context, uint64_t instructions)
{
	struct tracee *tracee = context->tracee;
	enum x86_stop stop;

	if (tracee->debug[CONTROL])
		return run_watched(context, instructions);
	if (!steps(tracee))
		return run_plainly(context, instructions);
	stop = run_step(context);
	if (is_debug_trap(context->cpu, stop))
		tracee->debug[STATUS] = STEP_BIT;
	return stop;
}
