#!/bin/bash
# Every function that clang's header declares for OpenCL C 1.2 with this
# device's extensions is in the libraries that m2s-clc links. Images, pipes and
# printf take other ways and have tests of their own.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		sed 's/^/# /' "$work/err" | head -n 40
		exit 1
	fi
}

# m2s-clc says which clang it runs and what it links.
echo 'kernel void f(global double *a) { *a = 1; }' >f.cl
"$top_builddir/m2s-clc" --verbose f.cl -o f.bin 2>err
verdict $? "a kernel with doubles is compiled"
words=$(grep -m 1 -e ' -mlink-builtin-bitcode ' err | tr ' ' '\n')
clang=$(sed -n '2p' <<<"$words")
libraries=$(grep '\.bc$' <<<"$words")
[ -x "$clang" ] && [ "$(wc -l <<<"$libraries")" -eq 3 ]
verdict $? "m2s-clc says how"
# Beside its folder of headers: clang itself may be a link to a cache of compilations.
nm=$("$clang" -print-resource-dir)/../../../bin/llvm-nm
set -- -x cl -cl-std=CL1.2 -target r600-- -mcpu=cypress -Xclang \
	-cl-ext=+cl_khr_fp64

# A function for each declaration, with its parameters, that calls it.
"$clang" "$@" -include "$("$clang" -print-resource-dir)/include/opencl-c.h" \
	-E /dev/null 2>err |
	sed -E '/^#/d; s/__attribute__\(\(([^()]|\([^()]*\))*\)\)//g' |
	tr '\n' ' ' | tr ';' '\n' |
	sed -nE '/image|pipe|reserve_id|nosvm|^ *(typedef|enum)/d
		s/^ *([A-Za-z0-9_ ]+[ *])([a-zA-Z0-9_]+) *\(([^()]+)\) *$/\1|\2|\3/p' |
	awk -F '|' '
	function is_type(word) {
		return word ~ /^(float|double|half|u?(char|short|int|long))[0-9]*$/ ||
			word ~ /^(size_t|event_t|cl_mem_fence_flags)$/
	}
	$3 ~ /^ *void *$/ || $3 ~ /\.\.\./ { next }
	{
		count = split($3, types, ",")
		parameters = arguments = ""
		for (i = 1; i <= count; i++) {
			type = types[i]
			if (match(type, /[A-Za-z_0-9]+ *$/)) {
				word = substr(type, RSTART)
				gsub(/ /, "", word)
				if (!is_type(word))
					type = substr(type, 1, RSTART - 1)
			}
			comma = i > 1 ? ", " : ""
			parameters = parameters comma type " a" i
			arguments = arguments comma "a" i
		}
		result = $1
		gsub(/ +$|^ +/, "", result)
		printf "%s call%d(%s) { %s%s(%s); }\n", result, ++calls,
			parameters, result ~ /void$/ ? "" : "return ", $2,
			arguments
	}' >calls.cl
[ "$(grep -c . calls.cl)" -gt 9000 ]
verdict $? "the header's declarations are found"

"$clang" "$@" -Xclang -finclude-default-header -emit-llvm -c calls.cl \
	-o calls.bc 2>err
verdict $? "all of them can be called"

"$nm" -u calls.bc | awk '{ print $NF }' | sort -u >wanted
for library in $libraries; do
	"$nm" --defined-only "$library"
done | awk '{ print $NF }' | sort -u >there
comm -23 wanted there >err
[ "$(wc -l <wanted)" -gt 9000 ] && [ ! -s err ]
verdict $? "the libraries have every function"
