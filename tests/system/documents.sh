#!/bin/bash
# Every document can be reached from README.md or doc/README.md by links, every
# link leads to a file or heading that is there, source files that are named
# exist, and every document is shipped.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# broken ROOT: what is wrong with the documents of a source tree
broken() {
	(cd "$1" && find README.md CONTRIBUTING.md doc -name '*.md') |
		sed "s|^|$1/|" | xargs awk -v root="$1" \
		-f "$top_srcdir/tests/system/documents.awk" | sort
}
# check NAME OUTPUT: OUTPUT is empty
check() {
	if [ -z "$2" ]; then
		echo "ok - $1"
	else
		printf '%s\nnot ok - %s\n' "$2" "$1"
	fi
}

# missing ROOT: source files that documents name, in `...`, and that are not
# there. A name with a folder is a pattern from the root, from src/ or from a
# folder of it or below; others are looked for everywhere.
missing() {
	(cd "$1" || exit
	find src tests samples include -type f 2>"$folder/no-folder" |
		sed 's|.*/||' | sort -u >"$folder/names"
	find README.md CONTRIBUTING.md doc -name '*.md' | while read -r page; do
		grep -oE '`[A-Za-z0-9_/*.-]+`' "$page" | tr -d '`' |
			grep -E '^(src|tests|samples|include)/|[^.]\.(c|h|def)$' |
			sort -u | while read -r name; do
			# The document itself may have the file: ```c NAME
			grep -qxE '```[a-z]+ '"$name" "$page" && continue
			case $name in
			*/*) compgen -G "$name" || compgen -G "$name.c" ||
				compgen -G "src/$name" ||
				compgen -G "src/*/$name" ||
				compgen -G "src/*/*/$name" ;;
			*\**) ;;
			*) grep -qxF -- "$name" "$folder/names" ;;
			esac >"$folder/found" || echo "$page: no file $name"
		done
	done) | sort
}

check "links between documents" "$(broken "$(realpath "$top_srcdir")")"

check "files that documents name" "$(missing "$(realpath "$top_srcdir")")"

# The checks themselves find what is wrong.
mkdir "$folder/doc"
{
	echo '[a](doc/a.md) [none](doc/none.md)'
	for ((i = 0; i < 100; i++)); do echo "[again](README.md)"; done
} >"$folder/README.md"
printf '# A heading\n[there](#a-heading) [not there](a.md#other)\n' \
	>"$folder/doc/a.md"
echo text | tee "$folder/CONTRIBUTING.md" >"$folder/doc/b.md"
printf '%s\n' 'CONTRIBUTING.md: no link leads here' \
	'README.md: no file doc/none.md' \
	'doc/a.md: no heading doc/a.md#other' \
	'doc/b.md: no link leads here' | sort >"$folder/expected"
check "a link that leads nowhere, and a document without links to it" \
	"$(broken "$folder" | diff "$folder/expected" -)"

mkdir "$folder/src" && touch "$folder/src/here.c"
echo 'in `here.c`, `src/here.c`, `gone.h` and `src/gone/*.c`' \
	>>"$folder/doc/b.md"
printf '%s\n' 'doc/b.md: no file gone.h' 'doc/b.md: no file src/gone/*.c' \
	>"$folder/expected"
check "a file that is not there" \
	"$(missing "$folder" | diff "$folder/expected" -)"

# In a checkout: what the makefiles do not name is not in the archive.
if [ -e "$top_srcdir/.git" ]; then
	check "documents are shipped" "$(cd "$top_srcdir" &&
		git ls-files doc | while read -r file; do
			git grep -qF "$file" -- '*.am' || echo "$file"
		done)"
else
	echo "ok - documents are shipped # SKIP not a checkout"
fi
