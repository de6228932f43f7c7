#!/usr/bin/env python3
"""Faults put into the code generator, and whether its tests find them.

usage: mutants.py [--seed N] [--count N] [--first N] [--table FILE]
                  [--minutes N]   in a build directory of a clean checkout

Draws COUNT faults (200) by SEED (1) from all places where an operator, a number
or a name of the generator's sources and tables can be replaced by another, so
that the same sources and seed give the same list. Each is built with make, which
compiles one file and links, and runs through those tests of `make check` that
use the generator, those first that find most in their time, until one fails; the source is put back.
TABLE (mutants.txt) gets a line for each: number, result, seconds, place, change.
The result is the test that failed, "not-built" where the compiler refuses it,
"same" where it makes the same code of it, or MISSED. A test is ended at its first
failure. Faults that TABLE has already are left out, so that a run that was
ended goes on; --first leaves out those before. doc/code-generator.md says what
came out."""
import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

BUILD = os.getcwd()
GENERATOR = 'src/opencl-rt/codegen'
# Those first that found most of 120 faults in their time.
TESTS = ['codegen/test-stages', 'codegen/test-passes', 'codegen/test-optimum',
         'clc/test-images', 'codegen/test-imports', 'codegen/stages.sh',
         'codegen/options.sh', 'codegen/test-schedule', 'clc/test-verify',
         'clc/test-double-vectors', 'clc/test-accuracy', 'clc/test-double',
         'codegen/test-random', 'codegen/figures.sh', 'clc/test-convert',
         'clc/test-features', 'clc/test-differential', 'clc/command.sh']
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


def variable(name):
    """The words of a variable of the Makefile."""
    text = subprocess.run(
        ['make', '-s', f'--eval=print-it: ; @echo $({name})', 'print-it'],
        capture_output=True, text=True, check=True).stdout
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


def run(command, seconds):
    """Exit status; a command that takes too long has failed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, cwd=BUILD,
                               start_new_session=True)
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        end(process)
        process.wait()
        return 124


def fails(command, seconds):
    """Whether a test fails; it is ended when it says so for the first time."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.DEVNULL, cwd=BUILD,
                               errors='replace', start_new_session=True)
    timer = threading.Timer(seconds, end, (process,))
    timer.start()
    said = any(line.startswith('not ok') for line in process.stdout)
    if said:
        end(process)
    status = process.wait()
    timer.cancel()
    return said or status != 0


def code_of(path):
    """The machine code of a source file; None of a table, which many have, and
    where it cannot be compiled."""
    folder, name = os.path.split(path)
    built = os.path.join(folder, 'm2s_clc-' + name[:-2] + '.o')
    if not name.endswith('.c') or run(['make', built], 1200):
        return None
    with tempfile.NamedTemporaryFile() as plain:
        subprocess.run(['objcopy', '--strip-debug', built, plain.name],
                       check=True)
        with open(plain.name, 'rb') as file:
            return file.read()


def judge(root, limits, path=None, before=None):
    """The first test that fails, 'not-built', 'same' or 'MISSED'. `limits` has
    the seconds of each test; those that it lacks are measured. `path` is that
    of the file with the fault, `before` its code without it."""
    if before and code_of(path) == before:
        return 'same'
    if run(['make', '-j2', 'm2s', 'm2s-clc'] + variable('pkgdata_DATA') +
           PROGRAMS, 1200):
        return 'not-built'
    for test in TESTS:
        script = os.path.join(root, 'tests', test)
        command = (['bash', script] if test.endswith('.sh')
                   else ['stdbuf', '-oL', './tests/' + test])
        start = time.monotonic()
        if fails(command, limits.get(test, 1200)):
            return test
        # The machine may be busier later on.
        limits.setdefault(test, 30 + 8 * (time.monotonic() - start))
    return 'MISSED'


def done(table):
    """The results that the table has: by number."""
    results = {}
    if os.path.exists(table):
        with open(table, encoding='utf-8') as file:
            for line in file:
                words = line.split()
                results[int(words[0])] = words[1]
    return results


def put_in(root, fault, judge_it):
    """Judges a fault, and puts the source back; the line that it is in, the
    result and its text."""
    path, start, end, other = fault
    name = os.path.join(root, path)
    with open(name, encoding='utf-8') as file:
        text = file.read()
    line = text.count('\n', 0, start) + 1
    before = code_of(path)
    try:
        with open(name, 'w', encoding='utf-8') as file:
            file.write(text[:start] + other + text[end:])
        result = judge_it(path, before)
    finally:
        with open(name, 'w', encoding='utf-8') as file:
            file.write(text)
    return f'{path}:{line}', result, f'{text[start:end].strip()} -> ' \
        f'{other.strip()}'


def summary(results):
    built = [result for result in results.values()
             if result not in ('not-built', 'same')]
    found = [result for result in built if result != 'MISSED']
    print(f'{len(results)} faults, {len(built)} with other code, '
          f'{len(found)} found')
    for test in TESTS:
        if test in found:
            print(f'{found.count(test):5} {test}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('--table', default='mutants.txt')
    parser.add_argument('--minutes', type=float, default=1e9)
    options = parser.parse_args()
    begin = time.monotonic()
    root = variable('abs_top_srcdir')[0]
    os.environ.update(top_srcdir=root, top_builddir=BUILD,
                      M2S=os.path.join(BUILD, 'm2s'))
    drawn = random.Random(options.seed).sample(sorted(faults(root)),
                                               options.count)
    results, limits = done(options.table), {}
    verdict = judge(root, limits)
    if verdict != 'MISSED':
        sys.exit(f'mutants.py: without a fault: {verdict}')
    for number, fault in enumerate(drawn, 1):
        start = time.monotonic()
        if start - begin > 60 * options.minutes:
            break
        if number in results or number < options.first:
            continue
        place, results[number], change = put_in(
            root, fault, lambda *code: judge(root, limits, *code))
        line = f'{number} {results[number]} ' \
            f'{time.monotonic() - start:.0f} {place} {change}'
        print(line, flush=True)
        with open(options.table, 'a', encoding='utf-8') as file:
            print(line, file=file)
    summary(results)


if __name__ == '__main__':
    main()
