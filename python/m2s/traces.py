"""Events of a run in the trace format of Chrome and Perfetto (JSON, also
compressed by gzip): {"traceEvents": [...]} or the list alone.

    trace = read_trace("run.json.gz")
    for span in trace.spans():
        print(span.process, span.thread, span.name, span.begin, span.length)"""

import json
from collections import namedtuple

from m2s.files import ReadError, frame, read_text

# Times in microseconds, as in the format.
Span = namedtuple("Span", "process thread name begin length arguments")


class Trace:
    """events: as in the file; processes and threads: their names."""

    def __init__(self, events, path=None):
        self.path, self.events = path, events
        self.processes, self.threads = {}, {}
        for event in events:
            if event.get("ph") != "M":
                continue
            name = event.get("args", {}).get("name")
            if event.get("name") == "process_name":
                self.processes[event.get("pid")] = name
            elif event.get("name") == "thread_name":
                self.threads[event.get("pid"), event.get("tid")] = name

    def _span(self, event, begin, length):
        process, thread = event.get("pid"), event.get("tid")
        return Span(self.processes.get(process, process),
                    self.threads.get((process, thread), thread),
                    event.get("name", ""), begin, length,
                    event.get("args", {}))

    def spans(self):
        """What has a length: complete events, and pairs of begin and end of
        one thread. Raises ReadError for an end without a beginning."""
        begun = {}
        for count, event in enumerate(self.events):
            phase = event.get("ph")
            if phase == "X":
                yield self._span(event, event["ts"], event.get("dur", 0))
                continue
            thread = event.get("pid"), event.get("tid")
            if phase == "B":
                begun.setdefault(thread, []).append(event)
            elif phase == "E":
                if not begun.get(thread):
                    raise ReadError(self.path, f"event {count} ends what has "
                                    "not begun")
                begin = begun[thread].pop()
                yield self._span(begin, begin["ts"],
                                 event["ts"] - begin["ts"])

    def counters(self):
        """Values over time: {(process, name): [(time, {series: value})]}."""
        found = {}
        for event in self.events:
            if event.get("ph") == "C":
                process = event.get("pid")
                key = (self.processes.get(process, process),
                       event.get("name", ""))
                found.setdefault(key, []).append((event["ts"],
                                                  event.get("args", {})))
        return found

    def totals(self):
        """The time of each name together, the greatest first."""
        found = {}
        for span in self.spans():
            found[span.name] = found.get(span.name, 0) + span.length
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def frame(self):
        """A pandas.DataFrame of the spans."""
        return frame(list(self.spans()), Span._fields)


def read_trace(path):
    """Reads a trace. Raises ReadError."""
    text = read_text(path)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ReadError(path, f"truncated, or no JSON: {error.msg}",
                        error.lineno) from None
    events = data.get("traceEvents") if isinstance(data, dict) else data
    if not isinstance(events, list):
        raise ReadError(path, "no trace: it has no list traceEvents")
    for count, event in enumerate(events):
        if not isinstance(event, dict) or "ph" not in event:
            raise ReadError(path, f"no trace: event {count} has no phase")
    return Trace(events, path)
