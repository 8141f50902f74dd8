"""Reports on recorded runs against figures that do not come from this program. Checks of one process share the reports."""
import collections
import decimal
import re
import sqlite3

from checks.accuracy import runtimes
from checks.command import amdahlc, any_model, recorded
from checks.intervals import length
from checks.places import CPU_PAIRS, GPU_PAIRS, ONNXRUNTIME_PAIRS, TENSORRT_PAIRS, TRACES

BERT_SCOPES = {  # H100, ns with all inside, by the module frames of the trace
    'bert': 257341, 'bert.embeddings': 16511, 'bert.encoder': 233182, 'bert.encoder.layer.0': 58845, 'bert.encoder.layer.1': 58431,
    'bert.encoder.layer.3': 58305, 'cls': 52096, 'cls.predictions.transform': 10816, 'cls.predictions.decoder': 41280}
BERT_LABELS = {'linear': 197598, 'sdpa': 37408, 'layer_norm': 30912, 'add': 14752 + 1696, 'gelu': 9599}
VIT_SCOPES = {'embeddings.patch_embeddings': 129600, 'embeddings': 140641, 'encoder': 1071901, 'layernorm': 4384, 'pooler': 8384}
# Of traces, whose models must all agree on common scopes: exact totals, least bound share, times of scopes and of rules.
FIGURES = {
    'h100/bert-small': dict(device_events=61, busy_ns=309437, wall_ns=3907825, bound=0.96, scopes=BERT_SCOPES, labels=BERT_LABELS),
    'mi300/bert-small': dict(device_events=61, busy_ns=390748, wall_ns=3495976, bound=0.96),
    'h100/vit-base': dict(device_events=156, busy_ns=1225310, wall_ns=7559844, bound=1, scopes=VIT_SCOPES),
    'mi300/vit-base': dict(device_events=155, busy_ns=1716301, wall_ns=6868849, bound=1),
    'cpu/bert-small-fp32-eager': dict(device_events=3147, busy_ns=117900650, bound=0.998),
    'cpu/resnet18-eager': dict(device_events=2349, busy_ns=42835337, bound=0.97),
}
# Profile, layers, executions, the exact sum of the means in ms.
ENGINES = [('mobilenet-qat', 73, 6610, '0.47038876'), ('resnet18-a100-fp16', 36, 1, '1.016832'), ('resnet18-a100-fp32', 32, 1, '2.123776')]


def scopes_of(report):
    """Every module scope of the graph: those of its nodes and all around them."""
    scopes = set()
    for node in report['model']['nodes']:
        parts = node['scope'].split('.') if node['scope'] else []
        scopes |= {'.'.join(parts[:i + 1]) for i in range(len(parts))}
    return scopes


def figures(check):
    """The exact totals of a trace, the share of device time that is bound, the time of module scopes; exports of one model agree on every common scope."""
    for trace, facts in FIGURES.items():
        first = None
        for pair in (pair for pair in GPU_PAIRS + CPU_PAIRS if pair.trace == trace):
            report = recorded(pair)[0]
            [run] = report['runs']
            totals = run['trace']
            for key, name in {'device_events': 'device_events', 'busy_ns': 'busy_ns_mean', 'wall_ns': 'wall_ns_mean'}.items():
                check.equal(f'{pair}: {key}', totals[name], facts.get(key, totals[name]))
            check.equal(f'{pair}: bound and unbound', totals['bound_ns_total'] + totals['unbound_ns_total'], totals['device_ns_total'])
            states = sum(run['binding'][f'{state}_ns'] for state in ('bound', 'ambiguous', 'runtime_only', 'foreign', 'unknown'))
            check.equal(f'{pair}: device time by state', (states, run['binding']['bound_ns']), (totals['device_ns'], totals['bound_ns']))
            check.at_least(f'{pair}: bound share', totals['bound_ns_total'] / totals['device_ns_total'], facts['bound'])
            inclusive, labels = ({row['name']: row['duration_ns_total'] for row in run['aggregates'][kind]} for kind in ('scope', 'rule'))
            for scope, expected in facts.get('scopes', {}).items():
                check.equal(f'{pair}: scope {scope}', inclusive.get(scope), expected)
            for label, expected in facts.get('labels', {}).items():
                measured = labels.get(label, 0) + (labels.get('attention', 0) if label == 'sdpa' else 0)
                check.equal(f'{pair}: rule {label}', measured, expected)
            own = collections.Counter()
            for kernel in run['kernels']:
                own[kernel['scope']] += kernel['duration_ns_total'] or 0
            first = first or (pair, scopes_of(report), inclusive, own)
            for scope in sorted(first[1] & scopes_of(report)):
                check.equal(f'{scope} of {pair} and {first[0]}', inclusive.get(scope, 0), first[2].get(scope, 0))
                check.equal(f'{scope} alone of {pair} and {first[0]}', own[scope], first[3][scope])


def onnxruntime_totals(check):
    """Profiles of ONNX Runtime: busy, device time, window, the number of events and the time of each node, exactly, over the iterations that count."""
    for pair in ONNXRUNTIME_PAIRS:
        report, _, bindings = recorded(pair)
        rows, runs = runtimes.profile_rows(pair.traces)
        kept = runs[1:] if len(runs) >= 3 else runs
        inside = [row for row in rows if any(start <= row.start < end for start, end in kept)]
        times, own = collections.Counter(), collections.Counter()
        for row in inside:
            times[row.name] += 1000 * (row.end - row.start)
        for event in bindings:
            own[event['name']] += int(event['duration_ns'])
        trace = report['runs'][0]['trace']
        busy = sum(length((row.start, row.end) for row in inside if start <= row.start < end) for start, end in kept)
        check.equal(f'{pair}: busy', trace['busy_ns_total'], 1000 * busy)
        check.equal(f'{pair}: device time', trace['device_ns_total'], 1000 * sum(row.end - row.start for row in inside))
        check.equal(f'{pair}: window', trace['window_ns_total'], 1000 * sum(end - start for start, end in kept))
        check.equal(f'{pair}: events', len(bindings), len(inside))
        check.equal(f'{pair}: times of nodes', own, times)


def onnxruntime_shapes(check):
    """Inferred shapes are those that ONNX Runtime recorded for the results of nodes of the same name; of a model that it saved, for all nodes."""
    for pair in ONNXRUNTIME_PAIRS:
        text = amdahlc.text('-passes=', pair.model_path)
        inferred = {name.strip('"'): dims for dims, name in re.findall(r'^ +#\d+ .* : \w+(\[[^]]*\])?(?:, .*)? name ("[^"]*"|\S+)', text, re.MULTILINE)}
        ran = {event['name'].removesuffix(runtimes.SUFFIX): next(iter(event['args']['output_type_shape'][0].values()))
               for event in runtimes.load(pair.traces) if event['cat'] == 'Node'}
        both = sorted(ran.keys() & inferred.keys())
        check.at_least(f'{pair}: nodes that are compared', len(both), len(ran) if pair.model.endswith('.ort-optimized') else 1)
        for name in both:
            check.equal(f'{pair}: {name}', inferred[name].strip('[]'), ','.join(map(str, ran[name])))


def tensorrt(check):
    """Profiles of TensorRT in exact decimals: layers, executions, their times; with a model, the times of layers that name nodes and of those that do not."""
    for name, count, executions, milliseconds in ENGINES:
        times, exact = runtimes.profile_layers(runtimes.profile_of_engine(name))
        check.equal(f'{name}: executions', times, executions)
        check.equal(f'{name}: layers', len(exact), count)
        check.equal(f'{name}: sum of means in ms', sum(ms for _, ms in exact), decimal.Decimal(milliseconds))
        # Each mean is rounded to a nanosecond: the sum differs from the exact one by half a nanosecond per layer at most.
        total = sum(runtimes.in_ns(ms) for _, ms in exact)
        check.that(abs(total - decimal.Decimal(milliseconds) * 1_000_000) <= decimal.Decimal(count) / 2, f'{name}: the sum of rounded means is {total} ns')
        pair = next((pair for pair in TENSORRT_PAIRS if pair.trace.endswith(name)), None)
        # A profile alone, and with the layer information.
        for traces in runtimes.traces_of_engine(name):
            trace = amdahlc.run_report(f'-trace={traces}')['trace']
            shown = {key: trace[key] for key in ('busy_ns', 'device_ns', 'wall_ns', 'iterations')}
            check.equal(f'{name}: totals', shown, {'busy_ns': total, 'device_ns': total, 'wall_ns': None, 'iterations': executions})
            if pair:
                report = recorded(pair)[0] if ',' in traces else amdahlc.report('-verify-each', f'-trace={traces}', pair.model_path)
                check_engine(check, name, report['runs'][0], runtimes.tensorrt_truth(runtimes.profile_of_engine(name), runtimes.Model(pair.model_path)))


def check_engine(check, name, run, rows):
    total = sum(row.length for row in rows)
    bound = sum(row.length for row in rows if row.choices)
    facts = {'busy_ns': total, 'device_ns': total, 'iterations': 1, **dict.fromkeys(('wall_ns', 'idle_ns', 'window_ns', 'wall_ns_mean', 'latency_ns'))}
    check.equal(f'{name}: trace', {key: run['trace'][key] for key in facts}, facts)
    check.equal(f'{name}: bound', (run['binding']['bound_ns'], run['binding']['runtime_only_ns']), (bound, total - bound))


# Kernels, copies and fills of an Nsight Systems export.
NSYS_WORK = ' UNION ALL '.join(f'SELECT start, "end", correlationId, globalPid >> 24 AS process, deviceId FROM CUPTI_ACTIVITY_KIND_{kind}' for kind in ('KERNEL', 'MEMCPY', 'MEMSET'))
NSYS_DEVICES = (0, 1)


def nsys(check):
    """Totals of an Nsight Systems export against SQL on the same file: events, busy, durations, first start to last end, events whose launch is not there."""
    path = TRACES / 'nsys' / 'h100_2gpu_1s.sqlite'
    database = sqlite3.connect(f'{path.as_uri()}?mode=ro&immutable=1', uri=True)
    calls = set(database.execute('SELECT correlationId, globalTid >> 24 FROM CUPTI_ACTIVITY_KIND_RUNTIME'))
    for device in NSYS_DEVICES:
        events = list(database.execute(f'SELECT start, "end", correlationId, process FROM ({NSYS_WORK}) WHERE deviceId = {device}'))
        report = amdahlc.report('-steps=all', f'-device={device}', f'-trace={path}', any_model())
        problems = {problem['name']: problem['count'] for problem in report['data_problems']}
        expected = {'device_events': len(events), 'busy_ns': length(event[:2] for event in events), 'device_ns': sum(end - start for start, end, *_ in events),
                    'wall_ns': max(event[1] for event in events) - min(event[0] for event in events)}
        check.equal(f'device {device}', {key: report['runs'][0]['trace'][key] for key in expected}, expected)
        check.equal(f'device {device}: events without a launch', problems.get('no-launch', 0), sum(tuple(key) not in calls for _, _, *key in events))
