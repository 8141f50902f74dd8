#!/usr/bin/env python3
"""One mistake in a rule file is one error: changes one token of shipped rules and of the rules in goldens, and counts the errors.

  one_mistake.py --binary PATH [--every N] [--files N] [--worst N] [--jobs N]

An edit deletes a token, writes it twice, or replaces it by what people who come from C, Python or YAML write instead. Every Nth edit is
tried, those of each kind and file in turn; --files takes every Nth file only. Edits after which the rules are still valid are counted apart.
--worst prints the edits with most errors. Exit status 1 if a limit below is not kept.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
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
    for golden in sorted((SOURCE / 'tests/golden').rglob('*.test')):
        parts = re.split(r'^--- (\S+\.akp)\n', golden.read_text(errors='replace'), flags=re.MULTILINE)
        for name, text in zip(parts[1::2], parts[2::2]):
            text = re.split(r'^--- ', text, flags=re.MULTILINE)[0]
            found[f'{golden.parent.name}/{golden.stem}/{name}'] = text
    return found


def check(binary, folder, path, text):
    """The errors of a text in place of the file: a list of lines."""
    file = folder / path
    changed = file.with_name(f'changed_{os.getpid()}_{next(NUMBERS)}_{file.name}') if text is not None else file
    if text is not None:
        changed.write_text(text)
    done = subprocess.run([binary, '-check-rules', f'-rules={changed}', '-color=never'], capture_output=True, text=True, errors='replace', timeout=TIMEOUT_S)
    if text is not None:
        changed.unlink()
    found = re.findall(r'^.*?: error\[.*', done.stderr, re.MULTILINE)
    if done.returncode != (1 if found else 0):
        found.append(f'exit {done.returncode}')
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--binary', required=True)
    parser.add_argument('--every', type=int, default=61)
    parser.add_argument('--files', type=int, default=1)
    parser.add_argument('--worst', type=int, default=0)
    parser.add_argument('--jobs', type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='mistakes-') as name:
        folder = pathlib.Path(name)
        shutil.copytree(SOURCE / 'rules', folder / 'rules')
        tried = []
        texts = rule_texts()
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        for path, text in list(texts.items())[::options.files]:
            if not check(options.binary, folder, path, None):
                tried += [(path, text, *edit) for edit in edits(text)]
        tried = tried[::options.every]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            jobs = [pool.submit(check, options.binary, folder, path, text[:begin] + new + text[end:]) for path, text, _, begin, end, new in tried]
            results = [job.result() for job in jobs]
    invalid = [(len(errors), edit, errors) for edit, errors in zip(tried, results) if errors]
    table = collections.defaultdict(collections.Counter)
    for errors, edit, _ in invalid:
        for kind in (edit[2], 'all'):
            table[kind][min(errors, 6)] += 1
    print(f'{len(tried)} edits, {len(tried) - len(invalid)} still valid')
    print(f'{"edit":10} {"invalid":>8} ' + ''.join(f'{n if n < 6 else ">5":>7}' for n in range(1, 7)) + '   one error')
    for kind, counts in sorted(table.items(), key=lambda row: row[0] == 'all'):
        total = sum(counts.values())
        print(f'{kind:10} {total:8} ' + ''.join(f'{counts[n]:7}' for n in range(1, 7)) + f'{100 * counts[1] / total:10.1f} %')
    for errors, (path, text, kind, begin, end, new), lines in sorted(invalid, key=lambda row: -row[0])[:options.worst]:
        line = text.count('\n', 0, begin) + 1
        print(f'\n{path}:{line}: {kind} {text[begin:end]!r} {new!r} in {text.splitlines()[line - 1].strip()!r}')
        print('\n'.join(f'    {each.split(": ", 1)[-1]}' for each in lines[:6]))
    share = 100 * table['all'][1] / max(1, sum(table['all'].values()))
    most = max((errors for errors, _, _ in invalid), default=0)
    good = share >= AT_LEAST_ONE_ERROR_PERCENT and most <= MOST_ERRORS and len(invalid) > 100
    print(f'{"ok" if good else "FAILED"}: {share:.1f} % with one error (at least {AT_LEAST_ONE_ERROR_PERCENT} %), at most {most} errors (at most {MOST_ERRORS})')
    sys.exit(0 if good else 1)


main()
