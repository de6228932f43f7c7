#!/bin/bash
# Rows of the fidelity table that are documented exactly and cheap to measure:
# latency of a chain, half rate, CF steps, rates, conflicts, occupancy, caches, texels.
# Within half a percent of the published value; every row of the list below
# must be there once, whatever else the program prints.
set -u
rows='dependent MAD, clocks each
lone wavefront, of the full rate
IF/ELSE/ENDIF, three CF steps
f32 MAD
f32 FMA
f32 reciprocal
f32 log, exp, sin (t slot)
f64 ADD
f64 FMA
f64 MUL
i32 add
i32 multiply
u24 multiply-add
int to float
registers, three in each vector slot
constants, direct
constants, indexed, one index
LDS, all lanes in one bank
wavefronts with 4096 B LDS a group
wavefronts with 4608 B LDS a group
wavefronts with 5376 B LDS a group
wavefronts with 6528 B LDS a group
wavefronts with 8192 B LDS a group
wavefronts with 10880 B LDS a group
wavefronts with 16384 B LDS a group
wavefronts with 32768 B LDS a group
wavefronts with 1 registers
wavefronts with 4 registers
wavefronts with 8 registers
wavefronts with 16 registers
wavefronts with 25 registers
wavefronts with 62 registers
atomics on one address, clocks each
L1, float4 that hit
L2 to L1, float4
texels, 8 bits x 4, nearest
texels, 8 bits x 4, bilinear
texels, 16 bits x 4, bilinear
texels, 32 bits x 4, nearest
texels, 32 bits x 4, bilinear'

"$top_builddir/tests/fidelity/fidelity" alu occupancy local atomic cache texture 2>&1 |
awk -v expected="$rows" '
	BEGIN { count = split(expected, names, "\n") }
	# A row ends with its error; quantities have 46 columns.
	/[-+][0-9.]+%$/ {
		name = substr($0, 1, 46)
		sub(/ +$/, "", name)
		seen[name]++
		error[name] = $NF + 0
		next
	}
	{ other = other "# " $0 "\n" }
	END {
		for (i = 1; i <= count; i++) {
			name = names[i]
			why = ""
			if (seen[name] != 1)
				why = sprintf("%d times in the table",
					      seen[name])
			else if (error[name] > 0.5 || error[name] < -0.5)
				why = sprintf("%+.1f%%", error[name])
			bad += why != ""
			printf "%s - fidelity: %s%s\n", why ? "not ok" : "ok",
				name, why ? " (" why ")" : ""
		}
		if (bad)
			printf "%s", other
	}'
