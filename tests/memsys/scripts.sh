#!/bin/bash
# Every transition of the coherence protocol: scripts/*.ini with a line
# "; hierarchy: FILE" are commands for --mem-sim on that hierarchy, with the
# networks of "; network: FILE" if there is such a line. Then scripts that fail,
# with the place and the reason.
set -u
scripts=$top_srcdir/tests/memsys/scripts
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

for script in "$scripts"/*.ini; do
	hierarchy=$(sed -n 's/^; hierarchy: //p' "$script")
	[ -n "$hierarchy" ] || continue
	network=$(sed -n 's/^; network: //p' "$script")
	name=$(basename "$script" .ini)
	cat "$script" "$scripts/$hierarchy" >"$folder/$name.ini"
	if timeout 60 "$M2S" --mem-config "$folder/$name.ini" --mem-sim \
		${network:+--net-config "$scripts/$network"} \
		>"$folder/out" 2>&1 && grep -q "^Checks = [1-9]" "$folder/out"
	then
		echo "ok - scripts: $name"
	else
		echo "not ok - scripts: $name"
		sed 's/^/#   /' "$folder/out"
	fi
done

# expect NAME PATTERN COMMANDS...: fails in line 1 + number of commands.
expect() {
	local name=$1 pattern=$2 number=0

	shift 2
	echo "[ Commands ]" >"$folder/bad.ini"
	for command in "$@"; do
		echo "Command[$number] = $command" >>"$folder/bad.ini"
		number=$((number + 1))
	done
	cat "$scripts/three-l1.ini" >>"$folder/bad.ini"
	timeout 60 "$M2S" --mem-config "$folder/bad.ini" --mem-sim \
		>"$folder/out" 2>&1
	if [ $? -eq 1 ] && grep -qE -- \
		"bad.ini:$(($# + 1)): \[Commands\] Command.*: .*$pattern" \
		"$folder/out"; then
		echo "ok - scripts: $name"
	else
		echo "not ok - scripts: $name: no message like '$pattern'"
		sed 's/^/#   /' "$folder/out"
	fi
}
expect "no such command" "'CheckBlok': expected SetBlock, .* or CheckDone" \
	"1 CheckBlok l1-0 0 I"
expect "missing argument" "expected CheckBlock <module> <address>" \
	"1 CheckBlock l1-0 0"
expect "argument too many" "expected CheckDone <accesses>" "1 CheckDone 1 2"
expect "bad cycle" "'soon': expected a whole number" "soon CheckDone 1"
expect "no such module" "no module 'l3'" "1 CheckBlock l3 0 I"
expect "bad address" "'x': expected an address" "1 CheckBlock l1-0 x I"
expect "bad state" "'F': expected one of I.S.O.N.E.M" "1 CheckBlock l1-0 0 F"
expect "address not aligned" "must be a multiple of 4" "1 Access l1-0 Load 2"
expect "bad kind" "'Read': expected one of Load" "1 Access l1-0 Read 0"
expect "no directory" "'mm' keeps no state of blocks" "1 CheckBlock mm 0 E"
expect "not tracked" "'l1-0' keeps no directory" "1 CheckOwner l1-0 0 none"
expect "not above" "'l2' does not track 'mm'" "1 CheckOwner l2 0 mm"
expect "no such link" "no such link" "1 CheckLink l1-l2:l1-0:l1-1 0 0"
expect "no such counter" "no counter 'Sets'" "1 CheckCount l1-0 Sets 0"
expect "wrong state" "in cycle 9 the block is in state I" \
	"9 CheckBlock l1-0 0 S"
expect "block is not there" "the block is not in the module" \
	"9 CheckOwner l2 0 none"
expect "wrong owner" "in cycle 300 l1-0 owns the block" \
	"0 Access l1-0 Store 0" "300 CheckOwner l2 0 none"
expect "wrong sharers" "the sharers are: l1-0" \
	"0 Access l1-0 Store 0" "300 CheckSharers l2 0 l1-1"
expect "wrong count" "the counter is 1$" \
	"0 Access l1-0 Store 0" "300 CheckCount l1-0 Writes 2"
expect "wrong link" "has carried 1 messages with 8 bytes" \
	"0 Access l1-0 Load 0" "300 CheckLink l1-l2:l1-0:Switch 2 16"
expect "wrong queue" "0 misses are under way, and 0 accesses wait" \
	"300 CheckQueue l1-0 1 0"
expect "wrong number of accesses" "0 accesses are done" "300 CheckDone 1"
expect "set while work is under way" "while no access is under way" \
	"0 Access l1-0 Load 0" "2 SetBlock l1-1 0 S"
expect "blocks without one below" \
	"'l1-0' has block 0x0, but 'l2' below does not have it" \
	"0 SetBlock l1-0 0 E" "1 CheckDone 0"
expect "two owners" "in state M in 'l1-0' and in state S in 'l1-1'" \
	"0 SetBlock l2 0 E" "0 SetSharers l2 0 l1-0 l1-1" \
	"0 SetOwner l2 0 l1-0" "0 SetBlock l1-0 0 M" "0 SetBlock l1-1 0 S" \
	"1 Access l1-2 Load 0"

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}
"$M2S" --mem-config "$scripts/three-l1.ini" --mem-sim >"$folder/out" 2>&1
grep -q "three-l1.ini has no section \[ Commands \] to run" "$folder/out"
check "scripts: a file without commands" $?
"$M2S" --mem-sim >"$folder/out" 2>&1
grep -q -- "--mem-sim: needs --mem-config FILE" "$folder/out"
check "scripts: no file" $?
"$M2S" --evg-sim detailed --mem-config "$folder/bad.ini" /bin/true \
	>"$folder/out" 2>&1
grep -q "bad.ini:1: \[Commands\]: this section has commands, which only" \
	"$folder/out"
check "scripts: commands without --mem-sim" $?
"$M2S" --mem-config "$folder/load.ini" --mem-sim --mem-report "$folder/report" \
	>"$folder/out" 2>&1
grep -q "^ReadMisses = 8" "$folder/report"
check "scripts: with a report" $?

# The log names what the processor asked for.
{
	printf '[ Commands ]\n'
	number=0
	for kind in Load Store NCStore Atomic AtomicLoad AtomicStore \
		UncachedLoad; do
		printf 'Command[%d] = %d Access l1-0 %s %d\n' $number \
			$((number * 1000)) $kind $((number * 64))
		number=$((number + 1))
	done
	cat "$scripts/three-l1.ini"
} >"$folder/kinds.ini"
"$M2S" --mem-config "$folder/kinds.ini" --mem-sim \
	--mem-debug "$folder/log" >"$folder/out" 2>&1
for kind in load store nc-store atomic atomic-load atomic-store uncached-load
do
	grep -q " ps l1-0: $kind 0x.* done$" "$folder/log" ||
		grep -q " ps mm: $kind 0x.* done$" "$folder/log" || echo "$kind"
done >"$folder/missing"
[ ! -s "$folder/missing" ]
check "scripts: the log's kinds of access" $?
