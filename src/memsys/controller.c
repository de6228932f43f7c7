/* Main memory: a channel with a latency and a bandwidth, and a unit that does
 * read-modify-write operations one after the other per address. */
#include "memsys/module.h"

static picoseconds later(picoseconds a, picoseconds b)
{
	return a > b ? a : b;
}

picoseconds controller_transfer(struct module *module, uint32_t bytes,
				bool write, picoseconds start)
{
	picoseconds time;

	if (bytes < module->config.burst)
		bytes = module->config.burst;
	if (write)
		module->count.written_bytes += bytes;
	else
		module->count.read_bytes += bytes;
	time = (picoseconds)(module->transfer * bytes + 0.5);
	module->count.busy += time;
	start = later(start, module->channel_free);
	module->channel_free = start + time;
	return start + time;
}

/* The unit works on one address at a time; different addresses rarely meet. */
static picoseconds atomic_operation(struct module *module, uint64_t address,
				    picoseconds start)
{
	uint64_t word = address / 4;
	picoseconds *free = &module->atomic_free[(word ^ word / ATOMIC_UNITS) %
						 ATOMIC_UNITS];

	start = later(start, *free);
	*free = start + module->config.atomic_latency * module->period;
	return *free;
}

picoseconds controller_access(struct module *module,
			      const struct access *access, picoseconds start)
{
	picoseconds end;

	switch (access->kind) {
	case MEMSYS_NC_STORE:
		/* Acknowledged when the channel has taken the data. */
		return controller_transfer(module, access->size, true, start) +
		       module->directory_latency;
	case MEMSYS_ATOMIC:
		end = controller_transfer(module, access->size, false, start);
		controller_transfer(module, access->size, true, end);
		return atomic_operation(module, access->address, end) +
		       module->latency;
	default:
		return controller_transfer(module, access->size, false,
					   start) +
		       module->latency;
	}
}
