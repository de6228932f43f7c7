#!/bin/bash
# Ten thousand random calls, valid ones and such with one fault each, return the
# specification's codes (make check-opencl-fuzz: a million, and PoCL's codes).
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - $2: $(tail -n 1 "$work/out")"
	else
		echo "not ok - $2"
		tail -n 12 "$work/out" "$work/err" | sed 's/^/#   /'
	fi
}

(cd "$top_srcdir/tests/opencl/fuzz" && sources=$(realpath ./*.c) &&
	cd "$work" && $CC -c $sources) || exit 1
$CC -o "$work/simulated" "$work"/*.o -L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl ||
	exit 1
timeout 60 "$M2S" --quiet "$work/simulated" 2000 3 m2s >"$work/out" \
	2>"$work/err"
verdict $? "simulated"

. "$top_srcdir/tests/opencl/native-here.sh"
if ! $CC -o "$work/native" "$work"/*.o -lOpenCL 2>"$work/err"; then
	echo "ok - native # SKIP no libOpenCL to link to"
	exit 0
fi
for seed in 1 2; do
	timeout 60 "$M2S" --native --quiet "$work/native" 10000 $seed m2s \
		>"$work/out" 2>"$work/err"
	verdict $? "native, seed $seed"
done
