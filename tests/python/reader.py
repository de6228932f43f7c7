#!/usr/bin/python3
"""import m2s: what m2s writes is read alike in every format, and what is
truncated or of something else is refused with its place."""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import types

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "python"))

import m2s # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
SAMPLE = os.path.join(os.environ["top_builddir"], "samples/reduction/reduction")


def at(name):
    return os.path.join(FOLDER.name, name)


def check(name, good, found=""):
    print(f"{'ok' if good else 'not ok'} - reader: {name}")
    if not good:
        print(f"# found: {found}")


def simulate(*options):
    subprocess.run([os.environ["M2S"], "--quiet", *options, SAMPLE, "-q",
                    "-n", "4096"], check=True, stdout=subprocess.DEVNULL,
                   timeout=60)


def write(name, data):
    with open(at(name), "wb" if isinstance(data, bytes) else "w") as file:
        file.write(data)
    return at(name)


def refused(name, read, path, message):
    try:
        read(path)
        check(name, False, "nothing was refused")
    except m2s.ReadError as error:
        check(name, str(error).startswith(path) and message in str(error),
              error)


os.mkdir(at("run"))
simulate("--evg-sim", "detailed", "--report-format", "ini,csv,json,xml",
         "--evg-report", at("run/gpu"), "--evg-report-kernel", at("run/launch"),
         "--mem-report", at("run/memory"), "--net-report", at("run/links"),
         "--x86-report", at("run/host"), "--threads", "1",
         "--stats-interval", "2000", "--stats-interval-file",
         at("run/time.csv"), "--evg-annotate", at("run/listing.csv"))
simulate("--evg-sim", "detailed", "--evg-annotate", at("listing.txt"),
         "--trace", at("events.json.gz"))
simulate("--evg-report", at("functional.ini"), "--provenance", "none",
         "--x86-report", at("x86.ini"))
for base, kind in (("gpu", "evg"), ("launch", "kernel"), ("memory", "mem"),
                   ("links", "net"), ("host", "x86")):
    reports = [m2s.read_report(at(f"run/{base}.{end}"))
               for end in ("ini", "csv", "json", "xml")]
    check(f"{kind}: four formats are one report, and its kind",
          len(reports[0]) > 1 and reports.count(reports[0]) == 4 and
          {report.kind for report in reports} == {kind},
          [(len(report), report.kind) for report in reports])
check("a functional report has a kind",
      m2s.read_report(at("functional.ini")).kind == "evg")
check("no provenance", m2s.read_report(at("x86.ini")).provenance == {})

write("notes.txt", "not of m2s\n")
os.rename(at("notes.txt"), at("run/notes.txt"))
write("run/own.ini", "[ Device ]\nFrequency = 800\n")
run = m2s.read_run(at("run"))
check("a folder", sorted(run.reports) == ["evg", "kernel", "mem", "net", "x86"]
      and run.incomplete is None, sorted(run.reports))
check("what is not of m2s is left",
      sorted(map(os.path.basename, run.others)) == ["notes.txt", "own.ini"],
      run.others)
check("provenance stays text", all(isinstance(value, str)
                                   for value in run.provenance.values()) and
      "Commit" in run.provenance)
device = run.reports["evg"]["Device"]
check("intervals add up", run.intervals.kind == "intervals" and
      sum(run.intervals.column("Instructions")) == device["Instructions"] and
      len(run.intervals.where(Kernel="reduction")) == len(run.intervals))
check("sums over sections", run.reports["evg"].total(
    r"ComputeUnit \d+", "Instructions") == device["Instructions"])

rows, text = run.listings["listing"], m2s.read_listing(at("listing.txt"))
figures = [{(line.place, line["executions"], line["cycles"],
             line["stall_cycles"], line["transactions"])
            for line in listing.lines if line.number}
           for listing in (rows, text)]
check("a listing's lines, of CSV as of text", len(figures[0]) > 3 and
      figures[0] == figures[1], figures)
check("their source", any("barrier" in line.text for line in text.lines))
check("by kernel", rows.functions["reduction"]["executions"] ==
      text.functions["reduction"]["executions"] == device["Instructions"])

with open(at("run/gpu.json"), "rb") as file:
    whole = file.read()
with gzip.open(at("gpu.gz"), "wb") as file:
    file.write(whole)
check("compressed", m2s.read_report(at("gpu.gz")) == run.reports["evg"])

with open(at("run/gpu.ini"), encoding="utf-8") as file:
    ini = file.read()
lines = ini.split("\n")
refused("INI that ends in a line", m2s.read_report,
        write("a.ini", ini[:1000]), f":{ini[:1000].count(chr(10)) + 1}: "
        "truncated")
lines[4] = "nonsense"
refused("INI with another line", m2s.read_report,
        write("b.ini", "\n".join(lines)), ":5: expected NAME = VALUE")
refused("INI without section", m2s.read_report,
        write("c.ini", "; x\na = 1\n"), ":2: a variable outside")
refused("JSON that is cut", m2s.read_report, write("d.json", whole[:3000]),
        f":{whole[:3000].count(b'{') and whole[:3000].count(10) + 1}: truncated")
refused("other JSON", m2s.read_report, write("e.json", '{"a": 1}'),
        "no report of m2s")
with open(at("run/gpu.xml"), encoding="utf-8") as file:
    refused("XML that is cut", m2s.read_report,
            write("f.xml", file.read()[:2000]), "truncated, or no XML")
with open(at("run/gpu.csv"), encoding="utf-8") as file:
    rows = file.read().split("\n")
refused("a row with too few fields", m2s.read_report,
        write("g.csv", "\n".join(rows[:7] + ["Device,Cycles"] + rows[8:])),
        ":8: 2 fields in place of 5")
refused("a program", m2s.read_report, SAMPLE, "not a text file")
refused("compressed, and cut", m2s.read_report,
        write("h.gz", gzip.compress(whole)[:500]), "truncated")
refused("no file", m2s.read_run, at("none"), "No such file")
refused("nothing of m2s", m2s.read_run, at("b.ini")[:-5] + "empty", "")
os.mkdir(at("empty"))
refused("an empty folder", m2s.read_run, at("empty"), "nothing of m2s")
refused("a table of something else", m2s.read_table,
        write("i.csv", "a,b\n1,2\n"), ":1: no table of m2s")
refused("a listing without totals", m2s.read_listing,
        write("j.txt", "; executions: by wavefronts\nKernel a: 1 launches\n"),
        "truncated")

events = [{"ph": "M", "name": "process_name", "pid": 1, "ts": 0,
           "args": {"name": "GPU"}},
          {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "ts": 0,
           "args": {"name": "ALU"}},
          {"ph": "X", "name": "a", "pid": 1, "tid": 2, "ts": 10, "dur": 5},
          {"ph": "B", "name": "b", "pid": 1, "tid": 2, "ts": 20},
          {"ph": "B", "name": "c", "pid": 1, "tid": 2, "ts": 21},
          {"ph": "E", "pid": 1, "tid": 2, "ts": 23},
          {"ph": "E", "pid": 1, "tid": 2, "ts": 27},
          {"ph": "C", "name": "n", "pid": 1, "ts": 3, "args": {"v": 4}}]
path = write("trace.json.gz", gzip.compress(json.dumps(
    {"traceEvents": events}).encode()))
trace = m2s.read_trace(path)
check("spans of a trace, compressed",
      [tuple(span)[:5] for span in trace.spans()] ==
      [("GPU", "ALU", "a", 10, 5), ("GPU", "ALU", "c", 21, 2),
       ("GPU", "ALU", "b", 20, 7)], list(trace.spans()))
check("its totals", trace.totals() == {"b": 7, "a": 5, "c": 2})
check("its counters", trace.counters() == {("GPU", "n"): [(3, {"v": 4})]})
check("the list alone", len(m2s.read_trace(
    write("list.json", json.dumps(events))).events) == 8)
real = m2s.read_trace(at("events.json.gz"))
kernels = [span for span in real.spans() if span.thread == "kernels"]
check("launches in the trace of a run", [span.name for span in kernels] ==
      ["reduction"] and sum(span.arguments["cycles"] for span in kernels) ==
      device["Cycles"], kernels)
check("a run has it", m2s.read_run(path).trace is not None)
refused("a trace that is cut", m2s.read_trace,
        write("k.json", '{"traceEvents": [\n{"ph"'), ":2: truncated")
refused("an end without beginning",
        lambda path: list(m2s.read_trace(path).spans()),
        write("l.json", json.dumps(events[5:6])), "event 0 ends")

try:
    import pandas
    check(f"a frame of pandas {pandas.__version__}", run.intervals.frame()["Cycles"].sum() ==
          device["Cycles"] and len(m2s.read_report(
              at("run/gpu.csv")).frame()) == len(list(
                  run.reports["evg"].flat())))
except ImportError:
    # In its place something that keeps what it gets.
    pandas = types.ModuleType("pandas")
    pandas.DataFrame = lambda rows, columns=None: (rows, columns)
    sys.modules["pandas"] = pandas
    rows, columns = run.intervals.frame()
    check("a frame gets rows and columns", len(rows) == len(run.intervals) and
          columns == run.intervals.columns)
    rows, columns = run.reports["evg"].frame()
    check("also that of a report", ("Device", "Cycles", device["Cycles"])
          in rows and columns == ["section", "name", "value"])
    del sys.modules["pandas"]
    try:
        run.intervals.frame()
        check("without pandas", False)
    except ImportError as error:
        check("without pandas a frame is refused",
              "needs pandas" in str(error), error)
