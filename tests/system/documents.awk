# Links between documents. Input: Markdown files, README.md and doc/README.md
# among them. Prints a line for each broken link and for each file that no way
# of links leads to. Variable root: the folder before all names.

# The folder of a path, with its "/"; "" for none.
function folder_of(path) {
	return match(path, /.*\//) ? substr(path, 1, RLENGTH) : ""
}

# PATH without "." and "..".
function plain(path,  part, n, out, i, kept) {
	n = split(path, part, "/")
	for (i = 1; i <= n; i++) {
		if (part[i] == "" || part[i] == ".")
			continue
		if (part[i] == "..")
			kept--
		else
			out[++kept] = part[i]
	}
	path = ""
	for (i = 1; i <= kept; i++)
		path = path (i > 1 ? "/" : "") out[i]
	return path
}

# As GitHub makes it of a heading.
function anchor(heading) {
	heading = tolower(heading)
	gsub(/[^a-z0-9 _-]/, "", heading)
	gsub(/ /, "-", heading)
	return heading
}

function exists(path) {
	return system("test -e '" root "/" path "'") == 0
}

FNR == 1 {
	name = substr(FILENAME, length(root) + 2)
	files[name]
	fenced = 0
}
/^ *```/ { fenced = !fenced; next }
fenced || /^(    |\t)/ { next }
/^#+ / {
	heading = $0
	sub(/^#+ /, "", heading)
	anchors[name "#" anchor(heading)]
}
{
	line = $0
	gsub(/`[^`]*`/, "", line)
	while (match(line, /\]\([^) ]+\)/)) {
		target = substr(line, RSTART + 2, RLENGTH - 3)
		line = substr(line, RSTART + RLENGTH)
		if (target ~ /^[a-z]+:/)
			continue
		count++
		hash = ""
		if (match(target, /#.*/)) {
			hash = substr(target, RSTART)
			target = substr(target, 1, RSTART - 1)
		}
		target = target == "" ? name : plain(folder_of(name) target)
		links[name, target]
		if (hash != "")
			wanted[target hash] = name
		else if (!(target in seen) && !exists(target))
			print name ": no file " target
		seen[target]
	}
}

END {
	for (w in wanted)
		if (!(w in anchors))
			print wanted[w] ": no heading " w
	reached["README.md"]
	reached["doc/README.md"]
	do {
		more = 0
		for (l in links) {
			split(l, way, SUBSEP)
			if (way[1] in reached && !(way[2] in reached)) {
				reached[way[2]]
				more = 1
			}
		}
	} while (more)
	for (name in files)
		if (!(name in reached))
			print name ": no link leads here"
	if (count < 100)
		print "only " count + 0 " links were found"
}
