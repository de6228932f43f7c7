#include "x86/emu/x87/fxsave.h"

#include <string.h>

#include "x86/emu/x87/x87.h"

/* ---- FXSAVE ---- */

/* Intel SDM volume 1, table 10-2 and 2A, FXSAVE. */
struct fxsave_image {
	uint16_t control, status;
	uint8_t full, reserved; /* bit i: physical register i is not empty */
	uint16_t opcode;
	uint64_t instruction_pointer; /* or 32 bits and a selector */
	uint64_t data_pointer;
	uint32_t mxcsr, mxcsr_mask;
	uint8_t st[8][16];
	uint8_t xmm[16][16];
};
_Static_assert(sizeof(struct fxsave_image) == X86_FXSAVE_WRITTEN,
	       "the layout of FXSAVE");

void x86_fxsave(const struct x86_cpu *cpu, bool wide,
		uint8_t image[X86_FXSAVE_WRITTEN])
{
	const struct x86_x87 *x87 = &cpu->x87;
	uint64_t pointer_mask = wide ? UINT64_MAX : UINT32_MAX;
	struct fxsave_image fx = {
		.control = x87->control,
		.status = x87_status_word(x87),
		.full = (uint8_t)~x87->empty,
		.opcode = x87->opcode,
		.instruction_pointer = x87->instruction_pointer & pointer_mask,
		.data_pointer = x87->data_pointer & pointer_mask,
		.mxcsr = cpu->mxcsr,
		.mxcsr_mask = X86_MXCSR_MASK,
	};
	unsigned registers = cpu->mode == X86_MODE_64 ? 16 : 8;

	for (unsigned i = 0; i < 8; i++)
		memcpy(fx.st[i], x87->reg[x87_index(x87, i)].bytes, 10);
	memcpy(image, &fx, offsetof(struct fxsave_image, xmm));
	for (unsigned i = 0; i < registers; i++)
		memcpy(image + offsetof(struct fxsave_image, xmm[i]),
		       cpu->vector[i].u8, 16);
}

bool x86_fxrstor(struct x86_cpu *cpu, bool wide,
		 const uint8_t image[X86_FXSAVE_WRITTEN])
{
	struct x86_x87 *x87 = &cpu->x87;
	uint64_t pointer_mask = wide ? UINT64_MAX : UINT32_MAX;
	unsigned registers = cpu->mode == X86_MODE_64 ? 16 : 8;
	struct fxsave_image fx;

	memcpy(&fx, image, offsetof(struct fxsave_image, xmm[registers]));
	if (fx.mxcsr & ~(uint32_t)X86_MXCSR_MASK)
		return false;
	x87_set_control_word(x87, fx.control);
	x87_set_status_word(x87, fx.status);
	x87_summarize(x87);
	x87->empty = (uint8_t)~fx.full;
	x87->opcode = fx.opcode & 0x7ff;
	x87->instruction_pointer = fx.instruction_pointer & pointer_mask;
	x87->data_pointer = fx.data_pointer & pointer_mask;
	for (unsigned i = 0; i < 8; i++)
		memcpy(x87_st(x87, i)->bytes, fx.st[i], 10);
	for (unsigned i = 0; i < registers; i++)
		memcpy(cpu->vector[i].u8, fx.xmm[i], 16);
	cpu->mxcsr = fx.mxcsr;
	return true;
}

/* ---- FNSAVE and FNSTENV ---- */

enum { ENVIRONMENT = offsetof(struct x87_image, st) };
_Static_assert((int)ENVIRONMENT == (int)X86_FSTENV_SIZE,
	       "the layout of FNSTENV");

void x86_fstenv(const struct x86_cpu *cpu, uint8_t image[X86_FSTENV_SIZE])
{
	const struct x86_x87 *x87 = &cpu->x87;
	struct x87_image env = {
		.control = x87->control, .reserved0 = 0xffff,
		.status = x87_status_word(x87), .reserved1 = 0xffff,
		.tags = x87_tags(x87), .reserved2 = 0xffff,
		.instruction_pointer = (uint32_t)x87->instruction_pointer,
		.opcode = x87->opcode,
		.data_pointer = (uint32_t)x87->data_pointer,
		.reserved3 = 0xffff,
	};

	memcpy(image, &env, ENVIRONMENT);
}

void x86_fldenv(struct x86_cpu *cpu, const uint8_t image[X86_FSTENV_SIZE])
{
	struct x86_x87 *x87 = &cpu->x87;
	struct x87_image env;

	memcpy(&env, image, ENVIRONMENT);
	x87_set_control_word(x87, env.control);
	x87_set_status_word(x87, env.status);
	x87_summarize(x87);
	x87_set_tags(x87, env.tags);
	x87->instruction_pointer = env.instruction_pointer;
	x87->opcode = env.opcode & 0x7ff;
	x87->data_pointer = env.data_pointer;
}

void x86_fsave(const struct x86_cpu *cpu, uint8_t image[X86_FSAVE_SIZE])
{
	const struct x86_x87 *x87 = &cpu->x87;

	x86_fstenv(cpu, image);
	for (unsigned i = 0; i < 8; i++)
		memcpy(image + offsetof(struct x87_image, st[i]),
		       x87->reg[x87_index(x87, i)].bytes, 10);
}

void x86_frstor(struct x86_cpu *cpu, const uint8_t image[X86_FSAVE_SIZE])
{
	x86_fldenv(cpu, image);
	for (unsigned i = 0; i < 8; i++)
		memcpy(x87_st(&cpu->x87, i)->bytes,
		       image + offsetof(struct x87_image, st[i]), 10);
}

void x86_finit(struct x86_cpu *cpu)
{
	struct x86_x87 *x87 = &cpu->x87;

	x87->control = 0x37f;
	x87->status = 0;
	x87->top = 0;
	x87->empty = 0xff;
	x87->opcode = 0;
	x87->instruction_pointer = 0;
	x87->data_pointer = 0;
}
