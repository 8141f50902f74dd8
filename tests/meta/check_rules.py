#!/usr/bin/env python3
"""Every shipped rule is a kernel in some golden under tests/golden/rules, no shipped library has a warning, and only those in NAMES_ONLY bind by names only.

  check_rules.py BINARY

A golden counts for a library where its commands name it with `-rules=`; its kernels are the column `rule` of the CSV output that it expects.
"""
import csv
import io
import re
import subprocess
import sys

from tree import SOURCE, finish, goldens, name, sections

# Libraries that say `evidence names`: they reproduce a tool that reads nothing else of a trace.
NAMES_ONLY = {'rules/amdahl4ml.akp'}


def amdahlc(*arguments):
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)


def rules_of(file):
    """{name: binds by names only} of the rules of a library with all that it imports, read from their checked form."""
    text = amdahlc('-print-rules', f'-rules={file}').stdout
    rules = re.findall(r'^  rule @(?:([\w.-]+)|"([^"]*)") \{\n((?:    .*\n)*)  \}', text, re.MULTILINE)
    return {plain or quoted: '\n    evidence names\n' in f'\n{body}' for plain, quoted, body in rules}


def kernels_of(golden):
    """{(library, rule)} of the kernels that a golden expects."""
    parts = sections(golden)
    libraries = re.findall(r'-rules=([\w-]+)', parts[''])
    rows = csv.DictReader(io.StringIO(parts.get('stdout', '').replace('\r', '')))
    return {(library, row['rule']) for row in rows if row.get('rule') for library in libraries}


errors, count = [], 0
for file in sorted((SOURCE / 'rules').rglob('*.akp')):
    check = amdahlc('-check-rules', f'-rules={file}')
    if check.returncode or '[' in check.stderr:
        errors.append(f'{name(file)}: -check-rules is not content\n{check.stderr}')
    for rule, names_only in rules_of(file).items():
        if names_only != (name(file) in NAMES_ONLY):
            errors.append(f'{name(file)}: rule `{rule}` {"binds" if names_only else "does not bind"} by names only, unlike NAMES_ONLY of this check')
used = set().union(*map(kernels_of, goldens('rules')))
for file in sorted((SOURCE / 'rules').glob('*.akp')):
    rules = rules_of(file)
    count += len(rules)
    if not rules:
        errors.append(f'{name(file)}: -print-rules shows no rule')
    errors += [f'{name(file)}: rule `{rule}` is a kernel in no golden under tests/golden/rules' for rule in rules if (file.stem, rule) not in used]
finish(errors, f'{count} shipped rules, each a kernel in a golden')
