/* Vectors of the host. Internal to x86/timing/study. */
#ifndef M2S_X86_TIMING_STUDY_VECTORS_H
#define M2S_X86_TIMING_STUDY_VECTORS_H

#include <stdint.h>

/* Functions compiled for hosts with vectors of 32 and of 64 bytes, too. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&                    \
	!defined(__clang__)
#define MANY_WIDTHS                                                            \
	__attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define MANY_WIDTHS
#endif

/* Functions that take or return vectors are always inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"

enum { VECTOR_BYTES = 64, VECTOR_WORDS = 16 };

typedef uint8_t vector __attribute__((vector_size(64), may_alias));
typedef uint32_t words __attribute__((vector_size(64), may_alias));
typedef uint8_t small_vector __attribute__((vector_size(16), may_alias));

#endif
