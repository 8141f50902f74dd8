"""Reduced and transformed forms of a recorded trace, and of a model.

A reduced form lacks a kind of evidence: module frames, shapes, step marks. What an event of the trace belongs to does not change, so that
the truth of the full trace holds for it. The same is true of the transformations: kernels with other names, a run that happens twice, other
streams, nodes of the model in another order.

Every function returns a new trace and leaves its argument as it is; None if there is nothing to change.
"""
import gzip
import json
import math

from checks.accuracy import onnx_wire

FRAMES, SHAPES, STEPS = 'frames', 'shapes', 'steps'
# Form -> what it lacks.
FORMS = {
    'full': (),
    'noframes': (FRAMES,),
    'noshapes': (SHAPES,),
    'bare': (FRAMES, SHAPES),
    'nosteps': (STEPS,),
}

SHAPE_KEYS = ('Input Dims', 'Input type', 'Input Strides')
STEP = 'ProfilerStep#'
# Numbers that join events. Each must be another one in a second copy of the run.
JOINING_KEYS = ('correlation', 'External id', 'Ev Idx', 'Python id', 'Python parent id', 'Record function id')
# Categories of work in a device's queue.
QUEUED = ('kernel', 'gpu_memcpy', 'gpu_memset')


def load(path):
    with (gzip.open(path) if path.suffix == '.gz' else open(path, 'rb')) as file:
        return json.loads(file.read())


def store(trace, path):
    """Writes a trace, compressed as little as gzip can if the name says so."""
    data = json.dumps(trace).encode()
    path.write_bytes(gzip.compress(data, compresslevel=1, mtime=0) if path.suffix == '.gz' else data)
    return path


def events_of(trace):
    return trace if isinstance(trace, list) else trace['traceEvents']


def with_events(trace, events):
    return events if isinstance(trace, list) else {**trace, 'traceEvents': events}


def is_step(event):
    return str(event.get('name', '')).startswith(STEP)


def with_args(event, **changes):
    """The event with other arguments; None removes one."""
    args = {**event.get('args', {}), **changes}
    return {**event, 'args': {key: value for key, value in args.items() if value is not None or key not in changes}}


def without(trace, kinds):
    """The trace without some kinds of evidence."""
    before = kept = events_of(trace)
    if FRAMES in kinds:
        kept = [event for event in kept if event.get('cat') != 'python_function']
    if STEPS in kinds:
        kept = [event for event in kept if not is_step(event)]
    if SHAPES in kinds:
        nothing = dict.fromkeys(SHAPE_KEYS)
        kept = [with_args(event, **nothing) if any(key in event.get('args', ()) for key in SHAPE_KEYS) else event for event in kept]
    changed = len(kept) < len(before) or any(new is not old for new, old in zip(kept, before))
    return with_events(trace, kept) if changed else None


def renamed_kernels(trace):
    """Device kernels have names that say nothing; equal names stay equal."""
    events, names = events_of(trace), {}
    for event in events:
        if event.get('cat') == 'kernel':
            names.setdefault(event['name'], f'renamed_{len(names)}')
    if not names:
        return None
    return with_events(trace, [{**event, 'name': names[event['name']]} if event.get('cat') == 'kernel' else event for event in events])


def doubled(trace):
    """(trace, shift in ns): all work of the trace happens a second time after its end, so many ns later."""
    events = events_of(trace)
    timed = [event for event in events if event.get('ph') in ('X', 's', 'f') and event.get('cat') != 'Trace']
    complete = [event for event in timed if event['ph'] == 'X']
    if not complete:
        return None
    span = max(event['ts'] + event['dur'] for event in complete) - min(event['ts'] for event in complete)
    shift = math.ceil(span) + 1000
    numbers = [event['args'][key] for event in timed for key in JOINING_KEYS if isinstance(event.get('args', {}).get(key), int)]
    numbers += [event['id'] for event in timed if isinstance(event.get('id'), int)]
    steps = [int(event['name'][len(STEP):]) for event in timed if is_step(event)]
    again = [later(event, shift, max(numbers, default=0) + 1, max(steps, default=0) + 1) for event in timed]
    return with_events(trace, events + again), shift * 1000


def later(event, shift, offset, step_offset):
    """The event `shift` us later, with numbers of its own."""
    # Times have at most three decimals.
    copy = {**event, 'ts': round(event['ts'] + shift, 3)}
    if is_step(event):
        copy['name'] = f'{STEP}{int(event["name"][len(STEP):]) + step_offset}'
    if isinstance(event.get('id'), int):
        copy['id'] = event['id'] + offset
    if 'args' in event:
        # Zero means `none`.
        moved = {key: value + offset if key in JOINING_KEYS and isinstance(value, int) and value else value for key, value in event['args'].items()}
        copy['args'] = moved
    return copy


def streams_of(trace):
    return sorted({event['args']['stream'] for event in events_of(trace) if event.get('cat') in QUEUED and 'stream' in event.get('args', {})})


def on_streams(trace, choose):
    """Work of the device on the streams that `choose` names, by rank of the work in the file."""
    rank, events = 0, []
    for event in events_of(trace):
        if event.get('cat') in QUEUED and 'stream' in event.get('args', {}):
            stream = choose(rank)
            event = {**with_args(event, stream=stream), 'tid': stream}
            rank += 1
        events.append(event)
    return with_events(trace, events)


def merged_streams(trace):
    """All work on one stream; None if it is."""
    streams = streams_of(trace)
    return on_streams(trace, lambda rank: streams[0]) if len(streams) > 1 else None


def split_streams(trace):
    """The work of a single stream in turns on two: `merged_streams` backwards."""
    streams = streams_of(trace)
    return on_streams(trace, lambda rank: streams[0] + rank % 2) if len(streams) == 1 else None


def permuted_model(path, seed):
    """An encoded model with its nodes in another order that their dependencies allow."""
    return onnx_wire.permuted(path.read_bytes(), seed)
