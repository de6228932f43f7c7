#!/bin/bash
# --x86-warm and --x86-sample: a part behind warming takes the cycles that it takes
# in a run that simulates all, an estimate is near them, runs repeat exactly.
set -u
. "$(dirname "$0")/begin.sh" sampling

value() { # FILE, SECTION, NAME
	awk -v section="[ $2 ]" -v name="$3" '/^\[/ { on = $0 == section }
		on && $1 == name { print $3 }' "$1"
}

# Cycles depend on what caches and predictors have kept: a table of 128 KB is read
# in random order, again and again.
cat >table.c <<'END'
#include <stdio.h>

static unsigned table[32768];

int main(void)
{
	unsigned sum = 0, at = 1;

	for (unsigned i = 0; i < 32768; i++)
		table[i] = i * 2654435761u;
	for (unsigned i = 0; i < 150000; i++) {
		at = at * 1664525 + 1013904223;
		if (table[at >> 17] & 0x1000)
			sum += table[at >> 17];
		table[(at >> 17) ^ 64]++;
	}
	printf("%u\n", sum);
	return 5;
}
END
if ! $CC -O1 -w -static -o table table.c; then
	echo "ok - skipped: no static programs"
	exit 0
fi
./table >native

run() { # REPORT OPTIONS: Cycles of the whole
	local report=$1
	shift
	"$m2s" --quiet --x86-env clean --x86-sim detailed --x86-preset haswell --overwrite \
		--provenance none --x86-report "$report" "$@" ./table \
		>"$report.out" 2>"$report.err"
	status=$?
}

near() { # A B PER MILLE
	awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN {
		d = a > b ? a - b : b - a; exit !(d * 1000 <= b * most) }'
}

run first --x86-max-inst 1000000
run both --x86-max-inst 1200000
part=$(($(value both Global Cycles) - $(value first Global Cycles)))
# What is warmed for half a million instructions lacks the registers that the
# program's start has renamed.
for warm in all:10 500000:150; do
	run warm --x86-fast-forward 1000000 --x86-warm ${warm%:*} \
		--x86-max-inst 1200000
	cycles=$(value warm Global Cycles)
	near "$cycles" $part ${warm#*:}
	say $? "--x86-warm ${warm%:*}: $cycles cycles, $part in a run of all"
done
run cold --x86-fast-forward 1000000 --x86-max-inst 1200000
! near "$(value cold Global Cycles)" $part 50
say $? "without warming: $(value cold Global Cycles) cycles"
[ "$(value warm 'Core 0' Commit.Branches)" = \
	"$(value cold 'Core 0' Commit.Branches)" ]
say $? "branches that warm are not counted"

run sample --x86-sample 20000:1000:2000
[ $status = 5 ] && cmp -s sample.out native
say $? "a sampled program prints and ends as always"
# Without the start and the end, whose few costly parts no sample has to meet.
start="--x86-fast-forward 400000 --x86-warm all --x86-max-inst 2000000"
run whole $start
run sample $start --x86-sample 20000:1000:2000
instructions=$(value whole Global Commit.Instructions)
[ "$(value sample Sampling Instructions)" = "$instructions" ] &&
	[ "$(value sample Sampling Units)" = $((instructions / 20000)) ]
say $? "a unit in each period, all instructions"
awk -v cpi="$(value sample Sampling CPI)" \
	-v interval="$(value sample Sampling Interval)" \
	-v whole="$(value whole Global Cycles)" -v count="$instructions" 'BEGIN {
		true_cpi = whole / count; difference = cpi - true_cpi
		if (difference < 0) difference = -difference
		exit !(difference < 2 * interval && interval < 0.02 * cpi) }'
say $? "CPI $(value sample Sampling CPI) +- $(value sample Sampling Interval), \
$(value whole Global Cycles) cycles in all"
run again $start --x86-sample 20000:1000:2000
cmp -s sample again
say $? "runs repeat exactly"

refused() { # WORDS OPTIONS
	local words=$1
	shift
	"$m2s" "$@" ./table >/dev/null 2>err
	[ $? = 1 ] && grep -q -- "$words" err
	say $? "$*: $words"
}
detailed="--x86-sim detailed"
refused 'expected PERIOD' $detailed --x86-sample 1000000:
refused 'expected PERIOD' $detailed --x86-sample many
refused 'expected a period of more than 3512' $detailed --x86-sample 3512
refused 'expected a number of instructions, or all' $detailed --x86-warm some \
	--x86-region
refused 'nothing comes before' $detailed --x86-warm all
refused 'needs --x86-sim detailed' --x86-sample 100000
refused 'needs the whole program' $detailed --x86-check --x86-sample 100000
exit $failed
