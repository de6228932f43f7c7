#!/bin/bash
# --evg-annotate: the same figures functionally with any number of threads and
# in detail, and those of the kernel report.
set -u
output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# simulate NAME OPTIONS...
simulate() {
	name=$output/$1
	shift
	timeout 120 "$M2S" --quiet --evg-annotate "$name" "$@" \
		"$top_builddir/samples/reduction/reduction" -q -n 4096 \
		>"$output/stdout" 2>>"$output/log"
}

simulate one --threads 1
check "annotate: a functional run" $?
simulate four --threads 4 && cmp -s "$output/one" "$output/four"
check "annotate: figures do not depend on the threads" $?
simulate values.csv
simulate detailed.csv --evg-sim detailed --evg-report "$output/device" &&
	grep '^"' "$output/values.csv" | cut -d, -f1-9 >"$output/first" &&
	grep '^"' "$output/detailed.csv" | cut -d, -f1-9 |
	cmp -s "$output/first" -
check "annotate: nor on functional or detailed simulation" $?
grep -q '| ; source:[0-9]*: barrier(CLK_LOCAL_MEM_FENCE);' "$output/one"
check "annotate: source lines" $?
grep -Eq '^ +[0-9]+ +64\.0 +[0-9]+ +\| +[0-9]+ +VFETCH' "$output/one"
check "annotate: transactions beside a fetch" $?

simulate values.csv --evg-report-kernel "$output/kernel"
check "annotate: comma-separated values" $?
# report NAME: a figure of the kernel report; total FIELD PATTERN: a column.
report() {
	awk -v name="$1" '$1 == name { print $3 }' "$output/kernel"
}
total() {
	awk -F, -v field="$1" -v pattern="$2" '
		$3 ~ pattern { total += $field } END { print total }' \
		"$output/values.csv"
}
[ "$(total 4 '^(cf|clause|alu|fetch|store)$')" = "$(report Inst_Count)" ]
check "annotate: executions add up to the kernel report's" $?
[ "$(total 4 '^fetch$')" = "$(report TC_Inst_Count)" ]
check "annotate: fetches add up" $?
[ "$(total 7 '^(fetch|store)$')" = "$(report Global_Mem_Transactions)" ]
check "annotate: transactions add up" $?
grep -q '^"reduction",.*"source:[0-9]*","source:[0-9 a-z:]*","00 ALU' "$output/values.csv"
check "annotate: values have text and source" $?
awk -F, '/^"/ && $4 { rows++
	if ($9 - $5 / $4 > 0.001 || $5 / $4 - $9 > 0.001) exit 1 }
	END { exit rows < 5 }' \
	"$output/values.csv"
check "annotate: the mean of active work-items is that of their sum" $?

# cycles KIND FIELD: sum of a column of the detailed run
cycles() {
	awk -F, -v kind="$1" -v field="$2" '$3 == kind {
		total += $field } END { print total }' "$output/detailed.csv"
}
# device NAME: a figure of all compute units
device() {
	awk -v name="$1" '$1 == name { total += $3 } END { print total }' \
		"$output/device"
}
[ "$(cycles alu 10)" = "$(device ALUEngine.Cycles)" ] &&
	[ "$(cycles fetch 10)" = "$(device TEXEngine.Cycles)" ]
check "annotate: cycles of instructions add up to the engines'" $?
[ "$(cycles alu 11)" -gt 0 ] && [ "$(cycles clause 11)" -gt 0 ]
check "annotate: stall cycles" $?

# Each slot of a group has its own line, and nothing is at a closing brace.
cat >"$output/lines.c" <<'C'
#include "host.h"
#include <stdio.h>
static const char *text =
	"kernel void product(global const float *values,\n"
	"		     global const int *columns, global const int *rows,\n"
	"		     global const float *x, global float *y, int n)\n"
	"{\n"
	"	int row = get_global_id(0);\n"
	"	if (row < n) {\n"
	"		float sum = 0;\n"
	"		for (int k = rows[row]; k < rows[row + 1]; k++)\n"
	"			sum += values[k] * x[columns[k]];\n"
	"		y[row] = sum;\n"
	"	}\n"
	"}\n";
int main(void)
{
	struct host host;
	cl_mem memory;
	cl_int n = 16;
	size_t size = 64;

	if (host_begin(&host, text, "product"))
		return 1;
	memory = clCreateBuffer(host.context, CL_MEM_READ_WRITE, 1 << 20, NULL,
				NULL);
	for (int i = 0; i < 5; i++)
		clSetKernelArg(host.kernel, i, sizeof memory, &memory);
	clSetKernelArg(host.kernel, 5, sizeof n, &n);
	if (clEnqueueNDRangeKernel(host.queue, host.kernel, 1, NULL, &size,
				   NULL, 0, NULL, NULL))
		return 2;
	return clFinish(host.queue);
}
C
$CC -w -I"$top_srcdir/tests/system" -o "$output/lines" "$output/lines.c" \
	-lOpenCL &&
	timeout 60 "$M2S" --quiet --evg-sim detailed --evg-annotate \
		"$output/lines.txt" "$output/lines"
check "annotate: a loop with a multiply-add" $?
awk '/\| ; / { line = $0 }
	/MULADD/ { found = 1; wrong += line !~ /source:9: sum/ }
	END { exit wrong || !found }' "$output/lines.txt"
check "annotate: the multiply-add is at its line" $?
! grep -q 'source:[0-9]*: }' "$output/lines.txt"
check "annotate: nothing is at the closing brace" $?
awk '/^Totals of source lines/ { totals = 1; next }
	totals && /\| source:/ { sum += $1; lines++ }
	totals && /\| no source line/ { sum += $1 }
	totals && /\| the kernel/ { all = $1 }
	END { exit lines < 4 || sum != all }' "$output/lines.txt"
check "annotate: totals of lines add up to the kernel's" $?

# Every access is at its line.
awk '/\| ; / { line = $0 }
	/MULADD/ { sums++; wrong += line !~ /source:9: sum/ }
	/VFETCH/ && line ~ /source:8: for/ { bounds++ }
	/VFETCH/ && line ~ /source:9: sum/ { elements++ }
	/MEM_RAT/ { stores++; wrong += line !~ /source:10: y/ }
	/MULLO_INT/ { wrong += line !~ /source:5: int row/ }
	/LOOP/ { wrong += line !~ /source:8: for/ }
	/source:[0-9]*: }/ { wrong++ }
	END { exit wrong || !sums || !bounds || elements < 3 || stores != 1 }' \
	"$output/lines.txt"
check "annotate: its instructions are at their lines" $?

# Many launches of one kernel are one listing.
timeout 60 "$M2S" --quiet --evg-annotate "$output/many" \
	"$top_builddir/samples/bitonic-sort/bitonic-sort" -q -n 256 \
	>"$output/stdout" 2>>"$output/log"
[ "$(grep -c '^Kernel' "$output/many")" -eq 1 ] &&
	grep -q '^Kernel bitonic_sort: 36 launches' "$output/many"
check "annotate: launches are summed" $?
timeout 60 "$M2S" --quiet --evg-annotate "$output/part" --evg-max-kernels 2 \
	"$top_builddir/samples/bitonic-sort/bitonic-sort" -q -n 256 \
	>"$output/stdout" 2>>"$output/log"
grep -q '^; INCOMPLETE: EvergreenMaxKernels' "$output/part"
check "annotate: an incomplete run says so" $?
timeout 60 "$M2S" --evg-annotate "$output/none/x" true 2>"$output/error"
[ $? -eq 1 ] && grep -q -- '--evg-annotate .*: cannot write' "$output/error"
check "annotate: a file that cannot be written" $?
