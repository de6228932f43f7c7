#!/usr/bin/env python3
"""Mean error and Kendall's tau-b of rows "hex,measured cycles of 100, hex,
simulated cycles of 1" on standard input; see bhive.sh."""
import collections
import math
import sys


def inversions(values):
    """Sorted values, and pairs that are in the wrong order."""
    if len(values) < 2:
        return values, 0
    middle = len(values) // 2
    low, a = inversions(values[:middle])
    high, b = inversions(values[middle:])
    merged, count, i, j = [], a + b, 0, 0
    while i < len(low) and j < len(high):
        if low[i] <= high[j]:
            merged.append(low[i])
            i += 1
        else:
            merged.append(high[j])
            j += 1
            count += len(low) - i
    return merged + low[i:] + high[j:], count


def ties(values):
    return sum(n * (n - 1) // 2 for n in collections.Counter(values).values())


def tau(x, y):
    """Kendall's tau-b."""
    pairs = sorted(zip(x, y))
    count = len(pairs) * (len(pairs) - 1) // 2
    discordant = inversions([b for _, b in pairs])[1]
    tied_x, tied_y, tied = ties(x), ties(y), ties(pairs)
    scale = math.sqrt((count - tied_x) * (count - tied_y))
    agree = count - tied_x - tied_y + tied - 2 * discordant
    return agree / scale if scale else 0.0


def main():
    measured, simulated, errors, run = [], [], [], 0
    for line in sys.stdin:
        bytes_, cycles, again, result = line.strip().split(',')
        assert bytes_ == again
        truth = float(cycles) / 100
        if truth <= 0:
            continue
        run += bool(result)
        measured.append(truth)
        simulated.append(float(result or 0))
        errors.append(abs(simulated[-1] - truth) / truth if result else 1.0)
    n = len(errors)
    print(f'{sys.argv[1]}, {n}, {100 * run / n:.2f} %, '
          f'{100 * sum(errors) / n:.2f} %, '
          f'{100 * sorted(errors)[n // 2]:.2f} %, '
          f'{100 * sum(e <= .05 for e in errors) / n:.1f} %, '
          f'{tau(measured, simulated):.4f}')


if __name__ == '__main__':
    main()
