"""The replay of the page predicts what the command predicts.

For each recorded run, random combinations of what its page offers are predicted by the WebAssembly module, and by the command with the value of `-what-if=` that the page says. Busy
time, wall time and window, what they start from, the model of wall time and the caution must be the same.
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
        by_page = {one['option']: one for one in run['cases'] if 'times' in one}
        by_command = predicted_by_command(case.arguments, list(by_page))
        compared = 0
        for option, one in by_page.items():
            row = by_command.get(option)
            if row is None:
                continue
            compared += 1
            check.equal(f'{case.name}: {option}', one['times'], of_command(row))
            check.equal(f'{case.name}: base', (run['base']['busy'], run['base']['wall']), (row['base_busy_ns'], row['base_wall_ns']))
        check.that(compared * 2 > count, f'{case.name}: only {compared} of {count} combinations were compared')
        check.say(f"{case.name}: {compared} combinations, {run['offered']} changes offered, {run['events']} events, compile {pages['compile_ms']:.0f} ms, "
              f"load {run['load_ms']:.0f} ms, predict {run['predict_ms']:.1f} ms")
