# The beginning of a test script, which sources it with a NAME: a working folder of
# its own, which is the current one and goes at the end; $m2s, $top_srcdir and $CC;
# say STATUS LABEL, which counts failures in $failed.
top_srcdir=$(cd "${top_srcdir:-$(dirname "${BASH_SOURCE[0]}")/../..}" && pwd)
m2s=$(command -v "${M2S:-m2s}")
m2s=$(cd "$(dirname "$m2s")" && pwd)/$(basename "$m2s")
CC=${CC:-gcc}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-$1-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

say() { # CONDITION'S STATUS, LABEL
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		failed=1
	fi
}
