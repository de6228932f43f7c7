#!/bin/bash
# m2s-clc behind its wall (doc/confinement.md): what a kernel's source, or a
# compiler that a kernel has got hold of, can reach.
set -u
clc=${top_builddir:-$PWD}/m2s-clc
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-clc-wall-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - m2s-clc's wall: $2"
	else
		echo "not ok - m2s-clc's wall: $2"
		cat "$work/out"
		failed=1
	fi
}

# landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION)
version=$(perl -e 'print syscall(444, 0, 0, 1)')
if [ "$version" -le 0 ]; then
	echo "ok - m2s-clc's wall # SKIP this kernel has no Landlock"
	exit 0
fi

mkdir "$work/inside" "$work/outside" "$work/headers"
cd "$work/inside" || exit 1
echo '#define SECRET 42' >"$work/outside/secret.h"
echo '#define HEADER 7' >"$work/headers/header.h"
echo '#define BESIDE 8' >beside.h
echo 'kernel void k(global int *p) { *p = 1; }' >plain.cl

# A compiler that tells what it could do; the shell itself is /usr's.
cat >"$work/inside/compiler" <<END
#!/bin/sh
cat "$work/outside/secret.h" && echo "out: read" >&2
(echo changed >"$work/outside/secret.h") && echo "out: write" >&2
(echo made >"$work/inside/made") && echo "out: create" >&2
rm "$work/outside/secret.h" && echo "out: remove" >&2
perl -e 'use Socket; socket(S, AF_INET, SOCK_STREAM, 0) and
	print STDERR "out: socket\n";
	socket(S, AF_UNIX, SOCK_STREAM, 0) and
	print STDERR "out: local socket\n";
	syscall(101, 0x4206, getppid(), 0, 0) == 0 and
	print STDERR "out: trace\n"'
[ "$version" -lt 6 ] || { kill -0 $$ && echo "out: signal" >&2; }
cat /proc/$$/environ >/dev/null && echo "out: environment" >&2
exit 1
END
chmod +x compiler
M2S_CLANG=$work/inside/compiler "$clc" plain.cl -o - >/dev/null 2>"$work/out"
if ! grep -q '^out: ' "$work/out" && ! grep -q 'Permission denied' \
	"$work/out"; then
	cat "$work/out"
	echo "not ok - m2s-clc's wall: the compiler runs"
	exit 1
fi
! grep -q '^out: ' "$work/out" && [ ! -e made ] &&
	grep -q SECRET "$work/outside/secret.h"
verdict $? "a compiler gets nowhere"

echo '#define SECRET 42' >"$work/outside/secret.h"

# compiles LABEL SOURCE [OPTION...], refuses LABEL SOURCE [OPTION...]
compiles() {
	local label=$1 source=$2
	shift 2
	echo "$source" >include.cl
	"$clc" include.cl "$@" -o include.bin >"$work/out" 2>&1 &&
		[ -s include.bin ]
	verdict $? "$label"
}
refuses() {
	local label=$1 source=$2
	shift 2
	echo "$source" >include.cl
	! "$clc" include.cl "$@" -o include.bin >"$work/out" 2>&1 &&
		! grep -q 42 "$work/out"
	verdict $? "$label"
}
kernel='kernel void k(global int *p) { *p ='
compiles "headers of -I" "#include <header.h>
	$kernel HEADER; }" -I "$work/headers"
compiles "headers beside the source" "#include \"beside.h\"
	$kernel BESIDE; }"
compiles "a header of -include" "$kernel HEADER; }" \
	-include "$work/headers/header.h"
by_macro="#define TEXT(x) #x
	#define NAME(x) TEXT(x)
	#include NAME(PLACE/header.h)
	$kernel HEADER; }"
compiles "headers of a folder that -D names" "$by_macro" \
	-D "PLACE=$work/headers"
compiles "a header in quotes that -D names" "#include FILE
	$kernel HEADER; }" "-DFILE=\"$work/headers/header.h\""
refuses "headers of a folder that nothing names" "#include \"$work/outside/secret.h\"
	$kernel SECRET; }" -D "PLACE=$work/headers"
refuses "an absolute path" "#include \"$work/outside/secret.h\"
	$kernel SECRET; }"
refuses "a path upwards" "#include \"../outside/secret.h\"
	$kernel SECRET; }"
ln -s "$work/outside/secret.h" link.h
refuses "a link" "#include \"link.h\"
	$kernel SECRET; }"
refuses "a path above -I" "#include <../outside/secret.h>
	$kernel SECRET; }" -I "$work/headers"
exit $failed
