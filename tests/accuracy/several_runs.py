#!/usr/bin/env python3
"""Several runs of one model in one report, of several runtimes and devices.

  several_runs.py --binary BINARY

- Each run is bound and timed as it is alone, in any order of the runs.
- IR text with several runs is read again as the same report.
- `compare`: segments, times, shares and totals are computed again by their definitions from the runs of the same report.

Needs the folder `shared` beside the project; without it, exits with 77.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

SHARED = pathlib.Path(__file__).resolve().parents[3] / 'shared'
# (model, {label: trace})
CASES = [
    ('bert-small-fp32.torchscript.onnx', {'eager': 'cpu/bert-small-fp32-eager.json.gz', 'compiled': 'cpu/bert-small-fp32-inductor.json.gz',
                                          'ort': 'ort/bert-small-fp32-all.json.gz'}),
    ('resnet18.torchscript.onnx', {'ort': 'ort/resnet18-all.json.gz', 'eager': 'cpu/resnet18-eager.json.gz', 'plain': 'ort/resnet18-none.json.gz',
                                   'compiled': 'cpu/resnet18-inductor.json.gz'}),
    ('resnet18-b32.numbered-names.onnx', {'fp16': 'tensorrt/resnet18-a100-fp16/profile.json,tensorrt/resnet18-a100-fp16/graph.json',
                                          'fp32': 'tensorrt/resnet18-a100-fp32/profile.json,tensorrt/resnet18-a100-fp32/graph.json',
                                          'cpu': 'cpu/resnet18-eager.json.gz'}),
    ('bert-small.torchscript.onnx', {'h100': 'h100/bert-small.json.gz', 'mi300': 'mi300/bert-small.json.gz'}),
    ('vit-base.dynamo.onnx', {'mi300': 'mi300/vit-base.json.gz', 'h100': 'h100/vit-base.json.gz'}),
]
# Whole runs on one thread: nothing overlaps, and no work outlasts its window.
SEQUENTIAL = ('cpu/', 'ort/')


def report(binary, *arguments):
    command = [str(binary), '-emit=json', *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{" ".join(command)}: exit {done.returncode}\n{done.stderr}')
    return json.loads(done.stdout)


def traces(runs):
    return [f'-trace={label}=' + ','.join(str(SHARED / 'traces' / file) for file in files.split(',')) for label, files in runs.items()]


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


def check_compare(whole, runs):
    compare = whole['compare']
    assert compare['labels'] == [run['label'] for run in whole['runs']]
    expected = segments(whole)
    for segment in compare['segments']:
        assert frozenset(segment['nodes']) in expected, f'segment {segment["name"]} has other nodes'
    for run in whole['runs']:
        label, trace = run['label'], run['trace']
        unexplained = sum(row['duration_ns'] for row in run['unbound'] if row['class'] in ('unknown', 'ambiguous'))
        cells = [segment['cells'][label] for segment in compare['segments'] if label in segment['cells']]
        total = compare['totals'][label]
        assert total['compiled_ns'] == trace['bound_ns'], f'{label}: compiled {total["compiled_ns"]}, bound {trace["bound_ns"]}'
        # Each mean is rounded by itself.
        assert abs(sum(cell['mean_ns'] or 0 for cell in cells) - total['compiled_ns']) <= len(cells) / 2, label
        if trace['bound_ns_total'] is not None:
            assert sum(cell['mean_ns_total'] or 0 for cell in cells) == trace['bound_ns_total'], label
        # The time of a kernel counts overlapping events once; in these runs none overlap.
        for segment in compare['segments']:
            inside = set(segment['nodes'])
            kernels = [kernel for kernel in run['kernels'] if kernel['nodes'][0] in inside]
            cell = segment['cells'].get(label)
            if cell is None:
                assert not any(kernel['events_total'] or unexplained and kernel['state'] in ('missed', 'ambiguous') for kernel in kernels), \
                    (label, segment['name'])
                continue
            missed = sum(kernel['state'] in ('missed', 'ambiguous') for kernel in kernels)
            assert cell['kernels_without_events'] == (missed if unexplained else 0), (label, segment['name'])
            assert abs((cell['mean_ns'] or 0) - sum(kernel['duration_ns'] for kernel in kernels)) <= len(kernels), (label, segment['name'])
        dropped = [step['name'] for step in trace['steps'] if not step['selected']]
        assert compare['discarded'][label] == (dropped[0] if len(trace['steps']) >= 3 else None), label
        if trace['window_ns'] is None:
            assert compare['uncompiled'][label] is None and total['with_uncompiled_ns'] is None, label
            continue
        assert abs(total['compiled_ns'] + compare['uncompiled'][label] - total['with_uncompiled_ns']) <= 1, label
        if runs[label].startswith(SEQUENTIAL):
            assert total['with_uncompiled_ns'] == trace['window_ns'], f'{label}: {total["with_uncompiled_ns"]}, window {trace["window_ns"]}'


# Keys of a run. The verdict says what the replay says, and other things.
OF_HOST_EVENTS = ('overheads', 'streams', 'concurrency', 'throughput', 'idle', 'run_path', 'window_path', 'hta', 'waits', 'replay', 'advice', 'verdict')


def without_host_events(runs):
    return [{**run, **dict.fromkeys(OF_HOST_EVENTS)} for run in runs]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', required=True, type=pathlib.Path)
    binary = parser.parse_args().binary
    if not SHARED.is_dir():
        print('skipped: ../shared is missing')
        return 77
    checked = 0
    for model, runs in CASES:
        path = SHARED / 'models' / model
        whole = report(binary, *traces(runs), path)
        backwards = report(binary, *reversed(traces(runs)), path)
        for number, (label, files) in enumerate(runs.items()):
            alone = report(binary, *traces({label: files}), path)['runs'][0]
            for together in (whole['runs'][number], backwards['runs'][-1 - number]):
                assert with_plain_rules(together) == alone, f'{model}: run `{label}` differs from the run alone'
        check_compare(whole, runs)
        with tempfile.TemporaryDirectory() as folder:
            dump = pathlib.Path(folder, 'runs.air')
            subprocess.run([binary, *traces(runs), '-emit=ir', '-o', dump, path], check=True, capture_output=True)
            again = report(binary, *traces(runs), dump)
            assert again['runs'] == whole['runs'] and again['compare'] == whole['compare'], f'{model}: IR text with the traces gives another report'
            # IR text has no host events: what those tell is null without the traces.
            again = report(binary, dump)
            for run in again['runs']:
                assert all(run[key] is None for key in OF_HOST_EVENTS if key not in ('advice', 'verdict')), f'{model}: a key of host events is not null'
            assert without_host_events(again['runs']) == without_host_events(whole['runs']) and again['compare'] == whole['compare'], \
                f'{model}: IR text gives another report'
        checked += 1
    print(f'{checked} passed, 0 failed')
    return 0


if __name__ == '__main__':
    sys.exit(main())
