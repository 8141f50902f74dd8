"""Properties of predictions, on recorded runs that are bound and on simulated runs with several iterations and streams.

For both models of wall time:

- changing nothing predicts the times from which predictions start;
- where all factors are at most 1, no prediction exceeds them;
- the saving of a set of changes is at least that of each of its members;
- busy time is at most wall time;
- with idle time kept, removing all device work leaves exactly the idle time.
"""
import json
import pathlib
import random
import tempfile

from checks.command import amdahlc, any_model
from checks.curves import PAIRS
from checks.places import SHARED
from checks.ranks.simulate import Options, write

FACTORS = ('1/2', '9/10', '0', '1/7')
SETS = 6
# Means of iterations are rounded, each prediction once more.
ROUNDED_NS = 2
SAME = {'device=1x', 'host=1x', 'launches=1x'}
# By model of wall time, the pipeline in which it predicts. Without `schedule` nothing is replayed.
PIPELINES = {'replay': 'default', 'idle-constant': 'simplify,fuse,trace-bind,timing,speedup-rewrite,emit'}


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


def check_run(check, name, arguments, folder, rng):
    kernels = [kernel['id'] for kernel in amdahlc.run_report(*arguments)['kernels'] if kernel['duration_ns']]
    sets = scenarios_of(kernels, rng)
    options = [f'-what-if={text}' for text in (*sorted(SAME), 'device=2x', 'device=0', 'host=3/2x', 'host=0', 'launches=2x', 'launches=0')]
    for index, members in enumerate(sets):
        for number, changes in enumerate(([member] for member in members)):
            path = folder / f's{index}m{number}.json'
            path.write_text(json.dumps({'speedups': [change(*one) for one in changes]}), encoding='utf-8')
            options.append(f'-what-if={path}')
        path = folder / f's{index}.json'
        path.write_text(json.dumps({'speedups': [change(*one) for one in members]}), encoding='utf-8')
        options.append(f'-what-if={path}')
    for model, passes in PIPELINES.items():
        check_model(check, name, model, amdahlc.run_report(*arguments, *options, f'-passes={passes}'), sets)


def check_model(check, name, model, run, sets):
    trace, found = run['trace'], {row['name']: row for row in run['what_if']}
    check.equal(f'{name}: models of wall time', {row['wall_model'] for row in run['what_if']}, {model})
    keys = [key for key in ('wall_ns', 'window_ns') if trace[key] is not None]
    for scenario, row in found.items():
        what = f'{name}: `{scenario}`, {model}'
        for key in keys:
            if row[key] is None:
                continue
            base = row['base_wall_ns'] if key == 'wall_ns' else trace[key]
            check.that(model == 'idle-constant' or base == trace[key], f'{what}: {key} starts from {base} of {trace[key]}')
            check.that(row[key] <= base + ROUNDED_NS, f'{what}: {key} is {row[key]} of {base}')
            if scenario in SAME:
                check.that(abs(row[key] - base) <= ROUNDED_NS, f'{what}: {key} is {row[key]} of {base}, though nothing changes')
        check.that(row['busy_ns'] <= row['wall_ns'] + ROUNDED_NS, f'{what}: busy {row["busy_ns"]} exceeds wall {row["wall_ns"]}')
    left = found['device=0']['wall_ns']
    check.that(model == 'replay' or abs(left - trace['idle_ns']) <= ROUNDED_NS, f'{name}: without device work {left} is left, not the idle time {trace["idle_ns"]}')
    for index, members in enumerate(sets):
        whole = found[f's{index}']['wall_ns']
        for number, member in enumerate(members):
            part = found[f's{index}m{number}']['wall_ns']
            check.that(whole <= part + ROUNDED_NS, f'{name}: {members} saves less than {member} alone, {model}: {whole}, {part}')


def check(check):
    with tempfile.TemporaryDirectory(prefix='properties-') as name:
        folder = pathlib.Path(name)
        for seed in range(3):
            # Without statements of waits the replay is far off, and what it predicts still has a direction.
            write(Options(ranks=2, steps=5, layers=4, seed=seed, slow={1: 1.3}, waits=seed > 0), folder / f'seed{seed}')
            for rank in range(2):
                check_run(check, f'simulated {seed}, rank {rank}', [f'-trace={folder}/seed{seed}/rank{rank}.json', any_model()], folder, random.Random(seed))
        if not SHARED.is_dir():
            check.left_out('recorded runs', 'the folder `shared` beside the project is missing')
            return
        for index, pair in enumerate(PAIRS):
            check_run(check, pair, [*pair.options(), pair.model_path], folder, random.Random(index))
