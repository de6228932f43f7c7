#!/bin/bash
# Prefetchers and TLBs in a whole simulation: a kernel whose work-items walk
# along rows gets faster with prefetchers in the L1 caches and slower with
# address translation, prints the same, and the counters of each cache and TLB
# agree.
set -u
output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# run NAME FILE: the cycles of all launches, or 0
run() {
	"$M2S" --quiet --evg-sim detailed \
		--mem-config "$top_srcdir/samples/memory/$2" \
		--evg-report "$output/$1.evg" --mem-report "$output/$1.mem" \
		"$top_builddir/samples/recursive-gaussian/recursive-gaussian" \
		-n 32 -q >"$output/$1.out" 2>&1 || { echo 0; return; }
	awk '$1 == "Cycles" { print $3; exit }' "$output/$1.evg"*
}

plain=$(run plain evg-hd5870.ini)
prefetch=$(run prefetch evg-hd5870-prefetch.ini)
tlb=$(run tlb evg-hd5870-tlb.ini)
echo "# cycles: $plain, with prefetchers $prefetch, with TLBs $tlb"
[ "$plain" -gt 0 ] && [ "$prefetch" -gt 0 ] &&
	[ "$prefetch" -lt $((plain * 8 / 10)) ]
check "prefetch: faster by a fifth or more" $?
cmp -s "$output/plain.out" "$output/prefetch.out"
check "prefetch: the same output" $?
[ "$tlb" -gt "$plain" ] && [ "$tlb" -lt $((plain * 13 / 10)) ]
check "TLB: slower, by less than a third" $?
cmp -s "$output/plain.out" "$output/tlb.out"
check "TLB: the same output" $?

# Without prefetchers and TLBs no counter of them moves, and no TLB appears.
awk '/Prefetch/ && $3 != 0 { bad = 1 } /TLB/ { bad = 1 } END { exit bad }' \
	"$output"/plain.mem*
check "prefetch: nothing without one" $?
# Blocks still there unused are not in the report: at most the L1's 128.
awk '$1 == "[" { name = $2 }
	{ n[name, $1] = $3; names[name] = 1 }
	END {
		for (i in names) {
			fetched = n[i, "Prefetches"]
			rest = fetched - n[i, "UsefulPrefetches"] - \
				n[i, "UselessPrefetches"]
			bad += rest < 0 || rest > 128
			bad += n[i, "LatePrefetches"] > \
				n[i, "UsefulPrefetches"]
			bad += fetched + n[i, "PrefetchAborts"] + \
				n[i, "RedundantPrefetches"] > \
				n[i, "PrefetchRequests"]
			all += fetched
		}
		exit bad || !all
	}' "$output"/prefetch.mem*
check "prefetch: counters agree" $?
# Each level was asked for what the one above missed; the last one walked.
awk '$1 == "[" { name = $3; tlb = $2 == "TLB" }
	tlb { n[name, $1] = $3; names[name] = 1 }
	END {
		for (i in names) {
			bad += n[i, "Hits"] + n[i, "Misses"] != \
				n[i, "Accesses"]
			if (i != "evg-l2-tlb")
				asked += n[i, "Misses"] - n[i, "MergedMisses"]
		}
		i = "evg-l2-tlb"
		bad += asked != n[i, "Accesses"]
		bad += n[i, "Walks"] != n[i, "Misses"] - n[i, "MergedMisses"]
		bad += n[i, "WalkAccesses"] != 2 * n[i, "Walks"]
		exit bad || !asked
	}' "$output"/tlb.mem*
check "TLB: counters agree" $?
