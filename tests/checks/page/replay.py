"""The replay of the page predicts what the command predicts.

For each recorded run, random combinations of what its page offers are predicted by the WebAssembly module, and by the command with the value of `-what-if=` that the page says. Busy
time, wall time and window, what they start from, the model of wall time and the caution must be the same, and what the command refuses the page must refuse. So must be curves but for the path,
the goal with its solutions, and what advice saves where the page says nothing else.
"""
import json
import os
import subprocess
from typing import NamedTuple

from checks import sampling
from checks.command import Failed, amdahlc, temporary
from checks.page.typescript import deno
from checks.places import ENCODER, ENCODER_TRACE, EXAMPLES, MODELS, SHARED, SOURCE, TRACES

CASES = SOURCE / 'tests' / 'checks' / 'page' / 'replay_cases.ts'
PAGE_ALONE = ('two changes fuse one kernel: the page does not know what the larger kernel takes',)
MODELS_OF_WALL = {'replay': 'replay', 'idle-constant': 'idle-constant', None: 'unknown'}


class Case(NamedTuple):
    name: str
    arguments: tuple
    cases: int = 30


RUNS = [
    Case('cpu', (f'-trace=run={ENCODER_TRACE}', ENCODER)),
    Case('gpu', (f'-trace=run={EXAMPLES}/h100/encoder.trace.json.gz', ENCODER)),
    Case('decoding', (f'-trace=run={EXAMPLES}/h100/decoder.trace.json.gz', EXAMPLES / 'h100' / 'decoder.onnx')),
    Case('means', (f'-trace=run={EXAMPLES}/h100/decoder.trace.json.gz', '-stat=mean', EXAMPLES / 'h100' / 'decoder.onnx')),
    Case('vit', (f'-trace=run={TRACES}/h100/vit-base.json.gz', MODELS / 'vit-base.dynamo.onnx')),
    Case('streams', (f'-trace=run={TRACES}/hta/multi_stream_train_rank0.json.gz',)),
    Case('training', (f'-trace=run={TRACES}/hta/amd_mi250_minitoy_train.json.gz',)),
    Case('ranks', (f'-trace=run={SHARED}/programs/dlrm/rank0.json.gz',)),
    Case('serving', (f'-trace=run={SHARED}/programs/serving/sglang_decode/run.json.gz',)),
    Case('waits', (f'-trace=run={TRACES}/hta/event_sync_multi_stream.json.gz',)),
]


def of_command(row):
    return {'model': MODELS_OF_WALL[row['wall_model']], 'busy': row['busy_ns'], 'wall': row['wall_ns'], 'window': row['window_ns'], 'caution': row['caution']}


def predicted_by_command(arguments, options):
    """By option its prediction; one that the command refuses has none."""
    if not options:
        return {}
    try:
        run = amdahlc.run_report(*arguments, *(f'-what-if={option}' for option in options))
        return {row['name']: row for row in run['what_if']}
    except Failed:
        # One of them is refused, such as a fusion of what another change removes.
        if len(options) == 1:
            return {}
        middle = len(options) // 2
        return {**predicted_by_command(arguments, options[:middle]), **predicted_by_command(arguments, options[middle:])}


def predicted_by_page(case, count, seed):
    page = temporary() / 'page.html'
    amdahlc.text(f'-emit=html={page}', *case.arguments)
    ran = subprocess.run([deno(), 'run', '--quiet', '--no-check', f'--allow-read={page},{SOURCE}', CASES, page, str(count), str(seed)], capture_output=True, text=True,
                         env={**os.environ, 'NO_COLOR': '1', 'DENO_NO_UPDATE_CHECK': '1'})
    assert ran.returncode == 0, ran.stderr[-4000:]
    return json.loads(ran.stdout)


def bare(selector):
    """The command names a label without `rule:` where it means nothing else."""
    return selector.removeprefix('rule:').lower() if selector else selector


def check_searches(check, case, run):
    """Curves and goals of the page are those of the command."""
    goal, curves = run['goal'], run['curves']
    report = amdahlc.run_report(*case.arguments, f"-goal={goal['speedUp']}", *(f"-curve={one['selector']}" for one in curves))
    of_command = report['goal']
    check.equal(f'{case.name}: goal', (goal['target'], goal['isReachable'], goal['predictions'], not goal['isCut'], goal['floor']['wall'] or goal['floor']['busy']),
                (of_command['target_ns'], of_command['reachable'], of_command['predictions'], of_command['complete'], of_command['floor_ns']))
    check.equal(f'{case.name}: solutions', [[sorted(map(bare, text.split(';'))), *times] for text, *times in goal['solutions']],
                [[sorted(map(bare, one['what_if'].split(';'))), one['busy_ns'], one['wall_ns']] for one in of_command['solutions']])
    for ours, theirs in zip(curves, report['curves'], strict=True):
        name = f"{case.name}: curve {ours['selector']}"
        # The command adds the breaks of the path.
        known = {factor: times for factor, *times in ((one['factor'], one['busy_ns'], one['wall_ns'], one['window_ns']) for one in theirs['points'])}
        for factor, *times in ours['points']:
            check.equal(f'{name} at {factor}', times, known.get(factor))
        fields = ('knee', 'next', 'rest', 'flat', 'caution', 'complete')
        ours['knee'], theirs['knee'] = (one and round(one, 9) for one in (ours['knee'], theirs['knee']))
        check.equal(name, [bare(ours[one]) if one in ('next', 'rest') else ours[one] for one in fields],
                    [bare(theirs[one]) if one in ('next', 'rest') else theirs[one] for one in fields])


def check(check):
    deno()
    if not SHARED.is_dir():
        check.left_out('all but the examples', 'there is no ../shared')
    seed = int(os.environ.get('AMDAHLC_SAMPLE_SEED') or '1', 16) % 1_000_003
    for case in RUNS:
        if any(str(SHARED) in str(argument) for argument in case.arguments) and not SHARED.is_dir():
            continue
        count = max(3, case.cases // sampling.taken())
        pages = predicted_by_page(case, count, seed)
        [run] = pages['runs']
        by_page = {one['option']: one for one in run['cases']}
        by_command = predicted_by_command(case.arguments, list(by_page))
        for option, one in by_page.items():
            row = by_command.get(option)
            # The page does not know what a kernel takes that two changes fuse, and says so.
            if row and one.get('conflict') in PAGE_ALONE:
                continue
            check.equal(f'{case.name}: {option}', one.get('times'), row and of_command(row))
            if row and not one['keepsIdle']:
                check.equal(f'{case.name}: base', (run['base']['busy'], run['base']['wall']), (row['base_busy_ns'], row['base_wall_ns']))
        check.equal(f'{case.name}: options that the page cannot read', run['unread'], [])
        check_searches(check, case, run)
        for one in run['advice']:
            check.that(one['saves'] is not None, f"{case.name}: the page cannot try {one['selector']}")
            # Figures that are shown alike differ by less than their last digit; of others the page says what Try saves.
            is_alike = abs(one['saves'] - one['likely']) <= max(1, abs(one['likely']) / 1000)
            check.that(is_alike or not one['isAsAdvised'], f"{case.name}: {one['selector']} saves {one['saves']}, and {one['likely']} by the advice")
        check.say(f"{case.name}: {len(by_page)} combinations, {run['offered']} changes offered, {run['events']} events, compile {pages['compile_ms']:.0f} ms, "
              f"load {run['load_ms']:.0f} ms, predict {run['predict_ms']:.1f} ms, search {run['search_ms']:.0f} ms")
