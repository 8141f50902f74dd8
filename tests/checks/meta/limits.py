"""Each limit is used, says what the table says, and its constant is the only one of its name."""
import re

from checks.meta.tree import files, name, rows
from checks.places import SOURCE

ROW = re.compile(r'(\w+), (.*?), "([^"]*)", "([^"]*)", "([^"]*)"$')


def check(check):
    table = []
    for row in rows('support/limits.def', 'AMDAHLC_LIMIT'):
        match = ROW.match(row)
        if check.that(match, f'support/limits.def: a row that the table of limits cannot show: {row}'):
            table.append(match)
    sources = {path: path.read_text() for path in files('.cpp', '.h', '.def')
               if path.relative_to(SOURCE).parts[0] not in ('tests', 'docs') and path.name != 'limits.def'}
    # Literals that are split over lines are one.
    text = '\n'.join(re.sub(r'"\s*\n\s*"', '', source) for source in sources.values())
    ids = [row.split('"')[1] for row in rows('support/diagnostics.def', 'AMDAHLC_DIAG')]
    for match in table:
        check.that(re.search(rf'\blimits::k{match[1]}\b', text), f'limit `{match[1]}` is used nowhere')
        check.that(match[5] in text, f'limit `{match[1]}`: no source says `{match[5]}`')
        check.none(f'limit `{match[1]}`', (f'there is no diagnostic `{one}`' for one in re.findall(r'(?:error|IR text) `([\w-]+)`', match[4]) if one not in ids))
    # A limit on an input that is not in the table is one that users cannot look up.
    for path, source in sources.items():
        check.none(name(path), (f'`{found}` looks like a limit on inputs; support/limits.def is the place for it' for found in
                                re.findall(r'constexpr [\w:]+ (kMax\w*(?:Bytes|Depth|Nesting|Rank|Nodes|Files|Tokens|Rules))\b', source)))
