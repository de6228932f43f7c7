/* The guest library and the driver in one process, without a simulator: the
 * "program's" memory is this process's, kernels run functionally, and time
 * passes when the driver says so. */
#ifndef M2S_TESTS_OPENCL_SUPPORT_H
#define M2S_TESTS_OPENCL_SUPPORT_H

#ifndef CL_TARGET_OPENCL_VERSION /* support.c has the library's own */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "base/error.h"
#include "opencl-rt/driver/driver.h"
#include "unit/harness.h"

/* One driver and what most tests need of it. (The library's transport has no
 * argument to find it by.) */
struct support {
	struct opencl_driver *driver;
	picoseconds now;
	const char *compiler; /* for the next support_start */
	const char *preset;   /* the same; NULL: the default */
	struct error error;   /* why the simulation would have ended */
	int ended;
	unsigned launches;    /* kernels run */
	int skip_kernels;     /* count them only */
	unsigned handles_freed, mappings_freed; /* told to the library */

	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue; /* with profiling */
};
extern struct support support;

/* For CU_SuiteInfo: before and after each test. */
void support_start(void);
void support_stop(void);
/* In the place of support_stop: the driver frees what the program left. */
void support_abandon(void);

/* A built program, or NULL after a failed assertion that shows the log. */
cl_program support_build(const char *source, const char *options);
cl_kernel support_kernel(const char *source, const char *name);
/* A read-write buffer with these contents (NULL: zeroes). */
cl_mem support_buffer(size_t size, const void *contents);
void support_read(cl_mem buffer, void *contents, size_t size);

#define ASSERT_OK(call) CU_ASSERT_EQUAL(call, CL_SUCCESS)

#endif
