#!/bin/bash
# m2s-diff: what it finds, what it says, thresholds and exit statuses, sweeps.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
diff=$(realpath "$top_builddir/m2s-diff")
sweep=$(realpath "$top_builddir/m2s-sweep")
samples=$(realpath "$top_builddir/samples")
cd "$folder" || exit 1

good() { # NAME COMMAND...
	local name=$1

	shift
	if "$@" >check.out 2>&1; then
		echo "ok - diff: $name"
	else
		echo "not ok - diff: $name"
		tail -n 8 check.out out 2>/dev/null | sed 's/^/# /'
	fi
}
# simulate FOLDER OPTION... PROGRAM...
simulate() {
	local run=$1

	shift
	mkdir "$run"
	timeout 60 "$M2S" --quiet --evg-sim detailed --evg-report "$run/a" \
		--evg-report-kernel "$run/b" --mem-report "$run/c" \
		--net-report "$run/d" --x86-report "$run/e" \
		--evg-annotate "$run/f" "$@" >simulate.out 2>&1 || [ $? -eq 122 ] ||
		echo "not ok - diff: the run $run"
}
# says STATUS TEXT WORD...: exit status, and a text in the output
says() {
	local status=$1 text=$2 found

	shift 2
	"$diff" "$@" >out 2>&1
	found=$?
	[ $found -eq "$status" ] || echo "exit status $found"
	[ $found -eq "$status" ] && { [ -z "$text" ] || grep -qE -- "$text" out; }
}

sample=$samples/floyd-warshall/floyd-warshall
simulate one "$sample" -q -n 32
simulate same --threads 1 "$sample" -q -n 32
simulate small --set Memory.L1Size=1k "$sample" -q -n 32
simulate bigger "$sample" -q -n 48
simulate bare --provenance none "$sample" -q -n 32

good "a run that is repeated" says 0 'No known input differs, and no statistic' one same
good "nothing is listed" says 0 '^Statistics: 0 of [0-9]+ moved' one same
good "another cache is the only difference" \
	says 1 'differs in: option --set Memory.L1Size.$' one small
good "and the cause" grep -q 'Nothing else differs' out
good "its variables" grep -qE '^  evg:Config.Memory.L1Size +8192 +1024$' out
good "the same work" grep -q 'instructions are the same' out
good "the part of the stack" grep -qE '^ALU engines: .* Data [0-9]+ %' out
good "hits" grep -qE '^evg-l1: hits went from [0-9.]+ % to [0-9.]+ %; the same' out
cycles() { sed -n '/^\[ Device \]/,$s/^Cycles = //p' "$1/a" | head -n 1; }
good "the kernel's cycles are the device's" grep -qE \
	"^  floyd_warshall +Cycles +$(cycles one) +$(cycles small) " out
good "source lines" grep -qE '^  source:7 .*stall|^  source:7 +[0-9]+ +[0-9]+' out
good "another size is other arguments" says 1 'differs in: arguments.$' one bigger
good "launches of one run" grep -qE 'only in the second: kernel: 16 sections NDRange' out
good "without provenance it says so" says 0 'no report with the section Provenance' one bare

simulate begin --evg-max-kernels 3 "$sample" -q -n 32
good "a run that was cut short" says 1 '^begin was cut short .EvergreenMaxKernels' one begin

relative=$(awk "BEGIN { print 100 * $(cycles small) / $(cycles one) - 100 }")
below=$(awk "BEGIN { print $relative - 0.01 }")%
above=$(awk "BEGIN { print $relative + 0.01 }")%
delta=$(($(cycles small) - $(cycles one)))
only=(--quiet --only evg:Device.Cycles one small)
good "a relative threshold below the change" says 1 '' --threshold "$below" "${only[@]}"
good "and above it" says 0 '' --threshold "$above" "${only[@]}"
good "an absolute one below" says 1 '' --threshold $((delta - 1)) "${only[@]}"
good "and above" says 0 '' --threshold $delta "${only[@]}"
good "both must be exceeded" says 0 '' --threshold "$below,$delta" "${only[@]}"
good "by pattern; the last counts" says 0 '' --threshold 0 \
	--threshold "evg:*.Cycles=$above" "${only[@]}"
good "others do not count" says 1 '' --threshold "mem:*=$above" "${only[@]}"
good "ignored ones do not count" says 0 '' --ignore 'evg:Device.C*' "${only[@]}"
echo notes >small/notes.txt
good "files that are not read are told" says 1 'not read.*notes.txt|^notes.txt' one small
good "one report" says 1 'Statistics: [1-9]' one/a small/a

good "a page" says 1 '' --quiet --html page.html one small
good "without other files" [ "$(grep -cE 'src=|href=|@import|url\(' page.html)" = 0 ]
good "that is whole" python3 -c '
import html.parser
void = {"meta", "input"}
class Page(html.parser.HTMLParser):
    open, rows = [], 0
    def handle_starttag(self, name, attributes):
        self.rows += name == "tr"
        if name not in void:
            self.open.append(name)
    def handle_endtag(self, name):
        assert self.open.pop() == name, (name, self.getpos())
page = Page()
page.feed(open("page.html").read())
assert not page.open and page.rows > 50, (page.open, page.rows)'
good "with the cycles" grep -q "<td>$(cycles one)</td><td>$(cycles small)</td>" page.html

good "no file" says 2 'none: No such file' one none
good "another file" says 2 'simulate.out: |simulate.out:1: ' one simulate.out
head -c 500 one/a >cut
good "a cut file, with its line" says 2 '^m2s-diff: cut:[0-9]+: truncated' cut one/a
good "a threshold that is none" says 2 "threshold 1x: expected a number" --threshold 1x one same
good "a page that cannot be written" says 2 'cannot write' --html none/page one same

# A line that was inserted above moves nothing.
sed -n '1,/^Totals/p' one/f | sed '$d' >f.head
sed -n '/^Totals/,$p' one/f >f.totals
mkdir before after
cp one/f before
{ cat f.head; sed -E 's/source:([0-9]+):/source:1\1:/' f.totals; } >after/f
good "lines are paired by their text" says 0 '' before after
good "and none differs" [ "$(grep -c 'Source lines' out)" = 0 ]

cat >design.toml <<DESIGN
m2s = "$(realpath "$M2S")"
options = "--quiet --evg-sim detailed"
reports = ["evg"]
keep = ["evg:Device.Cycles", "evg:Device.ALUEngine.Account.*"]
[[program]]
name = "add"
command = ["$samples/vector-add/vector-add", "-q", "-n", "{n}"]
[parameters]
n = [64, 256]
DESIGN
sed 's/detailed"/detailed --set LocalMemory.Latency=9 --set Device.DispatchLatency=900"/
	s/256\]/256, 512]/' design.toml >other.toml
"$sweep" design.toml >sweep.out 2>&1
"$sweep" other.toml >>sweep.out 2>&1
good "two sweeps" says 1 '^2 points are in both; in 2 a statistic moved' design.out other.out
good "a point of one" grep -q 'only in the second: add n=512' out
good "the options" grep -qE '^  options of m2s +- +--set LocalMemory.Latency=9 --set Device.DispatchLatency=900$' out
good "a change at a point" grep -qE '^  add n=256  evg:Device.Cycles +[0-9]+ +[0-9]+ ' out
good "stacks of all points" grep -q '^Cycles of ALU engines, over all points' out
account() { # FOLDER: cycles of the two points of both sweeps
	python3 -c '
import csv, sys
print(sum(int(row[name] or 0) for row in csv.DictReader(open(sys.argv[1]))
          if row["n"] != "512" for name in row if "ALUEngine.Account" in name))' \
		"$1/table.csv"
}
good "which are sums" grep -qE "^  all +$(account design.out) +$(account other.out) " out
good "a table and a database are the same" \
	says 0 '2 points are in both; in 0' design.out/table.csv design.out/table.sqlite
good "a page of sweeps" says 1 '' --quiet --html sweep.html design.out other.out
good "has the points" grep -q 'add n=256' sweep.html
good "a sweep and a run" says 2 'not a sweep' design.out one
