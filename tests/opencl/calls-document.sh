#!/bin/bash
# doc/opencl-calls.md says what api.def says.
set -u
if diff -u "$top_srcdir/doc/opencl-calls.md" <(awk -f \
	"$top_srcdir/src/opencl-rt/api/calls.awk" \
	"$top_srcdir/src/opencl-rt/api.def"); then
	echo "ok - doc/opencl-calls.md is what api.def makes it"
else
	echo "not ok - doc/opencl-calls.md is out of date: make it again with" \
		"awk -f src/opencl-rt/api/calls.awk src/opencl-rt/api.def"
fi
