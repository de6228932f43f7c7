/* The trace cache: instructions in the order in which they were executed, across
 * taken branches, decoded. Internal to x86/timing/core.
 *
 * As in Multi2Sim: a trace is built of instructions that retire, and ends with the
 * TraceSize-th uop or the BranchMax-th branch; an indirect branch ends it, too. Fetch
 * looks for a trace that begins at its address and goes where the branches are
 * predicted to go. A trace takes one cycle of fetch, no instruction cache, and one
 * decoder's slot for all of its uops. */
#ifndef M2S_X86_TIMING_CORE_TRACECACHE_H
#define M2S_X86_TIMING_CORE_TRACECACHE_H

#include "x86/timing/core/state.h"

struct core_trace {
	uint64_t used;   /* when last; 0: free */
	unsigned count, uops, branches;
	uint64_t address[X86_TRACE_UOPS]; /* of its instructions */
};

struct core_traces {
	uint64_t clock;
	struct core_trace fill; /* of what retires */
	struct core_trace trace[]; /* by set */
};

/* NULL when the figures have no trace cache. */
struct core_traces *core_traces_create(const struct x86_core_figures *figures);
void core_traces_clear(struct x86_core *core);
/* Fetches a trace in place of a block of code. False: there is none, or no room. */
bool core_trace_fetch(struct x86_core *core);
/* Delivers what was fetched as a trace, as far as there is room, to the queue of
 * uops. */
void core_trace_deliver(struct x86_core *core);
/* An instruction retires. */
void core_trace_retired(struct x86_core *core, const struct core_flow *flow);

#endif
