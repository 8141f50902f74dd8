"""What runs of fuzz targets did: the rows of a build folder, the record of all runs, and the table of them.

A row has: when the run ended (seconds since 1970), its seconds of processor time, the target, executions, executions a second, edges covered,
features, inputs, and the finding, if there is one. A run that was stopped from outside has no counts.
"""
import csv
import os
import pathlib

NAMES = ('time', 'seconds', 'target', 'executions', 'rate', 'edges', 'features', 'inputs', 'finding')
# What all runs did: one row for the runs of a target that were kept together.
RECORD = pathlib.Path(__file__).resolve().parent / 'runs.csv'


def parse(lines):
    """The runs in the lines of a file, oldest first."""
    rows = [dict(zip(NAMES, row, strict=True)) for row in csv.reader(lines)]
    return [row | {name: int(row[name]) for name in ('time', 'seconds')} for row in rows]


def read(path):
    """The runs in a file; none if there is no such file."""
    return parse(path.read_text(encoding='utf-8').splitlines()) if path.is_file() else []


def since_record(build):
    """The runs of a build folder that the record does not hold yet."""
    recorded = {}
    for row in read(RECORD):
        recorded[row['target']] = max(row['time'], recorded.get(row['target'], 0))
    return [row for row in read(build / 'fuzz' / 'runs.csv') if row['time'] > recorded.get(row['target'], 0)]


def number(text):
    """A count of a run; one that is missing is 0."""
    return int(text) if text.isdigit() else 0


def record(build, target):
    """Adds the runs of a target in a build folder to the record: one row, or one up to each finding."""
    rows, total = [], None
    for row in (row for row in since_record(build) if row['target'] == target):
        total = total or {'seconds': 0, 'executions': 0, 'edges': 0}
        total = {'time': row['time'], 'seconds': total['seconds'] + row['seconds'], 'executions': total['executions'] + number(row['executions']),
                 'edges': max(total['edges'], number(row['edges'])), 'finding': os.path.basename(row['finding'])}
        if row['finding']:
            rows.append(total)
            total = None
    with open(RECORD, 'a', encoding='utf-8', newline='') as file:
        for row in [*rows, *([total] if total else [])]:
            rate = row['executions'] // max(1, row['seconds'])
            csv.writer(file, lineterminator='\n').writerow((row['time'], row['seconds'], target, row['executions'], rate, row['edges'], '', '', row['finding']))


def table(rows):
    """What the runs of each target did, as a table of Markdown: minutes are of processor time, executions a second those of runs with counts."""
    targets = {}
    for row in rows:
        total = targets.setdefault(row['target'], {'seconds': 0, 'quiet': 0, 'counted': 0, 'executions': 0, 'edges': 0})
        total['seconds'] += row['seconds']
        total['quiet'] = 0 if row['finding'] else total['quiet'] + row['seconds']
        total['counted'] += row['seconds'] if row['executions'].isdigit() else 0
        total['executions'] += number(row['executions'])
        total['edges'] = max(total['edges'], number(row['edges']))
    lines = ['| target | minutes | since the last finding | executions | a second | edges covered |', '|--|--:|--:|--:|--:|--:|']
    for target, total in sorted(targets.items()):
        counts = (f'{count:,}'.replace(',', ' ') for count in (total['executions'], round(total['executions'] / max(1, total['counted'])), total['edges']))
        lines.append(f'| `{target}` | {total["seconds"] // 60} | {total["quiet"] // 60} | {" | ".join(counts)} |')
    return '\n'.join(lines) + '\n'
