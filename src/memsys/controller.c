/* Main memory: DRAM devices, or a channel with a latency and a bandwidth; and
 * a unit that does read-modify-write operations one after the other per
 * address.
 *
 * With devices, an access goes to them first and meets the directory when it
 * comes back, so that the protocol's decisions and their messages stay
 * together. */
#include "base/optimize.h"

#include "memsys/module.h"

static picoseconds later(picoseconds a, picoseconds b)
{
	return a > b ? a : b;
}

/* Whether the access brings data that stay here. A non-coherent store of a
 * cache that fetches the block brings none. */
static bool brings_data(const struct access *access)
{
	return access->through || (access->kind == MEMSYS_NC_STORE &&
				   access->origin != ORIGIN_TRANSACTION);
}

/* The chunks that an access stores: all of them if it has no mask. */
static struct dram_written written_of(const struct access *access)
{
	struct dram_written written = {
		.address = access->address,
		.extent = access->size ? access->size : 1,
		.grain = 31, .mask = 1,
	};

	if (access->written) {
		uint32_t parts = access->extent >> access->grain;

		written.extent = access->extent;
		written.grain = access->grain;
		written.mask = access->written;
		/* Bits beyond the block are meaningless. */
		if (parts && parts < 64)
			written.mask &= (1ull << parts) - 1;
	}
	return written;
}

/* Whole bursts that hold [address, address + size). */
static uint32_t burst_span(const struct module *module, uint64_t address,
			   uint32_t size)
{
	uint32_t burst = module->config.burst;

	return (uint32_t)((address + size - 1) / burst - address / burst + 1) *
	       burst;
}

/* Bytes that an access moves on the way to the devices. */
static uint32_t moved_bytes(const struct module *module,
			    const struct access *access, bool write)
{
	struct dram_written written;

	if (!write || !access->written)
		return burst_span(module, access->address, access->size);
	written = written_of(access);
	return dram_write_bursts(&written, module->config.burst) *
	       module->config.burst;
}

static void count_bytes(struct module *module, uint32_t bytes, bool write)
{
	if (write)
		module->count.written_bytes += bytes;
	else
		module->count.read_bytes += bytes;
}

static picoseconds transfer_on_channel(struct module *module,
				       const struct access *access, bool write,
				       picoseconds start)
{
	uint32_t bytes = moved_bytes(module, access, write);
	picoseconds time;

	count_bytes(module, bytes, write);
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
	*free = module_after(module, start, module->config.atomic_latency);
	return *free;
}

/* The effect of an access on the memory; of those that take effect here by what
 * the processor asked for. */
enum { READS = 1, WRITES = 2, ORDERED = 4 /* one after another for a word */ };
static const uint8_t effects[] = {
	[MEMSYS_ATOMIC] = READS | WRITES | ORDERED,
	[MEMSYS_ATOMIC_LOAD] = READS | ORDERED,
	[MEMSYS_ATOMIC_STORE] = WRITES | ORDERED,
	[MEMSYS_UNCACHED_LOAD] = READS,
	[MEMSYS_PAST_STORE] = WRITES,
	[MEMSYS_FLUSH] = 0,
};

static bool reads(const struct access *access)
{
	return access->kind == MEMSYS_ATOMIC
		       ? effects[access->operation] & READS
		       : !brings_data(access);
}

static bool writes(const struct access *access)
{
	return access->kind == MEMSYS_ATOMIC
		       ? effects[access->operation] & WRITES
		       : brings_data(access);
}

static bool is_atomic(const struct access *access)
{
	return access->kind == MEMSYS_ATOMIC &&
	       effects[access->operation] & ORDERED;
}

picoseconds controller_access(struct module *module,
			      const struct access *access, picoseconds start)
{
	if (!module->dram && reads(access))
		start = transfer_on_channel(module, access, false, start);
	if (!module->dram && writes(access)) {
		picoseconds end =
		    transfer_on_channel(module, access, true, start);

		if (!reads(access))
			start = end;
	}
	if (is_atomic(access))
		start = atomic_operation(module, access->address, start);
	/* Stores are acknowledged when the channel has taken the data. */
	return reads(access) ? module_data(module, start)
			     : module_tags(module, start);
}

/* --- Devices ------------------------------------------------------------ */

/* The place of an interleaved memory's address in its devices. The bits that
 * tell 2^n modules apart stay, for `module` of AddressMapping; an odd factor of
 * their number is divided out, or most of each row, and of the banks that
 * addresses a power of two apart choose, would belong to other modules. */
static uint64_t device_address(const struct module *module, uint64_t address)
{
	const struct address_range *range = &module->range;
	uint64_t block, bits;

	if (range->kind != RANGE_INTERLEAVED ||
	    !(range->modulo & (range->modulo - 1)))
		return address;
	block = address / range->divide;
	bits = range->modulo & -range->modulo;
	return (block / range->modulo * bits + block % bits) * range->divide +
	       address % range->divide;
}

static void count_transfer(struct module *module, const struct access *access,
			   bool write)
{
	uint32_t bytes = moved_bytes(module, access, write);

	module->count.busy += (picoseconds)(module->transfer * bytes + 0.5);
	count_bytes(module, bytes, write);
}

static void write_devices(struct module *module, const struct access *access,
			  dram_done *done, void *owner)
{
	struct dram_written written = written_of(access);

	count_transfer(module, access, true);
	written.address = device_address(module, written.address);
	dram_write(module->dram, &written, done, owner, 0);
}

void controller_serve(struct module *module, struct access *access,
		      dram_done *served)
{
	if (!reads(access) && !writes(access)) {
		served(access, 0);
		return;
	}
	if (!reads(access)) {
		write_devices(module, access, served, access);
		return;
	}
	count_transfer(module, access, false);
	/* Writes back what it has read as soon as that is here. */
	if (writes(access))
		dram_look_late(module->dram, false);
	dram_submit(module->dram, false,
		    device_address(module, access->address), access->size,
		    served, access, 0);
}

void controller_served(struct module *module, const struct access *access)
{
	if (reads(access) && writes(access))
		write_devices(module, access, NULL, NULL);
}

void controller_write_back(struct module *module, const struct access *access,
			   picoseconds start)
{
	if (module->dram)
		write_devices(module, access, NULL, NULL);
	else
		transfer_on_channel(module, access, true, start);
}
