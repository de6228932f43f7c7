"""Caches, memories and networks as a graph with traffic on its edges."""

import re

_LINK = re.compile(r"Network\.(.+)\.Link\.link_(.+)\.out_buf_\d+_(.+)"
                   r"\.in_buf_\d+$")


def _base(name, modules):
    """The module whose part of a network this is: evg-l2-0.in is evg-l2-0."""
    while name and name not in modules and "." in name:
        name = name.rpartition(".")[0]
    return name


def _level(name):
    return re.sub(r"-\d+$", "", name)


def _merged(run):
    report = {}
    for kind in ("net", "mem"):
        report.update(run.reports.get(kind) or {})
    return report


def _links(report, modules):
    """Traffic between modules by (from, to), and a row for each link."""
    edges, links = {}, []
    for name, section in report.items():
        match = _LINK.match(name)
        if not match:
            continue
        net, source, target = match.groups()
        count = section.get("TransferredBytes", 0)
        messages = section.get("TransferredMessages", 0)
        busy = section.get("Utilization", 0)
        links.append([net, source, target, count, messages, busy])
        source, target = _base(source, modules), _base(target, modules)
        if source == target:
            continue
        edge = edges.setdefault((source, target), [0, 0, 0])
        edge[0] += count
        edge[1] += messages
        edge[2] = max(edge[2], busy)
    return edges, links


def _parts(names, edges):
    """Sets of modules that are connected; those without any edge are one."""
    part = {name: name for name in names}

    def find(name):
        while part[name] != name:
            part[name] = part[part[name]]
            name = part[name]
        return name

    alone = set(names)
    for source, target in edges:
        part[find(source)] = find(target)
        alone -= {source, target}
    sets = {}
    for name in names:
        sets.setdefault(None if name in alone else find(name),
                        []).append(name)
    return sets.items()


def _depths(names, edges):
    """The column of each module: behind those before it in the report with
    which it is linked; where there are no links, by kinds of modules."""
    order = {name: at for at, name in enumerate(names)}
    above = {}
    for source, target in edges:
        if source in order and target in order:
            first, last = sorted((source, target), key=order.get)
            above.setdefault(last, set()).add(first)
    if not above:
        kinds = list(dict.fromkeys(map(_level, names)))
        return {name: kinds.index(_level(name)) for name in names}
    depths = {}
    for name in names:
        depths[name] = max((depths[other] + 1
                            for other in above.get(name, ())), default=0)
    return depths


def memory_of(run):
    """The hierarchy's parts, each with columns of modules and with edges; and
    tables. None: no report has caches."""
    report = _merged(run)
    modules = {name: section for name, section in report.items()
               if "Accesses" in section and not name.startswith("Network.")}
    if not modules:
        return None
    edges, links = _links(report, modules)
    names = list(modules) + sorted({end for ends in edges for end in ends} -
                                   set(modules))
    parts = []
    for alone, own in _parts(names, edges):
        depths = _depths(own, {} if alone is None else edges)
        levels = [[] for _ in range(max(depths.values()) + 1)]
        for name in own:
            levels[depths[name]].append(_level(name))
        rows = []
        for name in own:
            section = modules.get(name, {})
            rows.append([name, depths[name], section.get("Accesses", 0),
                         section.get("HitRatio"), section.get("ReadBytes"),
                         section.get("WrittenBytes"),
                         section.get("Utilization")])
        parts.append({
            "levels": [", ".join(dict.fromkeys(level)) for level in levels],
            "modules": rows,
            "edges": [[source, target, *figures] for (source, target), figures
                      in edges.items() if source in depths]})
    columns = ["Accesses", "Hits", "Misses", "HitRatio", "Reads", "NCWrites",
               "Writes", "Evictions", "CoalescedAccesses", "ReadBytes",
               "WrittenBytes", "RowHits", "RowMisses", "RowConflicts",
               "Utilization"]
    return {
        "parts": parts,
        "table": {"columns": ["module", *columns],
                  "rows": [[name] + [section.get(column, "")
                                     for column in columns]
                           for name, section in modules.items()]},
        "links": {"columns": ["network", "from", "to", "bytes", "messages",
                              "utilization"], "rows": links}}
