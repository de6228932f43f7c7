#!/bin/bash
# The watchdog: a detailed simulation that makes no progress ends with an error
# and a file that says who waits for whom.
set -u
output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# A memory that works, but so slowly (a clock of 1 MHz) that the watchdog does
# not wait for an instruction.
cat >"$output/memory.ini" <<'INI'
[ CacheGeometry l1 ]
Sets = 16
Assoc = 2
BlockSize = 64
Latency = 1
Policy = LRU
[ Network n ]
DefaultInputBufferSize = 1024
DefaultOutputBufferSize = 1024
DefaultBandwidth = 72
[ Module l1-0 ]
Type = Cache
Geometry = l1
LowNetwork = n
LowModules = mm
[ Module mm ]
Type = MainMemory
BlockSize = 64
Latency = 1
DRAM = slow
HighNetwork = n
[ DRAM slow ]
Frequency = 1
[ Entry gpu ]
Arch = Evergreen
ComputeUnit = 0
Module = l1-0
INI
cat >"$output/device.ini" <<'INI'
[ Device ]
NumComputeUnits = 1
WatchdogCycles = 5000
[ InstructionCache ]
Size = 0
[ ConstantCache ]
Size = 0
INI
# The run is in the directory where m2s-hang.txt is to be.
m2s=$(realpath "$M2S")
sample=$(realpath "$top_builddir/samples/vector-add/vector-add")
run() {
	(cd "$output" && "$m2s" --quiet --evg-sim detailed \
		--mem-config memory.ini --evg-config device.ini \
		--evg-report report "$@" "$sample" -n 256 -q) \
		>"$output/log" 2>&1
}

run
[ $? -eq 1 ] && grep -q "no instruction was executed from cycle" "$output/log" &&
	grep -q "WatchdogCycles = 5000" "$output/log" &&
	grep -q "the file m2s-hang.txt says what waits for what" "$output/log"
check "hang: an error that says where to look" $?

says() {
	grep -Eq "$2" "$output/m2s-hang.txt" 2>/dev/null
	check "hang: the file says $1" $?
}
says "which kernel, and since when" "^kernel 'vector_add': no instruction"
says "what a wavefront waits for" \
	"wavefront in slot [0-9]+ \(work-group [0-9]+, wavefront 0\), at [0-9]+: waits for the data of [1-9]"
says "what the cache waits for" \
	"block 0x[0-9a-f]+ waits for the module below, mm, for its processor"
says "how many MSHRs are in use" "^module l1-0: [1-9][0-9]* of [0-9]+ MSHRs"

says "what a DRAM channel has to do" \
	"DRAM channel 0: [1-9][0-9]* reads and 0 writes queued"
says "what a bank waits for" "bank [0-9]+: a read of row [0-9]+ waits; "

run --hang-file elsewhere.txt
[ $? -eq 1 ] && [ -s "$output/elsewhere.txt" ]
check "hang: the file is where it was asked for" $?
run --hang-file none/hang.txt
[ $? -eq 1 ] && grep -q "no instruction was executed" "$output/log"
check "hang: the error is the hang's where the file cannot be written" $?
run --set InstructionCache.Size=32768
says "that a wavefront waits for code" \
	"wavefront in slot 0 .*: waits for [1-9][0-9]* lines of code"

# --net-sim and --mem-sim have watchdogs of their own clocks.
cat >"$output/net.ini" <<'INI'
[ General ]
WatchdogCycles = 2000
[ Network.n ]
DefaultInputBufferSize = 128
DefaultOutputBufferSize = 128
DefaultBandwidth = 16
DefaultLatency = 50000
Topology = Crossbar
Columns = 3
INI
cat >"$output/mem.ini" <<'INI'
[ General ]
WatchdogCycles = 3000
[ CacheGeometry l1 ]
Sets = 16
BlockSize = 64
MSHR = 1
[ Network n ]
DefaultInputBufferSize = 128
DefaultOutputBufferSize = 128
DefaultBandwidth = 16
[ Module l1 ]
Type = Cache
Geometry = l1
LowNetwork = n
LowModules = mm
[ Module mm ]
Type = MainMemory
BlockSize = 64
Latency = 100000
HighNetwork = n
[ Commands ]
Command[0] = 0 Access l1 Load 0x40
Command[1] = 0 Access l1 Load 0x80
INI
alone() {
	rm -f "$output/m2s-hang.txt"
	(cd "$output" && "$m2s" --quiet "$@") >"$output/log" 2>&1
}
alone --net-config net.ini --net-sim n
[ $? -eq 1 ] && grep -q "none arrived from cycle" "$output/log" &&
	grep -q "the file m2s-hang.txt says what waits for what" "$output/log"
check "hang: --net-sim has a watchdog" $?
says "what a channel waits for" \
	"^  n0 -> s, channel 0: .* 128 bytes on the wire"
says "what a message waits for" "32 bytes from n0 to n[12].*waits for room"
alone --mem-config mem.ini --mem-sim
[ $? -eq 1 ] && grep -q "no module answered one from cycle" "$output/log" &&
	grep -q "the file m2s-hang.txt says what waits for what" "$output/log"
check "hang: --mem-sim has a watchdog" $?
says "which access waits" "Command\[0\] = 0 Access l1 Load 0x40: waits for 'l1'"
says "which access was refused" "Command\[1\] .*: refused by 'l1'"
says "what the cache waits for" \
	"block 0x40 waits for the module below, mm, for its processor"
sed -i '/WatchdogCycles/d' "$output/net.ini" "$output/mem.ini"
alone --net-config net.ini --net-sim n --net-max-cycles 1000 &&
	alone --mem-config mem.ini --mem-sim
check "hang: neither bites what is slow but goes on" $?

for limit in 0 1000000; do
	sed -i "s/WatchdogCycles.*/WatchdogCycles = $limit/" "$output/device.ini"
	run
	check "hang: slow memory is right with WatchdogCycles = $limit" $?
done
