"""Every diagnostic id occurs in some golden or hostile input, and neither expects an unknown id."""
import re

from checks import hostile
from checks.meta.tree import expected_text, goldens, name, rows

# As the renderer writes it: `error[akp-syntax]:`.
SHOWN = re.compile(r'\b(?:error|warning|note|remark)\[([\w-]+)\]')


def check(check):
    ids = {row.split('"')[1] for row in rows('support/diagnostics.def', 'AMDAHLC_DIAG')}
    seen = {}
    for golden in goldens():
        for found in SHOWN.findall(expected_text(golden)):
            seen.setdefault(found, name(golden))
    for case in hostile.cases():
        for found in SHOWN.findall(case.says or ''):
            seen.setdefault(found, f'hostile input {case.name}')
    check.none('diagnostics in no golden and no hostile input', sorted(ids - seen.keys()))
    check.none('support/diagnostics.def does not name', (f'`{one}`, which {where} expects' for one, where in seen.items() if one not in ids))
