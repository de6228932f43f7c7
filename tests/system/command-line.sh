#!/bin/bash
# Debug channels, disassembly, and the ways a program finds the
# OpenCL runtime.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
sort=$top_builddir/samples/bitonic-sort/bitonic-sort

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

for channel in elf x86-debug-call:call x86-debug-ctx:ctx \
	x86-debug-loader x86-debug-isa x86-debug-syscall evg-debug-isa \
	evg-debug-opencl cl-debug mem-debug net-debug; do
	option=${channel%%:*}
	[ "$option" = elf ] && option=elf-debug
	timeout 60 "$M2S" --quiet --evg-sim detailed --x86-max-inst 20000000 \
		"--$option" "$folder/log" \
		"$top_builddir/samples/vector-add/vector-add" -q -n 64 \
		>"$folder/out"
	[ -s "$folder/log" ] && grep -q PASSED "$folder/out"
	check "debug channel --$option" $?
	rm -f "$folder/log"
done

"$M2S" --x86-disasm "$sort" | grep -q '^main:'
check "x86 disassembly names functions" $?
"$top_builddir/m2s-clc" "$sort.cl" -o "$folder/k.bin" &&
	"$M2S" --evg-disasm "$folder/k.bin" | grep -q END_OF_PROGRAM
check "Evergreen disassembly" $?
"$M2S" --help | grep -q -- --evg-report-kernel
check "--help" $?
for help in evg mem net; do
	"$M2S" --$help-help | grep -q '\[ '
	check "--$help-help" $?
done
"$M2S" --env GREETING=hello --quiet /usr/bin/env | grep -q '^GREETING=hello$'
check "--env" $?

path=PATH=/usr/local/bin:/usr/bin:/bin
[ "$("$M2S" --x86-env clean --quiet env)" = $path ] &&
	[ "$("$M2S" --x86-env clean --env A=b --quiet env)" = \
		"$path"$'\n'"A=b" ] &&
	GREETING=hello "$M2S" --x86-env host --quiet env |
		grep -q '^GREETING=hello$'
check "--x86-env" $?
printf '[ Context 0 ]\nExe = env\nEnv = "A=b"\n' >"$folder/context.ini"
[ "$("$M2S" --x86-env clean --quiet --ctx-config "$folder/context.ini")" = \
	"$path"$'\n'"A=b" ]
check "--x86-env: programs of a context file" $?
# instructions OPTION...: of a run with the simulated clock
instructions() {
	"$M2S" --x86-clock simulated "$@" true 2>&1 |
		sed -n 's/^Instructions = //p'
}
one=$(instructions --x86-env clean)
other=$(MORE=$(head -c 5000 /dev/zero | tr '\0' x) EVEN_MORE='' \
	instructions --x86-env clean)
[ -n "$one" ] && [ "$one" = "$other" ]
check "--x86-env clean: instructions do not depend on the environment" $?
"$M2S" --x86-env tidy true 2>&1 | grep -q 'expected host or clean'
check "--x86-env tidy is refused" $?

# The runtime is found when the program is linked to libOpenCL.so.1 and the
# system has none for its ABI (i386 here), as well as through the ICD loader.
cat >"$folder/stand-in.c" <<'C'
int clGetPlatformIDs(unsigned n, void **p, unsigned *c)
{
	(void)n, (void)p, (void)c;
	return -1;
}
C
cat >"$folder/platform.c" <<'C'
#include <stdio.h>
int clGetPlatformIDs(unsigned n, void **p, unsigned *c);
int main(void)
{
	unsigned count = 0;
	void *platform = 0;
	int status = clGetPlatformIDs(1, &platform, &count);

	printf("%d %u\n", status, count);
	return 0;
}
C
for bits in 64 32; do
	if [ $bits = 32 ] && [ "$HAVE_M32" != yes ]; then
		echo "ok - libOpenCL.so.1, $bits bits # SKIP no 32-bit compiler"
		continue
	fi
	$CC -m$bits -shared -fPIC -Wl,-soname,libOpenCL.so.1 \
		-o "$folder/libstand-in.so" "$folder/stand-in.c" &&
		$CC -m$bits -o "$folder/platform" "$folder/platform.c" \
			"$folder/libstand-in.so"
	[ "$(timeout 60 "$M2S" --quiet "$folder/platform")" = "0 1" ]
	check "libOpenCL.so.1, $bits bits" $?
done

# Without it, here by m2s on its own in a folder, a program is told so and gets
# no platform of the host's.
cp "$M2S" "$folder/m2s"
timeout 60 "$folder/m2s" --quiet "$sort" -n 64 >"$folder/out" 2>&1
status=$?
if grep -q '(m2s)' "$folder/out"; then
	echo "ok - no OpenCL runtime # SKIP m2s is installed"
else
	[ $status -eq 2 ] && [ "$(grep -c \
		'm2s: warning: the program finds no OpenCL platform: /.*/vendors does not exist' \
		"$folder/out")" -eq 1 ]
	check "no OpenCL runtime" $?
fi
