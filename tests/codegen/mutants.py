#!/usr/bin/env python3
"""Faults put into the code generator, and whether its tests find them.

usage: mutants.py [--seed N] [--count N] [--numbers N,N...] [--tests WORD,...]
                  [--most N] [--table FILE] [--minutes N] [--list] FOLDER
                                                       in a build directory

Copies the tree to FOLDER, unless it is there, and works in that copy, where all
tests are built first. Draws COUNT faults (200) by SEED (1) from all places where an
operator, a number or a name of the generator's sources and tables can be replaced
by another, so that the same sources and seed give the same list (--list prints
it). With one fault at a time make compiles the file and links, and the tests of
`make check` that use the generator judge it, until one fails; then the source is
put back.

To run all of them takes minutes. So what they have m2s-clc compile is recorded
once (compilations.py), by m2s too, with the functions of the generator that run
then (reached.c). Each generator with a fault compiles again what comes to the
function with the fault: a test runs where something else comes out of one of its
compilations, or where it has the source itself. Without either it cannot end in
another way. Where a fault has m2s-clc refuse what it compiled before, or never
end, the test need not run to fail. A test whose compilations do not come out
alike twice runs always, and so does one that fails with a recorded compiler.
FOLDER/compilations.txt has what became of each test; those that fail in FOLDER
without a fault are left out.

TABLE (FOLDER/mutants.txt) gets a line for each: number, result, seconds, place,
change. The result is the test that failed, "not-built" where the compiler refuses
it, "same" where it makes the same code of it, "unseen" where all compilations
come out as before, or MISSED. Faults that TABLE has already are left out, so that
a run that was ended goes on. --numbers judges these alone, and --tests uses only
those tests that have one of the words in their names. --most has at most N
compilations, drawn from those that come to the function, made again for a fault. A
sample may go through the quick tests and few compilations first, and what they
miss through the others, with another TABLE. The sources stay as they were when
FOLDER was made. doc/measurements/generator-faults.md says what came out."""
import argparse
import multiprocessing.pool
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
import faults

# Those first that find most in their time.
TESTS = ['codegen/test-stages', 'codegen/test-passes', 'codegen/test-optimum',
         'codegen/test-schedule', 'codegen/test-imports', 'clc/test-images',
         'clc/test-verify', 'clc/test-double-vectors', 'clc/test-accuracy',
         'clc/test-double', 'clc/test-convert', 'codegen/stages.sh',
         'codegen/options.sh', 'codegen/figures.sh', 'clc/test-differential',
         'codegen/test-random', 'clc/test-features', 'clc/command.sh',
         'clc/chips.sh']
# What else of `make check` has kernels compiled: behind them, the quickest first.
FOLDERS = ('clc/', 'codegen/', 'evergreen/', 'fidelity/', 'opencl/', 'python/',
           'report/', 'sweep/', 'system/')
# It counts steps of a generator that is built for it alone, and runs last.
COUNTING, COUNTED = 'codegen/growth.sh', 'counted-clc'
# What others have compiled must not be refused.
MAY_BE_REFUSED = ('codegen/test-random', 'codegen/options.sh',
                  'codegen/stages.sh', 'clc/test-features')
REAL = '-real'          # m2s-clc while a script stands in for it
PROGRAMS = ['tests/' + test for test in TESTS if not test.endswith('.sh')]


def variable(build, name):
    """The words of a variable of the Makefile."""
    text = subprocess.run(
        ['make', '-s', f'--eval=print-it: ; @echo $({name})', 'print-it'],
        capture_output=True, text=True, check=True, cwd=build).stdout
    # make may speak of the Makefile before.
    return text.strip().split('\n')[-1].split()


def end(process):
    """Ends a process and those that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Tree:
    """A copy of the tree, with a build directory in it."""

    def __init__(self, folder, build, words, most):
        self.root = os.path.join(folder, 'tree')
        self.records = os.path.join(folder, 'compilations')
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
        self.targets = ['m2s-clc'] + PROGRAMS + \
            variable(self.build, 'pkgdata_DATA')
        checked = [test[len('tests/'):]
                   for test in variable(self.build, 'M2S_TESTS')]
        self.tests = [test for test in TESTS + [
            test for test in checked
            if test.startswith(FOLDERS) and test not in TESTS + [COUNTING]
        ] + [COUNTING] if any(word in test for word in words)]
        self.others = ['all'] + [
            'tests/' + test for test in self.tests
            if not test.endswith(('.sh', '.py'))]
        os.environ.update(
            top_srcdir=self.root, top_builddir=self.build,
            M2S=os.path.join(self.build, 'm2s'),
            CC=' '.join(variable(self.build, 'CC')),
            CXX=' '.join(variable(self.build, 'CXX')),
            HAVE_M32=' '.join(variable(self.build, 'HAVE_M32_VALUE')))
        self.limits = {}    # seconds of tests
        self.own = {}       # sources that they have in themselves
        self.known = []     # compilations
        self.most = most    # of them for one fault
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

    def fails(self, test):
        """Whether a test fails; it is ended when it says so for the first
        time."""
        if test == COUNTING and self.run(['make', COUNTED], 600):
            return True
        program = os.path.join(self.build, 'tests', test)
        if not os.path.exists(program):
            program = os.path.join(self.root, 'tests', test)
        # Some scripts mind what it has programs load. Each says so at once.
        process = subprocess.Popen(
            [program] if test.endswith(('.sh', '.py')) else
            ['stdbuf', '-oL', program], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True, errors='replace',
            stderr=subprocess.DEVNULL, cwd=self.build, start_new_session=True,
            env=dict(os.environ, top_builddir=self.build))
        timer = threading.Timer(self.limits.get(test, 1200), end, (process,))
        timer.daemon = True
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
        """Runs each test with an m2s-clc that keeps what it is asked for. What
        is recorded is in a file beside."""
        recorded = self.records + '.txt'
        os.makedirs(self.records, exist_ok=True)
        with open(recorded, 'a+', encoding='utf-8') as file:
            file.seek(0)
            for line in file:
                test, limit, way = line.split()
                self.limits[test] = float(limit)
                if way == 'always':
                    self.always.add(test)
                if way == 'left-out':
                    self.left_out.add(test)
            for test in self.tests:
                if test in self.limits:
                    continue
                start, way = time.monotonic(), 'recorded'
                if self.fails_recorded(test):
                    # It may look at the compiler itself.
                    start, way = time.monotonic(), 'always'
                    self.always.add(test)
                    if self.fails(test):
                        way = 'left-out'
                        self.left_out.add(test)
                        print(f'left out, without a fault it fails: {test}')
                # A test that has no end fails. The machine may be busier
                # later on.
                self.limits[test] = 30 + 8 * (time.monotonic() - start)
                print(test, self.limits[test], way, file=file, flush=True)

    def fails_recorded(self, test):
        compiler = self.compiler()
        real = compiler + REAL
        os.rename(compiler, real)
        try:
            compilations.write_script(
                compiler, f'#!/bin/sh\nRECORDED_TEST="{test}" exec '
                f'"{sys.executable}" "{compilations.__file__}" '
                f'"{self.records}" "{real}" "$@"\n')
            return self.fails(test)
        finally:
            os.rename(real, compiler)

    def prepare(self):
        """Has the tests' compilations, and knows which tests run always."""
        self.always, self.left_out = {COUNTING}, set()
        self.record()
        self.tests = [test for test in self.tests
                      if test not in self.left_out]
        self.tests.sort(key=lambda test: (
            TESTS.index(test) if test in TESTS else len(TESTS),
            test == COUNTING, self.limits[test]))
        clang = re.search(r'define M2S_CLANG "(.*)"', open(
            os.path.join(self.build, 'config.h'), encoding='utf-8').read())
        self.known = [compilation
                      for compilation in compilations.load(self.records)
                      if compilation.tests & set(self.tests)]
        with multiprocessing.pool.ThreadPool() as pool:
            alike = pool.map(lambda compilation: compilation.prepare(
                self.compiler(), clang.group(1)), self.known, 1)
        for compilation, is_alike in zip(self.known, alike):
            if not is_alike:
                self.always |= compilation.tests
        self.find_reached()
        for test in self.tests:
            print(f'{test}: {self.limits[test]:.0f} s at most, ', sum(
                test in compilation.tests for compilation in self.known),
                  'compilations' + ', always' * (test in self.always))

    def find_reached(self):
        """Has each compilation's functions of the generator: a fault in another
        one changes nothing there."""
        todo = [compilation for compilation in self.known
                if not os.path.exists(compilation.place('reached'))]
        reaching = self.compiler() + '-reaching'
        if todo and not os.path.exists(reaching):
            os.rename(self.build_reaching(), reaching)
        names = self.functions(reaching) if todo else {}
        with multiprocessing.pool.ThreadPool() as pool:
            pool.map(lambda compilation: compilation.find_reached(
                reaching, names), todo, 1)
        for compilation in self.known:
            compilation.read_reached()

    def build_reaching(self):
        """m2s-clc that tells which functions of the generator run."""
        changed = [path for path in faults.sources(self.root)
                   if path.endswith('.c')]
        telling = self.records + '.o'
        times = {}
        for path in changed:
            name = os.path.join(self.root, path)
            times[name] = os.stat(name)
            os.utime(name)
        steps = [['gcc', '-O1', '-fPIC', '-c', '-o', telling, os.path.join(
            self.root, 'tests/codegen/reached.c')],
            ['make', 'm2s-clc',
             'm2s_clc_CPPFLAGS=$(AM_CPPFLAGS) $(LLVM_CPPFLAGS) '
             '-finstrument-functions',
             f'm2s_clc_LDADD={telling} libm2s.a $(HOST_LIBS) $(LLVM_LIBS)']]
        made = self.compiler() + '-made'
        if any(self.run(step, 3600) for step in steps):
            sys.exit('mutants.py: no compiler that tells what it reaches')
        shutil.copy2(self.compiler(), made)
        for name in times:
            os.utime(name)
        if not self.make():
            sys.exit('mutants.py: the tree cannot be built')
        return made

    def functions(self, program):
        """Functions of the generator by address: (path, name)."""
        symbols = [line.split() for line in subprocess.run(
            ['nm', program], capture_output=True, text=True,
            check=True).stdout.splitlines()]
        texts = [words for words in symbols
                 if len(words) == 3 and words[1] in 'tT']
        lines = subprocess.run(
            ['addr2line', '-e', program], text=True, capture_output=True,
            input='\n'.join(words[0] for words in texts),
            check=True).stdout.splitlines()
        found = {}
        for (address, _, name), line in zip(texts, lines):
            path = os.path.normpath(line.split(':')[0])
            place = path.find(faults.GENERATOR)
            if place >= 0:
                found[address] = path[place:] + ':' + name.split('.')[0]
        return found

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

    def judge(self, path, before, function):
        """The first test that fails, or what TABLE has instead. `path` is that
        of the file with the fault, `before` its objects without it, `function`
        that in which the fault is."""
        if not self.make():
            return 'not-built'
        if before and self.code_of(before) == \
                self.code_of(self.objects(path)):
            return 'same'
        coming = [compilation for compilation in self.known
                  if not function or compilation.reaches(function)]
        drawn = random.Random(function).sample(
            coming, min(self.most, len(coming)))
        seen, same = False, set(self.known) - set(drawn)
        for test in self.tests:
            other = path in self.own.get(test, ()) or path.endswith('.def') \
                and self.own.get(test)
            for compilation in self.known:
                if other:
                    break
                if test not in compilation.tests or compilation in same:
                    continue
                digest = compilation.digest(self.compiler())
                if digest == compilations.ENDLESS or (
                        digest == compilations.REFUSED and
                        test not in MAY_BE_REFUSED):
                    return test
                other = digest != compilation.expected
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
        result = tree.judge(path, before,
                            faults.function_at(path, text, start))
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
    found = [result for result in other if '/' in result]
    print(f'{len(results)} faults, {len(other)} with other machine code, '
          f'{other.count("unseen")} unseen, {len(found)} found')
    for test in sorted(set(found), key=found.count, reverse=True):
        print(f'{found.count(test):5} {test}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--numbers', type=lambda text: {
        int(word) for word in text.split(',')})
    parser.add_argument('--tests', default='')
    parser.add_argument('--most', type=int, default=10 ** 9)
    parser.add_argument('--table')
    parser.add_argument('--minutes', type=float, default=1e9)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('folder')
    options = parser.parse_args()
    # The source is put back then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('mutants.py: ended'))
    begin = time.monotonic()
    tree = Tree(os.path.realpath(options.folder), os.getcwd(),
                options.tests.split(','), options.most)
    table = options.table or os.path.join(options.folder, 'mutants.txt')
    drawn = random.Random(options.seed).sample(
        sorted(faults.faults(tree.root)), options.count)
    if options.list:
        for number, (path, start, end_, other) in enumerate(drawn, 1):
            print(number, path, start, end_, other.strip())
        return
    # Left by a run that was ended while it recorded.
    if os.path.exists(tree.compiler() + REAL):
        os.rename(tree.compiler() + REAL, tree.compiler())
    if tree.run(['make', '-j2'] + tree.others, 7200) or not tree.make():
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
