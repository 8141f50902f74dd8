"""An excerpt of a trace has the report of the trace.

Of each recorded trace and several selections, the reports on trace and excerpt are compared, with and without a model. They differ in the name and the hash
of the file, in the folders of Python frames, and, of a window, in the replay only. The excerpt of an excerpt is the same file. No Python frame of an
excerpt says where a file lies.
"""
import difflib
import gzip
import json
import pathlib
import re
import tempfile

from checks.command import amdahlc
from checks.places import ENCODER, ENCODER_TRACE, MODELS, TRACES
from checks.sampling import sampled_by, taken

# In the name of a Python frame, `torch/nn/modules/module.py(1755): _call_impl`.
FRAME_FOLDER = re.compile(r'^\S*/(?=[^/\s]+\(\d+\): )')
SELECTIONS = ([], ['-steps=1..2'], ['-steps=all'], ['-window=5ms..9ms'], ['-device=1'], ['-annotation=ProfilerStep'])
# Of all selections of the project's own trace, and of the traces in `shared` with its own.
LEAST_OWN, LEAST_SHARED = 8, 130
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


def without_file(report, path):
    """The report without what names the file."""
    if path.suffix == '.json':
        data = json.loads(path.read_text())
        for part in data['runs']:
            for key in ('file', 'content_hash'):
                assert key in part['trace'], part['trace'].keys()
                part['trace'][key] = None
            for key, name in (('idle', 'detail'), ('run_path', 'name'), ('window_path', 'name')):
                for row in part[key] or ():
                    row[name] = row[name] and FRAME_FOLDER.sub('', row[name])
            part['verdict'] = FRAME_FOLDER.sub('', part['verdict'])
        return data
    return [line for line in report.splitlines() if not line.startswith('trace ')]


def report_on(folder, trace, model, selection):
    """The exit code with the messages, and the report or None."""
    path = folder / ('report.json' if model else 'report.txt')
    output = [f'-emit=json={path}', model] if model else ['-o', path]
    done = amdahlc.run(f'-trace=run={trace}', *selection, *output)
    text = path.read_text() if done.returncode == 0 else ''
    return done, without_file(text, path) if done.returncode == 0 else None


def comparable(report, selection):
    """The report without the replay and what rests on it, where the excerpt is of a part of the run: its delays are estimated from all of the trace."""
    if isinstance(report, dict) and any(option.startswith('-window') for option in selection):
        return {**report, 'runs': [{**part, 'replay': None, 'advice': None} for part in report['runs']]}
    return report


def faults_of(trace, model, selection):
    """What is wrong; None if the trace has no such selection."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        small, again = folder / 'small.json.gz', folder / 'again.json.gz'
        done, expected = report_on(folder, trace, model, selection)
        wrote = amdahlc.run(f'-trace=run={trace}', *selection, f'-emit=trace={small}')
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
            faults.append(f'the excerpt cannot be read: {read.stderr}')
        elif comparable(actual, selection) != comparable(expected, selection):
            texts = [json.dumps(report, indent=1).split('\n') for report in (expected, actual)]
            faults.append('another report:\n' + '\n'.join(list(difflib.unified_diff(*texts, lineterm='', n=0))[:12]))
        amdahlc.run(f'-trace=run={small}', f'-emit=trace={again}')
        if not again.exists() or again.read_bytes() != small.read_bytes():
            faults.append('the excerpt of the excerpt differs')
        frames = (event['name'] for event in json.loads(gzip.open(small).read())['traceEvents'] if event.get('cat') == 'python_function')
        return faults + [f'a frame names a folder: {name}' for name in frames if '/' in name.split('(')[0]][:1]


def check(check):
    compared = 0
    for trace, model in sampled_by(kind_of, cases(check)):
        for selection in SELECTIONS:
            faults = faults_of(trace, model, selection)
            if faults is not None:
                compared += 1
                check.none(f'{trace.parent.name}/{trace.name} {model.name if model else ""} {" ".join(selection)}', faults)
    check.at_least('excerpts', compared, max(1, (LEAST_SHARED if TRACES.is_dir() else LEAST_OWN) // taken()))
