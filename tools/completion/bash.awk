# Writes bash completion for -v tool=NAME from rows (see rows.awk). A row whose
# option is empty names a subcommand. -v program=yes: the first word that is no
# option is a program, and all behind it is the program's.
BEGIN { FS = "\t" }
function quoted(text) {
	gsub(/'/, "'\\''", text)
	return "'" text "'"
}
$2 == "" {
	commands = commands " " $1
	next
}
{
	count = split($2, forms, " ")
	offered[$1] = offered[$1] " " $2
	for (i = 1; i <= count; i++) {
		if ($3 == "" || forms[i] ~ /=$/ || known[forms[i]]++)
			continue
		takes = takes (takes == "" ? "" : " | ") forms[i]
		if ($4 != "") {
			sub(/ +$/, "", $4)
			cases = cases "\t" forms[i] ") words=" quoted($4) " ;;\n"
		} else if ($3 ~ /^DIR|^FOLDER/)
			cases = cases "\t" forms[i] ") words=/ ;;\n"
	}
	seen[$1] = 1
}
END {
	name = tool
	gsub(/-/, "_", name)
	printf "# bash completion for %s. Made from its options.\n", tool
	printf "_%s()\n{\n", name
	print "\tlocal current=${COMP_WORDS[COMP_CWORD]} option='' words='' i"
	print "\tlocal command='' behind=''"
	print "\tCOMPREPLY=()"
	# bash gives --option=value as three words.
	print "\tfor ((i = 1; i < COMP_CWORD; i++)); do"
	print "\t\tcase ${COMP_WORDS[i]} in"
	print "\t\t=) [ -n \"$behind\" ] && option=$behind behind='' ;;"
	if (takes != "") {
		printf "\t\t%s)\n", takes
		print "\t\t\t[ -n \"$option\" ] && option='' && continue"
		print "\t\t\toption=${COMP_WORDS[i]} behind=$option ;;"
	}
	print "\t\t-*) option='' behind='' ;;"
	print "\t\t*)"
	print "\t\t\t[ -n \"$option\" ] && option='' behind='' && continue"
	if (program == "yes") {
		print "\t\t\tcompopt -o default 2>/dev/null"
		print "\t\t\treturn ;;"
	} else
		print "\t\t\t[ -n \"$command\" ] || command=${COMP_WORDS[i]} ;;"
	print "\t\tesac"
	print "\tdone"
	print "\t[ \"$current\" = = ] && current=''"
	print "\tcase $option in"
	print "\t'') ;;"
	printf "%s", cases
	print "\tesac"
	print "\tif [ \"$words\" = / ]; then"
	print "\t\tcompopt -o dirnames 2>/dev/null"
	print "\telif [ -n \"$words\" ]; then"
	print "\t\t[[ $words != *= ]] || compopt -o nospace 2>/dev/null"
	print "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")"
	print "\telif [ -n \"$option\" ] || [[ $current != -* ]]; then"
	print "\t\tcompopt -o default 2>/dev/null"
	if (commands != "") {
		print "\t\t[ -n \"$command$option\" ] || mapfile -t COMPREPLY \\"
		printf "\t\t\t< <(compgen -W %s -- \"$current\")\n", \
			quoted(substr(commands, 2))
	}
	print "\telse"
	print "\t\tcase $command in"
	for (command in seen)
		if (command != "")
			printf "\t\t%s) words=%s ;;\n", command, \
				quoted(substr(offered[command], 2))
	printf "\t\t*) words=%s ;;\n", quoted(substr(offered[""], 2))
	print "\t\tesac"
	print "\t\t[[ $words != *= ]] || compopt -o nospace 2>/dev/null"
	print "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")"
	print "\tfi"
	print "} &&"
	printf "complete -F _%s %s\n", name, tool
}
