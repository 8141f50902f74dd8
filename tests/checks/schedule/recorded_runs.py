"""The schedule and the replay of recorded runs, each taken as one iteration.

For each run in the folders h100, mi300, hta and misc of `shared/traces` whose device work has launches in the trace:

- the pieces of idle time sum to idle time, those of the path to wall time, those of the path of the window to the window;
- where unexplained and audited waits are below 1 % of wall, and wall is more than 1 ms, wall and window of the replay are within 0.5 % of the measured
  ones, or within 1.5 % where there are several streams and collective operations;
- predictions for faster and slower devices and hosts are within 1 % of wall of those in `shared/cases/replay/expected.csv`;
- in these and in the other recordings of a GPU, which have no such calls, no call counts as one that waits without saying so;
- one selected iteration after the other, the sums hold, too, and no prediction with faster work exceeds the measured time, nor one with slower work
  falls below it.

docs/replay.md has tables of these figures.
"""
import re

from checks import pages
from checks.command import amdahlc, any_model, rows
from checks.places import SHARED, TRACES, traces_of

SCENARIOS = {'device_x2': 'device=1/2x', 'device_x0.5': 'device=2x', 'device_x0': 'device=0', 'host_x0.5': 'host=2x', 'host_x0': 'host=0'}
SLOWER = {'device=1/2x'}
# Names of calls that wait, that copy, or that find a queue full.
SAYS_SO = re.compile('Synchronize|Memcpy|Launch')
OTHERS = ('programs/*/*.json.gz', 'cases/programs/*/trace.json.gz', 'traces/nsys/*.sqlite')
FOLDERS = ('h100', 'mi300', 'hta', 'misc')
CLOSE, EXPLAINED, SHORT_NS, ERROR, ERROR_OF_RANKS = 0.01, 0.01, 1_000_000, 0.005, 0.015


def report(trace, *options):
    return amdahlc.run_report(f'-trace=run={traces_of(trace)}', *options, any_model())


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


def check_sums(check, name, run):
    for key, of in (('idle', 'idle_ns'), ('run_path', 'wall_ns'), ('window_path', 'window_ns')):
        if run[key] is not None:
            check.that(sum(row['ns'] for row in run[key]) == run['trace'][of], f'{name}: `{key}` does not sum to `{of}`')


def check_waits(check, name, run):
    waits = {row['name'] for row in (run['waits'] or {'calls': []})['calls']}
    check.equal(f'{name}: calls that wait without saying so', {call for call in waits if not SAYS_SO.search(call)}, set())


def check_directions(check, name, run):
    for what_if in run['what_if']:
        for key in ('wall_ns', 'window_ns'):
            predicted, measured = what_if[key], run['trace'][key]
            if predicted is None or measured is None:
                continue
            # Means are rounded.
            wrong = predicted < measured - 1 if what_if['name'] in SLOWER else predicted > measured + 1
            check.that(not wrong, f'{name}: `{what_if["name"]}` makes `{key}` {predicted} of {measured}')


def check_replay(check, name, run, expected):
    """Compares errors and predictions; the predicted walls by scenario, in shares of the measured one."""
    replay, wall = run['replay'], run['trace']['wall_ns']
    kept = wall * (1 + replay['kept_error'])
    predicted = {}
    for column, text in SCENARIOS.items():
        what_if = next(one for one in run['what_if'] if one['name'] == text)
        predicted[column] = (what_if['wall_ns'] - wall + kept) / kept
        if expected:
            check.that(abs(predicted[column] - float(expected[column])) <= CLOSE, f'{name}: {column} is {predicted[column]:.3f}, not {expected[column]}')
    if replay['unexplained'] + replay['audit'] < EXPLAINED and wall > SHORT_NS:
        several = len(run.get('streams') or []) > 1 and any('nccl' in one['name'].lower() for one in run['unbound'])
        for key in ('error', 'window_error'):
            check.that(abs(replay[key] or 0) <= (ERROR_OF_RANKS if several else ERROR), f'{name}: {key} is {percent(replay[key])}')
    return predicted.values()


def check(check):
    expected = {row['trace']: row for row in rows(SHARED / 'cases' / 'replay' / 'expected.csv')}
    what_ifs = [f'-what-if={text}' for text in SCENARIOS.values()]
    errors, paths = {}, {}
    for path in sorted(path for name in FOLDERS for path in (TRACES / name).glob('*.json.gz')):
        name = f'{path.parent.name}/{path.name.removesuffix(".json.gz")}'
        run = report(name, '-steps=whole', *what_ifs)
        replay, trace = run['replay'], run['trace']
        if replay['reason']:
            check.that(name not in expected, f'{name}: no replay, because {replay["reason"]}')
            continue
        for what, one in ((name, run), (f'{name}, by iterations', report(name, *what_ifs))):
            check_sums(check, what, one)
            check_waits(check, what, one)
            check_directions(check, what, one)
        predicted = check_replay(check, name, run, expected.get(name))
        shares = [f'{100 * replay[key]:.1f} %' for key in ('unexplained', 'audit')]
        errors[name] = [f'`{name}`', f'{trace["wall_ns"] / 1000:.0f}', *(percent(replay[key]) for key in ('error', 'window_error', 'kept_error')), *shares,
                        *(f'{share:.3f}' for share in predicted)]
        paths[name] = [f'`{name}`', f'{100 * trace["idle_ns"] / trace["wall_ns"]:.1f} %', pieces(run['idle'], 'cause'), pieces(run['run_path'], 'kind')]
    for path in sorted(path for pattern in OTHERS for path in SHARED.glob(pattern) if not path.name.endswith('.et.json.gz')):
        check_waits(check, path.relative_to(SHARED), amdahlc.run_report(f'-trace=run={path}', '-steps=whole', any_model()))
    check.equal('expected runs that are not replayed', set(expected) - set(errors), set())
    texts = ('trace', 'idle time, what was going on', 'path of the run')
    pages.keep(check, 'docs/replay.md', {
        f'{check.name} errors': pages.markdown(['trace', 'wall us', 'error', 'window error', 'kept', 'unexplained', 'audit', 'slower device', 'faster device',
                                                'free device', 'faster host', 'free host'], errors.values(), texts),
        f'{check.name} paths': pages.markdown(['trace', 'idle of wall', 'idle time, what was going on', 'path of the run'], paths.values(), texts)})
