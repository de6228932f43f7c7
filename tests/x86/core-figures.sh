#!/bin/bash
# Figures of a core as variables: [ Core ] and [ Caches ] of --x86-config. Each
# takes effect; at the ends of its range a run ends, or says what is wrong.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/loop.c" <<'END'
#include <stdint.h>
int main(void)
{
	static uint32_t table[1 << 14];
	uint32_t sum = 1;

	for (uint32_t i = 0; i < 20000; i++) {
		sum = sum * 1664525 + table[sum >> 18];
		if (sum & 1 << 20)
			table[i & 16383] = sum;
	}
	return sum & 1;
}
END
$CC -O2 -static -o "$work/loop" "$work/loop.c" || exit 1

run() { # OPTION...: cycles, or nothing; output in $work/out
	timeout 60 "$M2S" --quiet --x86-sim detailed --x86-preset haswell \
		--x86-max-inst "${limit:-0}" --x86-report "$work/report" "$@" \
		"$work/loop" >"$work/out" 2>&1
	status=$?
	sed -n '/^\[ Global \]/,/^\[ Core/s/^Cycles = //p' "$work/report"
}

say() { # NAME CONDITION...
	local name=$1

	shift
	if "$@"; then
		echo "ok - core figures: $name"
	else
		echo "not ok - core figures: $name"
		tail -n 3 "$work/out" | sed 's/^/# /'
	fi
}

plain=$(run)
slower() { # FIGURE=VALUE
	say "$1 is slower" [ "$(run --set "$1")" -gt "$plain" ]
}
slower Core.issue_width=1
slower Core.reorder_buffer=8
slower Core.load_general=12
slower Core.redirect=30
# Few misses: without the noise of mispredicted branches.
perfect="--set BranchPredictor.Kind=Perfect"
# shellcheck disable=SC2086
say "Caches.first_kb=1 is slower" [ \
	"$(run $perfect --set Caches.first_kb=1)" -gt "$(run $perfect)" ]
slower Caches.second_cycles=20
printf '[ Core ]\nissue_width = 1\n' >"$work/core.ini"
file=$(run --x86-config "$work/core.ini")
say "a file is a setting" [ "$file" = "$(run --set Core.issue_width=1)" ]
"$M2S" --x86-preset skylake --print-config >"$work/skylake.ini"
say "a printed core is the preset" [ "$(run --config "$work/skylake.ini" \
	--x86-preset skylake)" = "$(run --x86-preset skylake)" ]

refused() { # NAME MESSAGE SETTING...
	local name=$1 message=$2

	shift 2
	run "$@" >"$work/cycles"
	say "$name" eval "[ $status -eq 1 ] && grep -qF '$message' '$work/out'"
}
refused "a name" "did you mean Core.issue_width?" --set Core.isue_width=2
refused "a range" "issue_width = 9: expected 1 to 8" --set Core.issue_width=9
refused "a queue before the decoders" "instruction_queue = 4: expected at least predecode_width (5)" \
	--set Core.instruction_queue=4
refused "one decoder" "decoders = 1: expected fusible_last = 1" \
	--set Core.decoders=1
refused "ports without a queue" "queue_ports_0 = 3, queue_size_0 = 0: expected both" \
	--set Core.queue_ports_0=3
refused "a third level before the second" "third_cycles = 36: expected more than second_cycles" \
	--set Caches.second_cycles=40
refused "three prefetchers of a cache" "prefetch_first_...: expected at most 2" \
	--set Caches.prefetch_first_stream=3
refused "a second level before the first" "second_cycles = 12: expected at least 5 more than [Core] load_chased (8)" \
	--set Core.load_chased=8

# Every fourth figure at both ends of its range (EVERY=1: all).
ends() { # FILE SECTION
	awk -F'[(,]' -v every="${EVERY:-4}" '/^FIGURE/ && n++ % every == 0 {
		gsub(/ /, ""); print $2, $4, $5 }' "$top_srcdir/$1" |
		while read -r name least most; do
			for value in "$least" "$most"; do
				limit=20000 run --set "$2.$name=$value" \
					>"$work/cycles"
				case $status in
				122) ;;
				1) grep -q '\[C.*expected' "$work/out" ||
					echo "$name = $value: $(tail -n 1 \
						"$work/out")" ;;
				*) echo "$name = $value: status $status" ;;
				esac
			done
		done
}
ends src/x86/timing/core/figures.def Core >"$work/bad"
ends src/x86/timing/memory/figures.def Caches >>"$work/bad"
cp "$work/bad" "$work/out"
say "the ends of ranges" [ ! -s "$work/bad" ]
