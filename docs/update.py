#!/usr/bin/env python3
"""Brings the documentation up to date with the command, or checks that it is.

  update.py [--check] [--binary PATH] [generated|consoles ...]

Two kinds of text in the pages are not written by hand:

generated  the parts of a page between the markers `<!-- generated: SOURCE; ... -->` and `<!-- end -->`. SOURCE is `amdahlc
           ARGUMENTS`, for what the command prints, a file of TABLES, for its rows, or a folder of PACKAGES, for its docstrings; docs/passes/PASS.md has one part of
           `amdahlc -help=docs-PASS`. Parts of MEASURED are left alone: other commands make them;
consoles   what stands after a `$ ` line in a block that opens with ```console. The blocks of a page run in one folder, in order,
           where `examples`, `rules`, `tools` and `../shared` are those of the project; stdout and stderr go to one text, as on a terminal.
           `$ cat FILE` of a file that is not there writes it from the block. A line `...` stands for any lines, `...` inside a
           line for any text. A page that names ../shared is left alone, by name, where that folder is absent.

With --check nothing is written; every difference is shown, and the exit status is 1.
"""
import argparse
import csv
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SHARED = SOURCE.parent / 'shared'
sys.path.insert(0, str(SOURCE / 'tests' / 'fuzz'))
import python_api  # noqa: E402
import runs  # noqa: E402
MARKER = re.compile(r'(<!-- generated: ([^\n;]*);[^\n]* -->\n).*?(<!-- end -->\n)', re.DOTALL)
BLOCK = re.compile(r'^```console\n(.*?)^```$', re.DOTALL | re.MULTILINE)
TIMEOUT_S = 300


def pages():
    return [SOURCE / 'README.md'] + sorted((SOURCE / 'docs').rglob('*.md'))


def pass_names():
    return re.findall(r'^AMDAHLC_PASS\("([^"]+)"', (SOURCE / 'passes' / 'passes.def').read_text(), re.MULTILINE)


EVIDENCE_ROW = re.compile(r'^AMDAHLC_EVIDENCE\((\w+), (-?\d+), (?:Fitted|Fixed\("([^"]*)"\)),\s+"([^"]*)"\)$', re.MULTILINE)
EVIDENCE_GROUP = re.compile(r'^// (.*)\.$', re.MULTILINE)


def evidence_rows(text):
    """(id, nats, why it is fixed or None, what it is about) of evidence.def, and the names of groups as texts."""
    rows = text.partition('\n\n')[2]
    found = sorted([*EVIDENCE_ROW.finditer(rows), *EVIDENCE_GROUP.finditer(rows)], key=lambda match: match.start())
    if ''.join(match[0] + '\n' for match in found) != rows:
        raise ValueError('evidence.def has a line that is neither a row nor the name of a group')
    return [match[1] if match.re is EVIDENCE_GROUP else (match[1], int(match[2]) / 100, match[3], match[4]) for match in found]


def evidence_table(text):
    """The rows of evidence.def with what was fitted last."""
    with (SOURCE / 'tests' / 'checks' / 'accuracy' / 'estimates.csv').open() as file:
        recorded = list(csv.DictReader(file))
    fitted = {row['id']: row for row in recorded}
    lines = ['| evidence | | nats | error | prior | right | wrong |', '|--|--|--:|--:|--:|--:|--:|']
    for row in evidence_rows(text):
        if isinstance(row, str):
            lines.append(f'| **{row}** | | | | | | |')
            continue
        name, nats, why, about = row
        known = fitted.get(name)
        lines.append(f'| `{name}` | {about} | {nats:.2f} | ' + (f'fixed: {why} | | | |' if why else ' | '.join(known[key] for key in ('error', 'prior', 'right', 'wrong')) + ' |'))
    lines += ['', 'Architectures that are held out, and calls of them that are bound wrongly by the numbers fitted to all others, and to all:', '',
              '| held out | calls | by the others | by all |', '|--|--:|--:|--:|']
    lines += [f'| {row["number"]} | {row["error"]} | {row["prior"]} | {row["right"]} |' for row in recorded if row['id'] == 'held out']
    return '\n'.join(lines) + '\n'


LIMIT_ROW = re.compile(r'^AMDAHLC_LIMIT\((\w+), ([^"]+), "([^"]*)", "([^"]*)", "([^"]*)"\)\n((?://(?! \w+\.$) .*\n)*)', re.MULTILINE)
LIMIT_GROUP = re.compile(r'^// (\w+)\.\n', re.MULTILINE)


def limit_text(expression):
    """The number of a row of limits.def for readers."""
    number = eval(expression.replace('int64_t{1}', '1').replace('int64_t{16}', '16').replace("'", ''), {'__builtins__': {}})
    for unit, shift in (('GiB', 30), ('MiB', 20)):
        if number % (1 << shift) == 0 and number < 1 << 50:
            return f'{number >> shift} {unit}'
    return f'{number:,}'.replace(',', ' ')


def limits_table(text):
    """The rows of limits.def by group."""
    rows = text.partition('#endif\n\n')[2]
    found = sorted([*LIMIT_ROW.finditer(rows), *LIMIT_GROUP.finditer(rows)], key=lambda match: match.start())
    if ''.join(match[0] for match in found) != rows.replace('\n\n', '\n'):
        raise ValueError('limits.def has a line that is neither a row, a reason nor the name of a group')
    lines = ['| what is limited | limit | beyond it | message | reason |', '|--|--:|--|--|--|']
    for match in found:
        if match.re is LIMIT_GROUP:
            lines.append(f'| **{match[1]}** | | | | |')
            continue
        words = f'`{match[5].strip().replace("{}", "..")}`' if match[5] else ''
        reason = ' '.join(line.removeprefix('// ') for line in match[6].splitlines())
        lines.append(f'| {match[3]} | {limit_text(match[2])} | {match[4]} | {words} | {reason} |')
    return '\n'.join(lines) + '\n'


def fuzzing_table(text):
    """What all runs of the fuzz targets did."""
    return runs.table(runs.parse(text.splitlines()))


TABLES = {'passes/trace_bind/evidence.def': evidence_table, 'support/limits.def': limits_table, 'tests/fuzz/runs.csv': fuzzing_table}
# Of the Python package, by folder the name of the module.
PACKAGES = {'python/amdahlc': 'amdahlc', 'python/amdahlc/torch': 'amdahlc.torch'}
# Sources that take recorded runs, which are not part of the project, or are other programs.
MEASURED = ('tests/run_checks.py ', 'amdahlc_noise_rates')


def fill(text, content):
    """The page with new generated parts: `content` of each source, or the part as it is where that is None."""
    def part(match):
        new = content(match[2])
        return match[0] if new is None else match[1] + '\n' + new + '\n' + match[3]
    return MARKER.sub(part, text)


def generated(binary, complain):
    """New texts of the pages with generated parts."""
    for name in pass_names():
        page = SOURCE / 'docs' / 'passes' / (name + '.md')
        if not page.exists():
            complain(f'{page.relative_to(SOURCE)} is missing')
        elif [match[1] for match in MARKER.findall(page.read_text()) if match[1].startswith('amdahlc ')] != [f'amdahlc -help=docs-{name}']:
            complain(f'{page.relative_to(SOURCE)}: needs one part between `<!-- generated: amdahlc -help=docs-{name}; ... -->` and `<!-- end -->`')

    def content(source):
        if source.startswith(MEASURED):
            return None
        if source in TABLES:
            return TABLES[source]((SOURCE / source).read_text())
        if source in PACKAGES:
            return python_api.reference(SOURCE / source, PACKAGES[source])
        command, *arguments = source.split()
        if command != 'amdahlc':
            raise ValueError(f'neither `amdahlc` nor a file of TABLES: {source}')
        return subprocess.run([binary, *arguments], capture_output=True, text=True, check=True).stdout

    texts = {}
    for page in pages():
        text = page.read_text()
        try:
            if MARKER.search(text):
                texts[page] = fill(text, content)
        except ValueError as error:
            complain(f'{page.relative_to(SOURCE)}: {error}')
    return texts


def commands(block):
    """The block as [(command, lines after it)]."""
    result = []
    for line in block.split('\n')[:-1]:
        if line.startswith('$ '):
            result.append((line[2:], []))
        elif not result:
            raise ValueError(f'a console block must begin with `$ `, not with {line!r}')
        else:
            result[-1][1].append(line)
    return result


def line_fits(expected, actual):
    return re.fullmatch('.*'.join(re.escape(part) for part in expected.split('...')), actual) is not None


def segments(expected):
    """The runs of lines between lines `...`."""
    runs = [[]]
    for line in expected:
        if line.strip() == '...':
            runs.append([])
        else:
            runs[-1].append(line)
    return runs


def find(run, actual, begin, end):
    """Where the lines of `run` stand in actual[begin:end], or None."""
    for at in range(begin, end - len(run) + 1):
        if all(line_fits(e, a) for e, a in zip(run, actual[at:at + len(run)])):
            return at
    return None


def fits(expected, actual):
    runs = segments(expected)
    if len(runs) == 1:
        return len(expected) == len(actual) and find(expected, actual, 0, len(actual)) == 0
    first, middle, last = runs[0], runs[1:-1], runs[-1]
    end = len(actual) - len(last)
    if end < len(first) or find(first, actual, 0, len(first)) is None or find(last, actual, end, len(actual)) is None:
        return False
    at = len(first)
    for run in middle:
        found = find(run, actual, at, end)
        if found is None:
            return False
        at = found + len(run)
    return True


def trimmed_alike(expected, actual):
    """`actual`, trimmed where `expected` is: the first and last runs by their length, those between at the most similar place."""
    runs = segments(expected)
    if len(runs) == 1:
        return actual
    first, middle, last = runs[0], runs[1:-1], runs[-1]
    if len(first) + len(last) + sum(map(len, middle)) > len(actual):
        return actual
    result, at, end = actual[:len(first)], len(first), len(actual) - len(last)
    for run in middle:
        places = range(at, end - len(run) + 1)
        if not places:
            return actual
        best = max(places, key=lambda place: difflib.SequenceMatcher(None, '\n'.join(run), '\n'.join(actual[place:place + len(run)])).ratio())
        result += ['...'] + actual[best:best + len(run)]
        at = best + len(run)
    return result + ['...'] + actual[end:]


def run_console(folder, command, status, binary):
    script = f'amdahlc() {{ "{binary}" "$@"; }}\n(exit {status})\n{command}\n'
    done = subprocess.run(['bash', '-c', script], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=TIMEOUT_S, env={'PATH': '/usr/bin:/bin', 'LC_ALL': 'C.UTF-8'})
    text = done.stdout.decode('utf-8', errors='replace').replace('\r\n', '\n')
    return text.split('\n')[:-1] if text.endswith('\n') else text.split('\n') if text else [], done.returncode


def rerun(page, binary):
    """The page with the consoles' output as the command gives it now."""
    with tempfile.TemporaryDirectory(prefix='docs-') as top:
        folder = pathlib.Path(top, 'project')
        folder.mkdir()
        for name in ('examples', 'rules', 'tools'):
            (folder / name).symlink_to(SOURCE / name)
        if SHARED.is_dir():
            pathlib.Path(top, 'shared').symlink_to(SHARED)
        status = 0

        def replace(match):
            nonlocal status
            lines = []
            for command, expected in commands(match[1]):
                shown = re.fullmatch(r'cat ([\w.-]+)', command)
                if shown and not (folder / shown[1]).exists():
                    (folder / shown[1]).write_text('\n'.join(expected) + '\n')
                actual, status = run_console(folder, command, status, binary)
                lines += ['$ ' + command] + (expected if fits(expected, actual) else trimmed_alike(expected, actual))
            return '```console\n' + '\n'.join(lines) + '\n```'

        return BLOCK.sub(replace, page.read_text())


def consoles(binary, complain):
    texts = {}
    for page in pages():
        if BLOCK.search(page.read_text()):
            if '../shared' in ''.join(BLOCK.findall(page.read_text())) and not SHARED.is_dir():
                print(f'skipped {page.relative_to(SOURCE)}: needs the folder shared beside the project')
                continue
            try:
                texts[page] = rerun(page, binary)
            except (ValueError, subprocess.TimeoutExpired) as error:
                complain(f'{page.relative_to(SOURCE)}: {error}')
    return texts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--binary', type=pathlib.Path, default=SOURCE / 'build' / 'release' / 'bin' / 'amdahlc')
    parser.add_argument('what', nargs='*', help='generated, consoles; both by default')
    options = parser.parse_args()
    steps = {'generated': generated, 'consoles': consoles}
    if unknown := set(options.what) - set(steps):
        parser.error(f'no part is called {", ".join(sorted(unknown))}')
    binary = options.binary.resolve()
    if not binary.exists():
        sys.exit(f'{binary} does not exist: run ./dev build, or give --binary PATH')
    errors = []
    for what in options.what or steps:
        for page, text in steps[what](binary, errors.append).items():
            before = page.read_text()
            if text == before:
                continue
            name = str(page.relative_to(SOURCE))
            if options.check:
                errors.append('\n'.join(difflib.unified_diff(before.split('\n'), text.split('\n'), name, name + ' as it should be', lineterm='')))
            else:
                page.write_text(text)
                print(f'updated {name}')
    for error in errors:
        print(error)
    if errors and options.check:
        print('`./dev update-goldens` brings the pages up to date; look at the difference before committing it')
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
