/* The host's floating-point environment while guest code runs.
 *
 * x86_run() calls x86_float_enter() before it executes guest code and
 * x86_float_leave() after (also when a fault ended it), so that handlers may
 * rely on the host's rounding mode and exception flags being the guest's, and
 * the rest of the simulator never sees them.
 *
 * In between:
 * - the host's MXCSR is the guest's, exception masks included; cpu->mxcsr has
 *   all but the newest exception flags, which x86_float_leave() adds. So an
 *   exception that the guest unmasked raises SIGFPE in the host, before
 *   anything has changed.
 * - the host's x87 has the guest's rounding and precision and all exceptions
 *   masked, an empty register stack, and no exception flag that the guest's
 *   status word lacks. The guest's registers are in cpu->x87 always. */
#ifndef M2S_X86_EMU_VECTOR_FLOAT_H
#define M2S_X86_EMU_VECTOR_FLOAT_H

#include "x86/emu/cpu.h"
#include "x86/emu/inst.h"

void x86_float_enter(struct x86_cpu *cpu);
void x86_float_leave(struct x86_cpu *cpu);
/* The same for MXCSR only. Much quicker, for a single instruction that is not
 * an x87 instruction. */
void x86_float_enter_mxcsr(const struct x86_cpu *cpu);
void x86_float_leave_mxcsr(struct x86_cpu *cpu);

/* The parts of the guest's floating-point environment that the host has. */
enum x86_floating {
	X86_FLOATING_NONE,
	X86_FLOATING_MXCSR,
	X86_FLOATING_ALL,
};
/* The parts that an instruction's handler needs, which for most are none. */
static inline enum x86_floating x86_floating_of(const struct x86_inst *inst)
{
	const uint64_t mxcsr = X86_AT(X86_AT_MXCSR_CONTROL) |
			       X86_AT(X86_AT_MXCSR_STATUS);

	if (inst->class == X86_CLASS_X87 || inst->class == X86_CLASS_STATE)
		return X86_FLOATING_ALL;
	return (inst->read | inst->written) & mxcsr ? X86_FLOATING_MXCSR
						    : X86_FLOATING_NONE;
}
/* Gives the host these parts: those that are wanted, or that an instruction's
 * handler needs. Takes what the host has, and returns what it has now. */
enum x86_floating x86_floating_more(struct x86_cpu *cpu,
				    enum x86_floating wanted,
				    enum x86_floating floating);
static inline enum x86_floating x86_floating_enter(struct x86_cpu *cpu,
						   enum x86_floating wanted,
						   enum x86_floating floating)
{
	return wanted > floating ? x86_floating_more(cpu, wanted, floating)
				 : floating;
}
enum x86_floating x86_floating_add(struct x86_cpu *cpu,
				   const struct x86_inst *inst,
				   enum x86_floating floating);
/* Takes all parts back. Returns X86_FLOATING_NONE. */
enum x86_floating x86_floating_leave(struct x86_cpu *cpu,
				     enum x86_floating floating);

/* To be called when a signal handler has escaped from guest code, because the
 * kernel runs handlers in a fresh environment. Takes over the exception flags
 * of the MXCSR that was interrupted, and enters the guest's environment
 * again. */
void x86_float_fault(struct x86_cpu *cpu, uint32_t mxcsr);

/* Loads the guest's MXCSR, or x87 control and status words, into the host
 * after the guest changed them. */
void x86_float_set_mxcsr(struct x86_cpu *cpu, uint32_t mxcsr);
void x86_float_set_x87(struct x86_cpu *cpu);
/* The guest's MXCSR with all flags. */
uint32_t x86_float_mxcsr(const struct x86_cpu *cpu);

#endif
