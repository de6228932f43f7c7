/* Records the branches of a running program. */
#ifndef M2S_X86_TIMING_BRANCHES_OBSERVE_H
#define M2S_X86_TIMING_BRANCHES_OBSERVE_H

#include <stdio.h>

#include "x86/emu/emu.h"

struct branch_observer;

/* The stream stays the caller's. */
struct branch_observer *branch_observer_create(FILE *stream);
/* Executes a thread of a process in place of x86_run(): at most `instructions`
 * instructions. */
enum x86_stop branch_observer_run(struct branch_observer *observer,
				  uint32_t process, uint32_t thread,
				  struct x86_cpu *cpu, uint64_t instructions);
/* Ends the trace. */
void branch_observer_end(struct branch_observer *observer);
void branch_observer_free(struct branch_observer *observer);

#endif
