"""The figures of a run that the page shows, taken from its reports."""

import re

_STACKS = ("ALUEngine", "TEXEngine", "CFEngine", "Wavefronts")


def launches_of(run):
    """The sections of launches, in order."""
    kernel = run.reports.get("kernel") or {}
    found = []
    for name, section in kernel.items():
        match = re.fullmatch(r"NDRange\[(\d+)\]", name)
        if match:
            found.append((int(match[1]), section))
    return sorted(found, key=lambda one: one[0])


def _summary(run):
    """[label, value, unit, "report:Section.Variable"]"""
    rows = []
    wanted = (
        ("evg", "Device", "Cycles", "GPU cycles", ""),
        ("evg", "Device", "NDRangeCount", "kernel launches", ""),
        ("evg", "Device", "Instructions", "GPU instructions", ""),
        ("evg", "Device", "InstructionsPerCycle",
         "GPU instructions a cycle", ""),
        ("evg", "Device", "PeakWavefronts", "most wavefronts in flight", ""),
        ("x86", "Global", "Instructions", "x86 instructions", ""),
        ("x86", "Global", "Cycles", "x86 cycles", ""),
        ("x86", "Global", "Commit.IPC", "x86 instructions a cycle", ""),
        ("x86", "Global", "Commit.PredAcc", "branches predicted", ""),
        ("x86", "Global", "SystemCalls", "system calls", ""),
    )
    for kind, section, name, label, unit in wanted:
        value = (run.reports.get(kind) or {}).get(section, {}).get(name)
        if value is not None:
            rows.append([label, value, unit, f"{kind}:{section}.{name}"])
    evg = run.reports.get("evg")
    if evg and "Cycles" in evg.get("Device", {}):
        time = evg["Device"]["Cycles"] / evg["Config.Device"]["Frequency"]
        rows.insert(1, ["time of the GPU", round(time, 3), "us", ""])
    return rows


def _diagnoses(run):
    texts = []
    for number, section in launches_of(run):
        if "Diagnosis" in section:
            texts.append([f"launch {number}, {section['Name']}",
                          str(section["Diagnosis"])])
    for kind, report in run.reports.items():
        if report.incomplete:
            texts.insert(0, [f"{kind} report",
                             f"the run was cut short: {report.incomplete}"])
    return texts


def _launch_table(run):
    columns = ["launch", "Name", "GlobalSize", "LocalSize", "Cycles",
               "WorkGroup.Count", "Registers", "LocalMemory",
               "VLIWOccupancy.Average", "Divergence.AverageActive",
               "Memory.Bandwidth", "Memory.RowHits",
               "Local_Mem_Bank_Conflicts"]
    rows = [[number] + [section.get(name, "") for name in columns[1:]]
            for number, section in launches_of(run)]
    return {"columns": columns, "rows": rows}


def _unit_table(run):
    evg = run.reports.get("evg") or {}
    columns = ["unit", "WorkGroupCount", "Cycles", "Instructions",
               "InstructionsPerCycle", "ALUEngine.Instructions",
               "ALUEngine.Cycles", "TEXEngine.Instructions",
               "GlobalMemory.ReadBlocks", "GlobalMemory.WriteBlocks",
               "LocalMemory.Accesses", "LocalMemory.ConflictCycles",
               "PeakWavefronts"]
    rows = []
    for name, section in evg.items():
        match = re.fullmatch(r"ComputeUnit (\d+)", name)
        if match:
            rows.append([int(match[1])] +
                        [section.get(column, "") for column in columns[1:]])
    return {"columns": columns, "rows": rows}


def _parts(section, prefix):
    return [[name[len(prefix):], value] for name, value in section.items()
            if name.startswith(prefix) and isinstance(value, (int, float))]


def _stacks(run):
    """Groups of bars; each bar is a list of parts in per cent."""
    groups = []
    for number, section in launches_of(run):
        bars = [[engine, _parts(section, f"{engine}.Share.")]
                for engine in _STACKS]
        bars = [bar for bar in bars if bar[1]]
        if bars:
            groups.append({"title": f"launch {number}: {section['Name']}",
                           "bars": bars})
    evg = run.reports.get("evg") or {}
    units = []
    for name, section in evg.items():
        if not name.startswith("ComputeUnit "):
            continue
        parts = _parts(section, "ALUEngine.Account.")
        whole = sum(value for _, value in parts)
        if whole:
            units.append([name, [[part, 100 * value / whole]
                                 for part, value in parts]])
    if units:
        groups.append({"title": "ALU engines of all launches, by compute unit",
                       "bars": units})
    cores = []
    for name, section in (run.reports.get("x86") or {}).items():
        if not re.fullmatch(r"Core \d+", name):
            continue
        parts = _parts(section, "Cycles.")
        whole = sum(value for _, value in parts)
        if whole:
            cores.append([name, [[part, 100 * value / whole]
                                 for part, value in parts]])
    if cores:
        groups.append({"title": "x86 cores", "bars": cores})
    return groups


def _intervals(run):
    """Parts of the ALU engines' time, row by row."""
    if not run.intervals:
        return None
    rows = run.intervals
    names = [name for name in rows[0] if name.startswith("ALU")]
    rates = ["L1Reads", "L1Hits", "L2Reads", "L2Hits", "MemoryBandwidth",
             "Wavefronts"]

    def column(name):
        return [float(row[name] or 0) for row in rows]

    return {"end": column("EndCycle"), "launch": column("NDRange"),
            "parts": [[name[3:], column(name)] for name in names],
            "rates": {name: column(name) for name in rates
                      if name in rows[0]}}


def _roofline(run):
    """Roofs of the device, in 10^9 operations and bytes a second, and a point
    for each launch. An operation is what one slot of a VLIW group does for one
    work-item."""
    evg = run.reports.get("evg")
    if not evg or not launches_of(run):
        return None
    device, memory = evg["Config.Device"], evg["Config.Memory"]
    clock = device["Frequency"] / 1000
    units = device["NumComputeUnits"]
    local = evg["Config.LocalMemory"]
    roofs = {
        "operations": units * device["NumStreamCores"] * 5 * clock,
        "memory": memory["Channels"] * memory["ChannelBandwidth"],
        "L1": units * evg["Config.TEXEngine"]["BytesPerCycle"] * clock,
        "local": units * local["Banks"] * 4 * clock,
    }
    points = []
    for number, section in launches_of(run):
        if not section.get("Cycles"):
            continue
        time = section["Cycles"] / device["Frequency"] * 1e-6
        operations = section["LaneOperations"]
        points.append({
            "launch": number, "name": section["Name"],
            "rate": operations / time / 1e9,
            "memory": section.get("Memory.Bandwidth", 0) * 1e9 * time,
            "L1": section.get("Global_Mem_Transactions", 0) *
            _block_size(run),
            "operations": operations,
            "slots": section.get("VLIWOccupancy.Average", 5)})
    return {"roofs": roofs, "points": points, "device": device["Preset"]}


def _block_size(run):
    for name, section in (run.reports.get("mem") or {}).items():
        if "BlockSize" in section and not name.startswith("Network."):
            return section["BlockSize"]
    return 64


def _occupancy(run):
    evg = run.reports.get("evg")
    if not evg:
        return None
    device, local = evg["Config.Device"], evg["Config.LocalMemory"]
    uses = []
    for number, section in launches_of(run):
        items = 1
        for size in str(section["LocalSize"]).split():
            items *= int(size)
        use = [f"launch {number}: {section['Name']}", items,
               section["Registers"], section["LocalMemory"]]
        if use[1:] not in [other[1:] for other in uses]:
            uses.append(use)
    return {"config": {
        "units": device["NumComputeUnits"],
        "registers": device["NumRegisters"],
        "reserved": device["ReservedRegisters"],
        "step": device["RegisterAllocSize"],
        "perWavefront": device["RegisterAllocGranularity"] == "Wavefront",
        "groups": device["MaxWorkGroupsPerComputeUnit"],
        "wavefronts": device["MaxWavefrontsPerComputeUnit"],
        "deviceWavefronts": device["MaxWavefronts"],
        "local": local["Size"], "localStep": local["AllocSize"]},
        "uses": uses}


def _provenance(run):
    for report in run.reports.values():
        if "Provenance" in report:
            return [[name, value] for name, value
                    in report["Provenance"].items()]
    return []


def _all_statistics(run):
    return [[kind, section, name, value]
            for kind, report in run.reports.items()
            for section, variables in report.items()
            for name, value in variables.items()]


def model_of(run):
    """All but code, memory and timeline."""
    return {"name": run.name, "files": run.files, "summary": _summary(run),
            "diagnoses": _diagnoses(run), "launches": _launch_table(run),
            "units": _unit_table(run), "stacks": _stacks(run),
            "intervals": _intervals(run), "roofline": _roofline(run),
            "occupancy": _occupancy(run), "provenance": _provenance(run),
            "statistics": _all_statistics(run)}
