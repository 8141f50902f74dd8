"""Totals of recorded Kineto traces, recomputed in exact decimals, against what the command states.

Of every trace with `-steps=all`: events, busy (the union of their intervals), device time (the sum), wall, the time and events of each stream, and spill-in
(events whose launch is not in the file), as printed without a model and as in the JSON report with one. A trace without a device: the spans of its
operators, whose union is the union of the top-level ones.
"""
import bisect
import concurrent.futures
import gzip
import json
import re
from decimal import Decimal

from checks.command import amdahlc, any_model
from checks.intervals import length, nanoseconds
from checks.places import SHARED

WORK = {'kernel', 'gpu_memcpy', 'gpu_memset', 'Kernel', 'Memcpy', 'Memset'}
CALLS = {'cuda_runtime', 'cuda_driver', 'hip_runtime', 'Runtime'}
OPERATORS = {'cpu_op', 'Operator'}
STEP = re.compile(r'ProfilerStep#\d+$')
class Span:
    def __init__(self, event):
        self.start = nanoseconds(event['ts'])
        self.end = self.start + max(0, nanoseconds(event.get('dur', Decimal(0))))
        self.track = f"{event['pid']}/{event['tid']}"
        self.correlation = event.get('args', {}).get('correlation')
        self.name = event['name']


def read(path):
    """The complete events of a Kineto trace by category; None for another file."""
    data = path.read_bytes()
    text = gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data
    document = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    if not isinstance(document, dict) or 'traceEvents' not in document:
        return None
    spans = {}
    for event in document['traceEvents']:
        if event.get('ph') == 'X' and 'cat' in event:
            spans.setdefault(event['cat'], []).append(Span(event))
    return spans


def of(spans, categories):
    return sorted((span for category in sorted(categories) for span in spans.get(category, [])), key=lambda span: (span.start, -span.end))


def place_spill_in(work, launched, iteration):
    """Events without a launch go with the next event of their stream that has one, else with the previous."""
    for track in {span.track for span in work}:
        line = [i for i, span in enumerate(work) if span.track == track]
        anchors = [i for i in line if launched[i]]
        for i in line:
            if not launched[i] and anchors:
                at = bisect.bisect(anchors, i)
                iteration[i] = iteration[anchors[at if at < len(anchors) else -1]]


def recompute(spans):
    """Totals over all events of the file, and the number of iterations."""
    work = of(spans, WORK)
    steps = [span for span in of(spans, {'user_annotation'} | OPERATORS) if STEP.match(span.name)]
    calls = {}
    for call in of(spans, CALLS):
        calls.setdefault(call.correlation, call)
    device = bool(work)
    if not device:  # the union of all operators of a thread is that of the top-level ones
        work = [span for span in of(spans, OPERATORS) if not STEP.match(span.name) and span.end > span.start]
    launched = [not device or span.correlation is not None and span.correlation in calls for span in work]
    starts = [step.start for step in steps]

    def step_at(time):
        at = bisect.bisect(starts, time) - 1
        return at if at >= 0 and time < steps[at].end else None

    iteration = [step_at(calls[span.correlation].start if device and known else span.start) for span, known in zip(work, launched)]
    if device:
        place_spill_in(work, launched, iteration)
    if not steps or None in iteration:
        iteration = [0] * len(work)
    out = {'iterations': len(set(iteration)), 'busy': 0, 'device': 0, 'wall': 0, 'spill_in': 0 if any(launched) else None, 'streams': {}}
    for index in sorted(set(iteration)):
        mine = [span for span, at in zip(work, iteration) if at == index]
        out['busy'] += length([(span.start, span.end) for span in mine])
        out['wall'] += max(span.end for span in mine) - min(span.start for span in mine)
        for track in {span.track for span in mine}:
            line = [span for span in mine if span.track == track]
            row = out['streams'].setdefault(track, [0, 0])
            row[0] += length([(span.start, span.end) for span in line])
            row[1] += len(line)
            # Of an operator only the stretches count in which nothing runs inside it.
            out['device'] += sum(span.end - span.start for span in line) if device else length([(span.start, span.end) for span in line])
    if device:
        out['events'] = len(work)
        if any(launched):
            out['spill_in'] = sum(span.end - span.start for span, known in zip(work, launched) if not known)
    else:
        for row in out['streams'].values():
            row[1] = None  # stretches of self time, which this does not count
    return out


def printed(text):
    """The figures of the totals that are printed without a model."""
    def time_of(row):
        found = re.search(rf'^  {row} +[\d.]+ +([\d.]+) ', text, re.M)
        return found and nanoseconds(Decimal(found.group(1)))

    selected, _ = re.search(r'^iterations  (\d+) of (\d+)', text, re.M).groups()
    table = re.split(r'^ +total us  of busy   events   (?:stream|thread) .*\n', text, flags=re.M)[1].split('\n\n')[0]
    streams = {}
    for line in table.splitlines():
        time, _, events, name = line.split(None, 3)
        streams[name] = [nanoseconds(Decimal(time)), int(events)]
    out = {key: time_of(key) for key in ('busy', 'device', 'wall')}
    return out | {'spill_in': time_of('spill-in') or 0, 'iterations': int(selected), 'streams': streams,
                  'events': sum(events for _, events in streams.values())}


def differences(expected, actual):
    for key, value in actual.items():
        wanted = expected.get(key, value)
        if key == 'streams':
            wanted = {name: [time, value.get(name, [0, 0])[1] if events is None else events] for name, (time, events) in wanted.items()}
        if wanted != value:
            yield f'{key}: {value}, expected {wanted}'


def faults_of(path):
    """Differences between the trace and what the command states; None for another kind of file."""
    spans = read(path)
    if spans is None:
        return None
    expected = recompute(spans)
    stated = printed(amdahlc.text(f'-trace={path}', '-steps=all'))
    if stated['iterations'] > 1 and not any(STEP.match(span.name) for category in spans for span in spans[category]):
        del expected['wall'], expected['iterations']  # guessed from repetition, which this does not; the other figures are sums over all
    found = list(differences(expected | {'spill_in': expected['spill_in'] or 0}, stated))
    trace = amdahlc.run_report(f'-trace={path}', '-steps=all', any_model())['trace']
    keys = {'busy': 'busy_ns_total', 'device': 'device_ns_total', 'wall': 'wall_ns_total', 'spill_in': 'spill_in_ns_total',
            'events': 'device_events', 'iterations': 'iterations'}
    return found + [f'report: {text}' for text in differences(expected, {key: trace[name] for key, name in keys.items()})]


def check(check):
    files = [path for folder in ('traces', 'reference', 'cases/binding') for path in sorted((SHARED / folder).rglob('*')) if re.search(r'\.json(\.gz)?$', path.name)]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for path, found in zip(files, pool.map(faults_of, files)):
            if found is not None:
                check.none(path.relative_to(SHARED), found)
