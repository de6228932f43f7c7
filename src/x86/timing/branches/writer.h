/* Writes a branch trace (doc/branch-traces.md). */
#ifndef M2S_X86_TIMING_BRANCHES_WRITER_H
#define M2S_X86_TIMING_BRANCHES_WRITER_H

#include <stdio.h>

#include "x86/timing/predict/direction.h"

struct branch_writer;

/* The stream stays the caller's. The caller finds failures by ferror(). */
struct branch_writer *branch_writer_create(FILE *stream);

/* Assigns the following branches to this thread, which continues where it
 * was. */
void branch_writer_switch(struct branch_writer *writer, uint32_t process,
			  uint32_t thread);
/* As branch_writer_switch(), for a thread that continues at `address`,
 * `executed` instructions after its last branch. The trace has only the number
 * of these instructions. */
void branch_writer_enter(struct branch_writer *writer, uint32_t process,
			 uint32_t thread, uint64_t address, uint64_t executed);

struct branch_step {
	struct branch branch; /* `target` of a direct branch; else 0 */
	uint8_t length;
	bool taken;
	uint64_t next;
	/* Instructions since the last branch or branch_writer_enter(), this
	 * branch included. */
	uint64_t instructions;
};

/* For the writer alone: the path, + 1, that led to a branch when it was last
 * added. 0 at first. */
struct branch_hint {
	uint32_t path;
};

/* Adds the next branch of the present thread. A hint from an earlier call for
 * the same branch and writer makes the call faster. A wrong hint does no
 * harm. */
void branch_writer_add(struct branch_writer *writer,
		       const struct branch_step *step,
		       struct branch_hint *hint);

/* The number of described paths to branches. A branch is *known* when this
 * number and the process are those of its last branch_writer_add(), and the
 * path to the branch is the same. */
uint64_t branch_writer_described(const struct branch_writer *writer);
/* Adds up to 64 known conditional branches and direct jumps. Bit i: branch i,
 * from the oldest on, was taken. `instructions` counts those of all these
 * branches; `next` is the address behind the last one. */
void branch_writer_add_known(struct branch_writer *writer, uint64_t taken,
			     unsigned count, uint64_t instructions,
			     uint64_t next);

/* Ends the trace with the number of instructions of all threads. */
void branch_writer_end(struct branch_writer *writer, uint64_t instructions);
void branch_writer_free(struct branch_writer *writer);

#endif
