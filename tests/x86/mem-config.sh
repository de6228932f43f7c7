#!/bin/bash
# --mem-config with x86 cores: caches of a file, in Multi2Sim's sections, take the
# place of the chip's; --mem-report without a detailed GPU; errors.
set -u
. "$(dirname "$0")/begin.sh" mem
samples=$top_srcdir/samples/memory

cat >walk.c <<'END'
#include <stdio.h>

static char memory[65536];

int main(void)
{
	unsigned sum = 0;

	for (int turn = 0; turn < 20; turn++)
		for (unsigned i = 0; i < sizeof memory; i += 64)
			sum += memory[(i * 37) % sizeof memory]++;
	printf("%u\n", sum);
	return 0;
}
END
if ! $CC -O1 -w -static -o walk walk.c; then
	echo "ok - skipped: no static programs"
	exit 0
fi

write() { # FILE SETS LATENCY
	cat >"$1" <<END
[ General ]
Frequency = 2000
[ CacheGeometry l1 ]
Sets = $2
Assoc = 8
BlockSize = 64
Latency = $3
Policy = LRU
[ CacheGeometry l2 ]
Sets = 1024
Assoc = 8
BlockSize = 64
Latency = 20
Policy = LRU
[ Network low ]
DefaultInputBufferSize = 288
DefaultOutputBufferSize = 288
DefaultBandwidth = 72
[ Network memory ]
DefaultInputBufferSize = 288
DefaultOutputBufferSize = 288
DefaultBandwidth = 72
[ Module first ]
Type = Cache
Geometry = l1
LowNetwork = low
LowModules = second
[ Module second ]
Type = Cache
Geometry = l2
HighNetwork = low
LowNetwork = memory
LowModules = main
[ Module main ]
Type = MainMemory
BlockSize = 64
Latency = 200
HighNetwork = memory
[ Entry one ]
Arch = x86
Core = 0
Thread = 0
Module = first
END
}

go() { # NAME OPTIONS
	local name=$1
	shift
	"$m2s" --x86-sim detailed --overwrite --x86-report "$name.x86" \
		--mem-report "$name.mem" "$@" ./walk >"$name.out" 2>"$name.err"
}

figure() { # FILE SECTION NAME
	awk -v section="[ $2 ]" -v name="$3" '
		/^\[/ { inside = $0 == section }
		inside && $1 == name { print $3 }' "$1"
}

write small.ini 8 0
write large.ini 256 0
write slow.ini 256 6
go chip
say $? "--mem-report without a detailed GPU"
go small --mem-config small.ini
go large --mem-config large.ini
go slow --mem-config slow.ini
cmp -s chip.out small.out && cmp -s chip.out slow.out
say $? "the program prints the same"
a=$(figure small.x86 Global Cycles)
b=$(figure large.x86 Global Cycles)
c=$(figure slow.x86 Global Cycles)
[ "$a" -gt $((b * 11 / 10)) ] && [ "$c" -gt "$b" ]
say $? "a small cache and a slow one take longer ($a, $b, $c cycles)"
[ "$(figure small.mem first Sets)" = 8 ] &&
	[ "$(figure small.mem first Misses)" -gt 10000 ] &&
	[ "$(figure large.mem first Misses)" -lt 10000 ]
say $? "the report has the file's modules"
[ "$(figure large.mem first Accesses)" = \
	$(($(figure large.mem first Hits) + $(figure large.mem first Misses))) ]
say $? "hits and misses are the accesses"
grep -q 'Memory = caches and memory of --mem-config' small.x86
say $? "the x86 report says where the caches are from"
printf '[ x86:General ]\nCores = 1\n' >x86.ini
go part --config x86.ini
grep -q 'Memory = caches, TLBs and memory of the chip' part.x86
say $? "a file of --config without a memory section leaves the chip's caches"
"$m2s" --x86-sim detailed --set mem:l2.x=1 ./walk >/dev/null 2>set.err
[ $? -ne 0 ] && grep -q 'l2' set.err
say $? "a setting that nothing has is an error"
go set --set 'mem:CacheGeometry l1d.Sets=1'
[ "$(figure set.x86 Global Cycles)" -gt "$(figure chip.x86 Global Cycles)" ]
say $? "--set changes the chip's caches"

printf '[General]\nCores = 4\n' >four.cfg
go private --x86-config four.cfg --mem-config "$samples/x86-private-l2.ini"
[ $? -eq 0 ] && [ "$(figure private.mem l1-0 Accesses)" -gt 1000 ]
say $? "four cores of a sample"

refused() { # TEXT LABEL OPTIONS
	local text=$1 label=$2
	shift 2
	! go bad "$@" && grep -q "$text" bad.err
	say $? "$label"
}
refused 'small.ini: no \[ Entry \] with Arch = x86, Core = 1' "a core without an entry" \
	--x86-config four.cfg --mem-config small.ini
{
	sed 's/^Module = first/&\nTLB = t/' small.ini
	printf '[ TLBGeometry g ]\nSets = 1\n[ TLB t ]\nGeometry = g\nWalkLatency = 10\n'
} >tlb.ini
refused 'TLBs of cores are those of --x86-preset' "a TLB of the file's" \
	--mem-config tlb.ini
printf '[General]\nMemory = FirstLevel\n' >first.cfg
refused 'cores have no caches' "a file without caches" \
	--x86-config first.cfg --mem-config small.ini
{
	cat small.ini
	printf '[ Entry gpu ]\nArch = Evergreen\nComputeUnit = 0\nModule = first\n'
} >both.ini
refused 'ComputeUnit = 1' "a file without the compute units" \
	--evg-sim detailed --mem-config both.ini
exit $failed
