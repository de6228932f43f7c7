/* A wavefront's view of each memory. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_VIEW_H
#define M2S_EVERGREEN_EMU_MEMORY_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct evg_bindings;
struct evg_combiner;
struct evg_memory;
struct evg_stores;

/* A range that is known to lie in one block, that of an instruction's last
 * access: `start` to `last`, both included; empty when start > last. */
struct evg_window {
	uint32_t start, last;
	/* The first lane's address in the last execution, and its distance from
	 * that in the execution before, from which look_ahead predicts the next
	 * ones. */
	uint32_t address, step;
};

/* Global memory. */
struct evg_global_view {
	uint8_t *base; /* host address of device address 0 */
	uint32_t size;
	struct evg_memory *memory;
	struct evg_window *windows; /* of the work-group, by the plan's index */
	/* Whether [address, address + bytes) lies in one block that this access
	 * may touch; then *window becomes that block. */
	bool (*find)(struct evg_memory *memory, uint32_t address,
		     uint32_t bytes, bool write, struct evg_window *window);
	/* Lanes outside of every block do not fault (stray.h): their number is
	 * added to `dropped`. */
	bool drops;
	uint32_t dropped;
	bool alone;                    /* no other host thread touches it now */
	struct evg_combiner *combiner; /* NULL: atomics are done at once */
};

/* LDS of the work-group. */
struct evg_local_view {
	uint8_t *bytes;
	uint32_t size;
};

struct evg_scratch_view {
	uint32_t address; /* in global memory; 0: there is none */
	uint32_t dwords;  /* per work-item */
	bool used;        /* the work-group has stored to the scratch memory */
};

/* A constant buffer. Vector loads may read a little behind its end. */
struct evg_constants {
	uint8_t *bytes;
	uint32_t size;
};

/* The bindings of the launch. */
struct evg_buffer_view {
	const struct evg_constants *constants; /* by bank */
	const struct evg_bindings *bindings;   /* or NULL */
};

/* Stores that take effect later (stores.h). */
struct evg_deferral {
	/* Destination of stores; NULL: they take effect at once. */
	struct evg_stores *stores;
	/* While set, a store is only checked. A function that has kept its
	 * store by itself clears this. */
	bool checks_only;
};

#endif
