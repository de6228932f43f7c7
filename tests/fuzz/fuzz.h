/* What a fuzz target is: one function that takes any bytes, and dies when the
 * simulator did something wrong with them.
 *
 * Each target is linked either with libFuzzer (`make fuzz`, needs clang) or
 * with replay.c, which gives it the files of its corpus (`make check`). */
#ifndef M2S_TESTS_FUZZ_H
#define M2S_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reports what is wrong and aborts, so that the input is kept. */
_Noreturn void fuzz_fail(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* A small repeatable generator. */
static inline uint64_t fuzz_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

#endif
