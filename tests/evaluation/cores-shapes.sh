#!/bin/bash
# The shapes of the sweeps around x86 cores (doc/measurements/evaluation), with few
# points and short parts of programs.
# shellcheck source=tests/evaluation/common.sh
. "$top_srcdir/tests/evaluation/common.sh"
FORWARD=1500000 INSTRUCTIONS=60000
PROGRAMS="sha256 interpreter matrix"
# shellcheck source=tests/evaluation/cores-common.sh
. "$top_srcdir/tests/evaluation/cores-common.sh"

{
	for n in 1 2 4; do
		echo "width,$n sha256 --set Core.decoders=$n" \
			"--set Core.issue_width=$n --set Core.retire_width=$n" \
			"--set Core.cache_width=$n --set Core.fusible_last=1"
	done
	for n in 16 64 192; do
		echo "buffer,$n matrix --set Core.reorder_buffer=$n"
	done
	for kind in NotTaken Bimodal TageScL64 Perfect; do
		echo "directions,$kind sha256" \
			"--set BranchPredictor.Kind=$kind"
	done
	for kind in None Ittage; do
		echo "targets,$kind interpreter" \
			"--set BranchPredictor.Indirect=$kind"
	done
	for kind in private shared; do
		for n in 1 4; do
			echo "$kind,$n threads+$kind+$n+1" \
				"--set General.Cores=$n"
		done
	done
	for kind in private links; do
		for n in 1 4; do
			echo "one-$kind,$n threads+$kind+$n+1" \
				"--set General.Threads=$n"
		done
	done
} >"$work/list"
xargs -P "$JOBS" -L 1 bash -c 'simulate_core "$@"' - <"$work/list" \
	>"$work/rows" || exit 1

# c[KEY] are cycles, m[KEY] mispredicted branches of 1,000 instructions.
awk -F, '
	function check(name, good, figures) {
		printf "%s - shapes of cores: %s%s\n",
			good ? "ok" : "not ok", name,
			good ? "" : " (" figures ")"
	}
	function faster(name, a, b) {
		check(name, c[a] && c[a] < c[b],
		      a " " c[a] ", " b " " c[b])
	}
	{ c[$1 "," $2] = $3; m[$1 "," $2] = $5 }
	END {
		faster("two instructions a cycle beat one", "width,2", "width,1")
		faster("four beat two", "width,4", "width,2")
		check("one instruction a cycle and a little fusion",
		      c["width,1"] >= 0.9 * 60000, c["width,1"])
		faster("a reorder buffer of 64 beats 16", "buffer,64", "buffer,16")
		faster("192 beat 64 where misses overlap", "buffer,192",
		       "buffer,64")
		check("mispredictions: NotTaken, Bimodal, TAGE, none",
		      m["directions,NotTaken"] > m["directions,Bimodal"] &&
		      m["directions,Bimodal"] > m["directions,TageScL64"] &&
		      m["directions,TageScL64"] >= m["directions,Perfect"] &&
		      m["directions,Perfect"] == 0,
		      m["directions,NotTaken"] " " m["directions,Bimodal"] \
		      " " m["directions,TageScL64"] " " \
		      m["directions,Perfect"])
		faster("TAGE beats Bimodal", "directions,TageScL64",
		       "directions,Bimodal")
		check("an interpreter needs predicted targets",
		      c["targets,None"] > 2 * c["targets,Ittage"],
		      c["targets,None"] " " c["targets,Ittage"])
		faster("four cores beat one, private data", "private,4",
		       "private,1")
		faster("four cores beat one, shared data", "shared,4",
		       "shared,1")
		alone = c["private,1"] / c["private,4"]
		together = c["shared,1"] / c["shared,4"]
		check("shared data gain less than private data",
		      alone > together, alone " " together)
		alone = c["one-private,1"] / c["one-private,4"]
		together = c["one-links,1"] / c["one-links,4"]
		check("threads of one core: waiting loads gain more than sums",
		      together > 1.3 && together > alone && alone < 1.5,
		      alone " " together)
	}' "$work/rows"
