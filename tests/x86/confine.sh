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


# ---- Attacks: what they left of the host's files is looked at afterwards ----

# build FOLDER ABI: the program there, or a failure
build() {
	$CC -O1 -w -D_GNU_SOURCE -static "-m$2" \
		"$top_srcdir/tests/x86/programs/escape.c" -o "$1/escape" \
		>"$work/log" 2>&1 && return
	echo "not ok - escape program, $2 bits: cannot be built"
	tail -n 5 "$work/log"
	failed=1
	return 1
}

# state FOLDER: all that can be told of what is in it, but not of its w
state() {
	find "$1" -path "$1/w" -prune -o -printf '%p %y %m %U %G %n %s %T@ %l\n'
	find "$1" -path "$1/w" -prune -o -type f -exec cksum {} +
}

# unchanged LABEL FOLDER BEFORE
unchanged() {
	if [ "$(state "$2")" = "$3" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1: $(diff <(echo "$3") <(state "$2"))"
		failed=1
	fi
}

# A folder with files of all kinds, and one of its folders to be written.
fill() {
	mkdir -p "$1/w" "$1/folder"
	echo one >"$1/file"
	echo own >"$1/w/own"
	ln -s file "$1/link"
	mkfifo "$1/fifo"
	bash -c "cd '$1' && exec python3 -c 'import socket
socket.socket(socket.AF_UNIX).bind(\"socket\")'" 2>"$work/log"
	mknod "$1/node" c 1 5 2>"$work/log"
}

for abi in $abis; do
	attack=$work/attack$abi
	mkdir -p "$attack/bin" "$attack/sub"
	build "$attack/bin" $abi || continue
	result "memory: no way to the simulator's, $abi bits" \
		"$m2s" --quiet "$attack/bin/escape" memory
	result "memory: nor with files that are read-only, $abi bits" \
		"$m2s" --quiet --x86-read-only --x86-writable /tmp \
		"$attack/bin/escape" memory
	result "proc: what is listed is there, $abi bits" \
		"$m2s" --quiet "$attack/bin/escape" listed
	result "proc: likewise below a root, $abi bits" \
		"$m2s" --quiet --x86-root "$attack" /bin/escape listed
	result "names that sockets are given, $abi bits" \
		"$m2s" --quiet --x86-no-network "$attack/bin/escape" any-name
	result "chroot, $abi bits" "$m2s" --quiet --x86-root "$attack" \
		/bin/escape chroot "$secret"
	before=$(state "$work/outside")
	cp "$attack/bin/escape" "$attack/bin/victim"
	result "root: the program's own file, $abi bits" \
		"$m2s" --quiet --x86-root "$attack" /bin/escape program \
		"$secret"
	mv "$attack/bin/victim" "$attack/bin/escape"
	result "root: a stream of a file outside, $abi bits" \
		bash -c "exec '$m2s' --quiet --x86-root '$attack' /bin/escape \
			stream <'$secret'"
	unchanged "root: nothing outside has changed, $abi bits" \
		"$work/outside" "$before"
	fill "$work/kinds$abi"
	before=$(state "$work/kinds$abi")
	result "read-only: files of all kinds, $abi bits" \
		"$m2s" --quiet --x86-read-only \
		--x86-writable "$work/kinds$abi/w" "$attack/bin/escape" \
		read-only "$work/kinds$abi"
	unchanged "read-only: they are as they were, $abi bits" \
		"$work/kinds$abi" "$before"
done

# A procfs elsewhere is the guest's, too. It needs a mount of our own.
inside="mount -t tmpfs none '$work/mount' && mkdir '$work/mount/proc' &&
	mount -t proc none '$work/mount/proc' &&
	exec '$m2s' --quiet '$attack/bin/escape' memory '$work/mount/proc'"
mkdir -p "$work/mount"
label="memory: no way by another procfs"
if unshare -m mount -t proc none "$work/mount" 2>"$work/log"; then
	result "$label" unshare -m bash -c "$inside"
else
	echo "ok - $label # SKIP a mount needs root"
fi

# Devices: in a /dev of our own, so that the host's are not in danger.
inside="mount -t tmpfs none /dev || exit 1
	nodes='full:7 null:3 zero:5 random:8 urandom:9'
	for node in \$nodes; do
		mknod -m 666 /dev/\${node%:*} c 1 \${node#*:} || exit 1
	done
	before=\$(stat -c '%n %a %u %g %h %Y' /dev/*)
	'$m2s' --quiet --x86-root '$attack' \$1 /bin/escape devices
	status=\$?
	[ \"\$(stat -c '%n %a %u %g %h %Y' /dev/*)\" = \"\$before\" ] ||
		{ echo 'the devices have changed'; exit 1; }
	exit \$status"
: >"$attack/bin/victim"
chmod 755 "$attack/bin/victim"
if [ "$(id -u)" -eq 0 ] && mknod -m 666 "$attack/node" c 1 5 &&
   unshare -m mount -t tmpfs none /dev 2>"$work/log"; then
	result "devices: used, not changed" \
		unshare -m bash -c "$inside" devices ""
	result "devices: likewise when files are read-only" \
		unshare -m bash -c "$inside" devices --x86-read-only
else
	echo "ok - devices: used, not changed # SKIP nodes need root"
fi

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
