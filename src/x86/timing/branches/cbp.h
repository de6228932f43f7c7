/* The traces of the branch prediction championship of 2025: all instructions of
 * AArch64 programs (format: github.com/ramisheikh/cbp2025, lib/trace_reader.h).
 * Internal to x86/timing/branches. */
#ifndef M2S_X86_TIMING_BRANCHES_CBP_H
#define M2S_X86_TIMING_BRANCHES_CBP_H

#include "x86/timing/branches/bytes.h"
#include "x86/timing/branches/reader.h"

struct cbp_reader;

/* `bytes` stay the caller's. */
struct cbp_reader *cbp_create(struct branch_bytes *bytes);
void cbp_free(struct cbp_reader *reader);
/* branch_reader_read() of such a trace. */
long cbp_read(struct cbp_reader *reader, struct branch_event *events,
	      size_t most, struct error *error);
uint64_t cbp_instructions(const struct cbp_reader *reader);

#endif
