#!/usr/bin/env python3
"""Programs that save-programs.so has saved: how many were compiled at the first
attempt.

usage: suite-kernels.py FOLDER

Prints programs and kernels, compiled and refused, and writes FOLDER/refused.list: the
number of each refused program, who refused it, and its first error. Clang refuses what
is no valid OpenCL C; what m2s's own code generator refuses is the question.
"""
import os
import re
import sys


def builds(folder):
    """Of each program: (status, kernels, options) of its first build."""
    first = {}
    with open(os.path.join(folder, 'programs.list'), encoding='utf-8') as lines:
        for line in lines:
            number, status, kernels, options = line.rstrip('\n').split(' ', 3)
            first.setdefault(number, (int(status), int(kernels), options))
    return first


def read(folder, number, suffix):
    name = os.path.join(folder, number + suffix)
    if not os.path.exists(name):
        return ''
    with open(name, encoding='utf-8', errors='replace') as file:
        return file.read()


def kernels_of(text):
    return len(re.findall(r'\b(?:__)?kernel\b(?!\s*\()', text))


def first_error(log):
    """Who refused, and the first error."""
    for line in log.splitlines():
        if re.match(r'\S*:\d+:\d+: (fatal )?error: ', line):
            return 'clang', line
    lines = [line for line in log.splitlines() if 'error' in line] or ['no log']
    return 'm2s', lines[0]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split('\n\n')[1])
    folder, refused = sys.argv[1], []
    sums = {'compiled': [0, 0], 'clang': [0, 0], 'm2s': [0, 0]}
    for number, (status, kernels, options) in sorted(builds(folder).items()):
        found = 'compiled'
        if status:
            found, error = first_error(read(folder, number, '.log'))
            kernels = kernels_of(read(folder, number, '.cl'))
            refused.append('%s %s %s (%s)' % (number, found, error, options))
        sums[found][0] += 1
        sums[found][1] += kernels
    with open(os.path.join(folder, 'refused.list'), 'w', encoding='utf-8') as out:
        out.write(''.join(line + '\n' for line in refused))
    print('%-22s %9s %9s' % ('', 'programs', 'kernels'))
    for found, name in (('compiled', 'compiled'), ('clang', 'refused by clang'),
                        ('m2s', 'refused by m2s')):
        print('%-22s %9d %9d' % (name, *sums[found]))
    sys.exit(sums['m2s'][0] > 0)


main()
