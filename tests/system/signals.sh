#!/bin/bash
# Signals that are sent to m2s: the program's, as its handlers say; else the
# simulator's.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# Handles the signals of its arguments, waits for those after "wait", and says
# what comes; ends with 7 when SIGTERM has come, or what it waited for.
cat >"$folder/handles.c" <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile sig_atomic_t got;
static void handle(int number, siginfo_t *information, void *context)
{
	char text[80];
	int length = snprintf(text, sizeof text, "signal %d code %d%s\n", number,
			      information->si_code,
			      information->si_pid > 0 ? " from somebody" : "");

	if (write(1, text, length) != length)
		_exit(1);
	got = number;
}
int main(int count, char **arguments)
{
	struct sigaction action = { .sa_sigaction = handle,
				    .sa_flags = SA_SIGINFO };
	sigset_t set;
	int i, waited = 0;

	sigemptyset(&set);
	for (i = 1; i < count && strcmp(arguments[i], "wait"); i++)
		sigaction(atoi(arguments[i]), &action, NULL);
	for (i++; i < count; i++)
		sigaddset(&set, atoi(arguments[i])), waited = 1;
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	if (waited) {
		siginfo_t information;

		printf("waited for %d\n", sigwaitinfo(&set, &information));
		return 7;
	}
	while (got != SIGTERM)
		pause();
	return 7;
}
C
$CC -D_GNU_SOURCE -w -o "$folder/handles" "$folder/handles.c" || exit 1

# Until a line of a file begins with a text.
await() {
	local i
	for i in {1..300}; do
		grep -q "^$2" "$folder/$1" && return 0
		sleep 0.1
	done
	return 1
}

# start ARGUMENTS...: m2s in the background, ready
start() {
	: >"$folder/out"
	"$M2S" "$@" >"$folder/out" 2>"$folder/err" </dev/null &
	pid=$!
	await out ready
}

# finish STATUS
finish() {
	local i
	for i in {1..300}; do
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	[ $? -eq "$1" ]
}

for clock in host simulated; do
	start --x86-clock $clock "$folder/handles" 1 2 10 12 28 34 15
	for number in 1 10 12 28 34 2 15; do
		kill -$number $pid
		await out "signal $number code 0 from somebody" ||
			echo "# $number did not come"
	done
	finish 7 && [ "$(grep -c from "$folder/out")" -eq 7 ] &&
		grep -q '^SimEnd = ContextsFinished$' "$folder/err"
	check "handlers get what is sent from outside, $clock clock" $?
done

start "$folder/handles" wait 15 1
kill -HUP $pid
finish 7 && grep -q '^waited for 1$' "$folder/out"
check "so does sigwait()" $?

start --x86-report "$folder/report" "$folder/handles" 2
kill -INT $pid
await out "signal 2"
kill -INT $pid
finish 130 && grep -q '^SimEnd = Signal$' "$folder/err" &&
	grep -q INCOMPLETE "$folder/report"
check "a second SIGINT within a second ends the simulation, with its report" $?

start "$folder/handles" 2 15
kill -INT $pid
await out "signal 2"
sleep 1.2
kill -INT $pid
sleep 0.3
kill -TERM $pid
finish 7 && [ "$(grep -c 'signal 2' "$folder/out")" -eq 2 ]
check "one that comes later is the program's again" $?

start "$folder/handles" 15
kill -USR1 $pid
await err "  process 1.* waits for a signal (pause)"
check "SIGUSR1 that no program takes shows the state" $?
kill -USR2 $pid
finish 140 && grep -q '^SimEnd = Signal$' "$folder/err"
check "another that no program takes ends the simulation" $?

cat >"$folder/parent.sh" <<'C'
trap 'echo trapped; kill $!; exit 9' TERM
sh -c 'echo ready; exec sleep 1000' &
wait
C
start sh "$folder/parent.sh"
kill -TERM $pid
finish 9 && grep -q '^trapped$' "$folder/out"
check "a shell's trap" $?

# Keys go to the foreground: the command, not the shell. m2s takes the place of
# the shell that script(1) starts: that one would die of the key, too.
if command -v script >/dev/null && command -v bash >/dev/null; then
	: >"$folder/terminal"
	(await terminal 'prompt> '
	printf 'sleep 1000\n'
	sleep 1.5
	printf '\003'
	sleep 1.5
	printf 'echo it $((40 + 2))\n'
	await terminal 'it 42'
	printf 'sleep 1000\n'
	sleep 1.5
	printf '\032'
	await terminal '.*Stopped'
	printf 'kill -9 %%1; exit 5\n'
	sleep 2
	printf 'exit 5\n'
	sleep 1) | timeout 60 script -qefc \
		"exec env PS1='prompt> ' $M2S --quiet bash --norc --noediting -i" \
		/dev/null >"$folder/terminal" 2>&1
	status=$?
	[ $status -eq 5 ] && grep -q '^it 42' "$folder/terminal" &&
		grep -q 'Stopped.*sleep 1000' "$folder/terminal"
	check "Ctrl-C and Ctrl-Z in a shell on a terminal are the shell's" $?
else
	echo "ok - Ctrl-C in a shell on a terminal # SKIP no script(1) or bash"
fi

# Process ids of the host.
cat >"$folder/daemon.sh" <<'C'
trap 'echo reloaded >>log' HUP
trap 'echo ended >>log; exit 3' TERM
sleep 1000 &
echo $! >child
echo $$ >pid.new
mv pid.new pid
wait $! || echo "child $?" >>log
while :; do sleep 0.1; done
C
: >"$folder/log"
(cd "$folder" && exec "$M2S" --quiet --x86-host-pids sh daemon.sh) \
	2>"$folder/err" &
pid=$!
for i in {1..100}; do
	[ -e "$folder/pid" ] && break
	sleep 0.1
done
kill -HUP "$(cat "$folder/pid")"
await log reloaded
check "--x86-host-pids: a signal to the id in a file" $?
kill -KILL "$(cat "$folder/child")"
sleep 0.5
"$M2S" --quiet --x86-host-pids sh -c 'kill -TERM $(cat "$1")' sh "$folder/pid"
finish 3 && grep -q '^ended' "$folder/log"
check "--x86-host-pids: kill in one run, the program in another" $?
left=0
for id in "$(cat "$folder/pid")" "$(cat "$folder/child")"; do
	[ -e "/proc/$id" ] && left=1
done
check "--x86-host-pids: nothing is left behind" $left
! "$M2S" --x86-host-pids --x86-read-only true 2>"$folder/err" &&
	grep -q 'host-pids: cannot be used with a confined program' "$folder/err" &&
	! "$M2S" --x86-host-pids --x86-save-checkpoint "$folder/saved" true \
		2>"$folder/err" &&
	grep -q 'host-pids: cannot be used with checkpoints' "$folder/err"
check "--x86-host-pids is refused where it breaks a promise" $?
