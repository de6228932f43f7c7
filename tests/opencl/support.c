#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "m2s/device-options.h"
#include <unistd.h>

#include "base/log.h"
#include "opencl-rt/api/library.h"
#include "opencl/support.h"

struct support support;
/* What the driver only has pointers to. */
static struct log *warnings;
static char *compiler;
static pthread_mutex_t one_request = PTHREAD_MUTEX_INITIALIZER;

/* Copies with the kernel's help, which tells bad pointers. */
static int copy_in(void *owner, uint64_t address, void *buffer, uint64_t size)
{
	struct iovec local = { buffer, size };
	struct iovec remote = { (void *)(uintptr_t)address, size };

	(void)owner;
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) ==
			       (ssize_t)size
		       ? 0
		       : -1;
}

static int copy_out(void *owner, uint64_t address, const void *buffer,
		    uint64_t size)
{
	struct iovec local = { (void *)(uintptr_t)buffer, size };
	struct iovec remote = { (void *)(uintptr_t)address, size };

	(void)owner;
	return process_vm_writev(getpid(), &local, 1, &remote, 1, 0) ==
			       (ssize_t)size
		       ? 0
		       : -1;
}

static int run(void *owner, struct evg_ndrange *ndrange, struct error *error)
{
	struct support *s = owner;

	s->launches++;
	return s->skip_kernels ? 0 : !!evg_ndrange_run(ndrange, 1, 0, error);
}

static picoseconds now(void *owner)
{
	struct support *s = owner;

	return s->now;
}

static void advance(void *owner, enum opencl_time kind, uint64_t bytes,
		    picoseconds time)
{
	struct support *s = owner;

	(void)kind, (void)bytes;
	s->now += time;
}

/* In the place of src/opencl-rt/api/transport.c. */
int library_transport(struct opencl_header *header)
{
	const struct request_notice *notice = (void *)header;
	int result;

	pthread_mutex_lock(&one_request);
	result = support.driver && !support.ended
			 ? opencl_driver_request(support.driver,
						 (uintptr_t)header,
						 &support.error)
			 : -1;
	if (result < 0 && support.driver)
		support.ended = 1;
	if (!result && header->call == OPENCL_notice) {
		support.handles_freed +=
			notice->kind == OPENCL_NOTICE_FREE_HANDLE;
		support.mappings_freed +=
			notice->kind == OPENCL_NOTICE_FREE_MAPPING;
	}
	pthread_mutex_unlock(&one_request);
	return result;
}

static char *compiler_path(void)
{
	const char *folder = getenv("top_builddir");
	char *path;

	return asprintf(&path, "%s/m2s-clc", folder ? folder : ".") < 0 ? NULL
									: path;
}

void support_start(void)
{
	const struct opencl_machine machine = {
		.owner = &support,
		.read = copy_in,
		.write = copy_out,
		.run = run,
		.now = now,
		.advance = advance,
	};
	struct opencl_driver_options options = { 0 };
	struct evg_config config;

	if (evg_config_read_preset(&config, support.preset, NULL, NULL,
				   &support.error)) {
		fprintf(stderr, "%s\n", support.error.text);
		exit(1);
	}
	device_options_fill(&config, &options);
	/* Little, to run out of it soon, unless a device is asked for. */
	if (!support.preset)
		options.memory_size = UINT64_C(64) << 20;
	compiler = support.compiler ? strdup(support.compiler)
				    : compiler_path();
	warnings = log_create();
	options.compiler = compiler;
	options.log = warnings;
	memset(&support, 0, sizeof support);
	support.now = 1000000000;
	support.driver = opencl_driver_create(&machine, &options,
					      &support.error);
	if (!support.driver) {
		fprintf(stderr, "%s\n", support.error.text);
		exit(1);
	}
	clGetPlatformIDs(1, &support.platform, NULL);
	clGetDeviceIDs(support.platform, CL_DEVICE_TYPE_GPU, 1, &support.device,
		       NULL);
	support.context = clCreateContext(NULL, 1, &support.device, NULL, NULL,
					  NULL);
	support.queue = clCreateCommandQueue(support.context, support.device,
					     CL_QUEUE_PROFILING_ENABLE, NULL);
}

void support_abandon(void)
{
	opencl_driver_free(support.driver);
	log_free(warnings);
	free(compiler);
	memset(&support, 0, sizeof support);
}

/* What the program made goes back to it, and nothing else does. */
void support_stop(void)
{
	support.ended = 0;
	ASSERT_OK(clReleaseCommandQueue(support.queue));
	ASSERT_OK(clReleaseContext(support.context));
	support_abandon();
}

cl_program support_build(const char *source, const char *options)
{
	static char log[16384];
	cl_program program;
	cl_int status;

	program = clCreateProgramWithSource(support.context, 1, &source, NULL,
					    &status);
	CU_ASSERT_EQUAL(status, CL_SUCCESS);
	status = clBuildProgram(program, 1, &support.device, options, NULL,
				NULL);
	CU_ASSERT_EQUAL(status, CL_SUCCESS);
	if (status == CL_SUCCESS)
		return program;
	clGetProgramBuildInfo(program, support.device, CL_PROGRAM_BUILD_LOG,
			      sizeof log, log, NULL);
	printf("# %s\n", log);
	return NULL;
}

cl_kernel support_kernel(const char *source, const char *name)
{
	cl_program program = support_build(source, "-cl-kernel-arg-info");
	cl_kernel kernel;
	cl_int status;

	kernel = clCreateKernel(program, name, &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	clReleaseProgram(program);
	return kernel;
}

cl_mem support_buffer(size_t size, const void *contents)
{
	cl_int status;
	cl_mem buffer;

	buffer = clCreateBuffer(support.context,
				contents ? CL_MEM_COPY_HOST_PTR : 0, size,
				(void *)(uintptr_t)contents, &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	return buffer;
}

void support_read(cl_mem buffer, void *contents, size_t size)
{
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, buffer, CL_TRUE, 0,
					    size, contents, 0, NULL, NULL),
			CL_SUCCESS);
}
