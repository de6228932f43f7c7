/* Random numbers that repeat with every run. */
#ifndef M2S_X86_LINUX_RANDOM_H
#define M2S_X86_LINUX_RANDOM_H

#include <stdint.h>

struct linux_system;

/* The next number of the sequence that the options' seed begins. */
uint64_t random_next(struct linux_system *system);

#endif
