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

GENERAL = {8: ['al', 'cl', 'dl', 'bl'],
           16: ['ax', 'cx', 'dx', 'bx', 'di', 'bp'],
           32: ['eax', 'ecx', 'edx', 'ebx', 'edi', 'ebp'],
           64: ['rax', 'rcx', 'rdx', 'rbx', 'rdi', 'rbp']}
SIZE = {8: 'byte', 16: 'word', 32: 'dword', 64: 'qword', 80: 'tbyte',
        128: 'xmmword', 256: 'ymmword'}
ALIASES = {'SAL': 'SHL', 'VMOVD64': 'VMOVQ'}
COPIES = {'r': 6, 'x': 8, 'y': 8, 'm': 8}


class Unknown(Exception):
    """A text that is not understood."""


def register(kind, size, turn):
    if kind == 'r':
        names = GENERAL[size]
        return names[turn % len(names)]
    if kind == 'm':
        return f'mm{turn % 8}'
    return {'x': 'xmm', 'y': 'ymm'}[kind] + str(turn)


def memory(token, turn, address):
    """[m64], [m64 + 4], [mem]"""
    match = re.fullmatch(r'\[m(\d+|em)\s*(?:\+\s*(\d+))?\]', token)
    if not match:
        return None
    size = SIZE.get(int(match[1]) if match[1] != 'em' else 8, '')
    offset = int(match[2] or 0) + 64 * turn
    return f'{size} ptr [{address}+{offset}]' if offset else \
        f'{size} ptr [{address}]'


def operand(token, turn, address, name):
    token = token.strip()
    found = memory(token, turn, address)
    if found:
        return found
    match = re.fullmatch(r'r(?:(\d)_)?(8|16|32|64)l?', token)
    if match:
        size = int(match[2])
        if match[1] == '2':
            return {8: 'dh', 16: 'si', 32: 'esi', 64: 'rsi'}[size]
        return register('r', size, turn)
    match = re.fullmatch(r'(x|y)m*(\d?)|mm(\d?)', token)
    if match:
        kind = match[1] or 'm'
        number = match[2] if match[1] else match[3]
        if number == '2':
            return register(kind, 0, 7 if kind == 'm' else 15)
        return register(kind, 0, turn)
    if re.fullmatch(r'imm?8', token):
        return '3'
    if token in ('imm16', 'imm32'):
        return {'imm16': '0x1234', 'imm32': '0x12345678'}[token]
    if token in ('al', 'ax', 'eax', 'rax', 'cl', '1', '<xmm0>') or \
            re.fullmatch(r'0x[0-9a-fA-F]+', token):
        return token.strip('<>')
    raise Unknown(token)


def lea(text, turn):
    """LEA r32, [r64 + r64 * 8 + disp8]; the base is the target."""
    match = re.fullmatch(r'(ASP )?LEA r(16|32|64), \[(.*)\]', text)
    if not match:
        return None
    wide = 32 if match[1] else 64
    parts = []
    for n, part in enumerate(p.strip() for p in match[3].split('+')):
        name = register('r', wide, turn)
        if part == f'r{wide}':
            parts.append(name if not n else register('r', wide, turn))
        elif part == f'r{wide} * 8':
            parts.append(name + '*8')
        elif part in ('disp8', 'disp32'):
            parts.append('0x12' if part == 'disp8' else '0x12345')
        else:
            raise Unknown(text)
    return [f'lea {register("r", int(match[2]), turn)}, '
            f'[{"+".join(parts)}]']


def simple(text, turn, address):
    """One instruction with its operands."""
    match = re.fullmatch(r'((?:LOCK )?[A-Z][A-Z0-9]*)\s*(.*)', text)
    if not match:
        raise Unknown(text)
    name, rest = match[1], match[2].strip()
    tokens = [t for t in rest.split(',') if t.strip()]
    made = [operand(t, turn, address, name) for t in tokens]
    return f'{ALIASES.get(name, name).lower()} {", ".join(made)}'


def x87(text, turn):
    texts = {
        'FXCH st(i)': f'fxch st({1 + turn})', 'FCHS': 'fchs',
        'FABS': 'fabs', 'FTST': 'ftst', 'FNOP': 'fnop',
        'FDECSTP': 'fdecstp', 'FINCSTP': 'fincstp',
        'FCOM st(i)': f'fcom st({1 + turn})', 'FSQRT80 st': 'fsqrt',
    }
    if text in texts:
        return [texts[text]]
    match = re.fullmatch(r'(FADD|FMUL|FSUB|FDIV)(?:80)? st\(i\), st', text)
    if match:
        return [f'{match[1].lower()} st({1 + turn}), st']
    if text.startswith('F'):
        raise Unknown(text)
    return None


def halves(text):
    """The parts of "A + B", with the operands of both."""
    one, two = (part.strip() for part in text.split('+', 1))
    if re.search(r'[\s\[]', one) and re.search(r'[\s\[]', two):
        return one, two
    match = re.fullmatch(r'V?PEXTR. ?(r64)? \+ (V?)PINSR. (r\d+)', text)
    if match:
        return f'{one.split()[0]} {match[1] or match[3]}, xmm, imm8', \
            f'{two.split()[0]} xmm, ' + 'xmm, ' * bool(match[2]) + \
            f'{match[3]}, imm8'
    match = re.fullmatch(r'(\S+)\s+(.*)', two)
    if match and re.fullmatch(r'V?MOV\w+', one):
        return f'{one} ' + ', '.join(match[2].split(',')[:2]), two
    if match and ' ' not in one and not re.fullmatch(r'r\d+', match[2]):
        return f'{one} {match[2]}', two
    size = match[2] if match else None
    two = match[1] if match else two
    if size and re.search('2SI$', one):
        return f'{one} {size}, xmm', \
            f'{two} xmm, ' + ('xmm, ' if two[0] == 'V' else '') + size
    if one.endswith('2PI'):
        return f'{one} mm, xmm', f'{two} xmm, mm'
    if re.match('V?CVT', one) and not size:
        three = two[0] == 'V' and re.search('S[SD]2S[SD]$', two)
        wide = 'xmm, xmm, xmm' if three else 'xmm, xmm'
        return f'{one} {wide}', f'{two} {wide}'
    raise Unknown(text)


def sequence(text, turn, address):
    """The instructions of a text."""
    text = text.strip()
    match = re.fullmatch(r'\{(REX|VEX)\}\s*(.*)', text)
    if match:
        return ['{rex} ' * (match[1] == 'REX') + line for line in
                sequence(match[2], turn, address)]
    if text.endswith(' #2'):
        # The second row of this text is of YMM registers.
        return [line if line.startswith('vcvtpd2') else
                line.replace('xmm', 'ymm') for line in
                sequence(text[:-3], turn, address)]
    match = re.fullmatch(r'(?:(\d+)x )?0x66 NOP', text)
    if match:
        return ['.byte ' + '0x66,' * int(match[1] or 1) + '0x90']
    match = re.fullmatch(r'(V?MOV\w+) (?:aligned )?LS ?pair', text)
    if match:
        name = match[1].lower()
        middle = 'xmm%d, ' % turn \
            if re.fullmatch('vmov[hl]p[sd]', name) else ''
        at = f'[{address}+{64 * turn}]'
        return [f'{name} xmm{turn}, {middle}{at}', f'{name} {at}, xmm{turn}']
    match = re.fullmatch(r'(V?)(DIV|SQRT)([SP][SD]) \(.*\)', text)
    if match:
        ops = {'DIV': 3 if match[1] else 2,
               'SQRT': 3 if match[1] and match[3][0] == 'S' else 2}[match[2]]
        return [f'{match[1]}{match[2]}{match[3]} '.lower() +
                ', '.join([f'xmm{turn}'] * ops)]
    made = lea(text, turn) or x87(text, turn)
    if made:
        return made
    match = re.fullmatch(r'(I?MUL r\d+)l?\s+(?:\(\w+\)|\w+/\w+ upd)', text)
    if match:
        return [simple(match[1], 1 + turn, address)]
    plus = re.sub(r'\[[^\]]*\]', lambda m: m[0].replace('+', '#'), text)
    if '+' in plus:
        plus = plus.replace('#', '@')
        return [simple(half.replace('@', '+'), turn, address)
                for half in halves(plus)]
    return [simple(text, turn, address)]


def plain(text):
    return re.sub(r'^\{[RV]EX\}\s*', '', text)


def division(text, alone=False):
    """Setup and sequence of DIV and IDIV with so many bits."""
    match = re.match(r'(I?DIV) r(\d+)l?\s+(.*)', plain(text))
    if not match:
        return None
    size, rest, signed = int(match[2]), match[3], match[1] == 'IDIV'
    bits = re.match(r'(\d+)/\s*(\d+)b?', rest)
    power = re.match(r'2\^(\d+) ?/2\^(\d+)', rest)
    if power:
        dividend, divisor = 1 << int(power[1]), 1 << int(power[2])
    elif re.match('1/ ?1\\b', rest):
        dividend, divisor = 1, 1
    elif bits:
        divisor = (1 << int(bits[2])) - 1
        dividend = (1 << int(bits[1])) - 1 if int(bits[1]) else 0
        limit = (divisor << (size - signed)) - 1
        dividend = min(dividend, limit)
    else:
        raise Unknown(text)
    # What is not named as updated is what the one before has left.
    # Where nothing is said (newer texts) all is set anew for throughputs.
    update = re.search(r'([a-z/]+)(?: upd)?$', rest.lower())
    update = update[1].split('/') if update and 'x' in update[1] else []
    if alone and text[0] == '{' and 'upd' not in text:
        update = ['a', 'd']
    low, high = dividend & ((1 << size) - 1), dividend >> size
    name = match[1].lower()
    if size == 8:
        setup = [f'mov esi, {dividend}', 'mov eax, esi',
                 f'mov ecx, {divisor}']
        return setup, ['mov eax, esi'] * bool(update) + [f'{name} cl']
    setup = [f'mov rsi, {low}', f'mov rdi, {high}', f'mov rcx, {divisor}']
    reg = {16: ('ax', 'dx', 'cx'), 32: ('eax', 'edx', 'ecx'),
           64: ('rax', 'rdx', 'rcx')}[size]
    wide = size if size == 64 else 32
    a, d = GENERAL[wide][0], GENERAL[wide][2]
    s, t = ('rsi', 'rdi') if size == 64 else ('esi', 'edi')
    setup += ['mov rax, rsi', 'mov rdx, rdi']
    return setup, [f'mov {a}, {s}'] * any('a' in u for u in update) + \
        [f'mov {d}, {t}'] * any('d' in u for u in update) + \
        [f'{name} {reg[2]}']


def chain(text):
    """Setup and sequence for the latency."""
    divided = division(text)
    if divided:
        return divided
    setup, turn, address = [], 0, 'rsi'
    match = re.match(r'(?:LOCK )?(\w+) r(8|16|32|64), \[m\d+\]$',
                     plain(text))
    if match and match[1] != 'XCHG':
        # The address is what has been loaded or computed.
        address = 'rax'
        if match[1] in ('ADD', 'SUB', 'OR', 'XOR', 'ADC', 'SBB', 'IMUL'):
            setup = [f'mov qword ptr [rsi], {int(match[1] == "IMUL")}',
                     'clc']
        elif match[1] == 'AND':
            setup = ['mov qword ptr [rsi], -1']
    if text.startswith('F'):
        setup = ['fldz'] * 8
    return setup, sequence(text, turn, address)


def turns(text):
    """Setup and sequence for the throughput."""
    divided = division(text, True)
    if divided:
        return divided
    kind = 'y' if 'ym' in text else 'x' if 'xm' in text else \
        'm' if re.search(r'\bmm', text) else \
        'r' if re.search(r'\br\d', text) else 'x'
    copies = COPIES[kind]
    # 12 registers hide a multiplication of 5 cycles on two ports.
    if kind == 'x' or re.search('VFN?M', text):
        copies = 12
    setup = []
    if text.startswith('F'):
        setup, copies = ['fldz'] * 8, 7
    made = []
    for turn in range(copies):
        if ', cl' in text and GENERAL[64][turn % 6] == 'rcx':
            continue
        made += sequence(text, turn, 'rsi')
    return setup, made


def assemble(blocks):
    """Bytes in hex of each list of lines; None where it cannot be
    assembled."""
    bad = set()
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'a.s')
        while True:
            where, lines = {}, ['.intel_syntax noprefix']
            for n, block in enumerate(blocks):
                lines.append(f'b{n}:')
                for line in [] if n in bad else block:
                    lines.append(line)
                    where[len(lines)] = n
                lines.append(f'e{n}:')
            with open(source, 'w') as file:
                file.write('\n'.join(lines) + '\n')
            said = subprocess.run(['as', '-o', source + '.o', source],
                                  capture_output=True, text=True)
            wrong = {where[int(m)] for m in re.findall(
                r'a\.s:(\d+): Error', said.stderr) if int(m) in where}
            if said.returncode == 0:
                # A word that is no register has become a symbol.
                said = subprocess.run(['nm', '-u', source + '.o'],
                                      capture_output=True, text=True,
                                      check=True)
                names = {line.split()[-1] for line in
                         said.stdout.splitlines()}
                wrong = {n for n, block in enumerate(blocks) if names &
                         set(re.findall(r'\w+', ' '.join(block)))} - bad
                if not wrong:
                    break
            if not wrong:
                sys.exit(said.stderr)
            bad |= wrong
        subprocess.run(['objcopy', '-O', 'binary', '-j', '.text',
                        source + '.o', source + '.bin'], check=True)
        with open(source + '.bin', 'rb') as file:
            image = file.read()
        said = subprocess.run(['nm', source + '.o'], capture_output=True,
                              text=True, check=True)
        at = {name: int(value, 16) for value, _, name in
              (line.split() for line in said.stdout.splitlines())}
    return [None if n in bad else image[at[f'b{n}']:at[f'e{n}']].hex()
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


def is_input(text, latency):
    """A row that says again what the table of uops says: how long one
    instruction without memory takes, or keeps the divider."""
    if re.search('DIV|SQRT', text):
        return True
    return latency and not re.search(r'\+|\[|pair', text)


def main():
    m2s, core, path = sys.argv[1:4]
    with open(path) as file:
        rows = list(csv.DictReader(file))
    wanted, lines, seen = [], [], set()
    for row in rows:
        text = row['instruction'].strip()
        if text in seen and re.match(r'V.*(\(| pair|pair|\+ V\w+$)', text):
            text += ' #2'
        seen.add(text)
        for column, make in (('latency_cycles', chain),
                             ('reciprocal_throughput_cycles', turns)):
            if not row[column]:
                continue
            latency = column[0] == 'l'
            try:
                setup, block = make(text)
            except (Unknown, KeyError, IndexError, ValueError):
                setup, block = None, None
            per = 1
            if block and not latency:
                per = 1 if division(text) else \
                    len(block) // len(sequence(text, 0, 'rsi'))
            wanted.append((text, latency, float(row[column]), per,
                           block is not None))
            lines += [setup or [], block or ['nop']]
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
