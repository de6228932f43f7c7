#!/bin/bash
# Every sample natively on PoCL (where it has a device) and in m2s, functionally and in detail, for
# x86-64 and for i386: the verdict is the program's own comparison with its
# reference, and all runs of one sample must print the same.
set -u
samples=$top_builddir/samples
output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT

. "$top_srcdir/tests/system/sample-sizes.sh"
# run NAME HOW COMMAND...: ok when it passes and prints what PoCL's run did.
run() {
	name=$1 how=$2
	shift 2
	if ! timeout 120 "$@" >"$output/out" 2>"$output/err"; then
		echo "not ok - $name: $how: exit status $?"
		sed 's/^/#   /' "$output/out" "$output/err" | tail -n 15
	elif [ -e "$output/$name" ] && ! cmp -s "$output/out" "$output/$name"
	then
		echo "not ok - $name: $how: prints something else"
	else
		cp "$output/out" "$output/$name"
		echo "ok - $name: $how"
	fi
}

. "$top_srcdir/tests/opencl/native-device.sh"
for name in ${SAMPLES:-$all_samples}; do
	program=$samples/$name/$name
	arguments="-q -n $(size_of "$name") -s 7"
	# shellcheck disable=SC2086
	{
		if [ -z "$no_native_device" ]; then
			run "$name" "PoCL" "$program" $arguments
		else
			echo "ok - $name: PoCL # SKIP $no_native_device"
		fi
		run "$name" "functional" "$M2S" --quiet "$program" $arguments
		run "$name" "detailed" "$M2S" --quiet --evg-sim detailed \
			"$program" $arguments
		if [ "$HAVE_M32" = yes ]; then
			run "$name" "i386 functional" "$M2S" --quiet \
				"$program-i386" $arguments
			run "$name" "i386 detailed" "$M2S" --quiet \
				--evg-sim detailed "$program-i386" $arguments
		else
			echo "ok - $name: i386 # SKIP no 32-bit compiler"
		fi
	}
done
