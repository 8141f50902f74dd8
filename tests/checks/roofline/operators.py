"""Every operator that a shipped rule names has a row in the table of the roofline.

The operators are those of the normalised rules, views and hidden operators included, so that a rule that is added counts at once.
"""
import re

from checks.command import amdahlc
from checks.places import SOURCE

# What these do is not told by shapes, or no run that was seen has them: a report says that they have no row.
WITHOUT_ROW = ('com.microsoft::', 'com.microsoft.nchwc::', 'GridSample', 'Upsample')
NAME = r'(?:[\w.*]+::)?[A-Z]\w*'
READING = ('hidden Constant;\nviews View runtime pytorch { Reshape, Flatten }\n'
           '  match(X) -> (Add | Sub)(X, com.microsoft::Gelu(_), *::Foo{1,2}(X), (any but Relu)(X), "Not(")\n  runs as /No(pe)/;\n')


def operators_of(rules):
    """Names of operators in the text of normalised rules; those of any domain begin with `*::`."""
    found = set()
    for line in rules.split('\n'):
        # Kernels are told by their names, which are no operators.
        code = '' if re.match(r'  (?:runs|or) as ', line) else re.sub(r'"(?:[^"\\]|\\.)*"|//.*', '', line)
        declared = re.fullmatch(r'(?:hidden (.*);|views \w+.* \{ (.*) \})', code)
        if declared:
            groups = [declared[1] or declared[2]]
        else:
            groups = re.findall(rf'\(((?:any but )?{NAME}(?: (?:\||but) {NAME})+|any but {NAME})\)(?=[*+{{(])', code)
            groups += re.findall(rf'(?<![\w.:*])({NAME})(?=(?:[*+]|\{{\d+(?:,\d*)?\}})?\()', code)
        for group in groups:
            found |= {name for name in re.split(r'[,|\s]+', group) if re.fullmatch(NAME, name)}
    return found


def check(check):
    check.equal('operators of a text with a known answer', operators_of(READING), {'Constant', 'Add', 'Sub', 'com.microsoft::Gelu', '*::Foo', 'Reshape', 'Flatten', 'Relu'})
    table = amdahlc.text('-help=docs-roofline').partition('| operators |')[2]
    rows = {name for line in table.split('\n') if line.startswith('| `') for name in re.findall(r'`([\w.*:]+)`', line.split(' | ')[0])}
    named = set()
    for file in sorted((SOURCE / 'rules').glob('*.akp')):
        found = operators_of(amdahlc.text('-print-rules', f'-rules={file}'))
        named |= found
        check.none(file.name, (f'operator `{name}` has no row in the tables of passes/roofline' for name in sorted(found)
                               if not name.startswith(WITHOUT_ROW) and name not in rows and f'*::{name.split("::")[-1]}' not in rows))
    check.at_least('operators that the rules name', len(named), 100)
