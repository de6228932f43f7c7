#!/bin/bash
# Bad input of every kind: a message that says what and where, a non-zero exit
# status, and no report file.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
clc=$top_builddir/m2s-clc
vector_add=$top_builddir/samples/vector-add/vector-add

# expect NAME PATTERN COMMAND...: fails, is not killed by a signal, says it.
expect() {
	name=$1 pattern=$2
	shift 2
	timeout 60 "$@" >"$folder/out" 2>&1
	status=$?
	if [ $status -eq 0 ] || [ $status -ge 124 ]; then
		echo "not ok - $name: exit status $status"
		tail -n 5 "$folder/out" | sed 's/^/#   /'
	elif ! grep -qE -- "$pattern" "$folder/out"; then
		echo "not ok - $name: no message like '$pattern'"
		tail -n 5 "$folder/out" | sed 's/^/#   /'
	else
		echo "ok - $name"
	fi
}

# Command line.
expect "DRAM options of Multi2Sim" "--dram-config: .*section \[ DRAM \] of --mem-config" \
	"$M2S" --dram-config none true
expect "unknown option" "--evg-simm: no such option.*--evg-sim" \
	"$M2S" --evg-simm detailed true
expect "missing argument" "--evg-sim: expected KIND" "$M2S" --evg-sim
expect "bad kind" "--evg-sim exact: expected functional or detailed" \
	"$M2S" --evg-sim exact /bin/true
expect "bad number" "--x86-max-inst many: expected a whole number" \
	"$M2S" --x86-max-inst many /bin/true
expect "bad report format" "--report-format yaml: expected" \
	"$M2S" --report-format yaml /bin/true

# Programs.
expect "missing program" "no-such-program" "$M2S" "$folder/no-such-program"
expect "folder as program" "$folder" "$M2S" "$folder"
echo "not a program" >"$folder/text"
chmod +x "$folder/text"
expect "text as program" "text" "$M2S" "$folder/text"
: >"$folder/empty"
chmod +x "$folder/empty"
expect "empty program" "empty" "$M2S" "$folder/empty"
for size in 16 63 64 100 1000; do
	head -c $size "$vector_add" >"$folder/cut"
	chmod +x "$folder/cut"
	expect "program cut at $size bytes" "cut" "$M2S" "$folder/cut"
done
cp "$vector_add" "$folder/machine"
printf '\267\0' | dd of="$folder/machine" bs=1 seek=18 conv=notrunc \
	2>/dev/null
expect "program of another machine" "machine" "$M2S" "$folder/machine"

# Configuration files.
ini() { printf '%b' "$2" >"$folder/$1.ini"; }
x86() {
	expect "$1" "$2" "$M2S" --x86-config "$folder/x86.ini" /bin/true
}
ini x86 '[ General ]\nCPUModel = x86-64-v9\n'
x86 "unknown CPU model" "x86.ini:2: .*x86-64-v9.*i686.*x86-64-v3"
ini x86 '[ General ]\nCPUModle = i686\n'
x86 "misspelt x86 variable" "x86.ini:2: .*did you mean 'CPUModel'"
ini x86 '[ General ]\n\n[ Pipelines ]\nDecodeWidth = 4\n'
x86 "misspelt x86 section" "x86.ini:3: .*Pipelines.*no such section.*'Pipeline'"
ini x86 '[ General ]\nCores = 65\n'
x86 "x86 timing variable" "x86.ini:2: .*Cores.*65.*64"
ini x86 '[ BranchPredictor ]\nKind = Combined\nBimod.Size = 1000\n'
x86 "x86 predictor's size" "x86.ini:1: .*Bimod.Size.*power of two.*1000"
ini x86 '[ BranchPredictor ]\nKind = Oracle\n'
x86 "x86 predictor's kind" "x86.ini:2: .*Oracle.*Perfect"
ini x86 '[ BranchPredictor ]\nRAS.Sise = 8\n'
x86 "misspelt predictor variable" "x86.ini:2: .*RAS.Size"
detailed() {
	expect "$1" "$2" "$M2S" --evg-sim detailed "$3" "$folder/$4.ini" \
		"$vector_add" -n 64
}
ini variable '[ Device ]\nFrequencie = 5\n'
detailed "unknown GPU variable" \
	"variable.ini:2: .*Frequencie.*did you mean 'Frequency'" \
	--evg-config variable
ini section '[ Divice ]\nFrequency = 5\n'
detailed "unknown GPU section" "section.ini:1: .*did you mean 'Device'" \
	--evg-config section
ini value '[ Device ]\nNumComputeUnits = none\n'
detailed "bad GPU value" "value.ini:2: .*NumComputeUnits = none" \
	--evg-config value
ini range '[ Device ]\nNumComputeUnits = 0\n'
detailed "GPU value out of range" "range.ini:2: .*expected 1 to" \
	--evg-config range
ini syntax '[ Device\n'
detailed "broken INI syntax" "syntax.ini:1: " --evg-config syntax
expect "missing INI file" "nowhere.ini: cannot read" "$M2S" --evg-sim \
	detailed --evg-config "$folder/nowhere.ini" "$vector_add"
ini memory '[ Module m ]\nType = Cash\n'
detailed "bad memory module" "memory.ini:2: " --mem-config memory
ini entry '[ Entry e ]\nArch = Evergreen\nComputeUnit = 0\nModule = none\n'
detailed "entry without module" "entry.ini:4: " --mem-config entry
ini network '[ Network.n ]\nDefaultInputBufferSize = -4\n'
detailed "bad network" "network.ini:2: " --net-config network
ini registers '[ Device ]\nNumRegisters = 600\n'
detailed "work-group with too many registers" "registers" \
	--evg-config registers

# Kernel binaries.
cat >"$folder/k.cl" <<'K'
kernel void good(global int *p) { p[get_global_id(0)] = 1; }
K
"$clc" "$folder/k.cl" -o "$folder/k.bin" || echo "not ok - m2s-clc"
expect "missing kernel binary" "nowhere" \
	"$M2S" --evg-disasm "$folder/nowhere"
size=$(stat -c %s "$folder/k.bin")
for part in 1 2 3 4 5 6 7; do
	head -c $((size * part / 8)) "$folder/k.bin" >"$folder/cut.bin"
	expect "kernel binary cut at $part/8" "cut.bin" \
		"$M2S" --evg-disasm "$folder/cut.bin"
done
expect "program as kernel binary" "vector-add" \
	"$M2S" --evg-disasm "$vector_add"
expect "kernel source with an error" "error: " sh -c \
	"echo 'kernel void f( {' | $clc - -o $folder/bad.bin"
[ ! -e "$folder/bad.bin" ]
echo "$([ ! -e "$folder/bad.bin" ] || echo 'not ')ok - no file after an error"

# Kernels that do wrong.
cat >"$folder/wild.cl" <<'K'
kernel void vector_add(global const float *a, global const float *b,
		       global float *c)
{
	c[get_global_id(0) + 100000000] = a[get_global_id(0)];
}
K
"$clc" "$folder/wild.cl" -o "$folder/wild.bin" || echo "not ok - m2s-clc"
expect "kernel writes out of range, functional" \
	"vector_add.*write of 4 bytes .* not inside a block" \
	"$M2S" --evg-strict --evg-kernel-binary "$folder/wild.bin" \
	--evg-report "$folder/report" "$vector_add" -n 64
expect "kernel writes out of range, detailed" \
	"vector_add.*write of 4 bytes .* not inside a block" \
	"$M2S" --evg-strict --evg-sim detailed \
	--evg-kernel-binary "$folder/wild.bin" --evg-report "$folder/report" "$vector_add" -n 64
cat >"$folder/far.cl" <<'K'
kernel void vector_add(global const float *a, global const float *b,
		       global float *c)
{
	local float few[64];
	few[get_local_id(0) * 1000] = a[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	c[get_global_id(0)] = few[get_local_id(0) ^ 1];
}
K
"$clc" "$folder/far.cl" -o "$folder/far.bin" || echo "not ok - m2s-clc"
expect "kernel writes beyond its local memory" \
	"vector_add.*4 bytes at local address .* has 256 bytes of local memory" \
	"$M2S" --evg-sim detailed --evg-kernel-binary "$folder/far.bin" \
	--evg-report "$folder/report" "$vector_add" -n 64
echo "$(head -n 1 "$folder/report" | grep -q '^; INCOMPLETE: KernelFailed' ||
	echo 'not ')ok - the report after an error says that it is incomplete"
cat >"$folder/local.cl" <<'K'
kernel void vector_add(global const float *a, global const float *b,
		       global float *c)
{
	local float big[16384];
	big[get_local_id(0)] = a[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	c[get_global_id(0)] = big[get_local_id(0) ^ 1];
}
K
expect "kernel with too much local memory" "." sh -c \
	"$clc $folder/local.cl -o $folder/local.bin && \
	$M2S --evg-kernel-binary $folder/local.bin $vector_add -n 64"

# Reports.
expect "report in a missing folder" "/nowhere/r: cannot write" \
	"$M2S" --x86-report /nowhere/r "$vector_add" -n 64
expect "memory report without timing" "nothing to report" \
	"$M2S" --mem-report "$folder/r" "$vector_add" -n 64
