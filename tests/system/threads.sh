#!/bin/bash
# --threads in detailed simulation: every report byte is the same for any
# number of host threads, and from run to run.
set -u
output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# run FOLDER THREADS PROGRAM ARGUMENTS...: reports, listing and the program's
# output; OPTIONS: further options
run() {
	local folder=$output/$1 threads=$2

	shift 2
	mkdir -p "$folder"
	timeout 120 "$M2S" --quiet --evg-sim detailed --threads "$threads" \
		$OPTIONS --provenance none --x86-report "$folder/x86" \
		--evg-report "$folder/evergreen" --mem-report "$folder/memory" \
		--net-report "$folder/network" \
		--evg-report-kernel "$folder/kernel" --evg-report-wavefronts \
		--evg-annotate "$folder/listing" "$@" >"$folder/out" 2>&1
}

# same_program NAME THREADS... -- PROGRAM ARGUMENTS...; "again" among THREADS:
# as many as before once more
same_program() {
	local name=$1 counts=() count=1 last status

	shift
	while [ "$1" != -- ]; do
		counts+=("$1")
		shift
	done
	shift
	rm -rf "$output"/t*
	run t1 1 "$@"
	status=$?
	for count in "${counts[@]}"; do
		[ "$count" = again ] || last=$count
		rm -rf "$output/t$last"
		run "t$last" "$last" "$@" &&
			diff -r "$output/t1" "$output/t$last" \
				>"$output/diff" || status=1
	done
	check "threads: $name" $status
	[ $status -eq 0 ] || head -5 "$output/t1/out" "$output/diff" |
		sed 's/^/# /'
}

# same NAME THREADS... -- SAMPLE ARGUMENTS...
same() {
	local head=()

	while [ "$1" != -- ]; do
		head+=("$1")
		shift
	done
	same_program "${head[@]}" -- "$top_builddir/samples/$2/$2" \
		"${@:3}" -q
}

# Four compute units, each pair at a switch, and two L2 slices at a third one;
# the slices and the memories behind them at a bus. The first links lead into
# the compute units: their numbers are the lowest.
write_memory() {
	local i

	cat <<-END
		[ General ]
		Frequency = 850
		[ CacheGeometry l1 ]
		Sets = 16
		Assoc = 4
		BlockSize = 64
		Latency = 20
		[ CacheGeometry l2 ]
		Sets = 64
		Assoc = 4
		BlockSize = 64
		Latency = 30
	END
	for i in 0 1 2 3; do
		cat <<-END
			[ Module l1-$i ]
			Type = Cache
			Geometry = l1
			LowNetwork = upper
			LowNetworkNode = unit-$i
			LowModules = l2-0 l2-1
			[ Entry unit-$i ]
			Arch = Evergreen
			ComputeUnit = $i
			Module = l1-$i
		END
	done
	for i in 0 1; do
		cat <<-END
			[ Module l2-$i ]
			Type = Cache
			Geometry = l2
			HighNetwork = upper
			HighNetworkNode = slice-$i
			LowNetwork = lower
			LowNetworkNode = slice-$i
			LowModules = memory-$i
			AddressRange = ADDR DIV 256 MOD 2 EQ $i
			[ Module memory-$i ]
			Type = MainMemory
			HighNetwork = lower
			HighNetworkNode = memory-$i
			BlockSize = 64
			Latency = 100
			AddressRange = ADDR DIV 256 MOD 2 EQ $i
		END
	done
}

# node NETWORK NAME TYPE
node() {
	printf '[ Network.%s.Node.%s ]\nType = %s\n' "$@"
}

# link NETWORK FROM TO [LATENCY]
link() {
	printf '[ Network.%s.Link.%s-%s ]\nSource = %s\nDest = %s\n' \
		"$1" "$2" "$3" "$2" "$3"
	[ $# -lt 4 ] || echo "Latency = $4"
}

write_networks() {
	local name i

	printf '[ General ]\nFrequency = 850\n'
	for name in upper lower; do
		cat <<-END
			[ Network.$name ]
			DefaultInputBufferSize = 576
			DefaultOutputBufferSize = 288
			DefaultBandwidth = 36
		END
	done
	for i in 0 1 2; do
		node upper "switch-$i" Switch
	done
	node lower bus Bus
	for i in 0 1 2 3; do
		node upper "unit-$i" EndNode
		link upper "switch-$((i / 2))" "unit-$i" 12
	done
	for i in 0 1 2 3; do
		link upper "unit-$i" "switch-$((i / 2))" 12
	done
	for i in 0 1; do
		node upper "slice-$i" EndNode
		link upper "switch-$i" switch-2 9
		link upper switch-2 "switch-$i" 9
		link upper switch-2 "slice-$i" 16
		link upper "slice-$i" switch-2 16
		for name in slice memory; do
			node lower "$name-$i" EndNode
			link lower "$name-$i" bus
			link lower bus "$name-$i"
		done
	done
}

OPTIONS=
same "matrix multiplication, 1 2 4 8" 2 4 8 -- matrix-multiplication -n 64
same "atomics on shared counters, 1 2 8" 2 8 -- histogram -n 16384
same "local memory and barriers, 1 2 4" 2 4 -- reduction -n 16384
same "launches that depend on each other, 1 2" 2 -- floyd-warshall -n 16
OPTIONS="--mem-config $top_srcdir/samples/memory/evg-multi2sim-4.2.ini"
same "another hierarchy, 1 2 4" 2 4 -- matrix-multiplication -n 64
OPTIONS="--mem-config $top_srcdir/samples/memory/evg-hd5870-tlb.ini"
same "TLBs that share one, 1 2 4" 2 4 -- matrix-multiplication -n 64
OPTIONS="--mem-config $top_srcdir/samples/memory/evg-hd5870-prefetch.ini"
same "prefetchers, 1 2 4" 2 4 -- reduction -n 16384
# Peers need a way from one to the other.
sed 's/^Coherent = f/Coherent = t/; s/^Links = Direct/Links = Switch/' \
	"$top_srcdir/samples/memory/evg-hd5870.ini" >"$output/coherent.ini"
OPTIONS="--mem-config $output/coherent.ini"
same "tracked caches and peers, 1 2 4" 2 4 -- bitonic-sort -n 256
grep -q "^PeerTransfersSent = [1-9]" "$output/t1/memory"
check "threads: blocks went from peer to peer" $?
write_memory >"$output/memory.ini"
write_networks >"$output/networks.ini"
printf '[ Device ]\nNumComputeUnits = 4\n[ %s ]\nSharedBy = 2\n[ %s ]\nSharedBy = 2\n' \
	ConstantCache InstructionCache >"$output/device.ini"
OPTIONS="--mem-config $output/memory.ini --net-config $output/networks.ini
	--evg-config $output/device.ini"
same "networks of switches and a bus, 1 2 4 8" 2 4 8 -- \
	matrix-multiplication -n 32
same "the same with atomics, 1 2 4 8" 2 4 8 -- histogram -n 4096
OPTIONS="$OPTIONS --threads-report $output/division"
run divided 2 "$top_builddir/samples/vector-add/vector-add" -n 1024 -q
# The hub, two pairs of units, three switches, each slice's end of the upper
# network with the bus.
grep -q "^Islands = 7$" "$output/division"
check "threads: long links of those networks divide them" $?
grep -q "^SharedSources = 0$" "$output/division"
check "threads: a source of events has one sender" $?

# The processor computes between launches that depend on each other.
rounds() {
	local name=$1

	same_program "rounds of processor and GPU, $name, 1 2 4 8" \
		2 4 8 again -- "$output/rounds"
	grep -q "^PASSED$" "$output/t1/out"
	check "threads: rounds of processor and GPU, $name: results" $?
}

OPTIONS=
$CC -O1 -o "$output/rounds" "$top_srcdir/tests/system/rounds.c" -lOpenCL
rounds x86-64
if [ "$HAVE_M32" = yes ]; then
	$CC -m32 -O1 -o "$output/rounds" "$top_srcdir/tests/system/rounds.c" \
		-L"$top_builddir/lib/i386" -lm2s-opencl \
		-Wl,-rpath,"$(realpath "$top_builddir/lib/i386")"
	rounds i386
else
	echo "ok - threads: rounds, i386 # SKIP no 32-bit compiler"
fi

OPTIONS="--evg-max-cycles 9000"
program=$top_builddir/samples/matrix-multiplication/matrix-multiplication
run limit1 1 "$program" -n 64 -q
run limit2 2 "$program" -n 64 -q
diff -r "$output/limit1" "$output/limit2" >/dev/null
check "threads: a limit on cycles" $?
