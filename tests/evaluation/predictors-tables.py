"""The tables of doc/evaluation/predictors out of predictors.csv."""
import csv
import math
import sys

# Tables 6 and 7 of the paper: mix, issue rate.
PAPER = {
    (1, 1): ".04 .05 .11 .19 .38 .75 1.45 2.44 3.48",
    (2, 1): ".03 .04 .05 .10 .22 .54 1.20 2.20 2.97",
    (3, 1): ".02 .03 .05 .08 .18 .42 .90 1.57 2.24",
    (1, 4): ".16 .23 .38 .66 1.19 3.92 6.14 8.34 10.34",
    (2, 4): ".08 .12 .18 .33 .72 1.78 3.98 6.48 8.84",
    (3, 4): ".08 .12 .16 .28 .67 1.61 3.42 5.71 7.19",
}
PAPER_CORES = [32 << i for i in range(9)]
ROWS = [
    ("simulated HD 5870, a launch a step", "simulated", "us"),
    ("its kernels alone", "simulated", "kernel"),
    ("its kernels, one launch for all", "simulated-one-launch", "kernel"),
    ("PoCL, a launch a step", "pocl", "us"),
    ("PoCL, one launch for all", "pocl-one-launch", "us"),
    ("batch engine of the host", "batch", "us"),
]


def short(value):
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def break_even(cores, speedups):
    """Where the speed-up becomes 1, on a line through logarithms."""
    if speedups[0] >= 1:
        return f"< {cores[0]}"
    pairs = list(zip(cores, speedups))
    for (n, s), (m, t) in zip(pairs, pairs[1:]):
        if s < 1 <= t:
            part = -math.log(s) / (math.log(t) - math.log(s))
            return f"{n * (m / n) ** part:.0f}"
    return f"> {cores[-1]}"


def print_break_even(times, cores, cases):
    print("## Break-even N\n")
    print("| | " + " | ".join(f"MIX{mix}, {issue} a step"
                              for issue, mix in cases) + " |")
    print("|---" + "|---:" * len(cases) + "|")
    found = {}
    for issue, mix in cases:
        paper = [float(x) for x in PAPER[mix, issue].split()]
        found.setdefault("paper: GTX 275 over Q9500", []).append(
            break_even(PAPER_CORES, paper))
        loop = [times["loop", "us", mix, issue, n] for n in cores]
        for title, engine, column in ROWS:
            if (engine, column, mix, issue, cores[0]) in times:
                found.setdefault(title, []).append(break_even(cores, [
                    a / times[engine, column, mix, issue, n]
                    for a, n in zip(loop, cores)]))
    for title, values in found.items():
        print(f"| {title} | " + " | ".join(values) + " |")
    print()


def main():
    times = {}
    rows = list(csv.DictReader(open(sys.argv[1])))
    if any(row["Counts"] != "identical" for row in rows):
        sys.exit("counts differ")
    for row in rows:
        key = int(row["Mix"]), int(row["Issue"]), int(row["Predictors"])
        times[(row["Engine"], "us") + key] = float(row["MicrosecondsPerStep"])
        times[(row["Engine"], "kernel") + key] = float(
            row["KernelMicrosecondsPerStep"])
    cores = sorted({int(row["Predictors"]) for row in rows})
    cases = sorted({(int(row["Issue"]), int(row["Mix"])) for row in rows})
    print_break_even(times, cores, cases)
    line = "| " + " | ".join(str(n) for n in cores) + " |"
    rule = "|---:" * len(cores) + "|"
    for issue, mix in cases:
        print(f"## MIX{mix}, issue rate {issue}\n")
        print(f"| speed-up over the loop, {issue} instruction"
              f"{'s' if issue > 1 else ''} a step {line} break-even N |")
        print("|---" + rule + "---:|")
        paper = dict(zip(PAPER_CORES,
                         map(float, PAPER[mix, issue].split())))
        found = [paper[n] for n in cores]
        print("| paper: GTX 275 over Q9500 | " +
              " | ".join(map(short, found)) +
              f" | {break_even(cores, found)} |")
        loop = [times["loop", "us", mix, issue, n] for n in cores]
        for title, engine, column in ROWS:
            if (engine, column, mix, issue, cores[0]) not in times:
                continue
            found = [a / times[engine, column, mix, issue, n]
                     for a, n in zip(loop, cores)]
            print(f"| {title} | " + " | ".join(map(short, found)) +
                  f" | {break_even(cores, found)} |")
        print(f"| loop: us a step | " +
              " | ".join(map(short, loop)) + " | |")
        found = [times["simulated", "us", mix, issue, n] for n in cores]
        print(f"| simulated HD 5870: us a step | " +
              " | ".join(map(short, found)) + " | |\n")


main()
