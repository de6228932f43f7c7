#!/bin/bash
# Every variable of Multi2Sim's x86 file, as its interface lists them: it loads and
# changes what it names, or is refused with a message that says what to do.
set -u
M2S=$(command -v "$M2S")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/loop.c" <<'END'
/* Each kind of unit in a loop, calls, and branches that nobody predicts. */
__asm__(".globl _start\n_start: imul $40, (%rsp), %ebp\n mov $1, %ebx\n"
	" fld1\n fldpi\n pcmpeqd %xmm1, %xmm1\n cvtsi2sd %ebp, %xmm2\n"
	" pcmpeqd %xmm15, %xmm15\n"
	"1: fstp %st\n fld1\n .rept 3\n movaps %xmm15, %xmm0\n"
	" movaps %xmm15, %xmm1\n movaps %xmm15, %xmm2\n"
	" movaps %xmm15, %xmm3\n movaps %xmm15, %xmm4\n"
	" movaps %xmm15, %xmm5\n movaps %xmm15, %xmm6\n .endr\n"
	" .rept 20\n fchs\n .endr\n imul $1664525, %ebx, %ebx\n add $1013904223, %ebx\n"
	" mov %ebx, %eax\n xor %edx, %edx\n div %ebp\n call 4f\n"
	" fadd %st(1), %st\n fmul %st(1), %st\n fdiv %st(1), %st\n"
	" fabs\n fsqrt\n fcomi %st(1), %st\n"
	" paddd %xmm1, %xmm0\n paddd %xmm1, %xmm3\n"
	" pmuludq %xmm1, %xmm0\n pmuludq %xmm1, %xmm3\n"
	" pxor %xmm0, %xmm1\n pxor %xmm3, %xmm1\n"
	" addsd %xmm2, %xmm2\n addsd %xmm2, %xmm4\n"
	" mulsd %xmm4, %xmm2\n mulsd %xmm4, %xmm5\n"
	" divsd %xmm4, %xmm2\n divsd %xmm4, %xmm5\n"
	" sqrtsd %xmm2, %xmm2\n sqrtsd %xmm5, %xmm5\n"
	" comisd %xmm2, %xmm4\n comisd %xmm5, %xmm4\n"
	" cvtsi2sd %ebp, %xmm2\n cvtsi2sd %ebx, %xmm5\n"
	" test $0x10000, %ebx\n jz 2f\n xor %ecx, %esi\n inc %edi\n"
	"2: dec %ebp\n jnz 1b\n imul $40, (%rsp), %ebp\n"
	"5: imul $1664525, %ebx, %ebx\n add $1013904223, %ebx\n"
	" test $0x10000, %ebx\n jz 6f\n .rept 6\n inc %ecx\n .endr\n"
	"6: test %ebp, %ebp\n js 5b\n nop\n js 5b\n nop\n nop\n js 5b\n"
	" .irp r, 8, 9, 10, 11, 12, 13, 14, 15\n lea 99(%r\\r), %r\\r\n"
	" .endr\n dec %ebp\n jnz 5b\n mov $60, %eax\n xor %edi, %edi\n syscall\n"
	"7: ret\n4: call 7b\n mov table(%rip), %rsi\n mov table+64(%rip), %rdi\n"
	" mov %rsi, table+128(%rip)\n mov %rdi, table+192(%rip)\n"
	" mov table+256(%rip), %r8\n mov table+320(%rip), %r9\n"
	" lea 1(%r8), %r8\n lea 1(%r9), %r9\n lea 1(%r10), %r10\n"
	" lea 1(%r11), %r11\n fld %st\n fld %st\n fld %st\n fstp %st\n"
	" fstp %st\n fstp %st\n inc %r8\n inc %r9\n inc %r10\n inc %r11\n"
	" inc %r12\n inc %r13\n movaps %xmm1, %xmm6\n movaps %xmm1, %xmm7\n"
	" movaps %xmm1, %xmm8\n movaps %xmm1, %xmm9\n movaps %xmm1, %xmm10\n"
	" movaps %xmm1, %xmm11\n movaps %xmm1, %xmm12\n ret\n"
	".bss\n.balign 64\ntable: .zero 512\n");
END
$CC -nostdlib -static -o "$work/loop" "$work/loop.c" || exit 1

more= # arguments: 40 iterations for each, and 40
run() { # OPTION...: cycles, or nothing; output in $work/out
	timeout 60 "$M2S" --quiet --x86-sim detailed --x86-preset \
		${preset:-multi2sim-4.2} --set General.Memory=FirstLevel \
		--x86-report "$work/report" "$@" "$work/loop" $more >"$work/out" \
		2>&1 ||
		return 1
	sed -n '/^\[ Global \]/,/^\[ Core/s/^Cycles = //p' "$work/report"
}

say() { # NAME CONDITION...
	local name=$1

	shift
	if "$@"; then
		echo "ok - classic: $name"
	else
		echo "not ok - classic: $name"
		tail -n 3 "$work/out" | sed 's/^/# /'
	fi
}

plain=$(run)
say "the preset runs" [ -n "$plain" ]

# Section, variable, documented default, and a value that changes the cycles; "=":
# with one thread no other than the default changes anything (several: smt.sh;
# prefetches: hints.sh).
cat >"$work/list" <<'END'
General ThreadQuantum 1000 = 500
General ThreadSwitchPenalty 0 = 5
General RecoverKind Writeback Commit
General RecoverPenalty 0 30
General ProcessPrefetchHints t = f
General PrefetchHistorySize 10 = 5
Pipeline FetchKind TimeSlice = SwitchOnEvent
Pipeline DecodeWidth 4 1
Pipeline DispatchKind TimeSlice = Shared
Pipeline DispatchWidth 4 1
Pipeline IssueKind TimeSlice = Shared
Pipeline IssueWidth 4 1
Pipeline CommitKind Shared = TimeSlice
Pipeline CommitWidth 4 1
Pipeline OccupancyStats f = t
Queues FetchQueueSize 64 32
Queues UopQueueSize 32 = 64
Queues RobKind Private = Shared
Queues RobSize 64 8
Queues IqKind Private = Shared
Queues IqSize 40 4
Queues LsqKind Private = Shared
Queues LsqSize 20 4
Queues RfKind Private = Shared
Queues RfIntSize 80 34
Queues RfFpSize 40 32
Queues RfXmmSize 40 32
TraceCache Present f t
TraceCache Sets 64 = 32
TraceCache Assoc 4 = 2
TraceCache TraceSize 16 = 8
TraceCache BranchMax 3 = 2
TraceCache QueueSize 32 = 16
BranchPredictor Kind TwoLevel Perfect
BranchPredictor BTB.Sets 256 = 128
BranchPredictor BTB.Assoc 4 = 8
BranchPredictor Bimod.Size 1024 = 512
BranchPredictor Choice.Size 1024 = 512
BranchPredictor RAS.Size 32 = 16
BranchPredictor TwoLevel.L1Size 1 2
BranchPredictor TwoLevel.L2Size 1024 = 512
BranchPredictor TwoLevel.HistorySize 8 1
END
units="IntAdd 4/1/1 IntMult 2/2/2 IntDiv 1/5/5 EffAddr 4/2/2 Logic 4/1/1
	FloatSimple 2/2/2 FloatAdd 2/5/5 FloatComp 2/2/2 FloatMult 1/10/10
	FloatDiv 1/15/15 FloatComplex 1/20/20 XMMIntAdd 1/1/1 XMMIntMult 1/2/2
	XMMIntDiv 1/5/5 XMMLogic 1/1/1 XMMFloatAdd 1/5/5 XMMFloatComp 1/5/5
	XMMFloatMult 1/10/10 XMMFloatDiv 1/15/15 XMMFloatConv 1/5/5
	XMMFloatComplex 1/20/20"

# All documented defaults in one file are the preset.
awk '$1 != section { section = $1; print "[ " $1 " ]" } { print $2 " = " $3 }' \
	"$work/list" >"$work/all.ini"
echo "[ FunctionalUnits ]" >>"$work/all.ini"
set -- $units
while [ $# -gt 0 ]; do
	IFS=/ read -r count result again <<<"$2"
	printf '%s.Count = %s\n%s.OpLat = %s\n%s.IssueLat = %s\n' \
		"$1" "$count" "$1" "$result" "$1" "$again"
	shift 2
done >>"$work/all.ini"
say "a file with all defaults is the preset" \
	[ "$(run --x86-config "$work/all.ini")" = "$plain" ]

while read -r section name default value other; do
	if [ "$value" = = ]; then
		[ "$(run --set "$section.$name=$other")" = "$plain" ] ||
			echo "$section.$name = $other: not as $default"
	else
		cycles=$(run --set "$section.$name=$value")
		[ "${cycles:-$plain}" != "$plain" ] ||
			echo "$section.$name = $value: as $default"
	fi
done <"$work/list" >"$work/bad"
cp "$work/bad" "$work/out"
say "each variable changes what it names" [ ! -s "$work/bad" ]

# Tables of predictors, where they are too small.
more="1 2 3 4 5"
while read -r kind setting base; do
	base="--set BranchPredictor.Kind=$kind ${base:+--set $base}"
	few=$(run $base --set "BranchPredictor.$setting")
	[ "$few" != "$(run $base)" ] || echo "$kind, $setting: no difference"
done >"$work/bad" <<'END'
TwoLevel BTB.Sets=1 BranchPredictor.BTB.Assoc=1
TwoLevel BTB.Assoc=1 BranchPredictor.BTB.Sets=1
TwoLevel RAS.Size=1
TwoLevel TwoLevel.L2Size=1 BranchPredictor.TwoLevel.HistorySize=1
Bimodal Bimod.Size=2
Combined Choice.Size=2
END
more=
cp "$work/bad" "$work/out"
say "small predictors" [ ! -s "$work/bad" ]

# The report's use of pools: the program divides 40 times, once an iteration.
count() { # NAME
	awk -v name="fu.$1" '$1 == name { print $3 }' "$work/report"
}
run --set BranchPredictor.Kind=Perfect >"$work/cycles"
say "uses of a pool, and none" [ "$(count IntDiv.Accesses) $(
	count XMMIntDiv.Accesses)" = "40 0" ]
waits=$(count IntDiv.WaitingTime)
run --set BranchPredictor.Kind=Perfect --set FunctionalUnits.IntDiv.IssueLat=200 \
	>"$work/cycles"
say "uses that wait: $waits to $(count IntDiv.WaitingTime) cycles" \
	[ "$(count IntDiv.Accesses)" = 40 -a "$(count IntDiv.Denied)" -gt 30 -a \
	"$(count IntDiv.WaitingTime)" -gt $((waits + 1000)) ]

# A latency, a slow unit, and a second slow one. No instruction divides integers in
# vectors.
set -- $units
while [ $# -gt 0 ]; do
	one="--set FunctionalUnits.$1.Count=1"
	slow="--set FunctionalUnits.$1.IssueLat=250"
	late=$(run --set "FunctionalUnits.$1.OpLat=250")
	single=$(run $one $slow)
	double=$(run --set "FunctionalUnits.$1.Count=2" $slow)
	if [ "$1" = XMMIntDiv ]; then
		[ "$late $single $double" = "$plain $plain $plain" ]
	else
		[ "$late" -gt "$plain" ] && [ "$single" -gt "$double" ] &&
			[ "$double" -gt "$plain" ]
	fi || echo "$1: plain $plain, late $late, one $single, two $double"
	shift 2
done >"$work/bad"
cp "$work/bad" "$work/out"
say "each pool's Count, OpLat and IssueLat" [ ! -s "$work/bad" ]

# Cycles of blocks: chains take OpLat, units are busy for IssueLat.
printf '%s\n' 4801d8 480fafc3 f20f5ec1 d9fa f20f58c1 \
	48ffc048ffc348ffc148ffc2 0f57c10f57d90f57e1 488b00 >"$work/blocks.csv"
"$M2S" --x86-blocks "$work/blocks.csv" --x86-preset multi2sim-4.2 \
	>"$work/out" 2>"$work/said"
cycles=$(sed 's/.*,//' "$work/out" | tr '\n' ' ')
say "blocks: $cycles" [ "$cycles" = "1 2 15 20 5 1 3 3 " ]

# Pools on another chip; a shorter queue there.
other() { # OPTION...
	preset=haswell run "$@"
}
say "pools replace another core's ports" [ "$(other \
	--set FunctionalUnits.IntAdd.Count=1)" != "$(other)" ]
say "and narrow it, without pools" [ "$(other --set Pipeline.IssueWidth=1)" \
	-gt "$(other)" ]
perfect="--set BranchPredictor.Kind=Perfect"
# shellcheck disable=SC2086
say "a short queue of uops" [ "$(other $perfect \
	--set Queues.UopQueueSize=4)" -gt "$(other $perfect)" ]
checked=$(run --x86-check)
say "lockstep with pools" [ "$checked" = "$plain" ]

refused() { # MESSAGE SETTING...
	local message=$1

	shift
	say "refused: $*" eval "! run $* && grep -qF -e '$message' '$work/out'"
}
refused 'ports or pools of units, not both' \
	--set FunctionalUnits.IntAdd.Count=4 --set Core.simple_ports=3
refused 'expected one of the two' --set Core.decoders=2 \
	--set Pipeline.DecodeWidth=3
preset=haswell refused 'the core has a uop cache' --set TraceCache.Present=t
refused 'expected at least TraceSize' --set TraceCache.Present=t \
	--set TraceCache.QueueSize=8

# A trace cache: traces of one path; smaller ones hit less; what is fetched from it
# retires or is dropped.
trace() { # NAME: of the report
	sed -n "s/^TraceCache.$1 = //p" "$work/report" | head -1
}
more="1 2 3 4 5 6 7 8"
run >"$work/without"
run --set TraceCache.Present=t >"$work/with"
hits=$(trace Hits) fetched=$(trace Fetched) committed=$(trace Committed)
say "a trace cache: $(cat "$work/with") cycles, $(cat "$work/without") without; $hits hits of $(trace Accesses), $committed of $fetched uops retired" \
	[ "$(cat "$work/with")" -lt "$(cat "$work/without")" -a \
	"$hits" -gt 0 -a "$hits" -lt "$(trace Accesses)" -a \
	"$committed" -gt 0 -a "$committed" -le "$fetched" ]
for setting in Sets=1 Assoc=1 TraceSize=4 BranchMax=1 QueueSize=16; do
	run --set TraceCache.Present=t --set TraceCache.Sets=2 \
		--set "TraceCache.$setting" >/dev/null
	say "trace cache, $setting: $(trace Fetched) uops fetched" \
		[ "$(trace Fetched)" -lt "$fetched" ]
done
run --set TraceCache.Present=t --set TraceCache.TraceSize=8 >/dev/null
say "a trace has no more than TraceSize uops" \
	[ "$(trace TraceUops)" -le $((8 * $(trace Traces))) ]
run --set TraceCache.Present=t --x86-check >/dev/null
say "a trace cache, in lockstep" [ $? = 0 ]
more=
# OccupancyStats: each queue's cycles are those in which the core was neither idle nor
# in the operating system; no other figure changes; a chain of multiplications, 3
# cycles each, fills haswell's scheduler in nearly all cycles, and on multi2sim-4.2,
# whose physical registers are used up before, the queue in front of it.
cat >"$work/occupancy.py" <<'END'
import re, sys
sections, here = {}, None
for line in open(sys.argv[1]):
    match = re.match(r"\[ (.*) \]", line)
    if match:
        here = sections.setdefault(match[1], {})
    elif here is not None and " = " in line:
        name, value = line.rstrip("\n").split(" = ", 1)
        here[name] = value
seen = 0
for name, core in sections.items():
    if not name.startswith("Core ") or "ROB.Size" not in core:
        continue
    seen += 1
    cycles = (int(core["Cycles"]) - float(core["Cycles.Kernel"])
              - float(core["Cycles.Idle"]))
    for key in core:
        if not key.endswith(".Histogram"):
            continue
        queue = key[:-len(".Histogram")]
        counts = [int(n) for n in core[key].split()]
        size = int(core[queue + ".Size"])
        mean = float(core[queue + ".Occupancy"])
        full = int(core[queue + ".Full"])
        # what the bins allow, whose entries are whole
        most = sum(n * (i * size // 8) for i, n in enumerate(counts))
        least = sum(n * ((i - 1) * size // 8 + 1)
                    for i, n in enumerate(counts) if i)
        assert sum(counts) == cycles, (name, key, sum(counts), cycles)
        assert full <= counts[8], (name, key)
        if "Thread" not in name: # whose sizes change
            assert least - cycles * .001 <= mean * cycles <= \
                most + cycles * .001, (name, key, least, mean * cycles, most)
assert seen == int(sys.argv[2]), seen
for wanted in sys.argv[3:]:
    core = sections["Core 0"]
    name, share = wanted.split("=")
    assert int(core[name]) > float(share) * int(core["Cycles"]), (name, core[name])
END
run >/dev/null
grep -vE '^(CommandLine|Date|OccupancyStats|Pipeline)' "$work/report" >"$work/without"
run --set Pipeline.OccupancyStats=t >/dev/null
say "occupancies change no other figure" cmp -s "$work/without" <(grep -vE \
	'^(CommandLine|Date|OccupancyStats|Pipeline|[A-Z][A-Za-z_]*\.(Size|Occupancy|Full|Histogram) =)' \
	"$work/report")
say "occupancies sum to the cycles" python3 "$work/occupancy.py" "$work/report" 1
cat >"$work/chain.s" <<'END'
	.globl _start
_start:	mov $1000, %ecx
1:	.rept 50
	imul %rax, %rax
	.endr
	dec %ecx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
END
$CC -nostdlib -static -o "$work/chain" "$work/chain.s"
for of in haswell:IQ multi2sim-4.2:UopQueue; do
	"$M2S" --quiet --x86-sim detailed --x86-preset ${of%:*} --x86-report \
		"$work/report" --set Pipeline.OccupancyStats=t "$work/chain"
	say "a chain fills $of" python3 "$work/occupancy.py" \
		"$work/report" 1 ${of#*:}.Full=.9
done
"$M2S" --quiet --x86-sim detailed --x86-preset haswell --x86-report \
	"$work/report" --set General.Threads=2 --set General.Cores=2 \
	--set Pipeline.OccupancyStats=t "$work/chain"
say "occupancies of threads of cores" python3 "$work/occupancy.py" \
	"$work/report" 4
refused 'pages have 4 KB' --set General.PageSize=4096
refused 'Memory = FirstLevel' --set General.DataCachePerfect=t
refused 'Memory = FirstLevel' --set General.InstructionCachePerfect=t
refused 'expected at least 34' --set Queues.RfIntSize=20
refused 'expected 1 to 16' --set FunctionalUnits.IntAdd.Count=17
refused 'did you mean' --set FunctionalUnits.IntAd.Count=1
