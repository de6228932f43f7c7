#!/bin/bash
# Programs that save-programs.c saves of a native run, and what suite-kernels.py
# counts of them.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export HOME=$work
tests=$top_srcdir/tests/opencl

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		cat "$work/err" "$work/out" "$work/saved/"*.list | sed 's/^/#   /'
	fi
}

. "$tests/native-here.sh"
if ! $CC -O1 -o "$work/builds" "$tests/programs/builds.c" -lOpenCL \
	2>"$work/err" || ! $CC -O1 -fPIC -shared -o "$work/saver.so" \
	"$tests/save-programs.c" -lOpenCL -ldl 2>"$work/err"; then
	echo "ok - saved programs # SKIP no libOpenCL to link to"
	exit 0
fi
mkdir "$work/saved"
SAVE_PROGRAMS=$work/saved LD_PRELOAD=$work/saver.so "$M2S" --native --quiet \
	"$work/builds" >"$work/out" 2>"$work/err"
verdict $? "a program that builds others"
[ "$(grep -c ' 0 2 -DN=' "$work/saved/programs.list")" = 3 ] &&
	[ "$(ls "$work"/saved/*.cl | wc -l)" = 3 ] &&
	grep -q nowhere "$work"/saved/*.log
verdict $? "sources, builds and the log of what fails"
"$tests/suite-kernels.py" "$work/saved" >"$work/out" 2>"$work/err" &&
	grep -qE '^compiled +2 +4$' "$work/out" &&
	grep -qE '^refused by clang +1 +1$' "$work/out" &&
	grep -qE '^refused by m2s +0 +0$' "$work/out"
verdict $? "each is counted once, and who refused it"
