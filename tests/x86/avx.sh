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
printf '[ General ]\nCPUModel = x86-64\n' >"$work/v1.ini"

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

# cure LABEL KIND PATTERN: what is said of an instruction that the default
# processor lacks
cure() {
	"$m2s" --quiet "$work/undefined" "$2" >"$work/out" 2>"$work/report"
	if [ $? -eq 132 ] && grep -q -- "$3" "$work/report"; then
		echo "ok - undefined instruction: $1"
	else
		echo "not ok - undefined instruction: $1"
		head -n 3 "$work/report" | sed 's/^/# /'
		failed=1
	fi
}

# executes LABEL OPTIONS PROGRAM ARGUMENTS...
executes() {
	local label=$1 options=$2
	shift 2
	# shellcheck disable=SC2086
	if "$m2s" --quiet $options "$@" >"$work/out" 2>&1; then
		echo "ok - $label"
	else
		echo "not ok - $label"
		sed 's/^/# /' "$work/out" | head -n 3
		failed=1
	fi
}

$CC -O1 "$sources/undefined.c" -o "$work/undefined" || exit 1
cure "AVX2 names the model and the option" a "--x86-cpu x86-64-v3"
cure "BMI1, too, and the file" b "CPUModel = x86-64-v3 in the file"
cure "SHA names its choice" s "SHA = t"
cure "AVX-512 names what to compile for" z "-march=x86-64-v3"
executes "--x86-cpu x86-64-v3 executes AVX2" "--x86-cpu x86-64-v3" \
	"$work/undefined" a
executes "--x86-cpu wins over the file of --x86-config" \
	"--x86-cpu x86-64-v3 --x86-config $work/v1.ini" "$work/undefined" a
executes "--x86-cpu host executes AVX2" "--x86-cpu host" "$work/undefined" a
if grep -qw sha_ni /proc/cpuinfo; then
	executes "--x86-cpu host has the host's SHA" "--x86-cpu host" \
		"$work/undefined" s
else
	echo "ok - --x86-cpu host has the host's SHA # SKIP the host has none"
fi
if grep -qw avx512f /proc/cpuinfo; then
	native_flags="-march=native -mno-avx512f"
else
	native_flags=-march=native
fi
# shellcheck disable=SC2086
$CC -O3 -w -D_GNU_SOURCE $native_flags "$sources/maths.c" -o "$work/maths" -lm
executes "a program built with -march=native on --x86-cpu host" \
	"--x86-cpu host" "$work/maths"

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
