/* Simulated time: what transfers and copies cost. */
#include "opencl-rt/driver/calls/account.h"
#include "opencl-rt/driver/internal.h"

picoseconds time_now(struct opencl_driver *driver)
{
	return driver->machine.now(driver->machine.owner);
}

void time_pass(struct opencl_driver *driver, enum opencl_time kind,
	       uint64_t bytes, picoseconds time)
{
	account_bytes(driver->options.account, bytes);
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
				 enum opencl_direction direction,
				 uint64_t bytes)
{
	double bandwidth = costs->transfer_bandwidth[direction];
	uint64_t block = costs->pin_block, full, rest;
	picoseconds send = time_of(block, bandwidth);
	picoseconds pin = time_of(block, costs->pin_bandwidth), last;

	if (bytes <= costs->staging)
		return time_of(bytes, costs->staging_bandwidth) +
		       time_of(bytes, bandwidth);
	/* Blocks before the last one, which may be smaller. */
	full = (bytes - 1) / block;
	rest = bytes - full * block;
	last = time_of(rest, costs->pin_bandwidth);
	if (full)
		last = pin + (full - 1) * (send > pin ? send : pin) +
		       (send > last ? send : last);
	return last + time_of(rest, bandwidth);
}

bool transfer_is_direct(const struct opencl_driver *driver, uint64_t bytes,
			bool pinned)
{
	return pinned || bytes > driver->options.costs.staging;
}

picoseconds opencl_transfer_time(const struct opencl_costs *costs,
				 enum opencl_direction direction,
				 uint64_t bytes, bool pinned)
{
	double pageable = costs->pageable_bandwidth[direction];
	picoseconds time;

	if (!bytes)
		return costs->transfer_latency;
	if (pinned)
		time = time_of(bytes, costs->transfer_bandwidth[direction]);
	else if (pageable > 0)
		time = time_of(bytes, pageable);
	else
		time = unpinned_time(costs, direction, bytes);
	return costs->transfer_latency + time;
}

void pass_transfer(struct opencl_driver *driver,
		   const struct opencl_transfer *transfer)
{
	picoseconds time = opencl_transfer_time(
		&driver->options.costs, transfer->direction, transfer->bytes,
		transfer->pinned);

	if (driver->machine.transfer && transfer->bytes)
		driver->machine.transfer(driver->machine.owner, transfer, time);
	time_pass(driver, OPENCL_TIME_TRANSFER, transfer->bytes, time);
}

void pass_copy(struct opencl_driver *driver, uint64_t bytes)
{
	time_pass(driver, OPENCL_TIME_COPY, bytes,
		  time_of(bytes, driver->options.costs.copy_bandwidth));
}
