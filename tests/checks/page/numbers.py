"""A page has the numbers of `-emit=json`: the report itself byte for byte, those of its summary, and columns of events that sum up to them.

Of each run the columns have as many values as their table, refer to what is there, and are in order. Of the selected iterations, the device time of each class
is that of the report, and of the representative iteration idle time by cause and the path of the run.
"""
import json

from checks.page.document import written
from checks.places import ENCODER, ENCODER_TRACE, EXAMPLES, SHARED
from checks.sampling import sampled

CLASSES = ('bound', 'ambiguous', 'runtime_only', 'foreign', 'unknown')
H100, BACK_ENDS = EXAMPLES / 'h100', EXAMPLES / 'back_ends'
# What is no index of a table: -1.
REFERENCES = {'event.call': 'host.start', 'event.operator': 'host.start', 'event.launch': 'launch.bytes', 'host.parent': 'host.start', 'idle.host': 'host.start',
              'path.host': 'host.start', 'path.event': 'event.duration'}


def cases():
    yield [ENCODER_TRACE, ENCODER]
    yield [H100 / 'decoder.trace.json.gz']
    yield [f'-trace={H100 / "decoder.trace.json.gz"}', f'-trace={H100 / "decoder.graph.trace.json.gz"}', H100 / 'decoder.onnx']
    yield [f'-trace={BACK_ENDS / "eager.trace.json.gz"}', f'-trace={BACK_ENDS / "compiled.trace.json.gz"}', f'-trace={BACK_ENDS / "onnxruntime.json.gz"}', ENCODER]
    yield [f'-trace={EXAMPLES / "ranks"}', '-rank=0']
    yield [ENCODER]


def shared_cases():
    for trace in sorted((SHARED / 'traces').rglob('*.json.gz')) + sorted((SHARED / 'traces').rglob('*.sqlite')):
        yield [trace]
    yield [f'-trace={SHARED}/traces/tensorrt/resnet18-a100-fp16/profile.json,{SHARED}/traces/tensorrt/resnet18-a100-fp16/graph.json',
           SHARED / 'models' / 'resnet18-b32.numbered-names.onnx']


def numbers_of(value, found):
    if isinstance(value, dict):
        for one in value.values():
            numbers_of(one, found)
    elif isinstance(value, list):
        for one in value:
            numbers_of(one, found)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        found.add(float(value))
    return found


def check_run(check, what, document, index, run):
    meta = document.page['runs'][index]
    prefix = f'{index}/'
    # Placed graphs are no tables; the check `page/graphs` is about them.
    names = [name.removeprefix(prefix) for name in document.meta if name.startswith(prefix) and not name.startswith((f'{prefix}graph.', f'{prefix}replay.'))]
    columns = {name: document.column(prefix + name) for name in names}
    if run['trace'] is None:
        return check.equal(f'{what}: columns', list(columns), [])
    lengths = {}
    for name, values in columns.items():
        if name != 'strings':
            lengths.setdefault(name.partition('.')[0], set()).add(len(values))
    check.none(f'{what}: tables with columns of different lengths', (table for table, found in lengths.items() if len(found) > 1))
    strings = document.strings(index)
    check.that(len(set(strings)) == len(strings), f'{what}: a string is there twice')
    for name, values in columns.items():
        if name.endswith('.name'):
            check.that(all(value < len(strings) for value in values), f'{what}: {name} refers to no string')
        if name.endswith('.lane'):
            check.that(all(value < len(meta['lanes']) for value in values), f'{what}: {name} refers to no lane')
        if name.endswith('.iteration'):
            check.that(all(-1 <= value < len(meta['iterations']) for value in values), f'{what}: {name} refers to no iteration')
        if name in REFERENCES:
            most = len(columns.get(REFERENCES[name], []))
            check.that(all(-1 <= value < most for value in values), f'{what}: {name} refers to no row')
        if name in ('event.start', 'host.start'):
            check.that(values == sorted(values) and (not values or values[0] >= 0), f'{what}: {name} is in no order')
    check.that(all(-1 <= kernel < len(run['kernels']) for kernel in columns['event.kernel']), f'{what}: no such kernel')
    check.equal(f'{what}: iterations', [(one['name'], one['selected']) for one in meta['iterations']],
                [(step['name'], step['selected']) for step in run['trace']['steps']])
    check_sums(check, what, columns, meta, run)


def check_sums(check, what, columns, meta, run):
    trace, times = run['trace'], dict.fromkeys(range(6), 0)
    for duration, state in zip(columns['event.duration'], columns['event.class']):
        times[state] += duration
    if trace['device_ns_total'] is not None and trace['bound_ns_total'] is not None:
        check.equal(f'{what}: bound time', times[0], trace['bound_ns_total'])
        check.equal(f'{what}: device time', sum(times[i] for i in range(5)), trace['device_ns_total'])
    check.equal(f'{what}: events that count', sum(state < 5 for state in columns['event.class']), trace['device_events'])
    if run['idle'] is None or trace['representative'] is None:
        return
    [step] = [one for one in meta['iterations'] if one['name'] == trace['representative'] and one['selected']][:1] or [None]
    index = meta['iterations'].index(step)
    for table, kind, expected in (('idle', 'cause', run['idle']), ('path', 'kind', [{'cause': row['kind'], **row} for row in run['run_path']])):
        sums, wanted = {}, {}
        for iteration, duration, cause in zip(columns[f'{table}.iteration'], columns[f'{table}.duration'], columns[f'{table}.{kind}']):
            if iteration == index:
                sums[meta['causes'][cause]] = sums.get(meta['causes'][cause], 0) + duration
        for row in expected:
            wanted[row['cause']] = wanted.get(row['cause'], 0) + row['ns']
        check.equal(f'{what}: {table}', sums, wanted)


def check(check):
    others = list(shared_cases()) if SHARED.is_dir() else []
    if not others:
        check.left_out('traces of the folder `shared` beside the project', 'it is missing')
    for options in [*cases(), *sampled(others)]:
        what = ' '.join(str(option).replace(f'{SHARED}/', '').replace(f'{EXAMPLES}/', '') for option in options)
        document, report = written(*options)
        check.that(document.report() == report, f'{what}: the report is another one')
        parsed = json.loads(report)
        known = numbers_of(parsed, set())
        check.none(f'{what}: numbers of the summary that the report does not have', (value for value in document.values if float(value) not in known))
        check.equal(f'{what}: runs', [run['label'] for run in document.page['runs']], [run['label'] for run in parsed['runs']])
        for index, run in enumerate(parsed['runs']):
            check_run(check, what, document, index, run)
