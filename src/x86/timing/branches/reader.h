/* Reads branch traces: those of m2s (doc/branch-traces.md) and those of the
 * branch prediction championship of 2025 (cbp.c), plain or compressed with
 * gzip. */
#ifndef M2S_X86_TIMING_BRANCHES_READER_H
#define M2S_X86_TIMING_BRANCHES_READER_H

#include "base/error.h"
#include "x86/timing/predict/direction.h"

struct branch_event {
	struct branch branch;  /* `target` of a direct branch; else 0 */
	uint64_t behind;       /* address behind the instruction */
	uint64_t next;         /* the address of the next instruction */
	uint64_t instruction;  /* number in its thread, from 1 */
	uint32_t process, thread;
	bool taken;
};

struct branch_reader;

/* Opens a trace. NULL and *error when the file cannot be read or is of neither
 * format. */
struct branch_reader *branch_reader_open(const char *path,
					 struct error *error);
void branch_reader_free(struct branch_reader *reader);

/* Reads up to `most` events and returns their number. 0 at the end of a
 * complete trace; -1 and *error, which names the file and the place, when the
 * trace is cut off or corrupt. */
long branch_reader_read(struct branch_reader *reader,
			struct branch_event *events, size_t most,
			struct error *error);
/* The instructions of all threads, known at the end of the trace. */
uint64_t branch_reader_instructions(const struct branch_reader *reader);

#endif
