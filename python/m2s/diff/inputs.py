"""What two runs were given: simulator, program, files, options, variables of
configurations."""

import os
import re
import shlex

# Variables of modules and of networks that describe them, among figures.
_MEMORY = {"Sets", "Assoc", "Policy", "BlockSize", "Latency", "Ports",
           "Entries", "PageSize"}
_X86 = {"Core", "Memory", "Cores", "Frequency"}
_LAUNCH = {"Name", "GlobalSize", "LocalSize", "Registers", "LocalMemory"}
# Options that say what is written, and how fast, not what is simulated.
_OUTPUT = re.compile(
    r"--((evg|mem|net|x86)-report(-kernel|-wavefronts)?|report-format|"
    r"(evg|x86)-annotate|stats-interval(-file)?|threads(-report)?|quiet|"
    r"provenance|overwrite|progress|hang-file|evg-calc|trace.*|"
    r"[a-z0-9]+-debug.*|max-time)$")


def unnumbered(name):
    """A section's name without the numbers of compute units, caches,
    launches."""
    return re.sub(r"(?<=[-_\[ ])\d+", "*", name)


def is_configuration(report, section, name):
    """Whether a variable was given, not measured."""
    kind = report.split("/")[0]
    return section.startswith("Config.") or name.startswith("Config.") or \
        kind == "mem" and name in _MEMORY or \
        kind == "net" and name.endswith("_buf.Size") or \
        kind == "net" and re.search(r"_buf_\d+\.Size$", name) is not None or \
        kind == "x86" and section == "Global" and name in _X86 or \
        kind == "kernel" and name in _LAUNCH


def _given(report, key):
    """The configuration in a report, by name."""
    return {f"{key}:{section}.{name}": value
            for section, variables in report.items()
            for name, value in variables.items()
            if is_configuration(key, section, name)}


def _split(provenance):
    """(options of m2s, words of the program) of a command line."""
    try:
        words = shlex.split(provenance.get("CommandLine", ""))[1:]
    except ValueError:
        words = provenance.get("CommandLine", "").split()[1:]
    program = provenance.get("Program")
    at = next((index for index, word in enumerate(words)
               if program and (word == program or os.path.basename(word) ==
                               os.path.basename(program))), len(words))
    options, given = {}, words[:at]
    while given:
        word = given.pop(0)
        if "=" in word and word.startswith("--"):
            name, _, value = word.partition("=")
        elif given and not given[0].startswith("--"):
            name, value = word, given.pop(0)
        else:
            name, value = word, "given"
        if name in ("--set", "--env"):
            variable, _, value = value.partition("=")
            name = f"{name} {variable}"
        if not _OUTPUT.match(name):
            options[name] = value
    return options, words[at:]


def _folded(differences):
    """Sections of one kind that differ alike are one row."""
    groups = {}
    for what, before, after in differences:
        key = unnumbered(what), before, after
        groups.setdefault(key, []).append(what)
    return [(group[0] if len(group) == 1 else f"{key[0]} ({len(group)})",
             key[1], key[2]) for key, group in groups.items()]


def input_differences(first, second):
    """(what, before, after) of all that differs; None where one run lacks
    it."""
    found = []
    before, after = first.provenance, second.provenance
    if before and after:
        for name, what in (("Version", "simulator"),
                           ("Commit", "simulator's commit")):
            if before.get(name) != after.get(name):
                found.append((what, before.get(name), after.get(name)))
        for name in sorted({*before, *after}):
            if not name.endswith(".SHA256") or \
                    before.get(name) == after.get(name):
                continue
            file = name[:-len(".SHA256")]
            found.append((f"contents of {file}",
                          *(f"{side[file]} ({side[name][:12]})"
                            if name in side else None
                            for side in (before, after))))
        options, words = zip(_split(before), _split(after))
        found += [(f"option {name}", options[0].get(name),
                   options[1].get(name))
                  for name in dict.fromkeys([*options[0], *options[1]])
                  if options[0].get(name) != options[1].get(name)]
        if words[0][1:] != words[1][1:]:
            found.append(("arguments", " ".join(words[0][1:]),
                          " ".join(words[1][1:])))
        if words[0][:1] != words[1][:1] and \
                before.get("Program.SHA256") == after.get("Program.SHA256"):
            found.append(("path of the program", words[0][0] if words[0]
                          else None, words[1][0] if words[1] else None))
    differences = []
    for key, report in first.reports.items():
        if key not in second.reports:
            continue
        given = [_given(side, key) for side in (report, second.reports[key])]
        differences += [(name, given[0].get(name), given[1].get(name))
                        for name in dict.fromkeys([*given[0], *given[1]])
                        if given[0].get(name) != given[1].get(name)
                        and name in given[0] and name in given[1]]
    return found + _folded(differences)
