#!/bin/bash
# Compiles the kernels of every sample and disassembles them: each kernel's
# code decodes from its first instruction to the end of the program.
set -u
clc=$top_builddir/m2s-clc
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

if [ ! -x "$clc" ] || [ ! -x "$M2S" ]; then
	echo "not ok - evergreen isa samples: m2s or m2s-clc is not built"
	exit 1
fi

fail() {
	echo "not ok - evergreen isa samples: $1: $2"
	sed 's/^/# /' "$work/log"
	status=1
}

for source in "$top_srcdir"/samples/*/*.cl; do
	name=$(basename "$source" .cl)
	if ! timeout 60 "$clc" "$source" -o "$work/kernel.bin" \
			>"$work/log" 2>&1; then
		fail "$name" "m2s-clc failed"
		continue
	fi
	if ! timeout 60 "$M2S" --evg-disasm "$work/kernel.bin" \
			>"$work/list" 2>"$work/log"; then
		fail "$name" "the code does not decode"
		continue
	fi
	kernels=$(grep -c '^\.kernel ' "$work/list")
	ends=$(grep -c '^END_OF_PROGRAM' "$work/list")
	wanted=$(grep -cE '^(__)?kernel ' "$source")
	head -n 3 "$work/list" >"$work/log"
	if [ "$kernels" -eq 0 ] || [ "$kernels" -ne "$wanted" ]; then
		fail "$name" "$kernels kernels listed, $wanted in the source"
	elif [ "$ends" -lt "$kernels" ]; then
		fail "$name" "$ends ends of program for $kernels kernels"
	else
		echo "ok - evergreen isa samples: $name"
	fi
done
exit $status
