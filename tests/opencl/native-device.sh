# For tests that compare with the host's own OpenCL (PoCL): sets
# no_native_device to the reason why there is none, or to nothing. PoCL ends a
# program that finds no device with abort() where it cannot read /sys.
if no_native_device=$("$top_builddir/samples/vector-add/vector-add" -q -n 64 \
	2>&1 >/dev/null); then
	no_native_device=
else
	no_native_device="no native OpenCL device: $(printf '%s\n' \
		"${no_native_device:-it fails}" | tail -n 1)"
fi
