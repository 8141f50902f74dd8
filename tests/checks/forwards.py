"""The forwards of recorded runs, and the times of one, are those that follow from their raw files.

docs/forwards.md defines them. Here each event is tested against the calls of the model by its time, without a tree of calls, and time is counted by sweeping over
the ends of events. All forwards of these runs have the same shapes.
"""
import collections
import decimal
import gzip
import json
import statistics

from checks import command, places

DEVICE = {'kernel', 'gpu_memcpy', 'gpu_memset'}


def traces():
    found = sorted((places.SHARED / 'cases' / 'binding').glob('*/trace.json.gz')) + sorted((places.SHARED / 'cases' / 'binding' / 'controls').glob('*/trace.json.gz'))
    found += [places.SHARED / 'traces' / machine / f'{model}.json.gz' for machine in ('h100', 'mi300') for model in ('bert-small', 'vit-base')]
    return found + [places.SOURCE / 'examples' / 'h100' / f'{model}.trace.json.gz' for model in ('encoder', 'decoder')]


def to_ns(time):
    return int(decimal.Decimal(str(time)) * 1000)


def read(path):
    """Calls of modules that no other one encloses on their thread, and the events with the times of their launches."""
    with gzip.open(path) as file:
        raw = [event for event in json.load(file)['traceEvents'] if event.get('ph') == 'X']
    modules, ends = [], {}
    frames = [(to_ns(e['ts']), to_ns(e['dur']), e['tid'], e['name']) for e in raw if e['name'].startswith('nn.Module: ')]
    for start, duration, thread, name in sorted(frames, key=lambda frame: (frame[0], -frame[1])):
        if start >= ends.get(thread, start):
            ends[thread] = start + duration
            modules.append((start, start + duration, name))
    device = [e for e in raw if e.get('cat') in DEVICE]
    launches = {e['args']['correlation']: to_ns(e['ts']) for e in raw if e.get('cat') in ('cuda_runtime', 'cuda_driver') and 'correlation' in e.get('args', {})}
    times = [(launches.get(e['args'].get('correlation')) if device else to_ns(e['ts']), to_ns(e['ts']), to_ns(e['ts']) + to_ns(e['dur']))
             for e in device or [e for e in raw if e.get('cat') == 'cpu_op']]
    return modules, [time for time in times if time[0] is not None]


def busy(events):
    total, active, before = 0, 0, 0
    for ns, change in sorted([(start, 1) for _, start, _ in events] + [(end, -1) for _, _, end in events]):
        total += ns - before if active else 0
        active, before = active + change, ns
    return total


def forwards(modules, events):
    """The events of each call of the module that launched the most device time."""
    inside = [[event for event in events if start <= event[0] < end] for start, end, _ in modules]
    time = collections.Counter()
    for (_, _, name), held in zip(modules, inside):
        time[name] += sum(end - start for _, start, end in held)
    model = max(time, key=time.get, default=None)
    return [held for (_, _, name), held in zip(modules, inside) if name == model and held]


def check(check):
    for path in traces():
        what = str(path.relative_to(places.SHARED if path.is_relative_to(places.SHARED) else places.SOURCE))
        if not check.only.search(what):
            continue
        found = forwards(*read(path))
        rows = command.amdahlc.run_report('-steps=whole', path)['forward_groups']
        if not found:
            check.that(rows[0]['forwards'] == 1 and len(rows) == 1, f'{what}: without modules there are {rows}')
            continue
        expected = {'name': 'forward', 'forwards': len(found), 'forwards_total': len(found), 'busy_ns': statistics.median_low(map(busy, found)),
                    'wall_ns': statistics.median_low(max(end for _, _, end in held) - min(start for _, start, _ in held) for held in found)}
        check.that(rows == [expected], f'{what}: {rows}, expected {expected}')
