/* Random numbers that a run repeats. */
#ifndef M2S_X86_LINUX_RANDOM_H
#define M2S_X86_LINUX_RANDOM_H

#include <stdint.h>

struct linux_system;

/* The next one, by the options' seed. */
uint64_t random_next(struct linux_system *system);

#endif
