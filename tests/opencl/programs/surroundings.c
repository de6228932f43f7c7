/* A program that leaves little of what a library may expect of its process, and then
 * builds and runs a kernel: run by surroundings.sh. */
#define _GNU_SOURCE /* pipe2 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 1024, WIDTH = 32 };

static const char *source =
	"kernel void twice(global const int *a, global int *b) {\n"
	"  b[get_global_id(0)] = 2 * a[get_global_id(0)]; }\n"
	"kernel void twice_texels(read_only image2d_t a, global int *b) {\n"
	"  int i = get_global_id(0), width = get_image_width(a);\n"
	"  b[i] = 2 * read_imagei(a, CLK_ADDRESS_NONE | CLK_FILTER_NEAREST,\n"
	"                         (int2)(i % width, i / width)).x; }\n";

static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static volatile sig_atomic_t reaped;

static void reap(int number)
{
	(void)number;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		reaped++;
}

static void check(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	printf("%s: error %d\n", what, (int)status);
	exit(3);
}

static void build(const char *name)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_program program;
	cl_int status;

	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	      "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	check(status, "clCreateContext");
	queue = clCreateCommandQueue(context, device, 0, &status);
	check(status, "clCreateCommandQueue");
	program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
	check(status, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL),
	      "clBuildProgram");
	kernel = clCreateKernel(program, name, &status);
	check(status, "clCreateKernel");
}

static cl_mem make_image(int *numbers)
{
	const cl_image_format format = { CL_R, CL_SIGNED_INT32 };
	const cl_image_desc description = {
		.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = WIDTH,
		.image_height = COUNT / WIDTH,
	};
	cl_int status;
	cl_mem image = clCreateImage(context, CL_MEM_USE_HOST_PTR, &format,
				     &description, numbers, &status);

	check(status, "clCreateImage");
	return image;
}

/* Whether the kernel doubles these numbers, in a buffer or image that may be
 * written. */
static int is_right(int *numbers, int image)
{
	size_t count = COUNT, size = COUNT * sizeof(int);
	cl_int status;
	cl_mem in, out;
	int got[COUNT];

	if (image) {
		in = make_image(numbers);
	} else {
		in = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, size,
				    numbers, &status);
		check(status, "clCreateBuffer");
	}
	out = clCreateBuffer(context, 0, size, NULL, &status);
	check(status, "clCreateBuffer");
	check(clSetKernelArg(kernel, 0, sizeof in, &in), "clSetKernelArg");
	check(clSetKernelArg(kernel, 1, sizeof out, &out), "clSetKernelArg");
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0,
				     NULL, NULL),
	      "clEnqueueNDRangeKernel");
	check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, size, got, 0, NULL,
				  NULL),
	      "clEnqueueReadBuffer");
	for (int i = 0; i < COUNT; i++)
		if (got[i] != 2 * numbers[i])
			return 0;
	clReleaseMemObject(in);
	clReleaseMemObject(out);
	return 1;
}

/* The same numbers in a file that is mapped for reading only. */
static int *map_file(const int *numbers)
{
	char name[] = "surroundings.XXXXXX";
	int file = mkstemp(name);
	void *mapped;

	if (file < 0 || write(file, numbers, COUNT * sizeof *numbers) < 0)
		exit(4);
	unlink(name);
	mapped = mmap(NULL, COUNT * sizeof *numbers, PROT_READ, MAP_SHARED,
		      file, 0);
	close(file);
	return mapped == MAP_FAILED ? NULL : mapped;
}

/* Closes what it has not opened, and opens a file instead. */
static void take_files(void)
{
	int file;

	for (int i = STDERR_FILENO + 1; i < 256; i++)
		close(i);
	file = open("data", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (file < 0 || write(file, "mine", 4) != 4)
		exit(4);
}

/* Takes any descriptor for a file of its own. */
static void take_numbers(void)
{
	int file = open("data", O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (file < 0 || write(file, "mine", 4) != 4)
		exit(4);
	for (int i = STDERR_FILENO + 1; i < 1024; i++)
		dup2(file, i);
}

static void *finish(void *unused)
{
	clFinish(queue);
	pthread_testcancel();
	return unused;
}

/* A thread is cancelled while it waits in OpenCL. */
static void cancel_waiting(void)
{
	cl_event gate = clCreateUserEvent(context, NULL);
	pthread_t thread;
	void *result;

	check(clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL), "a marker");
	if (pthread_create(&thread, NULL, finish, NULL))
		exit(4);
	usleep(100000);
	pthread_cancel(thread);
	usleep(100000);
	check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
	pthread_join(thread, &result);
	puts(result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
}

static void *build_waiting(void *done)
{
	static const char *text = "#include \"held.h\"\n";
	cl_int status;
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL,
						       &status);

	check(status, "clCreateProgramWithSource");
	check(clBuildProgram(program, 0, NULL, "-I.", NULL, NULL),
	      "clBuildProgram");
	*(volatile int *)done = 1;
	return NULL;
}

/* A pipe is closed while the compiler waits for a file: its reader sees that at
 * once. */
static void close_pipe(void)
{
	struct pollfd reader = { .events = POLLIN };
	volatile int done = 0;
	pthread_t thread;
	int ends[2], held;

	if (mkfifo("held.h", 0600) || pipe2(ends, O_CLOEXEC) ||
	    pthread_create(&thread, NULL, build_waiting, (void *)&done))
		exit(4);
	held = open("held.h", O_WRONLY); /* waits for the compiler */
	close(ends[1]);
	reader.fd = ends[0];
	if (poll(&reader, 1, 20000) != 1) {
		puts("the pipe is still open");
		exit(4);
	}
	close(held);
	while (!done) { /* it may read the file again */
		held = open("held.h", O_WRONLY | O_NONBLOCK);
		if (held >= 0)
			close(held);
		usleep(1000);
	}
	pthread_join(thread, NULL);
	unlink("held.h");
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	int numbers[COUNT], *used = numbers;
	int image = !strcmp(part, "image");

	for (int i = 0; i < COUNT; i++)
		numbers[i] = 3 * i + 1;
	if (!strcmp(part, "reaps"))
		signal(SIGCHLD, reap);
	if (!strcmp(part, "ignores"))
		signal(SIGCHLD, SIG_IGN);
	if (!strcmp(part, "closed"))
		close(STDIN_FILENO), close(STDERR_FILENO);
	if (!strcmp(part, "mapped") || image)
		used = map_file(numbers);
	build(image ? "twice_texels" : "twice");
	if (waitpid(-1, NULL, 0) > 0)
		reaped++;
	if (!strcmp(part, "files"))
		take_files();
	if (!strcmp(part, "numbers"))
		take_numbers();
	if (!strcmp(part, "pipes"))
		close_pipe();
	if (!strcmp(part, "cancels"))
		cancel_waiting();
	printf("%s, %d children\n", is_right(used, image) ? "right" : "wrong",
	       (int)reaped);
	return 0;
}
