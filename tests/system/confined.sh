#!/bin/bash
# Behind both walls (doc/confinement.md) all of m2s works: kernels are compiled
# and simulated on several threads, every report is written, gdb connects.
set -u
m2s=$(realpath "$(command -v "${M2S:-m2s}")")
program=$top_builddir/samples/reduction/reduction
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-confined-XXXXXX") || exit 1
pid=
trap '[ -z "$pid" ] || kill $pid 2>/dev/null; rm -rf "$work"' EXIT
failed=0
cd "$work" || exit 1

wall=kernel
if ! "$m2s" --quiet --x86-read-only true 2>err; then
	echo "ok - confined, with namespaces # SKIP $(head -n 1 err)"
	wall=landlock
	if ! "$m2s" --quiet --x86-confine $wall --x86-read-only true 2>err; then
		echo "ok - confined # SKIP $(head -n 1 err)"
		exit 0
	fi
fi

check() {
	local label=$1
	shift
	if "$@" >out 2>&1 </dev/null; then
		echo "ok - $label"
	else
		echo "not ok - $label: status $?"
		tail -n 12 out
		failed=1
	fi
}

# The cache is empty, so that the compiler runs.
detailed() {
	rm -rf cache reports
	mkdir reports
	XDG_CACHE_HOME=$work/cache "$m2s" --x86-confine $wall --x86-read-only \
		--x86-no-network --evg-sim detailed --threads 2 \
		--x86-report reports/x86 --evg-report reports/gpu \
		--evg-report-kernel reports/kernel --mem-report reports/memory \
		--net-report reports/network --report-format ini,csv \
		--evg-annotate reports/annotated --evg-calc reports/occupancy \
		--stats-interval 5000 --stats-interval-file reports/intervals \
		--x86-debug-syscall reports/calls "$program" -n 4096
	[ -n "$(ls cache/m2s)" ] || return 1
	for name in x86.ini x86.csv gpu.ini kernel.csv memory.ini network.ini \
		annotated occupancy.0.txt intervals calls; do
		[ -s "reports/$name" ] || { echo "no $name"; return 1; }
	done
	[ -z "$(find . -name '*part')" ]
}
check "read-only: detailed simulation and its reports" detailed

# A root with what the program is linked to; our runtime is not in it.
mkdir -p root/bin
cp "$program" "$program.cl" root/bin
ldd "$program" | grep -o '/[^ ]*' | grep -v OpenCL | while read -r file; do
	mkdir -p "root$(dirname "$file")"
	cp -L "$file" "root$file"
done
rooted() {
	rm -rf cache
	XDG_CACHE_HOME=$work/cache "$m2s" --x86-confine $wall \
		--x86-root "$work/root" --x86-no-network --quiet \
		--evg-report gpu.ini /bin/reduction -n 4096 &&
		[ -s gpu.ini ] && [ -n "$(ls cache/m2s)" ]
}
check "root: kernels are compiled and run" rooted

debugged() {
	"$m2s" --quiet --gdb 0 --x86-confine $wall --x86-root "$work/root" \
		--x86-no-network /bin/reduction -n 4096 2>err &
	pid=$!
	for _ in $(seq 100); do
		port=$(sed -n 's/.*(target remote :\([0-9]*\)).*/\1/p' err)
		[ -n "$port" ] && break
		sleep 0.05
	done
	gdb -nx -batch -ex "target remote :$port" -ex 'info registers rip' \
		-ex continue >gdb.out 2>&1
	cat gdb.out
	! grep -q 'could not open' gdb.out && wait $pid
}
if command -v gdb >/dev/null; then
	check "root: gdb" debugged
else
	echo "ok - root: gdb # SKIP gdb is not installed"
fi
exit $failed
