#!/bin/bash
# What is said of a kernel's wild access: the source line, the work-item, the
# argument and its buffer.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# Arguments: the step of the writes, the offset of the reads, in elements.
cat >"$folder/wild.c" <<'C'
#include <CL/cl.h>
#include <stdlib.h>
static const char *text =
	"kernel void far(global const float *in, int step, int offset,\n"
	"		 global float *out)\n"
	"{\n"
	"	int id = get_global_id(0);\n"
	"	float value = in[id + offset];\n"
	"\n"
	"	out[id * step] = value;\n"
	"}\n";
int main(int count, char **arguments)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem in, out;
	cl_int step = atoi(arguments[1]), offset = atoi(arguments[2]);
	size_t size = 128, local = 64;

	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
	if (clBuildProgram(program, 1, &device, "", NULL, NULL))
		return 3;
	kernel = clCreateKernel(program, "far", NULL);
	in = clCreateBuffer(context, CL_MEM_READ_ONLY, 512, NULL, NULL);
	out = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, NULL, NULL);
	clSetKernelArg(kernel, 0, sizeof in, &in);
	clSetKernelArg(kernel, 1, sizeof step, &step);
	clSetKernelArg(kernel, 2, sizeof offset, &offset);
	clSetKernelArg(kernel, 3, sizeof out, &out);
	clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &local, 0, NULL,
			       NULL);
	return clFinish(queue);
}
C
$CC -w -DCL_TARGET_OPENCL_VERSION=120 -o "$folder/wild" "$folder/wild.c" \
	-lOpenCL || { echo "not ok - the program cannot be built"; exit 1; }

# says LABEL STEP OFFSET PATTERN: functionally and in detail
says() {
	local how
	for how in functional detailed; do
		"$M2S" --quiet --evg-sim $how "$folder/wild" "$2" "$3" \
			>"$folder/out" 2>"$folder/err"
		[ $? -eq 1 ] && grep -Eq "$4" "$folder/err"
		check "$1, $how" $?
	done
}

"$M2S" --quiet "$folder/wild" 1 0
check "a kernel without a fault" $?
# 256 elements: work-item 64 is the first to go behind them.
says "a write" 4 0 "kernel 'far': source:7: out\[id \* step\] = value;: .*\
work-group \(1, 0, 0\), work-item \(64, 0, 0\): write of 4 bytes .*: \
it is at the end of 'buffer' .*, argument 3 'out' \(float\*\)"
says "a write before the buffer" -1 0 "work-group \(0, 0, 0\), \
work-item \(1, 0, 0\): write .*"
says "a read" 1 100000 "source:5: float value = in\[id \+ offset\];: .*\
work-item \(0, 0, 0\): read of 4 bytes .*: it is [0-9]* bytes behind the end of"
