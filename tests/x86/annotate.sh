#!/bin/bash
# --x86-annotate: the parts of threads, functions, lines and instructions sum
# exactly to the slots of all cores; counts of branches and instructions are those
# that the programs' texts say; the run is the same as without it.
set -u
. "$(dirname "$0")/begin.sh" x86-annotate

cat >work.c <<'END_OF_C'
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NODES = 1 << 17 };
static struct node { struct node *next; char rest[56]; } nodes[NODES];
static struct node *end;

static void __attribute__((noinline)) link_up(void)
{
	for (unsigned i = 0; i < NODES; i++)
		nodes[i * 40503u % NODES].next =
			&nodes[(i + 1) * 40503u % NODES];
}

static void __attribute__((noinline)) chase(void)
{
	struct node *node = nodes;
	for (int i = 0; i < 20000; i++) node = node->next;
	end = node;
}

static void *toss(void *unused)
{
	unsigned random = 1, sum = 0;
	for (int i = 0; i < 5000; i++) {
		random = random * 1664525 + 1013904223;
		if (random >> 31) __asm__ volatile("add $7, %0" : "+r"(sum));
		else __asm__ volatile("xor $9, %0" : "+r"(sum));
	}
	return unused;
}

static long one(long a) { return a + 1; }
static long two(long a) { return a * 2; }
static long (*const table[])(long) = { one, two };

int main(void)
{
	pthread_t thread;
	volatile long sum = 0;

	link_up();
	chase();
	pthread_create(&thread, NULL, toss, NULL);
	toss(NULL);
	pthread_join(thread, NULL);
	/* Each half as often, in an order that nobody predicts. */
	for (unsigned i = 0, random = 1; i < 1000; i++) {
		random = i & 1 ? ~random : random * 1664525 + 1013904223;
		sum = table[random >> 31](sum);
	}
	if (!fork())
		_exit(3);
	wait(NULL);
	return end == NULL;
}
END_OF_C

# Sums of each kind of row, and those of the report's cores, are one.
sums() { # CSV REPORT
	python3 - "$1" "$2" <<'END_OF_PYTHON'
import csv, re, sys
rows = list(csv.DictReader(open(sys.argv[1])))
names = [n for n in rows[0] if n not in (
    "kind process thread file function line address executions slots branches "
    "taken mispredicted text").split()]
bad = 0
def total(kinds):
    return {n: sum(int(r[n]) for r in rows if r["kind"] in kinds)
            for n in names + ["slots", "executions"]}
threads = total(["thread", "idle"])
for kind in "function", "line", "instruction":
    if total([kind, "outside", "idle"]) != threads:
        print("#", kind, "differs"); bad = 1
if total(["process", "idle"]) != threads:
    print("# processes differ"); bad = 1
cores = dict.fromkeys(names, 0)
section = ""
sums = {}
for text in open(sys.argv[2]):
    if text.startswith("["): section = text.strip("[ ]\n")
    name, _, value = text.partition(" = ")
    if not section.startswith("Core "): continue
    match = re.match(r"Commit\.Slots\.(.*)", name)
    if match: cores[match[1]] += int(value.split()[0])
    if name in ("Cycles", "Instructions"):
        sums.setdefault(section, {})[name] = int(value.split()[0])
# A core with several threads repeats their sums.
sums = [sums[s] for s in sums if not any(o.startswith(s + " Thread") for o in sums)]
cycles = sum(s["Cycles"] for s in sums)
instructions = sum(s["Instructions"] for s in sums)
for name in names:
    if cores[name] != threads[name]:
        print("#", name, cores[name], threads[name]); bad = 1
if sum(cores.values()) != 4 * cycles or threads["slots"] != 4 * cycles:
    print("# slots", cycles, threads["slots"]); bad = 1
if instructions != threads["executions"]:
    print("# instructions", instructions, threads["executions"]); bad = 1
for row in rows:
    if int(row["slots"]) != sum(int(row[n]) for n in names):
        print("# a row's parts"); bad = 1
sys.exit(bad or not cycles)
END_OF_PYTHON
}

run() { # NAME OPTIONS
	local name=$1
	shift
	"$m2s" --x86-sim detailed --x86-preset haswell --x86-report "$name.ini" \
		--x86-annotate "$name.csv" --overwrite "$@" ./work \
		>"$name.out" 2>"$name.err"
}

printf '[General]\nCores = 3\n' >three.ini
$CC -O2 -g -static -pthread -o work work.c || exit 1
run one
say $? "a profile of one core"
sums one.csv one.ini
say $? "its parts sum to the core's slots, for threads, functions, lines, instructions"
run three --x86-config three.ini && sums three.csv three.ini
say $? "those of three cores do, too"
# Of threads of one core: each has its own cycles, and what another one of its core
# had is Sibling's.
run smt --set General.Threads=2 --x86-report-branches 40 &&
	sums smt.csv smt.ini &&
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "Sibling") at = i }
		$1 == "line" && $7 == "" && $at > 0 { found = 1 }
		END { exit !found }' smt.csv
say $? "those of two threads of a core do, too"
# The branch of toss() that both threads execute is there once, with both.
[ "$(awk '/^\[ / { here = $2 == "HotBranch" }
	here && $1 == "Function" { is = $3 == "toss" }
	here && is && $1 == "Executions" && $3 == 10000 { n++ }
	END { print n + 0 }' smt.ini)" -ge 1 ]
say $? "hot branches of threads of a core"
run wait --set General.WrongPath=Fetch && sums wait.csv wait.ini
say $? "with wrong paths that are only fetched"
run late --x86-fast-forward 1000000 && sums late.csv late.ini
say $? "what is not simulated is in no sum"
run again && cmp -s one.csv again.csv
say $? "a profile repeats exactly"

"$m2s" --x86-sim detailed --x86-preset haswell --x86-report plain.ini ./work \
	>/dev/null 2>&1
cmp -s <(sed -n '/^\[ Global/,$p' plain.ini | grep -vE "Time|CommandLine|Date") \
	<(sed -n '/^\[ Global/,$p' one.ini | grep -vE "Time|CommandLine|Date")
say $? "a profile changes no figure of the report"

python3 - <<'END_OF_PYTHON'
import csv
rows = list(csv.DictReader(open("one.csv")))
inst = [r for r in rows if r["kind"] == "instruction"]
toss = [r for r in inst if r["function"] == "toss" and
        int(r["branches"]) == 10000 and int(r["mispredicted"]) > 2000]
assert len(toss) == 1, toss
worst = toss[0]
# 2,469 of a thread's 5,000 tosses: from the generator
random, heads = 1, 0
for i in range(5000):
    random = (random * 1664525 + 1013904223) & 0xffffffff
    heads += random >> 31
assert int(worst["taken"]) in (2 * heads, 10000 - 2 * heads), worst
lost = sum(int(r["BranchMispredict"]) for r in inst if r["function"] == "toss")
assert int(worst["BranchMispredict"]) > .8 * lost, (worst, lost)
assert worst["line"].startswith("work.c:"), worst
def cost(function):
    return next(r for r in rows
                if r["kind"] == "function" and r["function"] == function)
chase = cost("chase")
waits = sum(int(chase[n]) for n in ("L2", "L3", "DRAM", "TLB"))
assert waits > .8 * int(chase["slots"]), chase
link = cost("link_up")
assert int(link["StoreQueue"]) > .5 * int(link["slots"]), link
assert len({r["process"] for r in rows if r["kind"] == "thread"}) == 2
assert len([r for r in rows if r["kind"] == "thread"]) == 3
assert len([r for r in rows if r["kind"] == "process"]) == 2
END_OF_PYTHON
say $? "branches, loads and stores are charged to what causes the loss"

grep -q '^Diagnosis = .*wait for .* in link_up at work\.c:' one.err
say $? "the diagnosis names function and line"
"$m2s" --x86-sim detailed --x86-preset haswell --x86-annotate text \
	--x86-report branches.ini --x86-report-branches 3 ./work >/dev/null 2>&1
awk '/^Hot branches/ { inside = 1 }
	inside && / toss work\.c:/ && $2 == 10000 && $4 > 2000 { hot = 1 }
	inside && / main work\.c:.*2 targets: .*\(500\).*\(500\)/ { targets = 1 }
	/^toss$/ { listing = 1 }
	END { exit !(hot && targets && listing) }' text
say $? "the text has hot branches, targets and a listing"
# The report has the same branches, as many as it was asked for.
awk '/^Hot branches/ { inside = 1 }
	inside && $1 ~ /^[0-9.]+$/ && n < 3 {
		print n++, $2, $3, $4, "0x" $5, $6 }' text >wanted
awk '/^\[ / { here = $2 == "HotBranch"; n = $3 }
	here && NF > 2 { value[$1] = $3 }
	here && $1 == "LostCycles" { print n, value["Executions"],
		value["Taken"], value["Mispred"], value["Address"],
		value["Function"] }' branches.ini >found
[ "$(wc -l <found)" = 3 ] && diff wanted found
say $? "the x86 report has the hottest branches"
"$m2s" --x86-sim detailed --x86-report-branches 3 ./work >/dev/null 2>refused
[ $? -ne 0 ] && grep -q 'x86-report-branches: needs --x86-report' refused
say $? "without a report they are refused"
"$m2s" --x86-annotate x ./work >/dev/null 2>refused
[ $? -ne 0 ] && grep -q 'x86-annotate: needs --x86-sim detailed' refused
say $? "without detailed simulation it is refused"
exit $failed
