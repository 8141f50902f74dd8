#!/usr/bin/env python3
"""Checks that every diagnostic id occurs in some golden or hostile input, and that neither expects an unknown id."""
import re

from tree import SOURCE, expected_text, finish, goldens, name, rows

# As the renderer writes it: `error[akp-syntax]:`.
SHOWN = re.compile(r'\b(?:error|warning|note|remark)\[([\w-]+)\]')

ids = [row.split('"')[1] for row in rows('support/diagnostics.def', 'AMDAHLC_DIAG')]
seen = {}
for golden in goldens():
    for found in SHOWN.findall(expected_text(golden)):
        seen.setdefault(found, golden)
hostile = SOURCE / 'tests' / 'hostile' / 'hostile.py'
for found in SHOWN.findall(hostile.read_text()):
    seen.setdefault(found, hostile)
errors = [f'diagnostic `{one}` occurs in no golden and no hostile input' for one in ids if one not in seen]
errors += [f'{name(golden)} expects `{one}`, which support/diagnostics.def does not name' for one, golden in seen.items() if one not in ids]
finish(errors, f'{len(ids)} diagnostic ids, each in a golden or a hostile input')
