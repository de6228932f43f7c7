#!/bin/bash
# What the code generator does for a kernel grows about as its size, for kernels of
# many pieces of one kind each: counted steps (count-work.c), no times.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
few=100 many=400

kernel() {
	awk -v shape="$1" -v count="$2" '
	function piece(p)
	{
		if (shape == "sums")
			return "a = a * " p * 7 + 3 " + (b ^ a); b -= a >> " \
				p % 29 + 1 ";"
		if (shape == "writes")
			return "to[i * " count " + " p "] = a + " p ";"
		if (shape == "branches")
			return "if (a > " p ") { to[i + " p "] = b; b += a; } " \
				"else a ^= " p * 5 ";"
		if (shape == "barriers")
			return "near[(i + " p ") & 63] = a; " \
				"barrier(CLK_LOCAL_MEM_FENCE); " \
				"a += near[i & 63] * " p ";"
		if (shape == "quotients")
			return "a += b / (from[i + " p "] | 1); " \
				"b ^= a % " p + 3 ";"
		if (shape == "arrays")
			return "part[a & 63] = b; " \
				"b += part[(a + " p ") & 63]; a ^= b;"
	}
	BEGIN {
		print "kernel void k(global int *to, global const int *from, " \
			"local int *near, int n) {"
		print "int i = get_global_id(0), a = from[i], b = 1, part[64];"
		for (p = 0; p < count; p++)
			print piece(p)
		print "to[i] = a + b; }"
	}'
}

steps() {
	kernel "$1" "$2" >"$work/kernel.cl"
	"$top_builddir/counted-clc" "$work/kernel.cl" -o "$work/binary" 2>&1 |
		awk '$2 == "steps" { print $1; found = 1 } END { exit !found }'
}

# Four times the size: four times the steps, and up to half as many more. With the
# square they would be sixteen times as many.
for shape in sums writes branches barriers quotients arrays; do
	first=$(steps $shape $few) && then=$(steps $shape $many) &&
		[ "$then" -gt "$first" ] && [ "$then" -lt $((6 * first)) ]
	if [ $? -eq 0 ]; then
		echo "ok - $shape"
	else
		echo "not ok - $shape: $first steps for $few, $then for $many"
		failed=1
	fi
done
exit $failed
