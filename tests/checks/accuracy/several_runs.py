"""Several runs of one model in one report, of several runtimes and devices.

- Each run is bound and timed as it is alone, in any order of the runs.
- IR text with several runs is read again as the same report.
- `compare`: segments, times, shares and totals are computed again by their definitions from the runs of the same report.
"""
import collections
import json
import pathlib
import tempfile

from checks.command import amdahlc, recorded
from checks.places import MODELS, PAIRS, traces_of

# Model, and trace by label.
CASES = [
    ('bert-small-fp32.torchscript', {'eager': 'cpu/bert-small-fp32-eager', 'compiled': 'cpu/bert-small-fp32-inductor', 'ort': 'ort/bert-small-fp32-all'}),
    ('resnet18.torchscript', {'ort': 'ort/resnet18-all', 'eager': 'cpu/resnet18-eager', 'plain': 'ort/resnet18-none', 'compiled': 'cpu/resnet18-inductor'}),
    ('resnet18-b32.numbered-names', {'fp16': 'tensorrt/resnet18-a100-fp16', 'fp32': 'tensorrt/resnet18-a100-fp32', 'cpu': 'cpu/resnet18-eager'}),
    ('bert-small.torchscript', {'h100': 'h100/bert-small', 'mi300': 'mi300/bert-small'}),
    ('vit-base.dynamo', {'mi300': 'mi300/vit-base', 'h100': 'h100/vit-base'}),
]
# Whole runs on one thread: nothing overlaps, and no work outlasts its window.
SEQUENTIAL = ('cpu/', 'ort/')


def alone(model, label, trace):
    """The run by itself; where the report on it describes no device, other checks share it."""
    for pair in PAIRS:
        if (pair.trace, pair.model, pair.hardware) == (trace, model, None):
            return recorded(pair)[0]['runs'][0] | {'label': label}
    return amdahlc.run_report(f'-trace={label}={traces_of(trace)}', MODELS / f'{model}.onnx')


def with_plain_rules(run):
    """A rule begins with its runtime where another runtime has one of its name."""
    return json.loads(json.dumps(run).replace(f'"rule": "{run["target"]["runtime"]}-', '"rule": "').replace(f'rule `{run["target"]["runtime"]}-', 'rule `'))


def segments(whole):
    """The names of the segments, each with its nodes, by the definitions."""
    nodes = {node['name']: node for node in whole['model']['nodes']}
    atom = {name: name for name in nodes}

    def find(name):
        while atom[name] != name:
            name = atom[name]
        return name

    live = set()
    for run in whole['runs']:
        for kernel in run['kernels']:
            live.update(kernel['nodes'])
            for other in kernel['nodes'][1:]:
                atom[find(other)] = find(kernel['nodes'][0])
    members = collections.defaultdict(list)
    for name in nodes:
        if name in live:
            members[find(name)].append(name)

    def around(scope):
        parts = scope.split('.') if scope else []
        return ['.'.join(parts[:i]) for i in range(1, len(parts) + 1)]

    divided = set()
    for names in members.values():
        common = set.intersection(*(set(around(nodes[name]['scope'])) for name in names))
        for name in names:
            divided.update(set(around(nodes[name]['scope'])) - common)
    found = collections.defaultdict(list)
    for names in members.values():
        common = set.intersection(*(set(around(nodes[name]['scope'])) for name in names))
        scopes = sorted(common - divided, key=lambda scope: scope.count('.'))
        numbered = [scope for scope in scopes if scope.split('.')[-1].isdigit()]
        chosen = numbered[0] if numbered else scopes[-1] if scopes else None
        found[chosen or names[0]].extend(names)
    return {frozenset(names) for names in found.values()}


def check_compare(check, model, whole, runs):
    compare, what = whole['compare'], model
    check.equal(f'{what}: labels', compare['labels'], [run['label'] for run in whole['runs']])
    expected = segments(whole)
    for segment in compare['segments']:
        check.that(frozenset(segment['nodes']) in expected, f'{what}: segment {segment["name"]} has other nodes')
    for run in whole['runs']:
        label, trace = run['label'], run['trace']
        what, total = f'{model}: {label}', compare['totals'][label]
        unexplained = any(row['duration_ns'] for row in run['unbound'] if row['class'] in ('unknown', 'ambiguous'))
        cells = [segment['cells'][label] for segment in compare['segments'] if label in segment['cells']]
        check.equal(f'{what}: compiled', total['compiled_ns'], trace['bound_ns'])
        is_mean = trace['statistic'] == 'mean'
        # Each mean is rounded by itself.
        check.that(abs(sum(cell['duration_ns'] or 0 for cell in cells) - total['compiled_ns']) <= is_mean * len(cells) / 2, f'{what}: times do not add up')
        if trace['bound_ns_total'] is not None:
            check.equal(f'{what}: sum of totals', sum(cell['mean_ns_total'] or 0 for cell in cells), trace['bound_ns_total'])
        # The time of a kernel counts overlapping events once; in these runs none overlap.
        for segment in compare['segments']:
            inside, cell, where = set(segment['nodes']), segment['cells'].get(label), f'{what}: segment {segment["name"]}'
            kernels = [kernel for kernel in run['kernels'] if kernel['nodes'][0] in inside]
            missed = sum(kernel['state'] in ('missed', 'ambiguous') for kernel in kernels)
            if cell is None:
                check.that(not any(kernel['events_total'] for kernel in kernels) and not (unexplained and missed), f'{where}: no cell')
                continue
            check.equal(f'{where}: kernels without events', cell['kernels_without_events'], missed if unexplained else 0)
            check.that(not is_mean or abs((cell['mean_ns'] or 0) - sum(kernel['duration_ns'] for kernel in kernels)) <= len(kernels), f'{where}: mean')
        dropped = [step['name'] for step in trace['steps'] if not step['selected']]
        check.equal(f'{what}: discarded', compare['discarded'][label], dropped[0] if len(trace['steps']) >= 3 else None)
        if trace['window_ns'] is None:
            check.equal(f'{what}: uncompiled', (compare['uncompiled'][label], total['with_uncompiled_ns']), (None, None))
            continue
        check.that(abs(total['compiled_ns'] + compare['uncompiled'][label] - total['with_uncompiled_ns']) <= 1, f'{what}: uncompiled')
        if runs[label].startswith(SEQUENTIAL):
            check.equal(f'{what}: with uncompiled', total['with_uncompiled_ns'], trace['window_ns'])


# Keys of a run. The verdict says what the replay says, and other things.
OF_HOST_EVENTS = ('overheads', 'streams', 'concurrency', 'throughput', 'idle', 'run_path', 'window_path', 'waits', 'replay', 'advice', 'advice_limit', 'verdict', 'phases', 'forward_groups')


def without_phases(unbound):
    """Rows of events without a kernel, of all phases together."""
    rows = collections.defaultdict(collections.Counter)
    for row in unbound:
        rows[row['name'], row['class'], row['reason']].update({key: value for key, value in row.items() if isinstance(value, int)})
    return dict(rows)


def without_host_events(runs, keeps_roofs):
    return [{**run, **dict.fromkeys(OF_HOST_EVENTS), 'binding': {**run['binding'], 'weight_types': None}, 'unbound': without_phases(run['unbound']),
             'roofline': run['roofline'] and {**run['roofline'], 'shapes': None} if keeps_roofs else None,
             'kernels': [{**kernel, 'phase': None, 'roofline': kernel['roofline'] if keeps_roofs else None} for kernel in run['kernels']]} for run in runs]


def check(check):
    for model, runs in CASES:
        path = MODELS / f'{model}.onnx'
        traces = [f'-trace={label}={traces_of(trace)}' for label, trace in runs.items()]
        with tempfile.TemporaryDirectory() as folder:
            dump = pathlib.Path(folder, 'runs.air')
            # Of medians those of kernels do not add up.
            means = amdahlc.report(*traces, '-stat=mean', path)
            check_compare(check, f'{model}, means', means, runs)
            whole = amdahlc.report(*traces, f'-emit=ir={dump}', path)
            backwards = amdahlc.report(*reversed(traces), path)
            for number, (label, trace) in enumerate(runs.items()):
                single = alone(model, label, trace)
                for together in (whole['runs'][number], backwards['runs'][-1 - number]):
                    check.that(with_plain_rules(together) == single, f'{model}: run `{label}` differs from the run alone')
            check_compare(check, model, whole, runs)
            again = amdahlc.report(*traces, dump)
            check.that(again['runs'] == whole['runs'] and again['compare'] == whole['compare'], f'{model}: IR text with the traces gives another report')
            # IR text has no host events: what those tell is null without the traces.
            again = amdahlc.report(dump)
            for run in again['runs']:
                check.none(f'{model}: not null', (key for key in OF_HOST_EVENTS if key not in ('advice', 'advice_limit', 'verdict') and run[key] is not None))
            # The shapes of a run are those of the operands of its calls.
            keeps_roofs = all(problem['name'] != 'run-has-other-shapes' for problem in whole['data_problems'])
            check.that(without_host_events(again['runs'], keeps_roofs) == without_host_events(whole['runs'], keeps_roofs) and again['compare'] == whole['compare'],
                       f'{model}: IR text gives another report')
