#!/bin/bash
# The command line: ways to write options, help, and hints for what is not one.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# refuses LABEL PATTERN ARGUMENTS...
refuses() {
	local label=$1 pattern=$2
	shift 2
	! "$M2S" "$@" >"$folder/out" 2>&1 && grep -q -- "$pattern" "$folder/out"
	check "$label" $?
}

# prints LABEL PATTERN ARGUMENTS...
prints() {
	local label=$1 pattern=$2
	shift 2
	"$M2S" "$@" >"$folder/out" 2>&1 && grep -q -- "$pattern" "$folder/out"
	check "$label" $?
}

prints "--name=value" '^A=b=c$' --quiet --env=A=b=c env
"$M2S" --quiet --x86-max-inst=100 --x86-debug-loader="$folder/log" true
[ $? -eq 122 ] && [ -s "$folder/log" ]
check "--name=value of a number and of a debug channel" $?
refuses "a flag with a value" '--quiet=yes: --quiet takes no value' \
	--quiet=yes true
refuses "a misspelt name with a value" 'mean --x86-report' --x86-reprot=a true
refuses "a value that is no number" \
	'--seed x: expected a whole number' --seed=x true

prints "-h" '^Usage: m2s' -h
prints "--help TOPIC: a group" '--net-config FILE' --help network
! grep -q -- '--evg-config' "$folder/out"
check "only that" $?
prints "--help TOPIC: debug channels" '--evg-debug-isa FILE' --help debug
prints "--help TOPIC: a word" '--x86-save-checkpoint FILE' --help checkpoint
prints "--help TOPIC: an option" '--evg-report FILE' --help --evg-report
refuses "--help TOPIC: nothing" '--help quux: no option has' --help quux

prints "an option behind the program is warned about" \
	'--evg-sim is given to the program' echo --evg-sim detailed
grep -q -- '^--evg-sim detailed$' "$folder/out"
check "and the program gets it" $?
prints "not one that programs have, too" '^--threads --verbose=3$' \
	echo --threads --verbose=3
! grep -q warning "$folder/out"
check "without a warning" $?
"$M2S" -- echo --evg-sim=x 2>&1 | grep -q warning
[ $? -eq 1 ]
check "nor behind --" $?

refuses "--si-sim" 'Evergreen GPUs, not Southern Islands' --si-sim detailed x
refuses "--gpu-config" '--evg-config' --gpu-config file x
refuses "--trace-file" '--trace FILE writes' --trace-file file.gz x
refuses "--visual" 'evg-annotate' --visual file x
refuses "--evg-dump-default-config" '--print-config prints' \
	--evg-dump-default-config file x
refuses "--dram-config" 'section \[ DRAM \]' --dram-config file x
refuses "a hint for a name with a value" '--evg-config' --gpu-config=file x

printf '[ Device ]\nFrequency = 850\n' >"$folder/gpu.ini"
printf '[ Module x ]\nType = Cache\n' >"$folder/memory.ini"
printf '[ Network.a ]\nDefaultBandwidth = 1\n' >"$folder/network.ini"
printf '[ Context 0 ]\nExe = true\n' >"$folder/contexts.ini"
# kind GIVEN-AS FILE BELONGS-TO
kind() {
	refuses "$2 given as --$1" \
		"$2:1: .*give the file to --$3, not --$1" "--$1" "$folder/$2" true
}
kind mem-config gpu.ini evg-config
kind evg-config memory.ini mem-config
kind net-config memory.ini mem-config
kind x86-config gpu.ini evg-config
kind mem-config network.ini net-config
kind x86-config contexts.ini ctx-config

# machine NUMBER NAME
machine() {
	cp "$(type -P true)" "$folder/other"
	# shellcheck disable=SC2059
	printf "\\x$1\\0" | dd of="$folder/other" bs=1 seek=18 conv=notrunc \
		2>/dev/null
	refuses "a program for $2" "another machine ($2" "$folder/other"
}
machine b7 AArch64
machine f3 RISC-V
printf 'MZ\220\0%064d' 0 >"$folder/program.exe"
chmod +x "$folder/program.exe"
refuses "a Windows program" 'a Windows (or DOS) program' "$folder/program.exe"
