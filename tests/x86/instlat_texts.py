"""From InstLatx64's texts to instructions: what instlat.py runs for a row.

latency() and throughput() give a Sequence for each row. Where the texts leave
a choice, it is made once for a kind of text, by what the measurements of
several processors have in common; the comments say so. Unknown: a text that is
not understood."""
import collections
import re

from instlat_values import values

GENERAL = {8: ['al', 'cl', 'dl', 'bl', 'dil', 'bpl'],
           16: ['ax', 'cx', 'dx', 'bx', 'di', 'bp'],
           32: ['eax', 'ecx', 'edx', 'ebx', 'edi', 'ebp'],
           64: ['rax', 'rcx', 'rdx', 'rbx', 'rdi', 'rbp']}
NUMBERS = [0, 1, 2, 3, 7, 5]  # of GENERAL in encodings
# What is not written.
OTHER = {8: 'sil', 16: 'si', 32: 'esi', 64: 'rsi'}
SIZE = {8: 'byte', 16: 'word', 32: 'dword', 64: 'qword', 80: 'tbyte',
        128: 'xmmword', 256: 'ymmword'}
ALIASES = {'SAL': 'SHL', 'VMOVD64': 'VMOVQ', 'PUSHF': 'pushfw',
           'POPF': 'popfw', 'AESKEYGEN': 'aeskeygenassist',
           'VAESKEYGEN': 'vaeskeygenassist', 'VPTESTPS': 'vtestps',
           'VPTESTPD': 'vtestpd'}
COPIES = {'r': 6, 'x': 12, 'y': 12, 'm': 8}

# `setup` runs once, `block` again and again; `per` measured sequences are in
# the block.
Sequence = collections.namedtuple('Sequence', 'setup block per')


class Unknown(Exception):
    """A text that is not understood."""


# ---- Operands ----

def register(kind, size, turn):
    if kind == 'r':
        names = GENERAL[size]
        return names[turn % len(names)]
    if kind == 'm':
        return f'mm{turn % 8}'
    return {'x': 'xmm', 'y': 'ymm'}[kind] + str(turn)


def memory(token, turn, address):
    """[m64], [m64 + 4], [mem], m32. Places that are not aligned follow each
    other, so that some of them cross a line, as on all measured processors."""
    match = re.fullmatch(r'\[?m(\d+|em)\s*(?:\+\s*(\d+))?\]?', token)
    if not match or token in ('m1', 'm2') or (token[0] != '[' and
                                              match[1] == 'em'):
        return None
    size = int(match[1]) if match[1] != 'em' else 0
    add = int(match[2] or 0)
    step = size // 8 if size and add * 8 % size else 64
    offset = add + step * turn
    at = f'[{address}+{offset}]' if offset else f'[{address}]'
    return f'{SIZE[size]} ptr {at}' if size in SIZE else at


def operand(token, turn, address):
    token = token.strip()
    found = memory(token, turn, address)
    if found:
        return found
    match = re.fullmatch(r'r(?:(\d)_)?(8|16|32|64)l?', token)
    if match:
        size = int(match[2])
        return OTHER[size] if match[1] == '2' else register('r', size, turn)
    match = re.fullmatch(r'(x|y)m*(\d?)|mm?(\d?)', token)
    if match:
        kind = match[1] or 'm'
        number = match[2] if match[1] else match[3]
        if number == '2':
            return register(kind, 0, 7 if kind == 'm' else 15)
        return register(kind, 0, turn)
    if re.fullmatch(r'imm?8(_0)?', token):
        return '0' if token[-1] == '0' else '3'
    if token in ('imm16', 'imm32', 'imm64'):
        return {'imm16': '0x1234', 'imm32': '0x12345678',
                'imm64': '0x123456789abcdef0'}[token]
    if re.fullmatch(r'[0-9A-Fa-f]{2}h', token):
        return '0x' + token[:2]
    if token in ('al', 'ax', 'eax', 'rax', 'cl', '<xmm0>') or \
            re.fullmatch(r'0x[0-9a-fA-F]+|\d', token):
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
    name, rest = match[1], re.sub(r'<,?edx>', '', match[2]).strip()
    if name in ('CMPXCHG8B', 'CMPXCHG16B') and not rest:
        rest = '[m64]' if name[-2] == '8' else '[m128]'
    tokens = [t for t in rest.split(',') if t.strip()]
    made = [operand(t, turn, address) for t in tokens]
    return f'{ALIASES.get(name, name).lower()} {", ".join(made)}'


# ---- Kinds of texts ----

def bytes_of(numbers):
    return ['.byte ' + ','.join(f'{n:#x}' for n in numbers)]


def carries(text, turn):
    """ADC and SBB of a 0 that takes the whole immediate."""
    match = re.fullmatch(r'(ADC|SBB) (\w+), imm(16|32)_0', text)
    if not match:
        return None
    sbb, name, bits = match[1] == 'SBB', match[2], int(match[3])
    size = int(name[1:]) if name[1:].isdigit() else \
        {'a': 16, 'e': 32, 'r': 64}[name[0]]
    code = {16: [0x66], 32: [], 64: [0x48]}[size]
    if name[1:].isdigit():
        code += [0x81, 0xc0 + (3 if sbb else 2) * 8 + NUMBERS[turn % 6]]
    else:
        code += [0x1d if sbb else 0x15]
    return bytes_of(code + [0] * (bits // 8))


def nops(text):
    """0x66 NOP; LNOP5 [SIB+disp8], eax; 3x66 LNOPB: 11 bytes in all."""
    match = re.fullmatch(r'(?:(\d+)x )?0x66 NOP', text)
    if match:
        return bytes_of([0x66] * int(match[1] or 1) + [0x90])
    match = re.match(r'(?:\dx66 )?LNOP([0-9A-F])\b', text)
    if not match:
        return None
    length = int(match[1], 16)
    forms = {3: [0x0f, 0x1f, 0], 4: [0x0f, 0x1f, 0x40, 0],
             5: [0x0f, 0x1f, 0x44, 0, 0], 7: [0x0f, 0x1f, 0x80] + [0] * 4,
             8: [0x0f, 0x1f, 0x84] + [0] * 5}
    least = max(n for n in forms if n <= length)
    return bytes_of([0x66] * (length - least) + forms[least])


def x87(text, turn):
    """x87 instructions, of which the other operand takes turns."""
    i = f'st({1 + turn})'
    texts = {
        'FXCH st(i)': [f'fxch {i}'], 'FCHS': ['fchs'], 'FABS': ['fabs'],
        'FTST': ['ftst'], 'FNOP': ['fnop'], 'FDECSTP': ['fdecstp'],
        'FINCSTP': ['fincstp'], 'FXAM': ['fxam'], 'FEMMS': ['femms'],
        'FCOM st(i)': [f'fcom {i}'],
        'FMUL + FADD st, st(i)': [f'fmul st, {i}', f'fadd st, {i}'],
        'FMUL st(2i) FADD st(2i+1)': ['fmul st(2), st', 'fadd st(3), st'],
    }
    if text in texts:
        return texts[text]
    match = re.fullmatch(r'(FADD|FMUL) st, st\(i\), FXCH st\(i\)', text)
    if match:
        return [f'{match[1].lower()} st, {i}', f'fxch {i}']
    match = re.match(r'(FADD|FMUL|FSUB|FDIV)(?:32|64|80)? '
                     r'(?:st\(i\), st\b|\()', text)
    if match:
        return [f'{match[1].lower()} {i}, st']
    match = re.fullmatch(r'(FU?COMI|FCMOV\w+) st, st\(i\)', text)
    if match:
        return [f'{match[1].lower()} st, {i}']
    match = re.fullmatch(r'FSQRT(?:32|64|80) (?:st|\(.*\))', text)
    if match:
        return ['fsqrt'] if not turn else ['fsqrt', f'fxch {i}']
    match = re.fullmatch(r'(FSIN|FCOS)80 \(.*\)( ?\+ ?FADD)?', text)
    if match:
        # What was added makes the argument again.
        return [match[1].lower()] + ['fadd st, st(1)'] * bool(match[2])
    if text.startswith('F'):
        raise Unknown(text)
    return None


def two_chains(text, turn):
    """MULSS xm1,xm1 ADDSS xm2,xm2; 4xADDPS xm1,xm1 4x xm2,xm2;
    VMULPS ymm1.. VADDPS ymm2..: two instructions that do not depend on each
    other."""
    match = re.fullmatch(r'(?:(\d)x)?(\w+) (xm|m|xmm|ymm)1(?:,\s?\3?1|\.\.) '
                         r'(?:\1x )?(\w*?) ?\3?2(?:, ?\3?2|\.\.)',
                         text)
    if not match:
        return None
    kind = {'m': 'mm', 'xm': 'xmm'}.get(match[3], match[3])
    count, one, two = int(match[1] or 1), match[2], match[4] or match[2]
    made = []
    for name, number in ((one, 2 * turn), (two, 2 * turn + 1)):
        operands = [f'{kind}{number % 8 if kind == "mm" else number}'] * \
            (3 if name[0] == 'V' else 2)
        made += [f'{name.lower()} {", ".join(operands)}'] * count
    return made


def pairs(text, turn, address, wide):
    """Loads and stores of one place: VMASKMOVPS unaligned LS pair."""
    match = re.fullmatch(r'(V?P?MASKMOV\w+|V?MOV\w+) '
                         r'(?:(un)?aligned )?LS ?pair', text)
    if not match:
        return None
    name, kind = match[1].lower(), 'ymm' if wide else 'xmm'
    kind += str(turn)
    step = 64
    if match[2]:
        step = 32 if wide else 16
    at = f'[{address}+{step * turn + (4 if match[2] else 0)}]'
    middle = ''
    if 'maskmov' in name:
        middle = f'{kind[:3]}15, '
        return [f'{name} {kind}, {middle}{at}', f'{name} {at}, {middle}{kind}']
    if re.fullmatch('vmov[hl]p[sd]', name):
        middle = kind + ', '
    return [f'{name} {kind}, {middle}{at}', f'{name} {at}, {kind}']


def gather_parts(text):
    """Mnemonic, and letters of the target's and the indices' registers."""
    match = re.fullmatch(r'(VP?GATHER[DQ]\w+) (x|y)mm, \[(x|y)m\d+\], .*', text)
    return match and (match[1].lower(), match[2], match[3])


def gathers(text, turn):
    """Every mask is set anew."""
    parts = gather_parts(text)
    if not parts:
        return None
    name, target, index = parts
    return [f'{name} {target}mm{turn}, [rsi+{index}mm13], {target}mm14']


def gather_chain(text):
    """Each mask is what the gather before has loaded: of the ways from one to
    the next only this one takes as long as measured on Haswell, Skylake and
    Zen 2."""
    name, target, index = gather_parts(text)
    return Sequence(
        ['mov qword ptr [rsi], -1', 'vpcmpeqd ymm1, ymm1, ymm1'],
        [f'{name} {target}mm0, [rsi+{index}mm13], {target}mm1',
         f'{name} {target}mm1, [rsi+{index}mm13], {target}mm0'], 2)


def halves(text):
    """The parts of "A + B", with the operands of both."""
    one, two = (part.strip() for part in text.split('+', 1))
    match = re.fullmatch(r'(VMOV\w+)\+(V\w+) \[m128\], ym, im8', text)
    if match:
        return f'{match[1]} [m128], xm', f'{match[2]} [m128 # 16], ym, 1'
    match = re.fullmatch(r'(VMOV\w+)\+(V\w+) ym, \[m128\], im8', text)
    if match:
        return f'{match[1]} xm, [m128]', f'{match[2]} ym, ym, [m128 # 16], 1'
    match = re.fullmatch(r'(V?PEXTR.) ?(r64)? \+ (V?)PINSR. (r\d+)', text)
    if match:
        # Only PEXTRQ and PINSRQ have general registers of 64 bits, and the
        # others' results and sources are 32 bits.
        size = 'r64' if match[1][-1] == 'Q' else 'r32'
        return f'{match[1]} {size}, xmm, imm8', \
            f'{two.split()[0]} xmm, ' + 'xmm, ' * bool(match[3]) + \
            f'{size}, imm8'
    if re.search(r'[\s\[]', one) and re.search(r'[\s\[]', two):
        return one, two
    if text.startswith('MOVDQ2Q'):
        return 'MOVDQ2Q mm, xmm', 'MOVQ2DQ xmm, mm'
    if 'MXCSR' in text:
        return f'{one} [m32]', f'{two} [m32]'
    if 'MOVNTDQA' in text:
        kind = 'ymm' if 'ymm' in text else 'xmm'
        return f'{one} {kind}, [m{128 * (1 + (kind == "ymm"))}]', \
            f'{two.split()[0]} [m{128 * (1 + (kind == "ymm"))}], {kind}'
    if one == 'VCVTPS2PH':
        return f'{one} xmm, xmm, 0', f'{two} xmm, xmm'
    match = re.fullmatch(r'(\S+)\s+(.*)', two)
    if match and re.fullmatch(r'V?MOV\w+', one):
        scalar = re.fullmatch('VMOVS[SD]', one)
        return f'{one} ' + ', '.join(match[2].split(',')[:3 if scalar else 2]),\
            two
    if match and ' ' not in one and not re.fullmatch(r'r\d+', match[2]):
        if one.startswith('VCMPP'):
            return f'{one} {match[2]}, 0', two
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
    if re.fullmatch(r'[A-Z]+', one) and re.fullmatch(r'[A-Z]+', two):
        return one, two
    raise Unknown(text)


def sequence(text, turn, address, wide=False):
    """The instructions of a text."""
    text = re.sub(r'^\{[RV]EX\}\s*', '', text.strip())
    # With VEX the measured ones have 32 bits whatever the text says: on Sandy
    # Bridge, Haswell and Skylake both take the same, where uops.info has a uop
    # more for 64 bits, as has the form without VEX here.
    if re.match('VCVT.*(2SI|SI2)', text):
        text = text.replace('r64', 'r32')
    made = nops(text) or carries(text, turn) or two_chains(text, turn) or \
        pairs(text, turn, address, wide) or gathers(text, turn) or \
        lea(text, turn) or x87(text, turn)
    if made:
        return made
    match = re.fullmatch(r'CPUID \(EAX = (\d)\)', text)
    if match:
        return [f'mov eax, {match[1]}', 'cpuid']
    match = re.fullmatch(r'(I?MUL r(\d+))l?\s+(?:\((\w+)\)|(\w+)/\w+ upd)',
                         text)
    if match:
        chained = match[3] or match[4]
        high = chained[-2] == 'd'
        update = ['mov eax, esi'] * bool(match[4] and (high or turn))
        # The result through the high half, or what is not written.
        number = 2 if high and not turn else [1, 3, 4, 5][turn % 4]
        return update + [simple(match[1], number, address)]
    match = re.fullmatch(r'(V?)(DIV|SQRT)([SP][SD]) '
                         r'(\(.*\)|[xy]mm, .*)', text)
    if match:
        kind = 'ymm' if wide or match[4][0] == 'y' else 'xmm'
        ops = [f'{kind}{turn}']
        if match[1] and (match[2] == 'DIV' or match[3][0] == 'S'):
            ops += ops
        chained = match[2] == 'SQRT' and not turn
        ops += ops[:1] if chained else [f'{kind}15']
        return [f'{match[1]}{match[2]}{match[3]} '.lower() + ', '.join(ops)]
    plus = re.sub(r'\[[^\]]*\]', lambda m: m[0].replace('+', '#'), text)
    if '+' in plus:
        plus = plus.replace('#', '@')
        made = [simple(half.replace('@', '+').replace('#', '+'), turn, address)
                for half in halves(plus)]
        if wide and not text.startswith('VCVTPD2') and \
                not text.startswith('VCVTPS2PH'):
            made = [line.replace('xmm', 'ymm') for line in made]
        elif wide:
            # Two halves of double words beside one of words.
            made = [re.sub(r'(vcvtt?pd2\w+ xmm\d+, )x', r'\1y', line)
                    if 'pd2' in line.split()[0] else
                    re.sub(r'(ps2ph xmm\d+, )x', r'\1y', line)
                    if 'ps2ph' in line else
                    line.replace('xmm', 'ymm', 1) for line in made]
        return made
    return [simple(text, turn, address)]


def repairs(line):
    """Other readings of an instruction that cannot be assembled: the texts
    leave out operands, or have one too many."""
    name, _, rest = line.partition(' ')
    ops = [o.strip() for o in rest.split(',')]
    if not rest or name == '.byte':
        return []
    result = [[ops[0]] + ops, ops[:-1],
              ops[:-1] + [ops[-1].replace('ymm', 'xmm')],
              ops + ['3'], ops[:-1] + ['3'],
              [ops[0]] + ops + ['3'],
              [ops[0]] * 2 + ops[1:-1] + ['3'],
              [o.replace('dword ptr', 'qword ptr') for o in ops],
              [ops[0]] + [o.replace('dword ptr', 'qword ptr') for o in ops],
              [ops[0].replace('ymm', 'xmm')] + ops[1:],
              [re.sub(r'^r(.x|.i|bp)$', r'e\1', o) for o in ops]]
    return [f'{name} {", ".join(o)}' for o in result]


# ---- Values ----

def division(text, alone=False):
    """DIV and IDIV of so many bits; `alone`: for the throughput. What is not
    named as updated is what the one before has left. The values are such that
    every division of the chain is like the first."""
    text, vex = re.sub(r'^\{[RV]EX\}\s*', '', text), text[0] == '{'
    match = re.match(r'(I?DIV) r(\d+)l?\s+(.*)', text)
    if not match:
        return None
    size, rest, signed = int(match[2]), match[3], match[1] == 'IDIV'
    bits = re.match(r'(\d+)/\s*(\d+)b?', rest)
    power = re.match(r'2\^(\d+) ?/2\^(\d+)', rest)
    if not bits and not power:
        raise Unknown(text)
    if power:
        dividend, divisor = 1 << int(power[1]), 1 << int(power[2])
    elif re.match('1/ ?1\\b', rest):
        dividend, divisor = 1, 1
    else:
        divisor = (1 << int(bits[2])) - 1
        dividend = (1 << int(bits[1])) - 1 if int(bits[1]) else 0
        dividend = min(dividend, (divisor << (size - signed)) - 1)
    update = re.search(r'([a-z/]+)(?: upd)?$', rest.lower())
    update = update[1].split('/') if update and 'x' in update[1] else []
    # Newer texts update all for throughputs unless they say otherwise.
    if alone and vex and 'upd' not in text:
        update = ['a', 'd']
    if signed and not update and dividend >> (size - 1):
        update = ['d']
    if size > 8 and len(update) == 1 and 'a' in update[0]:
        quotient = dividend // divisor
        high = quotient * divisor >> size
        for _ in range(64):
            high = (quotient * divisor + high) >> size
        dividend = quotient * divisor + high
    low, high = dividend & ((1 << size) - 1), dividend >> size
    name = match[1].lower()
    if size == 8:
        return Sequence([f'mov esi, {dividend}', 'mov eax, esi',
                         f'mov ecx, {divisor}'],
                        [f'mov {"eax, e" if vex else "ax, "}si'] *
                        bool(update) + [f'{name} cl'], 1)
    wide = size if size == 64 else 32
    reg = {16: 'cx', 32: 'ecx', 64: 'rcx'}[size]
    a, d = GENERAL[wide][0], GENERAL[wide][2]
    s, t = ('rsi', 'rdi') if size == 64 else ('esi', 'edi')
    if size == 16 and not vex:
        a, d, s, t = 'ax', 'dx', 'si', 'di'
    return Sequence(
        [f'mov rsi, {low}', f'mov rdi, {high}', f'mov rcx, {divisor}',
         'mov rax, rsi', 'mov rdx, rdi'],
        [f'mov {a}, {s}'] * any('a' in u for u in update) +
        [f'mov {d}, {t}'] * any('d' in u for u in update) +
        [f'{name} {reg}'], 1)


# ---- What is measured ----

def latency(text, wide):
    """The sequence in which every instruction needs the one before."""
    divided = division(text)
    if divided:
        return divided
    text = re.sub(r'^\{[RV]EX\}\s*', '', text)
    setup, turn, address = values(text), 0, 'rsi'
    match = re.match(r'(?:LOCK )?(\w+) r(8|16|32|64), \[m\d+\]$', text)
    if match and match[1] != 'XCHG':
        # The address is what has been loaded or computed.
        address = 'rax'
        if match[1] in ('ADD', 'SUB', 'OR', 'XOR', 'ADC', 'SBB', 'IMUL'):
            setup = [f'mov qword ptr [rsi], {int(match[1] == "IMUL")}',
                     'clc']
        elif match[1] == 'AND':
            setup = ['mov qword ptr [rsi], -1']
        elif match[1] == 'MOVBE':
            setup = ['mov rbx, rsi', 'bswap rbx', 'mov [rsi], rbx']
    match = re.fullmatch(r'MOV r(\d+), ?\[m\1\] ?\+ ?MOV \[m\1\], ?r\1', text)
    if match:
        # The place holds its own address.
        size = int(match[1])
        name = GENERAL[size][3]
        return Sequence(
            ['mov rbx, rsi', 'mov [rbx], rbx'],
            [f'mov {name}, [rbx]', f'mov [rbx], {name}'], 1)
    if re.fullmatch(r'XCHG r(\d+), r\1', text):
        turn = 1  # the first register with itself is NOP
    if re.search(r'^[A-Z]+ r\d+, imm', text):
        turn = 1  # the first register has encodings of its own
    if re.match(r'V?PCMP[EI]STRM', text):
        turn = 1  # the result is in XMM0, which is no operand
    if 'GATHER' in text:
        return gather_chain(text)
    return Sequence(setup, sequence(text, turn, address, wide), 1)


def throughput(text, wide):
    """The sequence in which registers take turns."""
    divided = division(text, True)
    if divided:
        return divided
    vex, text = text[0] == '{', re.sub(r'^\{[RV]EX\}\s*', '', text)
    kind = 'y' if 'ym' in text else 'x' if 'xm' in text else \
        'm' if re.search(r'\bmm', text) else \
        'r' if re.search(r'\br\d', text) else 'x'
    # 12 registers hide a multiplication of 5 cycles on two ports.
    copies = 12 if re.search('VFN?M', text) else COPIES[kind]
    if re.match(r'\dx', text) and 'NOP' not in text:
        copies = 1
    elif re.match(r'V?MUL\w+ (xm|xmm|ymm|m)1|PFADD m1', text):
        copies = 6 if 'x' in text or 'y' in text else 4
    elif re.match('F[A-Z]', text):
        copies = 7
    elif 'GATHER' in text:
        copies = 10
    elif text.startswith('STMXCSR +') or 'CPUID' in text:
        copies = 1
    made = []
    for turn in range(copies):
        # What all need is not written.
        if GENERAL[64][turn % 6] == ('rcx' if ', cl' in text else
                                     'rdx' if 'MULX' in text else ''):
            continue
        if not turn and re.fullmatch(r'XCHG r(16|32|64), r\1', text):
            continue  # NOP, as for the latency
        at = turn + 2 if 'GATHER' in text else \
            turn + 1 if re.search(r'SQRT|MUL r\d+l? *(\(|.*upd)', text) else \
            turn + 1 if re.search(r'^[A-Z]+ r\d+, imm', text) else turn
        made += sequence(text, at, 'rsi', wide)
    return Sequence(values(text), made,
                    len(made) // len(sequence(text, 1, 'rsi', wide)))
