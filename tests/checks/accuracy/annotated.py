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


def span(event):
    start = nanoseconds(event['ts'])
    return start, start + nanoseconds(event['dur'])


def kernel_of(added):
    return added['amdahlc state'], added.get('amdahlc kernel', '').split(':')[0]


def check_flows(check, name, flows, places):
    phases = collections.defaultdict(str)
    for event in flows:
        phases[event['id']] += event['ph']
        at = nanoseconds(event['ts'])
        check.that(any(start <= at <= end for start, end in places[event.get('pid'), event.get('tid')]), f'{name}: a flow is outside of all critical events: {event}')
    for flow, phase in phases.items():
        check.that(re.fullmatch('st*f', phase), f'{name}: flow {flow} has the phases {phase[:40]}')


def check_stretches(check, name, annotated, bindings):
    """Each row is inside of an annotated event with this kernel; of operators whose stretches differ, the longest counts, and others may be missing."""
    of_kernel = collections.defaultdict(list)
    for event, added in annotated:
        if event['cat'] != 'amdahlc' and 'amdahlc other us' not in added:
            of_kernel[kernel_of(added)].append(span(event))
    missing = 0
    for row in bindings:
        start, end = int(row['ts_ns']), int(row['ts_ns']) + int(row['duration_ns'])
        missing += not any(begin <= start and end <= last for begin, last in of_kernel[row['state'], row['kernel']])
    check.that(missing * 50 <= len(bindings), f'{name}: {missing} of {len(bindings)} rows are in no event with their kernel')


def check_run(check, name, trace, model, copy):
    report, bindings = amdahlc.outputs('json bindings', f'-trace=run={trace}', f'-emit=chrome-trace={copy}', model)
    of_copy = amdahlc.report(f'-trace=run={copy}', model)
    for content in (report, of_copy):
        content['runs'][0]['trace'] |= {'file': None, 'content_hash': None}
    check.that(report == of_copy, f'{name}: the report on the copy differs')
    before, after = read(trace), read(copy)
    original, events = before.pop('traceEvents'), after.pop('traceEvents')
    extra, annotated = events[len(original):], []
    check.equal(f'{name}: metadata', before, after)
    check.at_least(f'{name}: events', len(events), len(original))
    for number, (event, expected) in enumerate(zip(events, original)):
        kept, added = without_annotation(event)
        # An empty `args` of the trace and one that only the annotation has look alike here.
        kept, expected = ([(key, value) for key, value in one.items() if key != 'args' or value] for one in (kept, expected))
        if not check.that(kept == expected, f'{name}: event {number} is {kept}, not {expected}'[:600]):
            return
        if added:
            annotated.append((event, added))
    check.that(all(event['cat'].startswith('amdahlc') for event in extra), f'{name}: an event behind those of the trace is not of annotations')
    critical, selected = collections.defaultdict(list), [one for one in annotated if one[1]['amdahlc state'] != 'not selected']
    for event, added in selected:
        if added.get('amdahlc critical'):
            critical[event.get('pid'), event.get('tid')].append(span(event))
    # Of a CPU run, a row is a stretch of an operator, and may be shorter than the operator.
    if any(event.get('cat', '').lower() in DEVICE_WORK for event in original):
        stated = collections.Counter((*kernel_of(added), *span(event)) for event, added in selected)
        expected = collections.Counter((row['state'], row['kernel'], int(row['ts_ns']), int(row['ts_ns']) + int(row['duration_ns'])) for row in bindings)
        check.that(stated == expected, f'{name}: annotations differ from the bindings: {list((stated - expected).items())[:3]} {list((expected - stated).items())[:3]}')
    else:
        check_stretches(check, name, annotated, bindings)
    states, found = {row['state'] for row in bindings}, {added['amdahlc state'] for _, added in selected}
    check.that(found <= states and ('bound' in found) == ('bound' in states), f'{name}: states are {sorted(found)}, not {sorted(states)}')
    check_flows(check, name, [event for event in extra if event['ph'] in 'stf'], critical)
    unbound = sum(nanoseconds(event['dur']) for event in extra if event['ph'] == 'X')
    expected = sum(int(row['duration_ns']) for row in bindings if row['state'] != 'bound')
    check.that(unbound <= expected and (unbound > 0) == (expected > 0), f'{name}: unbound stretches last {unbound} ns, unbound events {expected}')


def check(check):
    cases = [(ENCODER_TRACE, ENCODER)]
    if TRACES.is_dir():
        cases += [(TRACES / trace, MODELS / model) for trace, model in CASES.items()]
    else:
        check.left_out(f'{len(CASES)} traces of the folder `shared` beside the project', 'it is missing')
    for trace, model in cases:
        with tempfile.TemporaryDirectory() as folder:
            check_run(check, f'{trace.parent.name}/{trace.name}', trace, model, pathlib.Path(folder, 'copy.json'))
