#!/bin/bash
# Processes that collect all children or ignore their ends, have closed the standard
# files, give memory that may only be read, cancel threads in OpenCL, close pipes
# meanwhile, or close files that they have not opened: the kernel compiler starts all
# the same, nobody sees it, and reports are written.
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

# The cache is empty each time. Warnings go nowhere where there is no such file.
runs() {
	local label=$1

	shift
	rm -rf "$work/cache"
	(cd "$work" && XDG_CACHE_HOME=$work/cache exec timeout 60 "$@") \
		>"$work/out" 2>"$work/err"
	[ $? -eq 0 ] && [ "$(tail -n 1 "$work/out")" = "right, 0 children" ]
	verdict $? "$label"
}

source=$top_srcdir/tests/opencl/programs/surroundings.c
$CC -O1 -o "$work/simulated" "$source" -L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl \
	-pthread || exit 1
M2S=$(realpath "$M2S")
runs "m2s started with SIGCHLD ignored" env --ignore-signal=CHLD "$M2S" --quiet \
	"$work/simulated"
runs "m2s without standard files" bash -c 'exec "$@" <&- 2>&-' - "$M2S" --quiet \
	"$work/simulated"
runs "m2s: memory that may only be read" "$M2S" --quiet "$work/simulated" mapped
runs "m2s: an image in such memory" "$M2S" --quiet "$work/simulated" image

. "$top_srcdir/tests/opencl/native-here.sh"
if ! $CC -O1 -o "$work/native" "$source" -lOpenCL -pthread 2>"$work/err"; then
	echo "ok - native programs # SKIP no libOpenCL to link to"
	exit 0
fi
for part in reaps ignores closed mapped image cancels pipes; do
	runs "native: $part" "$M2S" --native --quiet "$work/native" $part
done
runs "native: files" "$M2S" --native --quiet --cl-debug calls --evg-report report \
	"$work/native" files
[ "$(cat "$work/data")" = mine ] && grep -q '^clEnqueueReadBuffer' "$work/calls" &&
	grep -qx 'NDRangeCount = 1' "$work/report"
verdict $? "native: files of m2s and of the program stay apart"

rm -f "$work"/{report,data}
(cd "$work" && exec timeout 60 "$M2S" --native --quiet --evg-report report \
	"$work/native" numbers) >"$work/out" 2>"$work/err"
[ "$(cat "$work/data")" = mine ] && [ ! -e "$work/report" ] &&
	grep -q "error: --evg-report.*cannot write" "$work/err"
verdict $? "native: a report whose descriptor the program takes fails"
