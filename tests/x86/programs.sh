#!/bin/bash
# Programs of our own, built here by the configured compiler for both ABIs,
# run natively and under m2s: same output, same exit status.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
CC=${CC:-gcc} CXX=${CXX:-g++}
sources=$top_srcdir/tests/x86/programs
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-programs-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
. "$top_srcdir/tests/x86/native.sh"

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"

# build NAME ABI LINK: $work/NAME.ABI.LINK
build() {
	local source=$sources/$1.c compiler=$CC
	[ -e "$source" ] || { source=$sources/$1.cc compiler="$CXX"; }
	local flags="-O2 -w -D_GNU_SOURCE -m$2 -pthread"
	[ "$3" = static ] && flags="$flags -static"
	$compiler $flags "$source" -o "$work/$1.$2.$3" -lm -lrt \
		>"$work/log" 2>&1
}

# compare LABEL PROGRAM ARGUMENTS...: one test
compare() {
	local label=$1 program=$2
	shift 2
	GREETING=hello "$program" "$@" >"$work/native" 2>"$work/native.err" \
		</dev/null
	local native=$?
	GREETING=hello timeout 120 "$m2s" --quiet "$program" "$@" \
		>"$work/simulated" 2>"$work/simulated.err" </dev/null
	local simulated=$?
	judge "$label" $native $simulated
}

# program NAME LINKS ARGUMENTS...
program() {
	local name=$1 links=$2 abi link
	shift 2
	for abi in $abis; do
		for link in $links; do
			label="program $name, $link, $([ $abi = 64 ] &&
				echo x86-64 || echo i386)"
			if build "$name" $abi $link; then
				compare "$label" "$work/$name.$abi.$link" "$@"
			else
				echo "not ok - $label: cannot be built"
				tail -n 5 "$work/log"
				failed=1
			fi
		done
	done
}

# m2s does as Intel's processors do; elsewhere what differs is left out.
intel=
! grep -q '^vendor_id.*GenuineIntel' /proc/cpuinfo || intel=intel

program hello "static dynamic" one "two three" ""
program files dynamic
program memory "static dynamic"
program maths "static dynamic"
program text dynamic
program threads "static dynamic"
program streams "static dynamic"
program strings dynamic
program signals dynamic
program interrupted dynamic
program traced dynamic
program alignment dynamic $intel
# Kernels may be built without it, and containers may forbid it.
if build segments 64 static && "$work/segments.64.static" probe; then
	program segments static
	if [ "$abis" != 64 ]; then
		{ "$m2s" --quiet "$work/segments.32.static" 16-bit \
			>"$work/out" 2>"$work/err"; } 2>/dev/null
		if grep -q 'a 16-bit code segment is not supported' \
			"$work/err"; then
			echo "ok - segments: 16-bit code is named"
		else
			echo "not ok - segments: 16-bit code is named"
			cat "$work/err"
			failed=1
		fi
	fi
else
	echo "ok - program segments # SKIP no modify_ldt on this host"
fi
program trap-flag dynamic $intel
program processes dynamic
program fork "static dynamic"
program far dynamic
program mappings dynamic
program many static
program sockets dynamic
program jumps dynamic
program contexts dynamic
program crowd dynamic
program inherit dynamic
program jit dynamic
program descriptors dynamic
program kernel dynamic
program ipc dynamic
program truncated dynamic
for abi in $abis; do
	(
		ulimit -f 4 # KiB, of the simulator as of the program
		failed=0
		compare "size limit, $abi bits" \
			"$work/truncated.$abi.dynamic" limited
		exit $failed
	) 2>/dev/null || failed=1
done
program privileges dynamic
program rules dynamic
program mqueues dynamic
program aio dynamic
program async dynamic
program handles dynamic
if grep -q '\[vsyscall\]' /proc/self/maps; then
	program vsyscall static
else
	echo "ok - program vsyscall # SKIP this host's kernel has none"
fi

# Ends: statuses and signals are the program's.
for abi in $abis; do
	build die $abi dynamic || failed=1
	for how in segv fpe ill trap abort term kill jump exit; do
		compare "program ends by $how, $abi bits" \
			"$work/die.$abi.dynamic" $how
	done 2>/dev/null
done

# The report of an uncaught fault names the place.
{ "$m2s" --quiet "$work/die.64.dynamic" segv >/dev/null 2>"$work/report"; } 2>/dev/null
if grep -q 'SIGSEGV' "$work/report" && grep -q '0x10' "$work/report" &&
   grep -Eq 'wild_store|main' "$work/report" && grep -q 'mov' "$work/report"
then
	echo "ok - fault report: signal, address, symbol, instruction"
else
	echo "not ok - fault report: signal, address, symbol, instruction"
	cat "$work/report"
	failed=1
fi

# Bad programs: a message, status not 0, nothing run.
refuse() {
	local label=$1 expected=$2
	shift 2
	timeout 20 "$m2s" --quiet "$@" >"$work/out" 2>"$work/err" </dev/null
	local status=$?
	if [ $status -ne 0 ] && [ $status -lt 124 ] &&
	   grep -qi -- "$expected" "$work/err" && [ ! -s "$work/out" ]; then
		echo "ok - refuses $label"
	else
		echo "not ok - refuses $label: status $status: $(cat "$work/err")"
		failed=1
	fi
}
good=$work/hello.64.static
head -c 40 "$good" >"$work/short"
head -c 3000 "$good" >"$work/truncated"
cp "$good" "$work/foreign"
printf '\267\000' | dd of="$work/foreign" bs=1 seek=18 conv=notrunc 2>/dev/null
cp "$good" "$work/corrupt"
head -c 200 /dev/zero | tr '\0' '\377' |
	dd of="$work/corrupt" bs=1 seek=64 conv=notrunc 2>/dev/null
echo "just text" >"$work/text"
: >"$work/empty"
chmod +x "$work"/{short,truncated,foreign,corrupt,text,empty}
cp "$good" "$work/plain"
chmod -x "$work/plain"
refuse "a missing program" "no such file" "$work/none"
refuse "a name not in PATH" "PATH" m2s-no-such-program
refuse "a folder" "directory" "$work"
refuse "a file that is not executable" "not executable" "$work/plain"
refuse "an empty file" "not an ELF" "$work/empty"
refuse "a text file" "not an ELF" "$work/text"
refuse "a 40-byte ELF file" "short" "$work/short"
refuse "a truncated ELF file" "truncated" "$work/truncated"
refuse "another machine's program" "another machine" "$work/foreign"
refuse "corrupt program headers" "corrupt" "$work/corrupt"
exit $failed
