"""What registers and memory hold before a sequence of instlat_texts.py: values
that are divided slowly unless the text names them."""
import re


def fill(registers, double, value):
    """Fills vector registers."""
    bits, move = ('0x%016x', 'movq') if double else ('0x%08x', 'movd')
    lines = [f'mov {"rax" if double else "eax"}, ' + bits % value,
             f'{move} xmm{registers[0]}, {"rax" if double else "eax"}',
             f'vbroadcasts{"d" if double else "s"} ymm{registers[0]}, '
             f'xmm{registers[0]}']
    return lines + [f'vmovaps ymm{n}, ymm{registers[0]}'
                    for n in registers[1:]]


# Dividends, divisors (a thousand quotients stay normal) and radicands (their
# roots stay below 1) whose results have all bits.
PLAIN = {False: (0x3f7a1b2d, 0x3f800347, 0x3f7a1b2d),
         True: (0x3fef436a5c7d1e2f, 0x3ff0000a7c5ac471, 0x3fef436a5c7d1e2f)}
ONES = {'0': (0, 0), '1': (0x3f800000, 0x3ff0000000000000),
        '2': (0x40000000, 0x4000000000000000),
        '0.5': (0x3f000000, 0x3fe0000000000000)}


def vector_values(text):
    """What registers hold before divisions and roots."""
    text = re.sub(r'^\{[RV]EX\}\s*', '', text)
    match = re.match(r'V?(DIV|SQRT)[SP]([SD]) ?(?:\((.*)\))?', text)
    if not match:
        return None
    double = match[2] == 'D'
    dividend, divisor, radicand = PLAIN[double]

    def constant(said):
        number = re.sub(r'[fl]$', '', said)
        number = re.sub(r'\.0$', '', number)
        return ONES[number][double]

    if match[1] == 'SQRT':
        value = constant(match[3]) if match[3] else radicand
        return fill(range(16), double, value)
    if match[3]:
        upper, lower = match[3].split('/')
        dividend = dividend if upper == 'x' else constant(upper)
        divisor = divisor if lower == 'x' else constant(lower)
    return fill(range(15), double, dividend) + fill([15], double, divisor)


def x87_values(text):
    """The x87 stack before a text; precision 32, 64 or 80 of its name."""
    control = re.match(r'F(?:DIV|SQRT)(32|64)', text)
    setup = []
    if control:
        word = {'32': 0x07f, '64': 0x27f}[control[1]]
        setup = [f'mov word ptr [rsi], {word}', 'fldcw [rsi]']
    if not re.match('F(DIV|SQRT|SIN|COS)', text):
        return setup + ['fldz'] * 8

    def load(bits):
        return [f'mov rax, {bits:#x}', 'mov [rsi], rax', 'fld qword ptr [rsi]']

    said = re.search(r'\((.*)\)', text)
    dividend, divisor, radicand = PLAIN[True]
    if text.startswith('FDIV'):
        if said and '/' in said[1]:
            upper, lower = (re.sub(r'(\.0)?[fl]?$', '', part)
                            for part in said[1].split('/'))
            dividend = ONES[upper][1] if upper in ONES else dividend
            divisor = ONES[lower][1] if lower in ONES else divisor
        # A value with all 64 bits, and the divisor on top.
        return setup + ['fldpi'] * 7 + load(divisor) if dividend else \
            setup + ['fldz'] * 7 + load(divisor)
    if text.startswith('FSQRT'):
        value = re.sub(r'(\.0)?l?$', '', said[1]) if said else ''
        return setup + ['fldz'] * 7 + \
            load(ONES[value][1] if value in ONES else radicand)
    return setup + ['fldz'] * 7 + ['fldpi']


def values(text):
    if re.match('F[A-Z]', text):
        return x87_values(text)
    if 'MASKMOV' in text:
        return ['vpcmpeqd ymm15, ymm15, ymm15']
    if 'GATHER' in text:
        return ['vpxor xmm0, xmm0, xmm0', 'vpxor xmm1, xmm1, xmm1',
                'vpxor xmm13, xmm13, xmm13', 'vmovups [rsi], ymm0']
    if 'MXCSR' in text:
        return [f'mov dword ptr [rsi+{64 * n}], 0x1f80' for n in range(12)]
    return vector_values(text) or []
