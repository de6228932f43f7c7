#!/bin/bash
# Every sample as a native program and simulated as a whole, with kernels in
# detail: what it prints, and all figures of the GPU, are the same.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

. "$top_srcdir/tests/opencl/native-here.sh"
. "$top_srcdir/tests/system/sample-sizes.sh"

# run KIND OPTION...: of $program.
run() {
	local kind=$1

	shift
	timeout 120 "$M2S" --quiet --provenance none --evg-sim detailed \
		--evg-report "$work/$kind.evg" \
		--evg-report-kernel "$work/$kind.kernel" \
		--mem-report "$work/$kind.mem" --cl-report "$work/$kind.cl" \
		"$@" \
		"$program" -q -n "$(size_of "$name")" -s 7 >"$work/$kind.out" 2>&1
}

for name in ${SAMPLES:-$all_samples}; do
	program=$top_builddir/samples/$name/$name
	rm -f "$work"/*
	different=
	run simulated || different=" the simulated run fails"
	run native --native || different="$different the native run fails"
	# Only the first of the two may have to compile.
	sed -i "/^Cached = /d" "$work/simulated.cl" "$work/native.cl"
	for file in out evg kernel mem cl; do
		cmp "$work/simulated.$file" "$work/native.$file" \
			>>"$work/differences" 2>&1 || different="$different $file"
	done
	grep -q '^Cycles = [1-9]' "$work/native.evg" ||
		different="$different no cycles"
	if [ -z "$different" ]; then
		echo "ok - $name: native and simulated agree"
	else
		cat "$work/native.out" "$work/differences" | sed 's/^/#   /'
		echo "not ok - $name:$different"
	fi
done
