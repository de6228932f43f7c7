#!/bin/bash
# --threads with several detailed cores: reports and outputs are the same, byte for
# byte, for any number of host threads, however guest threads race.
set -u
. "$(dirname "$0")/begin.sh" cores-threads

for program in racing litmus; do
	$CC -O2 -w -pthread -static -o $program \
		"$top_srcdir/tests/x86/programs/$program.c" 2>/dev/null || {
		echo "skipped: no static programs"
		exit 0
	}
done
printf '[General]\nCores = 4\n' >four.ini
printf '[General]\nCores = 2\nThreads = 2\n' >smt.ini
printf '[General]\nCores = 3\nContextQuantum = 5000\n' >three.ini
printf '[General]\nCores = 4\nWrongPath = Fetch\n' >fetch.ini

run() { # THREADS CONFIGURATION PRESET PROGRAM ...: the folder ./THREADS
	local threads=$1 configuration=$2 preset=$3

	shift 3
	mkdir -p "$threads"
	# shellcheck disable=SC2086
	timeout "${seconds:-200}" "$m2s" --quiet --x86-env clean --x86-cpu x86-64-v3 --x86-sim detailed --threads "$threads" \
		--x86-config "$configuration.ini" --x86-preset "$preset" ${options:-} --provenance none --overwrite \
		--x86-report "$threads/x86" --mem-report "$threads/memory" "$@" >"$threads/out" 2>"$threads/said"
}
same() { # LABEL CONFIGURATION PRESET PROGRAM ...
	local label=$1 status=0

	shift
	rm -rf 1 2 4
	run 1 "$@" || status=${limited:-1}
	for threads in 2 4; do
		run $threads "$@" || status=${limited:-1}
		diff -r 1 $threads >differences || status=1
	done
	say $status "$label: $(head -1 1/out), $(awk '$1 == "Cycles" { print $3; exit }' 1/x86) cycles"
	[ $status -eq 0 ] || head -5 differences 1/said | sed 's/^/# /'
}

same "increments that get lost" four haswell ./racing plain
same "locked operations and fences" four nehalem ./racing locked
same "random numbers, clocks, CMPXCHG without LOCK" four skylake ./racing odd
same "code that one thread writes" four haswell ./racing jit
same "mappings that come and go" four zen2 ./racing mappings
same "signals" four haswell ./racing told
same "several processes" four haswell ./racing processes
same "processes that are ended at any time" four haswell ./racing ended
options="--x86-sample 5000:1000:1000" same "ended in parts that are not simulated" four haswell ./racing ended
same "work apart" four haswell ./racing apart
same "two cores of two threads" smt haswell ./racing plain
same "two cores of two threads, locked operations" smt nehalem ./racing locked
same "more threads than cores" three haswell ./racing plain
same "wrong paths that are not executed" fetch haswell ./racing plain
same "litmus tests" four haswell ./litmus 4 1
limited=0 options="--x86-max-inst 30000" same "up to a limit" four haswell ./racing apart
# What was executed ahead of a thread that is ended counts neither here nor there.
seconds=40 limited=0 options="--x86-max-inst 100000" same "up to a limit, with processes that are ended" four haswell ./racing ended
[ "$(awk '$1 == "Instructions" || $1 == "Commit.Instructions" { print $3 } $1 == "Commit.Instructions" { exit }' 1/x86 | xargs)" = \
	"100000 100000" ]
say $? "instructions of threads that are ended count when they have retired"
# The limit is reached in a part that is not simulated, where cores are apart.
seconds=40 limited=0 options="--x86-sample 40000:1000:2000 --x86-max-inst 150000" \
	same "up to a limit in a part that is not simulated" four haswell ./racing apart
[ "$(awk '$1 == "Instructions" { print $3; exit }' 1/x86)" = 150000 ]
say $? "instructions of all cores count up to a limit in such a part"
options=--x86-check same "checked in lockstep" four haswell ./racing plain
for kind in plain mappings; do
	run 1 four haswell ./racing $kind && options=--x86-check run 2 four haswell ./racing $kind &&
		diff <(grep Cycles 1/x86) <(grep Cycles 2/x86) >differences
	say $? "a check changes no cycles of \"racing $kind\""
done
options="--x86-annotate 1/profile.csv" run 1 four haswell ./racing plain &&
	run 2 four haswell ./racing plain && cmp -s 1/x86 2/x86
say $? "a profile changes nothing"

# The report for people who want to know whether threads are worth it.
options="--threads-report threads" run 2 four haswell ./racing apart &&
	grep -qx 'Threads = 2' threads && grep -qx 'Groups = 4' threads && grep -q '^SpeedUp.4 = ' threads
say $? "--threads-report: $(grep -s '^SpeedUp.4' threads)"
printf '[General]\nCores = 4\nMemory = FirstLevel\n' >flat.ini
options="--threads-report threads" run 2 flat haswell ./racing apart && grep -q 'by one thread' threads
say $? "cores without caches are simulated by one thread, and the report says so"
exit $failed
