/* MXCSR, FXSAVE and FXRSTOR. */
#include "x86/emu/x87/fxsave.h"
#include "x86/emu/vector/sse.h"

X86_OP(ldmxcsr)
{
	uint32_t mxcsr = x86_load32(cpu, op, x86_address(cpu, op));

	if (mxcsr & ~(uint32_t)X86_MXCSR_MASK)
		return x86_raise(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
	x86_float_set_mxcsr(cpu, mxcsr);
	X86_NEXT;
}

X86_OP(stmxcsr)
{
	x86_store32(cpu, op, x86_address(cpu, op), x86_float_mxcsr(cpu));
	X86_NEXT;
}

static void save(struct x86_cpu *cpu, const struct x86_op *op, bool wide)
{
	uint64_t address = x86_address(cpu, op);
	size_t size = cpu->mode == X86_MODE_64 ? X86_FXSAVE_WRITTEN :
						 X86_FXSAVE_WRITTEN - 8 * 16;
	uint8_t image[X86_FXSAVE_WRITTEN];

	if (address & 15)
		x86_raise_alignment(cpu, op);
	cpu->mxcsr = x86_float_mxcsr(cpu);
	x86_fxsave(cpu, wide, image);
	x86_store_bytes(cpu, op, address, image, size);
}

X86_OP(fxsave)
{
	save(cpu, op, false);
	X86_NEXT;
}

X86_OP(fxsave64)
{
	save(cpu, op, true);
	X86_NEXT;
}

static void restore(struct x86_cpu *cpu, const struct x86_op *op, bool wide)
{
	uint64_t address = x86_address(cpu, op);
	uint8_t image[X86_FXSAVE_SIZE];

	if (address & 15)
		x86_raise_alignment(cpu, op);
	x86_load_bytes(cpu, op, address, image, sizeof image);
	if (!x86_fxrstor(cpu, wide, image))
		x86_raise_now(cpu, op, SIGSEGV, SI_KERNEL, 0, 13);
	x86_float_enter(cpu);
}

X86_OP(fxrstor)
{
	restore(cpu, op, false);
	X86_NEXT;
}

X86_OP(fxrstor64)
{
	restore(cpu, op, true);
	X86_NEXT;
}
