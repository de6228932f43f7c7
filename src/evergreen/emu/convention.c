#include "evergreen/emu/convention.h"

#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/memory/memory.h"
#include "evergreen/emu/memory/resource.h"

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
	CAL_BUFFER_SIZE = 65536, /* of a constant buffer, at most */
};

static bool is_cal(const struct evg_kernel *kernel)
{
	return kernel->program &&
	       kernel->program->convention == EVG_CONVENTION_CAL;
}

/* A pointer that is passed as a constant buffer of its own (number > 1). */
static bool is_constant_buffer(const struct evg_argument *argument)
{
	return argument->kind == EVG_ARGUMENT_POINTER &&
	       argument->address_space == EVG_CONSTANT && argument->number;
}

static const struct evg_argument *buffer_argument(
	const struct evg_kernel *kernel, unsigned bank)
{
	for (uint32_t i = 0; i < kernel->argument_count; i++)
		if (is_constant_buffer(&kernel->arguments[i]) &&
		    kernel->arguments[i].number == bank)
			return &kernel->arguments[i];
	return NULL;
}

static const struct evg_constant_data *program_data(
	const struct evg_program *program, unsigned bank)
{
	for (uint32_t i = 0; i < program->data_count; i++)
		if (program->data[i].bank == bank)
			return &program->data[i];
	return NULL;
}

static uint32_t cal_size(const struct evg_kernel *kernel, unsigned bank)
{
	if (bank == 0)
		return CAL_LAUNCH_SIZE;
	if (bank == 1)
		return kernel->tail_offset;
	if (program_data(kernel->program, bank))
		return program_data(kernel->program, bank)->size;
	return buffer_argument(kernel, bank) ? CAL_BUFFER_SIZE : 0;
}

uint32_t evg_constants_size(const struct evg_kernel *kernel, unsigned bank)
{
	if (is_cal(kernel))
		return cal_size(kernel, bank);
	return bank == 0 ? kernel->tail_offset + LLVM_TAIL_SIZE : 0;
}

static void put_dword(uint8_t *bytes, uint32_t offset, uint32_t value)
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
		put_dword(bytes, 4 * d,
			  launch->global_size[d] / launch->local_size[d]);
		put_dword(bytes, 12 + 4 * d, launch->global_size[d]);
		put_dword(bytes, 24 + 4 * d, launch->local_size[d]);
		put_dword(bytes, tail + 4 + 4 * d, launch->global_offset[d]);
	}
	put_dword(bytes, tail, launch->work_dim);
	put_dword(bytes, tail + 16, launch->printf_buffer);
}

/* Where constant buffer 0 has what, bytes; see doc/amd-binaries.md. */
enum {
	CAL_GLOBAL = 0,
	CAL_LOCAL = 16,
	CAL_GROUPS = 32,
	CAL_FLOATS = 80,
	CAL_OFFSET = 96,        /* of the launch */
	CAL_FIRST_GROUP = 112,  /* of the launch in its ND-range */
	CAL_DATA = 128,
	CAL_PRINTF_BUFFER = 132,
	CAL_PRINTF_SECTION = 136,
	CAL_RANGE_OFFSET = 144, /* of the ND-range */
};

/* Sizes and offsets of the ND-range that the launch is or is a part of. */
static void fill_cal_range(const struct evg_launch *launch, uint8_t *bytes)
{
	const struct evg_part *part = launch->part;
	uint32_t offsets = 1, groups = 1;

	for (uint32_t d = 0; d < 3; d++) {
		uint32_t size = part ? part->global_size[d]
				     : launch->global_size[d];
		uint32_t first = part ? part->group[d] : 0;

		put_dword(bytes, CAL_GLOBAL + 4 * d, size);
		put_dword(bytes, CAL_LOCAL + 4 * d, launch->local_size[d]);
		put_dword(bytes, CAL_GROUPS + 4 * d,
			  size / launch->local_size[d]);
		put_dword(bytes, CAL_OFFSET + 4 * d, launch->global_offset[d]);
		put_dword(bytes, CAL_FIRST_GROUP + 4 * d, first);
		put_dword(bytes, CAL_RANGE_OFFSET + 4 * d,
			  part ? part->global_offset[d]
			       : launch->global_offset[d]);
		if (d < launch->work_dim) {
			offsets *= launch->global_offset[d];
			groups *= first;
		}
	}
	put_dword(bytes, CAL_GLOBAL + 12, launch->work_dim);
	put_dword(bytes, CAL_OFFSET + 12, offsets);
	put_dword(bytes, CAL_FIRST_GROUP + 12, groups);
}

static void fill_cal_launch(const struct evg_launch *launch, uint8_t *bytes)
{
	const struct evg_constant_data *data =
		program_data(launch->kernel->program, 0);

	fill_cal_range(launch, bytes);
	for (uint32_t i = 1; i < 4; i++)
		put_float(bytes, CAL_FLOATS + 4 * i, 0.25f * (float)(1 << i));
	if (data)
		put_dword(bytes, CAL_DATA, launch->text_address + data->offset);
	put_dword(bytes, CAL_PRINTF_BUFFER, launch->printf_buffer);
	put_dword(bytes, CAL_PRINTF_SECTION, launch->printf_section);
}

/* The bits of a sampler as AMD's compiler has them. */
static uint32_t cal_sampler(uint32_t bits)
{
	enum { REPEAT = 2, CLAMP_TO_EDGE = 4, CLAMP = 6, MIRRORED_REPEAT = 8 };
	static const uint8_t modes[] = {
		[EVG_SAMPLER_REPEAT] = REPEAT,
		[EVG_SAMPLER_CLAMP_TO_EDGE] = CLAMP_TO_EDGE,
		[EVG_SAMPLER_CLAMP] = CLAMP,
		[EVG_SAMPLER_MIRRORED_REPEAT] = MIRRORED_REPEAT,
	};
	uint32_t mode = bits & EVG_SAMPLER_ADDRESS;

	return (bits & ~(uint32_t)EVG_SAMPLER_ADDRESS) |
	       (mode < sizeof modes ? modes[mode] : 0);
}

/* The arguments. Where a pointer is a constant buffer of its own, its value
 * says no more than that it is not NULL. */
static void fill_cal_arguments(const struct evg_launch *launch, uint8_t *bytes)
{
	const struct evg_kernel *kernel = launch->kernel;

	memcpy(bytes, launch->arguments, kernel->tail_offset);
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const struct evg_argument *argument = &kernel->arguments[i];
		uint32_t value;

		memcpy(&value, bytes + argument->offset, sizeof value);
		if (is_constant_buffer(argument))
			put_dword(bytes, argument->offset, value != 0);
		else if (argument->kind == EVG_ARGUMENT_SAMPLER)
			put_dword(bytes, argument->offset, cal_sampler(value));
	}
}

/* What an argument of kind hc points to; zero behind its block. */
static void fill_cal_buffer(const struct evg_launch *launch, unsigned bank,
			    uint8_t *bytes)
{
	const struct evg_argument *argument =
		buffer_argument(launch->kernel, bank);
	struct evg_window block;
	uint32_t address, size;

	memcpy(&address, launch->arguments + argument->offset, sizeof address);
	if (!evg_memory_find(launch->memory, address, 1, false, &block))
		return;
	size = block.last - address + 1;
	if (size > CAL_BUFFER_SIZE)
		size = CAL_BUFFER_SIZE;
	memcpy(bytes, evg_memory_base(launch->memory) + address, size);
}

/* Constant data of the program. */
static void fill_cal_data(const struct evg_launch *launch, unsigned bank,
			  uint8_t *bytes)
{
	const struct evg_program *program = launch->kernel->program;
	const struct evg_constant_data *data = program_data(program, bank);

	memcpy(bytes, program->text + data->offset, data->size);
}

void evg_constants_fill(const struct evg_launch *launch, unsigned bank,
			uint8_t *bytes)
{
	if (!is_cal(launch->kernel))
		fill_llvm(launch, bytes);
	else if (bank == 0)
		fill_cal_launch(launch, bytes);
	else if (program_data(launch->kernel->program, bank))
		fill_cal_data(launch, bank, bytes);
	else if (!launch->arguments)
		return;
	else if (bank == 1)
		fill_cal_arguments(launch, bytes);
	else
		fill_cal_buffer(launch, bank, bytes);
}
