#!/usr/bin/env python3
"""An excerpt of a trace has the report of the trace.

  excerpts.py --binary PATH

Writes an excerpt of each recorded trace, of the project and of the folder `shared` beside it, with several selections, and compares the reports on
both, with and without a model. They differ in the name and the hash of the file, in the folders of Python frames, and, of a window, in the replay only. The excerpt of an excerpt is the same file. No Python frame
of an excerpt says where a file lies. The traces of `shared` are left out where it is missing.
"""
import argparse
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / 'shared'
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


def cases():
    """Traces with a model or None."""
    encoder = ROOT / 'examples' / 'encoder.trace.json.gz'
    yield encoder, None
    yield encoder, ROOT / 'examples' / 'encoder.onnx'
    if not (SHARED / 'traces').is_dir():
        return
    for trace in sorted((SHARED / 'traces').glob('*/*')):
        if trace.suffix in ('.gz', '.json', '.sqlite'):
            yield trace, None
    for trace, models in BOUND.items():
        for model in models:
            yield SHARED / 'traces' / trace, SHARED / 'models' / model


def some(every):
    """Every Nth case of each kind: the folder of the trace, and whether there is a model."""
    seen = collections.Counter()
    for trace, model in cases():
        kind = trace.parent.name, model is not None
        if seen[kind] % every == 0:
            yield trace, model
        seen[kind] += 1


def run(binary, *arguments):
    return subprocess.run([str(binary), *map(str, arguments)], capture_output=True, text=True)


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


def report_on(binary, folder, trace, model, selection):
    """The exit code with the messages, and the report or None."""
    path = folder / ('report.json' if model else 'report.txt')
    output = [f'-emit=json={path}', model] if model else ['-o', path]
    done = run(binary, f'-trace=run={trace}', *selection, *output)
    text = path.read_text() if done.returncode == 0 else ''
    return done, without_file(text, path) if done.returncode == 0 else None


def comparable(report, selection):
    """The report without the replay and what rests on it, where the excerpt is of a part of the run: its delays are estimated from all of the trace."""
    if isinstance(report, dict) and any(option.startswith('-window') for option in selection):
        return {**report, 'runs': [{**part, 'replay': None, 'advice': None} for part in report['runs']]}
    return report


def check(binary, trace, model, selection):
    """What is wrong; None if the trace has no such selection."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        small, again = folder / 'small.json.gz', folder / 'again.json.gz'
        done, expected = report_on(binary, folder, trace, model, selection)
        wrote = run(binary, f'-trace=run={trace}', *selection, f'-emit=trace={small}')
        if wrote.returncode != 0:
            # What cannot be selected cannot be written either. A run of which no event is selected has a report only.
            if small.exists():
                return ['an error, but a file']
            return None if done.returncode != 0 or 'no event of it is selected' in wrote.stderr else [f'not written: {wrote.stderr}']
        if done.returncode != 0:
            return ['written, but not reported']
        read, actual = report_on(binary, folder, small, model, [])
        faults = []
        if read.returncode != 0 or read.stderr != '' and done.stderr == '':
            faults.append(f'the excerpt cannot be read: {read.stderr}')
        elif comparable(actual, selection) != comparable(expected, selection):
            (folder / 'a').write_text(json.dumps(expected, indent=1))
            (folder / 'b').write_text(json.dumps(actual, indent=1))
            difference = subprocess.run(['diff', folder / 'a', folder / 'b'], capture_output=True, text=True).stdout
            faults.append('another report:\n' + '\n'.join(difference.splitlines()[:12]))
        run(binary, f'-trace=run={small}', f'-emit=trace={again}')
        if not again.exists() or again.read_bytes() != small.read_bytes():
            faults.append('the excerpt of the excerpt differs')
        for event in json.loads(gzip.open(small).read())['traceEvents']:
            if event.get('cat') == 'python_function' and '/' in event['name'].split('(')[0]:
                faults.append(f'a frame names a folder: {event["name"]}')
                break
        return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--binary', required=True)
    parser.add_argument('--every', type=int, default=1, help='compare the excerpts of every Nth trace of each kind')
    options = parser.parse_args()
    binary = options.binary
    compared, failed = 0, 0
    for trace, model in some(options.every):
        for selection in SELECTIONS:
            faults = check(binary, trace, model, selection)
            compared += faults is not None
            failed += bool(faults)
            for fault in faults or ():
                print(f'{trace.parent.name}/{trace.name} {model.name if model else ""} {" ".join(selection)}: {fault}')
    least = max(1, (LEAST_SHARED if (SHARED / 'traces').is_dir() else LEAST_OWN) // options.every)
    print(f'{compared} excerpts compared ({least} at least), {failed} wrong')
    sys.exit(failed > 0 or compared < least)


if __name__ == '__main__':
    main()
