#!/bin/bash
# What long runs say of themselves: --progress, the line on a terminal, SIGUSR1.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
matrix=$top_builddir/samples/matrix-multiplication/matrix-multiplication

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

printf 'int main(void) { for (;;) ; }\n' >"$folder/forever.c"
$CC -o "$folder/forever" "$folder/forever.c"
"$M2S" --quiet --progress 1 --max-time 4 "$folder/forever" 2>"$folder/err"
[ "$(grep -c '^m2s: [0-9]* s, [0-9.]* [kMGT] x86 instructions ([0-9.]* [kMG]/s)$' \
	"$folder/err")" -ge 2 ]
check "--progress: a line for the program, with its rate" $?
"$M2S" --quiet --max-time 2 "$folder/forever" 2>"$folder/err"
! grep -q 'x86 instructions' "$folder/err"
check "none without it" $?
"$M2S" --quiet --progress 1 --x86-max-inst 99000000000 --max-time 3 \
	"$folder/forever" 2>"$folder/err"
grep -q 'x86 instructions .*, [0-9.]* \(s\|min\|h\) left$' "$folder/err"
check "what is left to a limit" $?

# A kernel that takes a while on any machine.
"$M2S" --quiet --progress 1 --evg-sim detailed --max-time 60 "$matrix" -q \
	-n 512 >"$folder/out" 2>"$folder/err" &
pid=$!
for i in {1..300}; do
	grep -q 'kernel launch' "$folder/err" && break
	sleep 0.1
done
kill -USR1 $pid
for i in {1..300}; do
	grep -q 'work-groups.* left$' "$folder/err" &&
		grep -q 'is in a system call' "$folder/err" && break
	sleep 0.1
done
line='kernel launch 1 (matrix_multiplication): [0-9]* of 1024 work-groups'
grep -q "$line, cycle [0-9.]* [kM] ([0-9.]* [kM]*/s), [0-9.]* \(s\|min\|h\) left$" \
	"$folder/err"
check "--progress: a kernel in detail, its rate and what is left" $?
grep -q '^  process .*(matrix-multipli) is in a system call at' "$folder/err"
check "SIGUSR1 shows the state while a kernel runs" $?
kill -TERM $pid
wait $pid
[ $? -eq 143 ]
check "and ends nothing" $?

if command -v script >/dev/null; then
	script -qefc "$M2S --evg-sim detailed --max-time 4 $matrix -q -n 512" \
		/dev/null </dev/null >"$folder/terminal" 2>&1
	tr '\r' '\n' <"$folder/terminal" | grep -q "^m2s: .*$line"
	check "a line on a terminal while a kernel runs" $?
	script -qefc "$M2S --quiet --max-time 3 $folder/forever" /dev/null \
		</dev/null >"$folder/terminal" 2>&1
	! grep -q 'x86 instructions' "$folder/terminal"
	check "none into the program's output" $?
else
	echo "ok - a line on a terminal # SKIP no script(1)"
fi
