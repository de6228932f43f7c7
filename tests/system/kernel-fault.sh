#!/bin/bash
# What is said of a kernel's wild access, which --evg-strict makes a failure: the
# source line, the work-item, the
# argument and its buffer.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# Arguments: the step of the writes, the offset of the reads, in elements.
cat >"$folder/wild.c" <<'C'
#include "host.h"
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
	struct host host;
	cl_mem in, out;
	cl_int step = atoi(arguments[1]), offset = atoi(arguments[2]);
	size_t size = 128, local = 64;

	if (host_begin(&host, text, "far"))
		return 3;
	in = clCreateBuffer(host.context, CL_MEM_READ_ONLY, 512, NULL, NULL);
	out = clCreateBuffer(host.context, CL_MEM_READ_WRITE, 1024, NULL, NULL);
	clSetKernelArg(host.kernel, 0, sizeof in, &in);
	clSetKernelArg(host.kernel, 1, sizeof step, &step);
	clSetKernelArg(host.kernel, 2, sizeof offset, &offset);
	clSetKernelArg(host.kernel, 3, sizeof out, &out);
	clEnqueueNDRangeKernel(host.queue, host.kernel, 1, NULL, &size, &local,
			       0, NULL, NULL);
	return clFinish(host.queue);
}
C
$CC -w -I"$top_srcdir/tests/system" -o "$folder/wild" "$folder/wild.c" \
	-lOpenCL || { echo "not ok - the program cannot be built"; exit 1; }

# says LABEL STEP OFFSET PATTERN: functionally and in detail
says() {
	local how
	for how in functional detailed; do
		"$M2S" --quiet --evg-strict --evg-sim $how "$folder/wild" "$2" "$3" \
			>"$folder/out" 2>"$folder/err"
		[ $? -eq 1 ] && grep -Eq "$4" "$folder/err"
		check "$1, $how" $?
	done
}

"$M2S" --quiet "$folder/wild" 1 0
check "a kernel without a fault" $?
# 256 elements: work-item 64 is the first to go behind them.
says "a write" 4 0 "kernel 'far': source:7: out\[id \* step\] = value;: .*\
work-group \(1, 0, 0\), work-item \(64, 0, 0\): write of 4 bytes through argument 3 'out' \(float\*\) at .*: \
it is at the end of 'buffer' \[[0-9a-fx, ]*\); "
says "a write before the buffer" -1 0 "work-group \(0, 0, 0\), \
work-item \(1, 0, 0\): write .*"
says "a read" 1 100000 "source:5: float value = in\[id \+ offset\];: .*\
work-item \(0, 0, 0\): read of 4 bytes .*: it is [0-9]* bytes behind the end of"
