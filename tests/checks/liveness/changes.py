"""What the liveness of tensors must not depend on, and what it must follow.

- Nodes of the model in another order: the schedule is that of the run, so every tensor keeps its life.
- All times of the trace doubled: every period is twice as long, and nothing else changes.
- A faster way to the other memory: no candidate is lost.

The example, and the training iteration of G10 where the folder `shared` is beside the project.
"""
import gzip
import pathlib
import re
import tempfile

from checks.accuracy import onnx_wire
from checks.command import amdahlc
from checks.liveness.g10 import REFERENCE
from checks.places import ENCODER, ENCODER_TRACE


def facts_of(*arguments):
    """The facts about liveness in the report."""
    return amdahlc.outputs('json liveness', *arguments)[0]['runs'][0]['liveness']


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


def without_times(facts):
    return [{**tensor, 'periods': [(period['from'], period['to']) for period in tensor['periods']]} for tensor in facts['tensors']]


def moved(facts):
    return {(one['tensor'], one['from']) for one in facts['offload']}


def check_run(check, model, trace, folder):
    base = facts_of(f'-trace={trace}', model)
    other = folder / model.name
    other.write_bytes(onnx_wire.permuted(model.read_bytes(), seed=3))
    permuted = facts_of(f'-trace={trace}', other)
    # The operators of a kernel are in another order, and so are the tensors that it is the first to use.
    check.that(by_name(permuted['tensors']) == by_name(base['tensors']), f'{model.name}: another order of nodes changes lives')
    check.that(permuted['live_bytes'] == base['live_bytes'], f'{model.name}: another order of nodes changes the live bytes')

    slow = folder / trace.name.removesuffix('.gz')
    slow.write_text(doubled((gzip.open if trace.suffix == '.gz' else open)(trace, 'rt', encoding='utf-8').read()), encoding='utf-8')
    twice = facts_of(f'-trace={slow}', model)
    times, longer = ([period['ns'] for tensor in facts['tensors'] for period in tensor['periods']] for facts in (base, twice))
    # Means are rounded once, to whole nanoseconds.
    check.that(len(times) == len(longer) > 0 and all(abs(b - 2 * a) <= 1 for a, b in zip(times, longer)), f'{model.name}: all times doubled do not double the periods')
    check.that(without_times(twice) == without_times(base) and twice['live_bytes'] == base['live_bytes'], f'{model.name}: all times doubled change the rest')

    fast, slow = (moved(facts_of(f'-trace={trace}', f'-offload-bandwidth={speed}/s', model)) for speed in ('100GB', '1GB'))
    check.that(slow <= moved(base) <= fast and slow != fast, f'{model.name}: a faster way loses a candidate')


def check(check):
    pairs = [(ENCODER, ENCODER_TRACE)]
    if REFERENCE.is_dir():
        pairs.append((REFERENCE / 'bert-train.onnx', REFERENCE / 'bert-train.trace.json.gz'))
    else:
        check.left_out('the training iteration of G10', 'the folder `shared` beside the project is missing')
    for model, trace in pairs:
        with tempfile.TemporaryDirectory() as folder:
            check_run(check, model, trace, pathlib.Path(folder))
