/* Writes a branch trace (doc/branch-traces.md). */
#ifndef M2S_X86_TIMING_BRANCHES_WRITER_H
#define M2S_X86_TIMING_BRANCHES_WRITER_H

#include <stdio.h>

#include "x86/timing/predict/direction.h"

struct branch_writer;

/* The stream stays the caller's, who finds failures by ferror(). */
struct branch_writer *branch_writer_create(FILE *stream);

/* Makes the following branches those of this thread, which continues where it
 * was. */
void branch_writer_switch(struct branch_writer *writer, uint32_t process,
			  uint32_t thread);
/* branch_writer_switch() for a thread that continues at `address`, `executed`
 * instructions after its last branch. Of these only the number is recorded. */
void branch_writer_enter(struct branch_writer *writer, uint32_t process,
			 uint32_t thread, uint64_t address, uint64_t executed);

struct branch_step {
	struct branch branch; /* `target` of a direct branch; else 0 */
	uint8_t length;
	bool taken;
	uint64_t next;
	/* Since the last branch or branch_writer_enter(), this one included. */
	uint64_t instructions;
};

/* The writer's own: the path that led to a branch when it was added last, + 1.
 * 0 at first. */
struct branch_hint {
	uint32_t path;
};

/* Adds the next branch of the present thread. A hint of an earlier call for the
 * same branch and writer makes it faster; that of another branch does no
 * harm. */
void branch_writer_add(struct branch_writer *writer,
		       const struct branch_step *step,
		       struct branch_hint *hint);

/* How many paths to branches have been described. While it stays the same, and
 * the process, too, a branch that is reached from the branch before as it was
 * when it was added last is *known*. */
uint64_t branch_writer_described(const struct branch_writer *writer);
/* Adds up to 64 known conditional branches and direct jumps at once: a bit for
 * each, the oldest lowest: whether it was taken. `instructions`: of all;
 * `next`: where the last one went. */
void branch_writer_add_known(struct branch_writer *writer, uint64_t taken,
			     unsigned count, uint64_t instructions,
			     uint64_t next);

/* Ends the trace, with the instructions of all threads. */
void branch_writer_end(struct branch_writer *writer, uint64_t instructions);
void branch_writer_free(struct branch_writer *writer);

#endif
