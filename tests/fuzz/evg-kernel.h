/* Kernels out of any bytes, most of them legal code. */
#ifndef M2S_TESTS_FUZZ_EVG_KERNEL_H
#define M2S_TESTS_FUZZ_EVG_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* Bytes as they come; zeros when there are no more. */
struct fuzz_bytes {
	const uint8_t *at, *end;
};

static inline uint8_t fuzz_byte(struct fuzz_bytes *bytes)
{
	return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static inline uint32_t fuzz_word(struct fuzz_bytes *bytes)
{
	uint32_t word = 0;

	for (int i = 0; i < 4; i++)
		word = word << 8 | fuzz_byte(bytes);
	return word;
}

/* Code for a kernel of that many registers; how many 64-bit units. `words` has
 * room for FUZZ_KERNEL_UNITS. It begins with R2.x = a byte address of the
 * work-item's own in the buffer that is argument 0, R2.y = 4 * item, R3.x the
 * dword index of that address. */
enum { FUZZ_KERNEL_UNITS = 4096 };
unsigned fuzz_kernel_make(struct fuzz_bytes *bytes, unsigned registers,
			  uint32_t *words);

#endif
