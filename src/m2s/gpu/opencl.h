/* OpenCL for the guest's processes. Each process that makes a request gets its
 * own driver, because handles are addresses in the process. It also gets its
 * own memory on the one simulated GPU. */
#ifndef M2S_M2S_GPU_OPENCL_H
#define M2S_M2S_GPU_OPENCL_H

#include "base/error.h"
#include "m2s/gpu/gpu.h"
#include "opencl-rt/driver/driver.h"

struct opencl;
struct linux_system;
struct stats;

/* The GPU, and the objects that `options` points to, must outlive the result.
 * */
struct opencl *opencl_create(struct gpu *gpu,
			     const struct opencl_driver_options *options);
void opencl_free(struct opencl *opencl);
/* Sets the guest whose memory holds the requests, before the first request. */
void opencl_set_guest(struct opencl *opencl, struct linux_system *guest);

/* Serves the request at a guest address, as opencl_driver_request() does. With a
 * GPU that shares its memory it may return LINUX_REQUEST_WAITS. */
int opencl_request(struct opencl *opencl, int process, uint64_t address,
		   struct error *error);
/* At gpu_due(): lets the request under way go on if it can. True: requests that
 * wait are to be made again. */
bool opencl_work(struct opencl *opencl);
/* Frees the driver of a process that has ended. */
void opencl_released(struct opencl *opencl, int process);

/* Registers the sums over all processes, those of now. `host`: with seconds of
 * the host. Nothing without an account in the options. */
void opencl_register(const struct opencl *opencl, bool host,
		     struct stats *stats);

#endif
