#!/bin/bash
# Kernels on buffers that are memory of the program, where cores and compute units
# have one memory with a coherent way; and what devices bring to programs.
set -u
. "$(dirname "$0")/begin.sh" coherent
build=$(realpath "$top_builddir")

if ! $CC -O1 -w -o shared "$top_srcdir/tests/x86/programs/shared-buffers.c" \
	-L"$build/lib/x86_64" -Wl,-rpath,"$build/lib/x86_64" -lm2s-opencl \
	2>cc.err; then
	say 1 "the program builds"
	exit 1
fi

go() { # NAME OPTIONS -- ARGUMENTS OF THE PROGRAM
	local name=$1
	shift
	timeout 60 "$m2s" --quiet --provenance none --x86-env clean \
		--x86-sim detailed --evg-sim detailed --x86-region --overwrite \
		--x86-report "$name.x86" --evg-report "$name.evg" \
		--mem-report "$name.mem" "$@" >"$name.out" 2>"$name.err"
}
chip() { # NAME ARGUMENTS
	local name=$1
	shift
	go "$name" --x86-preset llano --evg-preset llano ./shared "$@"
}
figure() { # FILE SECTION NAME
	awk -v section="[ $2 ]" -v name="$3" '
		/^\[/ { inside = $0 == section }
		inside && $1 == name { print $3 }' "$1"
}

# 2 x (15 + i) over 16384 items; with 21 in a third round.
for where in device use alloc; do
	chip "$where" "$where" 2 kernel && [ "$(head -1 "$where.out")" = 268910592 ]
	say $? "kernels compute what they should: $where"
	chip "map-$where" "$where" 2 map &&
		[ "$(head -1 "map-$where.out")" = 403464192 ]
	say $? "they see what the program has mapped and written: $where"
done

# Two launches read two buffers of 1024 lines and write one. A buffer of the program that does not
# begin with a line has a line more, and blocks of the device lie in two of its.
[ "$(figure alloc.mem evg-coherent Reads)" = 4096 ] &&
	[ "$(figure alloc.mem evg-coherent NCWrites)" = 2048 ] &&
	[ "$(figure use.mem evg-coherent Reads)" = 8192 ] &&
	[ "$(figure use.mem evg-coherent NCWrites)" = 4096 ]
say $? "buffers of the program take the coherent way"
# Others are mapped three times, there and back: once before the region, in time that
# the memory has not yet simulated when that begins.
[ "$(figure device.mem evg-coherent Reads)" = 3072 ] &&
	[ "$(figure device.mem evg-coherent NCWrites)" = 3072 ]
say $? "and so do transfers of others"
device=$(figure device.evg Device Cycles)
alloc=$(figure alloc.evg Device Cycles)
[ $((alloc * 10)) -gt $((device * 12)) ]
say $? "it is slower ($device and $alloc cycles)"
# What the core has written last is in its caches: the memory asks them.
[ "$(figure alloc.mem l2-0 Probes)" -ge 2000 ]
say $? "kernels get what cores have in their caches"
mv alloc.mem first.mem
mv alloc.x86 first.x86
chip alloc alloc 2 kernel
cmp -s alloc.mem first.mem && cmp -s alloc.x86 first.x86
say $? "two runs are the same"

go card --x86-preset llano --evg-preset hd5870 ./shared alloc 2 kernel &&
	[ "$(head -1 card.out)" = 268910592 ] && ! grep -q evg-coherent card.mem
say $? "a card works on copies"

# The samples' memory with a coherent way, and with a wrong one.
file() { # MODULE
	awk -v module="$1" '
		{ print }
		/^Arch = Evergreen/ { print "CoherentModule = " module }
		END {
			print "[ CacheGeometry way ]"
			print "Sets = 4\nAssoc = 4\nBlockSize = 64\nLatency = 4"
			print "[ Module way ]"
			print "Type = Cache\nGeometry = way"
			print "LowNetwork = mm-net\nLowModules = mm-0 mm-1"
		}' "$top_srcdir/samples/memory/x86-evg-fused.ini" >way.ini
}
file way
go file --mem-config way.ini --set evg:Device.NumComputeUnits=4 \
	--set x86:General.Cores=2 ./shared alloc 2 kernel &&
	[ "$(head -1 file.out)" = 268910592 ] &&
	[ "$(figure file.mem way Reads)" = 4096 ]
say $? "a file has a coherent way"
file wya
! go wrong --mem-config way.ini --set evg:Device.NumComputeUnits=4 \
	--set x86:General.Cores=2 ./shared alloc 2 kernel &&
	grep -q "way.ini:[0-9]*:.*CoherentModule = wya: no such module" wrong.err
say $? "a mistake there is named"
exit $failed
