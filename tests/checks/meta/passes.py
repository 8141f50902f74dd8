"""Every pass has its component, goldens that run it, and a documentation page, whose generated part docs/update.py checks."""
import re

from checks.meta.tree import goldens, pass_names, sections
from checks.places import SOURCE


def runs(head, one):
    """Whether a command of a golden names the pass in `-passes=`. An option of a pass may have the same name."""
    pipelines = [match for line in head.split('\n') if line.startswith('$ ') for match in re.findall(r'-passes=(\S*)', line)]
    return any(re.search(rf'(?<![\w=-]){one}(?![\w=-])', re.sub(r'<[^>]*>', '', pipeline)) for pipeline in pipelines)


# Heads with a known answer. Most of the answers are no.
ANSWERS = (('$ amdahlc -passes=fuse,timing m.onnx', 'timing', True), ("$ amdahlc '-passes=print<ir>' m.onnx", 'print', True),
           ('$ amdahlc m.onnx', 'timing', False), ('$ amdahlc -passes=default m.onnx', 'timing', False),
           ('$ amdahlc -passes=fuse -Rpass=timing m.onnx', 'timing', False), ('$ amdahlc -passes=trace-bind m.onnx', 'bind', False),
           ('$ amdahlc -passes=emit<json=timing> m.onnx', 'timing', False), ('# timing: $ amdahlc -passes=timing', 'timing', False))


def check(check):
    for head, one, expected in ANSWERS:
        check.equal(f'whether {head!r} runs `{one}`', runs(head, one), expected)
    known = {one.replace('-', '_'): one for one in pass_names()}
    check.at_least('passes in passes.def', len(known), 1)
    for folder, one in known.items():
        for path in (f'passes/{folder}/{folder}_pass.cpp', f'docs/passes/{one}.md'):
            check.that((SOURCE / path).exists(), f'pass `{one}`: {path} is missing')
        check.that(any(runs(sections(golden)[''], one) for golden in goldens(folder)), f'pass `{one}`: no golden in tests/golden/{folder} names it in `-passes=`')
    check.none('no row of passes.def names', (path.parent.name for path in (SOURCE / 'passes').glob('*/*_pass.cpp') if path.parent.name not in known))
    check.none('no pass has the page', (page.name for page in (SOURCE / 'docs' / 'passes').glob('*.md') if page.stem.replace('-', '_') not in known))
