#!/bin/bash
# Kernel services that a host may lack, for both ABIs: where it has them,
# programs do under m2s what they do natively.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
CC=${CC:-gcc}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-services-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
. "$top_srcdir/tests/x86/native.sh"

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"

# service NAME WHAT: the program NAME says with the argument "probe" whether
# the host has it.
service() {
	local name=$1 what=$2 abi program label
	for abi in $abis; do
		label="$what, $abi bits"
		program=$work/$name.$abi
		if ! $CC -O2 -w -D_GNU_SOURCE -m$abi -pthread \
			"$top_srcdir/tests/x86/programs/$name.c" \
			-o "$program" >"$work/log" 2>&1; then
			echo "not ok - $label: cannot be built"
			tail -n 5 "$work/log"
			failed=1
			continue
		elif ! "$m2s" --quiet "$program" probe >"$work/log" 2>&1; then
			echo "not ok - $label: m2s has it"
			tail -n 5 "$work/log"
			failed=1
			continue
		elif ! "$program" probe >/dev/null 2>&1; then
			echo "ok - $label # SKIP the host has none"
			continue
		fi
		(cd "$work" && "$program" >"$work/native" \
			2>"$work/native.err" </dev/null)
		local native=$?
		(cd "$work" && timeout 120 "$m2s" --quiet "$program" \
			>"$work/simulated" 2>"$work/simulated.err" </dev/null)
		judge "$label" $native $?
	done
}

service keys "keys and keyrings"
if timeout 20 "$m2s" --quiet "$work/keys.64" ways >"$work/out" 2>&1 &&
   grep -q '^request: Required key' "$work/out" &&
   [ "$(wc -l <"$work/out")" -eq 1 ]; then
	echo "ok - a search ends however keyrings link each other"
else
	echo "not ok - a search ends however keyrings link each other"
	tail -n 3 "$work/out"
	failed=1
fi
service filters "filters of system calls"
service restrained "Landlock"
exit $failed
