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
