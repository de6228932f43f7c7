#!/usr/bin/env python3
"""ALU groups of operations on doubles, beside those of a kernel that only loads and
stores, less its copies, for which operations have no need: all of them, those outside of branches, which every wavefront executes, and how
many of these have an FP64 instruction. The table of doc/double-precision.md.

usage: doubles.py M2S-CLC [EXPRESSION...]
"""
import re
import subprocess
import sys
import tempfile

EXPRESSIONS = [
    'a + b', 'a * b', 'fmin(a, b)', 'fma(a, b, c)', 'a < b ? c : d', '(double)i', '(double)l',
    '(float)a', '(int)a', '(long)a', 'rint(a)', 'floor(a)', 'sqrt(a)', 'a / b', 'rsqrt(a)',
    'exp(a)', 'exp2(a)', 'expm1(a)', 'log(a)', 'log2(a)', 'log1p(a)', 'cbrt(a)', 'sin(a)', 'cos(a)',
    'tan(a)', 'sinpi(a)', 'asin(a)', 'atan(a)', 'atan2(a, b)', 'sinh(a)', 'tanh(a)', 'asinh(a)',
    'pow(a, b)', 'hypot(a, b)', 'erf(a)', 'erfc(a)', 'tgamma(a)', 'lgamma(a)',
]
SOURCE = '''
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global %s *to, global const double *from, global const int *ints,
              global const long *longs)
{
	uint n = get_global_id(0);
	double a = from[n], b = from[n + 1000], c = from[n + 2000], d = from[n + 3000];
	int i = ints[n];
	long l = longs[n];

	to[n] = %s;
}
'''


def compile_text(compiler, expression, result):
    with tempfile.NamedTemporaryFile('w', suffix='.cl') as source:
        source.write(SOURCE % (result, expression))
        source.flush()
        run = subprocess.run([compiler, '-v', source.name, '-o', '/dev/null'],
                             stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        sys.exit('doubles.py: %s does not compile:\n%s' % (expression, run.stderr))
    return run.stderr


def count(text, copies=True):
    """Groups, groups outside of branches, and those of them with an FP64
    instruction; those that only copy may be left out."""
    groups, depth, pops = [], 0, False
    for line in text.splitlines():
        if re.match(r'\s+ALU\w*:', line) or re.match(r'\s+(TEX|MEM|NOP|JUMP|POP|ELSE|LOOP)', line):
            depth -= pops
            pops = False
        if re.match(r'\s+ALU_POP_AFTER:', line):
            pops = True
        elif re.match(r'\s+(JUMP|LOOP)', line):
            depth += 1
        elif re.match(r'\s+(POP|ENDLOOP)', line):
            depth -= 1
        elif re.match(r'\s+\d+ +[xyzwt]: ', line):
            groups.append([depth, False, True])
        if groups and re.match(r'\s+(\d+)? +[xyzwt]: (?!MOV )', line):
            groups[-1][2] = False
        if re.search(r'[A-Z]_64 |F64_TO_F32|F32_TO_F64', line):
            groups[-1][1] = True
    groups = [group for group in groups if copies or not group[2]]
    always = [fp64 for depth, fp64, _ in groups if not depth]
    return len(groups), len(always), sum(always)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.split('\n\n')[1])
    sums = [0, 0, 0]
    print('%-16s %7s %9s %5s %6s' % ('', 'groups', 'always', 'FP64', 'ratio'))
    for expression in sys.argv[2:] or EXPRESSIONS:
        result = re.match(r'\((float|int|long)\)', expression)
        result = result[1] if result else 'double'
        plain = {'int': 'i', 'long': 'l', 'float': '(float)i', 'double': 'a'}[result]
        without = count(compile_text(sys.argv[1], plain, result), copies=False)
        made = count(compile_text(sys.argv[1], expression, result))
        row = [a - b for a, b in zip(made, without)]
        print('%-16s %7d %9d %5d %6.2f' %
              (expression, *row, row[1] / max(1, row[2])))
        sums = [a + b for a, b in zip(sums, row)]
    print('%-16s %7d %9d %5d %6.2f' % ('sum', *sums, sums[1] / sums[2]))


main()
