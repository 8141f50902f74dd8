#!/usr/bin/env python3
"""No file over 500 lines without a reason at its top, names that say something, and texts that speak of the project alone."""
import re

from tree import files, finish, name

LIMIT = 500
# What a file over the limit must say within its first lines.
REASON = re.compile(r'\blong because\b')
# Expected output and recorded data are as long as what they show.
DATA = ('.test', '.onnx', '.onnxtxt', '.gz', '.json', '.air')
EMPTY_NAMES = {'utils', 'util', 'helpers', 'helper', 'common', 'misc'}
# Each pattern is written so that it does not match itself.
FORBIDDEN = {
    r'(?<![\w.$}/])/(?:work|tmp|root|home)(?=/|\b)(?!\w)': 'a path of one machine',
    r'\b(?:pypi|npmjs|crates|debian|ubuntu|anaconda|pythonhosted)\.(?:org|com|io)\b': 'the host of a package registry',
    r'\b(?:TOD[O]|FIXM[E]|XX[X])\b': 'an unfinished place',
    r'\b[Ii]ssue #?\d': 'the number of an issue',
}

errors = []
for file in files():
    path = name(file)
    stem = file.name.split('.')[0]
    if stem in EMPTY_NAMES:
        errors.append(f'{path}: a name that says nothing')
    if path.endswith(('.gz', '.onnx')):
        continue
    text = file.read_text(encoding='utf-8', errors='replace')
    lines = text.split('\n')
    if len(lines) - 1 > LIMIT and not path.endswith(DATA) and not any(REASON.search(line) for line in lines[:8]):
        errors.append(f'{path}: {len(lines) - 1} lines, and no reason at its top')
    for number, line in enumerate(lines, 1):
        if path.endswith(('.h', '.cpp')) and ('///' + '<' in line or (len(line) > 120 and line.lstrip().startswith('//'))):
            errors.append(f'{path}:{number}: a comment stands above what it describes, within 120 columns: {line.strip()}')
        errors += [f'{path}:{number}: {what}: {line.strip()}' for pattern, what in FORBIDDEN.items() if re.search(pattern, line)]
finish(errors, f'{len(files())} files')
