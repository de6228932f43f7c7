/* Memory images of the x87, MMX and SSE state, for the instructions that make
 * them and for signal frames. */
#ifndef M2S_X86_EMU_X87_FXSAVE_H
#define M2S_X86_EMU_X87_FXSAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/emu/cpu.h"

enum {
	X86_FXSAVE_SIZE = 512,
	X86_FXSAVE_WRITTEN = 416, /* the other bytes belong to software */
	X86_FSAVE_SIZE = 108,
	X86_FSTENV_SIZE = 28,
	X86_MXCSR_MASK = 0xffff,  /* the bits that exist */
};

/* FXSAVE, or with `wide` FXSAVE64: writes the first X86_FXSAVE_WRITTEN bytes,
 * in 32-bit mode only the first 288. During x86_run(), cpu->mxcsr lacks the
 * newest flags; see float.h. */
void x86_fxsave(const struct x86_cpu *cpu, bool wide,
		uint8_t image[X86_FXSAVE_WRITTEN]);
/* FXRSTOR. False, and nothing has changed, when the image's MXCSR has bits that
 * do not exist. Does not touch the host's environment. */
bool x86_fxrstor(struct x86_cpu *cpu, bool wide,
		 const uint8_t image[X86_FXSAVE_WRITTEN]);

/* The 32-bit protected-mode format of FNSAVE, and its first part, which is the
 * format of FNSTENV. */
void x86_fsave(const struct x86_cpu *cpu, uint8_t image[X86_FSAVE_SIZE]);
void x86_frstor(struct x86_cpu *cpu, const uint8_t image[X86_FSAVE_SIZE]);
void x86_fstenv(const struct x86_cpu *cpu, uint8_t image[X86_FSTENV_SIZE]);
void x86_fldenv(struct x86_cpu *cpu, const uint8_t image[X86_FSTENV_SIZE]);

/* The tag word has two bits per physical register: 3 empty, 2 special, 1 zero,
 * 0 valid. Setting it only distinguishes empty from the others. */
uint16_t x87_tags(const struct x86_x87 *x87);
void x87_set_tags(struct x86_x87 *x87, uint16_t tags);
/* The status word with TOP. */
static inline uint16_t x87_status_word(const struct x86_x87 *x87)
{
	return (uint16_t)(x87->status | x87->top << 11);
}

void x87_set_status_word(struct x86_x87 *x87, uint16_t status);

/* Resets the x87 as FNINIT does. */
void x86_finit(struct x86_cpu *cpu);

#endif
