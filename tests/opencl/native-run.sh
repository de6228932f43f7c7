#!/bin/bash
# Native programs: options, reports, and how they end (doc/native.md).
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
source=$top_srcdir/tests/opencl/programs/native.c
library=$(realpath "$top_builddir")/lib/x86_64/libm2s-opencl.so.1

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		tail -n 12 "$work/out" "$work/err" "$work/report" 2>/dev/null |
			sed 's/^/#   /'
	fi
}

. "$top_srcdir/tests/opencl/native-here.sh"
program=$work/native
if ! $CC -O1 -g -o "$program" "$source" -lOpenCL -lm -pthread 2>"$work/err"; then
	echo "ok - native programs # SKIP no libOpenCL to link to"
	exit 0
fi

# The first bytes of one are enough.
printf '\177ELF\001\001\001\000\000\000\000\000\000\000\000\000' >"$work/narrow"
chmod +x "$work/narrow"
for name in "$work/narrow" narrow; do
	PATH="$PATH:$work" "$M2S" --native "$name" >"$work/out" 2>"$work/err"
	[ $? -eq 1 ] && grep -q 'narrow is a 32-bit program, .* without --native' \
		"$work/err"
	verdict $? "a 32-bit program is refused"
done

# is_report FILE END LAUNCHES: complete (END is -), or ended there.
is_report() {
	grep -qx "NDRangeCount = $3" "$1" &&
		if [ "$2" = - ]; then
			! grep -q INCOMPLETE "$1"
		else
			grep -qx "; INCOMPLETE: $2" "$1"
		fi
}

# ends NAME STATUS END LAUNCHES WORD...: how m2s --native and its report end.
ends() {
	local name=$1 status=$2 end=$3 launches=$4 got

	shift 4
	rm -f "$work/report"
	timeout 60 "$M2S" --native --evg-report "$work/report" "$@" \
		>"$work/out" 2>"$work/err"
	got=$?
	[ $got -eq "$status" ] && is_report "$work/report" "$end" "$launches"
	verdict $? "$name: status $got"
}

ends "main returns" 0 - 16 "$program"
grep -qx 'squares are right' "$work/out" && grep -q '^LaneOperations' "$work/err"
verdict $? "four threads compute; there is a summary"
ends "rounding" 0 - 17 "$program" rounds
grep -qx '0x1p+0 0x1p-120, upward, no exception' "$work/out"
verdict $? "rounding modes and exceptions are the program's own"
XDG_CACHE_HOME=$work/cache ends "builds" 0 - 16 "$program" builds
grep -qx 'cold: processes, warm: none' "$work/out"
verdict $? "a warm build starts no process"
$CC -O1 -o "$work/direct" "$source" -L"${library%/*}" -lm2s-opencl -lm -pthread &&
	ends "linked to libm2s-opencl" 0 - 16 "$work/direct"
ends "many launches" 0 - 21016 "$program" often
grep -qx flat "$work/out"
verdict $? "many launches need no more memory than a few"
ends "exit()" 7 - 16 "$program" exit
ends "_exit(), after a child of vfork()" 8 - 16 "$program" _exit
ends "quick_exit()" 8 - 16 "$program" quick_exit
ends "SIGTERM" 143 Signal 16 "$program" raise
ends "SIGPIPE" 141 Signal 16 "$program" pipe
ends "abort()" 134 Signal 16 "$program" abort
ends "a fault of the program" 139 Signal 16 "$program" fault
ends "a wrong pointer given to a call" 139 Signal 16 "$program" pointer
grep -q 'inside an OpenCL call' "$work/err"
verdict $? "it is told"
ends "main returns while a kernel runs" 0 ContextsFinished 17 "$program" \
	main-ends
ends "--max-time while a kernel runs" 122 MaxTime 17 --max-time 1 "$program" \
	spin
ends "--evg-max-kernels" 122 EvergreenMaxKernels 3 --evg-max-kernels 3 \
	"$program"
ends "an error in a kernel" 1 KernelFailed 17 --evg-max-group-inst 100000 "$program" \
	spin
grep -q '^m2s: warning: kernel .spin.*the launch has failed' "$work/err" &&
	grep -q '^m2s: error: 1 kernel launch failed' "$work/err"
verdict $? "the error is told"

# A signal from outside while a kernel runs. The last program's output must not
# pass for this one's.
rm -f "$work/report" "$work/out"
"$M2S" --native --evg-report "$work/report" "$program" spin >"$work/out" \
	2>"$work/err" &
for _ in $(seq 50); do
	grep -qs 'squares' "$work/out" && break
	sleep 0.1
done
sleep 1 # that is said just before the kernel starts
kill -TERM $!
wait $! 2>/dev/null
[ $? -eq 143 ] && is_report "$work/report" Signal 17
verdict $? "SIGTERM while a kernel runs"

# A child has a run of its own.
ends "fork" 0 - 16 "$program" fork
grep -qx 'child: -44' "$work/out" && grep -qx 'child ended with 0' "$work/out" &&
	is_report "$(ls "$work"/report.[0-9]*)" - 4
verdict $? "a forked child begins anew and has a report of its own"

# Without m2s on the command line: the platform is one of those that the loader
# finds, and says nothing of itself.
echo "$library" >"$work/m2s.icd"
env -u M2S_OPTIONS OCL_ICD_VENDORS="$work/m2s.icd" "$program" >"$work/out" \
	2>"$work/err"
[ $? -eq 0 ] && [ "$(cat "$work/out")" = "squares are right" ] &&
	[ ! -s "$work/err" ]
verdict $? "by the ICD loader alone"
(cd "$work" && M2S_OPTIONS="--quiet --evg-report 'the report.%p'" \
	OCL_ICD_VENDORS="$work/m2s.icd" exec "$program" exit) >"$work/out" \
	2>"$work/err"
[ $? -eq 7 ] && is_report "$(ls "$work/the report."[0-9]*)" - 16 &&
	[ ! -s "$work/err" ]
verdict $? "options in M2S_OPTIONS, %p in names"
M2S_OPTIONS="--x86-sim detailed" OCL_ICD_VENDORS="$work/m2s.icd" "$program" \
	>"$work/out" 2>"$work/err"
[ $? -eq 3 ] && grep -q 'm2s: error: --x86-sim: not with native' "$work/err"
verdict $? "options of the x86 side are refused"
"$M2S" --native --evg-sim cycles "$program" >"$work/out" 2>"$work/err"
[ $? -eq 1 ] && grep -q 'expected functional or detailed' "$work/err" &&
	[ ! -s "$work/out" ]
verdict $? "values are checked before the program begins"
"$M2S" --native --seed 1 "$program" >"$work/out" 2>"$work/err"
[ $? -eq 1 ] && grep -q 'm2s: error: --seed: not with native' "$work/err"
verdict $? "also by m2s --native, before the program begins"

# Sanitizers in the program see the driver's accesses to its memory.
for kind in address undefined thread; do
	if $CC -O1 -g -fsanitize=$kind -o "$work/checked" "$source" -lOpenCL -lm \
		-pthread 2>"$work/err"; then
		ends "-fsanitize=$kind" 0 - 16 --quiet "$work/checked"
		[ ! -s "$work/err" ]
		verdict $? "-fsanitize=$kind has nothing to say"
	else
		echo "ok - -fsanitize=$kind # SKIP no such library"
	fi
done

# Threads that use all of OpenCL at once (make check-native-threads runs them
# under the thread sanitizer).
$CC -O1 -o "$work/hammer" "${source%/*}/hammer.c" -lOpenCL -pthread &&
	timeout 60 "$M2S" --native --quiet "$work/hammer" 8 50 >"$work/out" \
		2>"$work/err" && grep -q ': 0 wrong, callbacks ran' "$work/err"
verdict $? "threads use everything at once"

# What m2s tells of calls it tells of native ones.
"$M2S" --native --quiet --cl-leaks --cl-debug "$work/calls" "$program" quiet \
	>"$work/out" 2>"$work/err"
[ $? -eq 0 ] && grep -q 'context#' "$work/err" &&
	grep -q '^clFinish(.*CL_SUCCESS' "$work/calls"
verdict $? "--cl-leaks and --cl-debug"
