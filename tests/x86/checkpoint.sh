#!/bin/bash
# Checkpoints: at random points of programs, for both ABIs, run = save + load +
# run; then the options and what is refused.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-.}
m2s=${M2S:-m2s}
CC=${CC:-gcc}
points=${CHECKPOINT_POINTS:-2}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-checkpoint-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"

# check LABEL COMMAND...: one test
check() {
	local label=$1
	shift
	if "$@" >"$work/log" 2>&1; then
		echo "ok - $label"
	else
		echo "not ok - $label"
		tail -n 12 "$work/log"
		failed=1
	fi
}

for abi in $abis; do
	check "checkpoint program for $abi bits builds" \
		$CC -m$abi -O2 -w -D_GNU_SOURCE -I"$top_srcdir/include" \
		-pthread "$top_srcdir/tests/x86/programs/checkpoint.c" \
		-o "$work/guest.$abi" -lm -lrt
	for part in compute threads processes signals events markers segments \
		keys filters files; do
		folder=
		[ $part = files ] && folder=$work/files && mkdir -p "$folder"
		check "checkpoint oracle, $part, $abi bits" timeout 100 \
			"$top_builddir/tests/x86/checkpoint-oracle" $points \
			"$work" "$work/guest.$abi" $part $folder
	done
done
guest=$work/guest.64

# runs STATUS COMMAND...: exit status as expected
runs() {
	local expected=$1
	shift
	timeout 60 "$@"
	local status=$?
	[ $status -eq $expected ] || {
		echo "status $status, expected $expected"
		return 1
	}
}

whole_equals_pieces() {
	runs 5 "$m2s" --quiet "$guest" compute >"$work/whole" &&
	runs 122 "$m2s" --quiet --x86-max-inst 700000 \
		--x86-save-checkpoint "$work/limit" "$guest" compute \
		>"$work/first" &&
	runs 5 "$m2s" --quiet --x86-load-checkpoint "$work/limit" \
		>"$work/second" &&
	cat "$work/first" "$work/second" | cmp - "$work/whole"
}
check "checkpoint at --x86-max-inst" whole_equals_pieces

two_limits() {
	runs 122 "$m2s" --quiet --x86-max-inst 900000 --x86-load-checkpoint \
		"$work/limit" --x86-save-checkpoint "$work/later" \
		>"$work/between" &&
	runs 5 "$m2s" --quiet --x86-load-checkpoint "$work/later" \
		>"$work/second" &&
	cat "$work/first" "$work/between" "$work/second" |
		cmp - "$work/whole"
}
check "checkpoint of a run that was loaded" two_limits

report_is_that_of_the_whole() {
	runs 5 "$m2s" --quiet --provenance none --x86-report \
		"$work/report-whole" "$guest" compute &&
	runs 5 "$m2s" --quiet --provenance none --x86-report \
		"$work/report-loaded" \
		--x86-load-checkpoint "$work/limit" &&
	diff "$work/report-whole" "$work/report-loaded"
}
check "statistics after loading are those of the whole run" \
	report_is_that_of_the_whole

goes_on_after_saving() {
	runs 5 "$m2s" --quiet --x86-checkpoint-at 500000 \
		--x86-save-checkpoint "$work/passing" "$guest" compute \
		>"$work/first" &&
	cmp "$work/first" "$work/whole" &&
	runs 5 "$m2s" --quiet --x86-load-checkpoint "$work/passing"
}
check "the run goes on after --x86-checkpoint-at" goes_on_after_saving

at_markers() {
	runs 5 "$m2s" --quiet --x86-checkpoint-at marker \
		--x86-save-checkpoint "$work/marker" "$guest" markers \
		>"$work/markers" &&
	runs 5 "$m2s" --quiet --x86-load-checkpoint "$work/marker" \
		>"$work/last" &&
	[ "$(cat "$work/last")" = "after 2" ]
}
check "checkpoint at a marker, the last one counts" at_markers

stops_at_marker() {
	runs 0 "$m2s" --quiet --x86-checkpoint-at marker \
		--x86-checkpoint-stop --x86-save-checkpoint "$work/marker" \
		"$guest" markers >"$work/first" &&
	[ "$(cat "$work/first")" = "before 0" ] &&
	runs 5 "$m2s" --quiet --x86-load-checkpoint "$work/marker" \
		>"$work/second" &&
	cat "$work/first" "$work/second" | cmp - "$work/markers"
}
check "--x86-checkpoint-stop ends the run" stops_at_marker

reads_on() {
	seq 1 20000 >"$work/input"
	"$m2s" --quiet awk '{ s = s * 3 % 65521 + $1 } END { print s }' \
		<"$work/input" >"$work/whole" &&
	runs 122 "$m2s" --quiet --x86-max-inst 20000000 --x86-save-checkpoint \
		"$work/reading" awk '{ s = s * 3 % 65521 + $1 }
		END { print s }' <"$work/input" &&
	"$m2s" --quiet --x86-load-checkpoint "$work/reading" \
		<"$work/input" | cmp - "$work/whole"
}
check "a redirected standard input goes on where it was" reads_on

changed_file() {
	mkdir -p "$work/f" &&
	runs 5 "$m2s" --quiet --x86-clock simulated --x86-checkpoint-at \
		500000 --x86-save-checkpoint "$work/files.ckpt" "$guest" \
		files "$work/f" >"$work/whole" || return 1
	runs 1 "$m2s" --quiet --x86-load-checkpoint "$work/files.ckpt" \
		2>&1 | grep -q "data.*has changed since"
}
check "a file changed in place is refused" changed_file

no_checkpoint() {
	runs 5 "$m2s" --quiet --x86-checkpoint-at 99999999999 \
		--x86-save-checkpoint "$work/never" "$guest" compute \
		2>&1 >/dev/null | grep -q "no checkpoint was saved" &&
	[ ! -e "$work/never" ]
}
check "a run that ends before says so" no_checkpoint

# refuse LABEL EXPECTED ARGUMENTS...
refuse() {
	local label=$1 expected=$2
	shift 2
	timeout 20 "$m2s" --quiet "$@" >"$work/out" 2>"$work/err" </dev/null
	local status=$?
	if [ $status -eq 1 ] && grep -q -- "$expected" "$work/err" &&
	   [ ! -s "$work/out" ]; then
		echo "ok - refuses $label"
	else
		echo "not ok - refuses $label: status $status:" \
			"$(cat "$work/err")"
		failed=1
	fi
}
refuse "to save an open socket" "descriptor 3 is a socket" \
	--x86-checkpoint-at marker --x86-save-checkpoint "$work/socket" \
	"$guest" socket
refuse "to save a program with Landlock" "restricts itself (Landlock)" \
	--x86-checkpoint-at marker --x86-save-checkpoint "$work/restrained" \
	"$guest" restrained
refuse "to save a traced process" "process 101 (.*) traces or is traced" \
	--x86-checkpoint-at marker --x86-save-checkpoint "$work/traced" \
	"$guest" traced
check "and leaves no file behind" \
	test -z "$(ls "$work"/socket* 2>/dev/null)"
refuse "to save where nothing can be written" "no/such: cannot write" \
	--x86-max-inst 1000 --x86-save-checkpoint "$work/no/such" \
	"$guest" compute
refuse "--x86-checkpoint-at without a file" "x86-save-checkpoint" \
	--x86-checkpoint-at 7 "$guest"
refuse "--x86-checkpoint-at never" "number of instructions, or marker" \
	--x86-checkpoint-at never --x86-save-checkpoint "$work/x" "$guest"
refuse "a program beside a checkpoint" "no program" \
	--x86-load-checkpoint "$work/limit" "$guest"
refuse "a missing checkpoint" "No such file" \
	--x86-load-checkpoint "$work/none"
refuse "a folder as a checkpoint" "not a checkpoint" \
	--x86-load-checkpoint "$work"
refuse "a program as a checkpoint" "does not begin with" \
	--x86-load-checkpoint "$guest"
head -c 50000 "$work/limit" >"$work/short"
refuse "a truncated checkpoint" "truncated" \
	--x86-load-checkpoint "$work/short"
cp "$work/limit" "$work/flipped"
byte=$(od -An -tu1 -j40000 -N1 "$work/limit")
printf "\\x$(printf %x $((byte ^ 255)))" | dd of="$work/flipped" bs=1 \
	seek=40000 conv=notrunc 2>/dev/null
refuse "a damaged checkpoint" "damaged" --x86-load-checkpoint "$work/flipped"
cp "$work/limit" "$work/newer"
printf '\007' | dd of="$work/newer" bs=1 seek=8 conv=notrunc 2>/dev/null
refuse "another version" "version 7, expected version 1" \
	--x86-load-checkpoint "$work/newer"
exit $failed
