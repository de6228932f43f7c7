#!/bin/bash
# Programs built with AddressSanitizer and ThreadSanitizer find in m2s what
# they find natively: the same output, status and kind of defect.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
CC=${CC:-gcc}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-sanitizers-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
# Symbols would take another program, and longer than all the rest.
export ASAN_OPTIONS=symbolize=0 TSAN_OPTIONS=symbolize=0

# What a run says but for addresses and ids, its status included.
run() {
	"$@" >"$work/out" 2>"$work/err" </dev/null
	echo "status $?"
	cat "$work/out"
	grep -E '^SUMMARY' "$work/err" | sed 's/ (.*//'
}

# compare LABEL PROGRAM ARGUMENTS...
compare() {
	local label=$1
	shift
	run "$@" >"$work/native"
	if ! run timeout 300 "$m2s" --quiet "$@" >"$work/simulated" ||
	   ! cmp -s "$work/native" "$work/simulated"; then
		echo "not ok - $label"
		diff "$work/native" "$work/simulated"
		tail -n 5 "$work/err"
		failed=1
	else
		echo "ok - $label"
	fi
}

# sanitizer COMPILER NAME DEFECTS...
sanitizer() {
	local compiler=$1 name=$2 program=$work/$1-$2
	shift 2
	if ! $compiler -g -O1 -w -pthread -fsanitize=$name -o "$program" \
		"$top_srcdir/tests/x86/programs/sanitized.c" \
		2>"$work/log" || ! "$program" >"$work/log" 2>&1; then
		echo "ok - $compiler -fsanitize=$name # SKIP no program of it" \
			"runs here"
		return
	fi
	for defect in "" "$@"; do
		compare "$compiler -fsanitize=$name ${defect:-without a defect}" \
			"$program" $defect
	done
}

for compiler in $CC $(command -v clang >/dev/null && echo clang); do
	sanitizer "$compiler" address overflow leak
	sanitizer "$compiler" thread race
done
exit $failed
