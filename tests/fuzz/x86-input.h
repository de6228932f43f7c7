/* The inputs of fuzz-x86-run. */
#ifndef M2S_TESTS_FUZZ_X86_INPUT_H
#define M2S_TESTS_FUZZ_X86_INPUT_H

/* Bytes before the code: eight for the setup, eight for the seed. */
enum { FUZZ_X86_HEADER = 16 };

#endif
