# Ends a test of native programs where m2s is built with sanitizers: its library
# then wants programs that are, too.
if grep -q '__asan_init\|__tsan_init' \
	"$top_builddir/lib/x86_64/libm2s-native.so.1"; then
	echo "ok - native programs # SKIP m2s is built with sanitizers"
	exit 0
fi
