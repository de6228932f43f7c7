#include "x86/emu/vector/float.h"

#include "x86/emu/observe/redirect.h"
#include "x86/emu/x87/x87.h"

enum {
	MXCSR_DEFAULT = 0x1f80, /* value at a process's start */
	MXCSR_FLAGS = 0x3f,
	MXCSR_MASKS = 0x1f80,
};

static void load_mxcsr(uint32_t mxcsr)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

static uint32_t store_mxcsr(void)
{
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	return mxcsr;
}

/* The host's MXCSR for the guest's. On a wrong path numbers may be anything,
 * and no exception may reach the host. */
static uint32_t host_mxcsr(const struct x86_cpu *cpu)
{
	return cpu->redirect & X86_REDIRECT_WRONG ? cpu->mxcsr | MXCSR_MASKS
						  : cpu->mxcsr;
}

void x86_float_set_x87(struct x86_cpu *cpu)
{
	uint16_t control = cpu->x87.control | X87_EXCEPTIONS;

	__asm__ volatile("fninit\n\tfldcw %0" : : "m"(control));
}

void x86_float_set_mxcsr(struct x86_cpu *cpu, uint32_t mxcsr)
{
	cpu->mxcsr = mxcsr;
	load_mxcsr(host_mxcsr(cpu));
}

uint32_t x86_float_mxcsr(const struct x86_cpu *cpu)
{
	return cpu->mxcsr | (store_mxcsr() & MXCSR_FLAGS);
}

void x86_float_enter(struct x86_cpu *cpu)
{
	load_mxcsr(host_mxcsr(cpu));
	x86_float_set_x87(cpu);
}

void x86_float_leave(struct x86_cpu *cpu)
{
	cpu->mxcsr |= store_mxcsr() & MXCSR_FLAGS;
	load_mxcsr(MXCSR_DEFAULT);
	__asm__ volatile("fninit");
}

void x86_float_enter_mxcsr(const struct x86_cpu *cpu)
{
	load_mxcsr(host_mxcsr(cpu));
}

void x86_float_leave_mxcsr(struct x86_cpu *cpu)
{
	cpu->mxcsr |= store_mxcsr() & MXCSR_FLAGS;
	load_mxcsr(MXCSR_DEFAULT);
}

void x86_float_fault(struct x86_cpu *cpu, uint32_t mxcsr)
{
	cpu->mxcsr |= mxcsr & MXCSR_FLAGS;
	x86_float_enter(cpu);
}

/* ---- As much of it as is needed ---- */

enum x86_floating x86_floating_leave(struct x86_cpu *cpu,
				     enum x86_floating floating)
{
	if (floating == X86_FLOATING_ALL)
		x86_float_leave(cpu);
	else if (floating == X86_FLOATING_MXCSR)
		x86_float_leave_mxcsr(cpu);
	return X86_FLOATING_NONE;
}

enum x86_floating x86_floating_more(struct x86_cpu *cpu,
				    enum x86_floating wanted,
				    enum x86_floating floating)
{
	x86_floating_leave(cpu, floating);
	if (wanted == X86_FLOATING_ALL)
		x86_float_enter(cpu);
	else
		x86_float_enter_mxcsr(cpu);
	return wanted;
}

enum x86_floating x86_floating_add(struct x86_cpu *cpu,
				   const struct x86_inst *inst,
				   enum x86_floating floating)
{
	return x86_floating_enter(cpu, x86_floating_of(inst), floating);
}
