#!/bin/bash
# --evg-report-wavefronts: the same with any number of threads, functionally
# and in detail, and sections that sum to the launch's.
set -u
output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# simulate NAME OPTION VALUE SAMPLE ARGUMENTS...
simulate() {
	timeout 120 "$M2S" --quiet --provenance none \
		--evg-report-kernel "$output/$1" \
		--evg-report-wavefronts "$2" "$3" \
		"$top_builddir/samples/$4/$4" -q "${@:5}" \
		>"$output/out" 2>>"$output/log"
}

# Prints each law that does not hold.
laws() {
	awk '
	/^\[/ {
		single = / NDRange\[[0-9]+\]\.Wavefront\[/
		group = / NDRange\[[0-9]+\]\.WorkGroup\[/
		whole = / NDRange\[[0-9]+\] /
		split($2, part, /\.W/)
		launch = part[1]
		if (single)
			waves[launch]++
	}
	whole && /^BranchDigest\[.*WorkItems/ { on_paths[launch] += $3 }
	single && $1 == "DivergenceGroupsSize" {
		for (i = 3; i <= NF; i++) {
			on_groups[launch] += $i
			if (i > 3 && $i > $(i - 1))
				print launch ": sizes of groups are not sorted"
		}
	}
	whole && $1 == "WorkItem.Count" { items[launch] = $3 }
	whole && $1 == "WaveFront.Count" { count[launch] = $3 }
	group && $1 == "WorkItem.Count" { in_groups[launch] += $3 }
	group && $1 == "WaveFront.Count" { of_groups[launch] += $3 }
	single && $1 == "WorkItem.Count" { in_waves[launch] += $3 }
	/^[A-Za-z_]+_(Count|Size) = |^LaneOperations/ {
		for (i = 3; i <= NF; i++) {
			if (whole)
				total[launch " " $1 " " i] += $i
			if (single)
				sum[launch " " $1 " " i] += $i
		}
	}
	END {
		for (name in total) {
			names++
			if (total[name] != sum[name])
				print name ": " sum[name] ", not " total[name]
		}
		for (launch in items) {
			if (on_paths[launch] != items[launch] ||
			    on_groups[launch] != items[launch] ||
			    in_groups[launch] != items[launch] ||
			    in_waves[launch] != items[launch])
				print launch ": work-items"
			if (waves[launch] != count[launch] ||
			    of_groups[launch] != count[launch])
				print launch ": wavefronts"
		}
		if (names < 17)
			print "only " names + 0 " figures"
	}' "$output/$1" >"$output/broken"
	sed 's/^/# /' "$output/broken" | head -5
	[ ! -s "$output/broken" ]
}

# all NAME SAMPLE ARGUMENTS...
all() {
	local name="wavefront report: $1" ways=0

	shift
	simulate one --threads 1 "$@"
	for threads in 2 4; do
		simulate many --threads $threads "$@" &&
			cmp "$output/one" "$output/many" || ways=1
	done
	check "$name: any number of threads" $ways
	laws one
	check "$name: wavefronts sum to their launch" $?
	# What detailed simulation alone has goes.
	simulate detailed --evg-sim detailed "$@" &&
		diff "$output/one" "$output/detailed" | grep '^<'
	[ $? -eq 1 ]
	check "$name: the same in detail" $?
}

all "local memory and barriers" reduction -n 4096
all "atomics and many wavefronts" histogram -n 8192
all "three paths" sobel-filter -n 32
grep -q '^DivergenceGroupsSize = 45 15 4$' "$output/one"
check "wavefront report: sizes of groups" $?
grep -q '^BranchDigestCount = 3$' "$output/one"
check "wavefront report: paths through the kernel" $?
all "wavefronts that are not full" dwt-haar-1d -n 64

! timeout 60 "$M2S" --evg-report-wavefronts /bin/true 2>"$output/error" &&
	grep -q 'evg-report-kernel' "$output/error"
check "wavefront report: nothing to add it to" $?
timeout 60 "$M2S" --quiet --evg-report-kernel "$output/part" \
	--evg-report-wavefronts --evg-max-inst 300 \
	"$top_builddir/samples/reduction/reduction" -q -n 4096 \
	>"$output/out" 2>&1
laws part
check "wavefront report: after a limit" $?
