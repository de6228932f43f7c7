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

/* Adds the next branch of the present thread. */
void branch_writer_add(struct branch_writer *writer,
		       const struct branch_step *step);

/* Ends the trace, with the instructions of all threads. */
void branch_writer_end(struct branch_writer *writer, uint64_t instructions);
void branch_writer_free(struct branch_writer *writer);

#endif
