#!/bin/bash
# CLFLUSH and CLFLUSHOPT, non-temporal stores, and lines that system calls write:
# what they do to caches, and that they change no value.
set -u
. "$(dirname "$0")/begin.sh" caching

if ! $CC -O1 -w -static -pthread -msse4.1 -o caching \
	"$top_srcdir/tests/x86/programs/caching.c" 2>/dev/null; then
	echo "ok - skipped: no static programs"
	exit 0
fi
printf '[General]\nCores = 2\n' >two.cfg

go() { # ARGUMENT SUM OPTIONS
	local what=$1 sum=$2
	shift 2
	"$m2s" --quiet --x86-sim detailed --x86-preset haswell \
		--x86-config two.cfg --overwrite --x86-report "$what.x86" \
		--mem-report "$what.mem" "$@" ./caching "$what" >"$what.out" \
		2>"$what.err"
	[ "$(grep '^sum' "$what.out")" = "sum $sum" ]
	say $? "$what: no value changes"
}
figure() { # FILE SECTION NAME
	awk -v section="[ $2 ]" -v name="$3" '
		/^\[/ { inside = $0 == section }
		inside && $1 == name { print $3 }' "$1"
}
cycles() {
	figure "$1.x86" Global Cycles
}
words() { # PRINTED NAME
	awk '/^cycles/ { print $2 }' "$1.out"
}

go load 16448
go flush 16448
go store 65536
go stream 65536
go parts 19456
go quiet 16384
go call 22528
a=$(cycles load)
b=$(cycles flush)
[ "$b" -gt $((a + 64 * 150)) ]
say $? "a load of a flushed line is a load from memory ($a and $b cycles)"
[ "$(figure flush.x86 "Core 0" Flushes)" = 64 ] &&
	[ "$(figure load.x86 "Core 0" Flushes)" = 0 ]
say $? "flushes are counted"
# CLFLUSHOPT needs a processor that some hosts are not.
if "$m2s" --quiet --x86-cpu x86-64-v3 ./caching none >/dev/null 2>&1; then
	go opt 16384 --x86-cpu x86-64-v3
	go load 16448 --x86-cpu x86-64-v3
	a=$(figure load.mem memory Reads)
	b=$(figure opt.mem memory Reads)
	[ "$(figure opt.x86 "Core 0" Flushes)" = 64 ] && [ "$b" -ge $((a + 60)) ]
	say $? "flushed lines come from memory again ($a and $b reads)"
fi

[ "$(figure stream.x86 "Core 0" Stores.Combined)" = 1024 ] &&
	[ "$(figure store.x86 "Core 0" Stores.Combined)" = 0 ] &&
	[ "$(figure parts.x86 "Core 0" Stores.Combined)" = 1024 ]
say $? "write-combining buffers send lines, whole or in part"
a=$(figure store.mem memory WrittenBytes)
b=$(figure stream.mem memory WrittenBytes)
c=$(figure parts.mem memory WrittenBytes)
[ "$b" -ge $((a + 64 * 1024)) ] && [ "$c" -ge $((a + 64 * 1024)) ]
say $? "their stores are in memory at once ($a, $b and $c bytes)"
a=$(figure store.mem memory Reads)
b=$(figure stream.mem memory Reads)
[ "$b" -ge $((a + 900)) ]
say $? "caches have lost their lines ($a and $b reads)"
a=$("$m2s" --quiet --x86-sim detailed --x86-preset haswell --overwrite \
	--x86-report one.x86 --set Caches.combine_buffers=1 ./caching stream \
	>/dev/null; figure one.x86 Global Cycles)
b=$(cycles stream)
[ "$a" -gt $((b + 8000)) ]
say $? "one buffer is slower ($b and $a cycles)"

go pages 31744
a=$(figure pages.x86 "Core 0" TLB.Walks)
[ "$(figure pages.x86 Global Frames.Large)" = 0 ]
say $? "pages are small by default"
go pages 31744 --set x86:General.LargePages=Always
b=$(figure pages.x86 "Core 0" TLB.Walks)
[ "$b" -lt $((a / 4)) ] && [ "$(figure pages.x86 Global Frames.Large)" -ge 3 ]
say $? "large pages need fewer walks ($a and $b)"

a=$(words quiet)
b=$(words call)
[ "${a:-0}" -gt 0 ] && [ "$b" -gt $((a * 5 / 4)) ]
say $? "another core loses lines that a system call writes ($a and $b cycles)"
exit $failed
