#!/bin/bash
# The reports' counters cannot contradict each other: samples in detailed
# simulation under generated configurations, each against the laws of
# conservation.awk. SEED and CASES for more of them, KEEP=1 to look at one.
set -u
output=$(mktemp -d) || exit 1
if [ -n "${KEEP:-}" ]; then
	echo "# configuration and reports of the last run: $output"
else
	trap 'rm -rf "$output"' EXIT
fi
seed=${SEED:-1}

# choose WORD...: one of them, in $chosen
choose() {
	seed=$(((seed * 1103515245 + 12345) & 0x7fffffff))
	shift $(((seed >> 8) % $#))
	chosen=$1
}

# vary SECTION NAME VALUE...: a line for the GPU, in its section
vary() {
	local name=$2

	[ "$1" = "$section" ] || printf '[ %s ]\n' "$1"
	section=$1
	shift 2
	choose "$@"
	printf '%s = %s\n' "$name" "$chosen"
}

gpu() {
	local section=

	vary Device NumComputeUnits "$1"
	vary Device NumStreamCores 3 8 16 20 33 64
	vary Device MaxWorkGroupsPerComputeUnit 1 2 8
	vary Device MaxWavefrontsPerComputeUnit 4 9 32
	vary Device SchedulingPolicy RoundRobin Greedy OldestFirst
	vary LocalMemory Banks 1 16 32
	vary CFEngine StepLatency 0 7 40
	vary ALUEngine ProcessingElementLatency 1 4 8
	vary ALUEngine ActiveWavefronts 1 2 5
	vary InstructionCache Size 0 512 32768
	vary ConstantCache Size 0 256 8192
	vary TEXEngine LoadQueueSize 1 3 64
	vary TEXEngine AddressesPerCycle 1 4 16
	vary GlobalMemory AccessesPerCycle 1 4
	vary GlobalMemory ExportBufferSize 4 19
	vary GlobalMemory CompletePathDwords t f
}

# swap NAME VALUE...: the first such variable of the hierarchy, in $edit
swap() {
	local name=$1

	shift
	choose "$@"
	edit="$edit;0,/^$name = [^;]*/s//$name = $chosen /"
}

memory() {
	local edit=

	swap Sets 1 4 32
	swap Assoc 1 2 4
	swap MSHR 1 5 128
	swap Ports 1 4
	swap Policy LRU FIFO Random
	swap WriteBufferSize 1 6 64
	swap WriteCombineDelay 0 8 40
	swap DefaultBandwidth 8 72
	swap DefaultLatency 0 3 32
	swap Links Direct Switch
	"$M2S" --mem-shape "units=$1,channels=$2" --print-config |
		sed -n '/^\[ mem:/,$p' | sed "$edit"
}

run() {
	local name=$1

	shift
	if ! timeout 60 "$M2S" --quiet --evg-sim detailed --threads 1 \
		--provenance none --report-format csv \
		--evg-report "$output/evergreen" \
		--mem-report "$output/memory" --net-report "$output/network" \
		--evg-report-kernel "$output/kernel" "$@" -q \
		>"$output/out" 2>&1
	then
		echo "not ok - conservation: $name"
		tail -n 5 "$output/out" | sed 's/^/# /'
		return
	fi
	awk -f "$top_srcdir/tests/system/conservation.awk" \
		"$output/evergreen" "$output/memory" "$output/network" \
		"$output/kernel" >"$output/broken"
	if [ -s "$output/broken" ]; then
		echo "not ok - conservation: $name"
		head -n 10 "$output/broken" | sed 's/^/# /'
	else
		echo "ok - conservation: $name"
	fi
}

samples=("histogram -n 8192" "floyd-warshall -n 16" "reduction -n 4096" \
	"scan-large-arrays -n 1024" "matrix-multiplication -n 32" \
	"binomial-option -n 8" "sobel-filter -n 32" "bitonic-sort -n 256" \
	"vector-add -n 4096" "matrix-transpose -n 64" "dct -n 32" \
	"box-filter -n 32")
program() {
	echo "$top_builddir/samples/${1%% *}/$1"
}

# shellcheck disable=SC2046
{
	run "matrix-multiplication on the HD 5870" \
		$(program "matrix-multiplication -n 64")
	run "histogram on the HD 5450" --evg-preset hd5450 \
		$(program "histogram -n 8192")
	run "reduction, as Multi2Sim 4.2" --evg-preset multi2sim-4.2 \
		$(program "reduction -n 4096")
}
for ((case = 0; case < ${CASES:-12}; case++)); do
	first=$seed
	choose 1 2 3 6
	units=$chosen
	choose 1 2 3 4
	slices=$chosen
	gpu "$units" >"$output/gpu.ini"
	memory "$units" "$slices" >"$output/memory.ini"
	choose "${samples[@]}"
	sample=$chosen
	# shellcheck disable=SC2046
	run "${sample%% *}, SEED=$first" --evg-config "$output/gpu.ini" \
		--config "$output/memory.ini" $(program "$sample")
done
