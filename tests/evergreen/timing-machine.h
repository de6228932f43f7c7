/* A GPU with its memory system and one kernel, for the tests of the timing
 * model. */
#ifndef M2S_TESTS_EVERGREEN_TIMING_MACHINE_H
#define M2S_TESTS_EVERGREEN_TIMING_MACHINE_H

#include "evergreen/emu/fixture.h"
#include "evergreen/timing/timing.h"

/* The dwords of the kernel's arguments that machine_launch fills in: the
 * address of a block of MACHINE_DATA bytes, as KC0[MACHINE_ARGUMENT / 4]. */
enum { MACHINE_ARGUMENT = 12, MACHINE_DATA = 1 << 20 };

struct timing_machine {
	/* Set between machine_begin and the first launch. */
	struct evg_config config;
	struct evg_timing_limits limits;
	/* Instead of the built-in memory: its configuration file; and what of
	 * the built-in one is of another GPU. */
	const char *mem_config;
	const struct memsys_gpu *gpu;
	uint32_t local_memory; /* bytes per work-group of the next launch */
	/* Of the next launch. That of image 0 counts from the block, whose
	 * address is not known before. */
	struct evg_bindings *bindings;

	struct event_queue *events;
	struct memsys *memsys;
	struct evg_timing *timing;
	struct stats *stats;
	struct evg_memory *memory;
	uint32_t data; /* address of the block */

	/* Of the last launch. */
	struct evg_program *program;
	struct evg_ndrange *ndrange;
	int status;
	uint64_t cycles;
	struct error error;
};

/* The built-in configuration, but with one compute unit, all code at hand, and
 * constants whose misses take MissLatency. */
void machine_begin(struct timing_machine *machine);
void machine_end(struct timing_machine *machine);

/* Runs a kernel, which is taken, with work-groups of `local` work-items:
 * machine->status. What evg_ndrange_create refuses ends the program. */
int machine_launch(struct timing_machine *machine, struct assembler *as,
		   uint32_t global, uint32_t local);
/* The cycles of the same on a machine of its own; the kernel must succeed. */
uint64_t lone_cycles(struct assembler *as, uint32_t global, uint32_t local);

/* A figure of the "evergreen" report. */
uint64_t machine_figure(const struct timing_machine *machine,
			const char *section, const char *name);
/* The sum of a figure over all compute units. */
uint64_t machine_sum(const struct timing_machine *machine, const char *name);
/* Both reports as text, to be freed. */
char *machine_report(const struct timing_machine *machine);

#endif
