#!/usr/bin/env python3
"""Every pass has its component, goldens that run it, and a documentation page, whose generated part docs/update.py checks."""
import re

from tree import SOURCE, finish, goldens, pass_names, sections


def runs(head, one):
    """Whether a command line of a golden names the pass, or runs the default pipeline, which is all passes but `print`."""
    commands = [line for line in head.split('\n') if line.startswith('$ ')]
    return any(re.search(rf'(?<![\w-]){one}(?![\w-])', line) or (one != 'print' and ('-passes' not in line or 'default' in line)) for line in commands)


errors = []
for one in pass_names():
    folder = one.replace('-', '_')
    for path in (f'passes/{folder}/{folder}_pass.h', f'passes/{folder}/{folder}_pass.cpp'):
        if not (SOURCE / path).exists():
            errors.append(f'pass `{one}`: {path} is missing')
    own = goldens(folder) if (SOURCE / 'tests' / 'golden' / folder).is_dir() else []
    if not any(runs(sections(golden)[''], one) for golden in own):
        errors.append(f'pass `{one}`: no golden in tests/golden/{folder} runs it')
    page = SOURCE / 'docs' / 'passes' / f'{one}.md'
    if not page.exists():
        errors.append(f'pass `{one}`: docs/passes/{one}.md is missing')
finish(errors, f'{len(pass_names())} passes, each with goldens and a page')
