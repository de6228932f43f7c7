#!/bin/bash
# Kernels that print, inside m2s: every conversion as PoCL prints it, and the
# same text for any number of threads.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
program=$top_srcdir/tests/clc/programs/printf.c

same() {
	if cmp -s "$2" "$3"; then
		echo "ok - printf: $1"
	else
		echo "not ok - printf: $1"
		diff "$2" "$3" | head -20 | sed 's/^/#   /'
	fi
}
m2s() { timeout 120 "$M2S" --quiet "$@" 2>"$work/err"; }

if ! $CC -O1 -w -o "$work/printf" "$program" -L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl; then
	echo "not ok - printf: the program does not compile"
	exit 1
fi
m2s "$work/printf" formats >"$work/formats"
same "all conversions" "${program%.c}.expect" "$work/formats"
m2s --evg-sim detailed "$work/printf" formats >"$work/detailed"
same "in detail" "$work/formats" "$work/detailed"

# PoCL has a return value of its own, and on hosts without registers of 64 bytes
# (AVX-512) its printf() reads vectors of that size from the wrong place. The file of
# what is expected has them.
known_to_pocl() { # FILE
	grep -v ^results "$1" | sed -E 's/\[-?[0-9]+(,-?[0-9]+){15}\]/[16]/'
}
if $CC -O1 -w -o "$work/native" "$program" -lOpenCL 2>/dev/null &&
	timeout 60 "$work/native" formats >"$work/pocl" 2>/dev/null; then
	known_to_pocl "$work/formats" >"$work/ours"
	known_to_pocl "$work/pocl" >"$work/theirs"
	same "as PoCL prints it" "$work/theirs" "$work/ours"
else
	echo "ok - printf: as PoCL prints it # SKIP no PoCL device"
fi

{
	echo "before the kernel"
	for ((group = 0; group < 4; group++)); do
		for ((y = 0; y < 4; y++)); do
			for ((x = 0; x < 8; x++)); do
				id=$(((y + group / 2 * 4) * 16 + x +
					group % 2 * 8))
				for ((i = 0; i < 4; i++)); do
					(((id + i) % 3)) && echo "$i: $id of" \
						"group $((group % 2)),$((
							group / 2))"
				done
			done
		done
	done
	echo "after the kernel"
	# 1 MB has room for 4766 records of 55 dwords.
	echo "$((256000 - 4766)) did not fit"
} >"$work/order"
for threads in 1 3; do
	m2s --threads $threads "$work/printf" order >"$work/out"
	same "work-groups in order, $threads threads" "$work/order" "$work/out"
	if grep -q "the buffer holds 1048576" "$work/err"; then
		echo "ok - printf: a full buffer is told, $threads threads"
	else
		echo "not ok - printf: a full buffer is told, $threads threads"
	fi
done
