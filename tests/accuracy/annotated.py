#!/usr/bin/env python3
"""An annotated copy of a trace has each event of the trace as it was, and says of each what the bindings say.

  annotated.py --binary PATH

Writes an annotated copy of recorded traces, of the project and of the folder `shared` beside it. Without the arguments of annotations, the events of the
copy are those of the trace, to the last digit and in their order; behind them are only events of annotations. Each row of `-emit=bindings` is an event of
the copy with the same kernel and state, and no other event has one. Flows begin and end, each under an id of its own, inside of events on the critical
path. Unbound stretches last as long as the unbound events. The report on the copy is that on the trace. The traces of `shared` are left out, by the
name of the folder, where it is missing.
"""
import argparse
import collections
import csv
import decimal
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / 'shared'
# Trace below `shared`, the model that it is bound to; any model where there is none of the trace's own.
OTHER = 'bert-small.torchscript.onnx'
CASES = {
    'h100/bert-small.json.gz': 'bert-small.torchscript.onnx',
    'h100/vit-base.json.gz': 'vit-base.torchscript.onnx',
    'mi300/vit-base.json.gz': 'vit-base.torchscript.onnx',
    'cpu/bert-small-fp32-eager.json.gz': 'bert-small-fp32.torchscript.onnx',
    'cpu/resnet18-inductor.json.gz': 'resnet18.torchscript.onnx',
    'ort/resnet18-all.json.gz': 'resnet18.ort-optimized.onnx',
    'ort/bert-small-fp32-none.json.gz': 'bert-small-fp32.torchscript.onnx',
    'hta/alexnet.json.gz': OTHER,
    'hta/multi_stream_train_rank0.json.gz': OTHER,
    'hta/old_category_names.json.gz': OTHER,
    'misc/b200_eager.json.gz': OTHER,
    'misc/vllm_cuda_graph_decode.json.gz': OTHER,
}
ADDED = re.compile(r'amdahlc (kernel|rule|nodes|node count|scope|kernel us|share|critical|state|evidence|reason|confidence|stretches|other us)$')


DEVICE_WORK = {'kernel', 'gpu_memcpy', 'gpu_memset', 'memcpy', 'memset'}


class Number(str):
    """A number as it is written."""


def read(path):
    data = gzip.open(path).read() if path.suffix == '.gz' else path.read_bytes()
    def word(text):
        raise ValueError(f'{text} is not JSON')
    document = json.loads(data, parse_int=Number, parse_float=Number, parse_constant=word)
    return document if isinstance(document, dict) else {'traceEvents': document}


def nanoseconds(text):
    return int((decimal.Decimal(text) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


def without_annotation(event):
    """The event as it was, and the members of its annotation."""
    arguments = event.get('args')
    if not isinstance(arguments, dict):
        return event, {}
    added = {key: value for key, value in arguments.items() if ADDED.match(key)}
    if not added:
        return event, {}
    kept = {key: value for key, value in arguments.items() if key not in added}
    event = dict(event, args=kept)
    if not kept:
        del event['args']
    return event, added


def check_flows(flows, places, faults):
    phases = collections.defaultdict(str)
    for event in flows:
        phases[event['id']] += event['ph']
        at = nanoseconds(event['ts'])
        if not any(start <= at <= end for start, end in places[event.get('pid'), event.get('tid')]):
            faults.append(f'a flow is outside of all critical events: {event}')
            break
    for name, phase in phases.items():
        if not re.fullmatch('st*f', phase):
            faults.append(f'flow {name} has the phases {phase[:40]}')
    return len(phases)


def check_stretches(events, rows):
    """Each row is inside of an annotated event of its thread; all of those of bound kernels are, in one with this kernel."""
    of_kernel = collections.defaultdict(list)
    for event in events:
        added = without_annotation(event)[1]
        if 'amdahlc state' in added and event['cat'] != 'amdahlc' and 'amdahlc other us' not in added:
            start = nanoseconds(event['ts'])
            of_kernel[added['amdahlc state'], added.get('amdahlc kernel', '').split(':')[0]].append((start, start + nanoseconds(event['dur'])))
    missing = 0
    for row in rows:
        start = int(row['ts_ns'])
        missing += not any(begin <= start and start + int(row['duration_ns']) <= end for begin, end in of_kernel[row['state'], row['kernel']])
    # Those of operators whose stretches differ are annotated by the longest.
    return [f'{missing} of {len(rows)} rows are in no event with their kernel'] if missing * 50 > len(rows) else []


def check(binary, trace, model, folder):
    copy, bindings, reports = folder / 'copy.json', folder / 'bindings.csv', [folder / 'a.json', folder / 'b.json']
    for source, outputs in ((trace, [f'-emit=chrome-trace={copy}', f'-emit=bindings={bindings}', f'-emit=json={reports[0]}']),
                            (copy, [f'-emit=json={reports[1]}'])):
        done = subprocess.run([str(binary), f'-trace=run={source}', *outputs, str(model)], capture_output=True, text=True)
        if done.returncode != 0:
            return [f'fails on {source.name}: {done.stderr}'], ''
    faults = []
    before, after = read(trace), read(copy)
    original, events = before.pop('traceEvents'), after.pop('traceEvents')
    # An empty `args` of the trace and one that only the annotation has look alike here.
    original = [{key: value for key, value in event.items() if key != 'args' or value} for event in original]
    if before != after:
        faults.append('the metadata differs')
    stated, critical = collections.Counter(), collections.defaultdict(list)
    for number, (event, expected) in enumerate(zip(events, original)):
        kept, added = without_annotation(event)
        if kept.get('args') == {}:
            del kept['args']
        if kept != expected or list(kept) != list(expected):
            return [*faults, f'event {number} is {kept}, not {expected}'], ''
        if added and added['amdahlc state'] != 'not selected':
            kernel = added.get('amdahlc kernel', '').split(':')[0]
            stated[added['amdahlc state'], kernel, nanoseconds(event['ts']), nanoseconds(event['dur'])] += 1
            if added.get('amdahlc critical'):
                start = nanoseconds(event['ts'])
                critical[event.get('pid'), event.get('tid')].append((start, start + nanoseconds(event['dur'])))
    extra = events[len(original):]
    if any(not event['cat'].startswith('amdahlc') for event in extra):
        faults.append('an event behind those of the trace is not of annotations')
    rows = list(csv.DictReader(bindings.open(newline='')))
    # Of a CPU run, a row is a stretch of an operator, and may be shorter than the operator.
    if any(event.get('cat', '').lower() in DEVICE_WORK for event in original):
        expected = collections.Counter((row['state'], row['kernel'], int(row['ts_ns']), int(row['duration_ns'])) for row in rows)
        if stated != expected:
            faults.append(f'annotations differ from the bindings: {list((stated - expected).items())[:3]} {list((expected - stated).items())[:3]}')
    else:
        faults += check_stretches(events, rows)
    states = {row['state'] for row in rows}
    if {state for state, *_ in stated} - states or ('bound' in states) != any(state == 'bound' for state, *_ in stated):
        faults.append(f'states are {sorted({state for state, *_ in stated})}, not {sorted(states)}')
    flows = check_flows([event for event in extra if event['ph'] in 'stf'], critical, faults)
    unbound = sum(nanoseconds(event['dur']) for event in extra if event['ph'] == 'X')
    if unbound > sum(int(row['duration_ns']) for row in rows if row['state'] != 'bound'):
        faults.append('unbound stretches last longer than unbound events')
    if any(row['state'] != 'bound' and row['duration_ns'] != '0' for row in rows) != (unbound > 0):
        faults.append('unbound stretches are missing, or there are some without unbound events')
    contents = [json.loads(path.read_text()) for path in reports]
    for content in contents:
        for key in ('file', 'content_hash'):
            content['runs'][0]['trace'][key] = None
    if contents[0] != contents[1]:
        faults.append('the report on the copy differs')
    return faults, f'{len(original)} events, {len(rows)} bindings, {flows} flows'


def cases():
    yield ROOT / 'examples' / 'encoder.trace.json.gz', ROOT / 'examples' / 'encoder.onnx'
    if not (SHARED / 'traces').is_dir():
        print(f'skipped: traces of {SHARED.name}/traces, because there is no such folder')
        return
    for trace, model in CASES.items():
        yield SHARED / 'traces' / trace, SHARED / 'models' / model


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--binary', required=True, type=pathlib.Path)
    binary = parser.parse_args().binary.resolve()
    failed = 0
    for trace, model in cases():
        with tempfile.TemporaryDirectory() as folder:
            faults, what = check(binary, trace, model, pathlib.Path(folder))
        print(f'{trace.parent.name}/{trace.name}: {what or "failed"}')
        for fault in faults:
            print(f'  {fault[:600]}')
        failed += bool(faults)
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
