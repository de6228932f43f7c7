#!/bin/bash
# Reports of one detailed run: every format, figures that add up, two runs and
# any number of threads alike.
set -u
output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT
program="$top_builddir/samples/reduction/reduction -q -n 4096"

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# simulate FOLDER OPTIONS...
simulate() {
	folder=$output/$1
	mkdir -p "$folder"
	shift
	# shellcheck disable=SC2086
	timeout 120 "$M2S" --provenance none --evg-report "$folder/evg" \
		--evg-report-kernel "$folder/kernel" "$@" \
		$program >"$folder/stdout" 2>"$folder/stderr"
}

# value FILE SECTION NAME
value() {
	awk -v section="[ $2 ]" -v name="$3" '
		$0 == section { inside = 1; next }
		/^\[/ { inside = 0 }
		inside && $1 == name { print $3; exit }' "$1"
}

# sum FILE SECTION-PATTERN NAME
sum() {
	awk -v pattern="$2" -v name="$3" '
		/^\[/ { inside = $0 ~ pattern }
		inside && $1 == name { total += $3 }
		END { printf "%d\n", total }' "$1"
}

detailed="--evg-sim detailed"
# shellcheck disable=SC2086
simulate a $detailed --mem-report "$output/mem" --net-report "$output/net" \
	--x86-report "$output/x86"
check "a detailed run with every report" $?
# shellcheck disable=SC2086
simulate b $detailed --threads 1
cmp -s "$output/a/evg" "$output/b/evg"
check "two runs give the same device report" $?
cmp -s "$output/a/kernel" "$output/b/kernel"
check "two runs give the same kernel report" $?
"$top_builddir/m2s-clc" --version | sed -n '1s/ (.*//p' >"$output/version"
llvm=$(sed -n 's/^#define M2S_LLVM "\(.*\)"/\1/p' "$top_builddir/config.h")
[ "$(grep -c '^Compiler = ' "$output/a/kernel")" -gt 0 ] &&
	! grep '^Compiler = ' "$output/a/kernel" |
		grep -vx "Compiler = $(cat "$output/version") with clang-$llvm"
check "each launch names the kernel's compiler" $?
simulate c --threads 1
simulate d --threads 4
cmp -s "$output/c/kernel" "$output/d/kernel"
check "functional figures do not depend on the threads" $?

evg=$output/a/evg
for name in Instructions; do
	[ "$(value "$evg" Device $name)" = "$(sum "$evg" 'ComputeUnit' $name)" ]
	check "compute units add up to the device: $name" $?
done
[ "$(value "$evg" Emulator LaneOperations)" = \
	"$(sum "$evg" ComputeUnit LaneOperations)" ]
check "compute units add up to the emulator: LaneOperations" $?
[ "$(value "$evg" Emulator Instructions)" = \
	"$(value "$evg" Device Instructions)" ]
check "emulator and timing model count the same instructions" $?

# Filled and empty slots: groups with n slots filled sum to both counters.
awk '/^ALUEngine.Instructions =/ { groups = $3 }
	/^ALUEngine.InstructionSlots =/ { slots = $3 }
	/^ALUEngine.VLIWOccupancy =/ {
		sum = filled = 0
		for (n = 1; n <= 5; n++) {
			sum += $(n + 2)
			filled += n * $(n + 2)
		}
		if (sum != groups || filled != slots) bad = 1
		units++
	}
	END { exit bad || !units }' "$evg"
check "VLIW occupancy agrees with groups and slots" $?

awk '/^Accesses =/ { accesses = $3 } /^Hits =/ { hits = $3 }
	/^Misses =/ { if (hits + $3 != accesses) bad = 1; modules++ }
	END { exit bad || !modules }' "$output/mem"
check "hits + misses = accesses in every module" $?

# shellcheck disable=SC2086
simulate e $detailed --report-format ini,csv,json,xml \
	--evg-report-wavefronts --mem-report "$output/e/mem" \
	--net-report "$output/e/net" --x86-report "$output/e/x86"
[ -s "$output/e/evg.ini" ] && [ -s "$output/e/evg.csv" ] &&
	[ -s "$output/e/evg.json" ] && [ -s "$output/e/evg.xml" ]
check "four formats" $?
# Not variables of configurations, digests and lists of work-items.
awk -F, 'FNR == 1 { next }
	$3 ~ /^[0-9.]+$/ && $1 !~ /^Config/ && $2 !~ /^BranchDigest\[[0-9]*\]$/ &&
			!($1 ~ /Wavefront/ && $2 ~ /^DivergenceGroup\[/) {
		figures++
		if ($4 == "") {
			print FILENAME ": " $1 " " $2 " has no unit"
			bad = 1
		}
	}
	END { exit bad || !figures }' "$output"/e/*.csv
check "every figure has a unit" $?
if command -v xmllint >/dev/null; then
	xmllint --noout "$output/e/evg.xml"
	check "well-formed XML" $?
fi
if command -v python3 >/dev/null; then
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))' \
		"$output/e/evg.json"
	check "valid JSON" $?
fi

for name in RealTime SimEnd SimTime; do
	[ -n "$(value "$output/a/stderr" General $name)" ]
	check "summary has General $name" $?
done
for name in Instructions InstructionsPerSecond; do
	[ -n "$(value "$output/a/stderr" x86 $name)" ]
	check "summary has x86 $name" $?
done
for name in RealTime NDRangeCount WorkGroups Instructions LaneOperations \
	Cycles IPC CyclesPerSecond; do
	[ -n "$(value "$output/a/stderr" Evergreen $name)" ]
	check "summary has Evergreen $name" $?
done

# Where a report comes from: at its end, and only there.
cat >"$output/gpu config.ini" <<'C'
[ Device ]
Frequency = 800
C
# shellcheck disable=SC2086
"$M2S" --quiet --evg-config "$output/gpu config.ini" --evg-report \
	"$output/where" --x86-report "$output/where.x86" $program >"$output/out"
[ "$(grep '^\[' "$output/where" | tail -n 1)" = "[ Provenance ]" ] &&
	[ "$(grep '^\[' "$output/where.x86" | tail -n 1)" = "[ Provenance ]" ]
check "each report ends with its provenance" $?
hash() {
	sha256sum <"$1" | cut -d ' ' -f 1
}
[ "$(value "$output/where" Provenance Program.SHA256)" = \
	"$(hash "${program%% *}")" ] &&
	[ "$(value "$output/where" Provenance evg-config.SHA256)" = \
		"$(hash "$output/gpu config.ini")" ]
check "provenance: SHA-256 of program and configuration" $?
commit=$(value "$output/where" Provenance Commit)
[ -n "$commit" ] && for program in "$M2S" "$top_builddir/m2s-evg-as" \
	"$top_builddir/m2s-clc"; do
	"$program" --version | grep -F "(commit $commit)"
done | [ "$(wc -l)" -eq 3 ]
check "provenance: the commit is that of every program's --version" $?
if [ -e "$top_srcdir/.git" ] && git -C "$top_srcdir" rev-parse >/dev/null 2>&1
then
	git -C "$top_srcdir" cat-file -e "${commit%-dirty}^{commit}"
	check "provenance: the commit is one of the checkout" $?
else
	echo "ok - provenance: the commit # SKIP no git checkout"
fi
# The command line is one that a shell takes.
sed '/^\[ Provenance \]/,$d' "$output/where" >"$output/before"
again=$(sed -n 's/^CommandLine = //p' "$output/where")
rm "$output/where"
eval "$again" >"$output/out" &&
	sed '/^\[ Provenance \]/,$d' "$output/where" | cmp -s - "$output/before"
check "provenance: its command line gives the same figures" $?
"$M2S" --quiet --x86-report "$output/quoted" echo "it's" $'two\nlines' '' \
	>"$output/out" &&
	grep -qF "echo 'it'\\''s' \$'two\\x0alines' ''" "$output/quoted"
check "provenance: words are quoted" $?
cp "$output/where" "$output/old"
eval "${again/--quiet/--quiet --provenance none}" >"$output/out" &&
	cmp -s "$output/where" "$output/before"
check "--provenance none: the figures alone" $?
"$M2S" --provenance some true 2>&1 | grep -q 'expected full or none'
check "--provenance some is refused" $?

# A section for every launch of a run with very many.
$CC -O1 -w -o "$output/launches" "$top_srcdir/tests/system/launches.c" -lOpenCL
"$M2S" --quiet --threads 1 --evg-report-kernel "$output/launches.ini" \
	"$output/launches" 40000 >"$output/out" &&
	grep '^\[ NDRange\[[0-9]*\] \]$' "$output/launches.ini" |
	tr -dc '0-9\n' | cmp -s - <(seq 0 39999)
check "a report of 40000 launches has them all, in order" $?
