#!/usr/bin/env python3
"""Profiles of ONNX Runtime: the totals that the command reports, computed again from the rows of the file; and bindings against the names in it.

  onnxruntime.py totals --binary BINARY
  onnxruntime.py bindings --binary BINARY
  onnxruntime.py shapes --binary BINARY

`totals`: busy, device time, window, the number of events and the time of each node, exactly, over the iterations that count.
`bindings`: with the model that was recorded and with the optimised model that the runtime saved. An event whose name is that of a node, up to
what a fusion appends, must be bound to a kernel that holds this node. An event without such a name may be bound, but then by operator and order:
to operators of the types that the runtime's operator replaces. Every other event must be said to be `runtime-only`, and no event ambiguous or
unknown.

`shapes`: what is inferred of a model are the shapes that the runtime recorded for the results of nodes of the same name; of a model that the
runtime saved, for all nodes.

Needs the folder `shared` beside the project; without it, exits with 77.
"""
import argparse
import collections
import csv
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import onnx_wire

SHARED = pathlib.Path(__file__).resolve().parents[3] / 'shared'
MODELS, LEVELS = ('resnet18', 'bert-small-fp32'), ('none', 'basic', 'all')
SUFFIX = '_kernel_time'
# Of nodes that the runtime made of others: the types of the model's operators that they hold at least.
REPLACED = {'Gelu': {'Erf'}, 'SkipLayerNormalization': {'Add', 'LayerNormalization'}}


def trace_of(model, level):
    return SHARED / 'traces' / 'ort' / f'{model}-{level}.json.gz'


def rows_of(path):
    """The rows of nodes, and the executions of the graph, as (start, end, name, operator) in microseconds."""
    events = json.loads(gzip.open(path).read())
    runs = sorted((e['ts'], e['ts'] + e['dur']) for e in events if e['name'] == 'SequentialExecutor::Execute')
    rows = sorted((e['ts'], e['ts'] + e['dur'], e['name'].removesuffix(SUFFIX), e['args']['op_name'])
                  for e in events if e['cat'] == 'Node' and e['name'].endswith(SUFFIX))
    return rows, runs


def run(binary, *arguments):
    """The report and the bindings."""
    with tempfile.TemporaryDirectory() as folder:
        report, bindings = pathlib.Path(folder, 'report.json'), pathlib.Path(folder, 'bindings.csv')
        command = [str(binary), f'-emit=json={report}', f'-emit=bindings={bindings}', *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f'{" ".join(command)}: exit {done.returncode}\n{done.stderr}')
        return json.loads(report.read_text())['runs'][0], list(csv.DictReader(bindings.open(newline='')))


def union(intervals):
    total, end = 0, None
    for start, stop in sorted(intervals):
        total += max(0, stop - (start if end is None else max(start, end)))
        end = stop if end is None else max(end, stop)
    return total


def check_totals(binary, model, level):
    rows, runs = rows_of(trace_of(model, level))
    kept = runs[1:] if len(runs) >= 3 else runs
    inside = [row for row in rows if any(start <= row[0] < end for start, end in kept)]
    report, events = run(binary, f'-trace={trace_of(model, level)}', SHARED / 'models' / f'{model}.torchscript.onnx')
    trace, times, own = report['trace'], collections.Counter(), collections.Counter()
    for start, end, name, _ in inside:
        times[name] += 1000 * (end - start)
    for event in events:
        own[event['name']] += int(event['duration_ns'])
    expected = {
        'busy_ns_total': 1000 * sum(union((s, e) for s, e, *_ in inside if start <= s < end) for start, end in kept),
        'device_ns_total': 1000 * sum(end - start for start, end, *_ in inside),
        'window_ns_total': 1000 * sum(end - start for start, end in kept),
        'events': len(inside),
        'nodes': times,
    }
    actual = {key: trace.get(key) for key in expected} | {'events': len(events), 'nodes': own}
    return [f'{key}: {actual[key]} instead of {expected[key]}' for key in expected if actual[key] != expected[key]]


def node_of(name, nodes, producers):
    """The node of the model that the name of a node of the runtime states; None if it states none."""
    if name in nodes:
        return name
    name = name.removesuffix('_nchwc')
    if name in producers:
        return producers[name]
    stem = re.sub(r'(/\w+Fusion/?)+$', '', name)
    return stem if stem in nodes else None


def check_bindings(binary, model, level, kind):
    path = SHARED / 'models' / f'{model}.{kind}.onnx'
    nodes = {node.name: node for node in onnx_wire.read_nodes(path.read_bytes())}
    producers = {value: node.name for node in nodes.values() for value in node.outputs}
    report, events = run(binary, f'-trace={trace_of(model, level)}', path)
    operators = {(1000 * start, name): operator for start, _, name, operator in rows_of(trace_of(model, level))[0]}
    faults, states = [], collections.Counter()
    if not report['binding']['fits']:
        faults.append('the trace is said not to fit the model')
    for event in events:
        name, held = event['name'], [node for node in event['nodes'].split(';') if node]
        states[event['state']] += 1
        stated = node_of(name, nodes, producers)
        if event['state'] == 'bound':
            types = {nodes[node].type for node in held}
            operator = operators[int(event['ts_ns']), name]
            if stated is not None and stated not in held:
                faults.append(f'{name} is bound to {held}')
            if stated is None and not REPLACED.get(operator, {operator}) <= types:
                faults.append(f'{name} is bound to {held} of the types {types}')
        elif event['state'] != 'runtime-only':
            faults.append(f'{name} is {event["state"]}: {event["evidence"]}')
    print(f'{model} {level} {kind}: {dict(states)}')
    return faults


def check_shapes(binary, model, level, kind):
    """Of the first result of each node of the model that ran under its own name."""
    text = subprocess.run([str(binary), '-passes=', str(SHARED / 'models' / f'{model}.{kind}.onnx')], capture_output=True, text=True, check=True).stdout
    inferred = {name.strip('"'): dims for dims, name in re.findall(r'^ +#\d+ .* : \w+(\[[^]]*\])?(?:, .*)? name ("[^"]*"|\S+)', text, re.MULTILINE)}
    events = json.loads(gzip.open(trace_of(model, level)).read())
    ran = {e['name'].removesuffix(SUFFIX): next(iter(e['args']['output_type_shape'][0].values())) for e in events if e['cat'] == 'Node'}
    both = ran.keys() & inferred.keys()
    print(f'{model} {level} {kind}: {len(both)} of {len(ran)} nodes compared')
    faults = [f'{name}: {inferred[name]} instead of {ran[name]}' for name in sorted(both)
              if inferred[name].strip('[]') != ','.join(map(str, ran[name]))]
    if kind == 'ort-optimized' and len(both) < len(ran):
        faults.append(f'without a shape: {sorted(ran.keys() - both)[:3]}')
    return faults if both else ['no node of the trace is in the model']


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('what', choices=('totals', 'bindings', 'shapes'))
    parser.add_argument('--binary', required=True)
    arguments = parser.parse_args()
    if not trace_of(MODELS[0], LEVELS[0]).exists():
        print('skipped: no ../shared/traces/ort')
        sys.exit(77)
    failed = False
    for model in MODELS:
        for level in LEVELS:
            if arguments.what == 'totals':
                found = {'': check_totals(arguments.binary, model, level)}
            else:
                # A model that was optimised at the highest level is another graph than what runs at the others.
                kinds = ('torchscript', 'ort-optimized') if level == 'all' else ('torchscript',)
                check = check_bindings if arguments.what == 'bindings' else check_shapes
                found = {kind: check(arguments.binary, model, level, kind) for kind in kinds}
            for kind, faults in found.items():
                failed |= bool(faults)
                for fault in faults[:10]:
                    print(f'{model}-{level} {kind}: {fault}')
    sys.exit(failed)


if __name__ == '__main__':
    main()
