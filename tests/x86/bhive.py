#!/usr/bin/env python3
"""Mean error and Kendall's tau-b of rows "hex,measured cycles of 100, hex,
simulated cycles of 1, bound" on standard input; see bhive.sh.

A second line leaves out the labels that are impossible: more than 2 % below the
cycles that the block's slots, loads and stores need at least."""
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


def show(name, rows):
    """rows: measured and simulated cycles; None: could not be run."""
    errors = [1.0 if result is None else abs(result - truth) / truth
              for truth, result in rows]
    n = len(errors)
    run = sum(result is not None for _, result in rows)
    agree = tau([truth for truth, _ in rows],
                [result or 0.0 for _, result in rows])
    print(f'{name}, {n}, {100 * run / n:.2f} %, '
          f'{100 * sum(errors) / n:.2f} %, '
          f'{100 * sorted(errors)[n // 2]:.2f} %, '
          f'{100 * sum(e <= .05 for e in errors) / n:.1f} %, {agree:.4f}')


def main():
    rows, possible = [], []
    for line in sys.stdin:
        bytes_, cycles, again, result, *bound = line.strip().split(',')
        assert bytes_ == again
        truth = float(cycles) / 100
        if truth <= 0:
            continue
        rows.append((truth, float(result) if result else None))
        if not bound or truth >= .98 * float(bound[0]):
            possible.append(rows[-1])
    show(sys.argv[1], rows)
    if possible and len(possible) < len(rows):
        show(f'    without {len(rows) - len(possible)} impossible labels',
             possible)


main()
