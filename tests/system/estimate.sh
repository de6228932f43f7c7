#!/bin/bash
# The time of kernels in functional mode, an estimate, beside detailed
# simulation of the same: within a factor of two on every sample.
set -u

# both NAME N: nanoseconds of all its kernels, functionally and in detail
both() {
	local program=$top_builddir/samples/$1/$1
	timeout 120 "$M2S" "$program" -q -n "$2" 2>&1 >/dev/null |
		awk '$1 == "EstimatedTime" { print $3 }'
	timeout 120 "$M2S" --evg-sim detailed "$program" -q -n "$2" 2>&1 \
		>/dev/null | awk '/^\[ Evergreen/ { inside = 1 }
			inside && $1 == "SimTime" { print $3 }'
}

while read -r name n; do
	if both "$name" "$n" | awk -v name="$name $n" '
		{ time[NR] = $1 }
		END { print "# " name ": " time[1] " ns estimated, " time[2] \
				" ns in detail"
			exit NR != 2 || time[1] < time[2] / 2 ||
				time[1] > 2 * time[2] }'; then
		echo "ok - estimate: $name, n = $n"
	else
		echo "not ok - estimate: $name, n = $n"
	fi
done <<'N'
binomial-option 8
bitonic-sort 1024
box-filter 32
dct 64
dct 256
dwt-haar-1d 1024
floyd-warshall 32
histogram 65536
matrix-multiplication 64
matrix-transpose 64
matrix-transpose 256
prefix-sum 512
recursive-gaussian 32
reduction 4096
scan-large-arrays 4096
sobel-filter 32
urng 1024
vector-add 1024
vector-add 262144
N
