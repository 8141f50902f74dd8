"""A trace that the command writes, an excerpt or an annotated copy, has the report of the trace.

Of each recorded trace and several selections, the reports on the trace and on what was written of it are compared, with and without a model. They differ in
the name and the hash of the file, of an excerpt in the folders of Python frames, and, of a window, in the replay. Written again from what was written, the
file is the same. No Python frame of an excerpt says where a file lies.

An annotated copy has each event of the host of the trace, with its times. The rows of `-emit=bindings` are the slices on its tracks of kernels, in number and
time for each kernel and state. On each of its own tracks slices nest, and those of kernels do not overlap. Flows begin and end, each under an id of its
own, inside of events.
"""
import collections
import decimal
import difflib
import gzip
import json
import pathlib
import re
import tempfile

from checks.command import amdahlc
from checks.intervals import nanoseconds
from checks.places import ENCODER, ENCODER_TRACE, MODELS, TRACES
from checks.sampling import sampled_by, taken

# In the name of a Python frame, `torch/nn/modules/module.py(1755): _call_impl`, which a text may quote.
FRAME_FOLDER = re.compile(r'[^\s`]*/(?=[^/\s`]+\(\d+\): )')
SELECTIONS = ([], ['-steps=1..2'], ['-steps=all'], ['-window=5ms..9ms'], ['-device=1'], ['-annotation=ProfilerStep'])
# Of all selections of the project's own trace, and of the traces in `shared` with its own.
LEAST_OWN, LEAST_SHARED = 10, 140
HOST = {'cpu_op', 'python_function', 'cuda_runtime', 'hip_runtime', 'user_annotation'}
# Trace below `shared`, the models that it is bound to.
BOUND = {
    'h100/bert-small.json.gz': ['bert-small.torchscript.onnx', 'bert-small.dynamo.onnx'],
    'mi300/vit-base.json.gz': ['vit-base.torchscript.onnx'],
    'cpu/bert-small-fp32-eager.json.gz': ['bert-small-fp32.torchscript.onnx'],
    'cpu/resnet18-inductor.json.gz': ['resnet18.torchscript.onnx'],
    'ort/resnet18-all.json.gz': ['resnet18.torchscript.onnx', 'resnet18.ort-optimized.onnx'],
    'ort/bert-small-fp32-none.json.gz': ['bert-small-fp32.torchscript.onnx'],
}


def cases(check):
    """Traces with a model or None."""
    yield ENCODER_TRACE, None
    yield ENCODER_TRACE, ENCODER
    if not TRACES.is_dir():
        check.left_out('traces of the folder `shared` beside the project', 'it is missing')
        return
    for trace in sorted(TRACES.glob('*/*')):
        if trace.suffix in ('.gz', '.json', '.sqlite'):
            yield trace, None
    for trace, models in BOUND.items():
        for model in models:
            yield TRACES / trace, MODELS / model


def kind_of(case):
    """The folder of the trace, and whether there is a model."""
    return case[0].parent.name, case[1] is not None


def without_file(path):
    """The report without what names the file."""
    data = json.loads(path.read_text())
    for part in data['runs']:
        for key in ('file', 'files', 'content_hash'):
            assert key in part['trace'], part['trace'].keys()
            part['trace'][key] = None
        for key, name in (('idle', 'detail'), ('run_path', 'name'), ('window_path', 'name')):
            for row in part[key] or ():
                row[name] = row[name] and FRAME_FOLDER.sub('', row[name])
        part['verdict'] = FRAME_FOLDER.sub('', part['verdict'])
    # A program may have calls that an excerpt leaves out, because they have no device work.
    if any(part['model'] for part in data['runs']):
        return {'runs': [{'trace': part['trace']} for part in data['runs']]}
    return data


def report_on(folder, trace, model, selection):
    """The exit code with the messages, and the report or None."""
    path = folder / 'report.json'
    done = amdahlc.run(f'-trace=run={trace}', *selection, f'-emit=json={path}', *([model] if model else []))
    return done, without_file(path) if done.returncode == 0 else None


def comparable(report, selection):
    """The report without the replay and what rests on it, where the excerpt is of a part of the run: its delays are estimated from all of the trace."""
    if isinstance(report, dict) and any(option.startswith('-window') for option in selection):
        return {**report, 'runs': [{**part, 'replay': None, 'advice': None, 'advice_limit': None} for part in report['runs']]}
    return report


def refuse(word):
    raise ValueError(f'{word} is not JSON')


def events_of(path, on_word=refuse):
    """Its events, with exact times."""
    data = gzip.open(path).read() if path.suffix == '.gz' else path.read_bytes()
    document = json.loads(data, parse_float=decimal.Decimal, parse_constant=on_word)
    return document if isinstance(document, list) else document['traceEvents']


def span(event):
    start = nanoseconds(event['ts'])
    return start, start + nanoseconds(event.get('dur', 0))


def faults_of_nesting(slices, may_nest):
    """Slices of one track nest, or are one behind another."""
    ends = []
    for start, end in map(span, slices):
        while ends and ends[-1] <= start:
            ends.pop()
        if ends and (end > ends[-1] or not may_nest):
            return [f'a slice from {start} to {end} crosses one that ends at {ends[-1]}']
        ends.append(end)
    return []


def faults_of_flows(events):
    places, phases = collections.defaultdict(set), collections.defaultdict(str)
    for event in events:
        if event['ph'] == 'X':
            places[event['pid'], event['tid']].add(span(event))
    for event in events:
        if event['ph'] in 'stf':
            phases[event['id']] += event['ph']
            at = nanoseconds(event['ts'])
            # Most flows begin or end where an event begins.
            if not any(start <= at <= end for start, end in places[event['pid'], event['tid']]):
                return [f'a flow is outside of all events: {event}']
    return [f'flow {name} has the phases {phase}' for name, phase in phases.items() if not re.fullmatch('st*f', phase)][:1]


def faults_of_annotations(events, bindings):
    faults, tracks = [], collections.defaultdict(list)
    names = {event['tid']: event['args']['name'] for event in events if event['name'] == 'thread_name' and event['pid'] == 'amdahlc'}
    for event in events:
        if event['ph'] == 'X' and event['pid'] == 'amdahlc':
            tracks[names[event['tid']]].append(event)
    work, rows, has_scopes = collections.defaultdict(lambda: [0, 0]), collections.defaultdict(lambda: [0, 0]), False
    for name, slices in tracks.items():
        faults += [f'{name}: {fault}' for fault in faults_of_nesting(slices, name.startswith('modules'))]
        for event in slices if name.startswith('kernels') else ():
            of = work[event['args']['state'], str(event['args'].get('kernel', ''))]
            of[0] += event['args']['events']
            of[1] += nanoseconds(event['args']['us'])
            has_scopes |= bool(event['args'].get('scope'))
    for row in bindings:
        of = rows[row['state'], row['kernel']]
        of[0] += 1
        of[1] += int(row['duration_ns'])
    if work != rows:
        faults.append(f'tracks of kernels differ from the bindings: {[key for key in work.keys() | rows.keys() if work.get(key) != rows.get(key)][:4]}')
    if has_scopes != any(name.startswith('modules') for name in tracks):
        faults.append('tracks of modules are missing, or there are some without a scope')
    return faults + faults_of_flows(events)


def faults_of_host_events(events, trace):
    # A run on a device of AMD has calls of HIP, which old traces call `cuda_runtime`.
    def known(all_events):
        return collections.Counter((event['cat'].replace('hip_', 'cuda_'), *span(event)) for event in all_events if event.get('cat') in HOST and event['ph'] == 'X' and event.get('ts'))
    lost = known(events_of(trace, None)) - known(events)
    return [f'events are lost: {list(lost)[:3]}'] if lost else []


def faults_of(trace, model, selection, kind):
    """What is wrong with the output `kind`; None if the trace has no such selection."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        small, again = folder / 'small.json.gz', folder / 'again.json.gz'
        is_copy = kind == 'chrome-trace'
        outputs = [f'-emit={kind}={small}', *([model] if is_copy else [])]
        done, expected = report_on(folder, trace, model, selection)
        wrote = amdahlc.run(f'-trace=run={trace}', *selection, *outputs)
        if wrote.returncode != 0:
            # What cannot be selected cannot be written either. A run of which no event is selected has a report only.
            if small.exists():
                return ['an error, but a file']
            return None if done.returncode != 0 or 'no event of it is selected' in wrote.stderr else [f'not written: {wrote.stderr}']
        if done.returncode != 0:
            return ['written, but not reported']
        read, actual = report_on(folder, small, model, [])
        faults = []
        if read.returncode != 0 or read.stderr != '' and done.stderr == '':
            faults.append(f'it cannot be read: {read.stderr}')
        elif actual != expected if is_copy else comparable(actual, selection) != comparable(expected, selection):
            texts = [json.dumps(report, indent=1).split('\n') for report in (expected, actual)]
            faults.append('another report:\n' + '\n'.join(list(difflib.unified_diff(*texts, lineterm='', n=0))[:12]))
        amdahlc.run(f'-trace=run={small}', f'-emit={kind}={again}', *outputs[1:])
        if not again.exists() or again.read_bytes() != small.read_bytes():
            faults.append('written again, it differs')
        events = events_of(small)
        if is_copy:
            [bindings] = amdahlc.outputs('bindings', f'-trace=run={trace}', *selection, model)
            faults += faults_of_annotations(events, bindings)
            return faults + (faults_of_host_events(events, trace) if '.json' in trace.suffixes and trace.parent.name != 'ort' else [])
        frames = (event['name'] for event in events if event.get('cat') == 'python_function')
        return faults + [f'a frame names a folder: {name}' for name in frames if '/' in name.split('(')[0]][:1]


def check(check):
    compared = 0
    for trace, model in sampled_by(kind_of, cases(check)):
        for kind, selections in (('trace', SELECTIONS), ('chrome-trace', SELECTIONS[:2] if model else ())):
            for selection in selections:
                faults = faults_of(trace, model, selection, kind)
                if faults is not None:
                    compared += 1
                    check.none(f'{kind} of {trace.parent.name}/{trace.name} {model.name if model else ""} {" ".join(selection)}', faults)
    check.at_least('written traces', compared, max(1, (LEAST_SHARED if TRACES.is_dir() else LEAST_OWN) // taken()))
