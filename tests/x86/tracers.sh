#!/bin/bash
# gdb and strace as guests, on programs of both ABIs: they say what they say
# natively, but for addresses and process ids.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
CC=${CC:-gcc}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-tracers-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
. "$top_srcdir/tests/x86/native.sh"

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"
for abi in $abis; do
	$CC -g -O0 -w -D_GNU_SOURCE -static -no-pie -pthread -m$abi \
		"$top_srcdir/tests/x86/programs/tracee.c" -o "$work/tracee.$abi" \
		>"$work/log" 2>&1 || {
		echo "not ok - tracee, $abi bits: cannot be built"
		tail -n 5 "$work/log"
		exit 1
	}
done

# Containers may forbid it.
traces=yes
! command -v strace >/dev/null || strace -o "$work/true" true 2>/dev/null ||
	traces=

# Addresses, ids, random numbers, the space that strace fills lines with, and
# rseq, which guests do not have, are left out; i386 guests have no vDSO.
normal() {
	sed -E 's/0x0*[0-9a-f]{5,}/ADDRESS/g
		s/\b(process|LWP|Thread) [0-9]+/\1 N/g
		s/(si_pid=|tid=\[|clone.* = |wait4.* = |[gs]et_?[pt]id.* = )[0-9]+/\1N/
		s/_tid=\[[0-9]+\]/_tid=[N]/g
		s/(tgkill|kill)\([0-9, ]*/\1(N, /
		s/getrandom\("[^"]*"/getrandom("N"/
		s/__kernel_vsyscall|_dl_sysinfo_int80/kernel entry/
		s/(FUTEX_WAIT_BITSET[A-Z_|]*), [0-9]+/\1, N/
		s/SA_RESTORER\|//; s/, sa_restorer=ADDRESS//
		s/ \(LWP N\)//; s/ += /=/
		/^rseq/d; /^warning: (opening|Unable)/d'
}

# both LABEL TOOL ARGUMENTS...: one test. Files that the tool writes are
# appended to what it says.
both() {
	local label=$1 tool=$2
	shift 2
	if ! command -v "$tool" >/dev/null; then
		echo "ok - $label # SKIP no $tool"
		return
	elif [ -z "$traces" ]; then
		echo "ok - $label # SKIP ptrace is not permitted here"
		return
	fi
	local run native
	for run in native simulated; do
		rm -f "$work"/trace.*
		if [ $run = native ]; then
			timeout 60 "$tool" "$@"
			native=$?
		else
			timeout 300 "$m2s" --quiet "$(command -v "$tool")" "$@"
		fi >"$work/out" 2>"$work/$run.err" </dev/null
		local status=$?
		cat "$work/out" "$work"/trace.* 2>/dev/null | normal >"$work/$run"
	done
	judge "$label" $native $status
}

cat >"$work/commands" <<'END'
set confirm off
set pagination off
set style enabled off
set debuginfod enabled off
set print thread-events off
set startup-with-shell off
break add if value == 1
run
info breakpoints
backtrace
print *to
print to->second * 2
set var value = 41
finish
delete
watch counter
continue
delete
tbreak note
continue
print $_siginfo.si_signo
continue
backtrace 1
stepi
x/i $pc
next
hbreak work
continue
delete
print argument != 0
thread apply 2 bt 1
catch fork
continue
delete
catch syscall exit_group
continue
kill
END
cat >"$work/child" <<'END'
set confirm off
set pagination off
set style enabled off
set debuginfod enabled off
set print thread-events off
set print inferior-events off
set startup-with-shell off
set follow-fork-mode child
break _exit
run
print status
print counter
continue
END
for abi in $abis; do
	both "gdb: breakpoints, watchpoints, signals, threads, steps, $abi bits" \
		gdb -nx -q -batch -x "$work/commands" "$work/tracee.$abi"
	both "gdb: follows a child, $abi bits" \
		gdb -nx -q -batch -x "$work/child" "$work/tracee.$abi"
	both "strace: calls and signals of threads and children, $abi bits" \
		strace -ff -o "$work/trace" "$work/tracee.$abi"
	both "strace: counts calls, $abi bits" \
		strace -f -c -U calls,errors,name -S name -o "$work/trace.c" \
		-e trace=write,read,wait4,rt_sigaction,exit_group \
		"$work/tracee.$abi"
done
both "strace: executes another program, refuses calls" \
	strace -ff -o "$work/trace" -e trace=write,exit_group,close \
	-e inject=write:error=ENOSPC:when=1 sh -c '/bin/echo one; echo two'
exit $failed
