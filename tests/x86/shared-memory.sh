#!/bin/bash
# The /dev/shm of a confined run is gone when it has ended, in whatever way.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
CC=${CC:-gcc}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-shared-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

check() {
	if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; fi
}

# Fills /dev/shm with a file, a folder that nobody may enter and folders within
# folders, and then does what it is told.
cat >"$work/fill.c" <<'C'
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	(void)argc;
	if (chdir("/dev/shm") || close(creat(argv[1], 0600)) ||
	    mkdir("closed", 0700) || close(creat("closed/file", 0600)) ||
	    chmod("closed", 0))
		return 9;
	for (int i = 0; i < 1500; i++)
		if (mkdir("folder", 0700) || chdir("folder") ||
		    (i % 100 == 0 && close(creat("file", 0600))))
			return 8;
	close(creat("/filled", 0600));
	if (!strcmp(argv[2], "end"))
		return 7;
	if (!strcmp(argv[2], "fault"))
		raise(SIGSEGV);
	for (;;)
		sleep(100);
}
C
mkdir "$work/root"
$CC -O1 -w -static -o "$work/root/fill" "$work/fill.c" || exit 1

# folder NAME: the m2s-shm-* with the file of that name, if it is there
folder() {
	ls -d /dev/shm/m2s-shm-*/"$1" "${TMPDIR:-/tmp}"/m2s-shm-*/"$1" \
		2>/dev/null
}

# confine: how (--x86-confine)

# whole END: the run ends by itself.
whole() {
	local name=$1-$$
	rm -f "$work/root/filled"
	(ulimit -c 0
	timeout 60 "$m2s" --quiet --x86-confine $confine \
		--x86-root "$work/root" /fill "$name" "$1") 2>/dev/null
	[ -e "$work/root/filled" ] && [ -z "$(folder "$name")" ]
	check "nothing is left, $confine: $1" $?
}

# killed LABEL SIGNAL...: by signals to its group
killed() {
	local label=$1 name=killed-$RANDOM-$$ pid path
	shift
	rm -f "$work/root/filled"
	# In a group of its own: signals for it do not reach this script.
	set -m
	"$m2s" --quiet --x86-confine $confine \
		--x86-root "$work/root" /fill "$name" wait \
		2>/dev/null &
	set +m
	for _ in $(seq 100); do
		[ -e "$work/root/filled" ] && break
		sleep 0.1
	done
	path=$(folder "$name")
	pid=$!
	for signal; do
		kill "-$signal" -- "-$pid"
	done
	wait 2>/dev/null
	for _ in $(seq 50); do
		[ -n "$path" ] && [ -e "${path%/*}" ] || break
		sleep 0.1
	done
	# Behind the kernel's wall it is never in the host's.
	if [ $confine = kernel ]; then
		[ -e "$work/root/filled" ] && [ -z "$path" ]
	else
		[ -n "$path" ] && [ ! -e "${path%/*}" ]
	fi
	check "nothing is left, $confine: $label" $?
	for _ in $(seq 50); do
		pgrep -f "/fill $name" >/dev/null || break
		sleep 0.1
	done
	! pgrep -f "/fill $name" >/dev/null
	check "no process is left, $confine: $label" $?
	pkill -KILL -f "/fill $name"
}

for confine in kernel landlock emulated; do
	"$m2s" --quiet --x86-confine $confine --x86-root "$work/root" /fill \
		"try-$$" end 2>/dev/null
	if [ $? -ne 7 ]; then
		echo "ok - nothing is left, $confine # SKIP not to be had here"
		continue
	fi
	whole end
	whole fault
	killed "SIGTERM" TERM
	killed "Ctrl-C twice" INT INT
	killed "SIGKILL for the whole group" KILL
done

# What a keeper that was killed has left, the next run removes; not what is
# young, locked or not of that name.
if mkdir -m 700 "/dev/shm/m2s-shm-left-$$" 2>/dev/null; then
	left=/dev/shm/m2s-shm-left-$$
	mkdir "$left-young" "$left-locked" "/dev/shm/m2s-other-$$"
	mkdir -p "$left/a/b" && : >"$left/a/file"
	touch -d '1 hour ago' "$left" "$left-locked" "/dev/shm/m2s-other-$$"
	(flock -n 9 && whole end) 9<"$left-locked"
	[ ! -e "$left" ] && [ -e "$left-young" ] && [ -e "$left-locked" ] &&
		[ -e "/dev/shm/m2s-other-$$" ]
	check "what was left before is removed" $?
	rm -rf "$left"* "/dev/shm/m2s-other-$$"
else
	echo "ok - what was left before is removed # SKIP no /dev/shm"
fi
