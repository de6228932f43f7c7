#!/bin/bash
# --x86-trace: the pipeline's way of a window of a program, by instructions and by
# cycles, and of one of several cores; what windows cannot be.
set -u
. "$(dirname "$0")/begin.sh" pipeline-trace

# A chain of multiplications, 3 cycles each, 20 times, behind another loop. When
# the window begins the caches have the code.
cat >chain.s <<'END'
	.globl _start
_start:	mov $1000, %ecx
1:	dec %ecx
	jnz 1b
	mov $20, %edx
	mov $3, %eax
2:	.rept 100
	imul %eax, %eax
	.endr
	dec %edx
	jnz 2b
	mov $231, %eax
	xor %edi, %edi
	syscall
END
"$CC" -nostdlib -static -o chain chain.s || exit 1
trace() { # OPTION...
	"$m2s" --quiet --x86-sim detailed --x86-preset haswell --x86-trace trace \
		"$@" ./chain
}
# look PROGRAM: awk over the events; `now` is the cycle
look() {
	awk -F'\t' '$1 == "C=" { now = $2 } $1 == "C" { now += $2 }
		$1 == "R" { retired++
			    if ($3 != before + 1 && retired > 1) bad = 1
			    before = $3 }
		'"$1" trace
}

trace --x86-trace-window instructions=3030-3089 &&
	[ "$(head -n 1 trace)" = "Kanata	0004" ] &&
	look '$1 == "I" && !first { first = $2 }
		$1 == "L" && $3 == 0 && /imul eax, eax/ { named++ }
		$1 == "S" && $4 == "Ex" { if (last && now - last != 3) bad = 1
					  last = now }
		END { exit bad || retired != 60 || named != 60 ||
			first != 3030 }'
say $? "a window of instructions"

from=$(look '$1 == "R" { print now }' | sed -n 11p)
cp trace by-instructions
trace --x86-trace-window "core=0,cycles=$from-$((from + 30))" &&
	look '$1 == "R" && (now < '"$from"' || now > '$((from + 30))') { bad = 1 }
		END { exit bad || retired != 11 }'
say $? "a window of cycles"

trace && look 'END { exit bad || retired != 1000 }'
say $? "the first 1000 instructions"
"$m2s" --quiet --x86-sim detailed --x86-preset haswell --x86-report with \
	--provenance none --x86-trace trace --overwrite ./chain &&
	"$m2s" --quiet --x86-sim detailed --x86-preset haswell --provenance none \
		--x86-report without ./chain && cmp with without
say $? "a trace changes no figure"

# Two processes are threads of one core: each has a window of its own, in which its
# instructions are those of one that runs alone, later.
sed 's/^_start:/_start:	mov $57, %eax\n	syscall\n/' chain.s >two.s
"$CC" -nostdlib -static -o two two.s || exit 1
apart=0
for thread in 0 1; do
	# the child begins behind the fork
	"$m2s" --quiet --x86-sim detailed --x86-preset haswell --x86-trace trace \
		--overwrite --set General.Threads=2 --x86-trace-window \
		"core=$thread,instructions=$((3032 - 2 * thread))-$((3091 - 2 * thread))" \
		./two && look '$1 == "L" && $3 == 0 && /imul eax, eax/ { named++ }
			END { exit bad || retired != 60 || named != 60 }' ||
		apart=1
done
say $apart "windows of two threads of a core"

refused() { # WORDS OPTION...
	local words=$1
	shift
	! trace --overwrite "$@" 2>err && grep -q -- "$words" err ||
		{ cat err; false; }
}
refused 'nothing retired in instructions 90000 to 90001 of core 0, which has simulated 4[0-9]* instructions' \
	--x86-trace-window instructions=90000-90001 &&
	refused 'there is no core 1: the processor has 1' \
		--x86-trace-window core=1 &&
	refused 'expected core=N' --x86-trace-window cycles=9-8 &&
	refused 'expected core=N' --x86-trace-window cycles=9- &&
	refused 'expected core=N' --x86-trace-window core=0,,cycles=1-2 &&
	refused 'expected core=N' --x86-trace-window threads=1-2 &&
	refused 'has 100001 instructions' \
		--x86-trace-window instructions=0-100000 &&
	! "$m2s" --quiet --x86-trace trace --overwrite ./chain 2>err &&
	grep -q -- '--x86-trace: needs --x86-sim detailed' err &&
	! "$m2s" --quiet --x86-trace-window core=0 ./chain 2>err &&
	grep -q -- '--x86-trace-window: needs --x86-trace' err
say $? "windows that cannot be are refused"
exit $failed
