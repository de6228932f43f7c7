#!/usr/bin/env python3
"""Faults put into the code generator, and whether its tests find them.

usage: mutants.py [--seed N] [--count N] [--numbers N,N...] [--tests WORD,...]
                  [--table FILE] [--minutes N] [--list] FOLDER
                                                       in a build directory

Copies the tree to FOLDER, unless it is there, and works in that copy, where all
tests are built first. Draws COUNT faults (200) by SEED (1) from all places where an
operator, a number or a name of the generator's sources and tables can be replaced
by another, so that the same sources and seed give the same list (--list prints
it). With one fault at a time make compiles the file and links, and the tests of
`make check` that use the generator judge it, until one fails; then the source is
put back.

To run all of them takes minutes. So what they have m2s-clc compile is recorded
once (compilations.py), and each generator with a fault compiles it again: a test
runs where something else comes out of one of its compilations, or where it has
the source itself. Without either it cannot end in another way. A test whose
compilations do not come out alike twice runs always, and so does one that
starts m2s.

TABLE (FOLDER/mutants.txt) gets a line for each: number, result, seconds, place,
change. The result is the test that failed, "not-built" where the compiler refuses
it, "same" where it makes the same code of it, "unseen" where all compilations
come out as before, or MISSED. Faults that TABLE has already are left out, so that
a run that was ended goes on. --numbers judges these alone, and --tests uses only
those tests that have one of the words in their names: a sample may go through the
quick ones first, and what they miss through the others, with another TABLE. The
sources stay as they were when FOLDER was made. doc/measurements/generator-faults.md says what
came out."""
import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import compilations

GENERATOR = 'src/opencl-rt/codegen'
# Those first that find most in their time.
TESTS = ['codegen/test-stages', 'codegen/test-passes', 'codegen/test-optimum',
         'codegen/test-schedule', 'codegen/test-imports', 'clc/test-images',
         'clc/test-verify', 'clc/test-double-vectors', 'clc/test-accuracy',
         'clc/test-double', 'clc/test-convert', 'codegen/stages.sh',
         'codegen/options.sh', 'clc/test-differential', 'codegen/test-random',
         'clc/test-features', 'clc/command.sh', 'clc/chips.sh',
         'codegen/figures.sh']
PROGRAMS = ['tests/' + test for test in TESTS if not test.endswith('.sh')]
# Each costs nothing at all, or prints only.
NOT_SEMANTIC = ('report', 'stage/print.c', 'write/lines.c', 'line.c')
RULES = [
    (r' == ', ' != '), (r' != ', ' == '), (r' < ', ' <= '), (r' <= ', ' < '),
    (r' > ', ' >= '), (r' >= ', ' > '), (r' && ', ' || '), (r' \|\| ', ' && '),
    (r'\breturn true;', 'return false;'), (r'\breturn false;', 'return true;'),
    (r' \+ 1\b', ' + 2'), (r' - 1\b', ' - 2'), (r'\[0\]', '[1]'),
    (r'\[1\]', '[0]'), (r'\(!', '('), (r' \+ ', ' - '),
    (r'\+\+;', '+= 2;'), (r' \? ', ' ? !'),
    (r'\bEVG_ALU_SETGT_INT\b', 'EVG_ALU_SETGE_INT'),
    (r'\bEVG_ALU_SETGE_UINT\b', 'EVG_ALU_SETGT_UINT'),
    (r'\bEVG_ALU_ADD_INT\b', 'EVG_ALU_SUB_INT'),
    (r'\bEVG_ALU_LSHR_INT\b', 'EVG_ALU_ASHR_INT'),
    (r'\bEVG_ALU_ASHR_INT\b', 'EVG_ALU_LSHR_INT'),
    (r'\bEVG_ALU_AND_INT\b', 'EVG_ALU_OR_INT'),
    (r'\bEVG_ALU_MULHI_UINT\b', 'EVG_ALU_MULHI_INT'),
    (r'\bMACHINE_EVEN\b', 'MACHINE_ODD'), (r'\btrue\b', 'false'),
]


def variable(build, name):
    """The words of a variable of the Makefile."""
    text = subprocess.run(
        ['make', '-s', f'--eval=print-it: ; @echo $({name})', 'print-it'],
        capture_output=True, text=True, check=True, cwd=build).stdout
    # make may speak of the Makefile before.
    return text.strip().split('\n')[-1].split()


def sources(root):
    for folder, folders, files in os.walk(os.path.join(root, GENERATOR)):
        folders.sort()
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), root)
            if name.endswith(('.c', '.def')) and not any(
                    word in path for word in NOT_SEMANTIC):
                yield path


def faults(root):
    """All that can be drawn: (path, offset, end, replacement)."""
    for path in sources(root):
        with open(os.path.join(root, path), encoding='utf-8') as file:
            text = file.read()
        comments = [match.span() for match in re.finditer(
            r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^\s*#.*$', text, re.S | re.M)
            if not match.group().startswith('#')]
        for pattern, other in RULES:
            for match in re.finditer(pattern, text):
                if not any(start <= match.start() < end
                           for start, end in comments):
                    yield path, match.start(), match.end(), other


def end(process):
    """Ends a process and those that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Tree:
    """A copy of the tree, with a build directory in it."""

    def __init__(self, folder, build, tests):
        self.tests = tests
        self.root = os.path.join(folder, 'tree')
        self.records = os.path.join(folder, 'compilations')
        self.shim = os.path.join(folder, 'build')
        root = os.path.realpath(os.path.join(
            build, variable(build, 'srcdir')[0]))
        self.build = os.path.join(self.root, os.path.relpath(build, root))
        if not os.path.exists(self.root):
            shutil.copytree(root, self.root + '.part', symlinks=True,
                            ignore=lambda folder, names: [
                                name for name in names if name == '.git' or
                                self.is_other(os.path.join(folder, name),
                                              build)])
            os.rename(self.root + '.part', self.root)
        self.targets = ['m2s', 'm2s-clc'] + PROGRAMS + \
            variable(self.build, 'pkgdata_DATA')
        os.environ.update(
            top_srcdir=self.root, top_builddir=self.build,
            M2S=os.path.join(self.build, 'm2s'),
            CC=' '.join(variable(self.build, 'CC')))
        self.limits = {}    # seconds of tests
        self.own = {}       # sources that they have in themselves
        self.known = []     # compilations
        for test in PROGRAMS:
            name = re.sub(r'\W', '_', test)
            self.own[test[len('tests/'):]] = set(
                variable(self.build, f'{name}_SOURCES'))

    @staticmethod
    def is_other(path, build):
        """Whether a folder is a build directory, but not this one."""
        return path != build and os.path.exists(
            os.path.join(path, 'config.status'))

    def run(self, command, seconds):
        """Exit status; a command that takes too long has failed."""
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, cwd=self.build,
                                   start_new_session=True)
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            end(process)
            process.wait()
            return 124

    def make(self):
        return self.run(['make', '-j2'] + self.targets, 3600) == 0

    def fails(self, test, builddir=None):
        """Whether a test fails; it is ended when it says so for the first
        time."""
        command = (['bash', os.path.join(self.root, 'tests', test)]
                   if test.endswith('.sh') else ['stdbuf', '-oL', os.path.join(
                       self.build, 'tests', test)])
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            text=True, errors='replace', stderr=subprocess.DEVNULL,
            cwd=self.build, start_new_session=True,
            env=dict(os.environ, top_builddir=builddir or self.build,
                     RECORDED_TEST=test))
        timer = threading.Timer(self.limits.get(test, 1200), end, (process,))
        timer.start()
        said = any(line.startswith('not ok') for line in process.stdout)
        if said:
            end(process)
        status = process.wait()
        timer.cancel()
        return said or status != 0

    def compiler(self):
        return os.path.join(self.build, 'm2s-clc')

    def record(self):
        """Runs each test with a build directory whose m2s-clc keeps what it is
        asked for. Those that are recorded are in a file beside."""
        recorded = self.records + '.txt'
        os.makedirs(self.records, exist_ok=True)
        shutil.rmtree(self.shim, ignore_errors=True)
        os.mkdir(self.shim)
        for name in os.listdir(self.build):
            if name != 'm2s-clc':
                os.symlink(os.path.join(self.build, name),
                           os.path.join(self.shim, name))
        compilations.write_script(
            os.path.join(self.shim, 'm2s-clc'),
            f'#!/bin/sh\nexec "{sys.executable}" "{compilations.__file__}" '
            f'"{self.records}" "{self.compiler()}" "$@"\n')
        with open(recorded, 'a+', encoding='utf-8') as file:
            file.seek(0)
            self.limits = {line.split()[0]: float(line.split()[1])
                           for line in file}
            for test in self.tests:
                if test in self.limits:
                    continue
                start = time.monotonic()
                if self.fails(test, self.shim):
                    sys.exit(f'mutants.py: without a fault: {test}')
                # A test that has no end fails. The machine may be busier
                # later on.
                self.limits[test] = 30 + 8 * (time.monotonic() - start)
                print(test, self.limits[test], file=file, flush=True)

    def prepare(self):
        """Has the tests' compilations, and knows which tests run always."""
        self.always = set()
        for test in self.tests:
            if test.endswith('.sh'):
                with open(os.path.join(self.root, 'tests', test),
                          encoding='utf-8') as file:
                    if '"$M2S"' in file.read():
                        self.always.add(test)
        self.record()
        clang = re.search(r'define M2S_CLANG "(.*)"', open(
            os.path.join(self.build, 'config.h'), encoding='utf-8').read())
        self.known = [compilation
                      for compilation in compilations.load(self.records)
                      if compilation.tests & set(self.tests)]
        for compilation in self.known:
            if not compilation.prepare(self.compiler(), clang.group(1)):
                self.always |= compilation.tests

    def objects(self, path):
        """What make has compiled a source file to, for the compiler and for
        tests: the contents by name. None of a table, which many have."""
        folder, name = os.path.split(os.path.join(self.build, path))
        found = {}
        for prefix in ('m2s_clc-', ''):
            built = os.path.join(folder, prefix + name[:-2] + '.o')
            if name.endswith('.c') and os.path.exists(built):
                with open(built, 'rb') as file:
                    found[built] = file.read()
        return found

    @staticmethod
    def code_of(objects):
        """The machine code of the first of them; None without any."""
        for content in objects.values():
            with tempfile.NamedTemporaryFile() as whole:
                whole.write(content)
                whole.flush()
                subprocess.run(['objcopy', '--strip-debug', whole.name],
                               check=True)
                with open(whole.name, 'rb') as plain:
                    return plain.read()
        return None

    def judge(self, path, before):
        """The first test that fails, or what TABLE has instead. `path` is that
        of the file with the fault, `before` its objects without it."""
        if not self.make():
            return 'not-built'
        if before and self.code_of(before) == \
                self.code_of(self.objects(path)):
            return 'same'
        seen, same = False, set()
        for test in self.tests:
            other = path in self.own.get(test, ()) or path.endswith('.def') \
                and self.own.get(test)
            for compilation in self.known:
                if other or test not in compilation.tests:
                    continue
                if compilation not in same:
                    other = compilation.digest(self.compiler()) != \
                        compilation.expected
                    if not other:
                        same.add(compilation)
            seen |= bool(other)
            if (other or test in self.always) and self.fails(test):
                return test
        return 'MISSED' if seen else 'unseen'


def done(table):
    """The results that the table has: by number."""
    results = {}
    if os.path.exists(table):
        with open(table, encoding='utf-8') as file:
            for line in file:
                words = line.split()
                results[int(words[0])] = words[1]
    return results


def put_in(tree, fault):
    """Judges a fault, and puts the source back; the place that it is in, the
    result and its text."""
    path, start, end_, other = fault
    name = os.path.join(tree.root, path)
    with open(name, encoding='utf-8') as file:
        text = file.read()
    line = text.count('\n', 0, start) + 1
    times = os.stat(name)
    before = tree.objects(path)
    try:
        with open(name, 'w', encoding='utf-8') as file:
            file.write(text[:start] + other + text[end_:])
        result = tree.judge(path, before)
    finally:
        with open(name, 'w', encoding='utf-8') as file:
            file.write(text)
        # With its objects it need not be compiled again, only linked.
        for built, content in before.items():
            with open(built, 'wb') as file:
                file.write(content)
        if before:
            os.utime(name, ns=(times.st_atime_ns, times.st_mtime_ns))
    return f'{path}:{line}', result, f'{text[start:end_].strip()} -> ' \
        f'{other.strip()}'


def summary(results):
    other = [result for result in results.values()
             if result not in ('not-built', 'same')]
    found = [result for result in other if result in TESTS]
    print(f'{len(results)} faults, {len(other)} with other machine code, '
          f'{other.count("unseen")} unseen, {len(found)} found')
    for test in TESTS:
        if test in found:
            print(f'{found.count(test):5} {test}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--numbers', type=lambda text: {
        int(word) for word in text.split(',')})
    parser.add_argument('--tests', default='')
    parser.add_argument('--table')
    parser.add_argument('--minutes', type=float, default=1e9)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('folder')
    options = parser.parse_args()
    # The source is put back then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('mutants.py: ended'))
    begin = time.monotonic()
    tree = Tree(os.path.realpath(options.folder), os.getcwd(), [
        test for test in TESTS
        if any(word in test for word in options.tests.split(','))])
    table = options.table or os.path.join(options.folder, 'mutants.txt')
    drawn = random.Random(options.seed).sample(sorted(faults(tree.root)),
                                               options.count)
    if options.list:
        for number, (path, start, end_, other) in enumerate(drawn, 1):
            print(number, path, start, end_, other.strip())
        return
    if not tree.make():
        sys.exit('mutants.py: the tree cannot be built')
    tree.prepare()
    results = done(table)
    for number, fault in enumerate(drawn, 1):
        start = time.monotonic()
        if start - begin > 60 * options.minutes:
            break
        if number in results or (options.numbers and
                                 number not in options.numbers):
            continue
        place, results[number], change = put_in(tree, fault)
        line = f'{number} {results[number]} ' \
            f'{time.monotonic() - start:.0f} {place} {change}'
        print(line, flush=True)
        with open(table, 'a', encoding='utf-8') as file:
            print(line, file=file)
    summary(results)


if __name__ == '__main__':
    main()
