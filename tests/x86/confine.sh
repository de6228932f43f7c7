#!/bin/bash
# --x86-root, --x86-read-only, --x86-no-network: a program that tries to get
# out of a folder, to write where it may not, and to reach the network.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
CC=${CC:-gcc}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-confine-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"

# result LABEL COMMAND...: passes when the command does, and shows its output
# when not
result() {
	local label=$1
	shift
	if timeout 60 "$@" >"$work/out" 2>&1 </dev/null; then
		echo "ok - $label"
	else
		echo "not ok - $label: status $?"
		tail -n 12 "$work/out"
		failed=1
	fi
}

root=$work/root
mkdir -p "$root/bin" "$root/sub" "$root/open" "$work/outside"
echo secret >"$work/outside/secret"
secret=$work/outside/secret
echo inside >"$root/sub/file"
ln -s "$work/outside" "$root/absolute"
ln -s ../outside "$root/relative"
ln -s .. "$root/sub/up"
ln -s /sub/file "$root/absolute-inside"
ln -s loop "$root/loop"
ln -s /proc "$root/toproc"

for abi in $abis; do
	if ! $CC -O2 -w -D_GNU_SOURCE -static -m$abi \
		"$top_srcdir/tests/x86/programs/confined.c" \
		-o "$root/bin/confined" -lrt >"$work/log" 2>&1; then
		echo "not ok - confined program, $abi bits: cannot be built"
		tail -n 5 "$work/log"
		failed=1
		continue
	fi
	m2s_root="$m2s --quiet --x86-root $root"
	result "root: no way out, $abi bits" \
		$m2s_root /bin/confined root "$secret"
	grep -q '^exe /bin/confined$' "$work/out" &&
		grep -q '^cwd /$' "$work/out" &&
		grep -q '^file /sub/file$' "$work/out" &&
		! grep -q '^maps:' "$work/out" &&
		echo "ok - root: names are the guest's, $abi bits" || {
		echo "not ok - root: names are the guest's, $abi bits"
		cat "$work/out"
		failed=1
	}
	result "read-only, $abi bits" $m2s_root --x86-read-only \
		--x86-writable /open /bin/confined read-only
	result "no network, $abi bits" "$m2s" --quiet --x86-no-network \
		"$root/bin/confined" no-network
done
result "root: relative to the current folder" \
	bash -c "cd '$root/bin' && $m2s --quiet --x86-root .. ./confined"
result "root: program found in PATH" \
	env PATH=/bin $(command -v "$m2s") --quiet --x86-root "$root" confined
cd "$work" || exit 1
result "root: current folder outside" \
	"$m2s" --quiet --x86-root "$root" bin/confined

# Dynamic programs need their interpreter and libraries below the root.
cp -L "$(command -v cat)" "$root/bin/cat"
if timeout 20 "$m2s" --quiet --x86-root "$root" /bin/cat /sub/file \
	>"$work/out" 2>&1; then
	echo "not ok - root: the interpreter is looked up inside"
	failed=1
else
	echo "ok - root: the interpreter is looked up inside"
fi
ldd "$root/bin/cat" | grep -o '/[^ ]*' | while read -r file; do
	mkdir -p "$root$(dirname "$file")"
	cp -L "$file" "$root$file"
done
result "root: dynamic program" \
	bash -c "$m2s --quiet --x86-root $root cat /sub/file | grep -q inside"

# What is wrong is said.
refuse() {
	local label=$1 expected=$2
	shift 2
	if timeout 20 "$m2s" --quiet "$@" >"$work/out" 2>&1 </dev/null ||
	   ! grep -q -- "$expected" "$work/out"; then
		echo "not ok - refuses $label: $(cat "$work/out")"
		failed=1
	else
		echo "ok - refuses $label"
	fi
}
refuse "a root that is not there" "x86-root" --x86-root "$work/none" /bin/x
refuse "a root that is a file" "x86-root" --x86-root "$secret" /bin/x
refuse "a program outside the root" "No such file" --x86-root "$root" \
	"$work/outside/secret"
refuse "writable without read-only" "x86-read-only" --x86-writable /tmp \
	/bin/true
refuse "a writable folder that is not there" "x86-writable" --x86-read-only \
	--x86-writable "$work/none" /bin/true
exit $failed
