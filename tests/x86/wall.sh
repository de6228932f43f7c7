#!/bin/bash
# The second wall (doc/confinement.md): what the host's kernel alone keeps a
# program from. --x86-confine kernel-alone switches the emulator's own checks
# off; the same attacks reach everything natively, so they are none that fail
# anyhow. Whatever could go wrong does so in mounts and files of this test.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=$(realpath "$(command -v "${M2S:-m2s}")")
CC=${CC:-gcc}

# As root in mounts of our own, with devices of our own.
if [ "$(id -u)" -eq 0 ] && [ -z "${WALL_TEST:-}" ]; then
	if ! unshare -m true 2>/dev/null; then
		echo "ok - kernel's wall # SKIP root without CAP_SYS_ADMIN"
		exit 0
	fi
	WALL_TEST=1 exec unshare -m --propagation private "$0" "$@"
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-wall-XXXXXX") || exit 1
trap 'kill $peer 2>/dev/null; rm -rf --one-file-system "$work" 2>/dev/null' \
	EXIT
peer=
failed=0

if [ "$(id -u)" -eq 0 ]; then
	mkdir "$work/dev" && mount -t tmpfs none "$work/dev" || exit 1
	for device in full null random tty urandom zero; do
		cp -a /dev/$device "$work/dev" || exit 1
	done
	mkdir -m 1777 "$work/dev/shm" && mount --bind "$work/dev" /dev &&
		trap 'kill $peer 2>/dev/null; umount -l "$work/dev" &&
			rm -rf --one-file-system "$work"' EXIT || exit 1
fi

check() {
	local label=$1
	shift
	if "$@" >"$work/out" 2>&1 </dev/null; then
		echo "ok - $label"
	else
		echo "not ok - $label: status $?"
		tail -n 12 "$work/out"
		failed=1
	fi
}

if "$m2s" --quiet --x86-read-only true 2>"$work/out"; then
	walls="kernel-alone kernel"
elif "$m2s" --quiet --x86-confine landlock --x86-read-only true \
	2>>"$work/out"; then
	walls=
	echo "ok - kernel's wall, namespaces # SKIP $(head -n 1 "$work/out")"
else
	echo "ok - kernel's wall # SKIP $(head -n 1 "$work/out")"
	grep -q 'cannot confine the program' "$work/out"
	exit
fi

if ! $CC -O1 -w -D_GNU_SOURCE -static \
	"$top_srcdir/tests/x86/programs/wall.c" -o "$work/attack" \
	>"$work/log" 2>&1 ||
   ! $CC -w "$top_srcdir/tests/x86/programs/without.c" -o "$work/without" \
	>"$work/log" 2>&1; then
	echo "not ok - the attacks cannot be built"
	tail -n 5 "$work/log"
	exit 1
fi

# Landlock before version 6 does not see abstract sockets.
# landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION)
abstract=m2s-wall-$$
[ "$(perl -e 'print syscall(444, 0, 0, 1)')" -ge 6 ] || abstract=

# Something outside: a file, and somebody who listens.
outside() {
	rm -rf "$work/outside"
	mkdir "$work/outside"
	echo secret >"$work/outside/secret"
	kill $peer 2>/dev/null
	perl -e 'use Socket; my ($path, $abstract, $port) = @ARGV;
		socket(A, AF_UNIX, SOCK_STREAM, 0);
		bind(A, pack_sockaddr_un($path)); listen(A, 9);
		socket(B, AF_UNIX, SOCK_STREAM, 0);
		bind(B, pack_sockaddr_un("\0$abstract")); listen(B, 9);
		socket(C, AF_INET, SOCK_STREAM, 0);
		bind(C, pack_sockaddr_in(0, INADDR_LOOPBACK)); listen(C, 9);
		open(D, ">", $port);
		print D +(unpack_sockaddr_in(getsockname(C)))[0], "\n";
		close(D); sleep 600' \
		"$work/outside/socket" "m2s-wall-$$" "$work/port" &
	peer=$!
	rm -f "$work/port"
	for _ in $(seq 100); do
		[ -s "$work/port" ] && break
		sleep 0.05
	done
	port=$(cat "$work/port")
}

state() {
	(cd "$1" && find . -printf '%p %y %m %U %G %s %T@ %l\n' | sort &&
		cat $(find . -type f))
}

root=$work/root
prepare_root() {
	rm -rf "$root"
	mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/tmp"
	cp "$work/attack" "$root/bin"
	for device in full null random tty urandom zero; do
		: >"$root/dev/$device"
	done
}

folder=$work/folder
prepare_folder() {
	rm -rf "$folder"
	mkdir -p "$folder/w"
	echo text >"$folder/file"
	mkfifo "$folder/fifo"
	ln -s nowhere "$folder/link"
	perl -e 'use Socket; socket(A, AF_UNIX, SOCK_STREAM, 0);
		bind(A, pack_sockaddr_un($ARGV[0]))' "$folder/socket"
	[ "$(id -u)" -ne 0 ] || mknod "$folder/device" c 1 3
}

# The attacks are some: without a wall they reach what they try.
native() {
	outside
	prepare_folder
	(mkdir -p "$work/native" && cd "$work/native" &&
		cp "$work/attack" . &&
		./attack root "$work/outside/secret" "$work/outside/socket" \
			"m2s-wall-$$") >"$work/out"
	grep -q '^out: connect' "$work/out" && grep -q '^out: write /' \
		"$work/out" && ! [ -s "$work/outside/secret" ] || return 1
	"$work/attack" write "$folder" >"$work/out"
	[ "$(grep -c '^out:' "$work/out")" -ge 10 ] || return 1
	"$work/attack" network "$port" "m2s-wall-$$" >"$work/out"
	grep -q '^out: connect [0-9]' "$work/out" &&
		grep -q '^out: connect m2s' "$work/out"
}
if native; then
	echo "ok - natively the attacks succeed"
else
	echo "not ok - natively the attacks succeed"
	cat "$work/out"
	failed=1
fi

# unharmed LABEL FOLDER COMMAND...: the program finds no way, and nothing in
# FOLDER is another than before
unharmed() {
	local label=$1 folder=$2
	shift 2
	state "$folder" >"$work/before" 2>&1
	check "$label" timeout 60 "$@"
	state "$folder" >"$work/after" 2>&1
	if cmp -s "$work/before" "$work/after"; then
		echo "ok - $label: nothing has changed"
	else
		echo "not ok - $label: nothing has changed"
		diff "$work/before" "$work/after"
		failed=1
	fi
}

for wall in $walls; do
	confined="$m2s --quiet --x86-confine $wall"
	outside
	prepare_root
	unharmed "$wall: files outside a root" "$work/outside" \
		$confined --x86-root "$root" /bin/attack root \
		"$work/outside/secret" "$work/outside/socket" "$abstract"
	prepare_root
	unharmed "$wall: memory, in a root" "$work/outside" \
		$confined --x86-root "$root" /bin/attack memory
	if [ "$(id -u)" -eq 0 ]; then
		unharmed "$wall: devices" "$work/dev" \
			$confined --x86-root "$root" /bin/attack devices
		unharmed "$wall: devices, read-only" "$work/dev" \
			$confined --x86-root "$root" --x86-read-only \
			/bin/attack devices
	else
		echo "ok - $wall: devices # SKIP not root"
	fi
	prepare_folder
	state "$folder" | grep -v '^\./w\|^\. ' >"$work/before"
	check "$wall: a read-only folder" $confined --x86-read-only \
		--x86-writable "$folder/w" "$work/attack" write "$folder"
	state "$folder" | grep -v '^\./w\|^\. \|^x$' >"$work/after"
	check "$wall: a read-only folder: nothing has changed" \
		cmp "$work/before" "$work/after"
	check "$wall: memory, read-only" $confined --x86-read-only \
		"$work/attack" memory
	check "$wall: network" $confined --x86-no-network "$work/attack" \
		network "$port" "m2s-wall-$$"
	check "$wall: network, in a root" $confined --x86-root "$root" \
		--x86-no-network /bin/attack network "$port" "m2s-wall-$$"
done

# Without namespaces: what Landlock and the filter see.
landlock="$m2s --quiet --x86-confine landlock"
outside
prepare_root
unharmed "landlock: files outside a root" "$work/outside" \
	$landlock --x86-root "$root" /bin/attack root \
	"$work/outside/secret" "$work/outside/socket" "$abstract"
check "landlock: memory, read-only" $landlock --x86-read-only \
	"$work/attack" memory
check "landlock: network" $landlock --x86-no-network "$work/attack" \
	network "$port" "m2s-wall-$$"

# What is missing is said, and what to do.
says() {
	local label=$1 without=$2 expected=$3
	shift 3
	if "$work/without" "$without" "$m2s" --quiet "$@" "$work/attack" \
		memory >"$work/out" 2>&1 </dev/null ||
	   ! grep -q -- "$expected" "$work/out"; then
		echo "not ok - refuses $label"
		cat "$work/out"
		failed=1
	else
		echo "ok - refuses $label"
	fi
}
says "a kernel without Landlock" landlock \
	'no Landlock.*; --x86-confine emulated' --x86-read-only
says "a kernel without Landlock or namespaces" landlock \
	'no Landlock.*; --x86-confine emulated' --x86-read-only \
	--x86-confine landlock
says "a host without namespaces" namespaces \
	'not allow this user to make namespaces.*--x86-confine landlock' --x86-read-only
says "a kernel without filters" filters 'not accept a filter' --x86-no-network
check "without namespaces: --x86-confine landlock" "$work/without" \
	namespaces $landlock --x86-read-only "$work/attack" memory
check "without Landlock: --x86-confine emulated" "$work/without" landlock \
	"$m2s" --quiet --x86-confine emulated --x86-read-only "$work/attack" \
	memory

# Outputs of m2s lie outside.
outputs() {
	rm -rf "$work/outputs"
	mkdir "$work/outputs" && cd "$work/outputs" || return 1
	echo old >real.ini && ln -s real.ini x86.ini
	prepare_root
	"$m2s" --quiet --x86-root "$root" --x86-no-network \
		--x86-report x86.ini --x86-save-checkpoint "$PWD/point" \
		--x86-max-inst 1000 --x86-debug-syscall calls /bin/attack memory
	[ -s point ] && grep -q Instructions real.ini && [ -L x86.ini ] &&
		[ "$(ls | wc -l)" -eq 4 ]
}
check "reports, traces and checkpoints outside a root" outputs

# Every call of the host that m2s imports is in a list of the wall's.
missing() {
	local list="$top_srcdir/src/m2s/wall-calls.def
		$top_srcdir/src/opencl-rt/clc/wall-calls.def"
	nm -D --undefined-only "$m2s" | sed 's/.* U //; s/@.*//; s/64$//' |
		sort -u >"$work/imports"
	echo '#include <sys/syscall.h>' | $CC -E -dM - |
		sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/\1/p' |
		sort -u >"$work/calls"
	sed -n 's/^CALL[_IF]*(\([a-z0-9_]*\).*/\1/p' $list |
		sort -u >"$work/listed"
	comm -12 "$work/imports" "$work/calls" >"$work/made"
	grep -rhoE '\<SYS_[a-z0-9_]+' "$top_srcdir/src/x86" \
		"$top_srcdir/src/sim" "$top_srcdir/src/m2s" \
		"$top_srcdir/src/evergreen" "$top_srcdir/src/memsys" \
		"$top_srcdir/src/report" "$top_srcdir/src/debug" |
		sed 's/^SYS_//' >>"$work/made"
	sort -u "$work/made" | comm -23 - "$work/listed" >"$work/missing"
	for name in ${WALL_OWN_CALLS:-}; do
		sed -i "/^$name\$/d" "$work/missing"
	done
	cat "$work/missing"
	! [ -s "$work/missing" ]
}
# Those that m2s makes before it is behind its wall, open_by_handle_at(), which
# guests behind it do not get, and socket(), which has its own rule.
WALL_OWN_CALLS="chroot fsconfig fsmount fsopen mount_setattr move_mount
	open_by_handle_at open_tree socket umount2 unshare" \
	check "every system call that m2s makes is listed" missing
exit $failed
