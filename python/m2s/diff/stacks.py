"""Cycle stacks: where the time of engines and cores went, in both runs."""

import re

# What the parts of the stacks mean.
MEANING = {
    "Issued": "issuing instructions",
    "Data": "waiting for data of loads",
    "Acknowledge": "waiting for writes to be acknowledged",
    "ExportBuffer": "waiting for room in the export buffer",
    "ClauseCaches": "waiting for instructions or constants of clauses",
    "Barrier": "waiting at barriers",
    "Sync": "waiting for another wavefront's synchronisation",
    "CFEngine": "waiting for control-flow instructions",
    "ALUEngine": "waiting for ALU clauses",
    "TEXEngine": "waiting for fetch clauses",
    "Drain": "draining at the end",
    "NoWavefront": "without a wavefront",
    "LocalMemory": "conflicts in local memory",
    "Addresses": "loading address registers",
    "Dependence": "waiting for results of earlier groups",
    "LocalData": "waiting for data of local memory",
    "InstructionFetch": "fetching instructions",
    "LoadQueue": "waiting for room in the load queue",
    "Base": "retiring instructions",
    "FrontEnd": "too few instructions from the decoders",
    "BranchMispredict": "mispredicted branches",
    "BranchTarget": "late targets of branches",
    "MachineClear": "machine clears",
    "Execution": "latency and ports of instructions",
    "FirstLevel": "loads that hit the first cache",
    "Memory": "loads from memory",
    "L2": "loads from the second cache",
    "L3": "loads from the third cache",
    "DRAM": "loads from DRAM",
    "TLB": "address translation",
    "InstructionCache": "misses of the instruction cache",
    "StoreQueue": "a full store queue",
    "Serialization": "serializing instructions",
    "Kernel": "system calls and page faults",
    "Idle": "cores without a thread, or that wait for the GPU",
}


class Stack:
    """parts: {name: [first, second]} in cycles. work is the number of
    instructions in both, to divide by, or None."""

    def __init__(self, name, parts, work=None):
        self.name, self.parts, self.work = name, parts, work

    def total(self, side):
        return sum(values[side] for values in self.parts.values())

    def changes(self):
        """(part, difference) of all that changed, the greatest first."""
        return sorted(((part, values[1] - values[0])
                       for part, values in self.parts.items()
                       if values[0] != values[1]),
                      key=lambda change: -abs(change[1]))


def _gpu(report, engine):
    """Cycles of the compute units' engines of one kind."""
    prefix = f"{engine}.Account."
    return {name[len(prefix):]: value
            for name, value in report.get("Device", {}).items()
            if name.startswith(prefix)}


def _kernels(report):
    """{kernel: {part: cycles}} of the ALU engines, over its launches."""
    found = {}
    prefix = "ALUEngine.Share."
    for section, variables in report.items():
        if not re.fullmatch(r"NDRange\[\d+\]", section):
            continue
        parts = found.setdefault(str(variables.get("Name")), {})
        for name, share in variables.items():
            if name.startswith(prefix):
                part = name[len(prefix):]
                parts[part] = parts.get(part, 0) + \
                    share / 100 * variables.get("Cycles", 0)
    return found


def _cores(report):
    """Cycles of all x86 cores together."""
    parts = {}
    for variables in report.matching(r"Core \d+").values():
        for name, value in variables.items():
            if name.startswith("Cycles."):
                parts[name[7:]] = parts.get(name[7:], 0) + value
    return parts


def _stack(name, sides, work=None):
    parts = {part: [side.get(part, 0) for side in sides]
             for part in dict.fromkeys([*sides[0], *sides[1]])}
    parts = {part: values for part, values in parts.items() if any(values)}
    return [Stack(name, parts, work)] if parts else []


def stacks_of_points(pairs):
    """The same of two sweeps that keep these statistics, over all points:
    pairs of points."""
    found = []
    for name, pattern in (
            ("ALU engines", r"evg:Device\.ALUEngine\.Account\.(.*)"),
            ("x86 cores", r"x86:Core \d+\.Cycles\.(.*)")):
        sides = {}, {}
        for pair in pairs:
            for parts, point in zip(sides, pair):
                for full, value in point.statistics.items():
                    match = re.fullmatch(pattern, full)
                    if match:
                        parts[match[1]] = parts.get(match[1], 0) + value
        found += _stack(name, sides)
    return found


def stacks_of(first, second):
    """The stacks of two runs: engines of the GPU, ALU engines by kernel, x86
    cores."""
    found = []
    reports = [run.reports for run in (first, second)]
    if all("evg" in side for side in reports):
        for engine, name in (("ALUEngine", "ALU engines"),
                             ("TEXEngine", "TEX engines"),
                             ("CFEngine", "CF engines")):
            found += _stack(name, [_gpu(side["evg"], engine)
                                   for side in reports])
    if all("kernel" in side for side in reports):
        kernels = [_kernels(side["kernel"]) for side in reports]
        for kernel in kernels[0]:
            if kernel in kernels[1]:
                found += _stack(f"kernel {kernel}, ALU engines",
                                [side[kernel] for side in kernels])
    if all("x86" in side for side in reports):
        work = [side["x86"].get("Global", {}).get("Commit.Instructions", 0)
                for side in reports]
        found += _stack("x86 cores", [_cores(side["x86"])
                                      for side in reports],
                        work if all(work) else None)
    return found
