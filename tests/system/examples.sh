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

# run COMMAND: what it prints
run() {
	(cd "$folder/work" && exec </dev/null 2>&1 &&
		timeout 120 bash -o pipefail -c "$1")
}

# again FILE: the document with its commands run again
again() {
	local line command='' fenced='' file=''

	rm -rf "$folder/work" && mkdir "$folder/work" || return 1
	ln -s "$top_builddir" "$folder/work/build"
	ln -s "$top_srcdir/samples" "$folder/work/samples"
	while IFS= read -r line; do
		case $fenced$line in
		'```'*' '*)
			# The contents of a file: ```ini half.ini
			fenced=no file=$folder/work/${line#* }
			printf '%s\n' "$line"
			: >"$file"
			;;
		'```'?*)
			# Not run: ```text
			fenced=no
			printf '%s\n' "$line"
			;;
		'```')
			fenced=yes
			printf '%s\n' "$line"
			;;
		'yes```'* | 'no```'*)
			fenced='' command='' file=''
			printf '%s\n' "$line"
			;;
		'yes$ '*)
			printf '%s\n' "$line"
			command=${line#'$ '}
			while [[ $command == *\\ ]]; do
				IFS= read -r line || break
				printf '%s\n' "$line"
				command=${command%\\}$line
			done
			run "$command"
			;;
		yes*)
			[ -n "$command" ] || printf '%s\n' "$line"
			;;
		*)
			printf '%s\n' "$line"
			[ -z "$file" ] || printf '%s\n' "$line" >>"$file"
			;;
		esac
	done <"$1"
}

# Addresses, numbers and the spaces around them do not count.
masked() {
	sed -E 's/0x[0-9a-f]+/#/g; s/-?[0-9]+([.,][0-9]+)*(e[-+]?[0-9]+)?/#/g; s/ +/ /g' "$1"
}

for name in tutorial which-report faq coming-from-multi2sim; do
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
