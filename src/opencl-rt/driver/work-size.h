/* The sizes of an ND-range. */
#ifndef M2S_OPENCL_RT_DRIVER_WORK_SIZE_H
#define M2S_OPENCL_RT_DRIVER_WORK_SIZE_H

#include "opencl-rt/driver/internal.h"

struct work_size {
	uint32_t dimensions;
	uint32_t global[3], local[3], offset[3]; /* work-items */
};

/* Reads the arrays of a clEnqueueNDRangeKernel (addresses in the program) and
 * checks them in the specification's order of errors. */
cl_int work_size_read(struct opencl_driver *driver,
		      const struct evg_kernel *code, uint64_t dimensions,
		      uint64_t global_address, uint64_t local_address,
		      uint64_t offset_address, struct work_size *size);

/* Sets size->local to at most `limit` work-items: divisors of the global size.
 * It prefers the fewest idle lanes, then large groups, then long rows. */
void work_size_choose(uint32_t limit, struct work_size *size);

#endif
