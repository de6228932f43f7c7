#!/bin/bash
# Cores and a GPU, both simulated in detail: in one memory, where each slows the
# other down, and in two, where copies take the cores' time.
set -u
. "$(dirname "$0")/begin.sh" fused
samples=$top_srcdir/samples/memory
build=$(realpath "$top_builddir")

if ! $CC -O1 -w -o fused "$top_srcdir/tests/x86/programs/fused.c" \
	-L"$build/lib/x86_64" -Wl,-rpath,"$build/lib/x86_64" -lm2s-opencl \
	-pthread 2>cc.err; then
	say 1 "the program builds"
	exit 1
fi
printf '[General]\nCores = 2\n' >two.cfg

go() { # NAME OPTIONS -- ARGUMENTS OF THE PROGRAM
	local name=$1
	shift
	timeout 60 "$m2s" --quiet --provenance none --x86-sim detailed \
		--evg-sim detailed --x86-region --x86-config two.cfg \
		--overwrite --x86-report "$name.x86" --evg-report "$name.evg" \
		--mem-report "$name.mem" "$@" >"$name.out" 2>"$name.err"
}
chip() { # ARGUMENT
	go "$1" --x86-preset llano --evg-preset llano ./fused "$1"
}

figure() { # FILE SECTION NAME
	awk -v section="[ $2 ]" -v name="$3" '
		/^\[/ { inside = $0 == section }
		inside && $1 == name { print $3 }' "$1"
}

chip kernel && chip both && [ "$(cat kernel.out both.out)" = "32768
32768" ]
say $? "kernels in the cores' memory compute what they should"
grep -q '^\[ memory \]' kernel.mem && grep -q '^\[ evg-l2-3 \]' kernel.mem &&
	! grep -q '^\[ evg-gm' kernel.mem
say $? "there is one memory"
own() { # the GPU of the same chip with a memory of its own
	"$m2s" --quiet --evg-sim detailed --evg-preset llano --overwrite \
		--evg-report own.evg ./fused kernel >/dev/null 2>&1
}
own
alone=$(figure kernel.evg Device Cycles)
apart=$(figure own.evg Device Cycles)
[ $((alone * 100)) -gt $((apart * 95)) ] && [ $((alone * 100)) -lt $((apart * 105)) ]
say $? "a kernel alone takes what it takes in a memory of its own ($alone, $apart cycles)"
both=$(figure both.evg Device Cycles)
[ $((both * 1000)) -gt $((alone * 1005)) ]
say $? "traffic of a core slows a kernel down ($alone to $both cycles)"
chip thread && chip thread-too
say $? "threads beside kernels"
alone=$(awk '/^cycles/ { print $2 }' thread.out)
both=$(awk '/^cycles/ { print $2 }' thread-too.out)
[ "${alone:-0}" -gt 1000 ] && [ $((both * 10)) -gt $((alone * 11)) ]
say $? "kernels slow a core down ($alone to $both cycles)"
mv both.x86 first.x86
mv both.mem first.mem
chip both
cmp -s both.x86 first.x86 && cmp -s both.mem first.mem
say $? "two runs are the same"

cat >two.ctx <<END
[Context 0]
Exe = $work/fused
Args = kernel
Stdout = $work/a.out
[Context 1]
Exe = $work/fused
Args = kernel
Stdout = $work/b.out
END
go two --x86-preset llano --evg-preset llano --ctx-config two.ctx
[ $? -eq 0 ] && [ "$(cat a.out b.out)" = "32768
32768" ]
say $? "two programs launch kernels"
chip exit
[ $? -eq 3 ]
say $? "a process may end while its kernel runs"
go limit --x86-preset llano --evg-preset llano --evg-max-inst 1000 ./fused both
[ $? -eq 122 ]
say $? "a limit ends a run while a kernel runs"

go file --mem-config "$samples/x86-evg-shared.ini" \
	--set evg:Device.NumComputeUnits=2 ./fused both
[ $? -eq 0 ] && [ "$(cat file.out)" = 32768 ] &&
	[ "$(figure file.mem mm Accesses)" -gt 1000 ]
say $? "cores and compute units of a file"

# PCIe: a megabyte takes longer than the threads of the copy do.
copy() { # KB
	go "copy-$1" --x86-preset haswell --evg-preset hd5870 ./fused copy "$1"
}
copy 16 && copy 4096 && grep -q '^\[ evg-gm-7 \]' copy-16.mem &&
	grep -q '^\[ l3 \]' copy-16.mem
say $? "two memories in one run"
few=$(figure copy-16.x86 "Core 0" DeviceCycles)
many=$(figure copy-4096.x86 "Core 0" DeviceCycles)
[ "$many" -gt $((10 * few)) ] &&
	[ "$(figure copy-4096.x86 Global Cycles)" -gt "$many" ]
say $? "copies take the cores' time ($few and $many cycles)"

# Onion: 4 MB are pinned at 16 GB/s and cross at 10.4, with 5 us for the transfer; a
# card's bus takes longer.
us() { # of the first core's wait
	awk -v cycles="$(figure "$1.x86" "Core 0" DeviceCycles)" \
		'BEGIN { printf "%.1f", cycles / 2900 }'
}
go onion --x86-preset llano --evg-preset llano ./fused copy 4096
go card --x86-preset llano --evg-preset hd5870 ./fused copy 4096
awk -v onion="$(us onion)" -v card="$(us card)" 'BEGIN {
	wanted = 4194304 / 16e3 + 4194304 / 10.4e3 + 5
	exit !(onion > wanted - 1 && onion < wanted + 10 && card > 1.3 * onion) }'
say $? "copies on one chip take its coherent path ($(us onion) us, a card $(us card))"
exit $failed
