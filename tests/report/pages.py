#!/usr/bin/python3
"""m2s-report: pages come up in a browser without an error, and their figures are
those of the reports. Without chromium the browser's part is skipped."""
import csv
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("top_srcdir", "."))
BUILD = os.path.abspath(os.environ.get("top_builddir", "build"))
M2S = os.path.abspath(os.environ.get("M2S", os.path.join(BUILD, "m2s")))
REPORT = os.path.join(BUILD, "m2s-report")
SAMPLE = os.path.join(BUILD, "samples/matrix-multiplication",
                      "matrix-multiplication")
CHROMIUM = shutil.which("chromium")
sys.path.insert(0, os.path.join(SOURCE, "python"))
from m2s import read_report # noqa: E402
from m2s.reports import number # noqa: E402


def good(name, condition, why=""):
    print(f"{'ok' if condition else 'not ok'} - report: {name}")
    if not condition:
        print(f"# {str(why)[:500]}")


def run(*words, status=0):
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    if done.returncode != status:
        good(f"{' '.join(words)[:80]} ends with {status}", False, done.stderr)
    return done.stdout + done.stderr


class Page(html.parser.HTMLParser):
    """The elements of a page as a browser has made it."""

    def __init__(self, path):
        super().__init__()
        self.elements = []
        done = subprocess.run(
            ["timeout", "60", CHROMIUM, "--headless", "--no-sandbox",
             "--disable-gpu", "--virtual-time-budget=10000",
             "--user-data-dir=" + os.path.abspath("profile"),
             "--enable-logging=stderr", "--dump-dom", f"file://{path}"],
            capture_output=True, text=True, timeout=90)
        self.console = [line for line in done.stderr.splitlines()
                        if "CONSOLE" in line]
        self.text = done.stdout
        self.feed(done.stdout)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def all(self, attribute):
        return [known for _, known in self.elements if attribute in known]

    def body(self):
        return next(known for tag, known in self.elements if tag == "body")


def same(text, value):
    return number(text) == value


def make_run():
    os.mkdir("run")
    run(M2S, "--quiet", "--evg-sim", "detailed", "--evg-report", "run/gpu",
        "--evg-report-kernel", "run/kernel", "--mem-report", "run/memory",
        "--net-report", "run/network", "--evg-annotate", "run/code.csv",
        "--stats-interval", "1000", "--stats-interval-file", "run/time.csv",
        "--trace", "run/trace.json.gz", "--evg-calc", "occupancy",
        "--x86-report", "run/x86", SAMPLE, "-q")
    run(REPORT, "run", "-o", "page.html")


def check_file():
    with open("page.html", encoding="utf-8") as file:
        text = file.read()
    good("the page names no other place",
         set(re.findall(r"https?://[^\"' ]*", text)) ==
         {"http://www.w3.org/2000/svg"})
    good("no file is left half written", not os.path.exists("page.html.part"))
    with open("junk", "w", encoding="utf-8") as file:
        file.write("nothing of m2s\n")
    os.mkdir("empty")
    good("another file is refused", "neither a report" in
         run(REPORT, "junk", status=2))
    good("an empty folder, too", "without any file" in
         run(REPORT, "empty", status=2))
    with open("cut.json", "w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit":"ns","traceEvents":[\n{"ph"')
    good("half a trace, too", "cut.json" in run(REPORT, "cut.json", status=2))


def check_page():
    # Waits for the page, then leaves sums of the timeline's events.
    with open("page.html", encoding="utf-8") as file:
        text = file.read()
    with open("probe.html", "w", encoding="utf-8") as file:
        file.write(text.replace("</body>", """<script>
const probe = setInterval(() => {
	const view = window.report?.runs[0].view;
	if (!document.body.dataset.ready || !view)
		return;
	clearInterval(probe);
	const sums = {};
	for (const track of view.tracks)
		for (let i = 0; i < track.count; i++) {
			const name = view.meta.names[track.names[i]];
			sums[name] = (sums[name] || 0) + track.ends[i] -
				track.starts[i];
		}
	document.body.dataset.sums = JSON.stringify(sums);
	document.body.dataset.last = track_last(view);
	document.body.dataset.acts = JSON.stringify(acts(view));
}, 20);
/* What keys, a slider, a head and a filter do. */
function acts(view) {
	const key = (name) => view.canvas.dispatchEvent(new KeyboardEvent(
		"keydown", { key: name, cancelable: true }));
	const found = [view.to - view.from];
	key("+");
	found.push(view.to - view.from);
	key("0");
	found.push(view.to - view.from === view.meta.end - view.first);
	const slider = document.querySelector("#occupancy input[type=range]");
	slider.value = 256;
	slider.dispatchEvent(new Event("input"));
	found.push(document.querySelector("#occupancy-result").dataset.groups);
	slider.value = 64;
	slider.dispatchEvent(new Event("input"));
	const modules = document.querySelector("#memory table");
	const head = [...modules.querySelectorAll("th button")].find(
		(one) => one.textContent === "Accesses");
	head.click();
	const column = [...modules.querySelectorAll("tbody tr")].map((row) =>
		Number(row.cells[1].textContent.replaceAll(",", "")));
	found.push(column.every((n, at) => !at || n <= column[at - 1]));
	const filter = document.querySelector("#memory input[type=search]");
	filter.value = "evg-gm";
	filter.dispatchEvent(new Event("input"));
	found.push(modules.querySelectorAll("tbody tr").length);
	return found;
}
function track_last(view) {
	return JSON.stringify(view.tracks.map((track) =>
		[track.process, track.track, track.values[track.count - 1],
			track.ends[track.count - 1]]));
}
</script></body>"""))
    page = Page(os.path.abspath("probe.html"))
    body = page.body()
    good("it comes up", "data-ready" in body and "data-failed" not in body,
         body)
    good("without a word on the console", not page.console, page.console)
    reports = {"evg": read_report("run/gpu"), "x86": read_report("run/x86"),
               "kernel": read_report("run/kernel")}
    figures = [known for known in page.all("data-stat") if known["data-stat"]]
    wrong = []
    for known in figures:
        kind, _, name = known["data-stat"].partition(":")
        section, _, variable = name.partition(".")
        if not same(known["data-value"], reports[kind][section][variable]):
            wrong.append(known)
    good("figures of the summary", len(figures) >= 6 and not wrong, wrong)
    launch = reports["kernel"]["NDRange[0]"]
    shares = [float(known["data-share"]) for known in page.all("data-share")]
    wanted = [value for name, value in launch.items()
              if name.startswith("ALUEngine.Share.") and value > 0]
    good("cycle stacks", shares[:len(wanted)] == wanted, shares[:9])
    memory = read_report("run/memory")
    good("every cache and memory is drawn",
         {known["data-module"] for known in page.all("data-module")} ==
         {name for name, section in memory.items() if "Accesses" in section})
    network = read_report("run/network")
    drawn = sum(int(known["data-bytes"]) for known in page.all("data-bytes"))
    crossing = sum(
        section["TransferredBytes"] for name, section in network.items()
        if (ends := re.search(r"link_([a-z0-9-]+).*out_buf_\d+_([a-z0-9-]+)",
                              name)) and ends[1] != ends[2])
    good("bytes on the edges", drawn == crossing and drawn, (drawn, crossing))
    rate = launch["LaneOperations"] / (launch["Cycles"] / 850e6) / 1e9
    rates = {float(known["data-rate"]) for known in page.all("data-rate")}
    good("the roofline's point", len(rates) == 1 and
         abs(rates.pop() / rate - 1) < 1e-9, rates)
    calculated = next(known for known in page.all("id")
                      if known["id"] == "occupancy-result")
    unit = max(section["PeakWorkGroups"] for name, section
               in reports["evg"].items() if name.startswith("ComputeUnit"))
    good("the calculator starts with the launch, and has what the run reached",
         int(calculated["data-groups"]) == unit, calculated)
    good("the kernel's diagnosis", launch["Diagnosis"] in page.text)
    acts = json.loads(body.get("data-acts", "[0, 0]"))
    good("keys zoom the timeline", abs(acts[1] / (acts[0] or 1) - 0.5) < 1e-6
         and acts[2:3] == [True], acts)
    # Four wavefronts of 51 registers: 13056 of 15872.
    good("a slider, a head and a filter", acts[3:] == ["1", True, 8], acts)
    check_events(body)


def check_events(body):
    import gzip
    with gzip.open("run/trace.json.gz") as file:
        trace = json.load(file)
    sums, last = {}, {}
    for event in trace["traceEvents"]:
        if event["ph"] != "X":
            continue
        time = round(event["dur"] * 1000)
        sums[event["name"]] = sums.get(event["name"], 0) + time
        key = event["pid"], event["tid"]
        end = round(event["ts"] * 1000) + time
        if end >= last.get(key, (0, 0))[1]:
            values = list(event.get("args", {}).values())
            last[key] = (values[0] if values else -1, end)
    good("times of all events", json.loads(body.get("data-sums", "{}")) == sums,
         body.get("data-sums"))
    good("the last event of each track", {
        (one[0], one[1]): (one[2], one[3])
        for one in json.loads(body.get("data-last", "[]"))} == last)


def check_occupancy():
    """The page's rules against the simulator's own curves."""
    needs = {"work_items": 0, "registers": 1, "local_mem": 2}
    cases, evg = [], read_report("run/gpu")
    launch = read_report("run/kernel")["NDRange[0]"]
    for name, place in needs.items():
        with open(f"occupancy.0.{name}.csv", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                use = [64, launch["Registers"], launch["LocalMemory"]]
                use[place] = int(row[name])
                cases.append([use, int(row["work_groups"]),
                              int(row["wavefronts"]), row["limit"]])
    from m2s.report.inputs import Run
    from m2s.report.model import model_of
    one = Run("run")
    one.reports["evg"] = evg
    config = model_of(one)["occupancy"]["config"]
    with open(os.path.join(SOURCE, "python/m2s/report/device.js"),
              encoding="utf-8") as file:
        script = file.read()
    with open("rules.html", "w", encoding="utf-8") as file:
        file.write(f"""<body><script>{script}
const config = {json.dumps(config)}, cases = {json.dumps(cases)};
document.body.dataset.wrong = JSON.stringify(cases.filter(
	([use, groups, wavefronts, limit]) => {{
	const found = occupancy(config, ...use);
	return found.groups !== groups || found.wavefronts !== wavefronts ||
		found.limit !== limit;
}}));</script>""")
    wrong = Page(os.path.abspath("rules.html")).body().get("data-wrong")
    good(f"the calculator in {len(cases)} cases of --evg-calc",
         wrong == "[]" and len(cases) > 300, wrong)


def check_sweep():
    os.makedirs("sweep/points/ab/abc0")
    with open("sweep/points/ab/abc0/manifest.json", "w",
              encoding="utf-8") as file:
        file.write('{"id": "abc0"}')
    with open("sweep/points/ab/abc0/evg.json", "w", encoding="utf-8") as file:
        json.dump(read_report("run/gpu"), file)
    with open("sweep/table.csv", "w", encoding="utf-8") as file:
        file.write("id,program,n,Device.NumComputeUnits,status,exit,"
                   "evg:Device.Cycles,mem:x.Reads\n")
        for at, (n, units) in enumerate((n, units) for n in (16, 32, 64)
                                        for units in (1, 2)):
            file.write(f"abc{at},add,{n},{units},"
                       f"{'failed,1,,' if at == 5 else f'done,0,{n * 90 + units},7'}\n")
    run(REPORT, "sweep", "-o", "sweep.html", "--points")
    page = Page(os.path.abspath("sweep.html"))
    good("a sweep's page comes up", "data-ready" in page.body() and
         not page.console, page.console)
    points = sorted(float(known["data-y"]) for known in page.all("data-y"))
    good("its points are the table's", points ==
         [1441, 1442, 2881, 2882, 5761], points)
    links = {known["href"] for tag, known in page.elements if tag == "a"}
    good("a point leads to its run",
         "sweep/points/ab/abc0/report.html" in links, links)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_run()
        check_file()
        if CHROMIUM:
            check_page()
            check_occupancy()
            check_sweep()
        else:
            print("ok - report: pages in a browser # SKIP no chromium")
        os.chdir("/")


main()
