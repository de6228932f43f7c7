#!/bin/bash
# The references in doc/ are what the tables make them (make references writes
# them). Evergreen's instructions have a test of their own, isa-document.sh.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

for name in options configuration statistics x86-instructions system-calls \
	opencl-calls; do
	if "$top_srcdir/doc/make-reference" $name >"$folder/made" &&
		[ -s "$folder/made" ] &&
		diff -u "$top_srcdir/doc/$name.md" "$folder/made"; then
		echo "ok - doc/$name.md is what its table makes it"
	else
		echo "not ok - doc/$name.md is out of date: make references"
	fi
done
