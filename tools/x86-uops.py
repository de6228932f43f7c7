#!/usr/bin/env python3
"""Makes a core's uop table (src/x86/timing/uops/NAME.def) of measurements.

    tools/x86-uops.py haswell uops-haswell.csv > src/x86/timing/uops/haswell.def

The input has one row for each form of an instruction, with the columns that
uops.info's measurements have (doc/x86-timing.md lists them): mnemonic, operands, uops_unfused,
uops_fused_retire, uops_mite, uops_ms, complex_decoder, simple_decoders_left,
ports, divider_cycles, tp_limit, macro_fusible_with, latencies,
same_reg_variant, indexed_variant. The output is described in form.h.

What it does to the figures:
- From a latency that begins in memory it takes off that of a plain load, from
  one that ends there that of forwarding a plain store, so that the engine can
  add what its caches and store queue say. Both are read from the input.
- Several encodings of one instruction become one form: the first counts.
- Lines that are alike are put together.
"""
import collections
import csv
import re
import sys

# ---- Names ----

# Hidden registers in the order in which latencies count them, behind the
# visible ones; the flags come last.
HIDDEN = {
    'MUL': 'ax dx', 'DIV': 'ax dx', 'IDIV': 'ax dx', 'MULX': 'dx',
    'CMPXCHG': 'ax', 'CMPXCHG8B': 'dx ax cx bx', 'CMPXCHG16B': 'dx ax cx bx',
    'CDQ': 'dx ax', 'CQO': 'dx ax', 'CWD': 'dx ax', 'CBW': 'ax ax',
    'CWDE': 'ax ax', 'CDQE': 'ax ax', 'LAHF': 'ah', 'SAHF': 'ah',
    'LEAVE': 'bp sp', 'ENTER': 'bp sp', 'PUSHF': 'sp', 'PUSHFQ': 'sp',
    'PUSHFD': 'sp', 'POPF': 'sp', 'POPFQ': 'sp', 'POPFD': 'sp',
    'SCASB': 'ax', 'SCASW': 'ax', 'SCASD': 'ax', 'SCASQ': 'ax',
    'LODSB': 'ax', 'LODSW': 'ax', 'LODSD': 'ax', 'LODSQ': 'ax',
    'STOSB': 'ax', 'STOSW': 'ax', 'STOSD': 'ax', 'STOSQ': 'ax',
    'XLAT': 'ax', 'LOOP': 'cx', 'LOOPE': 'cx', 'LOOPNE': 'cx',
    'JRCXZ': 'cx', 'JECXZ': 'cx', 'BLENDVPS': 'x0', 'BLENDVPD': 'x0',
    'PBLENDVB': 'x0', 'SHA256RNDS2': 'x0', 'PCMPESTRI': 'ax dx cx',
    'VPCMPESTRI': 'ax dx cx', 'PCMPESTRM': 'ax dx x0',
    'VPCMPESTRM': 'ax dx x0', 'PCMPISTRI': 'cx', 'VPCMPISTRI': 'cx',
    'PCMPISTRM': 'x0', 'VPCMPISTRM': 'x0', 'RDTSC': 'ax dx',
    'RDTSCP': 'ax dx cx', 'CPUID': 'ax bx cx dx', 'XGETBV': 'cx ax dx',
}
ZEN = 'zen'
OPERANDS = {'XMM': 'X', 'YMM': 'Y', 'MM': 'N', 'R8l': 'R8', 'SEG': 'S',
            'VSIB_XMM': 'V128', 'VSIB_YMM': 'V256', 'Rel8': 'J', 'Rel32': 'J'}
LEA = {'B': 'B', 'I': 'I', 'IS': 'I*S', 'D8': 'D8', 'D32': 'D32', 'R': 'RIP'}
SKIPPED = {'MOV_CR', 'MOV_DR', 'PUSH_W', 'LEAVE_W', 'ENTER_W', 'PCMPESTRI64',
           'PCMPESTRM64', 'VPCMPESTRI64', 'VPCMPESTRM64',
           'PREFETCH_EXCLUSIVE'}
# What tells several encodings of one instruction apart.
ENCODING = re.compile(r'_(R0|R4|SSE4|XMM|NEAR|(XMM_)?(0F)?[0-9A-F]{2})+$')


def name(row):
    """A form's name in the table; None: left out."""
    mnemonic = row['mnemonic']
    if mnemonic in SKIPPED or mnemonic.startswith('BND'):
        return None
    operands = [OPERANDS.get(o, o) for o in row['operands'].split(', ') if o]
    prefix = ''
    if mnemonic.startswith('LEA_'):
        address = '+'.join(LEA[p] for p in mnemonic.split('_')[1:])
        return 'LEA', ','.join(operands + [address])
    if '_REPNE' in mnemonic:
        return None
    for suffix, text in (('_LOCK', 'LOCK '), ('_REPE', 'REP ')):
        if mnemonic.endswith(suffix):
            mnemonic, prefix = mnemonic[:-len(suffix)], text
    if mnemonic.endswith('_REX64'):
        return None
    mnemonic = ENCODING.sub('', mnemonic)
    return prefix + mnemonic, ','.join(operands)


# ---- Latencies ----

def is_register(operand):
    return not re.fullmatch(r'(M|V|I|J|Rel|Moffs|VSIB).*|0|1|M', operand) \
        or operand == 'MM'


def places(row):
    """From "REG1" to a place's name."""
    operands = [o for o in row['operands'].split(', ') if o]
    result, registers = {}, 0
    for i, operand in enumerate(operands):
        if is_register(operand):
            result[f'REG{registers}'] = str(i)
            registers += 1
    mnemonic = re.sub(r'_(LOCK|REPE|REPNE|W|NEAR)$', '', row['mnemonic'])
    hidden = HIDDEN.get(mnemonic, '').split()
    if mnemonic == 'IMUL' and len(operands) == 1:
        hidden = ['ax', 'dx']
    if hidden == ['ax', 'dx'] and operands and re.match('R8|M8', operands[0]):
        hidden = ['ax']
    for h in hidden:
        result[f'REG{registers}'] = h
        registers += 1
    for i in range(registers, registers + 3):
        result[f'REG{i}'] = 'f'
    result.update(MEM0='m', MEM1='n', AGEN='a')
    return result


def kind_of(row):
    operands = row['operands'].split(', ')
    for kinds, result in ((('YMM', 'M256', 'VSIB_YMM'), 'YMM'),
                          (('XMM', 'VSIB_XMM'), 'XMM'), (('MM',), 'MMX')):
        if any(o in kinds for o in operands):
            return result
    return 'general'


def number(text, key):
    found = re.search(rf'\b{key}=(\d+)', text)
    return int(found.group(1)) if found else None


def measured(rows, mnemonic, operands, pair, key):
    """One figure of a plain row, for what is taken off."""
    for row in rows:
        if row['mnemonic'] == mnemonic and row['operands'] == operands:
            for item in row['latencies'].split():
                inputs, value = item.split(':')
                if inputs == pair:
                    return number(value, key) if key else \
                        int(value.split('/')[0])
    return None


def plain(rows):
    """Latencies of plain loads, and from a store to a load of the same."""
    load = {
        'general': measured(rows, 'MOV', 'R64, M64', 'MEM0>REG0', 'addr'),
        'XMM': measured(rows, 'MOVAPS', 'XMM, M128', 'MEM0>REG0', 'addr'),
        'YMM': measured(rows, 'VMOVAPS', 'YMM, M256', 'MEM0>REG0', 'addr'),
        'MMX': measured(rows, 'MOVQ', 'MM, M64', 'MEM0>REG0', 'addr'),
    }
    store = {
        'general': measured(rows, 'MOV', 'M64, R64', 'REG0>MEM0', None),
        'XMM': measured(rows, 'MOVAPS', 'M128, XMM', 'REG0>MEM0', None),
        'YMM': measured(rows, 'VMOVAPS', 'M256, YMM', 'REG0>MEM0', None),
        'MMX': measured(rows, 'MOVQ', 'M64, MM', 'REG0>MEM0', None),
    }
    for table in load, store:
        for kind in table:
            if table[kind] is None:
                table[kind] = table['XMM']
    return load, store


def latencies(row, load, store, same, computes, registers=None):
    """"0>0:1 m>0:1"; `same`: when its registers are the same."""
    kind, place, result = kind_of(row), places(row), {}
    for item in row['latencies'].split():
        pair, value = item.split(':')
        source, target = (place.get(p) for p in pair.split('>'))
        if source is None or target is None:
            continue
        if re.fullmatch(r'\d+(/sr=\d+)?', value):
            own = int(value.split('/')[0])
            if same and '/sr=' in value:
                own = int(value.split('=')[1])
            # Memory that is renamed gives its data at once.
            if target in 'mn' and not own and not store['general']:
                continue
            if target in 'mn' and own:
                narrow = re.search(r'\bR?(8[lh]?|16)\b|\bM(8|16)\b',
                                   row['operands'])
                # Zen renames memory of 32 and 64 bits.
                own -= store[kind] + ((1 if store['general'] else 6)
                                      if kind == 'general' and narrow else 0)
                # Loads of more than was stored wait for the cache.
                if own > 6 and 'LOCK' not in row['mnemonic']:
                    own = computes
                own = max(own, 1 if computes else 0)
                if not own:
                    own = None
        elif target in 'mn':
            through = number(value, 'mem')
            if through is None or source not in 'mn':
                continue
            own = max(1, through - store[kind] - 1)
            if not store['general']:
                own = 1
        elif source == 'a':
            own = number(value, 'addr') or number(value, 'addri')
        else:
            own = number(value, 'addr')
            if own is None:
                own = number(value, 'addri')
            if own is None:
                own = number(value, 'mem')
                own = None if own is None else own + 1
            if own is None:
                continue
            # 0 is no dependency; a plain load has none on top.
            own = max(own - load[kind], 0) or -1
        if own is not None:
            key = (source, target)
            result[key] = max(result.get(key, -1), own)
    # What goes through memory bounds what goes to it.
    for key in list(result):
        through = result.get(('m', 'm'))
        if key[1] == 'm' and through:
            result[key] = min(result[key], through)
    # Not measured: as from the register in its place.
    operands = row['operands'].split(', ')
    at = [i for i, o in enumerate(operands) if re.match('M[0-9]', o)]
    if at and not any(key[0] == 'm' for key in result):
        for key, own in (registers or {}).items():
            if key[0] == str(at[0]):
                result['m', key[1]] = own
    return result


def text_of(result):
    return ' '.join('%s>%s:%s' % (*key, 'L' if own < 0 else own)
                    for key, own in result.items())


# ---- Rows ----

def ports(text, uops):
    found = collections.OrderedDict()
    for count, port in re.findall(r'(\d+)\*?p(\w+)', text):
        found[port] = found.get(port, 0) + int(count)
    # What was measured around an indirect jump.
    if sum(found.values()) > uops and found.get('0156') == 1:
        del found['0156']
    return '+'.join((f'{n}*p' if n > 1 else 'p') + port
                    for port, n in found.items())


def fuses(row):
    with_ = row['macro_fusible_with']
    if not with_:
        return 'NONE'
    if 'JO ' in with_:
        return 'ALL'
    return 'CARRY' if 'JB ' in with_ else 'SIGNED'


# ---- Zen ----

# Ports in form.h's digits: 0 to 3 ALUs, 4 and 5 loads, 6 and 7 address and data
# of a store, 8 to b floating point. The measurements have only those of single
# vector operations; the others are those of AMD's software optimization guide
# for family 17h (56305, section 2 and its table of instructions), recalled.
ZEN_INTEGER = (
    (r'I?MUL|MULX', 'p1'), (r'I?DIV', 'p2'), (r'CRC32', 'p1'),
    (r'TZCNT|BS[FR]', 'p12'), (r'BLS\w+', 'p2'), (r'J\w+|LOOP\w*', 'p03'),
    (r'CALL|RET', 'p3'), (r'SET\w+', 'p03'),
    (r'PDEP|PEXT', 'p0123'), (r'\w+', 'p0123'))
ZEN_VECTOR = (
    (r'V?(DIV|SQRT)[SP][SD]', 'pb'), (r'V?CVT\w+|V?ROUND\w+', 'pb'),
    (r'V?(MUL|FN?M)\w+|V?R(CP|SQRT)\w+|V?DPP[SD]', 'p89'),
    (r'V?(ADD|SUB|MIN|MAX|CMP|HADD|HSUB)[A-Z]*[SP][SD]', 'pab'),
    (r'V?P?(SHUF|UNPCK|PACK|BLEND|PERM|INSERT|EXTRACT|INSR|EXTR|BROADCAST|'
     r'MOVS[LH]DUP|MOVDDUP|ALIGN)\w*', 'p9a'),
    (r'\w+', 'p89b'))


def zen_ports(row, computes, crosses):
    """The operations of a row that compute."""
    vector = re.search(r'MM', row['operands'])
    mnemonic = ENCODING.sub('', re.sub(
        r'_(LOCK|REPE|REPNE|NEAR)$', '', row['mnemonic']))
    if row['ports']:
        digits = row['ports'].split('FP')[1]
        return ['p' + ''.join('89ab'[int(d)] for d in digits)] * computes
    table = ZEN_VECTOR if vector else ZEN_INTEGER
    port = next(p for pattern, p in table if re.fullmatch(pattern, mnemonic))
    # What goes between the register files passes FP2.
    result = ['pa'] if crosses and computes else []
    if port == 'pb' and computes > 1 and not crosses:
        return ['pb'] + ['p9a'] * (computes - 1)
    if mnemonic.startswith('LEA') and ':addr=2' in row['latencies']:
        port = 'p12'
    if not vector and port != 'p0123' and computes > 1:
        return [port] + ['p0123'] * (computes - 1)
    return result + [port] * (computes - len(result))


def zen(row, load, store, same, registers):
    """A row of Zen: macro-ops, which hold a load or store besides."""
    uops = int(float(row['uops_unfused'] or 1))
    operands = row['operands'].split(', ')
    memory = any(re.match(r'M\d|M$|Moffs|VSIB', o) for o in operands) or \
        'MEM0' in row['latencies']
    mnemonic = row['mnemonic']
    items = row['latencies'].split()
    reads = any(i.startswith('MEM0>REG') or
                (i.startswith('MEM0>MEM0') and 'mem=' in i) for i in items) \
        or re.match('PUSH', mnemonic) and memory and operands[0][:1] == 'M' \
        or re.match(r'POP|LODS|SCAS|CMPS|MOVS[BWDQ]$|RET', mnemonic)
    writes = any('>MEM0' in i for i in items) or \
        re.match(r'PUSH|CALL|STOS|MOVS[BWDQ]$', mnemonic)
    if re.match(r'(NOP|PREFETCH|CLFLUSH|LEA)', mnemonic):
        memory = reads = writes = False
    elif memory and not reads and not writes:
        reads = True
    vector = 'MM' in row['operands']
    crosses = vector and re.search(r'\bR\d', row['operands'])
    moves = re.fullmatch(r'V?(MOV(APS|APD|UPS|UPD|DQA|DQU|SS|SD|D|Q|NT\w+|'
                         r'LP[SD]|HP[SD])?|LDDQU)', ENCODING.sub('', mnemonic))
    # A store's own operation is its data; a load's is the load.
    plain = (reads or writes) and not (reads and writes) and \
        (moves or re.match('PUSH|POP', mnemonic)) and uops == 1 and \
        not re.search('REG0>REG0:[1-9]', row['latencies'])
    text = latencies(row, load, store, same, 0 if plain else 1, registers)
    gone = mnemonic in ('NOP', 'XCHG') and not memory or \
        (text and all(not v for v in text.values()) and not memory)
    computes = 0 if plain or gone else uops
    ports_ = zen_ports(row, computes, crosses)
    ports_ += ['p45'] * bool(reads) + ['p6', 'p7'] * bool(writes)
    if re.match('VP?GATHER', mnemonic):
        ports_ += ['p45'] * (7 if 'YMM' in row['operands'] else 3)
    counted = collections.Counter(ports_)
    slots = max(uops, 1 + bool(writes and computes))
    return (slots, 1, slots - 1 if uops > 2 else 0, 0 if uops > 2 else 'ANY',
            '+'.join((f'{n}*' if n > 1 else '') + p
                     for p, n in counted.items()),
            int(float(row['divider_cycles'] or 0)),
            min(255, round(float(row['tp_limit'] or 0))), fuses(row),
            text_of(text))


def one(row, load, store, variant, same, registers=None):
    if row['core'].startswith(ZEN):
        return zen(row, load, store, same, registers)

    def value(column, key):
        if variant:
            found = number(variant, key)
            return 0 if found is None else found
        return int(float(row[column] or 0))

    uops = value('uops_unfused', 'uops')
    text = re.search(r'ports=(\S*)', variant).group(1) if variant and \
        'ports=' in variant else ('' if variant else row['ports'])
    text = ports(text, uops)
    computes = sum(int(n or 1) for n, p in
                   re.findall(r'(?:(\d+)\*)?p(\w+)', text)
                   if not re.fullmatch('2|3|4|23|237|7|34|49|78|9', p))
    complex_ = value('complex_decoder', 'complDec')
    left = value('simple_decoders_left', 'sDec') if complex_ else 'ANY'
    return (value('uops_fused_retire', 'retSlots'),
            value('uops_mite', 'uopsMITE'), value('uops_ms', 'uopsMS'), left,
            text, int(row['divider_cycles'] or 0),
            min(255, round(float(row['tp_limit'] or 0))), fuses(row),
            text_of(latencies(row, load, store, same, computes, registers)))


def forms(rows):
    load, store = plain(rows)
    seen = {}
    # "SQRTPD XMM, XMM" for "SQRTPD XMM, M128".
    of_registers = {}
    for row in rows:
        if ' M' not in row['operands'] or row['operands'].startswith('MM'):
            shape = row['mnemonic'], row['operands']
            of_registers[shape] = latencies(row, load, store, False, 1)

    def registers_of(row):
        for kind in 'XMM', 'YMM', 'MM', 'R64', 'R32':
            found = of_registers.get((row['mnemonic'], re.sub(
                r'\bM\d+\b', kind, row['operands'])))
            if found and kind in row['operands']:
                return found
        return None

    for row in rows:
        key = name(row)
        if key is None or key in seen:
            continue
        # Save areas that fault, and what has more than a template holds.
        if max(float(row[c] or 0) for c in ('uops_unfused', 'uops_mite',
                                            'uops_fused_retire',
                                            'uops_ms')) > 240:
            continue
        seen[key] = one(row, load, store, '', False, registers_of(row))
        same = row['same_reg_variant']
        if same or '/sr=' in row['latencies']:
            entry = one(row, load, store, same, True)
            if entry != seen[key]:
                seen[(key[0], key[1] + ' same')] = entry
        if row['indexed_variant'] and not row['core'].startswith(ZEN):
            entry = one(row, load, store, row['indexed_variant'], False,
                        registers_of(row))
            if entry != seen[key]:
                seen[(key[0], key[1] + ' indexed')] = entry
    return seen, load, store


def wrap(words, width):
    lines, line = [], ''
    for word in words:
        if line and len(line) + len(word) + 1 > width:
            lines.append(line + ' ')
            line = word
        else:
            line = f'{line} {word}' if line else word
    return lines + [line]


def main():
    core, path = sys.argv[1:]
    with open(path, newline='') as stream:
        rows = [dict(row, core=core) for row in csv.DictReader(stream)]
    found, load, store = forms(rows)
    alike = collections.OrderedDict()
    for key, entry in found.items():
        alike.setdefault(entry, []).append(key)
    print(f'''/* What instructions become in {core}; form.h explains the columns.
 *
 * Made by tools/x86-uops.py of uops.info's measurements (A. Abel, J. Reineke,
 * "uops.info: Characterizing Latency, Throughput, and Port Usage of
 * Instructions on Intel Microarchitectures", ASPLOS 2019; https://uops.info).
 * {len(found)} forms. Corrections by hand belong into extra.def, which is
 * looked at first.
 *
 * Taken off, in cycles: loads {', '.join(f'{k} {v}' for k, v in load.items())};
 * store to load {', '.join(f'{k} {v}' for k, v in store.items())}. */
''')
    for entry, keys in alike.items():
        sets = collections.OrderedDict()
        for mnemonic, operands in keys:
            sets.setdefault(mnemonic, []).append(operands.replace(' ', '/'))
        by_set = collections.OrderedDict()
        for mnemonic, operands in sets.items():
            by_set.setdefault(tuple(operands), []).append(mnemonic)
        words = []
        for operands, mnemonics in by_set.items():
            words += [m.replace(' ', '_') for m in mnemonics]
            words[-1] += ':'
            words += [o or '-' for o in operands]
            words[-1] += ';'
        words[-1] = words[-1][:-1]
        slots, decoder, micro, left, port, divider, cycles, fuse, lat = entry
        print('FORMS("' + '"\n      "'.join(wrap(words, 70)) + '",')
        print(f'      {slots}, {decoder}, {micro}, {left}, "{port}", {divider}'
              f', {cycles}, {fuse},')
        print('      "' + '"\n      "'.join(wrap(lat.split(), 70)) + '")')


main()
