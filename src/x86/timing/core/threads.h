/* Threads of one core: each has a struct x86_core of its own (fetch, queue of
 * uops, names of registers, reorder buffer), and all use the same ports, slots and
 * room. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_THREADS_H
#define M2S_X86_TIMING_CORE_THREADS_H

#include "x86/timing/core/core.h"

enum {
	CORE_PORTS = 32,
	CORE_UNITS = 18,
};

/* Ports and units, which all threads of a core use. */
struct core_ports {
	uint64_t port_free[CORE_PORTS];
	/* Of pools, whose first free unit port_free tells. */
	uint64_t pool_free[X86_POOLS_ALL][X86_POOL_UNITS];
	uint64_t unit_free[CORE_UNITS];
	uint64_t units_free; /* the first cycle in which all are free */
	uint16_t port_count[CORE_PORTS]; /* uops bound and not dispatched */
	uint16_t port_before[CORE_PORTS]; /* at the cycle's start */
};

/* What works for one thread or several in a cycle. */
enum core_stage {
	STAGE_FETCH, STAGE_DECODE, STAGE_RENAME, STAGE_DISPATCH, STAGE_RETIRE,
	STAGE_COMMIT, /* of stores */
	CORE_STAGES
};

struct core_group {
	struct x86_core *thread[X86_CORE_THREADS];
	unsigned count;
	struct x86_core_figures figure; /* of the whole core */
	struct core_ports ports;
	uint64_t port_cycle; /* of port_before */
	uint8_t port_user[CORE_PORTS]; /* the thread that took it last */
	struct core_use {
		uint64_t cycle;
		unsigned slots; /* used in this cycle */
	} use[CORE_STAGES];
	/* Fetch that stays with a thread: which one, and since when. */
	unsigned fetching;
	uint64_t fetching_since;
};

/* Begins a thread's cycle. */
void core_group_cycle(struct x86_core *core);
/* The slots of a stage, which has `width`, that the other threads leave to this
 * one in this cycle; and notes that it has used some. */
unsigned core_group_room(struct x86_core *core, enum core_stage stage,
			 unsigned width);
void core_group_use(struct x86_core *core, enum core_stage stage,
		    unsigned slots);
/* Whether what the threads share has room for a slot's uops and accesses, and for
 * the values that they put into files of registers. */
bool core_group_fits(const struct x86_core *core, unsigned uops, unsigned loads,
		     unsigned stores);
bool core_group_limits_fit(const struct x86_core *core, unsigned accesses,
			   const unsigned *registers, const unsigned *kept);
/* Which room the threads together have used up; X86_CORE_STALLS: none. */
enum x86_core_stall core_group_full(const struct x86_core *core);
/* Whether another thread executes. */
bool core_group_others(const struct x86_core *core);
/* The part of slots that were lost because of `part`: that, or
 * X86_CORE_SIBLING. */
enum x86_core_part core_group_part(const struct x86_core *core,
				   enum x86_core_part part);

#endif
