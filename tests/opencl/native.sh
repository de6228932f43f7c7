#!/bin/bash
# The guest library outside the simulator: it loads wherever libOpenCL.so.1
# would. With the simulator's library beside it, programs run natively; without
# it, it says that there is no simulated GPU.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tour=$top_srcdir/tests/opencl/programs/tour.c

. "$top_srcdir/tests/opencl/native-here.sh"

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		sed 's/^/#   /' "$work/out" "$work/err" 2>/dev/null
	fi
}

# The program finds no platform and is told why, once; ld.so has no complaint.
expect_no_platform() {
	name=$1
	shift
	env "$@" >"$work/out" 2>"$work/err"
	[ $? -eq 3 ] && [ "$(cat "$work/out")" = "no platform" ] &&
		[ "$(grep -c 'not running inside m2s' "$work/err")" -eq 1 ] &&
		[ "$(wc -l <"$work/err")" -eq 2 ]
	verdict $? "$name"
}

expect_tour() {
	name=$1
	shift
	timeout 60 env -u M2S_OPTIONS "$@" >"$work/out" 2>"$work/err"
	[ $? -eq 0 ] && cmp "$work/out" "${tour%.c}.expect" >>"$work/err"
	verdict $? "$name"
}

for abi in x86_64 i386; do
	library=$work/alone/$abi/libm2s-opencl.so.1
	mkdir -p "${library%/*}"
	cp "$top_builddir/lib/$abi/libm2s-opencl.so.1" "$library" &&
		ln -s libm2s-opencl.so.1 "${library%.1}" || continue
	if [ $abi = i386 ]; then
		if [ "$HAVE_M32" != yes ]; then
			echo "ok - i386 library # SKIP no 32-bit compiler"
			continue
		fi
		flags=-m32
	else
		flags=-m64
	fi
	folder=$work/$abi
	mkdir -p "$folder"

	# Linked to it by name.
	$CC $flags -o "$folder/direct" "$tour" -L"${library%/*}" \
		-lm2s-opencl -pthread 2>"$work/err"
	verdict $? "$abi: a program links with -lm2s-opencl"
	expect_no_platform "$abi: linked directly, without the simulator" \
		LD_LIBRARY_PATH="${library%/*}" "$folder/direct"

	# Every function of the table has its symbol and version.
	awk -F '[(, ]+' '/^CALL\(/ { print $2, "OPENCL_" $3 "." $4 }' \
		"$top_srcdir/src/opencl-rt/api.def" | sort >"$work/wanted"
	objdump -T "$library" | awk '$NF ~ /^cl/ { print $NF, $(NF - 1) }' |
		grep -v clIcdGetPlatformIDsKHR | sort >"$work/found"
	diff "$work/wanted" "$work/found" >"$work/out" 2>"$work/err"
	verdict $? "$abi: exports what api.def declares, with its version"

	objdump -p "$library" | awk '$1 == "NEEDED" { print $2 }' >"$work/out"
	[ "$(cat "$work/out")" = libc.so.6 ]
	verdict $? "$abi: needs nothing but the C library"
done

# In the place of the ordinary libOpenCL.so.1, with every symbol bound.
folder=$work/x86_64
library=$(realpath "$top_builddir/lib/x86_64/libm2s-opencl.so.1")
expect_tour "linked directly" LD_LIBRARY_PATH="${library%/*}" "$folder/direct"
if $CC -o "$folder/ordinary" "$tour" -lOpenCL -pthread 2>"$work/err"; then
	ln -s "$library" "$folder/libOpenCL.so.1"
	expect_tour "stands in for libOpenCL.so.1" LD_BIND_NOW=1 \
		LD_LIBRARY_PATH="$folder" "$folder/ordinary"
	# Behind the ICD loader, as its only platform.
	expect_tour "behind the ICD loader" OCL_ICD_VENDORS="$library" \
		"$folder/ordinary"
	expect_no_platform "behind the ICD loader, without the simulator" \
		OCL_ICD_VENDORS="$work/alone/x86_64/libm2s-opencl.so.1" \
		"$folder/ordinary"
else
	echo "ok - stands in for libOpenCL.so.1 # SKIP no libOpenCL.so"
fi
