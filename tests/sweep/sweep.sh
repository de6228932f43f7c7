#!/bin/bash
# Sweeps on this machine: what is run again and what is not, failures, a run
# that is interrupted or killed, the tables, exports.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
sweep=$(realpath "$top_builddir/m2s-sweep")
sample=$(realpath "$top_builddir/samples/vector-add/vector-add")
cd "$folder" || exit 1

good() { # NAME COMMAND...
	local name=$1

	shift
	if "$@" >check.out 2>&1; then
		echo "ok - sweep: $name"
	else
		echo "not ok - sweep: $name"
		tail -n 5 check.out out 2>/dev/null | sed 's/^/# /'
	fi
}

cat >design.toml <<EOF
options = "--quiet --evg-sim detailed"
reports = ["evg", "mem"]
keep = ["evg:Device.Cycles", "mem:evg-l1-0.Reads"]
where = "n <= 256 or Device.NumComputeUnits == 2"
[[program]]
name = "add"
command = ["$sample", "-q", "-n", "{n}"]
[parameters]
n = {from = 128, to = 512, times = 2}
Device.NumComputeUnits = [1, 2]
EOF
"$sweep" design.toml >out 2>err
good "five points" grep -q '^5 of 5 points done, 0 failed' out
good "the table's columns" [ "$(head -n 1 design.out/table.csv)" = \
	"id,program,n,Device.NumComputeUnits,status,exit,evg:Device.Cycles,mem:evg-l1-0.Reads" ]
cycles=$("$M2S" --quiet --evg-sim detailed --set Device.NumComputeUnits=2 \
	--evg-report - --report-format csv "$sample" -q -n 256 |
	sed -n 's/^Device,Cycles,\([0-9]*\).*/\1/p')
good "the table has the run's figure" \
	grep -qE "^[0-9a-f]{20},add,256,2,done,0,$cycles," design.out/table.csv
python3 -c '
import sqlite3
print(*sqlite3.connect("design.out/table.sqlite").execute(
    "SELECT s.value FROM statistic s JOIN parameter p USING (point)"
    " JOIN parameter q USING (point) WHERE s.name=? AND p.name=? AND p.value=?"
    " AND q.name=? AND q.value=?", ("evg:Device.Cycles", "n", 256,
    "Device.NumComputeUnits", 2)).fetchone())' >rows
good "so has the database" [ "$(cat rows)" = "$cycles" ]
good "reports are not kept" [ -z "$(find design.out -name evg.json)" ]

stamp() { find design.out -name result.json -printf '%p %T@\n' | sort; }
stamp >before
"$sweep" design.toml >out 2>err
stamp >after
good "nothing is run again" cmp before after
sed -i 's/times = 2}/times = 2}\n"--seed" = 1/' design.toml
"$sweep" design.toml >out 2>err
stamp >after
good "another option is another point" [ "$(wc -l <after)" -eq 10 ]
cat >files.toml <<EOF
m2s = "$(realpath "$M2S")"
files = ["*.input"]
[[program]]
command = "/bin/cat data.input"
EOF
echo one >data.input
"$sweep" files.toml >out 2>err
echo two >data.input
"$sweep" files.toml >out 2>err
good "a changed input is another point" \
	[ "$(find files.out -name result.json | wc -l)" -eq 2 ]
good "both have their output" \
	[ "$(cat files.out/points/*/*/stdout | sort | tr '\n' ' ')" = "one two " ]

cat >trouble.toml <<'EOF'
m2s = "/bin/sh"
time_limit = 1
[[program]]
name = "t"
command = ["-c", "{do}"]
[parameters]
do = ["exit 0", "echo first >&2; echo the error >&2; exit 4", "sleep 100", "kill -9 $$"]
EOF
"$sweep" trouble.toml >out 2>err
status=$?
good "failures give an exit status" [ $status -eq 1 ]
good "the last error line is told" grep -q 'exit 4: the error (' out
good "a time-out is told" grep -q '^timeout: t do=sleep 100: not ended after 1 s' out
good "a signal is told" grep -q 'exit status -9' out
"$sweep" status trouble.toml >out
good "states are counted" \
	grep -qx '4 points: 1 done, 2 failed, 1 timeout' out
good "and by program" eval "sed -n 1,2p out | tr -s ' ' |
	grep -qx 'program done failed timeout mean' &&
	grep -Eqx 't +1 +2 +1 +[0-9.]+ s' out"

sed "s,PID,$$," >long.toml <<'EOF'
m2s = "/bin/sh"
[[program]]
name = "t"
command = ["-c", "test -e go || exec sleep 1000.PID", "{n}"]
[parameters]
n = [1, 2, 3]
EOF
# until N STATE: so many points have this state
until_state() {
	for ((i = 0; i < 100; i++)); do
		"$sweep" status long.toml >out && grep -q "$1 $2" out && return
		sleep 0.1
	done
	return 1
}
"$sweep" long.toml -j 2 >long.log 2>&1 &
good "two run" until_state 2 running
good "running points have a time and a place" [ "$(grep -Ec \
	"^t +[0-9]+ s +$(uname -n) +n=[12]$" out)" = 2 ]
good "a watched table is shown again" eval \
	"timeout 4 '$sweep' status long.toml --watch 1 >again; \
	[ \$(grep -c '^3 points' again) -ge 2 ]"
kill -INT $!
wait $!
status=$?
good "an interrupt ends the sweep" [ $status -eq 130 ]
good "and its runs" until_state 3 open
"$sweep" long.toml -j 2 >long.log 2>&1 &
good "it runs again" until_state 2 running
kill -KILL $!
wait $! 2>/dev/null
good "runs that outlive a killed sweep are seen" until_state 2 running
>go
"$sweep" long.toml -j 2 >out 2>&1
good "and not joined" grep -q '^1 of 3 points done' out
pkill -f "sleep 1000.$$"
good "what they leave is open" until_state 2 open
"$sweep" long.toml -j 2 >out 2>&1
good "and is run in the end" grep -q '^3 of 3 points done, 0 failed' out

"$sweep" export long.toml parallel --hosts a,b >out
good "nothing is left for parallel" grep -q '{0..-1}' out
rm -rf long.out
"$sweep" export long.toml parallel >out
good "a line for GNU parallel" grep -q ' ::: {0..2}$' out
for index in 0 1 2; do
	bash -c "$(sed 's/^parallel --joblog [^ ]* //; s/ ::: .*//' out) $index"
done >task.out 2>&1
"$sweep" collect long.toml >out
good "whose tasks make the same table" \
	grep -q '^3 of 3 points done, 0 failed' out
"$sweep" export long.toml snakemake >Snakefile
good "a Snakefile" grep -q 'rule point:' Snakefile

refused() { # NAME MESSAGE WORD...
	local name=$1 message=$2 status

	shift 2
	"$sweep" "$@" >out 2>&1
	status=$?
	good "$name" eval "[ $status -eq 2 ] && grep -qF '$message' out"
}
refused "no design" "none.toml: cannot read" run none.toml
echo 'm2s = "/nowhere/m2s"
[[program]]
command = "x"' >nom2s.toml
refused "no simulator" "/nowhere/m2s: no such program" run nom2s.toml
echo 'files = ["*.none"]
m2s = "/bin/true"
[[program]]
command = "x"' >nofile.toml
refused "no input" "files: *.none: no such file" run nofile.toml
echo 'where = "n > 9"
m2s = "/bin/true"
[[program]]
command = "x"
[parameters]
n = [1]' >none.toml
refused "no point" "no point: the conditions" run none.toml
