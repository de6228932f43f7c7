/* CLBlast beside loops: vectors of whole numbers, so that sums are exact. */
#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>
#include <stdio.h>

enum { N = 48 };
static int wrong;

static void check(const char *name, int fine)
{
	wrong += !fine;
	printf("%s - %s\n", fine ? "ok" : "not ok", name);
}

int main(void)
{
	static float a[N * N], b[N * N], c[N * N];
	cl_platform_id platform;
	cl_command_queue queue;
	cl_device_id device;
	cl_context context;
	cl_mem on_a, on_b, on_c;
	float dot = 0;
	int fine = 1;

	for (int i = 0; i < N * N; i++) {
		a[i] = (float)(i % 7 - 3);
		b[i] = (float)(i % 5 - 2);
	}
	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	on_a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, a, NULL);
	on_b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof b, b, NULL);
	on_c = clCreateBuffer(context, 0, sizeof c, NULL, NULL);

	fine = !CLBlastSaxpy(N * N, 2, on_a, 0, 1, on_b, 0, 1, &queue, NULL);
	clEnqueueReadBuffer(queue, on_b, CL_TRUE, 0, sizeof c, c, 0, NULL,
			    NULL);
	for (int i = 0; i < N * N; i++) {
		b[i] += 2 * a[i];
		dot += a[i] * b[i];
		fine &= b[i] == c[i];
	}
	check("saxpy", fine);
	fine = !CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo,
			     CLBlastTransposeNo, N, N, N, 1, on_a, 0, N, on_b,
			     0, N, 0, on_c, 0, N, &queue, NULL);
	clEnqueueReadBuffer(queue, on_c, CL_TRUE, 0, sizeof c, c, 0, NULL,
			    NULL);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i * N + k] * b[k * N + j];
			fine &= sum == c[i * N + j];
		}
	check("sgemm", fine);
	fine = !CLBlastSdot(N * N, on_c, 0, on_a, 0, 1, on_b, 0, 1, &queue,
			    NULL);
	clEnqueueReadBuffer(queue, on_c, CL_TRUE, 0, sizeof *c, c, 0, NULL,
			    NULL);
	check("sdot", fine && c[0] == dot);
	return wrong;
}
