#!/bin/bash
# The study of doc/evaluation/predictors with few steps: all engines count what
# single predictors count, in a mix in which neighbours differ.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
top_builddir=$(realpath "$top_builddir") M2S=$(realpath "$M2S")
export top_builddir M2S
QUICK=yes bash "$top_srcdir/tests/evaluation/predictors" "$folder" 2>"$folder/err"
status=$?
cat "$folder/err"
[ $status = 0 ] && echo "ok - the study runs" || echo "not ok - the study runs"
for engine in loop batch simulated simulated-one-launch; do
	[ "$(grep -c "^$engine,3,4,.*,identical$" "$folder/predictors.csv")" = 2 ] &&
		echo "ok - $engine: the counts are identical" ||
		echo "not ok - $engine: the counts are identical"
done
grep -q "^| paper: .* | 0.08 | 0.16 |" "$folder/tables.md" &&
	grep -q "^| its kernels alone" "$folder/tables.md" &&
	echo "ok - the table stands beside the paper's" ||
	echo "not ok - the table stands beside the paper's"
