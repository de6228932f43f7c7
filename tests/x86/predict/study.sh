#!/bin/bash
# --x86-branch-trace and m2s-predict, from a program to tables.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
predict=$top_builddir/m2s-predict
cd "$folder" || exit 1

check() { # NAME STATUS
	if [ "$2" = 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}
expect() { # NAME PATTERN COMMAND...
	local name=$1 pattern=$2
	shift 2
	if "$@" >out 2>err; then
		echo "not ok - $name: no error"
	elif [ "$(wc -l <err)" = 1 ] && grep -q -- "$pattern" err; then
		echo "ok - $name"
	else
		cat err
		echo "not ok - $name"
	fi
}

cat >program.c <<'EOF'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
static volatile int caught;
static void handler(int s) { caught += s; }
static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
static void *work(void *p)
{
	static int list[2][5000];
	int *l = list[p != NULL];
	unsigned s = p ? 7 : 3;
	for (int i = 0; i < 5000; i++)
		l[i] = (s = s * 1103515245 + 12345) >> 8;
	qsort(l, 5000, sizeof *l, compare);
	return l;
}
int main(void)
{
	pthread_t t;
	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, work, &t);
	work(NULL);
	raise(SIGUSR1);
	pthread_join(t, NULL);
	if (!fork())
		execl("/bin/true", "true", NULL);
	wait(NULL);
	printf("%d\n", caught);
	return 0;
}
EOF
$CC -O2 -pthread -o program program.c || exit 1
"$M2S" --x86-clock simulated --x86-branch-trace trace \
	./program >out 2>err
check "the program runs as ever" $?
[ "$(cat out)" = 10 ]
check "its output is as ever" $?
"$predict" --print trace >printed
check "the trace prints" $?
said=$(sed -n 's/^Instructions *= *//p' err | head -n 1)
[ -n "$said" ] && [ "$(tail -n 1 printed)" = "# $said instructions" ]
check "it has as many instructions as the run" $?
# Every branch's flow goes on where the one before went.
awk '!/^#/ && $4 !~ /^0x/ || NF < 3 { bad++ }
	!/^#/ { n++; threads[$1 "." $2] = 1; kinds[$5] = 1
		if ($6 == "not-taken" && $5 != "conditional") bad++ }
	END { for (t in threads) nt++; for (k in kinds) nk++
		exit !(bad == 0 && n > 100000 && nt >= 3 && nk == 6) }' printed
check "threads, processes and all kinds of branches are in it" $?
"$M2S" --quiet --x86-clock simulated --x86-branch-trace again ./program >out2
cmp -s trace again
check "two traces of a run are alike" $?

cat >predictors.ini <<'EOF'
[ perfect ]
Kind = Perfect
[ simple ]
Kind = NotTaken, Bimodal, TwoLevel, Gshare, Combined, Tournament
Bimod.Size = 256..4096 x4
[ best ]
Kind = TageScL64
Indirect = Ittage
EOF
"$predict" trace --predictors predictors.ini --csv all.csv --json all.json \
	--svg all.svg --worst worst.csv --agreement same.csv >out
check "a study runs" $?
"$predict" trace --predictors predictors.ini --csv single.csv --single \
	--threads 1 >/dev/null && cmp -s all.csv single.csv
check "batch and single agree, with any number of threads" $?
"$predict" trace --predictors predictors.ini --csv apart.csv --apart \
	>/dev/null && cmp -s all.csv apart.csv
check "and without sharing" $?
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ n++; gsub(/"/, "") }
	/,perfect,/ { perfect = $at["Wrong"] }
	END { exit !(n == 20 && perfect == 0) }' all.csv
check "a row for each predictor, and perfection is perfect" $?
python3 - <<'EOF'
import csv, json
rows = list(csv.DictReader(open("all.csv")))
objects = json.load(open("all.json"))
assert len(rows) == len(objects) == 20
for row, one in zip(rows, objects):
    assert row["Predictor"] == one["Predictor"]
    assert int(row["Wrong"]) == one["Wrong"]
    wrong = 1000 * int(row["Wrong"]) / int(row["Instructions"])
    assert abs(wrong - float(row["MPKI"])) < 1e-4
    kinds = ["Conditional", "Jump", "Call", "IndirectJump", "IndirectCall",
             "Return"]
    assert sum(int(row[k]) for k in kinds) == int(row["Branches"])
    assert sum(int(row[k + "Wrong"]) for k in kinds) == int(row["Wrong"])
    assert sum(int(v) for k, v in row.items() if k.startswith("From")) == \
        int(row["Branches"])
by = {row["Predictor"]: row for row in rows}
tage, simple = by["best"], by["simple Kind=Bimodal,Bimod.Size=4096"]
assert int(tage["Wrong"]) < int(simple["Wrong"])
# The table of the worst is that of the best predictor.
worst = list(csv.DictReader(open("worst.csv")))
assert 0 < sum(int(w["Wrong"]) for w in worst) <= int(tage["Wrong"])
assert [int(w["Wrong"]) for w in worst] == \
    sorted((int(w["Wrong"]) for w in worst), reverse=True)
matrix = list(csv.reader(open("same.csv")))
n = len(matrix) - 1
assert n == 20
for i in range(n):
    assert float(matrix[i + 1][i + 1]) == 1
    for k in range(n):
        assert matrix[i + 1][k + 1] == matrix[k + 1][i + 1]
# With perfection, a predictor agrees where it is right.
right = 1 - int(simple["ConditionalWrong"]) / int(simple["Conditional"])
row = [r for r in matrix if r[0] == simple["Predictor"]][0]
assert abs(float(row[1]) - right) < 1e-5
EOF
check "the tables fit together" $?
xmllint --noout all.svg && grep -q "best for their size" all.svg
check "the chart is well-formed" $?

printf '[ a ]\nKind = Bimodal\n' >one.ini
expect "no trace" "cannot.*\|No such file" "$predict" absent --predictors one.ini
head -c 1000 trace >cut
expect "a trace that is cut off" "cut: .*cut off" "$predict" cut \
	--predictors one.ini
expect "no trace at all" "one.ini: .*gzip" "$predict" one.ini \
	--predictors one.ini
gzip -c program >other
expect "another compressed file" "other: byte .*trace" \
	"$predict" other --predictors one.ini
printf '[ a ]\nBimod.Size = 3\n' >bad.ini
expect "a bad size" "bad.ini:1: .*Bimod.Size.*power of two" \
	"$predict" trace --predictors bad.ini
printf '[ a ]\n[ b ]\n[ a ]\n' >bad.ini
expect "a name twice" "bad.ini:3: " "$predict" trace --predictors bad.ini
expect "a bad number of threads" "threads.*1 to" "$predict" trace \
	--predictors one.ini --threads 0
expect "no such predictor" "worst-of.*nobody" "$predict" trace \
	--predictors one.ini --worst w --worst-of nobody
[ ! -e w ]
check "what fails leaves no file" $?
"$M2S" --quiet --x86-no-network --x86-read-only --x86-branch-trace confined \
	./program >out 2>err && [ "$(cat out)" = 10 ] &&
	"$predict" --print confined | tail -n 1 | grep -q "^# [0-9]* instr"
check "a confined program is recorded, too" $?
expect "traces and debug channels" "not together" "$M2S" --x86-branch-trace t \
	--x86-debug-isa log ./program
