#!/bin/bash
# How good the code is: registers, clauses, groups, the least of these that is known
# to be possible, and fetches and accesses of memory, of each kernel of tests/clc/kernels and of the samples, as they are
# in tests/codegen/figures.txt. A rule of the generator that no longer holds costs
# groups where the results stay right. GOLDEN_REBASE=1 writes the file.
# LLVM's optimizer makes other code in each version: the figures are those of one.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
recorded=$top_srcdir/tests/codegen/figures.txt
version=$(sed -n 's/^#define M2S_LLVM "\(.*\)"/\1/p' "$top_builddir/config.h")
if ! grep -q "^# LLVM $version\." "$recorded"; then
	echo "ok - codegen figures # SKIP they are of another LLVM than $version"
	exit 0
fi

# figures NAME FILE [OPTIONS...]
figures() {
	local name=$1 file=$2
	shift 2
	"$top_builddir/m2s-clc" --schedule-report --verbose -w \
		-o "$work/binary" "$@" - 2>&1 <"$file" | awk -v name="$name" '
		function print_figures() {
			if (figures != "")
				print figures, memory
			figures = ""
		}
		/^schedule of / {
			print_figures()
			kernel = $3
			sub(/:$/, "", kernel)
			registers = $4
		}
		/ clauses, .* groups, at least / {
			bound = $7
			sub(/;$/, "", bound)
			figures = name " " kernel " " registers " " $1 \
				" " $3 " " bound
			memory = 0
		}
		/^\t+(VFETCH|LD|SAMPLE|READ_SCRATCH|MEM_)/ { memory++ }
		END { print_figures() }'
}

{
	echo "# LLVM $version. File, kernel: registers, clauses, groups, at least, memory"
	for file in "$top_srcdir"/tests/clc/kernels/*.cl; do
		name=$(basename "$file")
		case $name in
		bad-*) ;;
		*) figures "$name" "$file" ;;
		esac
	done
	for file in "$top_srcdir"/samples/*/*.cl; do
		figures "$(basename "$file")" "$file"
	done
	for registers in 12 24; do
		figures "crowded.cl-$registers" \
			"$top_srcdir/tests/clc/kernels/crowded.cl" \
			--codegen-registers=$registers
	done
} >"$work/figures"

if [ -n "${GOLDEN_REBASE:-}" ]; then
	cp "$work/figures" "$recorded"
fi
count=$(grep -vc '^#' "$work/figures")
[ "$count" -gt 100 ]
echo "$([ $? -eq 0 ] || echo 'not ')ok - codegen figures: of $count kernels"
if diff "$recorded" "$work/figures" >"$work/difference"; then
	echo "ok - codegen figures: as recorded"
else
	echo "not ok - codegen figures: as recorded"
	awk '/^[<>]/ { groups[$1] += $6; registers[$1] += $4 }
	     END { printf "# of those that differ: groups %d, recorded %d; "\
			  "registers %d, recorded %d\n", groups[">"],
			  groups["<"], registers[">"], registers["<"]
		   print "# where the code is better or no worse: " \
			 "GOLDEN_REBASE=1 make check PART=codegen/figures" }' \
		"$work/difference"
	sed 's/^/# /' "$work/difference" | head -n 40
fi
