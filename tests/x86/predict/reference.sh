#!/bin/sh
# Compares TAGE-SC-L 64 KB with the public reference of CBP2025, branch by branch:
#
#	sh tests/x86/predict/reference.sh FOLDER
#
# in a build directory where
# `make tests/x86/predict/replay` has been run. FOLDER is a checkout of
# github.com/ramisheikh/cbp2025, which is copied, made to record what its
# simulator asks of its predictor, built with c++, and run on its two sample
# traces. Nothing of it belongs to m2s.
set -e

[ -f "$1/cond_branch_predictor_interface.cc" ] || {
	echo "usage: reference.sh FOLDER (a checkout of cbp2025)" >&2
	exit 2
}
replay=${top_builddir:-.}/tests/x86/predict/replay
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$1/." "$work"
cd "$work" && {
	interface=cond_branch_predictor_interface
	touch $interface.h
	cat >record.h <<'END'
#include <cstdint>
#include <cstdio>
#include <cstdlib>
static void record(uint8_t operation, uint8_t kind, bool taken, bool predicted,
		   uint64_t sequence, uint8_t piece, uint64_t address,
		   uint64_t next)
{
	static FILE *stream = fopen(getenv("RECORD"), "wb");
	struct {
		uint8_t bytes[8];
		uint64_t words[3];
	} event = { { operation, kind, taken, predicted },
		    { sequence << 4 | piece, address, next } };

	fwrite(&event, sizeof event, 1, stream);
}
END
	sed -i -e '1i #include "record.h"' \
	    -e 's/^ *return my_prediction;/record(0, 3, false, my_prediction, seq_no, piece, pc, 0); &/' \
	    -e 's/^ *assert(is_br(inst_class));/record(1, (uint8_t)inst_class, resolve_dir, pred_dir, seq_no, piece, pc, next_pc); &/' \
	    -e 's/^ *cbp2016_tage_sc_l.update(/record(2, 3, _resolve_dir, pred_dir, seq_no, piece, pc, _next_pc); &/' \
	    $interface.cc
	rm -f -- *.o cbp
	make >build.log 2>&1 || {
		tail build.log >&2
		exit 1
	}
	cd - >/dev/null
}
status=0
for name in int fp; do
	RECORD=$work/$name.record "$work/cbp" \
		"$work/sample_traces/$name/sample_${name}_trace.gz" >/dev/null
	case $name in
	int) expected=264 ;;
	fp) expected=1145 ;;
	esac
	said=$("$replay" TageScL64 "$work/$name.record") || status=1
	case $said in
	*" 0 differ, $expected mispredicted") echo "ok - $name: $said" ;;
	*) echo "not ok - $name: $said"; status=1 ;;
	esac
done
exit $status
