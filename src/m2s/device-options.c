#include "m2s/device-options.h"

static picoseconds microseconds(double time)
{
	return (picoseconds)(time * 1e6 + 0.5);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Bytes per ns: GB/s are. `most`: 0: as much as the bus. */
static double on_bus(const struct evg_config *config, double most)
{
	double packet = config->bus_payload + config->bus_overhead;
	double bus = config->bus_bandwidth * config->bus_payload / packet;

	return most && most < bus ? most : bus;
}

void device_options_fill(const struct evg_config *config,
			 struct opencl_driver_options *options)
{
	options->device_name = evg_preset_device(config->preset);
	options->frequency = config->frequency;
	options->memory_size = (uint64_t)config->memory_size << 20;
	options->compute_units = config->compute_units;
	options->chip = (enum evg_chip)config->chip;
	options->no_doubles = !config->doubles;
	options->cache_size = evg_config_slices(config) * config->l2_slice;
	options->local_memory = config->local_size;
	options->register_slots = (config->registers -
				   config->reserved_registers) /
				  EVG_WAVEFRONT_SIZE;
	options->max_wavefronts = smaller(config->max_wavefronts,
					  config->max_device_wavefronts);
	options->tiling = (struct evg_tiling_device){
		.mode = (enum evg_array_mode)config->image_tiling,
		/* Tiles need a power of two. */
		.pipes = 1u << (31 - __builtin_clz(config->channels)),
		.banks = config->image_banks,
	};
	options->costs = (struct opencl_costs){
		.submit = microseconds(config->submit_latency),
		.launch = microseconds(config->launch_latency),
		.profiling = microseconds(config->profiling_latency),
		.transfer_latency = microseconds(config->transfer_latency),
		.transfer_bandwidth = {
			[OPENCL_TO_DEVICE] =
				on_bus(config, config->download_bandwidth),
			[OPENCL_FROM_DEVICE] =
				on_bus(config, config->readback_bandwidth),
		},
		.pageable_bandwidth = {
			[OPENCL_TO_DEVICE] = config->pageable_download,
			[OPENCL_FROM_DEVICE] = config->pageable_readback,
		},
		.staging = config->staging_size,
		.pin_block = config->pin_block,
		.staging_bandwidth = config->staging_bandwidth,
		.pin_bandwidth = config->pin_bandwidth,
		.copy_bandwidth = config->copy_share * config->channels *
				  config->channel_bandwidth,
	};
}
