#!/bin/bash
# The listing in LLVM's style against the compiler's own text, for the samples
# and a file of many operations.
#
# The text says things that the code does not, which are made alike: whether a
# literal was meant as a signed number, and which of two names of one local
# memory write. CF_END and PAD may follow the end of the program.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printer=$top_builddir/tests/evergreen/print-llvm-text
clang=$(sed -n 's/^#define M2S_CLANG "\(.*\)"/\1/p' "$top_builddir/config.h")
libclc=$(sed -n 's/^#define M2S_LIBCLC "\(.*\)"/\1/p' "$top_builddir/config.h")
total=0

compile() {
	timeout 60 "$clang" -x cl -cl-std=CL1.2 -target r600-- -mcpu=cypress \
		-O2 -nogpulib -Xclang -finclude-default-header \
		-Xclang -mlink-builtin-bitcode -Xclang "$libclc" "$@"
}

for source in "$top_srcdir"/samples/*/*.cl \
		"$top_srcdir"/tests/evergreen/llvm-text.cl; do
	name=$(basename "$source" .cl)
	# Images need m2s-clc's own functions.
	grep -q image2d_t "$source" && continue
	if ! compile -S "$source" -o "$work/text" 2>"$work/log" ||
			! compile -c "$source" -o "$work/object" \
				2>"$work/log" ||
			! "$printer" "$work/object" >"$work/listing" \
				2>"$work/log"; then
		echo "not ok - evergreen llvm text: $name: no listing"
		sed 's/^/# /' "$work/log"
		continue
	fi
	awk '
		/^\t(CF_END|PAD)$/ || !/^\t[^.;]|^\t?-?[0-9]+\(/ { next }
		{ sub(/^\t/, ""); sub(/LDS_WRXCHG /, "LDS_WRITE ") }
		/^-?[0-9]+\(/ {
			count = split($0, part, ", ")
			$0 = ""
			for (i = 1; i <= count; i++) {
				value = part[i]
				sub(/\(.*/, "", value)
				sub(/^[^(]*/, "", part[i])
				if (value + 0 > 2147483647)
					value = sprintf("%d", value - 4294967296)
				$0 = $0 (i > 1 ? ", " : "") value part[i]
			}
		}
		{ print }' "$work/text" >"$work/want"
	grep -v '^CF_END$' "$work/listing" >"$work/got"
	total=$((total + $(wc -l <"$work/got")))
	if cmp -s "$work/want" "$work/got"; then
		echo "ok - evergreen llvm text: $name"
	else
		echo "not ok - evergreen llvm text: $name"
		diff "$work/want" "$work/got" | head -n 10 | sed 's/^/# /'
	fi
done
if [ "$total" -gt 3000 ]; then
	echo "ok - evergreen llvm text: $total lines compared"
else
	echo "not ok - evergreen llvm text: only $total lines compared"
fi

# The same through m2s, whose kernels end as m2s-clc wants them.
"$top_builddir/m2s-clc" "$top_srcdir/samples/vector-add/vector-add.cl" \
	-o "$work/kernel.bin" 2>"$work/log" &&
	"$M2S" --evg-disasm "$work/kernel.bin" --evg-disasm-style llvm \
		>"$work/listing" 2>"$work/log" &&
	head -n 1 "$work/listing" | grep -qx 'vector_add:' &&
	grep -q '^MEM_RAT_CACHELESS STORE_RAW T' "$work/listing"
if [ $? -eq 0 ]; then
	echo "ok - evergreen llvm text: --evg-disasm-style llvm"
else
	echo "not ok - evergreen llvm text: --evg-disasm-style llvm"
fi
"$M2S" --evg-disasm "$work/kernel.bin" --evg-disasm-style gnu >"$work/listing" \
	2>"$work/error"
if [ $? -eq 1 ] && grep -q 'expected amd or llvm' "$work/error"; then
	echo "ok - evergreen llvm text: an unknown style"
else
	echo "not ok - evergreen llvm text: an unknown style"
fi
