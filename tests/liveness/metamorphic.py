#!/usr/bin/env python3
"""What the liveness of tensors must not depend on, and what it must follow.

  metamorphic.py --binary PATH

- Nodes of the model in another order: the schedule is that of the run, so every tensor keeps its life.
- All times of the trace doubled: every period is twice as long, and nothing else changes.
- IR text instead of model and trace: the same listings byte for byte, and the same report.
- A faster way to the other memory: no candidate is lost.

The example, and the training iteration of G10 where the shared folder is next to the project.
"""
import argparse
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / 'tests/accuracy'))
import onnx_wire  # noqa: E402: of another folder of tests

REFERENCE = SOURCE.parent / 'shared/reference/g10'
LISTINGS = ('kernels.config', 'tensors.config', 'liveness_analysis.config')


class Run:
    def __init__(self, binary, folder, name):
        self.binary, self.folder = binary, pathlib.Path(folder, name)

    def of(self, *arguments):
        self.folder.mkdir(exist_ok=True)
        command = [self.binary, *arguments, f'-emit=liveness={self.folder}/out', f'-emit=json={self.folder}/report.json',
                   f'-emit=ir={self.folder}/module.air']
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f'exit {done.returncode}: {" ".join(map(str, command))}\n{done.stderr}')
        self.facts = json.loads((self.folder / 'report.json').read_text(encoding='utf-8'))['runs'][0]['liveness']
        return self

    def listing(self, name):
        return (self.folder / 'out' / name).read_bytes()


def doubled(trace):
    """The text of a trace with every time twice as large, as exact decimals."""
    def double(match):
        digits = match[2].replace('.', '')
        decimals = len(match[2].partition('.')[2])
        number = str(2 * int(digits)).rjust(decimals + 1, '0')
        return match[1] + (f'{number[:-decimals]}.{number[-decimals:]}' if decimals else number)
    return re.sub(r'("(?:ts|dur)": ?)(\d+(?:\.\d+)?)', double, trace)


def by_name(tensors):
    return sorted(tensors, key=lambda tensor: tensor['name'])


def check(binary, model, trace, folder):
    failures = []

    def require(what, holds):
        print(f'{model.name}: {what}: {"yes" if holds else "NO"}')
        if not holds:
            failures.append(what)

    base = Run(binary, folder, 'base').of(f'-trace={trace}', model)
    text = (gzip.open if trace.suffix == '.gz' else open)(trace, 'rt', encoding='utf-8').read()

    again = Run(binary, folder, 'again').of(base.folder / 'module.air')
    require('IR text gives the same listings', all(again.listing(name) == base.listing(name) for name in LISTINGS))
    require('and the same facts', again.facts == base.facts)

    other = pathlib.Path(folder, model.name)
    other.write_bytes(onnx_wire.permuted(model.read_bytes(), seed=3))
    permuted = Run(binary, folder, 'permuted').of(f'-trace={trace}', other).facts
    # The operators of a kernel are in another order, and so are the tensors that it is the first to use.
    require('another order of nodes leaves every life as it is', by_name(permuted['tensors']) == by_name(base.facts['tensors']))
    require('and the live bytes', permuted['live_bytes'] == base.facts['live_bytes'])

    slow = pathlib.Path(folder, trace.name.removesuffix('.gz'))
    slow.write_text(doubled(text), encoding='utf-8')
    twice = Run(binary, folder, 'twice').of(f'-trace={slow}', model).facts
    times = [period['ns'] for tensor in base.facts['tensors'] for period in tensor['periods']]
    longer = [period['ns'] for tensor in twice['tensors'] for period in tensor['periods']]
    # Means are rounded once, to whole nanoseconds.
    require('all times doubled double the periods', len(times) == len(longer) > 0 and all(abs(b - 2 * a) <= 1 for a, b in zip(times, longer)))
    for tensor in [*base.facts['tensors'], *twice['tensors']]:
        tensor['periods'] = [(period['from'], period['to']) for period in tensor['periods']]
    require('and leave the rest', twice['tensors'] == base.facts['tensors'] and twice['live_bytes'] == base.facts['live_bytes'])

    def moved(facts):
        return {(one['tensor'], one['from']) for one in facts['offload']}
    fast = Run(binary, folder, 'fast').of(f'-trace={trace}', '-offload-bandwidth=100GB/s', model).facts
    slow_way = Run(binary, folder, 'slow').of(f'-trace={trace}', '-offload-bandwidth=1GB/s', model).facts
    require('a faster way loses no candidate', moved(slow_way) <= moved(base.facts) <= moved(fast) and moved(slow_way) != moved(fast))
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path, required=True)
    options = parser.parse_args()
    pairs = [(SOURCE / 'examples/encoder.onnx', SOURCE / 'examples/encoder.trace.json.gz')]
    if REFERENCE.is_dir():
        pairs.append((REFERENCE / 'bert-train.onnx', REFERENCE / 'bert-train.trace.json.gz'))
    else:
        print('left out: the training iteration of the folder `shared`, which is not there')
    failures = []
    for model, trace in pairs:
        with tempfile.TemporaryDirectory() as folder:
            failures += check(options.binary.resolve(), model, trace, folder)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
