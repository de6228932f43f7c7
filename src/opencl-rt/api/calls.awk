# Makes doc/opencl-calls.md from api.def.
BEGIN {
	print "# OpenCL calls"
	print ""
	print "Made from `src/opencl-rt/api.def` by `src/opencl-rt/api/calls.awk`."
	print ""
	print "| call | since | state |"
	print "|---|---|---|"
	state["WORKS"] = "works"
	state["LIBRARY"] = "works"
	state["REFUSED"] = "answers the error for a device without it"
}
/^\/\* .* \*\/$/ {
	title = substr($0, 4, length($0) - 6)
	if (title !~ /`/)
		print "| **" title "** | | |"
}
/^CALL\(/ {
	split(substr($0, 6), part, /, */)
	printf "| `%s` | %s.%s | %s |\n", part[1], part[2], part[3], \
		state[part[4]]
}
