#!/bin/bash
# --x86-find-phases and --x86-phases: a program whose phases are known, found, and
# simulated in part; an estimate is near the cycles of a run that simulates all.
set -u
. "$(dirname "$0")/begin.sh" phases

value() { # FILE, SECTION, NAME
	awk -v section="[ $2 ]" -v name="$3" '/^\[/ { on = $0 == section }
		on && $1 == name { print $3 }' "$1"
}

# Three kinds of work, in turns: adding, dividing, reading a table of 256 KB in
# random order.
cat >parts.c <<'ENDC'
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>

static unsigned table[65536];

static unsigned add(unsigned count)
{
	unsigned sum = 0;

	__asm__ volatile("1: add $7, %0; nop; nop; dec %1; jnz 1b"
			 : "+r"(sum), "+r"(count));
	return sum;
}

static unsigned divide(unsigned count)
{
	volatile unsigned value = 1000000007;

	for (unsigned i = 1; i < count; i++)
		value = value / (i | 1) + 1000000007;
	return value;
}

static unsigned look_up(unsigned count)
{
	unsigned at = 1, sum = 0;

	for (unsigned i = 0; i < count; i++) {
		at = at * 1664525 + 1013904223;
		sum += table[(at ^ sum) >> 16]++;
	}
	return sum;
}

int main(int argc, char **argv)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 65536; i++)
		table[i] = i;
	for (int i = 0; i < 3; i++) {
		sum += add(60000);
		sum += divide(20000);
		sum += look_up(30000);
	}
	printf("%u\n", sum);
	return 3;
}
ENDC
if ! $CC -O1 -w -static -o parts parts.c; then
	echo "ok - skipped: no static programs"
	exit 0
fi
./parts >native

find() { # FILE OPTIONS
	local file=$1
	shift
	"$m2s" --quiet --overwrite --x86-find-phases "$file" \
		--x86-phase-length 20000 "$@" ./parts >out 2>err
}

run() { # REPORT OPTIONS
	local report=$1
	shift
	"$m2s" --quiet --x86-sim detailed --x86-preset haswell --overwrite \
		--provenance none --x86-report "$report" "$@" ./parts \
		>out 2>err
}

find phases
[ $? = 3 ] && cmp -s out native
say $? "phases are found, and the program prints and ends as always"
find again && cmp -s phases again
find again; cmp -s phases again
say $? "they are the same ones again"
instructions=$(awk '/^instructions/ { print $2 }' phases)
awk -v all="$instructions" '/^phase/ { count += $3 } /^interval/ { n++ }
	END { exit !(count == n && n == int(all / 20000)) }' phases
say $? "each interval has a phase ($instructions instructions)"
# The phases that have many intervals, in the order in which they come.
order=$(awk '/^phase/ { size[number++] = $3 }
	/^interval/ && size[$3] > 20 && $3 != last { printf "%s ", last = $3 }
	' phases)
read -r -a turn <<<"$order"
[ ${#turn[@]} = 9 ] && [ "${turn[*]:0:3}" = "${turn[*]:3:3}" ] &&
	[ "${turn[*]:0:3}" = "${turn[*]:6:3}" ] &&
	[ "${turn[0]}" != "${turn[2]}" ]
say $? "the phases are those of the program's parts"

run whole
run part --x86-phases phases
[ $? = 3 ] && cmp -s out native
say $? "simulated in part, the program prints and ends as always"
cycles=$(value part Phases Cycles)
# One interval stands for each phase. The host's CPUID and the environment decide how
# long the start of a static program is, so they decide where intervals begin: over 18
# lengths of start the error was 0.9 % in the mean and 2.3 % at worst.
awk -v a="$cycles" -v b="$(value whole Global Cycles)" 'BEGIN {
	d = a > b ? a - b : b - a; exit !(d < 0.05 * b) }'
say $? "estimate $cycles, $(value whole Global Cycles) in all"
[ "$(value part Phases Covered)" = 1 ] &&
	[ "$(value part Phases Instructions)" = "$instructions" ]
say $? "all phases are measured"
# Far less than all is simulated: an interval, what comes before, and behind it.
awk -v detailed="$(value part Global Commit.Instructions)" \
	-v phases="$(value part Phases Phases)" 'BEGIN {
	exit !(detailed <= phases * 22512 && phases < 16) }'
say $? "$(value part Global Commit.Instructions) instructions in detail"
run again --x86-phases phases
cmp -s part again
say $? "runs repeat exactly"
# Without warming the estimate is another one.
run cold --x86-phases phases --x86-warm 0
[ "$(value cold Phases Cycles)" != "$cycles" ]
say $? "--x86-warm 0: $(value cold Phases Cycles)"
# A run that ends before the last phases says so.
run short --x86-phases phases --x86-max-inst 400000
awk -v covered="$(value short Phases Covered)" 'BEGIN {
	exit !(covered > 0 && covered < 1) }'
say $? "a run that is cut off covers $(value short Phases Covered)"

refused() { # WORDS OPTIONS
	local words=$1
	shift
	"$m2s" "$@" ./parts >/dev/null 2>err
	[ $? = 1 ] && grep -q -- "$words" err
	say $? "$*: $words"
}
detailed="--x86-sim detailed"
refused 'needs --x86-sim functional' $detailed --x86-find-phases other
refused 'needs --x86-sim detailed' --x86-phases phases
refused 'needs --x86-find-phases' --x86-phase-length 5
refused 'not together with' $detailed --x86-phases phases --x86-sample 100000
refused 'not together with' $detailed --x86-phases phases --x86-region
refused 'not together with' --x86-find-phases other --x86-branch-trace trace
refused 'No such file' $detailed --x86-phases none
refused 'expected a file of --x86-find-phases' $detailed --x86-phases parts.c
refused 'needs the whole program' $detailed --x86-check --x86-phases phases
"$m2s" --quiet --x86-find-phases other --x86-phase-length 100000000 ./parts \
	>/dev/null 2>err
grep -q 'less than an interval of 100000000' err && [ ! -e other ]
say $? "a program without a whole interval has no phases"
"$m2s" --quiet --x86-read-only --x86-no-network $detailed --overwrite \
	--x86-report part --x86-phases phases ./parts >out 2>err
[ $? = 3 ] && [ "$(value part Phases Covered)" = 1 ]
say $? "the file is read from inside the wall"
exit $failed
