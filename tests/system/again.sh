# Runs the commands in documents again, for examples.sh and install.sh, which say
# what such a document looks like. They set
#	folder  a folder, in which work/ is where the commands are run
#	setup   build-tree: work/ looks like a checkout with its build/; installed:
#	        it is empty. A file of this name in the document is read by the
#	        shell before each command.
#	within  what starts the shell, if anything
setup=build-tree within=

# run COMMAND: what it prints
run() {
	(cd "$folder/work" && exec </dev/null 2>&1 &&
		timeout 120 $within bash -o pipefail \
			-c ". ./$setup 2>/dev/null; $1")
}

# again FILE: the document with its commands run again
again() {
	local line command='' fenced='' file=''

	rm -rf "$folder/work" && mkdir "$folder/work" || return 1
	: >"$folder/work/$setup"
	if [ "$setup" = build-tree ]; then
		ln -s "$top_builddir" "$folder/work/build"
		ln -s "$top_srcdir/samples" "$folder/work/samples"
	fi
	while IFS= read -r line; do
		case $fenced$line in
		'```'*' '*)
			# The contents of a file: ```ini half.ini
			fenced=no file=$folder/work/${line#* }
			printf '%s\n' "$line"
			: >"$file"
			;;
		'```'?*)
			# Not run: ```text
			fenced=no
			printf '%s\n' "$line"
			;;
		'```')
			fenced=yes
			printf '%s\n' "$line"
			;;
		'yes```'* | 'no```'*)
			fenced='' command='' file=''
			printf '%s\n' "$line"
			;;
		'yes$ '*)
			printf '%s\n' "$line"
			command=${line#'$ '}
			while [[ $command == *\\ ]]; do
				IFS= read -r line || break
				printf '%s\n' "$line"
				command=${command%\\}$line
			done
			run "$command"
			;;
		yes*)
			[ -n "$command" ] || printf '%s\n' "$line"
			;;
		*)
			printf '%s\n' "$line"
			[ -z "$file" ] || printf '%s\n' "$line" >>"$file"
			;;
		esac
	done <"$1"
}

# Addresses, numbers and the spaces around them do not count.
masked() {
	sed -E 's/0x[0-9a-f]+/#/g; s/-?[0-9]+([.,][0-9]+)*(e[-+]?[0-9]+)?/#/g; s/ +/ /g' "$1"
}

