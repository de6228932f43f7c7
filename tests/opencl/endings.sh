#!/bin/bash
# Programs that end with commands still queued, with threads in OpenCL, in
# callbacks; that release in any order, from exit handlers and from destructors of
# libraries; callbacks that call OpenCL; a kernel that fails.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		tail -n 12 "$work/out" "$work/err" | sed 's/^/#   /'
	fi
}

source=$top_srcdir/tests/opencl/programs/endings.c
if grep -q '__asan_init\|__tsan_init' \
	"$top_builddir/lib/x86_64/libm2s-native.so.1"; then
	modes=simulated
elif $CC -O1 -o "$work/native" "$source" -lOpenCL -pthread 2>"$work/err"; then
	modes="native simulated"
else
	modes=simulated
fi
$CC -O1 -o "$work/simulated" "$source" -L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl \
	-pthread || exit 1

# ends PART STATUS LINE...: how it ends, and what it prints
ends() {
	local part=$1 status=$2 mode

	shift 2
	printf '%s\n' "$@" | sed '/^$/d' >"$work/expect"
	for mode in $modes; do
		options=()
		[ $mode = simulated ] || options=(--native)
		timeout 60 "$M2S" --quiet "${options[@]}" "$work/$mode" "$part" \
			>"$work/out" 2>"$work/err"
		[ $? -eq "$status" ] && cmp -s "$work/out" "$work/expect" &&
			[ ! -s "$work/err" ]
		verdict $? "$part, $mode"
	done
}

ends queued 5 "end of main"
ends atexit 5 "end of main" released
ends late-atexit 5 "end of main" released
ends destructor 5 "end of main" released
ends threads 5 "end of main"
ends chain 5 released "end of main"
ends destructors 5 released "end of main"
ends gate 5 released "end of main"
ends exit-in-callback 9 ""
ends build 5 released "end of main"

# fails NAME MODE STATUS LATER OPTION...
fails() {
	local name=$1 mode=$2 status=$3 later=$4

	shift 4
	timeout 60 "$M2S" --quiet --evg-report "$work/report" "$@" \
		"$work/$mode" fault "$status" >"$work/out" 2>"$work/err"
	[ $? -eq $((status ? status : 1)) ] &&
		[ "$(grep -c "^later: $later\$" "$work/out")" = 1 ] &&
		! grep -q wrong "$work/out" &&
		grep -q '^m2s: warning: kernel .f.*the launch has failed' \
			"$work/err" &&
		grep -q 'INCOMPLETE: KernelFailed' "$work/report"
	verdict $? "$name, $mode"
	rm -f "$work/report"
}
for mode in $modes; do
	options=()
	[ $mode = simulated ] || options=(--native)
	fails "a kernel fails, others do not" $mode 0 "0, 70" "${options[@]}"
	grep -q 'error: 1 kernel launch failed' "$work/err"
	verdict $? "the run's status tells, $mode"
	fails "the program's status stays" $mode 5 "0, 70" "${options[@]}" \
		--threads 2
	fails "in detail the GPU has stopped" $mode 0 "-5, 1" \
		"${options[@]}" --evg-sim detailed
done
