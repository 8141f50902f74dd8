#!/usr/bin/env python3
"""Properties of predictions, on recorded runs that are bound and on simulated runs with several iterations and streams.

  properties.py --binary B [--shared FOLDER]

For both models of wall time:

- changing nothing predicts the measured times;
- where all factors are at most 1, no prediction exceeds the measured time;
- the saving of a set of changes is at least that of each of its members;
- busy time is at most wall time;
- with idle time kept, removing all device work leaves exactly the idle time.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from checks import Checks

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'ranks'))
from simulate import Options, write  # noqa: E402

PAIRS = (('h100/bert-small', 'bert-small.dynamo'), ('h100/vit-base', 'vit-base.dynamo'), ('mi300/bert-small', 'bert-small.dynamo'), ('mi300/vit-base', 'vit-base.dynamo'))
MODEL = '<ir_version: 9, opset_import: ["" : 18]>\nany (float[1] x) => (float[1] y) { y = Identity(x) }\n'
FACTORS = ('1/2', '9/10', '0', '1/7')
SETS = 6
# Means of iterations are rounded, each prediction once more.
ROUNDED_NS = 2
SAME = {'device=1x', 'host=1x', 'launches=1x'}


def scenarios_of(kernels, rng):
    """Of each set of kernels with factors: the names of its members' scenarios, and the text of its file."""
    sets = []
    for _ in range(SETS if len(kernels) > 1 else 0):
        members = rng.sample(kernels, min(len(kernels), rng.randrange(2, 6)))
        sets.append([(kernel, rng.choice(FACTORS)) for kernel in sorted(members)])
    return sets


def change(kernel, factor):
    """As a file of speed-ups says it: by how much it is faster, or that it takes no time."""
    return {'kernel': kernel, 'time': 0} if factor == '0' else {'kernel': kernel, 'speedup': int(factor.split('/')[1]) / int(factor.split('/')[0])}


def predictions(run):
    """By name and model of wall time."""
    return {(row['name'], row['wall_model']): row for row in run['what_if']}


def report(binary, arguments):
    done = subprocess.run([binary, *arguments, '-emit=json'], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'exit {done.returncode}: {done.stderr}')
    return json.loads(done.stdout)['runs'][0]


def check_run(checks, name, binary, arguments, folder, rng):
    kernels = [kernel['id'] for kernel in report(binary, arguments)['kernels'] if kernel['duration_ns']]
    sets = scenarios_of(kernels, rng)
    options = [f'-what-if={text}' for text in (*sorted(SAME), 'device=2x', 'device=0', 'host=3/2x', 'host=0', 'launches=2x', 'launches=0')]
    for index, members in enumerate(sets):
        for number, changes in enumerate(([member] for member in members)):
            path = folder / f's{index}m{number}.json'
            path.write_text(json.dumps({'speedups': [change(*one) for one in changes]}), encoding='utf-8')
            options.append(f'-speedups={path}')
        path = folder / f's{index}.json'
        path.write_text(json.dumps({'speedups': [change(*one) for one in members]}), encoding='utf-8')
        options.append(f'-speedups={path}')
    run = report(binary, [*arguments, *options])
    trace, found = run['trace'], predictions(run)
    keys = [key for key in ('wall_ns', 'window_ns') if trace[key] is not None]
    for (scenario, model), row in found.items():
        what = f'{name}: `{scenario}`, {model}'
        for key in keys:
            if row[key] is None:
                continue
            checks.check(row[key] <= trace[key] + ROUNDED_NS, f'{what}: {key} is {row[key]} of {trace[key]}')
            if scenario in SAME:
                checks.check(abs(row[key] - trace[key]) <= ROUNDED_NS, f'{what}: {key} is {row[key]} of {trace[key]}, though nothing changes')
        checks.check(row['busy_ns'] <= row['wall_ns'] + ROUNDED_NS, f'{what}: busy {row["busy_ns"]} exceeds wall {row["wall_ns"]}')
    checks.check(abs(found['device=0', 'idle-constant']['wall_ns'] - trace['idle_ns']) <= ROUNDED_NS,
                 f'{name}: without device work {found["device=0", "idle-constant"]["wall_ns"]} is left, not the idle time {trace["idle_ns"]}')
    for index, members in enumerate(sets):
        for model in ('idle-constant', 'replay'):
            whole = found.get((f's{index}', model))
            for number in range(len(members)):
                part = found.get((f's{index}m{number}', model))
                if whole and part:
                    checks.check(whole['wall_ns'] <= part['wall_ns'] + ROUNDED_NS,
                                 f'{name}: {members} saves less than {members[number]} alone, {model}: {whole["wall_ns"]}, {part["wall_ns"]}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=lambda text: str(pathlib.Path(text).resolve()), required=True)
    parser.add_argument('--shared', type=pathlib.Path, default=HERE.parents[2] / 'shared')
    options = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix='properties-') as name:
        folder = pathlib.Path(name)
        model = folder / 'any.onnxtxt'
        model.write_text(MODEL, encoding='utf-8')
        for seed in range(3):
            # Without statements of waits the replay is far off, and what it predicts still has a direction.
            write(Options(ranks=2, steps=5, layers=4, seed=seed, slow={1: 1.3}, waits=seed > 0), folder / f'seed{seed}')
            for rank in range(2):
                check_run(checks, f'simulated {seed}, rank {rank}', options.binary, [f'-trace={folder}/seed{seed}/rank{rank}.json', str(model)], folder,
                          random.Random(seed))
        if (options.shared / 'traces').is_dir():
            for index, (trace, exported) in enumerate(PAIRS):
                arguments = [f'-trace={options.shared}/traces/{trace}.json.gz', f'{options.shared}/models/{exported}.onnx']
                check_run(checks, trace, options.binary, arguments, folder, random.Random(index))
        else:
            print('the folder `shared` beside the project is not there: recorded runs are left out')
    print(f'{checks.passed} passed, {checks.failed} failed')
    return 1 if checks.failed else 0


if __name__ == '__main__':
    sys.exit(main())
