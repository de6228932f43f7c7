#!/bin/bash
# Each variable of the timing model and of the HD 5870's memory hierarchy is in
# tests/fidelity/parameters once, with a source, or as a free parameter whose
# value is the built-in one, with a reason and a row in doc/measurements/fidelity.md.
set -u
list=$top_srcdir/tests/fidelity/parameters
memory=$top_srcdir/samples/memory/evg-hd5870.ini
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

check() { # NAME FILE: nothing may be in the file
	if [ -s "$2" ]; then
		echo "not ok - parameters: $1"
		sed 's/^/# /' "$2" | head -n 20
	else
		echo "ok - parameters: $1"
	fi
}

# What there is: "where|variable|value" of the configuration tables ...
sed -n 's/^CONFIG("\([^"]*\)", *"\([^"]*\)", *\([A-Z0-9]*\), *[a-z0-9_]*, *"\([^"]*\)".*/evg \1|\2|\4/p' \
	"$top_srcdir/src/evergreen/timing/config.def" >"$folder/evg"
for kind in DRAM GEOMETRY; do
	sed -n "s/^MEMORY_$kind(\\([^,]*\\), [A-Z0-9]*, [a-z0-9_]*, \"\\([^\"]*\\)\".*/$kind|\\1|\\2/p" \
		"$top_srcdir/src/memsys/config.def"
done >"$folder/tables"
# ... and of the hierarchy; sections that only differ in their number once.
# Names of modules and their ranges are its shape.
awk '
	/^\[/ {
		gsub(/^\[ *| *\]$/, "")
		sub(/-[0-9]+$/, "")
		section = $0
		next
	}
	section ~ /^Entry/ || section ~ /^Module evg-l/ { next }
	/^[A-Za-z]/ {
		sub(/ *;.*/, "")
		variable = $1
		sub(/^[^=]*= */, "")
		if (variable !~ /^(Type|HighNetwork|LowNetwork|LowModules)$/ &&
		    variable !~ /^(DRAM|AddressRange|Geometry)$/)
			print "mem " section "|" variable "|" $0
	}' "$memory" | sort -u >"$folder/mem"
[ "$(wc -l <"$folder/evg")" -gt 50 ] && [ "$(wc -l <"$folder/mem")" -gt 30 ] &&
	[ "$(wc -l <"$folder/tables")" -gt 50 ] || echo "too few" >"$folder/few"
touch "$folder/few"
check "configuration tables can be read" "$folder/few"

grep -v '^#' "$list" | cut -d'|' -f 1,2 | sort >"$folder/listed"
{
	cut -d'|' -f 1,2 "$folder/evg" "$folder/mem"
	sed -n 's/^DRAM|\([^|]*\).*/mem DRAM evg-gddr5|\1/p' "$folder/tables"
	sed -n 's/^GEOMETRY|\([^|]*\).*/mem CacheGeometry|\1/p' "$folder/tables"
} | sort -u >"$folder/there"

uniq -d "$folder/listed" >"$folder/twice"
check "no variable is listed twice" "$folder/twice"
# A variable of all geometries may be listed for each of them.
awk -F'|' '
	NR == FNR { listed[$0] = 1; next }
	$1 == "mem CacheGeometry" && (("mem CacheGeometry evg-l1|" $2) in listed) {
		next
	}
	!($0 in listed) { print $0 ": no source, and not in the list" }
' "$folder/listed" "$folder/there" >"$folder/missing"
check "every variable has a source or is in the list" "$folder/missing"
comm -23 "$folder/listed" "$folder/there" >"$folder/gone"
check "every variable of the list exists" "$folder/gone"
grep -v '^#' "$list" | awk -F'|' '
	!($3 == "free" && NF == 7 && $4 != "" && $5 != "" && $6 != "" &&
	  $7 != "") && !(($3 == "source" || $3 == "part") && NF == 4 &&
			 $4 != "")' >"$folder/malformed"
check "every entry has a source or a reason" "$folder/malformed"

# Values: of the hierarchy's file, else of the tables.
sed -n 's/^DRAM|/mem DRAM evg-gddr5|/p' "$folder/tables" |
	cat - "$folder/evg" "$folder/mem" |
	awk -F'|' '
		NR == FNR { value[$1 "|" $2] = $3; next }
		/^#/ { next }
		$3 == "free" && value[$1 "|" $2] != $4 {
			print $1 " " $2 ": listed " $4 ", built in " \
				value[$1 "|" $2]
		}' - "$list" >"$folder/values"
check "free parameters have the listed values" "$folder/values"
grep -v '^#' "$list" |
while IFS='|' read -r where variable kind now rest; do
	[ "$kind" = free ] || continue
	grep -qF "| ${where#* } \`$variable\` | $now |" \
		"$top_srcdir/doc/measurements/fidelity.md" ||
		echo "$where $variable = $now: no row in doc/measurements/fidelity.md"
done >"$folder/undocumented"
check "free parameters are in doc/measurements/fidelity.md" "$folder/undocumented"
