/* x87: control and status words, environment and state. */
#include <string.h>

#include "x86/emu/x87/fxsave.h"
#include "x86/emu/x87/x87.h"

/* ---- Words ---- */

X86_OP(fninit)
{
	x86_finit(cpu);
	x86_float_set_x87(cpu);
	X86_NEXT;
}

X86_OP(fnclex)
{
	cpu->x87.status &= (uint16_t)~(X87_EXCEPTIONS | X87_STACK_FAULT |
				       X87_SUMMARY | X87_BUSY);
	x86_float_set_x87(cpu);
	X86_NEXT;
}

X86_OP(fnstcw)
{
	x86_store16(cpu, op, x86_address(cpu, op), cpu->x87.control);
	X86_NEXT;
}

/* Does not touch the host's flags, because programs execute it around each
 * conversion to an integer. */
X86_OP(fldcw)
{
	uint16_t control, host;

	X87_WAIT;
	control = x86_load16(cpu, op, x86_address(cpu, op));
	x87_set_control_word(&cpu->x87, control);
	x87_summarize(&cpu->x87);
	host = control | X87_EXCEPTIONS;
	__asm__ volatile("fldcw %0" : : "m"(host));
	X86_NEXT;
}

X86_OP(fnstsw_m16)
{
	x86_store16(cpu, op, x86_address(cpu, op), x87_status_word(&cpu->x87));
	X86_NEXT;
}

X86_OP(fnstsw_ax)
{
	x86_set16(cpu, op->dst, x87_status_word(&cpu->x87));
	X86_NEXT;
}

/* ---- The stack ---- */

X86_OP(fincstp)
{
	X87_WAIT;
	cpu->x87.top = (cpu->x87.top + 1) & 7;
	cpu->x87.status &= (uint16_t)~X87_C1;
	X87_NEXT;
}

X86_OP(fdecstp)
{
	X87_WAIT;
	cpu->x87.top = (cpu->x87.top - 1) & 7;
	cpu->x87.status &= (uint16_t)~X87_C1;
	X87_NEXT;
}

X86_OP(ffree)
{
	X87_WAIT;
	cpu->x87.empty |= (uint8_t)(1u << x87_index(&cpu->x87, op->dst));
	cpu->x87.status &= (uint16_t)~X87_C1;
	X87_NEXT;
}

/* FFREE and a pop. Intel's manual lacks the instruction, but every processor
 * has it. */
X86_OP(ffreep)
{
	X87_WAIT;
	cpu->x87.empty |= (uint8_t)(1u << x87_index(&cpu->x87, op->dst));
	cpu->x87.status &= (uint16_t)~X87_C1;
	x87_pop(&cpu->x87);
	X87_NEXT;
}

X86_OP(fnop)
{
	X87_WAIT;
	X87_NEXT;
}

X86_OP(fwait)
{
	X87_WAIT;
	X86_NEXT;
}

/* The instructions that enabled and disabled interrupts of the 8087 do
 * nothing. */
X86_OP(fnop8087)
{
	X86_NEXT;
}

/* ---- Environment and state, 32-bit format ---- */

X86_OP(fnstenv)
{
	uint8_t image[X86_FSTENV_SIZE];

	x86_fstenv(cpu, image);
	x86_store_bytes(cpu, op, x86_address(cpu, op), image, sizeof image);
	cpu->x87.control |= X87_EXCEPTIONS;
	x87_summarize(&cpu->x87);
	X86_NEXT;
}

X86_OP(fldenv)
{
	uint8_t image[X86_FSTENV_SIZE];

	X87_WAIT;
	x86_load_bytes(cpu, op, x86_address(cpu, op), image, sizeof image);
	x86_fldenv(cpu, image);
	x86_float_set_x87(cpu);
	X86_NEXT;
}

X86_OP(fnsave)
{
	uint8_t image[X86_FSAVE_SIZE];

	x86_fsave(cpu, image);
	x86_store_bytes(cpu, op, x86_address(cpu, op), image, sizeof image);
	x86_finit(cpu);
	x86_float_set_x87(cpu);
	X86_NEXT;
}

X86_OP(frstor)
{
	uint8_t image[X86_FSAVE_SIZE];

	X87_WAIT;
	x86_load_bytes(cpu, op, x86_address(cpu, op), image, sizeof image);
	x86_frstor(cpu, image);
	x86_float_set_x87(cpu);
	X86_NEXT;
}

/* ---- 16-bit format: control, status, tags, IP, CS, data pointer, DS ---- */

enum { ENVIRONMENT16 = 14, SAVE16 = ENVIRONMENT16 + 80 };

static void to_16(const uint8_t *image, uint8_t *image16)
{
	struct x87_image env;
	uint16_t word[7];

	memcpy(&env, image, X86_FSTENV_SIZE);
	word[0] = env.control;
	word[1] = env.status;
	word[2] = env.tags;
	word[3] = (uint16_t)env.instruction_pointer;
	word[4] = env.instruction_selector;
	word[5] = (uint16_t)env.data_pointer;
	word[6] = env.data_selector;
	memcpy(image16, word, sizeof word);
}

static void from_16(const uint8_t *image16, uint8_t *image)
{
	uint16_t word[7];
	struct x87_image env;

	memcpy(word, image16, sizeof word);
	memset(&env, 0, sizeof env);
	env.control = word[0];
	env.status = word[1];
	env.tags = word[2];
	env.instruction_pointer = word[3];
	env.data_pointer = word[5];
	memcpy(image, &env, X86_FSTENV_SIZE);
}

X86_OP(fnstenv_16)
{
	uint8_t image[X86_FSTENV_SIZE], image16[ENVIRONMENT16];

	x86_fstenv(cpu, image);
	to_16(image, image16);
	x86_store_bytes(cpu, op, x86_address(cpu, op), image16,
			sizeof image16);
	cpu->x87.control |= X87_EXCEPTIONS;
	x87_summarize(&cpu->x87);
	X86_NEXT;
}

X86_OP(fldenv_16)
{
	uint8_t image[X86_FSTENV_SIZE], image16[ENVIRONMENT16];

	X87_WAIT;
	x86_load_bytes(cpu, op, x86_address(cpu, op), image16,
		       sizeof image16);
	from_16(image16, image);
	x86_fldenv(cpu, image);
	x86_float_set_x87(cpu);
	X86_NEXT;
}

X86_OP(fnsave_16)
{
	uint8_t image[X86_FSAVE_SIZE], image16[SAVE16];

	x86_fsave(cpu, image);
	to_16(image, image16);
	memcpy(image16 + ENVIRONMENT16, image + X86_FSTENV_SIZE, 80);
	x86_store_bytes(cpu, op, x86_address(cpu, op), image16,
			sizeof image16);
	x86_finit(cpu);
	x86_float_set_x87(cpu);
	X86_NEXT;
}

X86_OP(frstor_16)
{
	uint8_t image[X86_FSAVE_SIZE], image16[SAVE16];

	X87_WAIT;
	x86_load_bytes(cpu, op, x86_address(cpu, op), image16,
		       sizeof image16);
	from_16(image16, image);
	memcpy(image + X86_FSTENV_SIZE, image16 + ENVIRONMENT16, 80);
	x86_frstor(cpu, image);
	x86_float_set_x87(cpu);
	X86_NEXT;
}
