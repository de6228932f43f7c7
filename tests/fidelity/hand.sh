#!/bin/bash
# The programs by hand that take little time compute what they should: a row
# whose numbers, levels or sums are wrong ends the program without a table.
set -u
rows='SHOC'"'"'s sort, bottom_scan alone
SHOC'"'"'s BFS, 10,000 vertices, cached'
arguments=()
while read -r row; do
	arguments+=(--row "$row")
done <<<"$rows"
printed=$("$top_builddir/tests/fidelity/fidelity" "${arguments[@]}" \
	sort search 2>&1)
status=$?
while read -r row; do
	if [ $status = 0 ] && grep -q "^$row .*%\$" <<<"$printed"; then
		echo "ok - fidelity by hand: $row"
	else
		echo "not ok - fidelity by hand: $row (status $status)"
		sed 's/^/# /' <<<"$printed"
	fi
done <<<"$rows"
