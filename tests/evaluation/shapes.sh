#!/bin/bash
# The shapes of the three sweeps of the evaluation (doc/measurements/evaluation), with few
# points and small inputs: compute units, stream cores, size of the L1.
# shellcheck source=tests/evaluation/common.sh
. "$top_srcdir/tests/evaluation/common.sh"

for units in 1 2 4 8 10 16; do
	echo "binomial.$units binomial-option 80 --mem-shape units=$units"
done >"$work/jobs"
for units in 4 5 6 9 10 15; do
	echo "stream.$units vector-add 61440" \
		"--mem-shape units=$units,channels=$(((units + 4) / 5))"
done >>"$work/jobs"
for cores in 8 10 11 12 13 15 16 21; do
	echo "cores.$cores binomial-option 80" \
		"--set Device.NumStreamCores=$cores"
done >>"$work/jobs"
for cores in 16 22 31 32 63 64; do
	echo "eight.$cores reduction 32768 --set ALUEngine.ActiveWavefronts=8" \
		"--set Device.NumStreamCores=$cores"
done >>"$work/jobs"
for size in 1 16 1024; do
	echo "l1-stream.$size vector-add 16384 --mem-shape l1=${size}k"
	echo "l1-reuse.$size floyd-warshall 32 --mem-shape l1=${size}k"
done >>"$work/jobs"
simulate_all <"$work/jobs" >"$work/rows" || exit 1

# The shapes; c[KEY] are cycles. Where a figure is bounded, the margin is for
# changes of the model that keep the shape.
awk -F, '
	function check(name, good, figures) {
		printf "%s - shapes: %s%s\n", good ? "ok" : "not ok", name,
			good ? "" : " (" figures ")"
	}
	function ratio(a, b) { return c[b] ? c[a] / c[b] : 0 }
	# Whether two take the same time, within this part of it.
	function alike(a, b, part,  r) {
		r = ratio(a, b)
		return r > 1 - part && r < 1 + part
	}
	function at(a, b) { return a " " c[a] ", " b " " c[b] }
	{ c[$1] = $2; hits[$1] = $4 }
	END {
		n = split("1 2 4 8 10 16", u, " ")
		for (i = 2; i <= n; i++) {
			a = "binomial." u[i - 1]; b = "binomial." u[i]
			check("compute-bound: faster with " u[i] \
			      " compute units than " u[i - 1],
			      c[b] && c[b] < c[a], at(a, b))
		}
		check("compute-bound: ten compute units 8 to 10 times as fast",
		      ratio("binomial.1", "binomial.10") >= 8 &&
		      ratio("binomial.1", "binomial.10") <= 10.01,
		      at("binomial.1", "binomial.10"))

		check("memory-bound: flat up to five compute units",
		      alike("stream.4", "stream.5", 0.05),
		      at("stream.4", "stream.5"))
		check("memory-bound: a step with a second slice",
		      ratio("stream.5", "stream.6") > 1.5,
		      at("stream.5", "stream.6"))
		check("memory-bound: flat up to ten compute units",
		      alike("stream.9", "stream.10", 0.05),
		      at("stream.9", "stream.10"))
		check("memory-bound: two slices twice as fast as one",
		      ratio("stream.5", "stream.10") > 1.7 &&
		      ratio("stream.5", "stream.10") < 2.2,
		      at("stream.5", "stream.10"))
		check("memory-bound: three slices three times as fast",
		      ratio("stream.5", "stream.15") > 2.4 &&
		      ratio("stream.5", "stream.15") < 3.3,
		      at("stream.5", "stream.15"))

		# ceil(64 / cores) sub-wavefronts: the same count, the same cycles
		n = split("11 12 13 15 16 21", u, " ")
		for (i = 1; i < n; i += 2) {
			a = "cores." u[i]; b = "cores." u[i + 1]
			check("sub-wavefronts: " u[i] " and " u[i + 1] \
			      " stream cores take equally long",
			      c[a] && c[a] == c[b], at(a, b))
		}
		n = split("8 10 11 13 16", u, " ")
		for (i = 1; i < n; i++) {
			a = "cores." u[i]; b = "cores." u[i + 1]
			check("sub-wavefronts: fewer with " u[i + 1] \
			      " stream cores than with " u[i],
			      c[b] && c[b] < c[a], at(a, b))
		}
		n = split("16 22 32 64", u, " ")
		for (i = 1; i < n; i++) {
			a = "eight." u[i]; b = "eight." u[i + 1]
			check("sub-wavefronts: eight active, fewer with " \
			      u[i + 1] " stream cores than with " u[i],
			      c[b] && c[b] < c[a], at(a, b))
		}
		check("sub-wavefronts: eight active, 22 and 31, 32 and 63",
		      c["eight.22"] == c["eight.31"] &&
		      c["eight.32"] == c["eight.63"],
		      at("eight.22", "eight.31") ", " \
		      at("eight.32", "eight.63"))

		check("L1: streaming takes equally long with 1 KB and 1 MB",
		      alike("l1-stream.1", "l1-stream.1024", 0.01),
		      at("l1-stream.1", "l1-stream.1024"))
		check("L1: a kernel that reuses data hits more with more",
		      hits["l1-reuse.1"] + 0.1 < hits["l1-reuse.16"] &&
		      hits["l1-reuse.16"] <= hits["l1-reuse.1024"],
		      hits["l1-reuse.1"] ", " hits["l1-reuse.16"] ", " \
		      hits["l1-reuse.1024"])
		check("L1: and is faster",
		      c["l1-reuse.1024"] < c["l1-reuse.1"],
		      at("l1-reuse.1", "l1-reuse.1024"))
	}' "$work/rows"
