#!/bin/bash
# What calls refuse and settings change, natively and under m2s.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
m2s=$(command -v "$m2s")
m2s=$(cd "$(dirname "$m2s")" && pwd)/$(basename "$m2s")
CC=${CC:-gcc}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-rights-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
. "$top_srcdir/tests/x86/native.sh"

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"
apart= # settings are those of a namespace
if unshare --ipc --uts true 2>/dev/null; then
	apart="unshare --ipc --uts"
fi

# both LABEL PROGRAM: in folders of its own
both() {
	mkdir -p "$work/native.d" "$work/simulated.d"
	(cd "$work/native.d" && $apart "$2" >"$work/native" 2>/dev/null \
		</dev/null)
	local native=$?
	(cd "$work/simulated.d" && $apart timeout 100 "$m2s" --quiet "$2" \
		>"$work/simulated" 2>"$work/simulated.err" </dev/null)
	judge "$1" $native $?
}

for abi in $abis; do
	for name in rights ipc-limits machine-names; do
		"$CC" -O2 -w -D_GNU_SOURCE -m$abi \
			"$top_srcdir/tests/x86/programs/$name.c" \
			-o $name.$abi -lrt || exit 1
	done
	both "rights, $abi bits" "$work/rights.$abi"
	if [ -n "$apart" ]; then
		both "limits of System V IPC, $abi bits" "$work/ipc-limits.$abi"
		both "names of the machine, $abi bits" "$work/machine-names.$abi"
	else
		echo "ok - limits of System V IPC, $abi bits # SKIP no namespaces"
		echo "ok - names of the machine, $abi bits # SKIP no namespaces"
	fi
done
exit $failed
