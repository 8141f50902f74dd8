"""The kernels of a graph that a server launches have the operators and modules under which they were captured.

Of a recorded decode step and the trace of its capture: each device event of the launch of the graph is the captured call of the same place, found here from the files alone. The
outermost operator around that call is the operator of the kernel that the event is bound to, the modules around the operator are its scope, and events of one call are of one
kernel. Kernels of the graph stay where they are in time: all that is replayed is as without the capture.
"""
import collections
import gzip
import json
import re

from checks.command import amdahlc
from checks.execution_traces.recorded import AROUND, ns
from checks.places import SHARED

SERVING = SHARED / 'programs' / 'serving' / 'sglang_decode'
# Sections that are about times and launches, not about what kernels are.
SAME = ('replay', 'run_path', 'idle', 'overheads', 'concurrency', 'trace')


def events_of(path):
    with gzip.open(path) as file:
        return [event for event in json.load(file)['traceEvents'] if event.get('ph') == 'X']


def is_device(event):
    return event.get('cat') in ('kernel', 'gpu_memcpy', 'gpu_memset')


def interval(event):
    start = ns(event['ts'])
    return start, start + ns(event['dur'])


def around(call, events):
    """The events of the thread of a call that enclose it, outermost first."""
    start, end = interval(call)
    found = [event for event in events if event['tid'] == call['tid'] and interval(event)[0] <= start and end <= interval(event)[1] and event is not call]
    return sorted(found, key=lambda event: (interval(event)[0], -interval(event)[1], event['args'].get('Ev Idx', 0)))


def captured_launches(events):
    [begin] = [interval(event)[0] for event in events if event['name'].endswith('StreamBeginCapture')]
    [end] = [interval(event)[0] for event in events if event['name'].endswith('StreamEndCapture')]
    ran = {event['args'].get('correlation') for event in events if is_device(event)}
    launches = [event for event in events if event.get('cat') == 'cuda_runtime' and 'kernel' in event['args'] and begin < interval(event)[0] < end
                and event['args']['correlation'] not in ran]
    return sorted(launches, key=interval)


def graph_events(events):
    [launch] = [event for event in events if event['name'].endswith('GraphLaunch')]
    return sorted((event for event in events if is_device(event) and event['args']['correlation'] == launch['args']['correlation']), key=interval)


def expected(launches, events):
    """Of each launch: the outermost operator around it, and the modules around that."""
    operators = [event for event in events if event.get('cat') == 'cpu_op' and '::' in event['name'] and not AROUND.match(event['name'])]
    modules = [event for event in events if event.get('cat') == 'python_function' and event['name'].startswith('nn.Module: ')]
    for launch in launches:
        operator = around(launch, operators)[0]
        yield operator, '.'.join(module['name'].removeprefix('nn.Module: ') for module in around(operator, modules))


def operand_shapes(ir):
    """By call and place: the dimensions of its operands in IR text."""
    operands = re.findall(r'^  (?:input|constant) %"in:(.+):(\d+)" : \w+\[([\d,]*)\]', ir, re.MULTILINE)
    return {(call, int(place)): [int(size) for size in dims.split(',') if size] for call, place, dims in operands}


def check(check):
    run, capture = SERVING / 'run.json.gz', SERVING / 'capture.json.gz'
    traced, recorded = graph_events(events_of(run)), events_of(capture)
    launches = captured_launches(recorded)
    check.equal('names of the kernels, in order', [event['name'] for event in traced], [launch['args']['kernel'] for launch in launches])
    report, bindings, ir = amdahlc.outputs('json bindings ir', run, capture)
    shapes = operand_shapes(ir)
    [with_capture] = report['runs']
    kernels = {kernel['id']: kernel for kernel in with_capture['kernels']}
    kernel_at = {int(row['ts_ns']): kernels[int(row['kernel'])] for row in bindings}
    kernel_of = {}
    compared = 0
    for event, (operator, scope) in zip(traced, expected(launches, recorded)):
        kernel = kernel_at[interval(event)[0]]
        call = id(operator)
        check.equal(f'{event["name"][:40]}: operator', kernel['operator'], operator['name'])
        check.equal(f'{event["name"][:40]}: scope', kernel['scope'], scope)
        for place, dims in enumerate(operator['args']['Input Dims']):
            known = shapes.get((kernel['nodes'][-1], place), dims)
            check.equal(f'{kernel["nodes"][-1]}: operand {place}', known, dims)
            compared += known is not dims
        check.equal(f'{event["name"][:40]}: kernel of its call', kernel_of.setdefault(call, kernel['id']), kernel['id'])
    check.equal('calls of the graph that are one kernel', len(set(kernel_of.values())), len(kernel_of))
    by_kernel = collections.Counter(kernel_at[interval(event)[0]]['id'] for event in traced)
    check.equal('events by kernel', {id: kernels[id]['events'] for id in by_kernel}, dict(by_kernel))
    check.equal('captures', with_capture['captures'], [{'file': 'capture.json.gz', 'name': 'capture_32_DECODE', 'launches': len(launches), 'replays': 1, 'events': len(traced)}])
    products = [kernels[id] for id in by_kernel if kernels[id]['operator'] == 'aiter::gemm_a16w16']
    check.equal('rules of products, which are lowered', {(kernel['rule'], kernel['category']) for kernel in products}, {('matmul', 'gemm')})
    [without] = amdahlc.report(run)['runs']
    for key in SAME:
        same = [{k: v for k, v in one[key].items() if k not in ('file', 'files', 'content_hash')} if isinstance(one[key], dict) else one[key] for one in (with_capture, without)]
        check.equal(f'{key} with and without the capture', *same)
    check.at_least('operands with shapes', compared, len(traced))
    check.say(f'{len(traced)} events of the graph are of {len(kernel_of)} calls; {compared} operands of their events have shapes')
