#!/bin/bash
# m2s-clc --print-after: a kernel behind each stage of the code generator.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

ok() {
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		failed=1
	fi
}

cat >"$work/kernel.cl" <<'END'
kernel void twice(global int *to, global const int *from)
{
	int i = get_global_id(0);

	if (from[i] > 3)
		to[i] = from[i] * 2;
}
END

after() {
	"$top_builddir/m2s-clc" --print-after="$1" \
		"$work/kernel.cl" -o "$work/binary" >"$work/$1" 2>&1
}

for stage in select flow reuse combine join unused predicate copies turn order registers; do
	after $stage && grep -q "^twice after $stage:" "$work/$stage" &&
		grep -q STORE_RAW "$work/$stage"
	ok $? "the instructions behind $stage"
done
grep -q '^ *[0-9]* *%[0-9]* = SETGT_INT' "$work/select" &&
	! grep -q '= SETGT_INT' "$work/unused" &&
	grep -q 'IF PRED_SETGT_INT' "$work/unused"
ok $? "the comparison goes into the test"
[ "$(grep -c FETCH "$work/select")" -ge "$(grep -c FETCH "$work/unused")" ] &&
	! grep -q ':R' "$work/order" && grep -q '%[0-9]*:R[0-9]*\.[xyzw]' \
	"$work/registers"
ok $? "places behind the last stage"
! after nowhere && grep -q 'there is no such stage' "$work/nowhere"
ok $? "a stage that there is not"

# No reciprocal is computed of a number that is known.
sed 's/from\[i\] \* 2/from[i] \/ 7 + from[i] % 10/' "$work/kernel.cl" >"$work/k" &&
	mv "$work/k" "$work/kernel.cl" && after select &&
	grep -q MULHI_ "$work/select" && ! grep -q RECIP "$work/select"
ok $? "division by known numbers is a product"

cat >"$work/kernel.cl" <<'END'
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void sums(global double *to, global const double *from)
{
	int i = get_global_id(0);

	to[i] = from[i] + from[i + 99];
}
kernel void bits(global uint *to, global const uint *from)
{
	int i = get_global_id(0);

	to[i] = bitselect(from[i], from[i + 99], from[i + 9]);
}
kernel void angles(global double *to, global const double *from)
{
	int i = get_global_id(0);

	to[i] = acos(from[i]);
}
END
after copies && ! sed -n '/^sums after/,/^bits/p' "$work/copies" | grep -q '= MOV'
ok $? "a double is computed where it is stored from"
after combine && sed -n '/^bits after/,/^angles/p' "$work/combine" |
	grep -q 'BFI_INT %[0-9]*, %[0-9]*, %[0-9]*$'
ok $? "bits that a mask chooses"

# One operation after the other it needs fewer registers than any schedule.
"$top_builddir/m2s-clc" --schedule-report "$work/kernel.cl" -o "$work/binary" \
	>"$work/report" 2>&1 &&
	sed -n '/^schedule of angles/,$p' "$work/report" |
	awk '$2 ~ /^ALU/ { found++; if ($4 > 1.2 * $5 || /few registers/) exit 1 }
	     END { exit !found }'
ok $? "more registers for a schedule"

# Each clause's groups lie between the bound and one group for each operation.
"$top_builddir/m2s-clc" --schedule-report \
	"$top_srcdir/tests/clc/kernels/local-products.cl" -o "$work/binary" \
	>"$work/report" 2>&1 &&
	awk '$2 ~ /^ALU/ { found++; if ($4 > $3 || $4 < $5 || $5 < $6 ||
		$7 < $4 || $7 > 5 * $4) exit 1
		groups += $4; slots += $7 }
	     / groups, at least / { if ($3 != groups || $7 + 0 > groups) exit 1
		totals++; groups = 0 }
	     END { exit !(found >= 3 && totals) }' "$work/report" &&
	grep -q '^schedule of .* registers, which allow .* wavefronts' \
		"$work/report"
ok $? "the schedule's report"
exit $failed
