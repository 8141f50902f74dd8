"""Curves and goals of recorded and simulated runs against predictions of `-what-if=`.

For each run, with the groups that it has by itself, or with all device work as one:

- wall time, window and path of a curve never rise where the factor falls; busy time does not where idle time is kept;
- the points of a curve are the predictions of scenarios with the same factor, and the middle between two points is on the line between them;
- beyond a knee the curve is at most half as steep as at first;
- each solution of a goal, given as a scenario, reaches the target, and with any of its speed-ups lower by a thousandth it does not;
- a goal at the floor is reachable, one below it is not, and one at the measured time is met.
"""
import json
import pathlib
import tempfile
from fractions import Fraction

from checks.command import amdahlc, any_model
from checks.places import ENCODER, ENCODER_TRACE, EXAMPLES, GPU_PAIRS, SHARED, traces_of
from checks.ranks.simulate import Options, write
from checks.sampling import sampled

PAIRS = [pair for pair in GPU_PAIRS if pair.model.endswith('.dynamo')]
# Without a model of their own: all device work is one group.
UNBOUND = ('hta/amd_mi250_minitoy_train', 'hta/event_sync', 'hta/event_sync_multi_stream', 'misc/gpu_only_mi210', 'misc/torch_compile_triton', 'misc/vllm_cuda_graph_decode')
GROUPS = ('device', 'launches', 'host')
GOALS = ('1.02x', '1.2x', '2x', '8x')
# Means of iterations are rounded once.
ROUNDED_NS = 2
# Of one file.
MOST_SCENARIOS = 1000
# Of what a group can save: a curve of straight lines is within this of its points, besides rounding.
LINE_SHARE = 0.004
LEAST_RUN = Fraction(1, 32)


class Scenarios:
    """Collects scenarios, and predicts all of them in one run of the command."""

    def __init__(self, folder):
        self.file, self.scenarios = folder / 'scenarios.json', []

    def add(self, factors):
        """factors: selector -> new time / old time. Returns the name."""
        changes = [{'select': selector, **({'time': 0} if factor == 0 else {'speedup': str(1 / factor)})} for selector, factor in factors.items()]
        self.scenarios.append({'name': f's{len(self.scenarios)}', 'speedups': changes})
        return self.scenarios[-1]['name']

    def describe(self, name):
        return json.dumps(self.scenarios[int(name[1:])]['speedups'])

    def predict(self, arguments):
        """name -> row"""
        found = {}
        for first in range(0, len(self.scenarios), MOST_SCENARIOS):
            self.file.write_text(json.dumps({'scenarios': self.scenarios[first:first + MOST_SCENARIOS]}), encoding='utf-8')
            for row in amdahlc.run_report(*arguments, f'-what-if={self.file}')['what_if']:
                found[row['name']] = row
        return found


def slope(points, high, low):
    a, b = points[high], points[low]
    return (a['wall_ns'] - b['wall_ns']) / float(Fraction(a['factor']) - Fraction(b['factor']))


def slope_end(points, start):
    """The first point that is far enough below."""
    for index in range(start + 1, len(points)):
        if Fraction(points[start]['factor']) - Fraction(points[index]['factor']) >= LEAST_RUN:
            return index
    return len(points) - 1


def check_curves(check, name, arguments, groups, folder):
    run = amdahlc.run_report(*arguments, *(f'-curve={group}' for group in groups), f'-emit=curves={folder}/curves.csv')
    scenarios, expected = Scenarios(folder), []
    check.that(bool(run['curves']), f'{name}: no curve')
    for curve in run['curves']:
        what = f'{name}: `{curve["selector"]}`'
        points = curve['points']
        keys = ['wall_ns', 'window_ns', 'path_ns'] + ['busy_ns'] * (curve['wall_model'] == 'idle-constant')
        for before, after in zip(points, points[1:]):
            check.that(Fraction(before['factor']) > Fraction(after['factor']), f'{what}: factors {before["factor"]}, {after["factor"]} do not fall')
            for key in keys:
                check.that(before[key] is None or after[key] <= before[key] + ROUNDED_NS,
                             f'{what}: {key} rises from {before[key]} at {before["factor"]} to {after[key]} at {after["factor"]}')
        for point in points:
            expected.append((what, curve['wall_model'], scenarios.add({curve['selector']: Fraction(point['factor'])}), point['wall_ns'], ROUNDED_NS))
        saves = points[0]['wall_ns'] - points[-1]['wall_ns']
        for before, after in zip(points, points[1:]):
            middle = (Fraction(before['factor']) + Fraction(after['factor'])) / 2
            line = (before['wall_ns'] + after['wall_ns']) / 2
            if curve['complete']:
                expected.append((f'{what}, between points', curve['wall_model'], scenarios.add({curve['selector']: middle}), line, 8 + LINE_SHARE * saves))
        if curve['knee'] is not None:
            knee = min(range(len(points)), key=lambda index: abs(float(Fraction(points[index]['factor'])) - 1 / curve['knee']))
            first, beyond = slope(points, 0, slope_end(points, 0)), slope(points, knee, slope_end(points, knee))
            check.that(beyond <= 0.55 * first, f'{what}: the slope is {beyond:.0f} beyond the knee at {curve["knee"]:.3f}x, and {first:.0f} at first')
    found = scenarios.predict(arguments)
    for what, model, scenario, wall, tolerance in expected:
        row = found[scenario]
        check.that(row['wall_model'] == model and abs(row['wall_ns'] - wall) <= tolerance,
                   f'{what}: {wall} by {model} instead of {row["wall_ns"]} by {row["wall_model"]} of the scenario {scenarios.describe(scenario)}')


def lowered(factors):
    """Each of the sets of factors in which one speed-up is lower by a thousandth."""
    for selector, factor in factors.items():
        steps = 1_000_001 if factor == 0 else 1000 / factor
        yield selector, {**factors, selector: Fraction(1000, steps - 1)}


def check_goals(check, name, arguments, groups, folder):
    floor, wall, named = None, None, [f'-goal-group={group}' for group in groups]
    for goal in GOALS:
        found = amdahlc.run_report(*arguments, *named, f'-goal={goal}')
        facts, trace = found['goal'], found['trace']
        # With idle time kept it starts from undisturbed busy time.
        wall = trace['wall_ns'] - (trace['busy_ns'] - trace['undisturbed_busy_ns'] if facts['wall_model'] == 'idle-constant' else 0)
        what, target, floor = f'{name}: goal {goal}', found['goal']['target_ns'], facts['floor_ns']
        check.that(abs(target - wall / float(goal[:-1])) <= ROUNDED_NS, f'{what}: the target is {target} for a wall of {wall}')
        check.that(facts['reachable'] == (floor <= target), f'{what}: reachable is {facts["reachable"]}, the floor {floor} and the target {target}')
        check.that(bool(facts['solutions']) == facts['reachable'], f'{what}: {len(facts["solutions"])} solutions')
        scenarios, rows = Scenarios(folder), []
        for solution in facts['solutions']:
            factors = {selector: Fraction(0) if speedup == '0' else 1 / Fraction(speedup.removesuffix('x'))
                       for selector, speedup in solution['factors'].items()}
            rows.append((scenarios.add(factors), solution, True, ''))
            rows.extend((scenarios.add(lower), solution, False, selector) for selector, lower in lowered(factors))
        predicted = scenarios.predict(arguments)
        pasted = amdahlc.run_report(*arguments, *(f'-what-if={solution["what_if"]}' for solution in facts['solutions']))['what_if'] or []
        check.that([row['wall_ns'] for row in pasted] == [solution['wall_ns'] for solution in facts['solutions']],
                   f'{what}: solutions given as `-what-if=` take {[row["wall_ns"] for row in pasted]}')
        for scenario, solution, reaches, selector in rows:
            ns = predicted[scenario]['wall_ns']
            if reaches:
                check.that(ns <= target and ns == solution['wall_ns'], f'{what}: {solution} takes {ns}, the target is {target}')
            else:
                check.that(ns > target, f'{what}: {solution} with a lower speed-up of `{selector}` takes {ns}, and still reaches {target}')
    for target, reachable, met in ((floor, True, False), (floor - 2, False, False), (wall + 1, True, True)):
        if target <= 0 or (not met and target >= wall):
            continue
        facts = amdahlc.run_report(*arguments, *named, f'-goal={int(target + (0 if target == int(target) else 1))}ns')['goal']
        check.that(facts['reachable'] == reachable, f'{name}: goal {target}, floor {floor}: reachable is {facts["reachable"]}')
        check.that(bool(facts['solutions']) == (reachable and not met), f'{name}: goal {target} has {len(facts["solutions"])} solutions')


def check(check):
    with tempfile.TemporaryDirectory(prefix='curves-') as temporary:
        folder = pathlib.Path(temporary)
        write(Options(ranks=1, steps=4, layers=3, seed=1), folder / 'simulated')
        runs = [('the example without a device', [f'-trace={ENCODER_TRACE}', ENCODER], ()),
                ('a rank of the example', [f'-trace={EXAMPLES}/ranks/rank0.json.gz', ENCODER], ()),
                ('a simulated rank', [f'-trace={folder}/simulated/rank0.json', any_model()], GROUPS)]
        recorded = [(str(pair), [*pair.options(), pair.model_path], ()) for pair in PAIRS]
        recorded += [(trace, [f'-trace={traces_of(trace)}', '-steps=whole', any_model()], GROUPS) for trace in UNBOUND]
        if SHARED.is_dir():
            runs += recorded
        else:
            check.left_out(', '.join(name for name, *_ in recorded), 'the folder `shared` beside the project is missing')
        for name, arguments, groups in sampled(runs):
            check_curves(check, name, arguments, groups, folder)
            check_goals(check, name, arguments, groups, folder)
