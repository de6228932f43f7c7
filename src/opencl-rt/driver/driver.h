/* The device side of OpenCL: owns every object and every rule.
 *
 * The guest library marshals each API call into one request (protocol.h) in
 * guest memory; src/m2s hands its guest address to opencl_driver_request. */
#ifndef M2S_OPENCL_RT_DRIVER_DRIVER_H
#define M2S_OPENCL_RT_DRIVER_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "evergreen/emu/emu.h"
#include "evergreen/emu/memory/tiling.h"

struct log;
struct opencl_account;
struct opencl_driver;

enum opencl_time {
	OPENCL_TIME_LAUNCH,
	OPENCL_TIME_TRANSFER,
	OPENCL_TIME_COPY,
	OPENCL_TIME_COUNT
};

/* A buffer whose bytes are memory of the program. */
struct opencl_shared_buffer {
	uint32_t address; /* the device's */
	uint64_t pointer, size;
	bool written;     /* kernels may write it */
};

enum opencl_direction { OPENCL_TO_DEVICE, OPENCL_FROM_DEVICE };

/* Bytes between memory of the program, from `pointer` on, and the device's, from
 * `address` on. Boxes count as if they had no gaps. */
struct opencl_transfer {
	enum opencl_direction direction;
	uint64_t pointer, bytes;
	uint32_t address;
	bool pinned; /* the program's memory */
};

/* How kernels run and how bytes move: filled in by src/m2s, so that the
 * driver knows neither the x86 side nor the timing model. */
struct opencl_machine {
	void *owner;
	/* Bytes of the calling program: 0 or -1 (bad pointer). */
	int (*read)(void *owner, uint64_t address, void *buffer, uint64_t size);
	int (*write)(void *owner, uint64_t address, const void *buffer,
		     uint64_t size);
	/* write() of what the device itself brings to the program's memory, past
	 * the processors. NULL: as write(). */
	int (*deliver)(void *owner, uint64_t address, const void *buffer,
		       uint64_t size);
	/* Runs a whole ND-range, functionally or in detail. 0; 1 and *error
	 * when the kernel has failed, and the program can go on; or -1 and
	 * *error, which ends the simulation with that message. */
	int (*run)(void *owner, struct evg_ndrange *ndrange,
		   struct error *error);
	/* Kernels reach the program's memory: in the next ND-ranges, that of
	 * these buffers. NULL: they work on copies in the device's memory. */
	void (*share)(void *owner, const struct opencl_shared_buffer *buffers,
		      size_t count);
	/* Simulated time now, for profiling. */
	picoseconds (*now)(void *owner);
	/* A transfer begins, and takes this time, which passes by advance().
	 * NULL: nobody wants to know. */
	void (*transfer)(void *owner, const struct opencl_transfer *transfer,
			 picoseconds time);
	/* Lets simulated time pass for work of a kind that moves `bytes`. */
	void (*advance)(void *owner, enum opencl_time kind, uint64_t bytes,
			picoseconds time);
	/* The length of a string of the program, or -1 (bad pointer). NULL: the
	 * driver reads it piece by piece, and some bytes beyond its end. */
	int64_t (*string_length)(void *owner, uint64_t address);
	/* The driver waits for something else than the device: other requests
	 * may be served between the two. NULL: there are no others. */
	void (*leave)(void *owner);
	void (*enter)(void *owner);
	/* The program's pointers are those of the driver's process. */
	bool same_memory;
};

/* Simulated time of what the driver does beside kernels. */
struct opencl_costs {
	picoseconds submit;        /* from the enqueue to the submission */
	picoseconds launch;        /* from the submission to the start */
	picoseconds profiling;     /* added to `submit` in profiled queues */
	picoseconds transfer_latency;
	/* Bytes per ns between host and device, by enum opencl_direction, from
	 * and to pinned memory; and from and to other memory, where 0: by what
	 * follows. */
	double transfer_bandwidth[2], pageable_bandwidth[2];
	/* The bus reads and writes pinned memory only. Up to `staging` bytes
	 * are copied to or from memory that is pinned already. Of larger
	 * transfers the program's own pages are pinned, block by block, one
	 * block while the previous one is transferred. */
	uint64_t staging, pin_block;
	double staging_bandwidth, pin_bandwidth; /* bytes per ns */
	double copy_bandwidth;     /* bytes per ns, read and written by copies
				      within the device */
};

/* Launches whose events have an error. */
struct opencl_failures {
	uint64_t launches;
	uint64_t unfinished; /* of them: the kernel did not come to its end */
};

struct opencl_driver_options {
	const char *compiler;      /* path of m2s-clc */
	const char *cache_folder;  /* compiled kernels; NULL: no cache */
	bool confined;             /* programs include no file of the host */
	const char *kernel_binary; /* --evg-kernel-binary, or NULL */
	const char *build_options; /* added to every program's; NULL: none */
	uint64_t memory_size;      /* global memory of the device, bytes */
	double frequency;          /* MHz, for CL_DEVICE_MAX_CLOCK_FREQUENCY */
	unsigned compute_units;
	enum evg_chip chip;        /* whose code it runs */
	bool no_doubles;           /* the device has no cl_khr_fp64 */
	const char *device_name;
	uint32_t cache_size;       /* last level, bytes */
	uint32_t local_memory;     /* of a compute unit, bytes */
	uint32_t register_slots;   /* of a lane, shared by its wavefronts */
	uint32_t max_wavefronts;   /* of a work-group */
	struct evg_tiling_device tiling; /* of images */
	struct opencl_costs costs;
	/* Called now and then while kernels are compiled; true ends the
	 * compilation. NULL: never called. */
	bool (*stop)(void *owner);
	void *stop_owner;
	/* Sums of calls, which outlive the driver; NULL: none are kept. */
	struct opencl_account *account;
	bool strict;               /* a launch that accesses memory outside of
				      buffers fails */
	struct opencl_failures *failures; /* NULL: nobody counts */
	bool tell_leaks; /* warn of what the program has not released */
	struct log *log;
};

/* The time of one transfer between the device and memory of the program. */
picoseconds opencl_transfer_time(const struct opencl_costs *costs,
				 enum opencl_direction direction,
				 uint64_t bytes, bool pinned);

struct opencl_driver *opencl_driver_create(
	const struct opencl_machine *machine,
	const struct opencl_driver_options *options, struct error *error);
void opencl_driver_free(struct opencl_driver *driver);

/* Serves the request at guest address `request`. 0; 1 when the program has no
 * memory at that address, which makes the call fail; or -1 and *error for an
 * error that ends the simulation. OpenCL errors go back inside the request. */
int opencl_driver_request(struct opencl_driver *driver, uint64_t request,
			  struct error *error);

#endif
