#!/bin/bash
# No static function has the name of a public function of another file: one name
# means one thing in the whole simulator. Public names are read from the symbols
# of the object files, static ones from the sources, because a compiler may
# inline what is static.
set -u
cd "$top_builddir" || exit 1
command -v nm >/dev/null || { echo "ok - names # SKIP no nm"; exit 0; }

# The object files of the simulator: each has a source file of its name. Some
# programs put their own name in front ("m2s_clc-generate.o").
objects=$(find src -name '*.o' | while read -r object; do
	[ -e "$top_srcdir/$(sed 's/m2s_[a-z_]*-//; s/o$/c/' <<<"$object")" ] &&
		echo "$object"
done)
# shellcheck disable=SC2086
public=$(nm $objects | awk 'NF > 1 && $(NF - 1) == "T" { print $NF }' |
	LC_ALL=C sort -u)
[ "$(wc -l <<<"$public")" -gt 1000 ] ||
	{ echo "not ok - names: found no public functions"; exit 1; }

# A definition or declaration begins in the first column.
static=$(cd "$top_srcdir" &&
	find src \( -name '*.c' -o -name '*.h' \) -exec awk '
	/^static / {
		text = $0
		while (text !~ /[(=;{]/ && (getline line) > 0)
			text = text line
		if (match(text, /^[^(=;{]*[a-z0-9_]+\(/)) {
			name = substr(text, 1, RLENGTH - 1)
			sub(/.*[^a-zA-Z0-9_]/, "", name)
			print name, FILENAME
		}
	}' {} + | LC_ALL=C sort -u)
[ "$(wc -l <<<"$static")" -gt 1000 ] ||
	{ echo "not ok - names: found no static functions"; exit 1; }

both=$(LC_ALL=C join <(echo "$public") <(echo "$static"))
if [ -z "$both" ]; then
	echo "ok - no static function has the name of a public one"
else
	sed 's/^/# /' <<<"$both"
	echo "not ok - no static function has the name of a public one"
fi
