"""The pass `host` on recorded traces."""
import json

from checks.command import amdahlc, any_model
from checks.places import SHARED, TRACES

# Trace, the reference's file, T1 of the selected iterations (count, mean and standard deviation in microseconds), and the operators that differ
# where every call that device work came from is a launch: they launch by driver calls, or wait without work.
CELLS = [('h100/bert-small.json.gz', 'h100-bert-small.json', (103, 18.441, 28.259), {'aten::linear', 'aten::is_nonzero'}),
         ('h100/vit-base.json.gz', 'h100-vit-base.json', (275, 10.166, 9.312), {'aten::linear', 'aten::conv2d'})]
# The reference prints three decimals of microseconds.
TOLERANCE_US = 0.0015

# What has no streams, and why.
SILENT = {'the trace has no device': ['cpu/', 'ort/', 'hta/cpu_only', 'hta/no_gpu_events'],
          'the trace does not say when events started': ['tensorrt/']}


def run_of(trace, host='host'):
    """The one run of the report, and the summary; `host` is the pass with its options."""
    report, summary = amdahlc.outputs('json summary=full', f'-passes=fuse,trace-bind,timing,{host}', f'-trace=t={trace}', any_model())
    return report['runs'][0], summary


def differs(stat, reference):
    return (stat is None or stat['count'] != reference['count'] or abs(stat['mean_ns'] / 1000 - reference['mean']) > TOLERANCE_US
            or abs(stat['std_ns'] / 1000 - reference['std']) > TOLERANCE_US)


def differences(run, expected):
    """Of overheads and the reference: pairs of an operator and what differs."""
    operators = {name: {key: stat for key, stat in row.items() if stat} for name, row in run['overheads']['operators'].items()}
    here, there = ({(name, key) for name in table for key in table[name]} for table in (operators, expected))
    found = [(name, f'{key} is not in the reference') for name, key in sorted(here - there)]
    for name, key in sorted(there):
        stat = operators.get(name, {}).get(key)
        if differs(stat, expected[name][key]):
            found.append((name, f'{key} is {stat}, expected {expected[name][key]}'))
    return found


def cells(check):
    """Overheads are those that the code of ml_perf_model prints for the same traces."""
    for trace, reference, (count, mean, std), others in CELLS:
        expected = json.loads((SHARED / 'reference' / 'ml_perf_model' / reference).read_text())['operators']
        by_name, _ = run_of(TRACES / trace, 'host<overheads=ml-perf-model>')
        recorded, _ = run_of(TRACES / trace)
        check.none(trace, (f'{name} {what}' for name, what in differences(by_name, expected)))
        check.equal(f'{trace}: what differs by recorded launches', {name for name, _ in differences(recorded, expected)}, others)
        for run in (by_name, recorded):
            check.that(not differs(run['overheads']['t1'], {'count': count, 'mean': mean, 'std': std}),
                       f'{trace}: t1 is {run["overheads"]["t1"]}, expected {count} gaps, {mean} +- {std} us')


def add_up(check, what, rows, total, rounded):
    """Rows add up to the exact total, and to the rounded one per iteration."""
    for key, expected in (('runtime_ns_total', total), ('runtime_ns', rounded)):
        check.equal(f'{what}: sum of {key}', sum(row[key] for row in rows), expected)


def check_sums(check, name, run):
    trace, streams, concurrency = run['trace'], run['streams'], run['concurrency']
    add_up(check, name, streams, trace['device_ns_total' if trace['statistic'] == 'mean' else 'device_ns'], trace['device_ns'])
    for stream in streams:
        what, times = f'{name}, stream {stream["stream"]}', (stream['runtime_ns_total'], stream['runtime_ns'])
        for part in ('families', 'operators'):
            add_up(check, f'{what} by {part}', stream[part], *times)
            check.equal(f'{what}: events by {part}', sum(row['count'] for row in stream[part]), stream['count'])
        for top in stream['operators']:
            for part in ('operators', 'kernels'):
                add_up(check, f'{what}, {top["name"]} by {part}', top[part], top['runtime_ns_total'], top['runtime_ns'])
            for launching in top['operators']:
                add_up(check, f'{what}, {top["name"]}, {launching["name"]}', launching['kernels'], launching['runtime_ns_total'], launching['runtime_ns'])
        check.that(abs(stream['busy_ns'] + stream['idle_ns'] - trace['wall_ns']) <= 1, f'{what}: busy and idle are not wall')
    check.equal(f'{name}: time by number of streams', sum(row['ns'] for row in concurrency), trace['wall_ns'])
    check.equal(f'{name}: numbers of streams', [row['active'] for row in concurrency], list(range(len(concurrency))))
    if len(streams) == 1:
        check.equal(f'{name}: busy time of the only stream', (streams[0]['busy_ns'], concurrency[1]['ns']), (trace['busy_ns'], trace['busy_ns']))


def sums(check):
    """Device time by stream, family, operator and kernel, and time by number of active streams, are exact sums."""
    for path in sorted(path for path in TRACES.rglob('*') if path.is_file() and (path.name.endswith('.json.gz') or path.suffix in ('.sqlite', '.json'))):
        name = path.relative_to(TRACES).as_posix()
        if name.startswith('tensorrt/') and path.name != 'profile.json':
            continue
        run, summary = run_of(path)
        reason = next((reason for reason, prefixes in SILENT.items() if name.startswith(tuple(prefixes))), None)
        if check.equal(f'{name}: whether there are streams', run['streams'] is not None, reason is None) and not reason:
            check_sums(check, name, run)
        check.that(not reason or reason in summary, f'{name}: the summary does not say that {reason}')
