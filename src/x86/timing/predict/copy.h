/* Copies of a branch's few hundred bytes. GCC's own are string instructions, whose
 * start takes as long as all of the copy. Internal to this folder. */
#ifndef M2S_X86_TIMING_PREDICT_COPY_H
#define M2S_X86_TIMING_PREDICT_COPY_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t copy_vector
	__attribute__((vector_size(16), aligned(2), may_alias));

/* `bytes` is a multiple of 16. */
static inline __attribute__((always_inline)) void
copy_vectors(void *to, const void *from, size_t bytes)
{
	copy_vector *target = to;
	const copy_vector *source = from;

	for (size_t i = 0; i < bytes / sizeof *target; i++)
		target[i] = source[i];
}

#endif
