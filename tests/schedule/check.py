#!/usr/bin/env python3
"""Checks the schedule and the replay of recorded runs, each taken as one iteration.

  check.py --binary B [--shared FOLDER] [--write]

For each run in the folders h100, mi300, hta and misc of `shared/traces` whose device work has launches in the trace:

- the pieces of idle time sum to idle time, those of the path to wall time, those of the path of the window to the window;
- where unexplained and audited waits are below 1 % of wall, and wall is more than 1 ms, wall and window of the replay are within 0.5 % of the measured
  ones, or within 1.5 % where there are several streams and collective operations;
- predictions for faster and slower devices and hosts are within 1 % of wall of those in `shared/cases/replay/expected.csv`;
- one selected iteration after the other, the sums hold, too, and no prediction with faster work exceeds the measured time, nor one with slower work
  falls below it.

The paths that HolisticTraceAnalysis 0.5.0 finds in four traces, with launch edges of no weight switched on, come out to the microsecond.

The tables in docs/replay.md and docs/passes/schedule.md must be the same; `--write` writes them.
"""
import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from checks import Checks

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[1] / 'docs'
PAGES = (DOCS / 'replay.md', DOCS / 'passes' / 'schedule.md')
MARKER = re.compile(r'(<!-- generated: tests/schedule/check.py ([a-z]+)[^\n]* -->\n).*?(<!-- end -->\n)', re.DOTALL)
MODEL = '<ir_version: 9, opset_import: ["" : 18]>\nany (float[1] x) => (float[1] y) { y = Identity(x) }\n'
SCENARIOS = {'device_x2': 'device=1/2x', 'device_x0.5': 'device=2x', 'device_x0': 'device=0', 'host_x0.5': 'host=2x', 'host_x0': 'host=0'}
# Trace, annotation, instance; microseconds of the path, of host, device, gaps and launches; nodes, events and waits on it, where they are known.
FORWARD = '[param|pytorch.model.alex_net|0|0|0|measure|forward]'
HTA = (('simple_add', FORWARD, 1, (241724, 241190, 508, 9, 17), (315, 159, None)),
       ('alexnet', FORWARD, 1, (35834, 32042, 3712, 50, 30), (149, 77, None)),
       ('event_sync', 'ProfilerStep', 0, (2411, 2365, 36, 0, 10), (None, None, 4)),
       ('event_sync_multi_stream', None, 0, (1178, 1025, 124, 15, 14), (None, None, 6)))
SLOWER = {'device=1/2x'}
FOLDERS = ('h100', 'mi300', 'hta', 'misc')
CLOSE, EXPLAINED, SHORT_NS, ERROR, ERROR_OF_RANKS = 0.01, 0.01, 1_000_000, 0.005, 0.015


def report(binary, trace, model, *options):
    command = [binary, f'-trace=run={trace}', *options, '-emit=json', model]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)['runs'][0]


def pieces(rows, kind):
    """Shares of the sum by kind, the largest first."""
    total, sums = sum(row['ns'] for row in rows), {}
    for row in rows:
        name = row[kind] if row[kind] != 'unknown' else 'unknown'
        sums[name] = sums.get(name, 0) + row['ns']
    shown = sorted(sums.items(), key=lambda item: -item[1])[:4]
    return ', '.join(f'{name} {100 * ns / total:.1f} %' for name, ns in shown) if total else ''


def percent(share):
    return '' if share is None else f'{100 * share:+.2f} %'


def check_sums(checks, name, run):
    for key, of in (('idle', 'idle_ns'), ('run_path', 'wall_ns'), ('window_path', 'window_ns')):
        if run[key] is not None:
            checks.check(sum(row['ns'] for row in run[key]) == run['trace'][of], f'{name}: `{key}` does not sum to `{of}`')


def check_directions(checks, name, run):
    for what_if in run['what_if']:
        if what_if['wall_model'] != 'replay':
            continue
        for key in ('wall_ns', 'window_ns'):
            predicted, measured = what_if[key], run['trace'][key]
            if predicted is None or measured is None:
                continue
            # Means are rounded.
            wrong = predicted < measured - 1 if what_if['name'] in SLOWER else predicted > measured + 1
            checks.check(not wrong, f'{name}: `{what_if["name"]}` makes `{key}` {predicted} of {measured}')


def hta_rows(checks, options, model):
    rows = ['| trace | annotation | length us | host | device | gaps | launches | nodes | events | waits |', '|--|--|--:|--:|--:|--:|--:|--:|--:|--:|']
    for trace, annotation, instance, times, counts in HTA:
        scope = [f'-path-annotation={annotation}', f'-path-instance={instance}'] if annotation else ['-steps=whole']
        run = report(options.binary, options.shared / 'traces' / 'hta' / f'{trace}.json.gz', model, '-path-model=hta', *scope)
        found = (sum(row['ns'] for row in run['run_path']), *(run['hta'][key] for key in ('host_ns', 'device_ns', 'gap_ns', 'launch_ns')))
        checks.check(found == tuple(1000 * us for us in times), f'hta/{trace}: the path is {found} ns, not {times} us')
        numbers = [run['hta'][key] for key in ('nodes', 'events', 'wait_edges')]
        checks.check(all(expected in (None, number) for expected, number in zip(counts, numbers)), f'hta/{trace}: {numbers}, not {counts}')
        name = f'`{annotation}`, {instance}'.replace('|', '\\|') if annotation else 'whole trace'
        rows.append(f'| `hta/{trace}` | {name} | ' + ' | '.join(str(ns // 1000) for ns in found) + ' | ' + ' | '.join(map(str, numbers)) + ' |')
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=lambda text: str(pathlib.Path(text).resolve()), required=True)
    parser.add_argument('--shared', type=pathlib.Path, default=HERE.parents[2] / 'shared')
    parser.add_argument('--write', action='store_true', help='write the tables into the pages')
    options = parser.parse_args()
    if not (options.shared / 'traces').is_dir():
        print('skipped: needs the folder `shared`')
        return 77
    with open(options.shared / 'cases' / 'replay' / 'expected.csv', encoding='utf-8', newline='') as file:
        expected = {row['trace']: row for row in csv.DictReader(file)}
    checks = Checks()
    errors = ['| trace | wall us | error | window error | kept | unexplained | audit | slower device | faster device | free device | faster host | free host |',
              '|--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|']
    paths = ['| trace | idle of wall | idle time, what was going on | path of the run |', '|--|--:|--|--|']
    with tempfile.TemporaryDirectory(prefix='schedule-') as folder:
        model = pathlib.Path(folder) / 'any.onnxtxt'
        model.write_text(MODEL, encoding='utf-8')
        hta = hta_rows(checks, options, model)
        found = set()
        for path in sorted(path for name in FOLDERS for path in (options.shared / 'traces' / name).glob('*.json.gz')):
            name = f'{path.parent.name}/{path.name.removesuffix(".json.gz")}'
            run = report(options.binary, path, model, '-steps=whole', *(f'-what-if={text}' for text in SCENARIOS.values()))
            replay, trace = run['replay'], run['trace']
            if replay['reason']:
                checks.check(name not in expected, f'{name}: no replay, because {replay["reason"]}')
                continue
            found.add(name)
            check_sums(checks, name, run)
            by_iterations = report(options.binary, path, model, *(f'-what-if={text}' for text in SCENARIOS.values()))
            check_sums(checks, f'{name}, by iterations', by_iterations)
            check_directions(checks, f'{name}, by iterations', by_iterations)
            check_directions(checks, name, run)
            wall = trace['wall_ns']
            kept = wall * (1 + replay['kept_error'])
            row = expected.get(name)
            predicted = {}
            for column, text in SCENARIOS.items():
                what_if = next(one for one in run['what_if'] if one['name'] == text and one['wall_model'] == 'replay')
                predicted[column] = (what_if['wall_ns'] - wall + kept) / kept
                if row:
                    checks.check(abs(predicted[column] - float(row[column])) <= CLOSE, f'{name}: {column} is {predicted[column]:.3f}, not {row[column]}')
            if replay['unexplained'] + replay['audit'] < EXPLAINED and wall > SHORT_NS:
                several = len(run.get('streams') or []) > 1 and any('nccl' in one['name'].lower() for one in run['unbound'])
                for key in ('error', 'window_error'):
                    if replay[key] is not None:
                        checks.check(abs(replay[key]) <= (ERROR_OF_RANKS if several else ERROR), f'{name}: {key} is {percent(replay[key])}')
            numbers = ' | '.join(f'{predicted[column]:.3f}' for column in SCENARIOS)
            errors.append(f'| `{name}` | {wall / 1000:.0f} | {percent(replay["error"])} | {percent(replay["window_error"])} | {percent(replay["kept_error"])} | '
                          f'{100 * replay["unexplained"]:.1f} % | {100 * replay["audit"]:.1f} % | {numbers} |')
            paths.append(f'| `{name}` | {100 * trace["idle_ns"] / wall:.1f} % | {pieces(run["idle"], "cause")} | {pieces(run["run_path"], "kind")} |')
        checks.check(found >= set(expected), f'not replayed: {sorted(set(expected) - found)}')
    tables = {'errors': errors, 'paths': paths, 'hta': hta}
    for path in PAGES:
        page = path.read_text(encoding='utf-8')
        filled = MARKER.sub(lambda match: match[1] + '\n' + '\n'.join(tables[match[2]]) + '\n\n' + match[3], page)
        if options.write:
            path.write_text(filled, encoding='utf-8')
            print(f'wrote {path.name}')
        else:
            checks.check(filled == page, f'{path.name} has other figures; `--write` writes them')
    print(f'{checks.passed} passed, {checks.failed} failed')
    return 1 if checks.failed else 0


if __name__ == '__main__':
    sys.exit(main())
