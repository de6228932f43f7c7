#!/bin/bash
# Faults as the program sees them and as the user does, and code that changes:
# programs of our own for both ABIs. What handlers get is compared with the
# native run.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
CC=${CC:-gcc}
sources=$top_srcdir/tests/x86/programs
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-faults-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"

# report LABEL HOW STATUS PATTERNS...: how a crash is reported
report() {
	local label=$1 how=$2 expected=$3 status pattern missing=
	shift 3
	timeout 60 "$m2s" --quiet "$program" $how >"$work/out" \
		2>"$work/report" </dev/null
	status=$?
	for pattern; do
		tr '\n' '~' <"$work/report" | grep -Eq -- "$pattern" ||
			missing=$pattern
	done
	if [ $status -eq $expected ] && [ -z "$missing" ]; then
		echo "ok - fault report: $label, $abi bits"
	else
		echo "not ok - fault report: $label, $abi bits:" \
			"status $status, missing $missing"
		sed 's/^/# /' "$work/report" | head -n 40
		failed=1
	fi
}

for abi in $abis; do
	for name in faults code crash; do
		$CC -O2 -fno-optimize-sibling-calls -w -D_GNU_SOURCE \
			-m$abi -pthread "$sources/$name.c" \
			-o "$work/$name" >"$work/log" 2>&1 || {
			echo "not ok - $name.c cannot be built, $abi bits"
			exit 1
		}
	done
	"$work/faults" >"$work/native"
	timeout 60 "$m2s" --quiet "$work/faults" >"$work/simulated"
	# One test a case: "name: ..." and its registers.
	for kind in "$work"/native "$work"/simulated; do
		awk '/^ / { line = line "~" $0; next }
			{ if (line) print line; line = $0 }
			END { print line }' "$kind" >"$kind.lines"
	done
	if [ ! -s "$work/native.lines" ] ||
	   [ $(wc -l <"$work/native.lines") -lt 70 ]; then
		echo "not ok - faults, $abi bits: the native run is short"
		failed=1
	fi
	while IFS= read -r line; do
		name=${line%%:*}
		if grep -Fxq -- "$line" "$work/simulated.lines"; then
			echo "ok - fault $name, $abi bits"
		elif [ "$name" = last_byte ] &&
		     ! grep -q GenuineIntel /proc/cpuinfo; then
			# An operand over the end of 32-bit addresses is a
			# general protection fault elsewhere.
			echo "ok - fault $name, $abi bits # SKIP this host's" \
				"processor is not Intel's"
		else
			echo "not ok - fault $name, $abi bits (native, m2s)"
			{ echo "$line"
			grep -- "^$name:" "$work/simulated.lines"; } |
				tr '~' '\n' | sed 's/^/# /'
			failed=1
		fi
	done <"$work/native.lines"

	"$work/code" >"$work/native"
	timeout 60 "$m2s" --quiet "$work/code" >"$work/simulated" 2>&1
	if [ -s "$work/native" ] && cmp -s "$work/native" "$work/simulated"
	then
		echo "ok - code that changes, $abi bits"
	else
		echo "not ok - code that changes, $abi bits"
		diff "$work/native" "$work/simulated" | sed 's/^/# /'
		failed=1
	fi

	program=$work/crash
	report "null pointer: where, instruction, registers, callers" null 139 \
		'SIGSEGV.*writing 0x10: a null pointer.*  at 0x.* store\+' \
		'  => 0x[0-9a-f]*: mov .*\(bytes c7' '[re]ax 0*' '[re]ip 0*' \
		'called from 0x[0-9a-f]* middle.*called from 0x[0-9a-f]* main' \
		'called from.* __libc_start_main.*called from.* _start'
	report "wild pointer" wild 139 \
		'writing 0x12345678: nothing is mapped there'
	report "write to a constant" constant 139 \
		'writing 0x.*: read-only memory of .*crash'
	report "callers through the C library" callback 139 \
		'called from.* compare.*called from.*libc.*called from.* main'
	report "stack overflow" overflow 139 'the stack overflows' \
		'called from 0x[0-9a-f]* deep.* \([0-9]* times\)'
	report "execution of data" data 139 \
		'executing 0x.*: data, not code.*called from.* main'
	report "jump to nowhere" jump 139 \
		'executing 0x8: a call or jump.*no code there.*called from.* main'
	report "division by zero" divide 136 'SIGFPE.*division by zero' \
		'  => 0x[0-9a-f]*: idiv'
	report "illegal instruction" illegal 132 'SIGILL.*not an instruction' \
		'=> 0x[0-9a-f]*: ud2'
	report "privileged instruction" halt 139 'only the kernel may use' \
		'=> 0x[0-9a-f]*: hlt'
	report "misaligned operand" aligned 139 'not aligned' 'movaps'
	report "end of a file" file 135 'SIGBUS.*behind the end of the mapped'
	report "in a signal handler" handler 139 \
		'called from.* handler.*interrupted by a signal at.* main'
	report "where other threads are" thread 139 \
		'context 101 .* is at 0x.* waits for a signal'
	report "stack overflow of a thread" threads 139 \
		'context 102: SIGSEGV.*the stack overflows' 'context 100 .* waits'
done
exit $failed
