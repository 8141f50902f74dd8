"""No file over 500 lines without a reason at its top, names that say something, and texts that speak of the project alone."""
import re

from checks.meta import tree

LIMIT = 500
# What a file over the limit must say within its first lines.
REASON = re.compile(r'\blong because\b')
# Expected output and recorded data are as long as what they show.
DATA = ('.test', '.png', '.onnx', '.onnxtxt', '.gz', '.json', '.air')
EMPTY_NAMES = {'utils', 'util', 'helpers', 'helper', 'common', 'misc'}
# Each pattern is written so that it does not match itself.
FORBIDDEN = {
    r'(?<![\w.$}/])/(?:work|tmp|root|home)(?=/|\b)(?!\w)': 'a path of one machine',
    r'\b(?:pypi|npmjs|crates|debian|ubuntu|anaconda|pythonhosted)\.(?:org|com|io)\b': 'the host of a package registry',
    r'\b(?:TOD[O]|FIXM[E]|XX[X])\b': 'an unfinished place',
    r'\b[Ii]ssue #?\d': 'the number of an issue',
}


def faults():
    for file in tree.files():
        path = tree.name(file)
        if file.name.split('.')[0] in EMPTY_NAMES:
            yield f'{path}: a name that says nothing'
        if path.endswith(('.gz', '.onnx')):
            continue
        lines = file.read_text(encoding='utf-8', errors='replace').split('\n')
        if len(lines) - 1 > LIMIT and not path.endswith(DATA) and not any(REASON.search(line) for line in lines[:8]):
            yield f'{path}: {len(lines) - 1} lines, and no reason at its top'
        for number, line in enumerate(lines, 1):
            if path.endswith(('.h', '.cpp')) and ('///' + '<' in line or (len(line) > 120 and line.lstrip().startswith('//'))):
                yield f'{path}:{number}: a comment stands above what it describes, within 120 columns: {line.strip()}'
            for pattern, what in FORBIDDEN.items():
                if re.search(pattern, line):
                    yield f'{path}:{number}: {what}: {line.strip()}'


def check(check):
    check.none('files', faults())
