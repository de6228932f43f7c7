#!/bin/bash
# --threads in detailed simulation: every report byte is the same for any
# number of host threads, and from run to run.
set -u
output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# run FOLDER THREADS SAMPLE ARGUMENTS...: reports, listing and the program's
# output; OPTIONS: further options
run() {
	local folder=$output/$1 threads=$2 sample=$3

	shift 3
	mkdir -p "$folder"
	"$M2S" --quiet --evg-sim detailed --threads "$threads" $OPTIONS \
		--evg-report "$folder/evergreen" --mem-report "$folder/memory" \
		--net-report "$folder/network" \
		--evg-report-kernel "$folder/kernel" \
		--evg-annotate "$folder/listing" \
		"$top_builddir/samples/$sample/$sample" "$@" -q \
		>"$folder/out" 2>&1
}

# same NAME THREADS... -- SAMPLE ARGUMENTS...
same() {
	local name=$1 counts=() status

	shift
	while [ "$1" != -- ]; do
		counts+=("$1")
		shift
	done
	shift
	rm -rf "$output"/t*
	run t1 1 "$@"
	status=$?
	for count in "${counts[@]}"; do
		run "t$count" "$count" "$@" &&
			diff -r "$output/t1" "$output/t$count" \
				>"$output/diff" || status=1
	done
	check "threads: $name" $status
	[ $status -eq 0 ] || head -5 "$output/diff" | sed 's/^/# /'
}

OPTIONS=
same "matrix multiplication, 1 2 4 8" 2 4 8 -- matrix-multiplication -n 64
same "atomics on shared counters, 1 2 8" 2 8 -- histogram -n 16384
same "local memory and barriers, 1 2 4" 2 4 -- reduction -n 16384
same "launches that depend on each other, 1 2" 2 -- floyd-warshall -n 16
OPTIONS="--mem-config $top_srcdir/samples/memory/evg-multi2sim-4.2.ini"
same "another hierarchy, 1 2 4" 2 4 -- matrix-multiplication -n 64
OPTIONS="--mem-config $top_srcdir/samples/memory/evg-hd5870-tlb.ini"
same "TLBs that share one, 1 2 4" 2 4 -- matrix-multiplication -n 64
OPTIONS="--mem-config $top_srcdir/samples/memory/evg-hd5870-prefetch.ini"
same "prefetchers, 1 2 4" 2 4 -- reduction -n 16384
sed 's/^Coherent = f/Coherent = t/' \
	"$top_srcdir/samples/memory/evg-hd5870.ini" >"$output/coherent.ini"
OPTIONS="--mem-config $output/coherent.ini"
same "tracked caches and peers, 1 2 4" 2 4 -- bitonic-sort -n 256
grep -q "^PeerTransfersSent = [1-9]" "$output/t1/memory"
check "threads: blocks went from peer to peer" $?
OPTIONS="--evg-max-cycles 9000"
run limit1 1 matrix-multiplication -n 64
run limit2 2 matrix-multiplication -n 64
diff -r "$output/limit1" "$output/limit2" >/dev/null
check "threads: a limit on cycles" $?
