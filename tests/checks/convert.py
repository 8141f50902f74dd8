"""Converted kernel tests accept the names that the regular expressions in XML accept: random ones with look-arounds, compared on all short names.

The judge is Python's own `re`: `re.match` of the expression in XML against `re.search` of those in the rule, which are of the part of the syntax that
RE2 and Python share. An expression that is refused must differ from the one without its look-arounds on some name, since those that do not are left out.
"""
import itertools
import pathlib
import random
import re
import tempfile
from xml.sax.saxutils import escape

from checks.command import amdahlc

COUNT, SEED = 300, 1
LETTERS = 'ab_'
LONGEST = 6
NAMES = [''.join(letters) for length in range(LONGEST + 1) for letters in itertools.product(LETTERS + '-', repeat=length)]
# Of each of these outcomes there must be at least so many in a hundred, or the expressions are no longer a test.
LEAST = {'left out': 5, 'rewritten': 5, 'refused': 5}


def piece(rng, depth, look):
    kind = rng.random()
    if look and kind < 0.25:
        ahead = rng.choice(('(?=', '(?!', '(?!', '(?<=', '(?<!'))
        return ahead + expression(rng, depth - 1, False, ahead.startswith('(?<')) + ')'
    if depth > 0 and kind < 0.4:
        return '(' + '|'.join(expression(rng, depth - 1, look, False) for _ in range(rng.randint(1, 2))) + ')' + rng.choice(('', '', '*', '?', '+'))
    if kind < 0.6:
        return rng.choice(('.*', '.*', '.', '[ab]', '[^a]', r'\b', '$', r'\w'))
    return rng.choice(LETTERS) + rng.choice(('', '', '', '*', '?', '{1,2}'))


def expression(rng, depth, look, fixed):
    if fixed:  # Python wants look-behinds of one length
        return ''.join(rng.choice(LETTERS + '.') for _ in range(rng.randint(1, 2)))
    return ''.join(piece(rng, depth, look) for _ in range(rng.randint(1, 4)))


def expressions(count, seed):
    rng, out = random.Random(seed), []
    while len(out) < count:
        text = rng.choice(('', '', '^', '.*')) + '|'.join(expression(rng, 1, True, False) for _ in range(rng.choice((1, 1, 1, 2)))) + rng.choice(('', '.*', '.*'))
        try:
            re.compile(text)
        except re.error:
            continue
        if re.search(r'\(\?<?[=!]', text):
            out.append(text)
    return out


def accepts(test, name):
    """Of `/a/ and not /b/ or /c/`."""
    tokens = re.findall(r'(or|and|not) |/((?:[^/\\]|\\.)*)/', test + ' ')
    result, every, negative = False, True, False
    for word, text in tokens:
        if word == 'or':
            result, every = result or every, True
        elif word == 'not':
            negative = True
        elif word != 'and':
            every = every and (re.search(text, name) is None) == negative
            negative = False
    return result or every


def without_looks(text):
    """The expression with every look-around removed."""
    out, at = '', 0
    while at < len(text):
        if re.match(r'\(\?<?[=!]', text[at:]):
            depth = 0
            while True:
                depth += {'(': 1, ')': -1}.get(text[at], 0)
                at += 1
                if depth == 0:
                    break
        else:
            out += text[at]
            at += 1
    return out


def check(check):
    texts = expressions(COUNT, SEED)
    with tempfile.TemporaryDirectory() as folder:
        library, rules = pathlib.Path(folder, 'lib.xml'), pathlib.Path(folder, 'lib.akp')
        groups = (f'<OperationGroup><name>k{number}</name><kernelNameRegex>{escape(text)}</kernelNameRegex><nodes><node>add</node></nodes></OperationGroup>\n'
                  for number, text in enumerate(texts))
        library.write_text('<nodetypes>\n' + ''.join(groups) + '</nodetypes>\n')
        done = amdahlc.run('-convert-rules', library, '-o', rules)
        if not check.that(rules.exists(), done.stderr):
            return
        written = rules.read_text()
    tests = {int(number): test for number, test in re.findall(r'^kernel k(\d+) .*?^  runs as (.*?);$', written, re.MULTILINE | re.DOTALL)}
    counts = dict.fromkeys(LEAST, 0)
    for number, text in enumerate(texts):
        theirs = [re.match(text, name) is not None for name in NAMES]
        loses = None
        try:
            plain = without_looks(text)
            loses = [name for name, one in zip(NAMES, theirs) if one != (re.match(plain, name) is not None)]
        except re.error:
            pass  # `a|(?!b)*`: nothing is left to repeat
        if number not in tests:
            counts['refused'] += 1
            check.that(loses != [], f'{text}: refused, but without its look-arounds it is the same')
            continue
        wrong = [name for name, one in zip(NAMES, theirs) if one != accepts(tests[number], name)]
        counts['rewritten' if loses else 'left out'] += 1
        check.that(not wrong, f'{text}: {tests[number]} differs on {wrong[:3]}')
    for name, least in LEAST.items():
        check.at_least(f'percent of the expressions that are {name}', counts[name] * 100 / COUNT, least)
