/* Memory images of the x87, SSE and AVX state as the XSAVE family makes them
 * (Intel SDM volume 1, chapter 13), for the instructions and for signal
 * frames. */
#ifndef M2S_X86_EMU_VECTOR_XSAVE_H
#define M2S_X86_EMU_VECTOR_XSAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/emu/cpu.h"

/* State components. */
enum { X86_STATE_X87 = 1, X86_STATE_SSE = 2, X86_STATE_AVX = 4 };

enum {
	X86_XSAVE_HEADER = 512,        /* offset of XSTATE_BV, XCOMP_BV */
	X86_XSAVE_UPPER = 512 + 64,    /* of the upper halves of YMM */
	X86_XSAVE_SIZE = 512 + 64 + 256,
};

/* The components that differ from their state after a reset (XINUSE). MXCSR
 * does not count. */
uint64_t x86_state_in_use(const struct x86_cpu *cpu);

/* Writes the whole image in the standard format. XSTATE_BV names the components
 * in use; bytes that no instruction writes are 0. For cpu->mxcsr see
 * fxsave.h. */
void x86_xsave(const struct x86_cpu *cpu, bool wide,
	       uint8_t image[X86_XSAVE_SIZE]);

/* XRSTOR of the components `requested`, as far as the model has them, from
 * either format. False, and nothing has changed, when the processor would
 * refuse the image. Does not touch the host's environment. */
bool x86_xrstor(struct x86_cpu *cpu, bool wide, uint64_t requested,
		const uint8_t image[X86_XSAVE_SIZE]);

#endif
