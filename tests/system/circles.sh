#!/bin/bash
# No files call each other in a circle. Which file calls which is read from the
# symbols of the object files.
set -u
cd "$top_builddir" || exit 1
command -v nm >/dev/null || { echo "ok - circles # SKIP no nm"; exit 0; }

# From the output of nm -A on stdin to a circle: a line for each of its files,
# "<file> calls <file>: <symbol>". Prints nothing when there is no circle.
find_circle() {
	awk '
	# The first file that `file` calls among those that are left.
	function next_file(file, called, count, i) {
		count = split(calls[file], called, " ")
		for (i = 1; i <= count; i++)
			if (called[i] in left)
				return called[i]
		return ""
	}
	{
		file = $1
		sub(/\.o:.*/, "", file)
		sub(/^src\//, "", file)
		sub(/lib[a-z0-9_]*-/, "", file)
	}
	$(NF - 1) ~ /^[TDBRVWC]$/ { home[$NF] = file }
	# Every OpenCL handle begins with the table of all calls, as ICDs want:
	# what makes handles names what uses them.
	$NF == "library_dispatch" { next }
	$(NF - 1) == "U" { used[++uses] = file " " $NF }
	END {
		for (i = 1; i <= uses; i++) {
			split(used[i], part, " ")
			to = home[part[2]]
			if (to == "" || to == part[1] || (part[1], to) in symbol)
				continue
			symbol[part[1], to] = part[2]
			calls[part[1]] = calls[part[1]] " " to
			left[part[1]] = 1
		}
		# A file that calls none of those left is on no circle.
		do {
			before = length(left)
			for (file in left)
				if (next_file(file) == "")
					delete left[file]
		} while (length(left) < before)
		# Each file left calls one of them: the way ends in a circle.
		for (i = 1; i <= uses && !(file in left); i++)
			file = substr(used[i], 1, index(used[i], " ") - 1)
		if (!(file in left))
			exit
		for (; !(file in step); file = next_file(file)) {
			step[file] = ++steps
			way[steps] = file
		}
		way[steps + 1] = file
		for (i = step[file]; i <= steps; i++)
			print way[i] " calls " way[i + 1] ": " \
				symbol[way[i], way[i + 1]]
	}'
}

# Three files in a circle, a fourth that calls them; and without one arrow.
few="src/d.o: U in_a
src/a.o:0 T in_a
src/a.o: U in_b
src/b.o:0 T in_b
src/b.o: U in_c
src/c.o:0 D in_c"
found=$(find_circle <<<"$few
src/c.o: U in_a")
if [ "$(wc -l <<<"$found")" -eq 3 ] &&
   grep -qx 'c calls a: in_a' <<<"$found" &&
   [ -z "$(find_circle <<<"$few")" ]; then
	echo "ok - a circle of three files is found"
else
	echo "# $found"
	echo "not ok - a circle of three files is found"
fi

# The object files of the simulator: each has a source file of its name, which
# in a library may have the library's name before it.
objects=$(find src -name '*.o' | LC_ALL=C sort | while read -r object; do
	source=$(sed 's/lib[a-z0-9_]*-//; s/o$/c/' <<<"$object")
	[ -e "$top_srcdir/$source" ] && echo "$object"
done)
[ "$(wc -w <<<"$objects")" -gt 100 ] ||
	{ echo "not ok - circles: found no object files"; exit 1; }
# shellcheck disable=SC2086
circle=$(nm -A $objects | find_circle)
if [ -z "$circle" ]; then
	echo "ok - no files call each other in a circle"
else
	sed 's/^/# /' <<<"$circle"
	echo "not ok - no files call each other in a circle"
fi
