#!/bin/bash
# m2s-clc as a command: files, exit statuses, messages.
clc=$top_builddir/m2s-clc
kernels=$top_srcdir/tests/clc/kernels
llvm=$(sed -n 's/^#define M2S_LLVM "\(.*\)"/\1/p' "$top_builddir/config.h")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# ok NAME: the result of the last command
ok() {
	if [ $? -eq 0 ]; then
		echo "ok - m2s-clc: $1"
	else
		echo "not ok - m2s-clc: $1"
		sed 's/^/# /' err
		failed=1
	fi
}

# run STATUS ARGUMENTS...: output in out and err
run() {
	local wanted=$1
	shift
	"$clc" "$@" >out 2>err
	local status=$?
	[ $status -eq "$wanted" ] && return
	echo "# exit status $status, expected $wanted: $*"
	return 1
}

run 0 "$kernels/control.cl" -o a.bin && [ -s a.bin ] && [ ! -s err ]
ok 'writes the binary and nothing else'

[ "$(stat -c %a a.bin)" = "$(printf '%o' $((0666 & ~0$(umask))))" ]
ok 'the binary has the usual permissions'

run 0 "$kernels/control.cl" && cmp -s a.bin control.bin
ok 'takes the name from the source; two runs give the same bytes'

run 0 - -o - <"$kernels/control.cl" && [ "$(head -c 4 out)" = $'\x7fELF' ]
ok 'standard input and output'

run 2 - <"$kernels/control.cl" && grep -q -- '-o' err
ok 'standard input needs -o'

run 0 "$kernels/control.cl" -o /dev/null && [ -c /dev/null ]
ok 'a device is written, not replaced'

cp a.bin before.bin
run 1 "$kernels/bad-syntax.cl" -o a.bin && cmp -s a.bin before.bin &&
	grep -q "bad-syntax.cl:3:9: error: use of undeclared" err
ok 'a failure leaves the old file alone'

[ -z "$(find . -name '*.bin.*')" ]
ok 'no temporary files remain'

run 1 nowhere.cl -o b.bin && grep -q 'nowhere.cl: No such file' err
ok 'missing source'

run 1 "$kernels/control.cl" -o nowhere/b.bin &&
	grep -q 'nowhere/b.bin: cannot write: No such file' err
ok 'missing output folder'

run 2 && grep -q 'no source file' err
ok 'no source'

run 2 "$kernels/control.cl" other.cl && grep -q 'two source files' err
ok 'two sources'

run 2 "$kernels/control.cl" -cl-mad-enabel &&
	grep -q 'did you mean -cl-mad-enable' err
ok 'misspelt option'

run 0 "$kernels/control.cl" -cl-nv-verbose -cl-nv-maxrregcount=32 -o n.bin &&
	[ "$(grep -c 'warning: option -cl-nv' err)" -eq 2 ]
ok 'advice for another compiler'

run 2 "$kernels/control.cl" --time-limit no && grep -q 'expected seconds' err
ok 'bad time limit'

run 0 --help && grep -q '^Usage: m2s-clc' out && grep -q -- -cl-mad-enable out
ok '--help'

run 0 --version && grep -q '^m2s-clc [0-9]' out && grep -q "clang version $llvm\." out
ok '--version'

M2S_CLANG=/nowhere/clang run 3 "$kernels/control.cl" -o b.bin &&
	grep -q "package clang-$llvm" err && [ ! -e b.bin ]
ok 'missing clang: status 3 and the package'

M2S_LIBCLC=/nowhere/libclc.bc run 3 "$kernels/control.cl" -o b.bin &&
	grep -q "package libclc-$llvm" err && [ ! -e b.bin ]
ok 'missing libclc: status 3 and the package'

# A compiler that never ends, and one that dies.
printf '#!/bin/sh\nwhile :; do :; done\n' >slow && chmod +x slow
M2S_CLANG=$work/slow run 1 "$kernels/control.cl" --time-limit 0.2 -o b.bin &&
	grep -q 'clang was stopped after 0.2 seconds of processor time' err
ok 'a compiler that hangs is stopped'
printf '#!/bin/sh\nexec sleep 100\n' >waits && chmod +x waits
M2S_CLANG=$work/waits run 1 "$kernels/control.cl" --time-limit 0.05 -o b.bin &&
	grep -q 'clang was stopped: it had waited for 1 seconds' err
ok 'a compiler that waits for ever is stopped'
# It uses little, for longer than the second for which one may wait.
printf '#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8; do /bin/sleep 0.3; j=0
	while [ $j -lt 300 ]; do j=$((j + 1)); done; done; kill -11 $$\n' >slowly &&
	chmod +x slowly
M2S_CLANG=$work/slowly run 1 "$kernels/control.cl" --time-limit 0.05 -o b.bin &&
	grep -q 'clang was killed by signal 11' err
ok 'a compiler that gets little of a processor has its time'
printf '#!/bin/sh\nsleep 1; kill -11 $$\n' >starved && chmod +x starved
M2S_CLANG=$work/starved run 1 "$kernels/control.cl" --time-limit 0.3 -o b.bin &&
	grep -q 'clang was killed by signal 11' err
ok 'a compiler that gets no processor has its time'
printf '#!/bin/sh\nkill -11 $$\n' >crash && chmod +x crash
M2S_CLANG=$work/crash run 1 "$kernels/control.cl" -o b.bin &&
	grep -q 'clang was killed by signal 11' err
ok 'a compiler that crashes is reported'
printf '#!/bin/sh\necho no bitcode\n' >wrong && chmod +x wrong
M2S_CLANG=$work/wrong run 1 "$kernels/control.cl" -o b.bin &&
	grep -q 'bitcode cannot be read' err
ok 'a compiler that writes something else is reported'

# Included files, in folders with blanks.
mkdir 'a folder' && echo '#define N 7' >'a folder/n.h'
echo '#include "n.h"
kernel void k(global int *p) { p[0] = N + M; }' >include.cl
run 0 include.cl -I 'a folder' -DM=2 -o i.bin
ok '-I and -D'
run 1 include.cl -DM=2 -o i2.bin && grep -q "'n.h' file not found" err
ok 'a missing include'

run 0 -v "$kernels/control.cl" -o v.bin && grep -q '^m2s-clc: .*clang' err &&
	grep -q '^\.kernel ' err
ok '--verbose shows the command and the assembly'

echo 'kernel void known(global int *p) { p[get_global_id(0)] += 3; }
typedef int many __attribute__((ext_vector_type(256)));
kernel void unknown(global many *p, global int *q) { *q = p[1][q[1]]; }' >two.cl
run 1 two.cl -o u.bin && [ "$(wc -l <err)" -eq 1 ] && [ ! -e u.bin ] &&
	grep -q "error: kernel 'unknown': the code generator does not know: line 3: " err
ok 'what the code generator does not know is named'

echo 'kernel void small(global int *p)
{
	local int a[16];
	a[get_local_id(0) & 15] = p[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	p[1] = a[3];
}
kernel void large(global int *p)
{
	local int b[1000];
	b[get_local_id(0)] = p[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	p[1] = b[3];
}' >local.cl
run 0 local.cl -o r.bin && "$M2S" --evg-disasm r.bin | grep '^.local ' |
	tr '\n' ' ' | grep -qx '.local 64 .local 4000 '
ok "a kernel has its own local memory, not the others'"

# Work-groups of 256 have 62 registers per work-item.
registers() {
	"$M2S" --evg-disasm "$1" | awk '$1 == ".registers" { print $2 }'
}
run 0 "$kernels/crowded.cl" '-DGROUP=__attribute__((reqd_work_group_size(64, 1, 1)))' &&
	[ "$(registers crowded.bin)" -gt 62 ]
ok 'a small work-group may have more'
run 0 "$kernels/crowded.cl" '-DGROUP=__attribute__((reqd_work_group_size(192, 1, 1)))' &&
	[ "$(registers crowded.bin)" -le 82 ]
ok 'as many as its wavefronts leave'
run 0 "$kernels/crowded.cl" '-DGROUP=__attribute__((reqd_work_group_size(256, 4, 1)))' &&
	[ "$(registers crowded.bin)" -le 62 ]
ok 'a larger work-group has as many as one of 256'
run 0 "$kernels/crowded.cl" && [ "$(registers crowded.bin)" -le 62 ] &&
	! "$M2S" --evg-disasm crowded.bin | grep -q '^\.scratch'
ok 'without one, few are enough'
for most in 30 20 8; do
	run 0 --codegen-registers=$most "$kernels/crowded.cl" && [ ! -s err ] &&
		[ "$(registers crowded.bin)" -le $most ] &&
		"$M2S" --evg-disasm crowded.bin | grep -q '^\.scratch'
	ok "at most $most registers, with scratch memory"
done
run 2 --codegen-registers=3 "$kernels/crowded.cl" &&
	grep -q -- '--codegen-registers=3: expected 4 to 124' err
ok 'fewer registers than any kernel needs'

# In parts: headers under other names, objects, a library.
echo '#define N 7' >other
echo '#include "sub/n.h"
int add(int);
kernel void k(global int *p) { p[0] = add(p[1]) + M; }' >first.cl
echo '#include <sub/n.h>
int add(int x) { return sin((float)x) + N; }' >second.cl
echo '#define M 2
#define N 7
int add(int x) { return sin((float)x) + N; }
kernel void k(global int *p) { p[0] = add(p[1]) + M; }' >whole.cl
run 0 -c first.cl -DM=2 --header sub/n.h other && [ -s first.o ] &&
	run 0 -c second.cl --header sub/n.h other -o second.o &&
	run 0 --link first.o second.o -o linked.bin && run 0 whole.cl
ok '-c, --header and --link'

# The current folder under another name, which the shell tells in PWD.
ln -s . alias
(cd alias && [ "$PWD" != "$(pwd -P)" ] &&
	run 0 --link --object a first.o --object b second.o -o alias.bin)
[ $? -eq 0 ] && cmp -s linked.bin alias.bin
ok 'a folder behind a link'

# A program that is confined includes headers, no files; what it needs of the
# function libraries is there.
echo '#define SECRET 1' >secret
cat >confined.cl <<'EOF'
#ifdef FILE
#include FILE
#elif __has_include("/etc/passwd") || __has_include("secret")
#error it sees a file of the host
#endif
#include "sub/n.h"
kernel void k(global double *a, global float *b)
{
	a[0] = a[1] / (double)sin(b[0]);
}
EOF
not_found() {
	run 1 --confined confined.cl --header sub/n.h other -I. -I"$PWD" \
		"-DFILE=\"$1\"" -o confined.bin && grep -q 'not found' err
}
run 0 --confined confined.cl --header sub/n.h other -o confined.bin &&
	run 0 --confined - --header sub/n.h other -o - <confined.cl &&
	not_found "$PWD/secret" && not_found secret &&
	not_found sub/../secret && not_found /etc/passwd &&
	run 0 -DFILE='"secret"' confined.cl --header sub/n.h other -o x.bin
ok '--confined'

listing() {
	"$M2S" --evg-disasm "$1"
}
[ "$(listing linked.bin)" = "$(listing whole.bin)" ]
ok 'linked code is that of the whole program'

run 0 --link -create-library second.o -o library.o &&
	run 0 --link first.o --object lib library.o -o again.bin &&
	cmp -s linked.bin again.bin
ok '-create-library'

run 1 --link first.o -o none.bin && [ ! -e none.bin ] &&
	grep -q "first.cl:3:.*a call to 'add', which has no definition" err
ok 'an undefined function, with its place'
run 1 --link first.o second.o library.o -o none.bin &&
	grep -q "library.o.*'add': symbol multiply defined" err
ok 'a function defined twice'
run 1 --link first.o linked.bin -o none.bin &&
	grep -q 'linked.bin is not an object of m2s-clc' err
ok 'something else to link'
head -c 500 first.o >cut.o
run 1 --link cut.o -o none.bin && grep -q 'cut.o: found .* expected' err
ok 'half an object'
run 2 --link first.o -DM=2 -o none.bin && grep -q 'unknown option -DM=2' err &&
	run 2 --link -o none.bin && grep -q 'nothing to link' err &&
	run 2 --link first.o && grep -q 'expected -o FILE' err
ok 'wrong options for linking'
echo 'int f() { return x; }' >bad.cl
run 1 -c - --name part.cl -o bad.o <bad.cl &&
	grep -q 'part.cl:1:18: error: use of undeclared' err && [ ! -e bad.o ]
ok '--name is what messages call the program'

exit $failed
