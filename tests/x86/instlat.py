#!/usr/bin/env python3
"""Measured latencies and throughputs of instructions (InstLatx64's texts)
beside those of m2s --x86-blocks: instlat.py M2S CORE FILE. See instlat.sh.

Each text becomes one sequence for its latency, in which every instruction needs
the one before, and one for its throughput, in which registers take turns. A
text that is not understood, or a sequence that cannot be run, is wrong."""
import csv
import os
import re
import subprocess
import sys
import tempfile

import instlat_texts


class Lines:
    """The lines of some blocks. One that cannot be assembled gives way to its
    next reading; a block without any more is dropped."""

    def __init__(self, blocks):
        self.blocks = [list(block) for block in blocks]
        self.more = {}
        self.dropped = set()

    def text(self):
        self.where, lines = {}, ['.intel_syntax noprefix']
        for n, block in enumerate(self.blocks):
            lines.append(f'b{n}:')
            for at, line in enumerate([] if n in self.dropped else block):
                lines.append(line)
                self.where[len(lines)] = (n, at)
            lines.append(f'e{n}:')
        return '\n'.join(lines) + '\n'

    def refuse(self, places):
        for n, at in places:
            left = self.more.setdefault(
                (n, at), instlat_texts.repairs(self.blocks[n][at]))
            if left:
                self.blocks[n][at] = left.pop(0)
            else:
                self.dropped.add(n)

    def with_words(self, words):
        return {(n, at) for n, block in enumerate(self.blocks)
                for at, line in enumerate(block) if n not in self.dropped and
                words & set(re.findall(r'\w+', line))}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def assemble(blocks):
    """Bytes in hex of each list of lines; None where it cannot be
    assembled."""
    lines = Lines(blocks)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'a.s')
        while True:
            with open(source, 'w') as file:
                file.write(lines.text())
            said = run('as', '-o', source + '.o', source)
            wrong = {lines.where[int(m)] for m in re.findall(
                r'a\.s:(\d+): Error', said.stderr) if int(m) in lines.where}
            if said.returncode == 0:
                # A word that is no register has become a symbol.
                names = {line.split()[-1] for line in
                         run('nm', '-u', source + '.o').stdout.splitlines()}
                wrong = lines.with_words(names)
                if not wrong:
                    break
            if not wrong:
                sys.exit(said.stderr)
            lines.refuse(wrong)
        run('objcopy', '-O', 'binary', '-j', '.text', source + '.o',
            source + '.bin')
        with open(source + '.bin', 'rb') as file:
            image = file.read()
        at = {name: int(value, 16) for value, _, name in
              (line.split() for line in
               run('nm', source + '.o').stdout.splitlines())}
    return [None if n in lines.dropped else image[at[f'b{n}']:at[f'e{n}']].hex()
            for n in range(len(blocks))]


def simulate(m2s, core, pairs):
    """Cycles of each (setup, block); None where it cannot be run."""
    with tempfile.NamedTemporaryFile('w', suffix='.csv') as file:
        asked = [n for n, (setup, block) in enumerate(pairs)
                 if block and setup is not None]
        for n in asked:
            setup, block = pairs[n]
            file.write((f'{setup}:' if setup else '') + block + '\n')
        file.flush()
        said = subprocess.run([m2s, '--quiet', '--x86-blocks', file.name,
                               '--x86-preset', core], capture_output=True,
                              text=True)
    result = [None] * len(pairs)
    for n, line in zip(asked, said.stdout.splitlines()):
        value = line.split(',')[1]
        result[n] = float(value) if value else None
    return result


def is_wide(row):
    """Whether a text that does not name its registers, such as "VMOVAPS LS
    pair", has YMM registers: those rows stand together."""
    at = int(row.get('index') or 0)
    return row['instruction'].strip('{}RVEX ')[:1] != '' and \
        (1767 < at < 1912 or at in (1970, 2201, 2204))


# Rows that gave the model a figure, or settled how texts of their kind are read.
FITTED = 'PUSH .*POP|MOVAPS LS ?pair|PADDD\\+V?ADDPS|FXAM|FU?COMI|FCMOV|GATHER'


def is_input(text, latency):
    """A row that says again what the model contains: how long one instruction
    without memory takes, or keeps the divider, or a row that gave a figure."""
    if re.search('DIV|SQRT|' + FITTED, text):
        return True
    return latency and not re.search(r'\+|\[|pair', text)


def main():
    m2s, core, path = sys.argv[1:4]
    with open(path) as file:
        rows = list(csv.DictReader(file))
    wanted, lines = [], []
    for row in rows:
        text = ' '.join(row['instruction'].split())
        for column, make in (
                ('latency_cycles', instlat_texts.latency),
                ('reciprocal_throughput_cycles', instlat_texts.throughput)):
            if not row[column]:
                continue
            try:
                made = make(text, is_wide(row))
            except (instlat_texts.Unknown, KeyError, IndexError, ValueError):
                made = None
            wanted.append((text, column[0] == 'l', float(row[column]),
                           made.per if made else 1, made is not None))
            lines += [made.setup, made.block] if made else [[], ['nop']]
    code = assemble(lines)
    times = simulate(m2s, core, list(zip(code[0::2], code[1::2])))
    counts = {}
    for (text, latency, truth, per, known), time in zip(wanted, times):
        ours = time / per if known and time is not None else None
        limit = max(.25 if latency else .05, .1 * truth)
        good = ours is not None and abs(ours - truth) <= limit + 1e-9
        group = counts.setdefault(is_input(text, latency), [0, 0, 0])
        group[0] += 1
        group[1] += ours is not None
        group[2] += good
        if not good and os.environ.get('SHOW'):
            print(f'# {"latency" if latency else "throughput"} {text}: '
                  f'{truth}, simulated '
                  f'{"nothing" if ours is None else round(ours, 2)}')
    total = [sum(group[n] for group in counts.values()) for n in range(3)]
    shares = []
    for n, ran, good in (total, counts.get(False, [0] * 3),
                         counts.get(True, [0] * 3)):
        shares += [str(n), f'{100 * ran / max(n, 1):.1f} %',
                   f'{100 * good / max(n, 1):.1f} %']
    print(', '.join([core] + shares))


if __name__ == '__main__':
    main()
