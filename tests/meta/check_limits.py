#!/usr/bin/env python3
"""Checks that each limit is used, says what the table says, and that its constant is the only one of its name."""
import re

from tree import SOURCE, files, finish, name, rows

ROW = re.compile(r'(\w+), (.*?), "([^"]*)", "([^"]*)", "([^"]*)"$')

table = [ROW.match(row) for row in rows('support/limits.def', 'AMDAHLC_LIMIT')]
sources = {path: path.read_text() for path in files('.cpp', '.h') if path.relative_to(SOURCE).parts[0] not in ('tests', 'docs')}
# Literals that are split over lines are one.
text = '\n'.join(re.sub(r'"\s*\n\s*"', '', source) for source in sources.values())
errors = [f'support/limits.def: a row that the table of limits cannot show: {row}' for row, match in
          zip(rows('support/limits.def', 'AMDAHLC_LIMIT'), table) if not match]
for match in filter(None, table):
    if not re.search(rf'\blimits::k{match[1]}\b', text):
        errors.append(f'limit `{match[1]}` is used nowhere')
    if match[5] and match[5] not in text:
        errors.append(f'limit `{match[1]}`: no source says `{match[5]}`')
ids = [row.split('"')[1] for row in rows('support/diagnostics.def', 'AMDAHLC_DIAG')]
for match in filter(None, table):
    errors += [f'limit `{match[1]}`: there is no diagnostic `{one}`' for one in re.findall(r'(?:error|IR text) `([\w-]+)`', match[4]) if one not in ids]
# A limit on an input that is not in the table is one that users cannot look up.
for path, source in sources.items():
    for found in re.findall(r'constexpr [\w:]+ (kMax\w*(?:Bytes|Depth|Nesting|Rank|Nodes|Files|Tokens|Rules))\b', source):
        errors.append(f'{name(path)}: `{found}` looks like a limit on inputs; support/limits.def is the place for it')
finish(errors, f'{len(table)} limits')
