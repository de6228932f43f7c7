#!/bin/bash
# A sweep of 64 points on a real Slurm of one node: one point fails, one takes
# too long, the task of a third is killed on its node. Submitted again, the
# table is that of a run without Slurm.
set -u
for program in slurmctld slurmd munged sbatch unshare ip; do
	PATH=$PATH:/usr/sbin:/sbin
	command -v $program >/dev/null || {
		echo "ok - slurm # SKIP no $program"
		exit 0
	}
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export work
sweep=$(realpath "$top_builddir/m2s-sweep")
samples=$(realpath "$top_builddir/samples")
export sweep

# The same design in two folders: paths in it are relative.
for kind in local slurm; do
	mkdir "$work/$kind"
	ln -s "$samples/vector-add/vector-add" "$work/$kind/vector-add"
	cat >"$work/$kind/trouble" <<'EOF'
#!/bin/sh
# The first time something goes wrong.
[ -e "$1" ] && exit 0
>"$1"
case $1 in
fail) echo "an error of the program" >&2; exit 3 ;;
slow | killed) while :; do :; done ;;
esac
EOF
	chmod +x "$work/$kind/trouble"
	cat >"$work/$kind/design.toml" <<'EOF'
options = "--quiet --evg-sim detailed"
reports = ["evg"]
keep = ["evg:Device.Cycles"]
time_limit = 5
[[program]]
name = "vector-add"
command = "./vector-add -q -n {n}"
[program.parameters]
n = {from = 64, to = 3904, step = 64}
[[program]]
name = "trouble"
command = "./trouble {case}"
[program.parameters]
case = ["fail", "slow", "killed"]
EOF
done

check() { # NAME CONDITION...
	local name=$1

	shift
	if "$@"; then
		echo "ok - slurm: $name"
	else
		echo "not ok - slurm: $name"
		tail -n 5 "$work"/*.out "$work"/node/*.log 2>&1 |
			sed 's/^/# /'
	fi
}
export -f check

# Without Slurm: all three take too long or fail, then all is done.
cd "$work/local" || exit 1
"$sweep" design.toml --quiet >"$work/local.out" 2>&1
check "three points fail without Slurm" \
	grep -q '^61 of 64 points done, 3 failed' "$work/local.out"
"$sweep" retry design.toml --quiet >"$work/local.out" 2>&1
check "and are done the second time" \
	grep -q '^64 of 64 points done, 0 failed' "$work/local.out"

on_node() {
	cd "$work/slurm" || exit 1
	state() {
		timeout 20 "$sweep" status design.toml >"$work/state.out" 2>&1
		grep "^64 points" "$work/state.out"
	}
	# until PATTERN: the line of states has it
	until_state() {
		for ((i = 0; i < 100; i++)); do
			state | grep -qE "$1" && return 0
			sleep 0.2
		done
		return 1
	}
	"$sweep" submit design.toml --running 4 >"$work/submit.out" 2>&1
	# 41 tasks an array
	check "two arrays" grep -qE '^64 points in jobs [0-9]+ [0-9]+$' \
		"$work/submit.out"
	check "waiting points are seen" until_state 'waiting'
	for ((i = 0; i < 300; i++)); do
		[ -e killed ] && break
		sleep 0.1
	done
	# What the kernel does when a node runs out of memory: all at once, so
	# that nobody notes the end of another.
	id=$("$sweep" plan design.toml 2>"$work/plan.out" |
		sed -n 's/ .*trouble killed$//p')
	task=$(sed -n 's/.*"process": \([0-9]*\).*/\1/p' \
		"design.out/points/${id:0:2}/$id/lock")
	kill -STOP "$task"
	pkill -KILL -P "$task"
	kill -KILL "$task"
	check "the others end" until_state \
		'^64 points: 61 done, 1 failed, 1 timeout, 1 open$'
	check "the error is told" \
		grep -q '^failed: trouble case=fail: an error of the program' \
		"$work/state.out"
	check "so is the time-out" \
		grep -q '^timeout: trouble case=slow: not ended after 5 s' \
		"$work/state.out"
	"$sweep" submit design.toml --retry --chunk 2 >"$work/submit.out" 2>&1
	check "only three are submitted again" \
		grep -q '^3 points in jobs' "$work/submit.out"
	check "all are done" until_state '^64 points: 64 done$'
	"$sweep" collect design.toml >"$work/slurm.out" 2>&1
}
export -f on_node
timeout 90 unshare --net --pid --fork --mount-proc --kill-child \
	bash "$top_srcdir/tests/sweep/slurm-node.sh" "$work/node" \
	bash -c on_node
status=$?
if [ $status -eq 77 ]; then
	echo "ok - slurm # SKIP no cluster in a namespace"
	exit 0
fi
check "the cluster ran to the end" [ $status -eq 0 ]
check "the table is that of the local run" \
	cmp "$work/local/design.out/table.csv" \
	"$work/slurm/design.out/table.csv"
