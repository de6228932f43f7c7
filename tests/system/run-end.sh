#!/bin/bash
# How a run ends: exit status, SimEnd, and what reports say about it.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
sort=$top_builddir/samples/bitonic-sort/bitonic-sort

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# ends LABEL STATUS SIM-END: the run that left out, err, status and report.csv
# ended so; every row of the report says it, and has as many columns.
ends() {
	[ "$status" -eq "$2" ] && grep -q "^SimEnd = $3\$" "$folder/err" &&
		awk -F, -v end="$3" 'NR > 1 && !/"/ && (NF != 5 || $5 != end) {
			bad = 1 } END { exit bad || NR < 3 }' \
			"$folder/report.csv"
	check "$1: status $2, SimEnd = $3" $?
	rm -f "$folder/report.csv"
}

# run ARGUMENTS...
run() {
	timeout 60 "$M2S" --report-format csv --x86-report \
		"$folder/report.csv" "$@" >"$folder/out" 2>"$folder/err"
	status=$?
}

# limit SIM-END OPTIONS...
limit() {
	local end=$1
	shift
	run "$@" "$sort" -n 512
	ends "limit: $*" 122 "$end"
}
limit x86MaxInst --x86-max-inst 10000
limit x86LastInst --x86-last-inst 0f05
limit EvergreenMaxInst --evg-max-inst 100
limit EvergreenMaxInst --evg-sim detailed --evg-max-inst 100
limit EvergreenMaxKernels --evg-max-kernels 3
limit EvergreenMaxCycles --evg-sim detailed --evg-max-cycles 2000

cat >"$folder/forever.c" <<'C'
int main(void) { for (;;) ; }
C
$CC -o "$folder/forever" "$folder/forever.c"
start=$SECONDS
run --max-time 1 "$folder/forever"
[ $((SECONDS - start)) -lt 30 ]
check "--max-time holds" $?
ends "limit: --max-time" 122 MaxTime

# Calls of the host that wait do not keep it from holding.
cat >"$folder/linger.c" <<'C'
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), file;
	struct sockaddr_in address = {
		AF_INET, 0, { htonl(INADDR_LOOPBACK) }
	};
	struct linger linger = { 1, 1000 };
	socklen_t length = sizeof address;
	static char bytes[1 << 16];

	bind(listener, (struct sockaddr *)&address, length);
	listen(listener, 1);
	getsockname(listener, (struct sockaddr *)&address, &length);
	file = socket(AF_INET, SOCK_STREAM, 0);
	connect(file, (struct sockaddr *)&address, length);
	accept(listener, 0, 0);
	while (send(file, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
		;
	setsockopt(file, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
	close(file); /* nobody reads what was sent */
	return 0;
}
C
$CC -o "$folder/linger" "$folder/linger.c"
run --max-time 1 "$folder/linger"
ends "limit: --max-time while a socket is closed" 122 MaxTime

# A mapped file whose name has become a FIFO's.
cat >"$folder/fifo.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **argument)
{
	int file = open(argument[1], O_CREAT | O_RDWR, 0600), status = 1;
	char *map;

	write(file, "abc", 3);
	map = mmap(0, 4096, PROT_READ, MAP_PRIVATE, file, 0);
	unlink(argument[1]);
	mkfifo(argument[1], 0600);
	if (!fork())
		_exit(map[1] != 'b');
	wait(&status);
	return status;
}
C
$CC -o "$folder/fifo" "$folder/fifo.c"
run --max-time 20 "$folder/fifo" "$folder/mapped"
[ $status -eq 0 ]
check "fork opens no FIFO: status $status" $?
rm -f "$folder/report.csv"

# signals STATUS NAME...: sent one right after the other
signals() {
	local expected=$1 pid
	shift
	"$M2S" --report-format csv --x86-report "$folder/report.csv" \
		"$folder/forever" 2>"$folder/err" &
	pid=$!
	sleep 0.7
	for name in "$@"; do
		kill "-$name" $pid
	done
	wait $pid
	status=$?
	ends "$*" "$expected" Signal
}
signals 130 INT
signals 143 TERM
signals 129 HUP
# A session that ends sends more than one.
signals 143 TERM TERM
signals 129 HUP HUP

(trap '' HUP
exec "$M2S" --x86-report "$folder/report" "$folder/forever") 2>"$folder/err" &
pid=$!
sleep 0.7
kill -HUP $pid
sleep 0.3
kill -TERM $pid
wait $pid
[ $? -eq 143 ]
check "SIGHUP stays ignored where it was, as for nohup" $?

run sh -c 'exit 5'
[ $status -eq 5 ] && grep -q '^SimEnd = ContextsFinished$' "$folder/err" &&
	grep -q '^section,name,value,unit,incomplete$' "$folder/report.csv" &&
	grep -q '^Global,.*,$' "$folder/report.csv"
check "a whole run: the program's status, nothing incomplete" $?
run sh -c 'kill -TERM $$'
[ $status -eq 143 ] && grep -q '^SimEnd = ContextsFinished$' "$folder/err"
check "a program that a signal ends" $?

# A program goes on when a kernel of it has failed; its reports say so.
run --evg-max-group-inst 10 --evg-report "$folder/gpu.csv" "$sort" -n 512
[ $status -eq 1 ] && grep -qx 'SimEnd = ContextsFinished' "$folder/err" &&
	grep -q '^m2s: warning: .*: the launch has failed' "$folder/err" &&
	grep -q 'Instructions,[1-9].*,KernelFailed$' "$folder/gpu.csv"
check "a failed kernel: the GPU's report is there, and incomplete" $?

cat >"$folder/deadlock.c" <<'C'
#include <pthread.h>
int main(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&mutex);
	return pthread_mutex_lock(&mutex);
}
C
$CC -o "$folder/deadlock" "$folder/deadlock.c"
run --x86-clock simulated "$folder/deadlock"
ends "deadlock" 1 Deadlock

# Figures over time have as many columns in each row, and say it in the last.
"$M2S" --quiet --evg-sim detailed --evg-max-cycles 5000 --stats-interval 1000 \
	--stats-interval-file "$folder/rows.csv" --evg-annotate \
	"$folder/listing.csv" "$sort" -n 512 >"$folder/out" 2>&1
[ $? -eq 122 ] && awk -F, '
	NR == 1 { columns = NF; last = $NF; next }
	{ bad += NF != columns; end = $NF; marked += $NF != "" }
	END { exit bad || NR < 4 || last != "Incomplete" || marked != 1 ||
		end != "EvergreenMaxCycles" }' "$folder/rows.csv"
check "an incomplete series stays valid CSV" $?
"$M2S" --quiet --evg-sim detailed --max-time 1 --stats-interval 1000 \
	--stats-interval-file "$folder/rows.csv" "$folder/forever"
[ $? -eq 122 ] && awk -F, 'NR == 1 { columns = NF }
	END { exit NR != 2 || NF != columns || $NF != "MaxTime" }' \
	"$folder/rows.csv"
check "one that has not begun, too" $?
head -n 1 "$folder/listing.csv" | grep -q ',text,incomplete$' &&
	! grep -q '^#' "$folder/listing.csv" &&
	grep -q '^"[^,]*,.*",EvergreenMaxCycles$' "$folder/listing.csv"
check "an incomplete listing stays valid CSV" $?
