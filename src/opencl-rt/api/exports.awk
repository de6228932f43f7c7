# Makes the library's version script from api.def: each function under the
# symbol version of the OpenCL version that introduced it, as the ordinary
# libOpenCL.so.1 has them.
/^CALL\(/ {
	split(substr($0, 6), part, /, */)
	version = "OPENCL_" part[2] "." part[3]
	if (!(version in names))
		versions[++count] = version
	names[version] = names[version] "\t\t" part[1] ";\n"
}

END {
	for (i = 2; i <= count; i++)
		for (j = i; j > 1 && versions[j] < versions[j - 1]; j--) {
			swap = versions[j]
			versions[j] = versions[j - 1]
			versions[j - 1] = swap
		}
	for (i = 1; i <= count; i++) {
		printf "%s {\n\tglobal:\n%s", versions[i], names[versions[i]]
		if (i == 1)
			printf "\t\tclIcdGetPlatformIDsKHR;\n\tlocal: *;\n"
		printf "}%s;\n", i == 1 ? "" : " " versions[i - 1]
	}
}
