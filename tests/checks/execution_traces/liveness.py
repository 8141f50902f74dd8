"""The liveness of recorded programs, and what their allocator recorded, are those that the definitions give.

Births of the execution trace are recomputed by its definitions, lives of memory from the records of the allocator. Each birth must have an allocation of at least its size
inside of the call that bore it.
"""
import bisect
import collections

from checks.command import amdahlc
from checks.execution_traces import definitions, recorded

# Storages that are first seen as a result, and of these those with an allocation of at least their size in the call: what a simple search found.
FOUND = {'conv_training': (98, 88), 'encoder_training': (405, 380), 'gan': (186, 172)}


class Record:
    def __init__(self, event):
        facts = event['args']
        self.ns, self.bytes, self.address, self.total = recorded.ns(event['ts']), facts['Bytes'], facts['Addr'], facts['Total Allocated']


def lives_of(records):
    """(address, bytes, from, to or None) in order of allocation."""
    lives, last = [], {}
    for record in records:
        if record.address in last:
            lives[last.pop(record.address)][3] = record.ns
        if record.bytes > 0:
            last[record.address] = len(lives)
            lives.append([record.address, record.bytes, record.ns, None])
    return [tuple(life) for life in lives]


def call_at(calls, ns):
    """The name of the innermost operator at a time: the last one to begin of those that have not ended."""
    around = [call for call in calls[:bisect.bisect_right(calls, ns, key=lambda call: call[0])] if call[1] >= ns]
    return around[-1][2] if around else None


def size_of(call, storage):
    return max(tensor.end for tensor in call.returned() if tensor.storage == storage)


def check_births(check, what, calls, births, intervals, records):
    """Each birth has an allocation of its own; what other allocations are."""
    times = [record.ns for record in records]
    without, taken = [], set()
    for _, node, _, storage in births:
        call = calls[node]
        size = size_of(call, storage)
        [(start, end)] = intervals[call.function, call.name]
        inside = [place for place in range(bisect.bisect_left(times, start), bisect.bisect_right(times, end)) if records[place].bytes >= size and place not in taken]
        if inside:
            taken.add(min(inside, key=lambda place: records[place].bytes))
        else:
            without.append((call.name, storage, size))
    check.equal(f'{what}: births without an allocation', without, [])
    born = {storage for *_, storage in births}
    if what in FOUND:
        check.that(len(born) >= FOUND[what][0] and len(births) - len(without) >= FOUND[what][1], f'{what}: {len(births)} births of {len(born)} storages are fewer than {FOUND[what]}')
    spans = sorted((start, end) for same in intervals.values() for start, end in same)
    kinds = collections.Counter()
    frees = {(life[0], life[2]): life[3] for life in lives_of(records)}
    for place, record in enumerate(records):
        if record.bytes <= 0 or place in taken:
            continue
        around = [(start, end) for start, end in spans[:bisect.bisect_right(spans, (record.ns, float('inf')))] if end >= record.ns]
        freed = frees[record.address, record.ns]
        kinds['outside of all calls' if not around else
              'free before the call that allocated it returns' if freed is not None and freed <= max(around)[1] else
              'free before the outermost call returns' if freed is not None and freed <= max(end for _, end in around) else 'returned by no call'] += 1
    check.say(f'{what}: {len(births)} births of {len(born)} storages, all with an allocation; of {sum(record.bytes > 0 for record in records)} allocations '
              + ', '.join(f'{count} are {kind}' for kind, count in sorted(kinds.items())))


def check_measured(check, what, run, trace, records):
    [(start, end)] = [(recorded.ns(event['ts']), recorded.ns(event['ts']) + recorded.ns(event['dur'])) for event in trace['traceEvents']
                      if event.get('cat') == 'user_annotation' and event['name'] == run['trace']['representative']]
    operators = sorted((recorded.ns(event['ts']), recorded.ns(event['ts']) + recorded.ns(event['dur']), event['name']) for event in trace['traceEvents'] if event.get('cat') == 'cpu_op')
    operators.sort(key=lambda call: (call[0], -call[1]))
    liveness = run['liveness']
    measured = liveness['measured']
    inside = [record for record in records if start <= record.ns <= end]
    check.equal(f'{what}: measured peak', measured['peak_bytes'], max(record.total for record in inside))
    expected = [(*life, call_at(operators, life[2])) for life in lives_of(records) if life[2] <= end and (life[3] is None or life[3] >= start)]
    check.equal(f'{what}: measured lives', [tuple(life[key] for key in ('address', 'bytes', 'from_ns', 'to_ns', 'call')) for life in measured['lives']], expected)
    check.equal(f'{what}: differences', sum(row['bytes'] for row in measured['differences']), measured['peak_bytes'] - liveness['peak_bytes'])
    tensors, held = liveness['tensors'], collections.Counter()
    for life in measured['lives']:
        if life['tensor'] is None:
            continue
        held[life['tensor']] += 1
        check.that(life['bytes'] >= tensors[life['tensor']]['bytes'], f'{what}: {life} is smaller than its tensor')
        check.that(start <= life['from_ns'] <= end, f'{what}: {life} is of another iteration')
    check.that(all(count == 1 for count in held.values()), f'{what}: tensors in several pieces of memory')
    return start, end


def check_computed(check, what, liveness, calls, births, intervals, step):
    """Each tensor that the step makes is as large as a storage that some call of it bore."""
    sizes = collections.Counter(size_of(calls[node], storage) for group, node, _, storage in births
                                if step[0] <= intervals[calls[group].function, calls[group].name][0][0] < step[1])
    computed = collections.Counter(tensor['bytes'] for tensor in liveness['tensors'] if not tensor['global'] and tensor['birth'] > 0)
    check.equal(f'{what}: sizes of tensors that no birth has', computed - sizes, collections.Counter())


def check(check):
    for folder in sorted(recorded.PROGRAMS.iterdir()):
        if not folder.is_dir():
            continue
        what, trace_path, et_path = folder.name, folder / 'trace.json.gz', folder / 'et.json.gz'
        trace = recorded.load(trace_path)
        calls = definitions.calls_of(recorded.load(et_path))
        groups = recorded.outermost_operators(calls)
        births = definitions.edges_of(calls, groups)[2]
        intervals = collections.defaultdict(list)
        for event in trace['traceEvents']:
            if event.get('ph') == 'X' and event.get('cat') in ('cpu_op', 'user_annotation'):
                start = recorded.ns(event['ts'])
                intervals[event['args'].get('Record function id'), event['name']].append((start, start + recorded.ns(event['dur'])))
        records = [Record(event) for event in trace['traceEvents'] if event.get('name') == '[memory]']
        records.sort(key=lambda record: record.ns)
        check_births(check, what, calls, births, intervals, records)
        [run] = amdahlc.outputs('liveness json', trace_path, et_path)[1]['runs']
        step = check_measured(check, what, run, trace, records)
        check_computed(check, what, run['liveness'], calls, births, intervals, step)
