/* Simulated time of transfers and launches: the table costs.def. */
#ifndef M2S_OPENCL_RT_DRIVER_COSTS_H
#define M2S_OPENCL_RT_DRIVER_COSTS_H

#include "base/clock.h"

enum {
#define COST(id, value, unit, reason) COST_##id = value,
#include "opencl-rt/driver/costs.def"
};

/* Moving bytes between host and device, in picoseconds. */
static inline picoseconds cost_transfer(uint64_t bytes)
{
	return COST_TRANSFER_LATENCY + bytes * 1000 / COST_TRANSFER_BANDWIDTH;
}

/* Reading and writing device memory, `bytes` in all. */
static inline picoseconds cost_copy(uint64_t bytes)
{
	return bytes * 1000 / COST_COPY_BANDWIDTH;
}

#endif
