#!/bin/bash
# --gdb: Debian's gdb drives a program of both ABIs; then packets that gdb
# would not send.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
CC=${CC:-gcc}
source=$top_srcdir/tests/x86/programs/debugged.c
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-gdb-XXXXXX") || exit 1
pid=
trap '[ -z "$pid" ] || kill $pid 2>/dev/null; rm -rf "$work"' EXIT
failed=0

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"

# start PROGRAM ARGUMENTS...: m2s waits for a debugger on $port
options=()
start() {
	rm -f "$work/err"
	timeout 100 "$m2s" --quiet --gdb 0 "${options[@]}" "$@" >"$work/out" \
		2>"$work/err" </dev/null &
	pid=$!
	port=
	for _ in $(seq 100); do
		port=$(sed -n 's/.*(target remote :\([0-9]*\)).*/\1/p' \
			"$work/err" 2>/dev/null)
		[ -n "$port" ] && return
		sleep 0.05
	done
	echo "not ok - gdb: m2s listens: $(cat "$work/err")"
	exit 1
}

finish() {
	wait $pid 2>/dev/null
	status=$?
	pid=
}

# debug PROGRAM ARGUMENT COMMANDS...: a gdb session, its output in $work/gdb
debug() {
	local program=$1 argument=$2 commands=()
	shift 2
	for command; do
		commands+=(-ex "$command")
	done
	start "$program" $argument
	timeout 60 gdb -q -nx -batch -ex 'set confirm off' \
		-ex 'set debuginfod enabled off' \
		-ex 'set print thread-events off' \
		-ex 'set width 0' "${sysroot[@]}" "$program" \
		-ex "target remote :$port" "${commands[@]}" \
		>"$work/gdb" 2>&1 </dev/null
	finish
}

# expect LABEL PATTERNS...: lines that follow each other in $work/gdb, with
# others in between
expect() {
	local label=$1
	shift
	if awk 'BEGIN { for (i = 1; i < ARGC; i++) want[i] = ARGV[i]
			ARGC = 1; at = 1 }
		at in want && $0 ~ want[at] { at++ }
		END { if (at in want) { print "# missing: " want[at]; exit 1 } }
		' "$@" <"$work/gdb" >"$work/missing"; then
		echo "ok - gdb: $label"
	else
		echo "not ok - gdb: $label"
		cat "$work/missing"
		sed 's/^/# /' "$work/gdb" | tail -n 40
		failed=1
	fi
}

check() { # LABEL CONDITION...
	local label=$1
	shift
	if "$@"; then
		echo "ok - gdb: $label"
	else
		echo "not ok - gdb: $label (status $status)"
		tail -n 5 "$work/err" | sed 's/^/# /'
		failed=1
	fi
}

line() { awk -v mark="/\\* $1 \\*/" '$0 ~ mark { print NR; exit }' "$source"; }

for abi in $abis; do
	program=$work/debugged.$abi
	name=$([ $abi = 64 ] && echo x86-64 || echo i386)
	if ! $CC -g -O0 -m$abi -pthread "$source" -o "$program" \
		>"$work/log" 2>&1; then
		echo "not ok - gdb: $name program cannot be built"
		failed=1
		continue
	fi
	if ! command -v gdb >/dev/null; then
		echo "ok - gdb: session, $name # SKIP gdb is not installed"
		continue
	fi
	# The libraries come through the connection once, then from files.
	sysroot=()
	[ $abi = 64 ] || sysroot=(-iex 'set sysroot /')
	sp=$([ $abi = 64 ] && echo rsp || echo esp)
	pc=$([ $abi = 64 ] && echo rip || echo eip)
	ax=$([ $abi = 64 ] && echo rax || echo eax)
	debug "$program" "" \
		"break inner if n == 4" c bt 'info args' finish \
		next next next next next 'delete 1' \
		'break compare' c bt 'delete 2' finish \
		'watch watched' c \
		'info line' \
		'awatch real' 'p real' 'delete' \
		c 'p $_siginfo.si_signo' 'p $_siginfo.si_code' \
		'break handler' c 'bt 3' 'step' 'delete' \
		"tbreak $(line THREADS)" c 'info threads' \
		'thread apply all bt' 'thread apply all p own' \
		'p sum' 'set var sum = 129' 'p watched + sum' \
		'p outer(5)' 'p $_siginfo' \
		"set \$old = \$$ax" "p/x \$$ax = 0x1234" "p/x \$$ax" \
		"set \$$ax = \$old" \
		'p $xmm3.v4_int32[1] = 77' 'p $xmm3.v4_int32' \
		'p $st3 = 2.5' 'p $st3' 'p $mxcsr' 'info float' \
		'p $_gdb_setting("architecture")' \
		"x/2i \$$pc" 'monitor contexts' 'monitor instructions' \
		'monitor nonsense' \
		'info proc mappings' "stepi" "p \$$pc != 0" 'info auxv' 'info sharedlibrary' c
	expect "$name: conditional breakpoint, arguments, backtrace" \
		'^Breakpoint 1, inner \(n=4\)' '^#1 .* outer \(n=4\)' \
		'^#2 .* main' '^n = 4'
	expect "$name: finish and its value" 'Value returned is \$1 = 12'
	expect "$name: stepping over calls" 'return result' \
		'for \(int i' 'sum \+= outer'
	expect "$name: backtrace through the C library" \
		'^Breakpoint 2, compare' '^#1 .*(libc|sort)' 'main \(argc=1'
	expect "$name: watchpoint with old and new value" \
		'atchpoint 3: watched' '^Old value = 0' '^New value = 145'
	expect "$name: signal with siginfo, then its handler" \
		'received signal SIGUSR1' '^\$[0-9]+ = 10' '^\$[0-9]+ = -6' \
		'^Breakpoint [0-9]+, handler \(number=10\)' \
		'signal handler called' '^[0-9]+.\}'
	expect "$name: threads, by name, each with its backtrace" \
		'^Temporary breakpoint' '^\* 1 .*"debugged' '^  2 .*"debugged' \
		'^Thread 2' 'thread \(argument=' '^Thread 1' ' main \('
	expect "$name: thread-local variables" '^\$[0-9]+ = 6' '^\$[0-9]+ = 5'
	expect "$name: memory is read and changed" '= 145' '= 274'
	expect "$name: calls in the guest" '= 16'
	expect "$name: registers are read and changed" '= 0x1234' \
		'= 0x1234' '= 77' '= \{.*, 77, ' '= 2.5' '= 2.5' \
		'= \[ IM DM ZM OM UM PM \]' 'R7: Empty|=>?R7'
	expect "$name: disassembly, monitor commands" '^=> 0x' \
		'context 100 \(debugged' 'instructions by all contexts' \
		'no such command'
	expect "$name: memory map, auxiliary vector, libraries" \
		'0x[0-9a-f]* .*debugged' 'libc.so.6' '\[stack\]' \
		'AT_ENTRY' 'libc.so.6'
	expect "$name: the exit status" 'exited with code 01'
	check "$name: the program goes on as told" [ $status -eq 1 ]
	check "$name: what it printed" \
		grep -q '^sum 129, handled 10' "$work/out"

	debug "$program" exec 'catch exec' c 'break main' c 'p argc' \
		'delete' c
	expect "$name: execve() is reported, breakpoints after it" \
		'exec.d .*debugged' 'reakpoint .*, main \(argc=2' '= 2' \
		'exited with code 07'

	debug "$program" fork 'break inner' c 'delete' c
	expect "$name: children run on, the parent stops" \
		'^Breakpoint 1, inner \(n=1\)' 'exited with code 011'
	debug "$program" "" 'break *inner' c 'delete' \
		"rwatch -l *(int *)\$$sp" \
		"watch -l *(int *)(\$$sp - $((abi / 8)))" \
		c c
	expect "$name: watched stack: a push, a return" \
		'^Hardware watchpoint' 'inner \(' '^Hardware read watchpoint' \
		'outer \('
	debug "$program" null c 'p $_siginfo._sifields._sigfault.si_addr' \
		'p $_siginfo.si_code' c
	expect "$name: a fault and its address" 'received signal SIGSEGV' \
		'= \(void \*\) 0x10' '= 1' 'terminated with signal SIGSEGV'
	check "$name: and its status" [ $status -eq 139 ]
	debug "$program" "" 'handle SIGUSR1 nostop noprint pass' \
		'break handler' c 'delete' c
	expect "$name: signals that are passed on" \
		'reakpoint 1, handler' 'exited with code 021'
	debug "$program" "" c 'signal 0'
	expect "$name: signals that are not" 'SIGUSR1' 'exited with code 021'
	check "$name: their handler has not run" \
		grep -q 'handled 0' "$work/out"
	debug "$program" lock c bt kill
	expect "$name: a deadlock stops in the debugger" 'deadlock' \
		'waits for a futex' 'SIGINT' ' main '

	for how in spin sleep; do
		start "$program" $how
		rm -f "$work/runs"
		gdb -q -nx -batch -ex 'set confirm off' \
			-ex 'set debuginfod enabled off' \
			-ex 'set width 0' -iex 'set sysroot /' "$program" \
			-ex "target remote :$port" -ex 'break main' -ex c \
			-ex "shell touch $work/runs" -ex c -ex bt \
			-ex 'p handled = 5' -ex kill \
			>"$work/gdb" 2>&1 </dev/null &
		debugger=$!
		for _ in $(seq 200); do
			[ -e "$work/runs" ] && break
			sleep 0.05
		done
		sleep 0.3
		kill -INT $debugger
		wait $debugger
		finish
		expect "$name: Ctrl-C in a program that does $how" \
			'SIGINT' ' main \(argc=2' '= 5' 'killed'
		check "$name: kill ends it" [ $status -eq 137 ]
	done
done

if command -v gdb >/dev/null; then
	printf '[ General ]\nCPUModel = x86-64-v3\n' >"$work/v3.ini"
	options=(--x86-config "$work/v3.ini")
	debug "$work/debugged.64" "" 'break main' c \
		'set var $ymm1.v8_int32[7] = 3' 'p $ymm1.v8_int32' detach
	expect "vector registers of 256 bits" 'reakpoint 1, main' \
		'= \{.*, 3\}' 'detached'
	check "detach" [ $status -eq 17 ]
	options=()
fi

# ---- Packets that gdb would not send ----

program=$work/debugged.64
[ -e "$program" ] || exit $failed

# packet TEXT: sends it, the reply goes to $reply (and what came before it)
packet() {
	local sum=0 i LC_ALL=C
	for ((i = 0; i < ${#1}; i++)); do
		((sum += $(printf '%d' "'${1:i:1}")))
	done
	printf '$%s#%02x' "$1" $((sum & 255)) >&3
	answer
}
answer() {
	reply='(none)' tail=
	IFS= read -r -d '#' -t 10 -u 3 reply && read -r -N 2 -t 10 -u 3 tail
}
# says LABEL PATTERN: about $reply
says() {
	if [[ $reply =~ $2 ]]; then
		echo "ok - gdb packets: $1"
	else
		echo "not ok - gdb packets: $1: got ${reply:0:100}"
		failed=1
	fi
}

start "$program"
check "listens on the loopback address only" \
	grep -q "^ *[0-9]*: 0100007F:$(printf %04X "$port") 00000000:0000 0A" \
	/proc/net/tcp
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET / HTTP/1.0\r\n\r\n\0\377\003++--' >&3
packet '?'
says "noise before a packet is passed over" '^\+\$T05thread:64;$'
printf '$g#00' >&3
IFS= read -r -N 1 -t 10 -u 3 reply
says "a wrong checksum is refused" '^-$'
printf '$g#zz$m}' >&3
IFS= read -r -N 1 -t 10 -u 3 reply
says "a malformed checksum is refused" '^-$'
printf '#ff' >&3
IFS= read -r -N 1 -t 10 -u 3 reply
says "an escape without its byte is refused" '^-$'
while read -r text expected; do
	packet "$text"
	says "$text" "^\\+\\\$$expected\$"
done <<-'END'
	m E01
	m10 E01
	m,4 E01
	m0,4 E14
	mffffffffffffffff,10 E14
	m12345678123456781234,10 E01
	M0,4:00 E01
	M0,2:zzzz E01
	M0,1:00 E14
	X0,10:abc E01
	G00 E01
	p E01
	pffff E01
	P0 E01
	P0=12 E01
	P0=001122334455667788 E01
	Pffffffff=00 E01
	Z0 E01
	Z0,,1 E01
	Z9,0,1
	Z2,0,0 E01
	Z2,ffffffffffffffff,2 E01
	z1,1234,1 OK
	Hg1 E03
	Hgxyz E01
	Hq1 E01
	Hgp99.64 E01
	T0 E01
	Tp64.64 OK
	vCont E01|
	vCont; E01
	vCont;x E01
	vCont;c:zz E01
	vCont;r12 E01
	vNothing
	qNothing
	qXfer:features:read:target.xml:ffffffffff,10 E01
	qXfer:features:read:target.xml:10 E01
	qXfer:features:read:other.xml:0,10
	qXfer:auxv:write::0:00
	qRcmd,zz E01
	qThreadExtraInfo,1 E01
	QPassSignals:x E01
	vFile:open:2f,0,0 F-1,d
	vFile:open:2f746d702f78,1,1ff F-1,1e
	vFile:open:zz,0,0 F-1,16
	vFile:pread:0,10,0 F-1,9
	vFile:close:ffffffffffff F-1,9
	vFile:unlink:2f746d702f78
	CZZ E01
	!
END
packet 'p10'
says "a register after all that" '^\+\$[0-9a-f]{16}$'
packet D
says "detach" '^\+\$OK$'
exec 3>&-
finish
check "the program goes on after detach" [ $status -eq 17 ]

start "$program"
exec 3<>"/dev/tcp/127.0.0.1/$port"
{ printf '$m'; head -c 60000 /dev/zero | tr '\0' 1; } >&3 2>/dev/null
finish
exec 3>&-
check "a packet without end: the debugger is dropped" \
	grep -q 'debugger has gone' "$work/err"
check "and the program goes on" [ $status -eq 17 ]

start "$program" spin
exec 3<>"/dev/tcp/127.0.0.1/$port"
packet QStartNoAckMode
printf '+' >&3
packet 'vKill;64'
says "kill" '^\$OK$'
exec 3>&-
finish
check "kill ends the program" [ $status -eq 137 ]

for port in 65536 -1 x 1.5 ''; do
	timeout 10 "$m2s" --quiet --gdb "$port" "$program" >"$work/out" \
		2>"$work/err"
	status=$?
	check "--gdb '$port' is refused" [ $status -eq 1 ]
done
exit $failed
