#!/bin/bash
# An OpenCL program inside m2s, in both ABIs and in each way that it can find
# the runtime, with its kernels functional and in detail.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tour=$top_srcdir/tests/opencl/programs/tour.c
expect=${tour%.c}.expect

run() {
	name=$1
	shift
	timeout 120 "$M2S" --quiet "$@" >"$work/out" 2>"$work/err"
	status=$?
	if [ $status -eq 0 ] && cmp -s "$work/out" "$expect"; then
		echo "ok - $name"
	else
		echo "not ok - $name: exit status $status"
		diff "$expect" "$work/out" | sed 's/^/#   /'
		tail -n 5 "$work/err" | sed 's/^/#   /'
	fi
}

$CC -O1 -o "$work/direct" "$tour" -L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl \
	-pthread && run "x86-64, linked directly" "$work/direct"
if $CC -O1 -o "$work/ordinary" "$tour" -lOpenCL -pthread; then
	run "x86-64, linked to libOpenCL" "$work/ordinary"
	run "x86-64, in detail" --evg-sim detailed "$work/ordinary"
fi
if [ "$HAVE_M32" = yes ]; then
	$CC -m32 -O1 -o "$work/i386" "$tour" -L"$top_builddir/lib/i386" \
		-Wl,-rpath,"$(realpath "$top_builddir/lib/i386")" \
		-lm2s-opencl -pthread && {
		run "i386, linked directly" "$work/i386"
		run "i386, in detail" --evg-sim detailed "$work/i386"
	}
else
	echo "ok - i386 # SKIP no 32-bit compiler"
fi

# Below a root a kernel includes no file of the host, whose text the compiler
# would show.
root=$work/root
mkdir -p "$root/bin"
echo 'text of the host' >"$work/secret"
if $CC -O1 -o "$root/bin/include" "$top_srcdir/tests/opencl/programs/include.c" \
	-lOpenCL 2>"$work/err"; then
	ldd "$root/bin/include" | grep -o '/[^ ]*' | grep -v OpenCL |
		while read -r file; do
			mkdir -p "$root$(dirname "$file")"
			cp -L "$file" "$root$file"
		done
	"$M2S" --quiet --x86-root "$root" include >"$work/out" 2>"$work/err"
	"$M2S" --quiet --x86-root "$root" include "$work/secret" \
		>"$work/out2" 2>>"$work/err"
	if grep -qx 0 "$work/out" && grep -q 'not found' "$work/out2" &&
		! grep -q 'text of' "$work/out2"; then
		echo "ok - a kernel below a root includes no file of the host"
	else
		echo "not ok - a kernel below a root includes no file of the host"
		cat "$work/out" "$work/out2" "$work/err" | sed 's/^/#   /'
	fi
else
	echo "ok - a kernel below a root # SKIP no libOpenCL to link to"
fi

# The debug channel shows each call with its arguments and result.
"$M2S" --quiet --evg-debug-opencl "$work/calls" "$work/direct" \
	>/dev/null 2>&1
if grep -q '^clCreateKernel(.*name = "sum".*) = CL_SUCCESS, makes ' \
	"$work/calls" &&
	grep -q '^clCreateBuffer(.*) = CL_INVALID_BUFFER_SIZE; ' "$work/calls"
then
	echo "ok - --evg-debug-opencl shows calls and results"
else
	echo "not ok - --evg-debug-opencl shows calls and results"
fi
