"""Faults of the code generator's sources, as text: which there are, and where."""
import os
import re

GENERATOR = 'src/opencl-rt/codegen'
# Each costs nothing at all, or prints only.
NOT_SEMANTIC = ('report', 'stage/print.c', 'write/lines.c', 'line.c')
RULES = [
    (r' == ', ' != '), (r' != ', ' == '), (r' < ', ' <= '), (r' <= ', ' < '),
    (r' > ', ' >= '), (r' >= ', ' > '), (r' && ', ' || '), (r' \|\| ', ' && '),
    (r'\breturn true;', 'return false;'), (r'\breturn false;', 'return true;'),
    (r' \+ 1\b', ' + 2'), (r' - 1\b', ' - 2'), (r'\[0\]', '[1]'),
    (r'\[1\]', '[0]'), (r'\(!', '('), (r' \+ ', ' - '),
    (r'\+\+;', '+= 2;'), (r' \? ', ' ? !'),
    (r'\bEVG_ALU_SETGT_INT\b', 'EVG_ALU_SETGE_INT'),
    (r'\bEVG_ALU_SETGE_UINT\b', 'EVG_ALU_SETGT_UINT'),
    (r'\bEVG_ALU_ADD_INT\b', 'EVG_ALU_SUB_INT'),
    (r'\bEVG_ALU_LSHR_INT\b', 'EVG_ALU_ASHR_INT'),
    (r'\bEVG_ALU_ASHR_INT\b', 'EVG_ALU_LSHR_INT'),
    (r'\bEVG_ALU_AND_INT\b', 'EVG_ALU_OR_INT'),
    (r'\bEVG_ALU_MULHI_UINT\b', 'EVG_ALU_MULHI_INT'),
    (r'\bMACHINE_EVEN\b', 'MACHINE_ODD'), (r'\btrue\b', 'false'),
]


def sources(root):
    for folder, folders, files in os.walk(os.path.join(root, GENERATOR)):
        folders.sort()
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), root)
            if name.endswith(('.c', '.def')) and not any(
                    word in path for word in NOT_SEMANTIC):
                yield path


def faults(root):
    """All that can be drawn: (path, offset, end, replacement)."""
    for path in sources(root):
        with open(os.path.join(root, path), encoding='utf-8') as file:
            text = file.read()
        comments = [match.span() for match in re.finditer(
            r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^\s*#.*$', text, re.S | re.M)
            if not match.group().startswith('#')]
        for pattern, other in RULES:
            for match in re.finditer(pattern, text):
                if not any(start <= match.start() < end
                           for start, end in comments):
                    yield path, match.start(), match.end(), other


def function_at(path, text, place):
    """The function of a file that has a place in it; None outside."""
    before = text[:place]
    begin = before.rfind('\n{\n')
    if not path.endswith('.c') or begin < 0 or '\n}' in before[begin:]:
        return None
    head = before[:begin]
    head = head[head.rfind('\n}') + 1:]
    names = re.findall(r'^(?:\w[\w \t*]*[ *])?(\w+)\(', head, re.M)
    return path + ':' + names[-1] if names else None
