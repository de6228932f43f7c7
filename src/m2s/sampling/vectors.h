/* Basic-block vectors: which code each interval of a program executes. Sherwood,
 * Perelman, Hamerly and Calder, "Automatically Characterizing Large Scale Program
 * Behavior", ASPLOS 2002. */
#ifndef M2S_M2S_SAMPLING_VECTORS_H
#define M2S_M2S_SAMPLING_VECTORS_H

#include "m2s/sampling/behaviour.h"

/* A vector has a component for each basic block: the instructions that the
 * interval has executed in it, over all of the interval. It is projected to so
 * many components, in random directions: the paper's number. Others, which the
 * paper has not, say what the interval does with data and branches. */
enum {
	VECTOR_BLOCKS = 15,
	VECTOR_COMPONENTS = VECTOR_BLOCKS + BEHAVIOUR_COMPONENTS,
};

struct vector {
	double component[VECTOR_COMPONENTS];
};

/* Instructions of all threads together, in the order in which they are executed,
 * are cut into intervals of `length`. */
struct vectors *vectors_create(uint64_t length);
void vectors_free(struct vectors *vectors); /* may be NULL */
/* Executes a thread of a process in place of x86_run(). */
enum x86_stop vectors_run(struct vectors *vectors, int process,
			  struct x86_cpu *cpu, uint64_t instructions);
/* The vectors of all complete intervals, valid until the next instruction is
 * executed. */
const struct vector *vectors_list(const struct vectors *vectors, size_t *count);
uint64_t vectors_length(const struct vectors *vectors);
/* Those behind the last complete interval, too. */
uint64_t vectors_instructions(const struct vectors *vectors);

#endif
