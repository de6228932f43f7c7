#!/bin/bash
# Programs compiled for x86-64-v3 (AVX2, FMA3, F16C, BMI), and the C library's
# functions for such processors: same output under m2s as natively.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
CC=${CC:-gcc} CXX=${CXX:-g++}
sources=$top_srcdir/tests/x86/programs
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-avx-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
. "$top_srcdir/tests/x86/native.sh"
if ! grep -qw avx2 /proc/cpuinfo || ! grep -qw fma /proc/cpuinfo ||
   ! grep -qw f16c /proc/cpuinfo; then
	echo "ok - avx programs # SKIP this host's processor has no AVX2"
	exit 0
fi
printf '[ General ]\nCPUModel = x86-64-v3\n' >"$work/v3.ini"

# compare LABEL PROGRAM: one test
compare() {
	local label=$1 native simulated
	"$2" >"$work/native" 2>&1 </dev/null
	native=$?
	timeout 120 "$m2s" --quiet --x86-config "$work/v3.ini" "$2" \
		>"$work/simulated" 2>"$work/simulated.err" </dev/null
	simulated=$?
	judge "$label" $native $simulated
}

# program NAME ABI FLAGS...
program() {
	local name=$1 abi=$2 compiler=$CC source=$sources/$1.c
	shift 2
	local label="avx program $name, $abi bits: $*"
	[ -e "$source" ] || { source=$sources/$name.cc compiler="$CXX"; }
	if $compiler -w -D_GNU_SOURCE -m"$abi" -march=haswell -pthread \
		"$@" "$source" -o "$work/$name" -lm -lrt >"$work/log" 2>&1
	then
		compare "$label" "$work/$name"
	else
		echo "not ok - $label: cannot be built"
		tail -n 5 "$work/log"
		failed=1
	fi
}

for options in "-O3" "-O3 -ffast-math -static"; do
	# shellcheck disable=SC2086
	program kernels 64 $options
done
program strings 64 -O1
program signals 64 -O3
program frame 64 -O1
program maths 64 -O3
if [ "${HAVE_M32:-yes}" != no ]; then
	program kernels 32 -O3 -ffast-math
	program strings 32 -O1
	program frame 32 -O1
fi
exit $failed
