/* The 512-byte FXSAVE image, and behind it an XSAVE header with the upper
 * halves of the AVX registers (Intel SDM volume 1, chapters 10.5 and 13.4),
 * as signal frames hold them. */
#include <string.h>

#include "x86/emu/fxsave.h"
#include "x86/linux/process.h"

enum {
	MXCSR_OFFSET = 24,
	XSAVE_HEADER = X86_FXSAVE_SIZE,
	XSAVE_UPPER_HALVES = XSAVE_HEADER + 64,
};

static int vector_count(const struct x86_cpu *cpu)
{
	return cpu->mode == X86_MODE_64 ? 16 : 8;
}

void fp_state_save(const struct x86_cpu *cpu, uint8_t *image)
{
	uint64_t features = 7; /* x87, SSE, AVX are all saved */

	memset(image, 0, FP_STATE_XSAVE);
	x86_fxsave(cpu, cpu->mode == X86_MODE_64, image);
	memcpy(image + XSAVE_HEADER, &features, sizeof features);
	for (int i = 0; i < vector_count(cpu); i++)
		memcpy(image + XSAVE_UPPER_HALVES + 16 * i,
		       cpu->vector[i].u8 + 16, 16);
}

void fp_state_load(struct x86_cpu *cpu, const uint8_t *image)
{
	uint8_t legacy[X86_FXSAVE_WRITTEN];
	uint32_t mxcsr;

	/* The guest may have written anything: Linux, too, drops the bits that
	 * do not exist. */
	memcpy(legacy, image, sizeof legacy);
	memcpy(&mxcsr, legacy + MXCSR_OFFSET, sizeof mxcsr);
	mxcsr &= X86_MXCSR_MASK;
	memcpy(legacy + MXCSR_OFFSET, &mxcsr, sizeof mxcsr);
	x86_fxrstor(cpu, cpu->mode == X86_MODE_64, legacy);
	for (int i = 0; i < vector_count(cpu); i++)
		memcpy(cpu->vector[i].u8 + 16,
		       image + XSAVE_UPPER_HALVES + 16 * i, 16);
}
