"""An annotated copy of a trace has each event of the trace as it was, and says of each what the bindings say.

Without the arguments of annotations, the events of the copy are those of the trace, to the last digit and in their order; behind them are only events of
annotations. Each row of `-emit=bindings` is an event of the copy with the same kernel and state, and no other event has one. Flows begin and end, each under
an id of its own, inside of events on the critical path. Unbound stretches last as long as the unbound events. The report on the copy is that on the trace.
"""
import collections
import gzip
import json
import pathlib
import re
import tempfile

from checks.command import amdahlc
from checks.intervals import nanoseconds
from checks.places import ENCODER, ENCODER_TRACE, MODELS, TRACES

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


def check_stretches(events, bindings):
    """Each row is inside of an annotated event of its thread; all of those of bound kernels are, in one with this kernel."""
    of_kernel = collections.defaultdict(list)
    for event in events:
        added = without_annotation(event)[1]
        if 'amdahlc state' in added and event['cat'] != 'amdahlc' and 'amdahlc other us' not in added:
            start = nanoseconds(event['ts'])
            of_kernel[added['amdahlc state'], added.get('amdahlc kernel', '').split(':')[0]].append((start, start + nanoseconds(event['dur'])))
    missing = 0
    for row in bindings:
        start = int(row['ts_ns'])
        missing += not any(begin <= start and start + int(row['duration_ns']) <= end for begin, end in of_kernel[row['state'], row['kernel']])
    # Those of operators whose stretches differ are annotated by the longest.
    return [f'{missing} of {len(bindings)} rows are in no event with their kernel'] if missing * 50 > len(bindings) else []


def faults_of(trace, model, folder):
    copy = folder / 'copy.json'
    report, bindings = amdahlc.outputs('json bindings', f'-trace=run={trace}', f'-emit=chrome-trace={copy}', model)
    of_copy = amdahlc.report(f'-trace=run={copy}', model)
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
            return [*faults, f'event {number} is {kept}, not {expected}']
        if added and added['amdahlc state'] != 'not selected':
            kernel = added.get('amdahlc kernel', '').split(':')[0]
            stated[added['amdahlc state'], kernel, nanoseconds(event['ts']), nanoseconds(event['dur'])] += 1
            if added.get('amdahlc critical'):
                start = nanoseconds(event['ts'])
                critical[event.get('pid'), event.get('tid')].append((start, start + nanoseconds(event['dur'])))
    extra = events[len(original):]
    if any(not event['cat'].startswith('amdahlc') for event in extra):
        faults.append('an event behind those of the trace is not of annotations')
    # Of a CPU run, a row is a stretch of an operator, and may be shorter than the operator.
    if any(event.get('cat', '').lower() in DEVICE_WORK for event in original):
        expected = collections.Counter((row['state'], row['kernel'], int(row['ts_ns']), int(row['duration_ns'])) for row in bindings)
        if stated != expected:
            faults.append(f'annotations differ from the bindings: {list((stated - expected).items())[:3]} {list((expected - stated).items())[:3]}')
    else:
        faults += check_stretches(events, bindings)
    states = {row['state'] for row in bindings}
    if {state for state, *_ in stated} - states or ('bound' in states) != any(state == 'bound' for state, *_ in stated):
        faults.append(f'states are {sorted({state for state, *_ in stated})}, not {sorted(states)}')
    check_flows([event for event in extra if event['ph'] in 'stf'], critical, faults)
    unbound = sum(nanoseconds(event['dur']) for event in extra if event['ph'] == 'X')
    if unbound > sum(int(row['duration_ns']) for row in bindings if row['state'] != 'bound'):
        faults.append('unbound stretches last longer than unbound events')
    if any(row['state'] != 'bound' and row['duration_ns'] != '0' for row in bindings) != (unbound > 0):
        faults.append('unbound stretches are missing, or there are some without unbound events')
    for content in (report, of_copy):
        content['runs'][0]['trace'] |= {'file': None, 'content_hash': None}
    if report != of_copy:
        faults.append('the report on the copy differs')
    return faults


def check(check):
    cases = [(ENCODER_TRACE, ENCODER), *((TRACES / trace, MODELS / model) for trace, model in CASES.items())]
    if not TRACES.is_dir():
        check.left_out(f'{len(CASES)} traces of the folder `shared` beside the project', 'it is missing')
    for trace, model in cases if TRACES.is_dir() else cases[:1]:
        with tempfile.TemporaryDirectory() as folder:
            check.none(f'{trace.parent.name}/{trace.name}', (fault[:600] for fault in faults_of(trace, model, pathlib.Path(folder))))
