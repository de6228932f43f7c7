# Writes zsh completion for -v tool=NAME from rows (see rows.awk and bash.awk).
BEGIN { FS = "\t" }
# Text between [ and ] of a specification, in single quotes.
function text_of(help) {
	gsub(/\\/, "\\\\", help)
	gsub(/\[/, "\\[", help)
	gsub(/\]/, "\\]", help)
	gsub(/:/, "\\:", help)
	gsub(/'/, "'\\''", help)
	return help
}
function action(argument, words) {
	if (words != "") {
		sub(/ +$/, "", words)
		gsub(/:/, "\\:", words)
		return ":" argument ":(" words ")"
	}
	if (argument ~ /^DIR|^FOLDER/)
		return ":" argument ":_files -/"
	if (argument ~ /FILE|TRACE|SOURCE|OBJECT|BINARY|DESIGN|PREFIX/)
		return ":" argument ":_files"
	return ":" argument ": "
}
$2 == "" {
	commands = commands " " $1
	next
}
{
	count = split($2, forms, " ")
	rest = ""
	words = split($3, arguments, " ")
	for (i = 1; i <= words; i++) {
		gsub(/[:\[\]]/, "", arguments[i])
		rest = rest action(arguments[i], $4)
	}
	for (i = 1; i <= count; i++) {
		form = forms[i]
		# --option=value and --option value, where both are read
		if (words == 1 && form ~ /^--/ && form !~ /=$/)
			form = form "="
		else if (form ~ /=$/)
			form = substr(form, 1, length(form) - 1) "=-"
		specifications[$1] = specifications[$1] sprintf( \
			"\t\t'*%s[%s]%s' \\\n", form, text_of($5), \
			form ~ /=-$/ && !words ? ":value: " : rest)
	}
	seen[$1] = 1
}
END {
	printf "#compdef %s\n# zsh completion. Made from the tool's options.\n", \
		tool
	if (commands != "") {
		print "local command=${words[2]}"
		print "case $command in"
		for (command in seen)
			if (command != "")
				printf "%s)\n\t_arguments \\\n%s" \
					"\t\t'1: : ' '*:file:_files' ;;\n", \
					command, specifications[command]
		printf "*)\n\t_arguments \\\n%s\t\t'1: :_alternative " \
			"\"commands:command:(%s)\" \"files:file:_files\"' " \
			"'*:file:_files' ;;\nesac\n", \
			specifications[""], substr(commands, 2)
	} else if (program == "yes")
		printf "_arguments \\\n%s\t\t'(-):program:_files' " \
			"'*::argument: _normal'\n", specifications[""]
	else
		printf "_arguments \\\n%s\t\t'*:file:_files'\n", \
			specifications[""]
}
