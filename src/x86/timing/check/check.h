/* A second emulator that executes each instruction as it retires, on memory of
 * its own, and compares registers and stores with those of the first: what
 * fetch executed ahead, held back, rolled back and published must come to the
 * same as plain execution.
 *
 * There is one checker for each core. It gets what the second emulator cannot
 * know: the effects of the operating system, and the stores of other threads,
 * at the instruction before which they were seen. */
#ifndef M2S_X86_TIMING_CHECK_CHECK_H
#define M2S_X86_TIMING_CHECK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "x86/emu/step.h"

struct x86_check;

/* Instructions between their execution and their retirement. */
enum { X86_CHECK_AHEAD = 4096 };

struct x86_check_counts {
#define STATS_MEMBERS
#include "x86/timing/check/check.stat.def"
};

struct x86_check *x86_check_create(void);
void x86_check_free(struct x86_check *check);
/* The first difference, or why a function has failed. */
const struct error *x86_check_error(const struct x86_check *check);
const struct x86_check_counts *x86_check_counts(const struct x86_check *check);

/* Cores whose threads may share memory tell each other of their stores: all
 * checkers of a machine, this one included. The array stays the caller's. */
void x86_check_join(struct x86_check *check, struct x86_check **all,
		    unsigned count);

/* A thread begins or goes on after the operating system: its registers and its
 * memory are taken over. The cpu is watched until x86_check_leave(). 0, or
 * -1. */
int x86_check_enter(struct x86_check *check, struct x86_cpu *cpu);
/* The first emulator has executed an instruction of the right path, whose record
 * is in the ring; the cpu is behind it. */
void x86_check_executed(struct x86_check *check, const struct x86_cpu *cpu,
			const struct x86_ring *ring,
			const struct x86_record *record);
/* The oldest instruction that was executed and not retired retires. False: the
 * emulators differ. */
bool x86_check_retired(struct x86_check *check, const struct x86_ring *ring,
		       const struct x86_record *record);
/* All that was executed has retired, and all stores are in memory. False: memory
 * differs. */
bool x86_check_drained(struct x86_check *check, const struct x86_cpu *cpu);
/* The operating system has worked for the drained thread of this checker: tells
 * the others what has changed in memory, which is still mapped. */
void x86_check_tell(struct x86_check *check);
/* The cpu may be gone. */
void x86_check_leave(struct x86_check *check);
/* The memory of the checker's thread, NULL if there is none; whether this is the
 * one. */
struct space *x86_check_memory(const struct x86_check *check);
bool x86_check_is_in(const struct x86_check *check, const struct space *space);

#endif
