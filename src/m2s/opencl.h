/* OpenCL for the guest's processes: each that makes a request gets a driver
 * of its own, since handles are addresses in the process, and memory of its
 * own on the one simulated GPU. */
#ifndef M2S_M2S_OPENCL_H
#define M2S_M2S_OPENCL_H

#include "base/error.h"
#include "m2s/gpu.h"
#include "opencl-rt/driver/driver.h"

struct opencl;
struct linux_system;

/* What `options` points to must outlive the result, as must the GPU. */
struct opencl *opencl_create(struct gpu *gpu,
			     const struct opencl_driver_options *options);
void opencl_free(struct opencl *opencl);
/* Whose memory the requests are in; before the first request. */
void opencl_set_guest(struct opencl *opencl, struct linux_system *guest);

/* Serves the request at a guest address: as opencl_driver_request(). */
int opencl_request(struct opencl *opencl, int process, uint64_t address,
		   struct error *error);
/* Drops the driver of a process that is gone. */
void opencl_released(struct opencl *opencl, int process);

#endif
