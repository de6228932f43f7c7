#include "evergreen/emu/convention.h"

#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/resource.h"

/* ---- Fetch resources ---- */

static const struct range {
	uint8_t first, last;
	struct evg_binding binding;
	bool counted;  /* constant buffers: bank = id - first */
} llvm_ranges[] = {
	{ EVG_LLVM_MEMORY, 2, { .resource = EVG_RESOURCE_MEMORY }, false },
	{ 3, 3, { .resource = EVG_RESOURCE_CONSTANT }, false },
	{ 160, 171, { .resource = EVG_RESOURCE_RAT }, false },
	/* m2s's own: as resource 1, but with the number of AMD's uncached. */
	{ EVG_LLVM_MEMORY_UNCACHED, EVG_LLVM_MEMORY_UNCACHED,
	  { .resource = EVG_RESOURCE_MEMORY, .uncached = true }, false },
}, cal_ranges[] = {
	/* UAV n: cached 0x90 + n (11 is 0x99), uncached 0x9a + n (11 is
	 * 0xad); UAV 11 with larger elements. */
	{ 128, 143, { EVG_RESOURCE_CONSTANT, 0, 4, 4, false }, true },
	{ 144, 153, { EVG_RESOURCE_MEMORY, 0, 2, 1, false }, false },
	{ 154, 164, { EVG_RESOURCE_MEMORY, 0, 2, 1, true }, false },
	{ 165, 172, { EVG_RESOURCE_RAT, 0, 2, 1, false }, false },
	{ 173, 173, { EVG_RESOURCE_MEMORY, 0, 2, 1, true }, false },
	{ 174, 174, { EVG_RESOURCE_MEMORY, 0, 3, 2, false }, false },
	{ 175, 175, { EVG_RESOURCE_MEMORY, 0, 4, 4, false }, false },
};

struct evg_binding evg_binding_find(enum evg_convention convention,
				    unsigned id)
{
	bool cal = convention == EVG_CONVENTION_CAL;
	const struct range *ranges = cal ? cal_ranges : llvm_ranges;
	size_t count = cal ? ARRAY_SIZE(cal_ranges) : ARRAY_SIZE(llvm_ranges);
	struct evg_binding binding = { .resource = EVG_RESOURCE_NONE };

	for (size_t i = 0; i < count; i++) {
		if (id < ranges[i].first || id > ranges[i].last)
			continue;
		binding = ranges[i].binding;
		if (ranges[i].counted)
			binding.bank = (uint8_t)(id - ranges[i].first);
	}
	return binding;
}

bool evg_rat_is_bound(enum evg_convention convention, unsigned id)
{
	return id < (convention == EVG_CONVENTION_CAL ? EVG_RATS : 1);
}

/* ---- Constant buffers ---- */

enum {
	LLVM_TAIL_SIZE = 20,
	CAL_LAUNCH_SIZE = 15 * 16,
};

uint32_t evg_constants_size(const struct evg_kernel *kernel, unsigned bank)
{
	if (kernel->program && kernel->program->convention ==
				       EVG_CONVENTION_CAL)
		return bank == 0   ? CAL_LAUNCH_SIZE
		       : bank == 1 ? kernel->tail_offset
				   : 0;
	return bank == 0 ? kernel->tail_offset + LLVM_TAIL_SIZE : 0;
}

static void put(uint8_t *bytes, uint32_t offset, uint32_t value)
{
	memcpy(bytes + offset, &value, sizeof value);
}

static void put_float(uint8_t *bytes, uint32_t offset, float value)
{
	memcpy(bytes + offset, &value, sizeof value);
}

/* Sizes, arguments, work_dim, offsets and the printf buffer. */
static void fill_llvm(const struct evg_launch *launch, uint8_t *bytes)
{
	uint32_t tail = launch->kernel->tail_offset;

	if (launch->arguments)
		memcpy(bytes, launch->arguments, tail);
	for (uint32_t d = 0; d < 3; d++) {
		put(bytes, 4 * d,
		    launch->global_size[d] / launch->local_size[d]);
		put(bytes, 12 + 4 * d, launch->global_size[d]);
		put(bytes, 24 + 4 * d, launch->local_size[d]);
		put(bytes, tail + 4 + 4 * d, launch->global_offset[d]);
	}
	put(bytes, tail, launch->work_dim);
	put(bytes, tail + 16, launch->printf_buffer);
}

/* Fifteen constants of four dwords; see doc/amd-binaries.md. */
static void fill_cal(const struct evg_launch *launch, uint8_t *bytes)
{
	enum { GLOBAL = 0, LOCAL = 16, GROUPS = 32, FLOATS = 80, OFFSET = 96 };
	uint32_t flat = 0, scale = 1;

	for (uint32_t d = 0; d < 3; d++) {
		put(bytes, GLOBAL + 4 * d, launch->global_size[d]);
		put(bytes, LOCAL + 4 * d, launch->local_size[d]);
		put(bytes, GROUPS + 4 * d,
		    launch->global_size[d] / launch->local_size[d]);
		put(bytes, OFFSET + 4 * d, launch->global_offset[d]);
		flat += launch->global_offset[d] * scale;
		scale *= launch->global_size[d];
	}
	put(bytes, GLOBAL + 12, launch->work_dim);
	put(bytes, OFFSET + 12, flat);
	for (uint32_t i = 1; i < 4; i++)
		put_float(bytes, FLOATS + 4 * i, 0.25f * (float)(1 << i));
}

void evg_constants_fill(const struct evg_launch *launch, unsigned bank,
			uint8_t *bytes)
{
	const struct evg_kernel *kernel = launch->kernel;

	if (!kernel->program ||
	    kernel->program->convention != EVG_CONVENTION_CAL)
		fill_llvm(launch, bytes);
	else if (bank == 0)
		fill_cal(launch, bytes);
	else if (launch->arguments)
		memcpy(bytes, launch->arguments, kernel->tail_offset);
}
