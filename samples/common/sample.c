#include "sample.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void usage(const struct sample *sample, const char *meaning)
{
	fprintf(stderr,
		"Usage: %s [-n SIZE] [-s SEED] [-q]\n"
		"  -n SIZE  %s\n"
		"  -s SEED  seed of the input (default 1)\n"
		"  -q       print only the verdict\n",
		sample->name, meaning);
	exit(2);
}

void sample_check(cl_int code, const char *call)
{
	if (code == CL_SUCCESS)
		return;
	fprintf(stderr, "%s failed with OpenCL error %d\n", call, (int)code);
	exit(2);
}

void *sample_allocate(size_t size)
{
	void *memory = malloc(size ? size : 1);

	if (!memory) {
		fprintf(stderr, "out of memory (%zu bytes)\n", size);
		exit(2);
	}
	return memory;
}

/* NAME.cl in the folder of the running program. */
static char *read_source(const struct sample *sample, size_t *size)
{
	char path[4096], *slash, *text;
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	FILE *stream;

	path[length > 0 ? length : 0] = '\0';
	slash = strrchr(path, '/');
	snprintf(slash ? slash + 1 : path,
		 sizeof path - (size_t)(slash ? slash + 1 - path : 0), "%s.cl",
		 sample->name);
	stream = fopen(path, "r");
	if (!stream) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	text = sample_allocate(1 << 16);
	*size = fread(text, 1, 1 << 16, stream);
	fclose(stream);
	return text;
}

static void find_device(struct sample *sample)
{
	cl_platform_id platform;
	cl_uint count = 0;
	char name[256] = "";

	sample_check(clGetPlatformIDs(1, &platform, &count),
		     "clGetPlatformIDs");
	if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &sample->device,
			   NULL) != CL_SUCCESS)
		sample_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1,
					    &sample->device, NULL),
			     "clGetDeviceIDs");
	sample_check(clGetDeviceInfo(sample->device, CL_DEVICE_NAME,
				     sizeof name, name, NULL),
		     "clGetDeviceInfo");
	if (!sample->quiet)
		printf("%s: n = %zu on %s\n", sample->name, sample->n, name);
}

static void build(struct sample *sample, const char *options)
{
	char log[16384] = "";
	const char *source;
	size_t size;
	cl_int code;

	source = read_source(sample, &size);
	sample->program = clCreateProgramWithSource(sample->context, 1,
						    &source, &size, &code);
	sample_check(code, "clCreateProgramWithSource");
	code = clBuildProgram(sample->program, 1, &sample->device, options,
			      NULL, NULL);
	if (code != CL_SUCCESS) {
		clGetProgramBuildInfo(sample->program, sample->device,
				      CL_PROGRAM_BUILD_LOG, sizeof log, log,
				      NULL);
		fprintf(stderr, "%s\n", log);
	}
	sample_check(code, "clBuildProgram");
	free((char *)source);
}

static size_t number(const struct sample *sample, const char *text,
		     const char *meaning)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	if (end == text || *end || *text == '-')
		usage(sample, meaning);
	return value;
}

void sample_open(struct sample *sample, const char *name, int argc,
		 char **argv, size_t default_n, size_t multiple,
		 size_t maximum, const char *meaning,
		 const char *build_options)
{
	int option;
	cl_int code;

	memset(sample, 0, sizeof *sample);
	sample->name = name;
	sample->n = default_n;
	sample->seed = 1;
	while ((option = getopt(argc, argv, "n:s:q")) != -1) {
		if (option == 'n')
			sample->n = number(sample, optarg, meaning);
		else if (option == 's')
			sample->seed = (unsigned)number(sample, optarg,
							meaning);
		else if (option == 'q')
			sample->quiet = true;
		else
			usage(sample, meaning);
	}
	if (optind < argc || !sample->n || sample->n % multiple ||
	    (maximum && sample->n > maximum))
		usage(sample, meaning);
	sample->random_state = sample->seed * 2654435761u + 12345u;
	find_device(sample);
	sample->context = clCreateContext(NULL, 1, &sample->device, NULL, NULL,
					  &code);
	sample_check(code, "clCreateContext");
	sample->queue = clCreateCommandQueue(sample->context, sample->device,
					     0, &code);
	sample_check(code, "clCreateCommandQueue");
	build(sample, build_options);
}

void sample_close(struct sample *sample)
{
	clReleaseProgram(sample->program);
	clReleaseCommandQueue(sample->queue);
	clReleaseContext(sample->context);
}

cl_kernel sample_kernel(struct sample *sample, const char *name)
{
	cl_int code;
	cl_kernel kernel = clCreateKernel(sample->program, name, &code);

	sample_check(code, "clCreateKernel");
	return kernel;
}

cl_mem sample_buffer(struct sample *sample, size_t size, const void *data)
{
	cl_int code;
	cl_mem buffer = clCreateBuffer(sample->context, CL_MEM_READ_WRITE, size,
				       NULL, &code);

	sample_check(code, "clCreateBuffer");
	if (data)
		sample_check(clEnqueueWriteBuffer(sample->queue, buffer,
						  CL_TRUE, 0, size, data, 0,
						  NULL, NULL),
			     "clEnqueueWriteBuffer");
	return buffer;
}

void sample_read(struct sample *sample, cl_mem buffer, size_t size, void *data)
{
	sample_check(clEnqueueReadBuffer(sample->queue, buffer, CL_TRUE, 0,
					 size, data, 0, NULL, NULL),
		     "clEnqueueReadBuffer");
}

void sample_arguments(cl_kernel kernel, ...)
{
	va_list list;
	size_t size;

	va_start(list, kernel);
	for (cl_uint i = 0; (size = va_arg(list, size_t)); i++)
		sample_check(clSetKernelArg(kernel, i, size,
					    va_arg(list, const void *)),
			     "clSetKernelArg");
	va_end(list);
}

void sample_run(struct sample *sample, cl_kernel kernel, cl_uint dimensions,
		const size_t *global, const size_t *local)
{
	sample_check(clEnqueueNDRangeKernel(sample->queue, kernel, dimensions,
					    NULL, global, local, 0, NULL,
					    NULL),
		     "clEnqueueNDRangeKernel");
	sample_check(clFinish(sample->queue), "clFinish");
}

void sample_run_1d(struct sample *sample, cl_kernel kernel, size_t global,
		   size_t local)
{
	sample_run(sample, kernel, 1, &global, &local);
}

uint32_t sample_random(struct sample *sample)
{
	/* xorshift32 (Marsaglia, 2003). */
	uint32_t x = sample->random_state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return sample->random_state = x;
}

float sample_random_float(struct sample *sample)
{
	return (float)(sample_random(sample) >> 16) / 65536.0f;
}

int sample_verdict_float(struct sample *sample, const float *expected,
			 const float *found, size_t count, float tolerance)
{
	float largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = fmaxf(largest, fabsf(expected[i]));
	for (size_t i = 0; i < count; i++)
		if (!(fabsf(expected[i] - found[i]) <= tolerance * largest)) {
			printf("%s: FAILED: element %zu is %.9g, expected "
			       "%.9g\n", sample->name, i, (double)found[i],
			       (double)expected[i]);
			return 1;
		}
	printf("%s: PASSED\n", sample->name);
	return 0;
}

int sample_verdict_u32(struct sample *sample, const uint32_t *expected,
		       const uint32_t *found, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (expected[i] != found[i]) {
			printf("%s: FAILED: element %zu is %u, expected %u\n",
			       sample->name, i, (unsigned)found[i],
			       (unsigned)expected[i]);
			return 1;
		}
	printf("%s: PASSED\n", sample->name);
	return 0;
}
