#!/bin/bash
# Code for each chip of the family (src/evergreen/isa/chip.def): it is marked, it
# has only what the chip has, and it computes the same.
set -u
clc=$top_builddir/m2s-clc
kernels=$top_srcdir/tests/clc/kernels
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - chips: $2"
	else
		echo "not ok - chips: $2"
		sed 's/^/#   /' "$work/err" | head -20
	fi
}

# Each name, ELF number, whether it has FMA, whether clauses save deep masks.
while read -r chip number fma saves; do
	"$clc" --chip "$chip" "$kernels/chips.cl" -o "$work/$chip.bin" \
		2>"$work/err" &&
		"$M2S" --evg-disasm "$work/$chip.bin" >"$work/$chip.text" &&
		[ "$(od -An -tu1 -j36 -N1 "$work/$chip.bin" | tr -d ' ')" -eq \
			"$number" ] &&
		[ "$(grep -c ': FMA ' "$work/$chip.text")" -eq "$fma" ] &&
		if [ "$saves" = deep ]; then
			! grep -q ' PUSH:\| PUSH ' "$work/$chip.text"
		else
			grep -q ' PUSH:\| PUSH ' "$work/$chip.text"
		fi
	verdict $? "$chip has its own code"
	"$top_builddir/m2s-evg-as" "$work/$chip.text" -o "$work/again.bin" \
		2>"$work/err" &&
		"$M2S" --evg-disasm "$work/again.bin" |
		cmp - "$work/$chip.text" 2>>"$work/err"
	verdict $? "$chip's code is assembled again from its listing"
	for file in chips control structured; do
		M2S_TEST_CHIP=$chip \
			"$top_builddir/tests/clc/test-differential" "" $file.cl \
			>"$work/err" 2>&1 && ! grep -q '^not ok' "$work/err"
		verdict $? "$chip computes $file.cl as PoCL does"
	done
done <<'END'
cypress 9 1 deep
juniper 10 0 deep
redwood 11 0 shallow
cedar 8 0 shallow
sumo 12 0 shallow
END

# Exactly rounded without FMA, too; functions that use it keep their limits.
M2S_TEST_CHIP=juniper "$top_builddir/tests/clc/test-accuracy" \
	>"$work/err" 2>&1 && ! grep -q '^not ok' "$work/err"
verdict $? "juniper's functions are as accurate"

"$clc" --chip barts "$kernels/chips.cl" 2>"$work/err"
[ $? -eq 2 ] && grep -q 'barts: expected cypress, juniper.* or sumo' \
	"$work/err"
verdict $? "an unknown chip is refused"

! "$clc" --chip juniper "$kernels/double.cl" 2>"$work/err" &&
	grep -q "requires cl_khr_fp64" "$work/err"
verdict $? "juniper has no doubles in the language"

"$clc" -c "$kernels/double.cl" -o "$work/double.o" 2>"$work/err" &&
	! "$clc" --link --chip cedar "$work/double.o" -o "$work/double.bin" \
		2>"$work/err" &&
	grep -q 'needs double-precision units, which the Radeon HD 5400' \
		"$work/err" && [ ! -e "$work/double.bin.refused" ]
verdict $? "an object with doubles is no code for cedar"

# Programs find out by macro and by clGetDeviceInfo.
printf '%s\n' '#ifdef FP_FAST_FMAF' 'kernel void fast(global int *a) { *a = 1; }' \
	'#else' 'kernel void slow(global int *a) { *a = 1; }' '#endif' \
	>"$work/macro.cl"
for pair in cypress:fast juniper:slow; do
	"$clc" --chip ${pair%:*} "$work/macro.cl" -o "$work/macro.bin" \
		2>"$work/err" && "$M2S" --evg-disasm "$work/macro.bin" |
		grep -q "^.kernel ${pair#*:}"
	verdict $? "FP_FAST_FMAF on ${pair%:*}"
done

# The running device's chip reaches the compiler, the cache and the report; a
# binary for another chip does not run where it cannot.
cat >"$work/host.c" <<'END'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *source =
	"kernel void k(global float *a) { *a = fma(*a, *a, 1.0f); }";

int main(void)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_device_fp_config config;
	float value = 3;

	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config,
			&config, NULL);
	cl_context context = clCreateContext(NULL, 1, &device, 0, 0, NULL);
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
	cl_program program =
		clCreateProgramWithSource(context, 1, &source, NULL, NULL);
	clBuildProgram(program, 1, &device, NULL, NULL, NULL);
	cl_kernel kernel = clCreateKernel(program, "k", NULL);
	cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR,
				       sizeof value, &value, NULL);
	clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
	clEnqueueTask(queue, kernel, 0, NULL, NULL);
	clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0,
			    NULL, NULL);
	printf("%g %d\n", value, (config & CL_FP_FMA) != 0);
	return 0;
}
END
$CC -w -o "$work/host" "$work/host.c" -L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl \
	2>"$work/err" || verdict 1 "compiling the host program"
export XDG_CACHE_HOME=$work/cache
while read -r preset chip answer; do
	timeout 120 "$M2S" --quiet --overwrite --evg-preset "$preset" \
		--evg-report-kernel "$work/report" "$work/host" >"$work/out" \
		2>"$work/err"
	grep -qx "$answer" "$work/out" && grep -qx "Chip = $chip" "$work/report"
	verdict $? "$preset runs code for $chip"
done <<'END'
hd5870 cypress 10 1
hd5770 juniper 10 0
hd5670 redwood 10 0
hd5450 cedar 10 0
llano sumo 10 0
END
[ "$(find "$work/cache/m2s" -type f | wc -l)" -eq 5 ]
verdict $? "the cache keeps one binary for each chip"
for chip in cedar sumo; do
	printf '[Device]\nChip = %s\nDoublePrecision = f\n' $chip >"$work/config"
	timeout 120 "$M2S" --evg-config "$work/config" "$work/host" \
		>"$work/out" 2>"$work/err.$chip"
done
grep -q 'cedar: .*have 32 work-items' "$work/err.cedar" &&
	! grep -q 'work-items' "$work/err.sumo"
verdict $? "a chip with other wavefronts than the simulation's is warned of"

sed -n 's/^\t"\(kernel.*\)";/\1/p' "$work/host.c" >"$work/source.cl"
"$clc" "$work/source.cl" -o "$work/fused.bin" 2>"$work/err" &&
	! timeout 120 "$M2S" --quiet --evg-preset hd5770 --evg-kernel-binary \
		"$work/fused.bin" "$work/host" >"$work/out" 2>"$work/err" &&
	grep -q "compiled for cypress: .* FMA needs FMA, which the Radeon HD 5770.*--chip juniper" \
		"$work/err"
verdict $? "a binary for cypress that uses FMA is refused on juniper"
