/* Main memory: DRAM devices, or a channel with a latency and a bandwidth; and
 * a unit that does read-modify-write operations one after the other per
 * address.
 *
 * With devices, an access goes to them first and meets the directory when it
 * comes back, so that the protocol's decisions and their messages stay
 * together. */
#include "memsys/module.h"

static picoseconds later(picoseconds a, picoseconds b)
{
	return a > b ? a : b;
}

/* It brings data that stay here; a non-coherent store of a cache that fetches
 * the block brings none. */
static bool brings_data(const struct access *access)
{
	return access->through || (access->kind == MEMSYS_NC_STORE &&
				   access->origin != ORIGIN_TRANSACTION);
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

/* What an access does with the memory. */
static bool reads(const struct access *access)
{
	return access->kind == MEMSYS_ATOMIC
		       ? access->operation != MEMSYS_ATOMIC_STORE
		       : !brings_data(access);
}

static bool writes(const struct access *access)
{
	return access->kind == MEMSYS_ATOMIC
		       ? access->operation == MEMSYS_ATOMIC ||
				 access->operation == MEMSYS_ATOMIC_STORE
		       : brings_data(access);
}

static bool is_atomic(const struct access *access)
{
	return access->kind == MEMSYS_ATOMIC &&
	       access->operation != MEMSYS_UNCACHED_LOAD;
}

picoseconds controller_access(struct module *module,
			      const struct access *access, picoseconds start)
{
	/* Stores are acknowledged when the channel has taken the data. */
	picoseconds latency = reads(access) ? module->latency
					    : module->directory_latency;

	if (!module->dram && reads(access))
		start = controller_transfer(module, access->size, false, start);
	if (!module->dram && writes(access)) {
		picoseconds end = controller_transfer(module, access->size,
						      true, start);

		if (!reads(access))
			start = end;
	}
	if (is_atomic(access))
		start = atomic_operation(module, access->address, start);
	return start + latency;
}

/* --- Devices ------------------------------------------------------------ */

/* Whole bursts, as in the devices. */
static void count_bytes(struct module *module, uint64_t address, uint32_t size,
			bool write)
{
	uint32_t burst = module->config.burst;
	uint64_t bytes = ((address + size - 1) / burst - address / burst + 1) *
			 burst;

	module->count.busy += (picoseconds)(module->transfer * (double)bytes +
					    0.5);
	if (write)
		module->count.written_bytes += bytes;
	else
		module->count.read_bytes += bytes;
}

static void served(void *owner, uint64_t tag)
{
	struct access *access = owner;
	struct module *module = access->to;
	picoseconds now = event_queue_now(module->events);

	(void)tag;
	if (reads(access) && writes(access)) {
		count_bytes(module, access->address, access->size, true);
		dram_submit(module->dram, true, access->address, access->size,
			    NULL, NULL, 0);
	}
	module_resolve(module, access, now, false);
}

static void submit_now(struct module *module, struct access *access)
{
	bool write = !reads(access);

	count_bytes(module, access->address, access->size, write);
	dram_submit(module->dram, write, access->address, access->size, served,
		    access, 0);
}

static void submit(void *owner, uint64_t tag)
{
	struct access *access = owner;

	(void)tag;
	access->to->submits_waiting--;
	submit_now(access->to, access);
}

void controller_submit(struct module *module, struct access *access,
		       picoseconds start)
{
	picoseconds now = event_queue_now(module->events);

	access->to = module;
	/* In order, also at the very time when one that waited has its turn. */
	if (start > now || module->submits_waiting) {
		module->submits_waiting++;
		event_schedule(module->events, start > now ? start - now : 0,
			       module->source, submit, access, 0);
	} else {
		submit_now(module, access);
	}
}

void controller_write_back(struct module *module, uint64_t address,
			   uint32_t size, picoseconds start)
{
	if (!module->dram) {
		controller_transfer(module, size, true, start);
		return;
	}
	count_bytes(module, address, size, true);
	dram_submit(module->dram, true, address, size, NULL, NULL, 0);
}
