#!/bin/bash
# Device memory is finite: what does not fit is refused, and everything else goes
# on working.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
source=$top_srcdir/tests/opencl/programs/limits.c

# run LABEL OPTION... PROGRAM
run() {
	local label=$1

	shift
	timeout 60 "$M2S" --quiet "$@" >"$work/out" 2>"$work/err"
	[ $? -eq 1 ] && [ "$(tail -n 1 "$work/out")" = "0 wrong" ] &&
		[ "$(grep -c '^42$' "$work/out")" = 3 ] &&
		grep -q "no room .* scratch memory" "$work/err" &&
		grep -q "no room for the printf buffer" "$work/err" &&
		grep -q "no room for .* program text" "$work/err" &&
		grep -q "error: 2 kernel launches failed" "$work/err"
	if [ $? -eq 0 ]; then
		echo "ok - $label"
	else
		echo "not ok - $label"
		cut -c1-300 "$work/out" "$work/err" | tail -n 20 | sed 's/^/#   /'
	fi
}

$CC -O1 -o "$work/simulated" "$source" -L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl ||
	exit 1
run "simulated" "$work/simulated"
run "a card with 512 MB" --evg-preset hd5450 "$work/simulated"
. "$top_srcdir/tests/opencl/native-here.sh"
if $CC -O1 -o "$work/native" "$source" -lOpenCL 2>"$work/err"; then
	run "native" --native "$work/native"
else
	echo "ok - native # SKIP no libOpenCL to link to"
fi
