#!/bin/bash
# The examples in documents do what the documents say. In a block between
# lines ```, a line "$ command" (lines that end in \ go on) is run in a folder
# that looks like a checkout with its build/, and what it prints is compared with
# the lines that follow. Numbers may differ: they change with the model and
# the host. A block that begins with ```KIND NAME is the file NAME.
# GOLDEN_REBASE=1 writes what was printed into the documents.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
top_srcdir=$(realpath "$top_srcdir") top_builddir=$(realpath "$top_builddir")

. "$top_srcdir/tests/system/again.sh"

for name in comparing-runs python tutorial installing which-report faq coming-from-multi2sim; do
	page=$top_srcdir/doc/$name.md
	again "$page" >"$folder/again"
	[ -z "${GOLDEN_REBASE:-}" ] || cp "$folder/again" "$page"
	if [ "$(grep -c '^\$ ' "$page")" -gt 3 ] &&
		diff <(masked "$page") <(masked "$folder/again"); then
		echo "ok - the examples of doc/$name.md"
	else
		echo "not ok - the examples of doc/$name.md" \
			"(GOLDEN_REBASE=1 writes them anew)"
	fi
done
