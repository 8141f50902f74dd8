"""One mistake in a rule file is one error: changes one token of shipped rules and of the rules in goldens, and counts the errors.

An edit deletes a token, writes it twice, or replaces it by what people who come from C, Python or YAML write instead. Edits after which the rules are still
valid are counted apart.
"""
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import shutil
import tempfile

from checks import sampling
from checks.command import amdahlc
from checks.meta.tree import goldens, sections
from checks.places import SOURCE
from checks.sampling import sampled

# There are hundreds of thousands of edits: every Nth, those of each kind and file in turn. Of the edits with most errors some are shown.
EVERY, WORST = 61, 5
# Of the edits that make a file invalid: the share, in percent, with exactly one error, and the most errors of any.
AT_LEAST_ONE_ERROR_PERCENT = 98
MOST_ERRORS = 4
TIMEOUT_S = 60
# Threads take one each: `next` cannot be interrupted.
NUMBERS = itertools.count()

TOKEN = re.compile(r'''
  (?P<comment>//[^\n]*|/\*.*?\*/) | (?P<string>"(?:[^"\\\n]|\\.)*") | (?P<word>[A-Za-z_]\w*) | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
  | (?P<regex>(?<![\w)\]])/(?:[^/\\\n*]|\\.)(?:[^/\\\n]|\\.)*/ | (?<=\ as\ )/(?:[^/\\\n]|\\.)+/)
  | (?P<mark>->|\.\.\.|\.\.|::|==|!=|<=|>=|[^\s\w])''', re.VERBOSE | re.DOTALL)

# What is written in place of a token by mistake.
WRONG = {
    'and': ['&&', '&'], 'or': ['||', 'elif'], 'not': ['!', '~'], 'where': ['if', 'when', 'wher'], '->': ['=>', ':', '-'], '==': ['=', '===', 'is'],
    '=': ['==', ':=', ':'], '!=': ['<>', '!=='], ';': [',', ':', ''], ',': [';', ' '], '(': ['[', '{'], ')': [']', '}'], '{': [':', '('], '}': [')', ']', ''],
    '|': ['||', '/', ','], 'kernel': ['rule', 'kernal', 'def', 'function'], 'match': ['pattern', 'mach', 'matches'], 'fragment': ['macro', 'fragmnt', 'def'],
    'import': ['include', '#include', 'from', 'improt'], 'runs': ['run', 'launches', 'rusn'], 'as': ['is', 'AS'], 'for': ['from', 'fro'], 'op': ['operator', 'ops'],
    'const': ['constant', 'cosnt'], 'label': ['name', 'lable', 'label:'], 'priority': ['prio', 'priorty', 'priority:'], 'class': ['enum', 'clas'],
    'runtime': ['framework', 'runtme'], 'vendor': ['vender', 'gpu'], 'hidden': ['ignore', 'hiden'], 'views': ['view', 'veiws'], 'in': ['of', 'In'],
    'nothing': ['none', 'None', 'nothin'], 'akp': ['version', 'apk'], '?': ['??'], '...': ['..', '*args'], '::': [':', '.'], 'generated': ['generate'],
    'true': ['True'], 'false': ['False'], 'recompute': ['recomputed'], 'anchor': ['ancor'], 'shared': ['share'],
}


def edits(text):
    """(kind, begin, end, replacement) of every edit of one token."""
    for token in TOKEN.finditer(text):
        kind, written, begin, end = token.lastgroup, token.group(), token.start(), token.end()
        if kind == 'comment':
            if written.startswith('//'):
                yield 'replace', begin, end, '# ' + written.lstrip('/')
            continue
        yield 'delete', begin, end, ' '
        yield 'duplicate', begin, end, f'{written} {written}'
        for wrong in WRONG.get(written, ()):
            yield 'replace', begin, end, wrong
        if kind == 'string':
            yield 'replace', begin, end, "'" + written[1:-1] + "'"
            yield 'replace', begin, end, written[:-1]
        if kind == 'regex':
            yield 'replace', begin, end, '"' + written[1:-1] + '"'


def rule_texts():
    """{path: text} of the files under test; the shipped ones keep their places, because they import each other."""
    found = {str(file.relative_to(SOURCE)): file.read_text() for file in sorted((SOURCE / 'rules').rglob('*.akp'))}
    for golden in goldens():
        found |= {f'{golden.parent.name}/{golden.stem}/{name}': text for name, text in sections(golden).items() if re.fullmatch(r'\S+\.akp', name)}
    return found


def errors_of(folder, path, text):
    """The errors of a text in place of the file: a list of lines."""
    file = folder / path
    changed = file.with_name(f'changed_{os.getpid()}_{next(NUMBERS)}_{file.name}') if text is not None else file
    if text is not None:
        changed.write_text(text)
    done = amdahlc.run('-check-rules', f'-rules={changed}', '-color=never', seconds=TIMEOUT_S)
    if text is not None:
        changed.unlink()
    found = re.findall(r'^.*?: error\[.*', done.stderr, re.MULTILINE)
    if done.returncode != (1 if found else 0):
        found.append(f'exit {done.returncode}')
    return found


def try_edits(check):
    """(path, text, kind, begin, end, replacement, errors) of the edits that are tried."""
    with tempfile.TemporaryDirectory(prefix='mistakes-') as name:
        folder = pathlib.Path(name)
        shutil.copytree(SOURCE / 'rules', folder / 'rules')
        texts = rule_texts()
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        every = [(path, text, *edit) for path, text in texts.items() for edit in edits(text)]
        tried = sampled(every, EVERY)
        # Files with mistakes of their own are left out: they are in goldens of messages.
        valid = {path: not errors_of(folder, path, None) for path in dict.fromkeys(path for path, *_ in tried)}
        tried = [edit for edit in tried if valid[edit[0]]]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda edit: errors_of(folder, edit[0], edit[1][:edit[3]] + edit[5] + edit[1][edit[4]:]), tried))
    return [(*edit, errors) for edit, errors in zip(tried, found)]


def check(check):
    tried = try_edits(check)
    invalid = [edit for edit in tried if edit[-1]]
    table = collections.defaultdict(collections.Counter)
    for _, _, kind, *_, errors in invalid:
        for row in (kind, 'all'):
            table[row][min(len(errors), 6)] += 1
    print(f'{len(tried)} edits, {len(tried) - len(invalid)} still valid')
    print(f'{"edit":10} {"invalid":>8} ' + ''.join(f'{n if n < 6 else ">5":>7}' for n in range(1, 7)) + '   one error')
    for kind, counts in sorted(table.items(), key=lambda row: row[0] == 'all'):
        print(f'{kind:10} {counts.total():8} ' + ''.join(f'{counts[n]:7}' for n in range(1, 7)) + f'{100 * counts[1] / counts.total():10.1f} %')
    for path, text, kind, begin, end, new, errors in sorted(invalid, key=lambda edit: -len(edit[-1]))[:WORST]:
        check.at_least(f'{path}:{text.count(chr(10), 0, begin) + 1}: {kind} {text[begin:end]!r} {new!r}: {errors[:6]}: {len(errors)} errors of', MOST_ERRORS, len(errors))
    check.at_least('edits that make rules invalid', len(invalid), len(tried) // 2)
    # Of a small sample, some more edits may have two.
    more = len(invalid) - table['all'][1] - (0 if sampling.is_all() else 3)
    check.that(100 * more <= (100 - AT_LEAST_ONE_ERROR_PERCENT) * len(invalid), f'{more} of {len(invalid)} edits have more than one error')
