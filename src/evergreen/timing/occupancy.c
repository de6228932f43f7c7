#include "evergreen/timing/occupancy.h"

#include "evergreen/emu/emu.h"

static uint32_t round_up(uint32_t value, uint32_t step)
{
	return (value + step - 1) / step * step;
}

static uint32_t group_registers(const struct evg_config *config,
				uint32_t wavefronts, uint32_t per_item)
{
	uint32_t wavefront = per_item * EVG_WAVEFRONT_SIZE;

	if (config->register_granularity == EVG_GRANULARITY_WAVEFRONT)
		return wavefronts *
		       round_up(wavefront, config->register_alloc_size);
	return round_up(wavefronts * wavefront, config->register_alloc_size);
}

static uint32_t allows(uint32_t available, uint32_t used)
{
	return used ? available / used : UINT32_MAX;
}

struct evg_occupancy evg_occupancy_find(const struct evg_config *config,
					const struct evg_occupancy_use *use)
{
	struct evg_occupancy found;
	uint32_t usable = config->registers > config->reserved_registers
				  ? config->registers -
					    config->reserved_registers
				  : 0;

	found.group_wavefronts = (use->work_items + EVG_WAVEFRONT_SIZE - 1) /
				 EVG_WAVEFRONT_SIZE;
	found.group_registers = group_registers(config, found.group_wavefronts,
						use->registers);
	found.group_local = round_up(use->local_memory,
				     config->local_alloc_size);
	found.allowed[EVG_LIMIT_WORK_GROUPS] = config->max_work_groups;
	found.allowed[EVG_LIMIT_WAVEFRONTS] =
		allows(config->max_wavefronts, found.group_wavefronts);
	found.allowed[EVG_LIMIT_REGISTERS] =
		allows(usable, found.group_registers);
	found.allowed[EVG_LIMIT_LOCAL_MEMORY] =
		allows(config->local_size, found.group_local);
	found.limit = EVG_LIMIT_WORK_GROUPS;
	for (int i = 1; i < EVG_LIMIT_COUNT; i++)
		if (found.allowed[i] < found.allowed[found.limit])
			found.limit = (enum evg_occupancy_limit)i;
	found.work_groups = found.allowed[found.limit];
	found.wavefronts = found.work_groups * found.group_wavefronts;
	return found;
}

uint32_t evg_occupancy_device(const struct evg_config *config,
			      const struct evg_occupancy_use *use)
{
	struct evg_occupancy found = evg_occupancy_find(config, use);
	uint64_t all = (uint64_t)found.work_groups * config->compute_units;
	uint32_t most = allows(config->max_device_wavefronts,
			       found.group_wavefronts);

	if (all > most)
		all = most;
	return all ? (uint32_t)all : 1;
}

const char *evg_occupancy_limit_name(enum evg_occupancy_limit limit)
{
	static const char *const names[EVG_LIMIT_COUNT] = {
		[EVG_LIMIT_WORK_GROUPS] = "work-groups per compute unit",
		[EVG_LIMIT_WAVEFRONTS] = "wavefronts per compute unit",
		[EVG_LIMIT_REGISTERS] = "registers",
		[EVG_LIMIT_LOCAL_MEMORY] = "local memory",
	};

	return names[limit];
}
