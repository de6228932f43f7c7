"""By how much a statistic must have moved to count."""

import re


class ThresholdError(Exception):
    """A threshold that cannot be read."""


def matcher(pattern):
    """A pattern in which only * and ? are special: names have brackets."""
    return re.compile("".join(".*" if letter == "*" else
                              "." if letter == "?" else re.escape(letter)
                              for letter in pattern) + r"\Z").match


class Thresholds:
    """Rules PATTERN=VALUE,...; the last one that matches a statistic counts.
    VALUE with % is relative to the first run, without it is absolute; with
    both a statistic must have moved by more than both. A rule without a
    pattern holds for all."""

    def __init__(self, rules=(), ignored=(), only=()):
        self.rules = [self._rule(rule) for rule in rules]
        self.ignored = [matcher(pattern) for pattern in ignored]
        self.only = [matcher(pattern) for pattern in only]
        self._texts = list(rules)

    def _rule(self, rule):
        pattern, _, values = rule.rpartition("=")
        relative = absolute = 0.0
        for value in values.split(","):
            try:
                if value.strip().endswith("%"):
                    relative = float(value.strip()[:-1]) / 100
                else:
                    absolute = float(value)
            except ValueError:
                raise ThresholdError(f"threshold {rule}: expected a number, "
                                     f"or a percentage as 1%, in place of "
                                     f"'{value}'") from None
        return matcher(pattern or "*"), relative, absolute

    def __str__(self):
        return " ".join(self._texts) or "0"

    def counts(self, name):
        """Whether a statistic is compared."""
        return not any(match(name) for match in self.ignored) and \
            (not self.only or any(match(name) for match in self.only))

    def exceeded(self, name, before, after):
        """Whether a statistic of two numbers has moved."""
        relative = absolute = 0.0
        for match, *values in self.rules:
            if match(name):
                relative, absolute = values
        delta = abs(after - before)
        return delta > absolute and delta > relative * abs(before)
