#!/bin/bash
# Ten thousand commands in random graphs over several queues, held back by user
# events; as many events in one list; as many buffers: right, and four times as
# many need about four times the time.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		tail -n 12 "$work/out" "$work/err" | sed 's/^/#   /'
	fi
}

. "$top_srcdir/tests/opencl/native-here.sh"
if ! $CC -O1 -o "$work/graphs" "$top_srcdir/tests/opencl/programs/graphs.c" \
	-lOpenCL 2>"$work/err"; then
	echo "ok - graphs # SKIP no libOpenCL to link to"
	exit 0
fi
$CC -O1 -o "$work/simulated" "$top_srcdir/tests/opencl/programs/graphs.c" \
	-L"$top_builddir/lib/x86_64" \
	-Wl,-rpath,"$(realpath "$top_builddir/lib/x86_64")" -lm2s-opencl
timeout 60 "$M2S" --quiet "$work/simulated" 1000 7 >"$work/out" 2>"$work/err"
verdict $? "1000 of each, simulated as a whole"

# The shortest processor time of three runs, of each part.
times() {
	for seed in 1 2 3; do
		timeout 60 "$M2S" --native --quiet "$work/graphs" "$1" $seed \
			>"$work/out" 2>"$work/err" || {
			touch "$work/failed"
			cp "$work/out" "$work/failed.out"
		}
		cat "$work/out"
	done | awk '$1 ~ /graph|chain|buffers/ {
			if (!($1 in least) || $2 < least[$1])
				least[$1] = $2
		}
		END { print least["graph"], least["chain"], least["buffers"] }'
}
few=$(times 2500)
many=$(times 10000)
[ ! -e "$work/failed" ] || cp "$work/failed.out" "$work/out"
[ ! -e "$work/failed" ]
verdict $? "2500 and 10000 of each, three seeds"
echo "$few $many" >"$work/out"
set -- $few $many
for part in graph chain buffers; do
	[ "$4" -lt $((10 * $1)) ]
	verdict $? "$part: time is linear"
	shift
done
