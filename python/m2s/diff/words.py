"""What a comparison means, in sentences."""

import re

from m2s.diff.stacks import MEANING


def percent(change):
    """A relative change."""
    if change in (float("inf"), float("-inf")):
        return "from 0"
    if change >= 10:
        return f"{change * 100:+.0f} %"
    return f"{change * 100:+.3g} %" if abs(change) >= 1e-6 else "="


def figure(value):
    """A number as people read it."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def relative(before, after):
    if before == after:
        return 0.0
    return (after - before) / abs(before) if before else float("inf")


def _ratio(before, after):
    return f"{figure(before)} to {figure(after)} " \
        f"({percent(relative(before, after))})"


def _inputs(found):
    """What differs. Variables of configurations and launches follow from the
    command line and the files, where reports say what these were."""
    given = [what for what, _, _ in found.inputs
             if not re.match("[a-z0-9]+[:/]", what)]
    names = given or [what for what, _, _ in found.inputs]
    if not names:
        yield from _nothing(found)
        return
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    yield f"What was run differs in: {', '.join(names[:6])}{more}."
    if any(name.startswith("simulator") for name in names):
        yield ("The simulators differ, so differences may come from the "
               "model. Run both inputs with one of them to tell.")
    if not found.differs:
        yield ("No statistic moved beyond the threshold: this does not "
               "matter to what was measured.")
    elif len(names) == 1:
        yield ("Nothing else differs, and runs repeat exactly: every change "
               "below comes from it.")
    else:
        yield ("Runs repeat exactly, so runs that change one of these at a "
               "time tell which does what.")


def _nothing(found):
    known = "" if found.same_provenance else \
        " (a run has no report with the section Provenance, so that " \
        "program, files and options are not known)"
    if not found.differs:
        yield f"No known input differs{known}, and no statistic moved " \
            "beyond the threshold."
        return
    yield f"Statistics moved, but no known input differs{known}. Runs of " \
        "the same input repeat exactly, so something that reports do not " \
        "record differs: the program's environment (--x86-env clean), files " \
        "that it reads, its libraries, the host's clock in functional " \
        "simulation (--x86-clock simulated), or the host (CPUModel host)."


def _stack(stack):
    """Which parts of a stack explain its change."""
    before, after = stack.total(0), stack.total(1)
    delta = after - before
    changes = stack.changes()
    if not changes:
        return
    if abs(delta) <= max(before, after) * 1e-4:
        part, change = changes[0]
        if abs(change) > max(before, after) * 0.005:
            yield f"{stack.name}: as many cycles, spent otherwise; most " \
                f"moved {part} ({MEANING.get(part, part)}), by " \
                f"{change / max(before, 1) * 100:+.3g} % of all."
        return
    same = [(part, change) for part, change in changes
            if change * delta > 0][:3]
    listed = ", ".join(f"{part} {change / abs(delta) * 100:.0f} % "
                       f"({MEANING.get(part, part)})"
                       .replace("-", "", 1 if change < 0 else 0)
                       for part, change in same)
    yield f"{stack.name}: {figure(round(abs(delta)))} " \
        f"{'more' if delta > 0 else 'fewer'} cycles of " \
        f"{figure(round(before))}. Of the difference: {listed}."
    against = [(part, change) for part, change in changes
               if change * delta < 0 and abs(change) > abs(delta) * 0.1]
    if against:
        yield "Against it: " + ", ".join(
            f"{part} {abs(change) / abs(delta) * 100:.0f} %"
            for part, change in against[:2]) + "."


def _time(found, name, cycles, work, unit):
    """Cycles, divided into work and cycles for each piece of it."""
    values = {change.name: change for change in found.changes}
    time, count = values.get(cycles), values.get(work)
    if not time or not time.delta:
        return
    yield f"{name}: cycles from {_ratio(time.before, time.after)}."
    if not count or not count.before or not count.after or \
            not time.before or not time.after:
        return
    if not count.delta:
        yield f"The {unit} are the same, {figure(count.before)}: the same " \
            "work took another time."
        return
    each = (time.after / count.after) / (time.before / count.before) - 1
    yield f"The {unit} changed from {_ratio(count.before, count.after)}, " \
        f"the cycles for each by {percent(each)}."


def _memory(found):
    """Hit ratios of levels of caches."""
    levels = {}
    for change in found.changes:
        if change.report.split("/")[0] != "mem" or \
                change.variable not in ("Hits", "Accesses"):
            continue
        level = change.section.rstrip("0123456789").rstrip("-")
        values = levels.setdefault(level, {"Hits": [0, 0],
                                           "Accesses": [0, 0]})
        values[change.variable][0] += change.before
        values[change.variable][1] += change.after
    for level, values in levels.items():
        hits, accesses = values["Hits"], values["Accesses"]
        if not all(accesses):
            continue
        ratios = [hit / access for hit, access in zip(hits, accesses)]
        if abs(ratios[1] - ratios[0]) < 0.005:
            continue
        many = f"the same {accesses[0]} accesses" \
            if accesses[0] == accesses[1] else \
            f"accesses went from {_ratio(*accesses)}"
        yield f"{level}: hits went from {ratios[0] * 100:.1f} % to " \
            f"{ratios[1] * 100:.1f} %; {many}."


def _diagnoses(found):
    """How the launches' diagnoses changed: what stands before the colon."""
    groups = {}
    for name, *sides in found.texts:
        if name.endswith(".Diagnosis"):
            heads = tuple(str(side).split(":")[0] for side in sides)
            if heads[0] != heads[1]:
                groups[heads] = groups.get(heads, 0) + 1
    for (before, after), count in sorted(groups.items(),
                                         key=lambda item: -item[1])[:3]:
        yield f"{count} launch{'es' if count > 1 else ''} that " \
            f"{'were' if count > 1 else 'was'} '{before}' " \
            f"{'are' if count > 1 else 'is'} now '{after}'."


def sentences(found):
    """What the comparison means."""
    for name, why in zip(found.names, found.incomplete):
        if why:
            yield f"{name} was cut short ({why}): its figures are those up " \
                "to that point."
    yield from _inputs(found)
    if not found.differs:
        return
    yield from _time(found, "GPU", "evg:Device.Cycles",
                     "evg:Device.Instructions", "wavefront instructions")
    engines = [stack for stack in found.stacks
               if stack.name == "ALU engines"]
    for stack in engines:
        yield from _stack(stack)
    yield from _time(found, "x86", "x86:Global.Cycles",
                     "x86:Global.Commit.Instructions",
                     "instructions of the host program")
    for stack in found.stacks:
        if stack.name == "x86 cores":
            yield from _stack(stack)
    yield from _memory(found)
    yield from _diagnoses(found)
