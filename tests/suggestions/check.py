#!/usr/bin/env python3
"""Takes one file of a shipped rule library away at a time and checks that `-suggest-rules` brings back the time that became unknown.

  check.py --binary B [--shared FOLDER] [--write]

For each recorded run of BERT and ResNet in the folder `shared`, and each file of the library of its runtime:

- without the file, at least LOST of device time must be lost, or the pair tells nothing and is left out;
- the suggestions, given as a further rule file, must bind at least RECOVERED of the time that was lost;
- of the time that they bind, and the whole library as well, at least AGREES must be at kernels with a node in common;
- of device time, they may bind at most BEYOND that the whole library leaves unbound.

The table of these figures in docs/passes/suggest-rules.md must be the same; `--write` writes it.
"""
import argparse
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RULES = HERE.parents[1] / 'rules'
LOST, RECOVERED, AGREES, BEYOND = 0.005, 0.9, 0.95, 0.01
PAGE = HERE.parents[1] / 'docs' / 'passes' / 'suggest-rules.md'
MARKER = re.compile(r'(<!-- generated: tests/suggestions/check.py[^\n]* -->\n).*?(<!-- end -->\n)', re.DOTALL)
# The model and the traces that ran it, by runtime.
RUNS = [
    ('pytorch', 'h100/bert-small.json.gz', 'bert-small.torchscript.onnx'),
    ('pytorch', 'h100/bert-small.json.gz', 'bert-small.dynamo.onnx'),
    ('pytorch', 'mi300/bert-small.json.gz', 'bert-small.torchscript.onnx'),
    ('pytorch', 'mi300/bert-small.json.gz', 'bert-small.dynamo.onnx'),
    ('pytorch', 'cpu/bert-small-fp32-eager.json.gz', 'bert-small-fp32.torchscript.onnx'),
    ('pytorch', 'cpu/bert-small-fp32-inductor.json.gz', 'bert-small-fp32.torchscript.onnx'),
    ('pytorch', 'cpu/resnet18-eager.json.gz', 'resnet18.torchscript.onnx'),
    ('pytorch', 'cpu/resnet18-inductor.json.gz', 'resnet18.torchscript.onnx'),
    ('onnxruntime', 'ort/bert-small-fp32-none.json.gz', 'bert-small-fp32.torchscript.onnx'),
    ('onnxruntime', 'ort/bert-small-fp32-basic.json.gz', 'bert-small-fp32.torchscript.onnx'),
    ('onnxruntime', 'ort/bert-small-fp32-all.json.gz', 'bert-small-fp32.torchscript.onnx'),
    ('onnxruntime', 'ort/resnet18-none.json.gz', 'resnet18.torchscript.onnx'),
    ('onnxruntime', 'ort/resnet18-basic.json.gz', 'resnet18.torchscript.onnx'),
    ('onnxruntime', 'ort/resnet18-all.json.gz', 'resnet18.torchscript.onnx'),
    ('pytorch', 'h100/vit-base.json.gz', 'vit-base.torchscript.onnx'),
    ('pytorch', 'mi300/vit-base.json.gz', 'vit-base.torchscript.onnx'),
]


def library_without(runtime, name, folder):
    """A copy of the library of a runtime without one of its files; the path of its first file."""
    shutil.copytree(RULES, folder)
    (folder / runtime / f'{name}.akp').unlink()
    for path in folder.rglob('*.akp'):
        lines = [line for line in path.read_text(encoding='utf-8').splitlines(keepends=True)
                 if not (line.startswith('import') and line.rstrip().endswith((f'/{name}.akp";', f'"{name}.akp";')))]
        path.write_text(''.join(lines), encoding='utf-8')
    return folder / f'{runtime}.akp'


def bind(binary, rules, trace, model, folder, *options):
    """The nodes of each bound event, and all durations, by event."""
    output = folder / 'bindings.csv'
    done = subprocess.run([binary, f'-rules={",".join(map(str, rules))}', f'-trace={trace}', f'-emit=bindings={output}', *options, model], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f'{done.args}\n{done.stderr}')
    rows = list(csv.DictReader(output.read_text(encoding='utf-8').splitlines()))
    times = {row['event']: int(row['duration_ns']) for row in rows}
    nodes = {row['event']: set(row['nodes'].split(';')) for row in rows if row['state'] == 'bound'}
    return nodes, times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=lambda text: str(pathlib.Path(text).resolve()), required=True)
    parser.add_argument('--shared', type=pathlib.Path, default=HERE.parents[2] / 'shared')
    parser.add_argument('--write', action='store_true', help='write the table into docs/passes/suggest-rules.md')
    parser.add_argument('--only', default='', help='runs and files whose names hold this text')
    options = parser.parse_args()
    if not (options.shared / 'traces').is_dir():
        print('skipped: needs the folder `shared`')
        return 77
    passed = failed = 0
    table = ['| run | model | without | lost | brought back | at the same nodes | beyond |', '|--|--|--|--:|--:|--:|--:|']
    for runtime, trace_name, model_name in RUNS:
        trace, model = options.shared / 'traces' / trace_name, options.shared / 'models' / model_name
        with tempfile.TemporaryDirectory(prefix='suggestions-') as name:
            folder = pathlib.Path(name)
            whole, times = bind(options.binary, [RULES / f'{runtime}.akp'], trace, model, folder)
            device = sum(times.values())
            for path in sorted((RULES / runtime).glob('*.akp')):
                if options.only not in f'{trace_name} {model_name} {path.stem}':
                    continue
                first = library_without(runtime, path.stem, folder / path.stem)
                suggested = folder / 'suggested.akp'
                without, _ = bind(options.binary, [first], trace, model, folder, f'-suggest-rules={suggested}')
                lost = sum(times[event] for event in whole) - sum(times[event] for event in without)
                if lost < LOST * device:
                    continue
                again, _ = bind(options.binary, [first, suggested], trace, model, folder)
                back = sum(times[event] for event in again if event in whole) - sum(times[event] for event in without if event in whole)
                new = [event for event in again if event not in without and event in whole]
                share = sum(times[event] for event in new if again[event] & whole[event]) / max(1, sum(times[event] for event in new))
                beyond = sum(times[event] for event in again if event not in without and event not in whole) / device
                row = (f'| `{trace_name}` | `{model_name}` | `{path.name}` | {100 * lost / device:.1f} % | {100 * back / lost:.1f} % | '
                       f'{100 * share:.1f} % | {100 * beyond:.1f} % |')
                table.append(row)
                ok = back >= RECOVERED * lost and share >= AGREES and beyond <= BEYOND
                passed, failed = passed + ok, failed + (not ok)
                if not ok:
                    print(f'failed: {row}', flush=True)
    page = PAGE.read_text(encoding='utf-8')
    filled = MARKER.sub(lambda match: match[1] + '\n' + '\n'.join(table) + '\n\n' + match[2], page)
    if options.only:
        print('\n'.join(table))
    elif options.write:
        PAGE.write_text(filled, encoding='utf-8')
        print(f'wrote {PAGE.name}')
    elif filled == page:
        passed += 1
    else:
        failed += 1
        print(f'failed: {PAGE.name} has other figures; `--write` writes them\n' + '\n'.join(table))
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
