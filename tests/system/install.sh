#!/bin/bash
# What `make install` brings: programs, manual pages, documents whose links
# lead to files, samples, completion, m2s.pc; one version everywhere. The
# installation runs where it was moved to: it does what the tutorial says.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
top_srcdir=$(realpath "$top_srcdir") top_builddir=$(realpath "$top_builddir")

. "$top_srcdir/tests/system/again.sh"
# verdict NAME TEXT: TEXT is empty
verdict() {
	[ -z "$2" ] && echo "ok - $1" || printf '%s\nnot ok - %s\n' "$2" "$1"
}
# value NAME: of a variable of the makefile
value() {
	env -u MAKEFLAGS -u MFLAGS make -s --no-print-directory \
		-C "$top_builddir" --eval "print-value: ; @echo \$($1)" print-value
}

env -u MAKEFLAGS -u MFLAGS make -s --no-print-directory -C "$top_builddir" \
	install-exec-am install-data-am DESTDIR="$folder/root" \
	>"$folder/install.log" 2>&1 || {
	tail -20 "$folder/install.log"
	echo "not ok - make install"
	exit 1
}
prefix=$(value prefix)
installed=$folder/moved
mv "$folder/root$prefix" "$installed"

verdict "everything is installed" "$(cd "$installed" &&
	for tool in $(value completed_tools); do
		ls "bin/$tool" "share/man/man1/$tool.1" \
			"share/bash-completion/completions/$tool" \
			"share/zsh/site-functions/_$tool"
	done 2>&1 >"$folder/list"
	[ "$(wc -l <"$folder/list")" -ge 20 ] || echo "# few tools"
	ls include/m2s.h lib/pkgconfig/m2s.pc share/doc/m2s/LICENSE \
		share/doc/m2s/CHANGELOG.md lib/m2s/samples/network/ring.ini \
		lib/m2s/samples/memory/evg-hd5870.ini \
		lib/m2s/samples/reduction/reduction 2>&1 >"$folder/list"
	cd "$top_srcdir" && find doc -name '*.md' | while read -r page; do
		[ -e "$installed/share/doc/m2s/$page" ] || echo "# no $page"
	done)"
documents=$installed/share/doc/m2s
verdict "links between installed documents" "$(cd "$documents" &&
	find . -name '*.md' | sed 's|^\./||' | sed "s|^|$documents/|" | xargs awk \
		-v root="$documents" -f "$top_srcdir/tests/system/documents.awk" |
		grep -v 'no link leads here')"

export PATH=$installed/bin:$PATH PKG_CONFIG_PATH=$installed/lib/pkgconfig
version=$(value VERSION)
verdict "one version" "$(
	[[ $(m2s --version) == "m2s $version "* ]] || m2s --version
	head -c 300 "$installed/share/man/man1/m2s.1" | grep -qF "\"m2s $version\"" ||
		echo "# the manual page"
	cd "$top_srcdir" || exit
	[ "$(grep -m 1 '^## [0-9]' CHANGELOG.md | cut -d ' ' -f 2)" = "$version" ] ||
		echo "# CHANGELOG.md does not begin with $version"
	grep -qx "version: $version" CITATION.cff || echo "# CITATION.cff"
	[[ $(head -n 1 debian/changelog) == "m2s ($version-"* ]] ||
		echo "# debian/changelog"
	[ "$(grep -ho 'm2s:[0-9][0-9.]*' samples/ci/*.yml | sort -u)" = "m2s:$version" ] ||
		echo "# samples/ci"
	[ "$(pkg-config --modversion m2s)" = "$version" ] || echo "# m2s.pc")"

cat >"$folder/marked.c" <<'END'
#include <m2s.h>
int main(void) { m2s_checkpoint(); return 0; }
END
verdict "m2s.pc leads to header and samples" "$(
	# shellcheck disable=SC2046
	"${CC:-cc}" $(pkg-config --cflags m2s) -o "$folder/marked" "$folder/marked.c"
	[ -e "$(pkg-config --variable=samplesdir m2s)/reduction/reduction.cl" ] ||
		echo "# no sample"
	[ -e "$(pkg-config --variable=docdir m2s)/README.md" ] ||
		echo "# no documents")"

verdict "m2s.icd leads to a library, and a native program runs where all was moved to" "$(
	[ "$(cat "$installed/etc/OpenCL/vendors/m2s.icd")" = \
		"$prefix/lib/m2s/x86_64/libm2s-opencl.so.1" ] || echo "# m2s.icd"
	m2s --native --quiet "$installed/lib/m2s/samples/reduction/reduction" -q 2>&1 |
		grep -v '^reduction: PASSED$')"

verdict "import m2s" "$(
	imported='import m2s; print(m2s.read_report.__module__)'
	[ "$(PYTHONPATH=$(pkg-config --variable=pythondir m2s) /usr/bin/python3 -B \
		-c "$imported")" = m2s.reports ] || echo "# not by m2s.pc"
	# Without PYTHONPATH where Python searches below the prefix.
	[ "$prefix" != /usr/local ] || [ "$(cd / && /usr/bin/python3 -B -c "
import site, sys
site.addsitedir(sys.argv[1])
$imported" "$(dirname "$(find "$installed" -name m2s.pth)")")" = m2s.reports ] ||
		echo "# not by m2s.pth")"

# Nothing of the build tree and of the place of installation can be opened,
# where the host lets us take them away.
cat >"$folder/hidden" <<END
#!/bin/bash
exec unshare -rm bash -c 'for folder in "$top_builddir" "$prefix"; do
	[ ! -d "\$folder" ] || [ "\$folder" = /usr ] ||
		mount -t tmpfs none "\$folder" || exit 99
done
exec "\$@"' hidden "\$@"
END
chmod +x "$folder/hidden"
if "$folder/hidden" true 2>"$folder/hidden.log"; then
	within=$folder/hidden
else
	within=env
fi
setup=installed
# shellcheck disable=SC2034
export XDG_CACHE_HOME=$folder/cache
again "$top_srcdir/doc/tutorial.md" >"$folder/again"
verdict "the tutorial with an installation that was moved" "$(
	[ "$(grep -c '^\$ m2s' "$folder/again")" -gt 10 ] || echo "# few commands"
	diff <(masked "$top_srcdir/doc/tutorial.md") <(masked "$folder/again"))"
[ "$within" != env ] ||
	echo "ok - without the build tree # SKIP no namespaces"
