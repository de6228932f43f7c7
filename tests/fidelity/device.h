/* A whole simulated GPU on which the fidelity rows run kernels: the timing
 * model and the memory system, without driver and host program. */
#ifndef M2S_TESTS_FIDELITY_DEVICE_H
#define M2S_TESTS_FIDELITY_DEVICE_H

#include <stdint.h>
#include <stdio.h>

#include "evergreen/timing/timing.h"

/* What all rows of a run share. */
struct device_options {
	struct evg_config config;
	const char *mem_config; /* NULL: the built-in memory system */
	FILE *report;           /* NULL, or all figures of each device */
};

struct device {
	struct evg_config config;
	struct event_queue *events;
	struct memsys *memsys;
	struct evg_timing *timing;
	struct evg_memory *memory;
	struct stats *stats;
	FILE *report;
};

/* Every function here ends the program with a message when it fails: a row
 * that cannot run is no row. */

/* config: NULL for that of the options. */
struct device *device_create(const struct device_options *options,
			     const struct evg_config *config);
void device_free(struct device *device);

/* Address of so many bytes, zeroed; and where they are in this process. */
uint32_t device_allocate(struct device *device, uint32_t bytes);
void *device_bytes(struct device *device, uint32_t address, uint32_t bytes);

enum { LAUNCH_ARGUMENTS = 12 };

struct launch {
	const struct evg_program *program;
	const char *kernel;            /* NULL: the first */
	uint32_t global[2], local[2];  /* 0: 1 */
	uint32_t local_memory;         /* bytes, besides the kernel's own */
	uint32_t arguments[LAUNCH_ARGUMENTS];
	const struct evg_bindings *bindings; /* images; NULL: none */
};

/* Runs a kernel to its end, its writes drained: cycles. */
uint64_t device_run(struct device *device, const struct launch *launch);

/* A figure of the "evergreen" report. */
double device_figure(const struct device *device, const char *section,
		     const char *name);

/* Programs; to be freed with evg_program_free. */
struct evg_program *program_assemble(const char *text);
/* Compiled from a file of tests/fidelity. */
struct evg_program *program_compile(const char *file, const char *options);

#endif
