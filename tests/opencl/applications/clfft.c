/* clFFT beside sums on the host: some of a transform's numbers, then the inverse
 * transform, which gives the input again. clfft [LENGTH...], 1 to 16777216. */
#define CL_TARGET_OPENCL_VERSION 120
#include <clFFT.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static cl_command_queue queue;
static cl_context context;
static int wrong;

static void check(const char *name, size_t length, int fine)
{
	wrong += !fine;
	printf("%s - %s, %zu numbers\n", fine ? "ok" : "not ok", name, length);
}

/* The sum that defines number INDEX of the transform */
static void sum(const double *input, size_t length, size_t index, double *real,
		double *imaginary)
{
	*real = *imaginary = 0;
	for (size_t i = 0; i < length; i++) {
		double angle = -2 * acos(-1) * (double)(i * index % length) /
			       (double)length;

		*real += input[2 * i] * cos(angle) - input[2 * i + 1] * sin(angle);
		*imaginary += input[2 * i] * sin(angle) +
			      input[2 * i + 1] * cos(angle);
	}
}

static double number(const void *data, int doubles, size_t i)
{
	return doubles ? ((const double *)data)[i] : ((const float *)data)[i];
}

static int transform(cl_mem buffer, void *data, size_t bytes,
		     clfftPlanHandle plan, clfftDirection direction)
{
	return !clfftEnqueueTransform(plan, direction, 1, &queue, 0, NULL, NULL,
				      &buffer, NULL, NULL) &&
	       !clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0,
				    NULL, NULL);
}

static void run(size_t length, int doubles)
{
	size_t bytes = 2 * length * (doubles ? sizeof(double) : sizeof(float));
	double *input = malloc(2 * length * sizeof *input);
	double allowed = doubles ? 1e-13 : 1e-6, real, imaginary;
	void *data = malloc(bytes);
	clfftPlanHandle plan;
	cl_mem buffer;
	int fine;

	/* Numbers of -1 to 1 that a float holds, too */
	for (size_t i = 0; i < 2 * length; i++) {
		input[i] = (double)((i * i * 7919 + i * 104729) % 4097) / 2048 - 1;
		if (doubles)
			((double *)data)[i] = input[i];
		else
			((float *)data)[i] = (float)input[i];
	}
	buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, data,
				NULL);
	fine = !clfftCreateDefaultPlan(&plan, context, CLFFT_1D, &length) &&
	       !clfftSetPlanPrecision(plan, doubles ? CLFFT_DOUBLE :
						      CLFFT_SINGLE) &&
	       !clfftBakePlan(plan, 1, &queue, NULL, NULL) &&
	       transform(buffer, data, bytes, plan, CLFFT_FORWARD);
	/* Errors grow with the root of the length, as the numbers do. */
	for (size_t i = 0; i < 9; i++) {
		size_t index = i * 7919 * 31 % length;

		sum(input, length, index, &real, &imaginary);
		fine &= hypot(real - number(data, doubles, 2 * index),
			      imaginary - number(data, doubles, 2 * index + 1)) <
			allowed * 8 * sqrt((double)length);
	}
	check(doubles ? "double, forward" : "single, forward", length, fine);
	fine = transform(buffer, data, bytes, plan, CLFFT_BACKWARD);
	for (size_t i = 0; i < 2 * length; i++)
		fine &= fabs(number(data, doubles, i) - input[i]) < 8 * allowed;
	check(doubles ? "double, backward" : "single, backward", length, fine);
	clfftDestroyPlan(&plan);
	clReleaseMemObject(buffer);
	free(input);
	free(data);
}

int main(int argc, char **argv)
{
	static const size_t lengths[] = {512, 900, 4096};
	cl_platform_id platform;
	cl_device_id device;

	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	if (clfftSetup(NULL) != CLFFT_SUCCESS)
		return 1;
	for (int doubles = 0; doubles < 2; doubles++) {
		for (int i = 1; i < argc; i++)
			run((size_t)strtoull(argv[i], NULL, 10), doubles);
		for (size_t i = 0; argc < 2 && i < sizeof lengths / sizeof *lengths;
		     i++)
			run(lengths[i], doubles);
	}
	clfftTeardown();
	return wrong != 0;
}
