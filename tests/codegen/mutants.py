#!/usr/bin/env python3
"""Faults put into the code generator, and whether its tests find them.

usage: mutants.py [COUNT [SEED]]   in a build directory of a clean checkout

Draws COUNT faults (200) by SEED (1) from all places where an operator, a number
or a name of the generator's sources and tables can be replaced by another, so
that the same sources and seed give the same list. Each is built with make and
run through the quick tests; the source is put back. A line for each:
found TEST, not built (the compiler refuses it), or MISSED."""
import os
import random
import re
import signal
import subprocess
import sys

BUILD = os.getcwd()
GENERATOR = 'src/opencl-rt/codegen'
TESTS = ['tests/codegen/test-stages', 'tests/codegen/test-passes',
         'tests/codegen/stages.sh', 'tests/codegen/test-schedule',
         'tests/codegen/test-random']
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


def run(command, seconds):
    """Exit status; a command that takes too long has failed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, cwd=BUILD,
                               start_new_session=True)
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return 124


def judge(root):
    programs = [test for test in TESTS if not test.endswith('.sh')]
    if run(['make', 'm2s-clc'] + programs, 600):
        return 'not built'
    for test in TESTS:
        script = os.path.join(root, test)
        command = ['bash', script] if test.endswith('.sh') else ['./' + test]
        if run(command, 180):
            return 'found ' + test
    return 'MISSED'


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    root = subprocess.run(
        ['make', '-s', '--eval=print-root: ; @echo $(abs_top_srcdir)',
         'print-root'], capture_output=True, text=True,
        check=True).stdout.strip()
    os.environ.update(top_srcdir=root, top_builddir=BUILD,
                      M2S=os.path.join(BUILD, 'm2s'))
    if judge(root) != 'MISSED':
        sys.exit('mutants.py: the tests fail without a fault')
    drawn = random.Random(seed).sample(sorted(faults(root)), count)
    totals = {}
    for number, (path, start, end, other) in enumerate(drawn, 1):
        name = os.path.join(root, path)
        with open(name, encoding='utf-8') as file:
            text = file.read()
        line = text.count('\n', 0, start) + 1
        try:
            with open(name, 'w', encoding='utf-8') as file:
                file.write(text[:start] + other + text[end:])
            result = judge(root)
        finally:
            with open(name, 'w', encoding='utf-8') as file:
                file.write(text)
        totals[result.split()[0]] = totals.get(result.split()[0], 0) + 1
        print(f'{number} {path}:{line}: {text[start:end].strip()} -> '
              f'{other.strip()}: {result}', flush=True)
    print(' '.join(f'{word}: {number}' for word, number in totals.items()))


if __name__ == '__main__':
    main()
