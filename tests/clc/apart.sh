#!/bin/bash
# Our own code generator works in a process of its own. A library that is loaded
# first makes that process crash, hang or run out of memory; LLVM's back end then
# compiles the program, and a note says why.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export M2S_KERNEL_CACHE=

check() {
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		sed 's/^/# /' "$work/err"
	fi
}

cat >k.cl <<'C'
kernel void add(global int *a)
{
	a[get_global_id(0)] += 3;
}
C

# Only the generator's process flushes its output.
# harm NAME STATEMENT: the library NAME.so
harm() {
	cat >"$1.c" <<C
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((constructor)) static void not_in_clang(void)
{
	unsetenv("LD_PRELOAD");
}
int fflush(FILE *stream)
{
	if (stream == stdout) {
		$2
	}
	return fflush_unlocked(stream);
}
C
	"${CC:-gcc}" -O1 -shared -fPIC -o "$1.so" "$1.c"
}

# compile LIBRARY OPTION...: 0 when the binary is the one of LLVM's back end
compile() {
	local library=$1
	shift
	LD_PRELOAD=$work/$library.so "$top_builddir/m2s-clc" "$@" \
		--codegen=auto k.cl -o k.bin >out 2>err
	[ $? -eq 0 ] && "$M2S" --evg-disasm k.bin >k.text && cmp -s k.text llvm.text
}

if nm -D "$top_builddir/m2s-clc" | grep -q '__asan_init\|__tsan_init'; then
	echo "ok - the generator apart # SKIP a sanitizer must be loaded first"
	exit 0
fi
"$top_builddir/m2s-clc" --codegen=resched k.cl -o llvm.bin >out 2>err &&
	"$M2S" --evg-disasm llvm.bin >llvm.text
check "LLVM's code" $?

harm crash 'raise(SIGSEGV);' && compile crash &&
	grep -q "note: LLVM's back end compiles the program: .* killed by signal 11" err
check "a crash" $?

harm hang 'for (;;) __asm__ volatile("");' && compile hang --time-limit 0.5 &&
	grep -q "note: LLVM's back end .* after 0.5 seconds of processor time" err
check "a loop without end" $?

harm memory 'for (;;) memset(malloc(1 << 26), 1, 1);' &&
	compile memory && grep -q "note: LLVM's back end .* killed by signal" err
check "all memory" $?

harm leave 'exit(3);' && compile leave &&
	grep -q "note: LLVM's back end .* ended with status 3" err
check "an end in between" $?
