# Turns the text of --help into rows for bash.awk and zsh.awk:
#	subcommand TAB options TAB argument TAB words TAB help
# A line that begins with blanks and "-" begins an option: its forms, with
# commas between them and the arguments behind them, then two blanks and the
# help. Lines that are indented further go on with the help. -v command=NAME
# says whose options they are, if not those of the whole tool.
function flush() {
	if (options != "")
		printf "%s\t%s\t%s\t\t%s\n", command, options, argument, help
	options = argument = help = ""
}
match($0, /^ +-/) {
	flush()
	indent = RLENGTH
	text = substr($0, RLENGTH)
	if (at = match(text, /  +/)) {
		help = substr(text, at + RLENGTH)
		text = substr(text, 1, at - 1)
	}
	count = split(text, forms, /, /)
	for (form = 1; form <= count; form++) {
		at = index(forms[form], " ")
		name = at ? substr(forms[form], 1, at - 1) : forms[form]
		if (at)
			argument = substr(forms[form], at + 1)
		if (name !~ /^-/)
			continue
		options = options (options == "" ? "" : " ") name
	}
	next
}
options != "" && match($0, /^ +/) && RLENGTH > indent {
	help = help (help == "" ? "" : " ") substr($0, RLENGTH + 1)
	next
}
{ flush() }
END { flush() }
