"""Figures of recorded Kineto traces, recomputed in exact decimals, against what the command states.

Of every trace with all its marked steps, else as a whole: events, busy (the union of their intervals), device time (the sum), wall, the busy time of each
stream, and spill-in (events whose launch is not in the file). Totals are of all iterations; the times of the run and of its streams are those of the iteration with the
median wall time, and undisturbed busy time is that of medians of kernels, which are calls of the program. A trace without a device: the spans of its operators, whose union
is the union of the top-level ones.

Of the program of each trace with a device: each event is bound to one call, and times of operators, scopes and categories are medians over the iterations of the unions of
their events.
"""
import bisect
import collections
import concurrent.futures
import csv
import gzip
import json
import re
from decimal import Decimal
from fractions import Fraction

from checks.command import amdahlc
from checks.intervals import half_even, length, nanoseconds
from checks.places import EXAMPLES, SHARED

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


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2]


def undisturbed(iterations, chosen, kernel_of=None):
    """Busy time of one iteration if each kernel took its median over the iterations that have it; other events are compared by name and place."""
    sums, key = [], {}
    for mine in iterations:
        places, of = collections.Counter(), collections.Counter()
        for span in mine:
            key[span] = (kernel_of or {}).get(span)
            if key[span] is None:
                key[span] = span.name, places[span.name]
                places[span.name] += 1
            of[key[span]] += span.end - span.start
        sums.append(of)
    median = {name: lower_median([of[name] for of in sums if name in of]) for name in sums[chosen]}
    factor = {span: Fraction(median[key[span]], sums[chosen][key[span]]) for span in iterations[chosen] if span.end > span.start}
    spans = [span for span in iterations[chosen] if span.end > span.start]
    begins, ends = sorted(spans, key=lambda span: span.start), sorted(spans, key=lambda span: span.end)
    total, active, last = Fraction(0), [], None
    for time in sorted({time for span in spans for time in (span.start, span.end)}):
        if active:
            total += max(factor[span] for span in active) * (time - last)
        while ends and ends[0].end == time:
            active.remove(ends.pop(0)) if ends[0] in active else ends.pop(0)
        while begins and begins[0].start == time:
            active.append(begins.pop(0))
        last = time
    return half_even(total.numerator, total.denominator)


def divided(spans):
    """By iteration the device work; whether it is of a device, and the events whose launch is in the file."""
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
    found = [[span for span, at in zip(work, iteration) if at == index] for index in sorted(set(iteration))]
    return found, device, {span for span, known in zip(work, launched) if known}


def recompute(spans, kernel_of):
    """Figures of all events of the file, and the number of iterations. `kernel_of`: of each event, by start, duration and name."""
    iterations, device, launched = divided(spans)
    work = [span for mine in iterations for span in mine]
    out = {'iterations': len(iterations), 'device': 0, 'spill_in': 0 if launched else None}
    busy = [length([(span.start, span.end) for span in mine]) for mine in iterations]
    wall = [max(span.end for span in mine) - min(span.start for span in mine) for mine in iterations]
    chosen = wall.index(lower_median(wall))
    out |= {'busy': sum(busy), 'wall': sum(wall), 'busy of one': busy[chosen], 'wall of one': wall[chosen]}
    for mine in iterations:
        for track in {span.track for span in mine}:
            line = [span for span in mine if span.track == track]
            # Of an operator only the stretches count in which nothing runs inside it.
            out['device'] += sum(span.end - span.start for span in line) if device else length([(span.start, span.end) for span in line])
    if device:
        owner = {span: kernel_of.get((span.start, span.end - span.start, span.name)) for span in work}
        out['undisturbed'] = undisturbed(iterations, chosen, owner)
        out['events'] = len(work)
        if launched:
            out['spill_in'] = sum(span.end - span.start for span in work if span not in launched)
    return out, iterations, chosen


def groups(run):
    """By the name of a table of the report: the groups of each kernel."""
    scope = {kernel['id']: kernel['scope'].split('.') if kernel['scope'] else [] for kernel in run['kernels']}
    return {'operator': {kernel['id']: [kernel['operator']] for kernel in run['kernels']},
            'category': {kernel['id']: [kernel['category']] for kernel in run['kernels']},
            'scope': {kernel: ['.'.join(parts[:count + 1]) for count in range(len(parts))] for kernel, parts in scope.items()}}


def faults_of_program(run, iterations, chosen, kernel_of):
    """What of the tables of a program is not the unions of events."""
    work = [span for mine in iterations for span in mine]
    owner = {span: kernel_of.get((span.start, span.end - span.start, span.name), -1) for span in work}
    if unbound := [span.name for span in iterations[chosen] if owner[span] == -1]:
        yield f'{len(unbound)} events of the representative iteration have no call, such as {unbound[0]}'
    for table, of_kernel in groups(run).items():
        times = collections.defaultdict(lambda: [[] for _ in iterations])
        for index, mine in enumerate(iterations):
            for span in mine:
                for name in of_kernel.get(owner[span], []):
                    times[name][index].append((span.start, span.end))
        wanted = {name: lower_median([length(spans) for spans in each]) for name, each in times.items()}
        stated = {row['name']: row['duration_ns'] for row in run['aggregates'][table]}
        if wanted != stated:
            name = next(name for name in sorted(set(wanted) | set(stated)) if wanted.get(name) != stated.get(name))
            yield f'{table} {name}: {stated.get(name)}, expected {wanted.get(name)}'
    streams = collections.defaultdict(list)
    for span in iterations[chosen]:
        streams[span.track].append((span.start, span.end))
    for stream in run['streams'] or []:
        wanted = length(streams[f"{stream['device']}/{stream['stream']}"])
        if stream['busy_ns'] != wanted:
            yield f"stream {stream['stream']}: {stream['busy_ns']}, expected {wanted}"


def faults_of(path):
    """Differences between the trace and what the command states; None for another kind of file."""
    spans = read(path)
    if spans is None:
        return None
    # Repetitions without marks would be guessed, which this does not.
    steps = '-steps=all' if any(STEP.match(span.name) for category in spans for span in spans[category]) else '-steps=whole'
    run = amdahlc.run_report(path, steps)
    rows = csv.DictReader(amdahlc.text('-emit=bindings', path, steps).splitlines())
    kernel_of = {(int(row['ts_ns']), int(row['duration_ns']), row['name']): int(row['kernel']) for row in rows if row['state'] == 'bound'}
    expected, iterations, chosen = recompute(spans, kernel_of)
    keys = {'busy': 'busy_ns_total', 'device': 'device_ns_total', 'wall': 'wall_ns_total', 'spill_in': 'spill_in_ns_total',
            'events': 'device_events', 'iterations': 'iterations', 'busy of one': 'busy_ns', 'wall of one': 'wall_ns', 'undisturbed': 'undisturbed_busy_ns'}
    found = [f'{key}: {run["trace"][name]}, expected {expected[key]}' for key, name in keys.items()
             if expected.get(key, run['trace'][name]) != run['trace'][name]]
    return found + (list(faults_of_program(run, iterations, chosen, kernel_of)) if 'events' in expected else [])


def check_kernels(check):
    """Of a run with several steps: medians of kernels, and undisturbed busy time, in which bound events take the medians of their kernels."""
    path = EXAMPLES / 'ranks' / 'rank0.json.gz'
    arguments = (f'-trace={path}', EXAMPLES / 'encoder.onnx')
    run = amdahlc.run_report(*arguments)
    rows = csv.DictReader(amdahlc.text('-emit=bindings', *arguments).splitlines())
    owner = {(int(row['ts_ns']), int(row['duration_ns']), row['name']): int(row['kernel']) for row in rows if row['state'] == 'bound'}
    iterations = divided(read(path))[0][1:]  # the first is warm-up
    kernel_of = {span: owner.get((span.start, span.end - span.start, span.name)) for mine in iterations for span in mine}
    wall = [max(span.end for span in mine) - min(span.start for span in mine) for mine in iterations]
    chosen = wall.index(lower_median(wall))
    trace = run['trace']
    check.that(len(iterations) > 2, f'{path.name}: {len(iterations)} steps')
    check.equal(f'{path.name}: busy, wall and undisturbed busy', (trace['busy_ns'], trace['wall_ns'], trace['undisturbed_busy_ns']),
                (length([(span.start, span.end) for span in iterations[chosen]]), wall[chosen], undisturbed(iterations, chosen, kernel_of)))
    for kernel in run['kernels']:
        times = [length([(span.start, span.end) for span in mine if kernel_of[span] == kernel['id']]) for mine in iterations]
        check.equal(f'{path.name}: kernel {kernel["id"]}', kernel['duration_ns'], lower_median(times))


def check(check):
    check_kernels(check)
    files = [path for folder in ('traces', 'reference', 'cases/binding') for path in sorted((SHARED / folder).rglob('*')) if re.search(r'\.json(\.gz)?$', path.name)]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for path, found in zip(files, pool.map(faults_of, files)):
            if found is not None:
                check.none(path.relative_to(SHARED), found)
