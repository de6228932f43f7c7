#!/usr/bin/env python3
"""What tests have m2s-clc compile, kept so that another m2s-clc can do it again.

usage: compilations.py FOLDER COMPILER ARGUMENTS...   in place of m2s-clc

Keeps a compilation in FOLDER under a hash of all that it depends on, with the name
of the test ($RECORDED_TEST), and becomes COMPILER. Compilation.prepare() then adds
what clang makes, since that does not depend on the code generator: it takes most
of the time of a compilation, and in later ones a script prints it."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Of options, the word behind which is the place of the result.
OUTPUT = '-o'
# What clang is asked besides bitcode costs little and goes to clang itself.
ASKED = 'case "$*" in\n*" -E "*|*--version*|*-print-resource-dir*) ' \
    'exec "{clang}" "$@" ;;\nesac\n'
KEEPING = '#!/bin/sh\n' + ASKED + \
    'made=$("{clang}" "$@" | base64 -w0)\n[ -n "$made" ] || exit 1\n' \
    'echo "$made" | base64 -d\necho "MADE $made" >&2\n'
PRINTING = '#!/bin/sh\n' + ASKED + "base64 -d <<'END'\n{made}\nEND\n"
# The longest takes some seconds.
SECONDS = 120
# In place of what comes out: no end, and no code where there has been some.
ENDLESS, REFUSED = 'endless', 'refused'


def write_script(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    os.chmod(path, 0o755)


def is_passing(word):
    """Whether a file is there only as long as the test runs."""
    return os.path.isfile(word) and (
        word.startswith(('/proc/', tempfile.gettempdir()))
        or not os.path.isabs(word))


def keep(folder, words):
    """Keeps a compilation, its files as FILE0, FILE1 and so on; the source
    where that is read from standard input."""
    files, kept = [], []
    for before, word in zip([''] + words, words):
        if before == OUTPUT and word != '-':
            word = 'RESULT'
        elif is_passing(word):
            with open(word, 'rb') as file:
                files.append(file.read())
            word = f'FILE{len(files) - 1}'
        kept.append(word)
    given = any(word == '-' and before != OUTPUT
                for before, word in zip([''] + words, words))
    source = sys.stdin.buffer.read() if given else b''
    script = os.environ.get('M2S_CLANG')
    if script:
        with open(script, 'rb') as file:
            files.append(file.read())
    key = hashlib.sha256(json.dumps(
        [kept, bool(script)] + [hashlib.sha256(part).hexdigest()
                                for part in [source] + files]).encode())
    path = os.path.join(folder, key.hexdigest()[:24])
    os.makedirs(path, exist_ok=True)
    for number, part in enumerate(files):
        with open(os.path.join(path, f'FILE{number}'), 'wb') as file:
            file.write(part)
    if script:
        shutil.copy(script, os.path.join(path, 'clang'))
    with open(os.path.join(path, 'source'), 'wb') as file:
        file.write(source)
    with open(os.path.join(path, 'words'), 'w', encoding='utf-8') as file:
        json.dump(kept, file)
    with open(os.path.join(path, 'tests'), 'a', encoding='utf-8') as file:
        print(os.environ.get('RECORDED_TEST', '-'), file=file)
    return source if given else None


def digest_of(parts):
    return hashlib.sha256(b'\0'.join(parts)).hexdigest()


class Compilation:
    """One that is kept in a folder."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(path, 'words'), encoding='utf-8') as file:
            self.words = json.load(file)
        with open(os.path.join(path, 'tests'), encoding='utf-8') as file:
            self.tests = set(file.read().split())
        self.expected = None
        self.reached, self.succeeds = None, None

    def place(self, name):
        return os.path.join(self.path, name)

    def run(self, compiler, clang=None, reached=None):
        """Exit status, result and messages, as bytes; None without an end."""
        words = [self.place(word)
                 if re.fullmatch(r'FILE\d+|RESULT', word) else word
                 for word in self.words]
        result = self.place('RESULT')
        if os.path.exists(result):
            os.remove(result)
        script = clang or self.place('clang')
        environment = dict(os.environ)
        if os.path.exists(script):
            environment['M2S_CLANG'] = script
        if reached:
            environment['REACHED'] = reached
        try:
            with open(self.place('source'), 'rb') as source:
                done = subprocess.run([compiler] + words, stdin=source,
                                      capture_output=True, env=environment,
                                      timeout=SECONDS, cwd=self.path,
                                      check=False)
        except subprocess.TimeoutExpired:
            return None
        made = done.stdout
        if os.path.exists(result):
            with open(result, 'rb') as file:
                made += file.read()
        return b'%d' % done.returncode, made, done.stderr

    def prepare(self, compiler, clang):
        """Keeps what clang makes and what comes out, unless it has been kept;
        whether the same comes out twice."""
        if not os.path.exists(self.place('expected')):
            before = self.keep_clang(compiler, clang)
            parts = self.run(compiler)
            # What clang warns of comes once.
            alike = before and parts and before[:2] == parts[:2]
            with open(self.place('expected'), 'w', encoding='utf-8') as file:
                print(digest_of(parts) if alike else 'any', file=file)
        with open(self.place('expected'), encoding='utf-8') as file:
            self.expected = file.read().strip()
        # A folder of the test's own, such as one to include from, has gone.
        gone = any(tempfile.gettempdir() in word for word in self.words)
        return self.expected != 'any' and not gone

    def keep_clang(self, compiler, clang):
        """Compiles with clang, and keeps its bitcode; what comes out."""
        script, keeping = self.place('clang'), self.place('keeping')
        if os.path.exists(script):
            return self.run(compiler)
        write_script(keeping, KEEPING.format(clang=clang))
        parts = self.run(compiler, keeping)
        made = re.findall(rb'^MADE (.*)$', parts[2], re.M) if parts else []
        if len(made) == 1:
            write_script(script, PRINTING.format(clang=clang,
                                                 made=made[0].decode()))
        return parts

    def find_reached(self, compiler, names):
        """Keeps which functions of the generator run, of names by address:
        none is known where the compiler tells nothing."""
        listed = self.place('addresses')
        parts = self.run(compiler, reached=listed)
        found = set()
        if os.path.exists(listed):
            with open(listed, encoding='utf-8') as file:
                found = {names[address] for address in file.read().split()
                         if address in names}
            os.remove(listed)
        with open(self.place('reached'), 'w', encoding='utf-8') as file:
            print('\n'.join(['done' if parts and parts[0] == b'0' else
                             'refused'] + sorted(found)), file=file)

    def read_reached(self):
        with open(self.place('reached'), encoding='utf-8') as file:
            status, *reached = file.read().split()
        self.reached, self.succeeds = set(reached), status == 'done'

    def reaches(self, function):
        """Whether it may come to a function."""
        return not self.reached or function in self.reached

    def digest(self, compiler):
        parts = self.run(compiler)
        if not parts:
            return ENDLESS
        if self.succeeds and parts[0] != b'0':
            return REFUSED
        return digest_of(parts)


def load(folder):
    """Those that a folder has, in the order of their names."""
    return [Compilation(os.path.join(folder, name))
            for name in sorted(os.listdir(folder))
            if os.path.exists(os.path.join(folder, name, 'words'))]


def main():
    folder, compiler, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    source = None if '--version' in words else keep(folder, words)
    if source is not None:
        # What has been read is there once more.
        again = os.memfd_create('source')
        os.write(again, source)
        os.lseek(again, 0, os.SEEK_SET)
        os.dup2(again, 0)
    os.execv(compiler, [compiler] + words)


if __name__ == '__main__':
    main()
