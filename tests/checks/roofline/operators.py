"""Every operator that a shipped rule names has a row in the table of the roofline.

The operators are those of the checked rules, views and hidden operators included, so that a rule that is added counts at once.
"""
import re

from checks.command import amdahlc
from checks.places import SOURCE

READING = ('  hidden [Constant]\n    node 3 [Add Sub] (1, 2) -> (0) any-order\n    node 0 [com.microsoft::Gelu, *::Foo] (1) -> (0)\n'
           '    views [Reshape] applies runtime [pytorch]\n    value 1 any\n')


def operators_of(rules):
    """Names of operators in the text of checked rules; those of any domain begin with `*::`."""
    found = set()
    for line in rules.split('\n'):
        match = re.match(r'\s*(?:node \d+|views|hidden) (.*)$', line)
        for names in re.findall(r'\[([^\]]*)\]', match[1] if match else '')[:2]:
            found |= {name for name in re.split(r'[,\s]+', names) if re.fullmatch(r'(?:[\w.*]+::)?[A-Z]\w*', name)}
    return found


def check(check):
    check.equal('operators of a text with a known answer', operators_of(READING), {'Constant', 'Add', 'Sub', 'com.microsoft::Gelu', '*::Foo', 'Reshape'})
    table = amdahlc.text('-print-pass-docs=roofline').partition('| operators |')[2]
    rows = {name for line in table.split('\n') if line.startswith('| `') for name in re.findall(r'`([\w.*:]+)`', line.split(' | ')[0])}
    named = set()
    for file in sorted((SOURCE / 'rules').glob('*.akp')):
        found = operators_of(amdahlc.text('-print-rules', f'-rules={file}'))
        named |= found
        check.none(file.name, (f'operator `{name}` has no row in the tables of passes/roofline' for name in sorted(found)
                               if name not in rows and f'*::{name.split("::")[-1]}' not in rows))
    check.at_least('operators that the rules name', len(named), 100)
