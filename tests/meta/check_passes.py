#!/usr/bin/env python3
"""Every pass has its component, goldens that run it, and a documentation page, whose generated part docs/update.py checks."""
import re

from tree import SOURCE, finish, goldens, pass_names, sections


def runs(head, one):
    """Whether a command of a golden names the pass in `-passes=`. An option of a pass may have the same name."""
    pipelines = [match for line in head.split('\n') if line.startswith('$ ') for match in re.findall(r'-passes=(\S*)', line)]
    return any(re.search(rf'(?<![\w=-]){one}(?![\w=-])', re.sub(r'<[^>]*>', '', pipeline)) for pipeline in pipelines)


def check_runs():
    """Errors for heads with a known answer that `runs` gets wrong. Most of the answers are no."""
    for head, one, expected in (('$ amdahlc -passes=fuse,timing m.onnx', 'timing', True), ("$ amdahlc '-passes=print<ir>' m.onnx", 'print', True),
                                ('$ amdahlc m.onnx', 'timing', False), ('$ amdahlc -passes=default m.onnx', 'timing', False),
                                ('$ amdahlc -passes=fuse -Rpass=timing m.onnx', 'timing', False), ('$ amdahlc -passes=trace-bind m.onnx', 'bind', False),
                                ('$ amdahlc -passes=emit<json=timing> m.onnx', 'timing', False), ('# timing: $ amdahlc -passes=timing', 'timing', False)):
        if runs(head, one) != expected:
            yield f'`runs` in this check returns that {head!r} {"does not run" if expected else "runs"} `{one}`'


errors = list(check_runs())
for one in pass_names():
    folder = one.replace('-', '_')
    for path in (f'passes/{folder}/{folder}_pass.h', f'passes/{folder}/{folder}_pass.cpp'):
        if not (SOURCE / path).exists():
            errors.append(f'pass `{one}`: {path} is missing')
    if not any(runs(sections(golden)[''], one) for golden in goldens(folder)):
        errors.append(f'pass `{one}`: no golden in tests/golden/{folder} names it in `-passes=`')
    page = SOURCE / 'docs' / 'passes' / f'{one}.md'
    if not page.exists():
        errors.append(f'pass `{one}`: docs/passes/{one}.md is missing')
known = {one.replace('-', '_') for one in pass_names()}
for folder in sorted(path.parent.name for path in (SOURCE / 'passes').glob('*/*_pass.cpp')):
    if folder not in known:
        errors.append(f'passes/{folder}: no row of passes.def names this pass')
for page in sorted((SOURCE / 'docs' / 'passes').glob('*.md')):
    if page.stem.replace('-', '_') not in known:
        errors.append(f'docs/passes/{page.name}: no pass has this page')
if not known:
    errors.append('passes.def: no pass')
finish(errors, f'{len(known)} passes, each with goldens and a page')
