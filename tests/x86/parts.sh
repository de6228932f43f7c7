#!/bin/bash
# --x86-save-parts and --x86-load-part: a part behind its checkpoint takes the cycles,
# and has the counts, that it has in a run from the start with the same warming; parts
# are simulated again with another machine; reports of parts are one estimate.
set -u
. "$(dirname "$0")/begin.sh" parts

value() { # FILE, SECTION, NAME
	awk -v section="[ $2 ]" -v name="$3" '/^\[/ { on = $0 == section }
		on && $1 == name { print $3 }' "$1"
}

# A table of 32 KB is read in random order, then added up, in short calls: what long
# ones have in registers since their beginning is not warmed.
cat >table.c <<'END'
#include <stdio.h>

enum { SIZE = 8192 };
static unsigned table[SIZE], at = 1;

static __attribute__((noinline)) unsigned look_up(unsigned count)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < count; i++) {
		at = at * 1664525 + 1013904223;
		if (table[at >> 19] & 0x1000)
			sum += table[at >> 19];
		table[(at >> 19) ^ 64]++;
	}
	return sum;
}

static __attribute__((noinline)) unsigned add_up(unsigned from, unsigned count)
{
	unsigned sum = 0;

	for (unsigned i = from; i < from + count; i++)
		sum += table[i];
	return sum;
}

int main(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < SIZE; i++)
		table[i] = i * 2654435761u;
	for (unsigned turn = 0; turn < 4; turn++) {
		for (unsigned i = 0; i < 200; i++)
			sum += look_up(100);
		for (unsigned i = 0; i < 200; i++)
			sum += add_up(i * 40, 100);
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

detailed() { # REPORT OPTIONS
	local report=$1
	shift
	"$m2s" --quiet --x86-sim detailed --x86-preset haswell --overwrite \
		--provenance none --x86-report "$report" "$@" >"$report.out" \
		2>"$report.err"
}

# Sections of cores and all that cores share, but what a whole program has.
cores() { # REPORT
	awk '/^\[/ { on = 1 } /^\[ (General|Sampling|Part)/ { on = 0 }
		on && $1 !~ /^(;|Instructions|Turns|SystemCalls|Faults|Contexts|Processes|UnknownCalls|Signals)$/' "$1"
}

"$m2s" --quiet --x86-env clean --x86-save-parts table --x86-sample 100000:2000:3000 \
	--x86-warm 60000 ./table >out
[ $? = 5 ] && cmp -s out native
say $? "a program whose parts are saved prints and ends as always"
count=$(grep -c '^part ' table.parts)
instructions=$(awk '/^instructions/ { print $2 }' table.parts)
[ "$count" = $((instructions / 100000)) ] &&
	[ "$(ls table.*.ckpt | wc -l)" = "$count" ]
say $? "a checkpoint for each of $count parts that are whole"

# Of the first part warming begins at once, or nearly.
bad=
for k in 0 3 $((count - 1)); do
	read -r _ checkpoint begin _ < <(grep '^part ' table.parts |
		sed -n $((k + 1))p)
	end=$((begin + 3000 + 2000 + 512))
	detailed part$k --x86-load-part table:$k
	[ $? = 0 ] || bad="$bad status:$k"
	detailed whole --x86-env clean --x86-fast-forward $begin \
		--x86-warm $((begin - checkpoint)) --x86-max-inst $end ./table
	diff <(cores part$k) <(cores whole) >differs ||
		bad="$bad $k: $(head -n 3 differs)"
	[ "$(value part$k Global Commit.Instructions)" = 5512 ] || bad="$bad $k?"
done
[ -z "$bad" ]
say $? "figures of a part are those of a run from the start$bad"
detailed again --x86-load-part table:3
cmp -s part3 again
say $? "a part repeats exactly"
detailed small --x86-load-part table:3 --set Core.issue_width=1
[ "$(value small Global Commit.Instructions)" = 5512 ] &&
	[ "$(value small Global Cycles)" -gt "$(value part3 Global Cycles)" ]
say $? "on a narrow core it is slower"

# Beside each other, and one estimate: near a sample in one run that warms with
# everything, and near what a run of all takes.
for ((k = 0; k < count; k++)); do
	detailed part$k --x86-load-part table:$k &
	[ $((k % 4)) = 3 ] && wait
done
wait
join() {
	PYTHONPATH=$top_srcdir/python python3 -c 'import sys, m2s
try: print(m2s.join_parts(sys.argv[1:]))
except m2s.ReadError as error: print(error)' "$@"
}
reports=$(seq -f part%.0f 0 $((count - 1)))
join $reports >joined
detailed sample --x86-env clean --x86-sample 100000:2000:3000 ./table
awk -v cpi="$(value sample Sampling CPI)" -v count="$count" \
	-v all="$instructions" '
	$1 == "Parts" { good = $3 == count && $5 == count }
	$1 == "Instructions" { good = good && $3 == all }
	$1 == "CPI" { d = $3 - cpi; interval = $5 }
	END { exit !(good && d < .02 * cpi && d > -.02 * cpi && interval > 0) }' \
	joined
say $? "CPI $(awk '/^CPI/ { print $3, $4, $5 }' joined); a sample in one run: \
$(value sample Sampling CPI)"
join part0 part1 part0 | grep -q 'part 0 is also in part0' &&
	join sample | grep -q 'expected an x86 report of --x86-load-part'
say $? "what is no estimate is refused"

# Phases: parts stand for as many intervals as the file says.
"$m2s" --quiet --x86-env clean --x86-find-phases phases --x86-phase-length 20000 ./table >/dev/null
"$m2s" --quiet --x86-env clean --x86-save-parts phase --x86-phases phases --x86-warm 300000 \
	./table >/dev/null
count=$(grep -c '^part ' phase.parts)
[ "$count" = "$(grep -c '^phase ' phases)" ] &&
	[ "$(awk '/^part/ { n += $5 } END { print n }' phase.parts)" = \
		"$(grep -c '^interval ' phases)" ]
say $? "$count phases are as many parts, of all intervals"
for ((k = 0; k < count; k++)); do
	detailed phase$k --x86-load-part phase:$k
done
join $(seq -f phase%.0f 0 $((count - 1))) >joined
detailed whole --x86-env clean --x86-phases phases ./table
awk -v cpi="$(value whole Phases CPI)" '$1 == "CPI" { found = $3; n = NF }
	END { d = found - cpi; exit !(n == 3 && d < .02 * cpi && d > -.02 * cpi) }' joined
say $? "CPI $(awk '/^CPI/ { print $3 }' joined); phases in one run: \
$(value whole Phases CPI)"

refused() { # WORDS OPTIONS
	local words=$1
	shift
	"$m2s" "$@" >/dev/null 2>err
	[ $? = 1 ] && grep -q -- "$words" err || { cat err; false; }
	say $? "$*: $words"
}
refused 'needs --x86-warm N' --x86-save-parts x --x86-sample 100000 ./table
refused 'needs --x86-sample' --x86-save-parts x ./table
refused 'needs --x86-sim functional' --x86-sim detailed --x86-save-parts x \
	--x86-sample 100000 --x86-warm 1000 ./table
refused 'no part as a whole' --x86-save-parts x --x86-sample 100000000 \
	--x86-warm 1000 ./table
[ ! -e x.parts ] && [ ! -e x.0.ckpt ]
say $? "and nothing is left"
refused 'needs --x86-sim detailed' --x86-load-part table:0
refused 'there is no part 99' --x86-sim detailed --x86-load-part table:99
refused 'expected PREFIX:N' --x86-sim detailed --x86-load-part table
refused '--x86-load-part: expected no program' --x86-sim detailed \
	--x86-load-part table:0 ./table
refused 'not together' --x86-sim detailed --x86-load-part table:0 --x86-warm 5
sed 's/^length .*/length x/' table.parts >broken.parts
refused 'broken.parts: line 3' --x86-sim detailed --x86-load-part broken:0
head -c -1 table.parts >broken.parts
refused "broken.parts: line $(wc -l <table.parts)" --x86-sim detailed \
	--x86-load-part broken:0
cp table.parts other.parts
for k in 0 2; do
	cp table.$k.ckpt other.1.ckpt
	refused 'not that of other.parts' --x86-sim detailed --x86-load-part other:1
done
refused 'checkpoints, which have process ids' --x86-host-pids --x86-save-parts x \
	--x86-sample 100000 --x86-warm 1000 ./table
exit $failed
