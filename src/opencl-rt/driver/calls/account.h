/* --cl-report: sums over the OpenCL calls of all processes: calls, commands,
 * launches, builds, objects. */
#ifndef M2S_OPENCL_RT_DRIVER_CALLS_ACCOUNT_H
#define M2S_OPENCL_RT_DRIVER_CALLS_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "opencl-rt/driver/object.h"
#include "opencl-rt/protocol.h"
#include "stats/stats.h"

struct call_count {
	uint64_t calls, failed;
	uint64_t bytes; /* moved before the call returned */
	picoseconds time;
};

struct command_count {
	uint64_t type; /* CL_COMMAND_... */
	uint64_t commands, failed, bytes;
	picoseconds time;
};

struct kernel_count {
	char *name;
	uint64_t launches, work_items;
	picoseconds time, shortest, longest;
};

struct build_count {
	uint64_t builds, cached, failed;
	double seconds; /* of the host */
};

/* One for all drivers of a run. */
struct opencl_account {
	struct call_count calls[OPENCL_CALL_COUNT];
	struct command_count *commands;
	size_t command_count, command_capacity;
	struct kernel_count *kernels; /* as they were first launched */
	size_t kernel_count, kernel_capacity;
	struct build_count builds;
	struct object_count {
		uint64_t made, left;
	} objects[OBJECT_KIND_COUNT];
	uint64_t bytes; /* moved so far */
};

void account_free(struct opencl_account *account);

/* All of these do nothing without an account (NULL). */

/* Bytes were moved between the device and the program, or on the device. */
void account_bytes(struct opencl_account *account, uint64_t bytes);
uint64_t account_bytes_now(const struct opencl_account *account);
void account_call(struct opencl_account *account, enum opencl_call call,
		  const struct call_count *count);
void account_command(struct opencl_account *account,
		     const struct command_count *count);
void account_launch(struct opencl_account *account, const char *kernel,
		    uint64_t work_items, picoseconds time);
void account_build(struct opencl_account *account,
		   const struct build_count *count);
void account_object(struct opencl_account *account, enum object_kind kind);
/* A process ends that has not released an object. */
void account_left(struct opencl_account *account, enum object_kind kind);

/* Registers the sums for the report "opencl". `host`: with seconds of the host,
 * which differ from run to run. */
void account_register(const struct opencl_account *account, bool host,
		      struct stats *stats);

#endif
