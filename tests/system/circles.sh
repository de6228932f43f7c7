#!/bin/bash
# No two source files call each other. Which file calls which is read from the
# symbols of the object files. circles.txt lists the pairs that still do: a pair
# that is not listed fails, and so does a listed one that is gone.
set -u
cd "$top_builddir" || exit 1
list=$top_srcdir/tests/system/circles.txt
command -v nm >/dev/null || { echo "ok - circles # SKIP no nm"; exit 0; }

# The object files of the simulator: each has a source file of its name.
objects=$(find src -name '*.o' | while read -r object; do
	[ -e "$top_srcdir/${object%.o}.c" ] && echo "$object"
done)
# shellcheck disable=SC2086
pairs=$(nm -A $objects | awk '
	{
		file = $1
		sub(/\.o:.*/, "", file)
		sub(/^src\//, "", file)
	}
	$(NF - 1) ~ /^[TDBRVWC]$/ { home[$NF] = file }
	$(NF - 1) == "U" { used[++n] = file " " $NF }
	END {
		for (i = 1; i <= n; i++) {
			split(used[i], part, " ")
			to = home[part[2]]
			if (to != "" && to != part[1])
				calls[part[1] " " to] = 1
		}
		for (call in calls) {
			split(call, part, " ")
			if (part[1] < part[2] && (part[2] " " part[1]) in calls)
				print call
		}
	}' | LC_ALL=C sort)
[ "$(wc -w <<<"$objects")" -gt 100 ] ||
	{ echo "not ok - circles: found no object files"; exit 1; }

new=$(LC_ALL=C comm -23 <(echo "$pairs") <(LC_ALL=C sort "$list"))
if [ -z "$new" ]; then
	echo "ok - no new pair of files that call each other"
else
	sed 's/^/# /' <<<"$new"
	echo "not ok - no new pair of files that call each other"
fi
gone=$(LC_ALL=C comm -13 <(echo "$pairs") <(LC_ALL=C sort "$list"))
if [ -z "$gone" ]; then
	echo "ok - all listed pairs still call each other"
else
	sed 's/^/# take it off circles.txt: /' <<<"$gone"
	echo "not ok - all listed pairs still call each other"
fi
