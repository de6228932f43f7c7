#!/bin/bash
# What m2s tells of a program's OpenCL calls: --cl-debug, --cl-report,
# --cl-leaks.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

result() {
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		sed 's/^/#   /' "$work/log" "$work/err"
	fi
}

# line TEXT: the log has a line that begins with the text.
line() {
	awk -v text="$1" 'index($0, text) == 1 { found = 1 }
			  END { exit !found }' "$work/log"
	result "--cl-debug: ${1:0:60}" $?
}

# figure SECTION NAME VALUE
figure() {
	local found
	found=$(awk -v section="[ $1 ]" -v name="$2" '
		/^\[/ { inside = $0 == section }
		inside && $1 == name { print $3 }' "$work/report")
	[ "$found" = "$3" ]
	result "--cl-report: $1, $2 is $3${found:+ ($found)}" $?
}

$CC -O1 -o "$work/calls" "$top_srcdir/tests/opencl/programs/calls.c" \
	-L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl \
	-pthread || exit 1
timeout 60 "$M2S" --quiet --provenance none --cl-debug "$work/log" \
	--cl-report "$work/report" --cl-leaks "$work/calls" \
	>"$work/out" 2>"$work/err"
result "the program ends" $?

line 'clGetPlatformInfo(platform = platform#1, param_name = CL_PLATFORM_ICD_SUFFIX_KHR, '
line 'clCreateCommandQueue(context = context#3, device = device#2, properties = CL_QUEUE_PROFILING_ENABLE) = CL_SUCCESS, makes queue#4; at '
line 'clCreateBuffer(context = context#3, flags = CL_MEM_WRITE_ONLY|CL_MEM_ALLOC_HOST_PTR, size = 256, host_ptr = NULL) = CL_SUCCESS, makes buffer#5; '
line 'clBuildProgram(program = program#7, num_devices = 1, devices = {device#2}, options = "-D A=\\"x\\"", '
line 'clSetKernelArg(kernel = kernel#8, index = 0, size = 8, value = buffer#5) = CL_SUCCESS; '
line 'clSetKernelArg(kernel = kernel#8, index = 3, size = 4, value = 0x00000007) = CL_INVALID_ARG_INDEX; '
line 'clEnqueueFillBuffer(queue = queue#4, buffer = buffer#5, pattern = 0x00020001, '
line 'clEnqueueNDRangeKernel(queue = queue#4, kernel = kernel#8, work_dim = 2, global_offset = NULL, global_size = {32, 2}, local_size = {32, 1}, wait_count = 1, wait_list = {event#10}) = CL_SUCCESS, makes event#11; '
line 'clReleaseMemObject(object = program#7) = CL_INVALID_MEM_OBJECT; '
[ "$(grep -c '^clEnqueueReadBuffer.* = waits; ' "$work/log")" = 1 ] &&
	[ "$(grep -c '^clEnqueueReadBuffer.* = CL_SUCCESS; ' \
		"$work/log")" = 1 ]
result "--cl-debug: a blocking call that waits has two lines" $?
awk '/^clEnqueueFillBuffer/ { split($0, part, "; at "); split(part[2], time)
			      if (time[3] > 0) ok = 1 }
     END { exit !ok }' "$work/log"
result "--cl-debug: a command takes simulated time" $?

figure OpenCL Calls "$(grep -vc -e '^[ ;]' -e ' = waits; ' "$work/log")"
figure OpenCL FailedCalls 2
figure OpenCL Launches 1
figure Builds Count 1
figure Builds Failed 0
figure "Kernel fill" WorkItems 64
figure "Command CL_COMMAND_READ_BUFFER" Bytes 256
figure "Command CL_COMMAND_FILL_BUFFER" Count 1
figure "Call clSetKernelArg" Count 4
figure "Call clSetKernelArg" Failed 1
figure "Call clEnqueueReadBuffer" Count 1
figure "Objects buffer" Made 2
figure "Objects buffer" NotReleased 1
figure "Objects program" NotReleased 0
# The parts make the whole.
awk '/^\[/ { section = $2; next }
     $1 == "CallTime" { whole = $3 } $1 == "CommandTime" { commands = $3 }
     $1 == "Time" { sum[section] += $3 }
     END { exit !(whole > commands && commands > 0 &&
		  (whole - sum["Call"])^2 < 1e-4 &&
		  (commands - sum["Command"])^2 < 1e-4) }' "$work/report"
result "--cl-report: times of calls and of commands add up" $?

grep -q 'OpenCL: 5 objects were not released' "$work/err" &&
	grep -q 'buffer#5, 1 reference, buffer of 256 bytes, CL_MEM_WRITE_ONLY|CL_MEM_ALLOC_HOST_PTR' "$work/err" &&
	grep -q 'kernel#8, 1 reference, fill' "$work/err" &&
	grep -q 'event#11, .*CL_COMMAND_NDRANGE_KERNEL, CL_COMPLETE' \
		"$work/err" && ! grep -q 'program#7' "$work/err"
result "--cl-leaks lists what was not released" $?
timeout 60 "$M2S" --quiet --cl-leaks \
	"$top_builddir/samples/vector-add/vector-add" -q -n 64 \
	>"$work/out" 2>"$work/err"
! grep -q released "$work/err"
result "--cl-leaks is silent when everything was released" $?
cp "$work/report" "$work/first"
timeout 60 "$M2S" --quiet --provenance none --cl-report "$work/report" \
	"$work/calls" >"$work/out" 2>"$work/err"
# But for what the cache knows by now.
cmp <(grep -v ^Cached "$work/first") <(grep -v ^Cached "$work/report")
result "--cl-report: a second run has the same report" $?
