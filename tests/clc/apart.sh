#!/bin/bash
# The code generator works in a process of its own. A library that is loaded first
# makes that process crash, hang, run out of memory or make wrong code: an error
# says so, there is no binary, and what is a fault of ours is kept.
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
# harm NAME STATEMENT: the library NAME.so, which does that instead
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

# refused LIBRARY WORDS OPTION...: m2s-clc says the words, and there is no binary
refused() {
	local library=$1 words=$2
	shift 2
	rm -f k.bin k.bin.refused
	LD_PRELOAD=$work/$library.so "$top_builddir/m2s-clc" "$@" k.cl -o k.bin \
		>out 2>err
	[ $? -eq 1 ] && [ ! -e k.bin ] && [ "$(wc -l <err)" -eq 1 ] &&
		grep -q "^m2s-clc: error: $words" err
}

# kept: what could not be compiled can be compiled again
kept() {
	grep -q 'This is a fault of m2s; please report it with the file k.bin.refused$' err &&
		"$top_builddir/m2s-clc" --link k.bin.refused -o again.bin 2>>err &&
		[ -s again.bin ]
}

if nm -D "$top_builddir/m2s-clc" | grep -q '__asan_init\|__tsan_init'; then
	echo "ok - the generator apart # SKIP a sanitizer must be loaded first"
	exit 0
fi

harm crash 'raise(SIGSEGV);'
refused crash "the code generator's process was killed by signal 11" && kept
check "a crash" $?

harm hang 'for (;;) __asm__ volatile("");'
refused hang "the code generator's process was stopped after 0.5 seconds of processor time" \
	--time-limit 0.5 && [ ! -e k.bin.refused ]
check "a loop without end" $?

harm memory 'for (;;) memset(malloc(1 << 26), 1, 1);'
refused memory "the code generator's process was killed by signal" && kept
check "all memory" $?

harm leave 'exit(3);'
refused leave "the code generator's process ended with status 3" && kept
check "an end in between" $?

# The generator's text declares too few registers.
cat >wrong.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static FILE *opened;
static char **text;
__attribute__((constructor)) static void not_in_clang(void)
{
	unsetenv("LD_PRELOAD");
}
FILE *open_memstream(char **place, size_t *size)
{
	FILE *(*real)(char **, size_t *) = dlsym(RTLD_NEXT, "open_memstream");

	text = place;
	return opened = real(place, size);
}
int fclose(FILE *stream)
{
	int (*real)(FILE *) = dlsym(RTLD_NEXT, "fclose");
	int result = real(stream);
	char *found = stream == opened ? strstr(*text, ".registers ") : NULL;

	if (found)
		for (found += 11; *found != '\n'; found++)
			*found = found[-1] == ' ' ? '1' : ' ';
	return result;
}
C
"${CC:-gcc}" -O1 -shared -fPIC -o wrong.so wrong.c -ldl
refused wrong "the code generator made code that is not usable: kernel 'add': .*declares 1 registers" &&
	kept
check "wrong code" $?

# With nowhere to keep it, too.
LD_PRELOAD=$work/crash.so TMPDIR=$work/nowhere "$top_builddir/m2s-clc" - -o - <k.cl \
	>out 2>err
[ $? -eq 1 ] && [ ! -s out ] && grep -q 'fault of m2s; please report it with the program$' err
check "nowhere to keep it" $?
