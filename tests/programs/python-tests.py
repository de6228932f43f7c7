"""Runs modules of Python's own test suite and prints the names of the tests
that pass, one a line: python-tests.py MODULE... [-PATTERN...]. Tests whose name
has a PATTERN in it are left out. What needs the network, much memory or much
time is left out as well, as `python3 -m test` does by default."""
import os
import sys
import tempfile
import unittest

from test import support


class Result(unittest.TestResult):
    """Prints what passes; says on standard error why others do not."""

    def addSuccess(self, test):
        print(test.id(), flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        print(self.failures[-1][1], file=sys.stderr, flush=True)

    def addError(self, test, err):
        super().addError(test, err)
        print("ERROR", test.id(), self.errors[-1][1], file=sys.stderr, flush=True)


def keep(suite, patterns):
    """The suite without the tests that match, fixtures of classes intact."""
    tests = [keep(test, patterns) if isinstance(test, unittest.TestSuite)
             else test for test in suite]
    return type(suite)(
        test for test in tests if isinstance(test, unittest.TestSuite)
        or not any(pattern in test.id() for pattern in patterns))


def main():
    patterns = [word[1:] for word in sys.argv[1:] if word[0] == "-"]
    modules = [word for word in sys.argv[1:] if word[0] != "-"]
    support.use_resources = {}
    support.verbose = 0
    os.chdir(tempfile.mkdtemp())
    suite = unittest.defaultTestLoader.loadTestsFromNames(
        "test." + module for module in modules)
    keep(suite, patterns).run(Result())


if __name__ == "__main__":
    main()
