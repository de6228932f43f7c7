#!/bin/bash
# Shells complete the options, words and variables of every tool. Completion is
# made from the tools' own options (tools/completion); the words that m2s's
# options take are tried one by one.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# verdict NAME TEXT: TEXT is empty
verdict() {
	[ -z "$2" ] && echo "ok - $1" || printf '%s\nnot ok - %s\n' "$2" "$1"
}
# offered WORD...: what bash offers for the last of the words of a line
offered() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	"_${1//-/_}" 2>/dev/null
	echo "${COMPREPLY[*]}"
}
# gives EXPECTED WORD...
gives() {
	local expected=$1 found
	shift
	found=$(offered "$@")
	[ "$found" = "$expected" ] ||
		echo "# $*: $found, expected: $expected"
}

for file in "$top_builddir"/completion/bash/*; do
	# shellcheck disable=SC1090
	. "$file" || echo "not ok - $file can be read"
done
verdict "bash completes options, words, variables and subcommands" "$(
	gives --x86-preset m2s --x86-pre
	gives haswell m2s --x86-preset ha
	gives haswell m2s --quiet --x86-preset = ha
	gives detailed m2s --evg-sim = de
	gives Device.NumComputeUnits= m2s --set Device.NumComp
	gives '' m2s --threads ''
	gives '' m2s --quiet program --x86-pre
	gives --quiet m2s --x86-preset haswell --qui
	gives --verbose m2s-clc --verb
	gives "--codegen-without= --codegen-registers=" m2s-clc kernel.cl --codeg
	gives --predictors m2s-predict trace.gz --pred
	gives --version m2s-evg-as --ver
	[[ $(m2s-sweep --help 2>&1) != *tomllib* ]] || exit
	gives run m2s-sweep ru
	gives --jobs m2s-sweep run --jo
	gives '' m2s-sweep plan --jo)"

"$M2S" --document completion >rows
verdict "bash completes each option of m2s" "$(
	diff <(cut -f 2 rows | sort) <(offered m2s -- | tr ' ' '\n' | sort))"

# try OPTION WORD: m2s accepts the word
try() {
	case $1 in
	--document)
		case $2 in
		statistics) "$M2S" "$1" "$2" --quiet /bin/true ;;
		*) "$M2S" "$1" "$2" ;;
		esac ;;
	--evg-disasm-style)
		"$M2S" "$1" "$2" --evg-disasm kernel.bin ;;
	--net-*)
		"$M2S" "$1" "$2" --net-max-cycles 100 --net-sim mesh \
			--net-config "$top_srcdir/samples/network/mesh-4x4.ini" ;;
	--x86-cpu) "$M2S" "$1" "$2" --print-config ;;
	--x86-preset) "$M2S" --x86-sim detailed --quiet "$1" "$2" /bin/true ;;
	--x86-confine)
		# Not every host can enforce it.
		"$M2S" "$1" "$2" --x86-no-network /bin/true ||
			! grep -q "expected kernel" out ;;
	--report-format)
		"$M2S" --quiet "$1" "$2" --overwrite --x86-report report \
			/bin/true ;;
	*) "$M2S" --quiet "$1" "$2" /bin/true ;;
	esac >out 2>&1
}
echo 'kernel void f(global int *a) { a[0] = 1; }' >kernel.cl
"$top_builddir/m2s-clc" kernel.cl -o kernel.bin ||
	echo "not ok - a kernel for --evg-disasm-style"
verdict "m2s takes each word that completion has, and no other" "$(
	[ "$(cut -f 4 rows | wc -w)" -gt 40 ] || echo "# few words"
	while IFS=$'\t' read -r option words; do
		for word in $words; do
			try "$option" "$word" ||
				echo "# $option $word: $(tail -1 out)"
		done
		! try "$option" no-such-word ||
			echo "# $option takes any word"
	done < <(awk -F '\t' -v OFS='\t' '$4 != "" { print $2, $4 }' rows))"

if ! command -v zsh >/dev/null; then
	echo "ok - zsh completes # SKIP no zsh"
	exit
fi
# A terminal with a zsh, in which keys are pressed.
cat >keys.zsh <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= fpath=($1 \$fpath); autoload -U compinit; compinit -D -u"
zpty -w shell "bindkey '^I' complete-word; print rea''dy"
zpty -r -m shell line '*ready*'
zpty -w -n shell "$2"$'\t'
zpty -r -m shell line "*$3*" && print found
zpty -d shell
END
# presses TEXT EXPECTED
presses() {
	[[ $(timeout 10 zsh -f keys.zsh "$top_builddir/completion/zsh" \
		"$1" "$2" 2>&1) == *found* ]] || echo "# $1: not completed to $2"
}
verdict "zsh completes options, words and subcommands" "$(
	presses 'm2s --x86-pres' 'x86-preset'
	presses 'm2s --x86-preset hasw' 'haswell'
	presses 'm2s-clc --verb' 'verbose'
	presses 'm2s-predict --predic' 'predictors')"
