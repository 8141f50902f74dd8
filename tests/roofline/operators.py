#!/usr/bin/env python3
"""Every operator that a shipped rule names has a row in the table of the roofline.

  operators.py --binary PATH

The operators are those of the checked rules, views and hidden operators included, so that a rule that is added counts at once.
"""
import argparse
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def printed(binary, *arguments):
    return subprocess.run([binary, *arguments], capture_output=True, text=True, check=True).stdout


def operators_of(rules):
    """Names of operators in the text of checked rules; those of any domain begin with `*::`."""
    found = set()
    for line in rules.split('\n'):
        match = re.match(r'\s*(?:node \d+|views|hidden) (.*)$', line)
        for names in re.findall(r'\[([^\]]*)\]', match[1] if match else '')[:2]:
            found |= {name for name in re.split(r'[,\s]+', names) if re.fullmatch(r'(?:[\w.*]+::)?[A-Z]\w*', name)}
    return found


def check_reading():
    """Errors for rules with a known answer."""
    text = '  hidden [Constant]\n    node 3 [Add Sub] (1, 2) -> (0) any-order\n    node 0 [com.microsoft::Gelu, *::Foo] (1) -> (0)\n    views [Reshape] applies runtime [pytorch]\n    value 1 any\n'
    expected = {'Constant', 'Add', 'Sub', 'com.microsoft::Gelu', '*::Foo', 'Reshape'}
    return [] if operators_of(text) == expected else [f'`operators_of` in this check reads {sorted(operators_of(text))}']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', required=True)
    binary = parser.parse_args().binary
    table = printed(binary, '-print-pass-docs=roofline').partition('| operators |')[2]
    rows = {name for line in table.split('\n') if line.startswith('| `') for name in re.findall(r'`([\w.*:]+)`', line.split(' | ')[0])}
    errors = check_reading()
    libraries = sorted((SOURCE / 'rules').glob('*.akp'))
    named = set()
    for file in libraries:
        for name in sorted(operators_of(printed(binary, '-print-rules', f'-rules={file}'))):
            named.add(name)
            if name not in rows and f'*::{name.split("::")[-1]}' not in rows:
                errors.append(f'{file.name}: operator `{name}` has no row in the tables of passes/roofline')
    if len(named) < 100:
        errors.append(f'the rules name {len(named)} operators only; this check reads them wrongly')
    for error in sorted(set(errors)):
        print(error)
    print(f'{len(named)} operators of {len(libraries)} libraries, {len(rows)} rows')
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
