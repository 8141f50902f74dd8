#!/usr/bin/env python3
"""Checks that every file of a golden fixture is used by two goldens at least, and that no golden repeats the content of a fixture."""
import sys

from tree import SOURCE, finish, goldens, name

sys.path.insert(0, str(SOURCE / 'tests' / 'golden'))
from run import FIXTURES, Golden  # noqa: E402

errors, users = [], {}
fixtures = {file: file.read_text(encoding='utf-8') for file in sorted(FIXTURES.rglob('*')) if file.is_file()}
for path in goldens():
    golden = Golden(path)
    for file in golden.fixture_files.values():
        if any(file.name in command for command in golden.commands):
            users.setdefault(file, []).append(path)
    for section, lines in golden.inputs.items():
        errors += [f'{name(path)}: pastes `{name(file)}`; say `--- use {file.relative_to(FIXTURES)}`'
                   for file, text in fixtures.items() if file.name == section and '\n'.join(lines) + '\n' == text]
for file in fixtures:
    count = len(users.get(file, []))
    if count < 2:
        errors.append(f'{name(file)}: a fixture that {count} goldens use')
finish(errors, f'{len(fixtures)} files of fixtures, each shared')
