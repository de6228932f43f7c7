/* Sizes of an ND-range: the checks of clEnqueueNDRangeKernel, and the local
 * size for a program that leaves it to us. */
#include <string.h>

#include "opencl-rt/driver/internal.h"
#include "opencl-rt/driver/work-size.h"

static uint32_t round_up(uint32_t size, uint32_t multiple)
{
	return (size + multiple - 1) / multiple * multiple;
}

/* Lanes that a group size occupies for each work-item that it has, in 1/1024:
 * what idle lanes in the last wavefront cost. */
static uint32_t waste(uint32_t items)
{
	return round_up(items, EVG_WAVEFRONT_SIZE) * 1024 / items;
}

void work_size_choose(uint32_t limit, struct work_size *size)
{
	/* Neighbours in x share cache lines, so rows come first; beyond a
	 * wavefront's width, other dimensions may have neighbours, too. */
	uint32_t best[3] = { 1, 1, 1 }, best_items = 1, items;
	uint32_t widest = size->dimensions > 1 ? EVG_WAVEFRONT_SIZE : limit;

	for (uint32_t x = 1; x <= widest && x <= size->global[0]; x++) {
		if (size->global[0] % x)
			continue;
		for (uint32_t y = 1; x * y <= limit && y <= size->global[1];
		     y++) {
			if (size->global[1] % y)
				continue;
			for (uint32_t z = 1;
			     x * y * z <= limit && z <= size->global[2]; z++) {
				if (size->global[2] % z)
					continue;
				items = x * y * z;
				if (waste(items) > waste(best_items) ||
				    (waste(items) == waste(best_items) &&
				     (items < best_items ||
				      (items == best_items && x < best[0]))))
					continue;
				best[0] = x;
				best[1] = y;
				best[2] = z;
				best_items = items;
			}
		}
	}
	memcpy(size->local, best, sizeof best);
}

/* Reads up to three sizes of the program; the others keep their value. */
static cl_int read_sizes(struct opencl_driver *driver, uint64_t address,
			 uint32_t count, uint64_t sizes[3])
{
	return program_read_words(driver, address, sizes, count);
}

static cl_int check_local(const struct opencl_driver *driver,
			  const struct evg_kernel *code,
			  const uint64_t local[3], struct work_size *size)
{
	const uint32_t *required = code->reqd_work_group_size;
	uint32_t limit = kernel_max_group_size(driver, code);
	uint64_t items = 1;

	for (int i = 0; i < 3; i++) {
		if (!local[i] || local[i] > MAX_WORK_GROUP_SIZE ||
		    size->global[i] % local[i])
			return CL_INVALID_WORK_GROUP_SIZE;
		if (required[0] && local[i] != required[i])
			return CL_INVALID_WORK_GROUP_SIZE;
		items *= local[i];
		size->local[i] = (uint32_t)local[i];
	}
	/* A kernel without room for any work-group gets another answer. */
	if (!limit || items <= limit)
		return CL_SUCCESS;
	if (limit < device_max_group_size(driver))
		log_warning(driver->options.log, "kernel %s: a work-group of "
			    "%llu work-items is refused: with its %u registers "
			    "a compute unit has room for %u", code->name,
			    (unsigned long long)items, code->registers, limit);
	return CL_INVALID_WORK_GROUP_SIZE;
}

cl_int work_size_read(struct opencl_driver *driver,
		      const struct evg_kernel *code, uint64_t dimensions,
		      uint64_t global_address, uint64_t local_address,
		      uint64_t offset_address, struct work_size *size)
{
	uint64_t global[3] = { 1, 1, 1 }, local[3] = { 1, 1, 1 };
	uint64_t offset[3] = { 0, 0, 0 };

	if (dimensions < 1 || dimensions > 3)
		return CL_INVALID_WORK_DIMENSION;
	size->dimensions = (uint32_t)dimensions;
	if (!global_address ||
	    read_sizes(driver, global_address, size->dimensions, global))
		return CL_INVALID_GLOBAL_WORK_SIZE;
	for (int i = 0; i < 3; i++) {
		/* The device counts in 32 bits. */
		if (!global[i] || global[i] > UINT32_MAX)
			return CL_INVALID_GLOBAL_WORK_SIZE;
		size->global[i] = (uint32_t)global[i];
	}
	if (offset_address &&
	    read_sizes(driver, offset_address, size->dimensions, offset))
		return CL_INVALID_GLOBAL_OFFSET;
	for (int i = 0; i < 3; i++) {
		if (offset[i] > UINT32_MAX - global[i] + 1)
			return CL_INVALID_GLOBAL_OFFSET;
		size->offset[i] = (uint32_t)offset[i];
	}
	if (!local_address) {
		if (code->reqd_work_group_size[0])
			return CL_INVALID_WORK_GROUP_SIZE;
		work_size_choose(kernel_max_group_size(driver, code), size);
		return CL_SUCCESS;
	}
	if (read_sizes(driver, local_address, size->dimensions, local))
		return CL_INVALID_WORK_GROUP_SIZE;
	return check_local(driver, code, local, size);
}
