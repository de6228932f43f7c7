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
simulate detailed --evg-sim detailed &&
	cmp -s "$output/one" "$output/detailed"
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
grep -q '^"reduction",.*"source:[0-9]*","00 ALU' "$output/values.csv"
check "annotate: values have text and source" $?

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
