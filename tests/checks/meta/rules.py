"""Every shipped rule is a kernel in some golden under tests/golden/rules, no shipped library has a warning, and only those in NAMES_ONLY bind by names only.

A golden counts for a library where its commands name it with `-rules=`; its kernels are the column `rule` of the CSV output that it expects.
"""
import csv
import io
import re

from checks.command import amdahlc
from checks.meta.tree import goldens, name, sections
from checks.places import SOURCE

# Libraries that say `evidence names`: they reproduce a tool that reads nothing else of a trace.
NAMES_ONLY = {'rules/amdahl4ml.akp'}


def rules_of(file):
    """{name: binds by names only} of the rules of a library with all that it imports."""
    text = amdahlc.run('-print-rules', f'-rules={file}').stdout
    rules = re.findall(r'^kernel (?:([\w.-]+)|"([^"]*)")[^\n]* \{\n((?:  .*\n)*)\}', text, re.MULTILINE)
    return {plain or quoted: '\n  evidence names;\n' in f'\n{body}' for plain, quoted, body in rules}


def kernels_of(golden):
    """{(library, rule)} of the kernels that a golden expects."""
    parts = sections(golden)
    libraries = re.findall(r'-rules=([\w-]+)', parts[''])
    rows = csv.DictReader(io.StringIO(parts.get('stdout', '').replace('\r', '')))
    return {(library, row['rule']) for row in rows if row.get('rule') for library in libraries}


def check(check):
    for file in sorted((SOURCE / 'rules').rglob('*.akp')):
        done = amdahlc.run('-check-rules', f'-rules={file}')
        check.that(not done.returncode and '[' not in done.stderr, f'{name(file)}: -check-rules is not content\n{done.stderr}')
        for rule, names_only in rules_of(file).items():
            check.equal(f'{name(file)}: whether rule `{rule}` binds by names only, as NAMES_ONLY of this check says', names_only, name(file) in NAMES_ONLY)
    used = set().union(*map(kernels_of, goldens('rules')))
    for file in sorted((SOURCE / 'rules').glob('*.akp')):
        rules = rules_of(file)
        check.at_least(f'rules of {name(file)}', len(rules), 1)
        check.none(f'{name(file)}: kernels in no golden under tests/golden/rules', (rule for rule in rules if (file.stem, rule) not in used))
