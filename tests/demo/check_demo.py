#!/usr/bin/env python3
"""check_demo.py FOLDER: checks that the outputs of `./dev demo` are complete and consistent, with the figures of the golden."""
import csv
import difflib
import json
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / 'tests' / 'golden'))
from run import Golden  # noqa: E402

GOLDEN = SOURCE / 'tests/golden/examples/the_bundled_example_keeps_its_figures.test'
# The golden shows these columns of the table of kernels behind the summary.
COLUMNS = (1, 3, 6, 7, 8, 15, 16)


def main(folder):
    errors = []
    with open(folder / 'kernels.csv', newline='', encoding='utf-8') as file:
        kernels = list(csv.reader(file))
    with open(folder / 'bindings.csv', newline='', encoding='utf-8') as file:
        bindings = list(csv.DictReader(file))
    run = json.loads((folder / 'report.json').read_text(encoding='utf-8'))['runs'][0]
    dot = (folder / 'kernels.dot').read_text(encoding='utf-8')

    shown = (folder / 'tables.txt').read_text(encoding='utf-8').splitlines()
    shown += [','.join(row[column] for column in COLUMNS) for row in kernels]
    difference = list(difflib.unified_diff(Golden(GOLDEN).expected['stdout'], shown, GOLDEN.name, 'the demo', lineterm=''))
    if difference:
        errors.append('the figures differ from the golden:\n' + '\n'.join(difference))
    if len(run['kernels']) != len(kernels) - 1:
        errors.append(f"report.json has {len(run['kernels'])} kernels, kernels.csv has {len(kernels) - 1}")
    if run['trace']['device_events'] != len({row['event'] for row in bindings}):
        errors.append(f"report.json has {run['trace']['device_events']} device events, bindings.csv has {len(bindings)} rows")
    if not any(item['kind'] == 'change' for item in run['advice']):
        errors.append('report.json advises no change')
    if not dot.startswith('digraph') or not dot.rstrip().endswith('}'):
        errors.append('kernels.dot is not a complete graph')
    for error in errors:
        print(f'error: {error}')
    if not errors:
        print(f'checked: {len(kernels) - 1} kernels and {len(bindings)} events, the same in all outputs')
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1])))
