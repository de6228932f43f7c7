#!/usr/bin/env python3
"""Groups of kernels that have run, weighted by how often, beside their bound.

usage: weigh.py NAME ANNOTATION REPORT [TABLE]

ANNOTATION is what `m2s --evg-annotate FILE.csv` wrote of a run, REPORT what
`m2s-clc --schedule-report` printed for the source of the run's kernels, with the
options of the run. Both name the clauses of a kernel in the order of the code: the
n-th ALU clause of the one is the n-th of the other. A clause counts as often as
wavefronts executed it. Prints a line for each kernel that ran: weighted groups,
weighted bound, their ratio, and the clause that loses most. With TABLE it adds to
that file a line with the two sums and the kernel's name, for `weigh.py --sum TABLE`.
"""
import csv
import re
import sys

WIDTH = '%-42s %12s %12s %7s  %s'


def fail(text):
    sys.exit('weigh.py: ' + text)


def read_report(name):
    """Of each kernel: (groups, bound) of its ALU clauses."""
    kernels, clauses = {}, None
    with open(name, encoding='utf-8') as lines:
        for line in lines:
            begin = re.match(r'schedule of (\w+):', line)
            row = re.match(r' *\d+ ALU\w* +\d+ +(\d+) +(\d+) ', line)
            if begin:
                clauses = kernels.setdefault(begin[1], [])
            elif row and clauses is not None:
                groups, bound = int(row[1]), int(row[2])
                clauses.append((groups, bound or groups))
    return kernels


def read_annotation(name):
    """Of each kernel: (executions, groups) of its ALU clauses."""
    kernels = {}
    with open(name, encoding='utf-8', newline='') as file:
        for row in csv.DictReader(file):
            clauses = kernels.setdefault(row['kernel'], [])
            if row['kind'] == 'clause':
                alu = re.match(r'\d+ ALU', row['text'])
                clauses.append([int(row['executions']), 0] if alu else None)
            elif row['kind'] == 'alu':
                clauses[-1][1] += 1
    return {kernel: [clause for clause in clauses if clause]
            for kernel, clauses in kernels.items()}


def weigh(kernel, ran, made):
    """Weighted groups, weighted bound, and (loss, number, text) of the clause
    that loses most."""
    if len(ran) != len(made):
        fail('%s has %d ALU clauses in the run and %d in the report' %
             (kernel, len(ran), len(made)))
    groups = bound = 0
    worst = (0, 0, '')
    for number, ((times, count), (reported, least)) in enumerate(zip(ran, made)):
        if count != reported:
            fail('ALU clause %d of %s has %d groups in the run and %d in the '
                 'report: was it built with other options?' %
                 (number, kernel, count, reported))
        groups += times * count
        bound += times * least
        worst = max(worst, (times * (count - least), number,
                            'clause %d: %d for %d' % (number, count, least)))
    return groups, bound, worst


def print_sum(table):
    with open(table, encoding='utf-8') as lines:
        rows = [line.split(None, 2) for line in lines]
    if not rows:
        fail('no kernel ran')
    groups = sum(int(row[0]) for row in rows)
    bound = sum(int(row[1]) for row in rows)
    above = sum(int(row[0]) > 1.10 * int(row[1]) for row in rows)
    ratios = [int(row[0]) / int(row[1]) for row in rows]
    print(WIDTH % ('all %d kernels' % len(rows), groups, bound,
                   '%.3f' % (groups / bound), 'mean of ratios %.3f, largest '
                   '%.3f, %d above 1.10' % (sum(ratios) / len(ratios),
                                            max(ratios), above)))


def main():
    if sys.argv[1:] == ['--head']:
        print(WIDTH % ('kernel', 'groups', 'bound', 'ratio', 'loses most'))
        return
    if len(sys.argv) == 3 and sys.argv[1] == '--sum':
        print_sum(sys.argv[2])
        return
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__.split('\n\n')[1])
    made = read_report(sys.argv[3])
    for kernel, ran in read_annotation(sys.argv[2]).items():
        if kernel not in made:
            fail('the report has no kernel ' + kernel)
        groups, bound, worst = weigh(kernel, ran, made[kernel])
        if not bound:
            continue
        name = sys.argv[1] + ' ' + kernel
        print(WIDTH % (name, groups, bound, '%.3f' % (groups / bound),
                       worst[2] if worst[0] else ''))
        if len(sys.argv) == 5:
            with open(sys.argv[4], 'a', encoding='utf-8') as table:
                table.write('%d %d %s\n' % (groups, bound, name))


main()
