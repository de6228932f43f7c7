#!/bin/bash
# --x86-mcpat: the file has the components, parameters and statistics that McPAT
# reads (mcpat-names.txt), in its order, and they agree with the reports.
set -u
. "$(dirname "$0")/begin.sh" mcpat
names=$(dirname "$0")/mcpat-names.txt
[ -e "$names" ] || names=$top_srcdir/tests/x86/mcpat-names.txt

cat >work.s <<'END'
	.globl _start
_start:	mov $10000, %ecx
1:	call 2f
	imul %rdx, %rdx
	addps %xmm1, %xmm0
	mov %rdx, -8(%rsp)
	mov -8(%rsp), %rdi
	dec %ecx
	jnz 1b
	mov $231, %eax
	xor %edi, %edi
	syscall
2:	ret
END
"$CC" -nostdlib -static -o work work.s || exit 1
"$m2s" --quiet --x86-sim detailed --x86-preset haswell --x86-mcpat power.xml \
	--x86-report x86.ini --mem-report mem.ini ./work
say $? "a program with --x86-mcpat"

nested() { # gives each name the component that it stands in
	awk '/^#/ || /^<\?xml/ { next }
		/<component / { match($0, /id="[^"]*"/)
				name[++depth] = substr($0, RSTART + 4, RLENGTH - 5)
				print "component", name[depth] }
		/<param |<stat / { match($0, /name="[^"]*"/)
			print name[depth], (/<param/ ? "param" : "stat"),
				substr($0, RSTART + 6, RLENGTH - 7) }
		/<\/component>/ { depth-- }
		END { if (depth) print "unbalanced" }' "$1"
}
nested power.xml >found
awk '/^#/ { next } $1 == "component" { at = $2; print; next }
	{ print at, $1, $2 }' "$names" >wanted
diff <(grep '^component' wanted) <(grep '^component' found)
say $? "McPAT's components in its order"
diff <(grep -v '^component' wanted | sort -u) <(grep -v '^component' found | sort -u)
say $? "McPAT's parameters and statistics, and no others"

# value COMPONENT NAME, figure FILE SECTION NAME
value() {
	awk -v id="id=\"$1\"" -v name="name=\"$2\"" '
		/<component / { depth++; here = index($0, id) ? depth : here }
		/<\/component>/ { depth-- }
		here == depth && index($0, name) && match($0, /value="[^"]*/) {
			print substr($0, RSTART + 7, RLENGTH - 7); exit }' power.xml
}
figure() {
	awk -v section="[ $2 ]" -v name="$3" '/^\[/ { here = $0 == section }
		here && $1 == name { print $3; exit }' "$1"
}
core=system.core0
[ "$(value $core committed_instructions)" = \
	"$(figure x86.ini 'Core 0' Instructions)" ] &&
	[ "$(value $core total_cycles)" = "$(figure x86.ini 'Core 0' Cycles)" ] &&
	[ "$(value $core branch_mispredictions)" = \
		"$(figure x86.ini 'Core 0' Commit.Mispred)" ] &&
	[ "$(value system.core0.dcache read_accesses)" = \
		"$(figure mem.ini l1d-0 Reads)" ] &&
	[ "$(value system.mc memory_reads)" = "$(figure mem.ini memory Reads)" ]
say $? "they agree with the reports"

# The loop: three branches, one vector instruction, two loads (RET, MOV) and a
# multiplication in each of 10,000 turns. Wrong paths have the same mix.
committed=$(value $core committed_instructions)
integer=$(value $core committed_int_instructions)
floating=$(value $core committed_fp_instructions)
branches=$(figure x86.ini 'Core 0' Commit.Branches)
[ $((integer + floating + branches)) = "$committed" ] &&
	[ "$floating" = 10000 ] && [ "$branches" = 30000 ] &&
	[ "$(value $core function_calls)" = 10000 ] &&
	awk -v all="$committed" -v fetched="$(value $core total_instructions)" \
		-v loads="$(value $core load_instructions)" \
		-v multiplied="$(value $core mul_accesses)" 'BEGIN {
		scale = fetched / all
		exit !(fetched >= all && loads > 19999 * scale &&
			loads < 20001 * scale && multiplied > 9999 * scale &&
			multiplied < 10001 * scale) }'
say $? "the mix of instructions"

# Two processes on the two threads of a core, of two cores: counts are sums of threads,
# on average of cores. BTB and predictors of threads are one in McPAT, the
# reorder buffer is that of all of them.
mv power.xml one.xml
sed 's/^_start:/_start:	mov $57, %eax\n	syscall\n/' work.s >two.s
"$CC" -nostdlib -static -o two two.s || exit 1
"$m2s" --quiet --x86-sim detailed --x86-preset haswell \
	--set General.Threads=2 --set General.Cores=2 --x86-mcpat power.xml \
	--x86-report x86.ini --mem-report mem.ini ./two
say $? "two processes on threads of cores"
nested power.xml >found
diff <(grep '^component' wanted) <(grep '^component' found) &&
	diff <(grep -v '^component' wanted | sort -u) \
		<(grep -v '^component' found | sort -u)
say $? "the names are the same"
entries() { # of the BTB, in the file $1
	sed -n 's/.*"BTB_config" value="\([0-9]*\),.*/\1/p' "$1"
}
half() { # of the sum of a figure of both cores
	awk -v a="$(figure x86.ini 'Core 0' "$1")" \
		-v b="$(figure x86.ini 'Core 1' "$1")" \
		'BEGIN { printf "%.0f", (a + b) / 2 }'
}
near() { # the mean is written without its half
	[ $(($1 - $2)) -le 1 ] && [ $(($2 - $1)) -le 1 ]
}
[ "$(value system number_of_cores)" = 2 ] &&
	[ "$(value $core number_hardware_threads)" = 2 ] &&
	[ "$(value $core ROB_size)" = 192 ] &&
	[ "$(value $core archi_Regs_IRF_size)" = 16 ] &&
	[ "$(entries power.xml)" = $((2 * $(entries one.xml))) ]
say $? "sizes of a core with two threads"
near "$(value $core committed_instructions)" "$(half Instructions)" &&
	near "$(value $core branch_mispredictions)" "$(half Commit.Mispred)" &&
	near "$(value $core total_cycles)" "$(half Cycles)" &&
	[ "$(value $core committed_fp_instructions)" = 10000 ] &&
	[ "$(value $core function_calls)" = 10000 ] &&
	[ "$(value system.core0.dcache read_accesses)" = "$(awk \
		-v a="$(figure mem.ini l1d-0 Reads)" \
		-v b="$(figure mem.ini l1d-1 Reads)" \
		'BEGIN { printf "%.0f", (a + b) / 2 }')" ] &&
	[ "$(value $core busy_cycles)" -gt 0 ]
say $? "what threads did is summed, and divided among cores"

! "$m2s" --quiet --x86-mcpat none.xml ./work 2>err &&
	grep -q -- '--x86-mcpat: needs --x86-sim detailed' err &&
	! "$m2s" --quiet --x86-sim detailed --set General.Memory=FirstLevel \
		--x86-mcpat none.xml ./work 2>err &&
	grep -q 'needs the caches of the chip' err && [ ! -e none.xml ]
say $? "runs without the figures are refused"
! "$m2s" --quiet --x86-sim detailed --x86-preset multi2sim-4.2 \
	--x86-mcpat none.xml ./work 2>err &&
	grep -q 'classic hierarchy of multi2sim-4.2' err && [ ! -e none.xml ]
say $? "the classic hierarchy is refused"
exit $failed
