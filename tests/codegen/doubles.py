#!/usr/bin/env python3
"""ALU groups of operations on doubles, beside the loads and stores of the kernel that
has nothing but the operation, and how many of them have an FP64 instruction: the table
of doc/double-precision.md.

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


def count(compiler, expression, result):
    """Groups of the ALU clauses, and those with an FP64 instruction."""
    with tempfile.NamedTemporaryFile('w', suffix='.cl') as source:
        source.write(SOURCE % (result, expression))
        source.flush()
        run = subprocess.run([compiler, '-v', source.name, '-o', '/dev/null'],
                             stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        sys.exit('doubles.py: %s does not compile:\n%s' % (expression, run.stderr))
    groups = re.split(r'\n +\d+ +(?=[xyzwt]: )', run.stderr)[1:]
    return len(groups), sum('_64 ' in group or 'FLT64' in group for group in groups)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.split('\n\n')[1])
    sum_groups = sum_fp64 = 0
    for expression in sys.argv[2:] or EXPRESSIONS:
        result = re.match(r'\((float|int|long)\)', expression)
        result = result[1] if result else 'double'
        plain = {'int': 'i', 'long': 'l', 'float': '(float)i', 'double': 'a'}[result]
        operands = set(re.findall(r'\b[abcdil]\b', expression))
        plain = count(sys.argv[1], plain, result)
        with_operation = count(sys.argv[1], expression, result)
        # The addresses of the other operands.
        others = len(operands) - 1
        groups = with_operation[0] - plain[0]
        print('%-16s %4d groups, %4d FP64, %5.2f' %
              (expression, groups, with_operation[1] - plain[1],
               groups / max(1, with_operation[1] - plain[1])), others)
        sum_groups += groups
        sum_fp64 += with_operation[1]
    print('sum %d, FP64 %d' % (sum_groups, sum_fp64))


main()
