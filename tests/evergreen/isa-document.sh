#!/bin/bash
# doc/evergreen-instructions.md is what the instruction tables say, and names
# a test for every instruction that a compute kernel may hold.
set -u
page=$top_srcdir/doc/evergreen-instructions.md
program=$top_builddir/tests/evergreen/print-instructions

if [ -n "${GOLDEN_REBASE:-}" ]; then
	"$program" >"$page" || exit 1
fi
if "$program" | diff "$page" - >&2; then
	echo "ok - evergreen isa document: instruction tables"
else
	echo "not ok - evergreen isa document: instruction tables"
	exit 1
fi
if ! grep -F '**none**' "$page" >&2; then
	echo "ok - evergreen isa document: every compute instruction is proved"
else
	echo "not ok - evergreen isa document: every compute instruction is proved"
	exit 1
fi
