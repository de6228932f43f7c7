#!/bin/bash
# The sections and names that scripts for Multi2Sim 4.2 look for are in the
# reports of a detailed run.
set -u
output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT

timeout 120 "$M2S" --quiet --evg-sim detailed --evg-report "$output/evg" \
	--evg-report-kernel "$output/kernel" --evg-report-wavefronts \
	--mem-report "$output/mem" \
	--net-report "$output/net" --mem-config \
	"$top_srcdir/samples/memory/evg-multi2sim-4.2.ini" \
	"$top_builddir/samples/matrix-multiplication/matrix-multiplication" \
	-n 32 -q >"$output/log" 2>&1 || cat "$output/log"

# has REPORT SECTION NAME...: a section of this pattern has every name.
has() {
	local report=$1 section=$2 missing

	shift 2
	missing=$(awk -v section="^\\\\[ $section \\\\]\$" -v names="$*" '
		/^\[/ { inside = $0 ~ section; found = found || inside }
		inside && / =/ { seen[$1] = 1 }
		END {
			if (!found) printf " the section"
			count = split(names, name, " ")
			for (i = 1; i <= count; i++)
				if (!(name[i] in seen)) printf " %s", name[i]
		}' "$output/$report")
	if [ -z "$missing" ]; then
		echo "ok - classic names: $report, $section"
	else
		echo "not ok - classic names: $report, $section: no$missing"
	fi
}

has evg Config.Device Frequency NumComputeUnits NumStreamCores NumRegisters \
	RegisterAllocSize RegisterAllocGranularity WavefrontSize \
	MaxWorkGroupsPerComputeUnit MaxWavefrontsPerComputeUnit SchedulingPolicy
has evg Config.LocalMemory Size AllocSize BlockSize Latency Ports
has evg Config.CFEngine InstructionMemoryLatency
has evg Config.ALUEngine InstructionMemoryLatency FetchQueueSize \
	ProcessingElementLatency
has evg Config.TEXEngine InstructionMemoryLatency FetchQueueSize LoadQueueSize
has evg Device NDRangeCount Instructions Cycles InstructionsPerCycle
has evg 'ComputeUnit 0' WorkGroupCount Instructions Cycles \
	InstructionsPerCycle CFEngine.Instructions \
	CFEngine.InstructionsPerCycle CFEngine.ALUClauseTriggers \
	CFEngine.TEXClauseTriggers CFEngine.GlobalMemWrites \
	ALUEngine.WavefrontCount ALUEngine.Instructions \
	ALUEngine.InstructionSlots ALUEngine.LocalMemorySlots \
	ALUEngine.VLIWOccupancy ALUEngine.Cycles \
	ALUEngine.InstructionsPerCycle TEXEngine.WavefrontCount \
	TEXEngine.Instructions TEXEngine.Cycles TEXEngine.InstructionsPerCycle \
	LocalMemory.Accesses LocalMemory.Reads LocalMemory.EffectiveReads \
	LocalMemory.CoalescedReads LocalMemory.Writes \
	LocalMemory.EffectiveWrites LocalMemory.CoalescedWrites
has evg 'ComputeUnit 19' Cycles

has kernel 'NDRange\[0\]' Name WorkGroup.First WorkGroup.Last WorkGroup.Count \
	WaveFront.First WaveFront.Last WaveFront.Count WorkItem.First \
	WorkItem.Last WorkItem.Count Inst_Count CF_Inst_Count \
	CF_Inst_Global_Mem_Write_Count ALU_Clause_Count ALU_Group_Count \
	ALU_Group_Size ALU_Inst_Count ALU_Inst_Local_Mem_Count \
	TC_Clause_Count TC_Inst_Count 'DivergenceGroup[0]' \
	'InstHistogram[ALU]' 'BranchDigest[0]' BranchDigestCount
has kernel 'NDRange\[0\]\.WorkGroup\[0\]' Name WaveFront.First WaveFront.Last \
	WaveFront.Count WorkItem.First WorkItem.Last WorkItem.Count
has kernel 'NDRange\[0\]\.Wavefront\[0\]' Name WorkItem.First WorkItem.Last \
	WorkItem.Count Inst_Count Global_Mem_Inst_Count Local_Mem_Inst_Count \
	CF_Inst_Count CF_Inst_Global_Mem_Write_Count ALU_Clause_Count \
	ALU_Group_Count ALU_Group_Size ALU_Inst_Count \
	ALU_Inst_Local_Mem_Count TC_Clause_Count TC_Inst_Count \
	TC_Inst_Global_Mem_Read_Count DivergenceGroups DivergenceGroupsSize \
	'DivergenceGroup[0]'

for module in evg-l1-0 evg-l2-3 evg-gm-0; do
	has mem $module BlockSize Latency Ports Accesses Hits Misses HitRatio \
		Evictions Retries Reads ReadRetries BlockingReads \
		NonBlockingReads ReadHits ReadMisses Writes WriteRetries \
		BlockingWrites NonBlockingWrites WriteHits WriteMisses \
		NCWrites NCWriteRetries BlockingNCWrites NonBlockingNCWrites \
		NCWriteHits NCWriteMisses Prefetches PrefetchAborts \
		UselessPrefetches NoRetryAccesses NoRetryHits NoRetryMisses \
		NoRetryHitRatio NoRetryReads NoRetryReadHits \
		NoRetryReadMisses NoRetryWrites NoRetryWriteHits \
		NoRetryWriteMisses NoRetryNCWrites NoRetryNCWriteHits \
		NoRetryNCWriteMisses
done
has mem evg-l1-0 Sets Assoc Policy
for report in mem net; do
	network=Network.evg-net-l1-l2
	has $report $network.General Transfers AverageMessageSize AverageLatency
	has $report "$network.Link.link_evg-l1-0.out_buf_0_Switch.in_buf_.*" \
		Config.Bandwidth TransferredMessages TransferredBytes \
		BusyCycles BytesPerCycle Utilization
	has $report $network.Node.Switch Config.BandWidth SentMessages \
		SentBytes SendRate ReceivedMessages ReceivedBytes ReceiveRate
	has $report $network.Node.evg-l1-0 SentMessages ReceivedBytes \
		out_buf_0.Size out_buf_0.MessageOccupancy \
		out_buf_0.ByteOccupancy out_buf_0.Utilization in_buf_0.Size
done
