#include "x86/timing/study/device.h"

#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "base/memory.h"
#include "x86/timing/study/layout.h"

enum {
	GROUP = 64, /* work-items of a work-group */
	MOST_PLATFORMS = 16,
	MOST_DEVICES = 32,
	/* Of a trace, so that no count of 32 bits overflows. */
	MOST_EVENTS = 1 << 30,
};

static const char kernel_text[] = {
#include "src/x86/timing/study/kernel-text.h" /* of the build folder */
	0
};

struct study_device {
	cl_device_id id;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_ulong largest; /* buffer, bytes */
	double seconds, kernel_seconds;
	char name[256];
};

struct study_batch {
	struct study_device *device;
	size_t count, words;
	cl_kernel run;
	cl_mem config, state, counts, events;
	size_t room; /* bytes of `events` */
	uint64_t done;
};

static int failed(cl_int code, const char *call, struct error *error)
{
	return code == CL_SUCCESS ? 0
				  : error_set(error, "OpenCL: %s failed: "
					      "error %d", call, (int)code);
}

/* --- Devices -------------------------------------------------------------- */

static bool is_wanted(cl_device_id id, const char *name)
{
	char found[256] = "";

	clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof found - 1, found, NULL);
	return strstr(found, name);
}

static bool is_gpu(cl_device_id id)
{
	cl_device_type type = 0;

	clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
	return type & CL_DEVICE_TYPE_GPU;
}

static cl_device_id find_device(const char *name)
{
	cl_platform_id platforms[MOST_PLATFORMS];
	cl_device_id devices[MOST_DEVICES], first = NULL;
	cl_uint count = 0, found;

	if (clGetPlatformIDs(MOST_PLATFORMS, platforms, &count) != CL_SUCCESS)
		return NULL;
	for (cl_uint i = 0; i < count && i < MOST_PLATFORMS; i++) {
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL,
				   MOST_DEVICES, devices, &found) != CL_SUCCESS)
			continue;
		for (cl_uint k = 0; k < found && k < MOST_DEVICES; k++) {
			if (name ? is_wanted(devices[k], name)
				 : is_gpu(devices[k]))
				return devices[k];
			first = first ? first : devices[k];
		}
	}
	return name ? NULL : first;
}

static int build_kernels(struct study_device *device, struct error *error)
{
	const char *text = kernel_text;
	char log[4096] = "";
	cl_int code;

	device->program = clCreateProgramWithSource(device->context, 1, &text,
						    NULL, &code);
	if (failed(code, "clCreateProgramWithSource", error))
		return -1;
	code = clBuildProgram(device->program, 1, &device->id, "", NULL, NULL);
	if (code == CL_SUCCESS)
		return 0;
	clGetProgramBuildInfo(device->program, device->id, CL_PROGRAM_BUILD_LOG,
			      sizeof log - 1, log, NULL);
	return error_set(error, "OpenCL: the kernel does not build for %s: %s",
			 device->name, log);
}

static int set_up(struct study_device *device, struct error *error)
{
	cl_int code;

	clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof device->name - 1,
			device->name, NULL);
	clGetDeviceInfo(device->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE,
			sizeof device->largest, &device->largest, NULL);
	device->context =
		clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
	if (failed(code, "clCreateContext", error))
		return -1;
	device->queue = clCreateCommandQueue(device->context, device->id,
					     CL_QUEUE_PROFILING_ENABLE, &code);
	return failed(code, "clCreateCommandQueue", error) ||
	       build_kernels(device, error);
}

struct study_device *study_device_open(const char *name, struct error *error)
{
	struct study_device *device = xcalloc(1, sizeof *device);

	device->id = find_device(name);
	if (!device->id)
		error_set(error, "OpenCL: no device%s%s",
			  name ? " whose name contains " : "", name ? name : "");
	if (device->id && !set_up(device, error))
		return device;
	study_device_close(device);
	return NULL;
}

void study_device_close(struct study_device *device)
{
	if (!device)
		return;
	if (device->program)
		clReleaseProgram(device->program);
	if (device->queue)
		clReleaseCommandQueue(device->queue);
	if (device->context)
		clReleaseContext(device->context);
	free(device);
}

const char *study_device_name(const struct study_device *device)
{
	return device->name;
}

double study_device_seconds(const struct study_device *device)
{
	return device->seconds;
}

double study_device_kernel_seconds(const struct study_device *device)
{
	return device->kernel_seconds;
}

/* --- Batches -------------------------------------------------------------- */

static cl_mem new_buffer(struct study_batch *batch, size_t bytes,
			 const void *contents, struct error *error)
{
	cl_int code;
	cl_mem buffer = clCreateBuffer(
		batch->device->context,
		contents ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR
			 : CL_MEM_READ_WRITE,
		bytes, (void *)(uintptr_t)contents, &code);

	return failed(code, "clCreateBuffer", error) ? NULL : buffer;
}

static int set_argument(cl_kernel kernel, cl_uint index, size_t size,
			const void *value, struct error *error)
{
	return failed(clSetKernelArg(kernel, index, size, value),
		      "clSetKernelArg", error);
}

static int set_number(cl_kernel kernel, cl_uint index, size_t value,
		      struct error *error)
{
	cl_uint number = (cl_uint)value;

	return set_argument(kernel, index, sizeof number, &number, error);
}

static int launch(struct study_batch *batch, cl_kernel kernel, cl_event *event,
		  struct error *error)
{
	size_t local = batch->count < GROUP ? batch->count : GROUP;
	size_t global = (batch->count + local - 1) / local * local;

	return failed(clEnqueueNDRangeKernel(batch->device->queue, kernel, 1,
					     NULL, &global, &local, 0, NULL,
					     event),
		      "clEnqueueNDRangeKernel", error);
}

static int finish(struct study_batch *batch, struct error *error)
{
	return failed(clFinish(batch->device->queue), "clFinish", error);
}

static int clear(struct study_batch *batch, cl_mem buffer, size_t bytes,
		 struct error *error)
{
	cl_uint zero = 0;

	return failed(clEnqueueFillBuffer(batch->device->queue, buffer, &zero,
					  sizeof zero, 0, bytes, 0, NULL, NULL),
		      "clEnqueueFillBuffer", error);
}

static int init(struct study_batch *batch, struct error *error)
{
	cl_int code;
	cl_kernel kernel = clCreateKernel(batch->device->program, "init", &code);
	int status;

	if (failed(code, "clCreateKernel", error))
		return -1;
	status = set_argument(kernel, 0, sizeof(cl_mem), &batch->config, error) ||
		 set_argument(kernel, 1, sizeof(cl_mem), &batch->state, error) ||
		 set_number(kernel, 2, batch->count, error) ||
		 clear(batch, batch->state, batch->words * batch->count * 4,
		       error) ||
		 clear(batch, batch->counts, LAYOUT_CODES * batch->count * 4,
		       error) ||
		 launch(batch, kernel, NULL, error) || finish(batch, error);
	clReleaseKernel(kernel);
	return status ? -1 : 0;
}

static int fill(struct study_batch *batch,
		const struct predict_config *const *list,
		const uint32_t *streams, struct error *error)
{
	size_t count = batch->count;
	uint32_t *config = xcalloc(count * LAYOUT_WORDS, sizeof *config);
	cl_int code;

	for (size_t i = 0; i < count; i++) {
		uint32_t words[LAYOUT_WORDS];

		layout_make(list[i], streams ? streams[i] : 0, words);
		for (size_t k = 0; k < LAYOUT_WORDS; k++)
			config[k * count + i] = words[k];
		if (words[LAYOUT_TOTAL] > batch->words)
			batch->words = words[LAYOUT_TOTAL];
	}
	batch->config = new_buffer(batch, count * LAYOUT_WORDS * sizeof *config,
				   config, error);
	free(config);
	if (!batch->config)
		return -1;
	if (batch->words * count * 4 > batch->device->largest)
		return error_set(error, "OpenCL: %zu predictors need a buffer "
				 "of %zu bytes; %s has at most %llu",
				 count, batch->words * count * 4,
				 batch->device->name,
				 (unsigned long long)batch->device->largest);
	batch->state = new_buffer(batch, batch->words * count * 4, NULL, error);
	batch->counts = batch->state ? new_buffer(batch,
						  LAYOUT_CODES * count * 4,
						  NULL, error)
				     : NULL;
	if (!batch->counts)
		return -1;
	batch->run = clCreateKernel(batch->device->program, "run", &code);
	return failed(code, "clCreateKernel", error) ||
	       set_argument(batch->run, 4, sizeof(cl_mem), &batch->config,
			    error) ||
	       set_argument(batch->run, 5, sizeof(cl_mem), &batch->state,
			    error) ||
	       set_argument(batch->run, 6, sizeof(cl_mem), &batch->counts,
			    error) ||
	       set_number(batch->run, 7, count, error) || init(batch, error);
}

struct study_batch *study_batch_create(struct study_device *device,
				       const struct predict_config *const *list,
				       const uint32_t *streams, size_t count,
				       struct error *error)
{
	struct study_batch *batch = xcalloc(1, sizeof *batch);

	batch->device = device;
	batch->count = count;
	if (!fill(batch, list, streams, error))
		return batch;
	study_batch_free(batch);
	return NULL;
}

void study_batch_free(struct study_batch *batch)
{
	cl_mem buffers[] = { batch->config, batch->state, batch->counts,
			     batch->events };

	if (batch->run)
		clReleaseKernel(batch->run);
	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	free(batch);
}

/* From the first command's being queued to the last one's end; of the last, a
 * kernel, also by itself. */
static int add_time(struct study_device *device, cl_event first, cl_event last,
		    struct error *error)
{
	cl_ulong from = 0, begin = 0, until = 0;
	cl_int code = clGetEventProfilingInfo(
		first, CL_PROFILING_COMMAND_QUEUED, sizeof from, &from, NULL);

	if (code == CL_SUCCESS)
		code = clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_START,
					       sizeof begin, &begin, NULL);
	if (code == CL_SUCCESS)
		code = clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END,
					       sizeof until, &until, NULL);
	clReleaseEvent(first);
	clReleaseEvent(last);
	device->seconds += (double)(until - from) * 1e-9;
	device->kernel_seconds += (double)(until - begin) * 1e-9;
	return failed(code, "clGetEventProfilingInfo", error);
}

static int run(struct study_batch *batch, const struct numbered *events,
	       size_t all, size_t length, size_t stride, struct error *error)
{
	size_t bytes = all * sizeof *events;
	cl_event first, last;

	if (!length)
		return 0;
	batch->done += length;
	if (batch->done > MOST_EVENTS)
		return error_set(error, "OpenCL: more than %d events",
				 MOST_EVENTS);
	if (bytes > batch->room) {
		if (batch->events)
			clReleaseMemObject(batch->events);
		batch->events = new_buffer(batch, bytes, NULL, error);
		batch->room = batch->events ? bytes : 0;
		if (!batch->events)
			return -1;
	}
	if (failed(clEnqueueWriteBuffer(batch->device->queue, batch->events,
					CL_FALSE, 0, bytes, events, 0, NULL,
					&first),
		   "clEnqueueWriteBuffer", error) ||
	    set_argument(batch->run, 0, sizeof(cl_mem), &batch->events, error) ||
	    set_number(batch->run, 1, 0, error) ||
	    set_number(batch->run, 2, length, error) ||
	    set_number(batch->run, 3, stride, error) ||
	    launch(batch, batch->run, &last, error) || finish(batch, error))
		return -1;
	return add_time(batch->device, first, last, error);
}

int study_batch_run(struct study_batch *batch, const struct numbered *events,
		    size_t all, size_t length, struct error *error)
{
	return run(batch, events, all, length, 1, error);
}

int study_batch_step(struct study_batch *batch, const struct numbered *events,
		     size_t length, struct error *error)
{
	/* With one predictor both orders are the same. */
	return run(batch, events, length * batch->count, length, batch->count,
		   error);
}

int study_batch_counts(struct study_batch *batch,
		       struct predict_counts (*counts)[BRANCH_KINDS],
		       struct error *error)
{
	size_t count = batch->count;
	uint32_t *cases = xcalloc(LAYOUT_CODES * count, sizeof *cases);
	int status = failed(clEnqueueReadBuffer(batch->device->queue,
						batch->counts, CL_TRUE, 0,
						LAYOUT_CODES * count * 4, cases,
						0, NULL, NULL),
			    "clEnqueueReadBuffer", error);

	for (size_t i = 0; i < count && !status; i++) {
		memset(counts[i], 0, sizeof counts[i]);
		for (size_t code = 0; code < LAYOUT_CODES; code++)
			layout_count(counts[i], code,
				     cases[code * count + i]);
	}
	free(cases);
	return status;
}
