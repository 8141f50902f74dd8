#!/usr/bin/env python3
"""Runs golden tests: one file per statement, with input and expected output in that file.

  run.py [--binary PATH] [--installed] [--update] [FILE or FOLDER ...]     all of tests/golden, and the newest binary below build/, by default

A golden's first line is `# ` and a statement in one sentence; then `$ ` command lines, run by bash in an empty folder; then sections `--- NAME`:
input files first, then what is expected: `stdout`, `stderr`, `exit N`, and `file NAME` for a file that the commands write. A section that is
absent means empty output, exit 0; a written file that no section names is not looked at. `--- use NAME` brings in the files of the folder
fixtures/NAME, `--- use NAME/FILE` one of them; where the golden has a section of that name, its own file counts. `amdahlc` on a command line
is the binary under test; $SOURCE, $EXAMPLES and $SHARED are folders. A golden that names $SHARED is skipped, by name, where that folder is
absent.

Exit status: 0 all passed, 1 some failed, 77 all skipped. The last line counts.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import command   # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = SOURCE / 'tests' / 'golden' / 'fixtures'
EXPECTED = re.compile(r'(stdout|stderr|exit (\d+)|file (\S+))$')
TIMEOUT_S = 300


class Golden:
    """A parsed golden file: the head lines, input sections (fixtures among them) and expected sections, in order."""

    def __init__(self, path):
        self.path = path
        self.head, self.inputs, self.expected = [], {}, {}
        current = self.head
        lines = path.read_bytes().decode('utf-8', errors='surrogateescape').split('\n')
        if lines and lines[-1] == '':
            lines.pop()
        for line in lines:
            if line.startswith('--- '):
                name = line[4:].strip()
                target = self.expected if EXPECTED.match(name) else self.inputs
                current = target.setdefault(name, [])
            else:
                current.append(line)
        if not self.head or not self.head[0].startswith('# ') or len(self.head[0]) < 12:
            raise ValueError(f'{path}: the first line must be `# ` and a statement in one sentence')
        self.commands = [line[2:] for line in self.head if line.startswith('$ ')]
        if not self.commands:
            raise ValueError(f'{path}: no `$ ` command line')
        self.fixture_files = self.find_fixture_files()

    def find_fixture_files(self):
        """Name of the file in the golden's folder -> the fixture's file that is copied there."""
        found = {}
        for section in self.inputs:
            if not section.startswith('use '):
                continue
            if any(self.inputs[section]):
                raise ValueError(f'{self.path}: `--- {section}` has no lines of its own')
            source = FIXTURES / section[4:]
            files = sorted(source.iterdir()) if source.is_dir() else [source]
            if not all(file.is_file() for file in files):
                raise ValueError(f'{self.path}: no fixture `{section[4:]}`')
            for file in files:
                if file.name in self.inputs:
                    continue
                if file.name in found:
                    raise ValueError(f'{self.path}: two fixtures bring `{file.name}`')
                found[file.name] = file
        return found

    def needs_shared(self):
        return any('$SHARED' in command for command in self.commands)

    def written(self):
        return [name[5:] for name in self.expected if name.startswith('file ')]

    def text(self, actual):
        out = list(self.head)
        for name, lines in self.inputs.items():
            out += ['--- ' + name] + lines
        for name, content in actual:
            out += ['--- ' + name] + content
        return '\n'.join(out) + '\n'


def run(golden, binary):
    """The actual expected-sections of a golden, in canonical order."""
    with tempfile.TemporaryDirectory(prefix='golden-') as folder:
        for name, source in golden.fixture_files.items():
            shutil.copyfile(source, pathlib.Path(folder, name))
        for name, lines in golden.inputs.items():
            if name.startswith('use '):
                continue
            file = pathlib.Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(('\n'.join(lines) + '\n' if lines else '').encode('utf-8', errors='surrogateescape'))
        env = dict(os.environ, PATH=f'{SOURCE}/tests/checks/bin:{os.environ["PATH"]}', SOURCE=str(SOURCE), EXAMPLES=str(SOURCE / 'examples'), SHARED=str(SOURCE.parent / 'shared'), LC_ALL='C.UTF-8')
        script = f'AMDAHLC="{binary}"\namdahlc() {{ "$AMDAHLC" "$@"; }}\nset -o pipefail\n' + '\n'.join(golden.commands)
        try:
            done = subprocess.run(['bash', '-c', script], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S)
            stdout, stderr, code = done.stdout, done.stderr, done.returncode
        except subprocess.TimeoutExpired as late:
            stdout, stderr, code = late.stdout or b'', (late.stderr or b'') + b'\ntimed out\n', 124
        actual = []
        for name, data in (('stdout', stdout), ('stderr', stderr)):
            if data:
                actual.append((name, split(data)))
        for name in golden.written():
            file = pathlib.Path(folder, name)
            if file.is_file():
                actual.append(('file ' + name, split(file.read_bytes())))
        if code:
            actual.append((f'exit {code}', []))
        return actual


def split(data):
    text = data.decode('utf-8', errors='surrogateescape')
    return (text[:-1] if text.endswith('\n') else text + '\n(no newline at the end)').split('\n')


def check(path, binary, update):
    """(status, message): status is passed, failed, skipped or updated."""
    try:
        golden = Golden(path)
    except ValueError as error:
        return 'failed', str(error)
    if golden.needs_shared() and not (SOURCE.parent / 'shared').is_dir():
        return 'skipped', 'needs the folder shared beside the project'
    actual = run(golden, binary)
    before, after = golden.text(golden.expected.items()), golden.text(actual)
    if before == after:
        return 'passed', ''
    if update:
        path.write_bytes(after.encode('utf-8', errors='surrogateescape'))
        return 'updated', ''
    diff = difflib.unified_diff(before.split('\n'), after.split('\n'), 'expected', 'actual', lineterm='')
    name = path.relative_to(SOURCE)
    return 'failed', '\n'.join(diff) + f'\nrun it alone: tests/golden/run.py --binary {binary} {name}\nif the change is meant: the same with --update'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path)
    parser.add_argument('--installed', action='store_true', help='test a binary that was not built from this checkout')
    parser.add_argument('--update', action='store_true', help='rewrite what is expected')
    parser.add_argument('-j', type=int, default=os.cpu_count())
    parser.add_argument('paths', nargs='*', type=pathlib.Path, default=[SOURCE / 'tests' / 'golden'])
    options = parser.parse_args()
    try:
        command.choose(options.binary, options.installed)
    except command.WrongBinary as wrong:
        parser.error(str(wrong))
    binary = command.amdahlc.binary
    if binary is None:
        parser.error('nothing is built below build/: run ./dev build, or give --binary PATH')
    files = []
    for path in options.paths:
        path = path.resolve()
        files += sorted(path.rglob('*.test')) if path.is_dir() else [path]
    counts = dict.fromkeys(('passed', 'failed', 'skipped', 'updated'), 0)
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for path, (status, message) in zip(files, pool.map(lambda file: check(file, binary, options.update), files)):
            counts[status] += 1
            if status != 'passed':
                print(f'{status.upper()} {path.relative_to(SOURCE)}' + (f'\n{message}' if message else ''))
    changed = f", {counts['updated']} updated" if options.update else ''
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped{changed}")
    if counts['failed']:
        return 1
    return 77 if files and counts['skipped'] == len(files) else 0


if __name__ == '__main__':
    sys.exit(main())
