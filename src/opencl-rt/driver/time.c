/* Simulated time: what transfers and copies cost. */
#include "opencl-rt/driver/internal.h"

picoseconds time_now(struct opencl_driver *driver)
{
	return driver->machine.now(driver->machine.owner);
}

void time_pass(struct opencl_driver *driver, enum opencl_time kind,
	       uint64_t bytes, picoseconds time)
{
	if (time)
		driver->machine.advance(driver->machine.owner, kind, bytes,
					time);
}

static picoseconds time_of(uint64_t bytes, double bytes_per_nanosecond)
{
	return (picoseconds)((double)bytes * 1e3 / bytes_per_nanosecond);
}

/* AMD's OpenCL optimization guide, 1.3.1.1: its runtime's three methods. */
static picoseconds unpinned_time(const struct opencl_costs *costs,
				 uint64_t bytes)
{
	uint64_t block = costs->pin_block, full, rest;
	picoseconds send = time_of(block, costs->transfer_bandwidth);
	picoseconds pin = time_of(block, costs->pin_bandwidth), last;

	if (bytes <= costs->staging)
		return time_of(bytes, costs->staging_bandwidth) +
		       time_of(bytes, costs->transfer_bandwidth);
	/* Blocks before the last one, which may be smaller. */
	full = (bytes - 1) / block;
	rest = bytes - full * block;
	last = time_of(rest, costs->pin_bandwidth);
	if (full)
		last = pin + (full - 1) * (send > pin ? send : pin) +
		       (send > last ? send : last);
	return last + time_of(rest, costs->transfer_bandwidth);
}

picoseconds opencl_transfer_time(const struct opencl_costs *costs,
				 uint64_t bytes, bool pinned)
{
	if (!bytes)
		return costs->transfer_latency;
	return costs->transfer_latency +
	       (pinned ? time_of(bytes, costs->transfer_bandwidth)
		       : unpinned_time(costs, bytes));
}

void pass_transfer(struct opencl_driver *driver, uint64_t bytes, bool pinned)
{
	time_pass(driver, OPENCL_TIME_TRANSFER, bytes,
		  opencl_transfer_time(&driver->options.costs, bytes, pinned));
}

void pass_copy(struct opencl_driver *driver, uint64_t bytes)
{
	time_pass(driver, OPENCL_TIME_COPY, bytes,
		  time_of(bytes, driver->options.costs.copy_bandwidth));
}
