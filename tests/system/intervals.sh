#!/bin/bash
# --stats-interval: the rows of a run add up to its reports.
set -u
output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

sample=$top_builddir/samples/reduction/reduction
"$M2S" --quiet --evg-sim detailed --stats-interval 1000 \
	--stats-interval-file "$output/rows.csv" \
	--evg-report "$output/evergreen" --mem-report "$output/memory" \
	--net-report "$output/network" \
	--report-format csv "$sample" -q >"$output/log" 2>&1
check "intervals: a run" $?

# figure REPORT SECTION NAME: summed over the sections that match
figure() {
	awk -F, -v section="$2" -v name="$3" '
		$1 ~ section && $2 == name { sum += $3 }
		END { printf "%.0f\n", sum }' "$output/$1"
}
# column NAME: summed over all rows
column() {
	awk -F, -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		NR > 1 { sum += $at }
		END { if (!at) print "no column"; else printf "%.0f\n", sum }' \
		"$output/rows.csv"
}
same() {
	[ -n "$2" ] && [ "$2" != 0 ] && [ "$2" = "$3" ]
	check "intervals: $1 ($2)" $?
}
same "cycles" "$(column Cycles)" "$(figure evergreen '^Device$' Cycles)"
same "instructions" "$(column Instructions)" \
	"$(figure evergreen '^ComputeUnit' Instructions)"
same "work-groups" "$(column WorkGroupsDone)" \
	"$(figure evergreen '^ComputeUnit' WorkGroupCount)"
same "bytes read from memory" "$(column MemoryReadBytes)" \
	"$(figure memory gm ReadBytes)"
same "row hits" "$(column RowHits)" "$(figure memory gm RowHits)"
same "requests to DRAM" "$(column RowRequests)" \
	"$(($(figure memory gm RowHits) + $(figure memory gm RowMisses) +
	    $(figure memory gm RowConflicts)))"
same "bytes of networks" "$(column NetworkBytes)" \
	"$(figure network . TransferredBytes)"

awk -F, 'NR > 1 && $4 > 2000 { bad = 1 } END { exit bad || NR < 10 }' \
	"$output/rows.csv"
check "intervals: none is much longer than was asked for" $?

# What the channels moved: with a burst that is under way at the end.
awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "MemoryBandwidth") at = i }
	NR > 1 && $at > 153.6 * 1.02 { bad = 1 }
	NR > 1 && $at > most { most = $at }
	END { exit bad || most < 50 }' "$output/rows.csv"
check "intervals: never more than the 153.6 GB/s that there are" $?

"$M2S" --quiet --stats-interval 1000 "$sample" -q >"$output/log" 2>&1
[ $? -ne 0 ] && grep -q "without detailed simulation" "$output/log"
check "intervals: refused in functional simulation" $?
"$M2S" --quiet --evg-sim detailed --stats-interval 1000 \
	--stats-interval-file "$output/none/rows.csv" "$sample" -q \
	>"$output/log" 2>&1
[ $? -ne 0 ] && grep -q "none/rows.csv" "$output/log"
check "intervals: a file that cannot be written" $?
