/* What the sample programs share: command line, OpenCL set-up, verdict. */
#ifndef M2S_SAMPLES_COMMON_SAMPLE_H
#define M2S_SAMPLES_COMMON_SAMPLE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample {
	const char *name;
	size_t n;          /* -n: problem size; its meaning is the sample's */
	unsigned seed;     /* -s */
	bool quiet;        /* -q: only the verdict */
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	uint32_t random_state;
};

/* Reads -n, -s and -q, takes the first device of the first platform (a GPU if
 * there is one) and builds NAME.cl, which lies beside the program. Ends the
 * program with status 2 and a message when something is wrong. `meaning` says
 * what -n is; n must be a multiple of `multiple`, and at most `maximum` if
 * that is not 0. */
void sample_open(struct sample *sample, const char *name, int argc,
		 char **argv, size_t default_n, size_t multiple,
		 size_t maximum, const char *meaning,
		 const char *build_options);
void sample_close(struct sample *sample);

/* Ends the program with status 2 unless the code is CL_SUCCESS. */
void sample_check(cl_int code, const char *call);

cl_kernel sample_kernel(struct sample *sample, const char *name);
/* A buffer with a copy of `data`, or with nothing particular in it. */
cl_mem sample_buffer(struct sample *sample, size_t size, const void *data);
void sample_read(struct sample *sample, cl_mem buffer, size_t size,
		 void *data);

/* Sets the arguments from 0 on: pairs of size_t size, const void *value, as
 * clSetKernelArg takes them; a size of 0 ends the list. */
void sample_arguments(cl_kernel kernel, ...);
/* Shorthand for one argument of that list. */
#define SAMPLE_ARGUMENT(value) sizeof(value), (const void *)&(value)
#define SAMPLE_LOCAL(size) (size_t)(size), (const void *)NULL
#define SAMPLE_END (size_t)0

/* Runs a kernel over `global` work-items in groups of `local`. */
void sample_run(struct sample *sample, cl_kernel kernel, cl_uint dimensions,
		const size_t *global, const size_t *local);
/* The same in one dimension. */
void sample_run_1d(struct sample *sample, cl_kernel kernel, size_t global,
		   size_t local);

/* The same numbers for the same seed, everywhere. */
uint32_t sample_random(struct sample *sample);
/* In [0, 1), a multiple of 2^-16. */
float sample_random_float(struct sample *sample);

/* The verdict: compares, prints "NAME: PASSED" or "NAME: FAILED" with the
 * first wrong element, and returns the program's exit status. `tolerance` is
 * relative to the largest magnitude expected. */
int sample_verdict_float(struct sample *sample, const float *expected,
			 const float *found, size_t count, float tolerance);
int sample_verdict_u32(struct sample *sample, const uint32_t *expected,
		       const uint32_t *found, size_t count);

/* malloc that ends the program when there is no memory. */
void *sample_allocate(size_t size);

#endif
