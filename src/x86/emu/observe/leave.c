/* The rarer ways in which an observed handler comes back. */
#include "base/optimize.h"

#include "x86/emu/observe/observation.h"

static const enum x86_stop stops[] = {
	[X86_LEAVE_INT80] = X86_STOP_INT80,
	[X86_LEAVE_SYSCALL] = X86_STOP_SYSCALL,
	[X86_LEAVE_SYSENTER] = X86_STOP_SYSENTER,
	[X86_LEAVE_MARKER] = X86_STOP_MARKER,
};

bool x86_settle_rarely(struct observation *o, const struct x86_inst *inst,
		       int leave, bool *taken, enum x86_stop *stop)
{
	struct x86_cpu *cpu = o->cpu;

	switch (leave) {
	case X86_LEAVE_LOOKUP:
		if (x86_jump_fault(cpu)) {
			x86_forget_stores(cpu);
			*stop = X86_STOP_FAULT;
			return false;
		}
		*taken = true;
		o->inst = x86_follow(cpu);
		/* IRET may have set flags. */
		o->careful = x86_needs_care(cpu);
		return true;
	case X86_LEAVE_LINK:
		/* Flags or segments have changed. */
		cpu->link = NULL;
		o->inst = NULL;
		o->careful = x86_needs_care(cpu);
		return true;
	case X86_LEAVE_PAUSED:
		cpu->rip = inst->address;
		x86_append_part(o, inst);
		return false;
	case X86_LEAVE_INT80:
	case X86_LEAVE_SYSCALL:
	case X86_LEAVE_SYSENTER:
	case X86_LEAVE_MARKER:
		*stop = stops[leave];
		break;
	case X86_LEAVE_UNSUPPORTED:
		x86_rewind_to_op(cpu);
		*stop = X86_STOP_UNSUPPORTED;
		return false;
	default:
		*stop = X86_STOP_FAULT;
		if (cpu->op) {
			x86_rewind_to_op(cpu);
			x86_forget_stores(cpu);
			x86_append_part(o, inst);
			return false;
		}
		/* A trap: the instruction has retired. */
	}
	o->inst = NULL;
	return true;
}
