/* What a fuzz target is: one function that takes any bytes, and dies when the
 * simulator did something wrong with them.
 *
 * Each target is linked either with libFuzzer (`make fuzz`, needs clang) or
 * with replay.c, which gives it the inputs of its corpus (`make check`). */
#ifndef M2S_TESTS_FUZZ_H
#define M2S_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "unit/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Called once at the start where a target has it. */
int LLVMFuzzerInitialize(int *count, char ***list) __attribute__((weak));

/* Reports what is wrong and aborts, so that the input is kept. */
_Noreturn void fuzz_fail(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif
