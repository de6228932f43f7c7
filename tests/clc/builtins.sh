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

# What m2s-clc says of compiling kernel f: which clang it runs, what it links.
words_of() {
	echo "kernel void f(global $1 *a) { *a = $2; }" >f.cl
	"$top_builddir/m2s-clc" --verbose f.cl -o f.bin 2>err
	verdict $? "$3"
	grep -m 1 -e ' -mlink-builtin-bitcode ' err | tr ' ' '\n' >words
}

words_of float 1 "a kernel of singles is compiled"
few=$(grep '\.bc$' words)
words_of double 1 "a kernel with doubles is compiled"
lean=$(grep '\.bc$' words)
words_of double 'convert_double(1)' "a kernel with conversions is compiled"
libraries=$(grep '\.bc$' words)
clang=$(sed -n '2p' words)
[ -x "$clang" ] && [ "$(wc -l <<<"$libraries")" -eq 3 ] &&
	[ "$(wc -l <<<"$lean")" -eq 3 ] && [ "$(wc -l <<<"$few")" -eq 2 ]
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
# The functions that these libraries have, or with -u want.
names() {
	option=$1
	shift
	for library; do
		"$nm" "$option" "$library"
	done | awk '{ print $NF }' | sort -u
}

names --defined-only $libraries >there
comm -23 wanted there >err
[ "$(wc -l <wanted)" -gt 9000 ] && [ ! -s err ]
verdict $? "the libraries have every function"

names --defined-only $lean >there
comm -23 wanted there | grep -v '^_Z[0-9]*convert_' >err
[ ! -s err ]
verdict $? "those for programs without conversions have every other"
names -u $lean | grep -v '^llvm\.\|^__m2s_' | comm -23 - there >err
[ ! -s err ]
verdict $? "and call none of the conversions"

names --defined-only $few >there
grep -v 'double\|convert_' calls.cl >singles.cl
"$clang" "$@" -Xclang -finclude-default-header -emit-llvm -c singles.cl \
	-o singles.bc 2>err
"$nm" -u singles.bc | awk '{ print $NF }' | sort -u >wanted
comm -23 wanted there >>err
[ "$(wc -l <wanted)" -gt 3000 ] && [ ! -s err ]
verdict $? "those for programs without doubles have every function of singles"
names -u $few | grep -v '^llvm\.\|^__m2s_' | comm -23 - there >err
[ ! -s err ]
verdict $? "and call none on doubles"
