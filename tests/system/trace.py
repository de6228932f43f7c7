#!/usr/bin/python3
"""--trace: what a trace says agrees with the reports of the same run."""
import collections
import gzip
import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("top_srcdir", "."))
BUILD = os.path.abspath(os.environ.get("top_builddir", "build"))
M2S = os.path.abspath(os.environ.get("M2S", os.path.join(BUILD, "m2s")))
SAMPLE = os.path.join(BUILD, "samples/matrix-multiplication",
                      "matrix-multiplication")
PERIOD = 1176           # picoseconds of a cycle at 850 MHz
GPU, UNIT = 2, 10       # numbers of processes in the file
GROUP, WAVEFRONT = 100, 1000
sys.path.insert(0, os.path.join(SOURCE, "python"))
from m2s import read_report # noqa: E402


def good(name, condition, why=""):
    print(f"{'ok' if condition else 'not ok'} - trace: {name}")
    if not condition:
        print(f"# {why}")


def run(*options, status=0):
    done = subprocess.run([M2S, "--quiet", "--evg-sim", "detailed", *options,
                           SAMPLE, "-q"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=120)
    if done.returncode != status:
        good(f"a run with {options} ends with {status}", False,
             f"{done.returncode}: {done.stderr}")
    return done.stderr


def cycles_of(time):
    return round(time * 1000) / PERIOD


class Trace:
    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            whole = json.load(file)
        self.other = whole["otherData"]
        self.events = [event for event in whole["traceEvents"]
                       if event["ph"] == "X"]
        self.names = {(event["pid"], event.get("tid")): event["args"]["name"]
                      for event in whole["traceEvents"]
                      if event["name"] in ("process_name", "thread_name")}

    def of(self, test):
        return [event for event in self.events if test(event)]

    def cycles(self, test):
        return sum(cycles_of(event["dur"]) for event in self.of(test))


def unit(event):
    return event["pid"] >= UNIT


def overlaps(trace):
    tracks = collections.defaultdict(list)
    for event in trace.events:
        tracks[event["pid"], event["tid"]].append(
            (round(event["ts"] * 1000), round(event["dur"] * 1000)))
    count = 0
    for events in tracks.values():
        events.sort()
        count += sum(one[0] + one[1] > next_one[0]
                     for one, next_one in zip(events, events[1:]))
    return count


def check_whole():
    run("--trace", "whole.json", "--evg-report", "evg.ini",
        "--evg-report-kernel", "kernel.ini")
    trace = Trace("whole.json")
    device = read_report("evg.ini")["Device"]
    launch = read_report("kernel.ini")["NDRange[0]"]
    good("an event of each track begins when the last one has ended",
         overlaps(trace) == 0, overlaps(trace))
    kernels = trace.of(lambda e: (e["pid"], e["tid"]) == (GPU, 0))
    good("the launch has its kernel's name and cycles",
         [(e["name"], e["args"]["cycles"]) for e in kernels] ==
         [(launch["Name"], launch["Cycles"])], kernels)
    for name, track, of in (("CF", 0, "CFEngine"), ("TEX", 17, "TEXEngine")):
        found = trace.cycles(lambda e: unit(e) and e["tid"] == track)
        good(f"cycles in which {name} engines issue",
             found == device[f"{of}.Account.Issued"], found)
    groups = sum(event["args"].get("groups", 0) for event in
                 trace.of(lambda e: unit(e) and e["name"] == "ALU clause"))
    good("VLIW groups of ALU clauses", groups == launch["ALU_Group_Count"],
         groups)
    good("work-groups", len(trace.of(lambda e: e["name"] == "work-group")) ==
         launch["WorkGroup.Count"])
    places = collections.Counter()
    for event in trace.of(lambda e: unit(e) and e["tid"] >= WAVEFRONT):
        places[event["name"]] += cycles_of(event["dur"])
    whole = sum(places.values())
    for place, name in (("Data", "Data"), ("ALUEngine", "ALUEngine"),
                        ("Barrier", "Barrier")):
        share = launch[f"Wavefronts.Share.{name}"]
        good(f"share of wavefronts' time at {place}",
             abs(100 * places[place] / whole - share) < 1e-3,
             (places[place] / whole, share))
    good("tracks have names", trace.names.get((UNIT + 3, 0)) == "CF engine" and
         trace.names.get((UNIT + 3, None)) == "compute unit 3", trace.names)
    good("a whole run says nothing of being incomplete",
         "incomplete" not in trace.other)


def check_same():
    run("--trace", "zipped.json.gz", "--threads", "2")
    with gzip.open("zipped.json.gz") as file, open("whole.json", "rb") as other:
        good("compressed, on two threads, the same bytes",
             file.read() == other.read())


def check_window():
    run("--trace", "part.json", "--trace-units", "3,5-6", "--trace-cycles",
        "5000-7000", "--trace-events", "wavefronts,launches")
    part, whole = Trace("part.json"), Trace("whole.json")
    start = whole.of(lambda e: e["name"] == "matrix_multiplication")[0]["ts"]

    def inside(event):
        first = cycles_of(event["ts"] - start)
        return unit(event) and event["tid"] >= WAVEFRONT and \
            event["pid"] - UNIT in (3, 5, 6) and first < 7001 and \
            first + cycles_of(event["dur"]) > 5000

    wanted = whole.of(inside)
    good("a window has the events that touch it", wanted and
         part.of(unit) == wanted, (len(part.of(unit)), len(wanted)))
    run("--trace", "none.json", "--trace-launches", "1-")
    good("other launches only", not Trace("none.json").of(unit))


def check_pipeline():
    run("--evg-trace", "konata", "--trace-units", "3", "--evg-report",
        "evg.ini", "--overwrite")
    unit = read_report("evg.ini")["ComputeUnit 3"]
    now, began, names, cycles, ended = 0, {}, {}, collections.Counter(), 0
    with open("konata", encoding="ascii") as file:
        lines = [line.split("\t") for line in file.read().splitlines()]
    for one in lines:
        if one[0] == "C=":
            now = int(one[1])
        elif one[0] == "C":
            now += int(one[1])
        elif one[0] == "L":
            name = one[3].split(" ", 5)[5]
            names[one[1]] = "group" if name[1] == ":" else name
        elif one[0] == "S":
            began[one[1], one[3]] = now
        elif one[0] == "E":
            kind = names[one[1]] if one[3] == "X" else one[3]
            cycles[kind] += now - began.pop((one[1], one[3]))
        elif one[0] == "R":
            ended += 1
    good("Konata's file begins as its format says", lines[0] ==
         ["Kanata", "0004"] and lines[1][0] == "C=", lines[:2])
    good("it has the unit's instructions", ended == len(names) ==
         unit["Instructions"], (ended, unit["Instructions"]))
    good("the cycles of VLIW groups", cycles["group"] ==
         unit["ALUEngine.Cycles"], cycles)
    good("and of fetches", cycles["VFETCH"] == unit["TEXEngine.Cycles"], cycles)
    good("every stage has ended", not began, began)
    run("--evg-trace", "part", "--trace-units", "3", "--trace-cycles",
        "9000-9100")
    with open("part", encoding="ascii") as file:
        first = int(file.read().split("\n")[1].split("\t")[1])
    good("a window of cycles", first < 9101, first)
    text = run("--evg-trace", "nothing", "--trace-launches", "7", status=1)
    good("a window without instructions is an error, and leaves no file",
         "no instruction" in text and not os.path.exists("nothing"), text)


def check_end():
    run("--trace", "cut.json", "--evg-max-cycles", "8000", status=122)
    trace = Trace("cut.json")
    good("a run that was cut short says so",
         trace.other.get("incomplete") == "EvergreenMaxCycles", trace.other)
    busy = trace.of(lambda e: unit(e) and e["tid"] >= WAVEFRONT)
    launch = trace.of(lambda e: e["pid"] == GPU and e["tid"] == 0)[0]
    end = launch["ts"] + launch["dur"]
    good("what was under way ends with the run",
         abs(max(e["ts"] + e["dur"] for e in busy) - end) < 0.1)


def check_cores():
    subprocess.run([M2S, "--quiet", "--x86-sim", "detailed", "--trace",
                    "cores.json", "--x86-report", "x86.ini", "/bin/true"],
                   timeout=120, check=True)
    trace, report = Trace("cores.json"), read_report("x86.ini")
    cycles = report["Core 0"]["Cycles"]
    time = sum(event["dur"] for event in trace.events)
    good("a core's cycles", abs(time * report["Global"]["Frequency"] / 1000 -
                                cycles) <= 1, (time, cycles))
    good("system calls are kernel time", len(trace.of(
        lambda e: e["name"] == "kernel")) >= report["Global"]["SystemCalls"])


def check_refusals():
    for options, words in (
            (("--trace-units", "1"), "need --trace FILE"),
            (("--trace", "x", "--trace-cycles", "9-3"), "--trace-cycles 9-3"),
            (("--trace", "x", "--trace-units", "1,,2"), "--trace-units 1,,2"),
            (("--trace", "x", "--trace-events", "all"), "--trace-events all")):
        text = run(*options, status=1)
        good(f"{' '.join(options)} is refused", words in text, text)
    good("and leaves no file", not [name for name in os.listdir()
                                    if name == "x" or name.startswith(".x")])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_whole()
        check_same()
        check_window()
        check_pipeline()
        check_end()
        check_cores()
        check_refusals()
        os.chdir("/")


main()
