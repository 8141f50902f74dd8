"""Graphs and node data for Model Explorer keep the rules of the viewer, fit each other, and add up to the report.

Both are of recorded runs with a what-if. In the graph, ids are unique, edges lead from outputs that exist to inputs that exist and close no circle, and
every namespace, link and overlay names what is there. Node data is resolved as the viewer does it, which prefers names of tensors to ids of nodes. Then each
kernel with events has its share, once at its first node, or at each of its nodes; sums over namespaces are sums over the kernels of the report, and the sum
of all is the bound part of busy time where no events overlap; what is predicted is the what-if of the report.
"""
import collections
import json
import math
import pathlib
import re
import tempfile

from checks import shapes
from checks.command import amdahlc
from checks.places import MODELS, SHARED, SOURCE, TRACES

# (model, trace)
OWN = [('examples/encoder.onnx', 'examples/encoder.trace.json.gz'),
       *((f'tests/data/{case}/model.{export}.onnx', f'tests/data/{case}/trace.json.gz')
         for case in ('cond', 'gru', 'embedding_bag', 'compiled_encoder') for export in ('dynamo', 'torchscript'))]
OTHERS = [('bert-small.dynamo', 'h100/bert-small.json.gz'), ('bert-small.torchscript', 'h100/bert-small.json.gz'), ('vit-base.dynamo', 'mi300/vit-base.json.gz'),
          ('resnet18.ort-optimized', 'ort/resnet18-all.json.gz'), ('bert-small-fp32.torchscript', 'cpu/bert-small-fp32-eager.json.gz'),
          ('bert-small-fp32.ort-optimized', 'ort/bert-small-fp32-all.json.gz'), ('resnet18-b32.numbered-names', 'tensorrt/resnet18-a100-fp16/profile.json')]
# Six significant digits.
CLOSE = 5e-6
COLOR = re.compile(r'#[0-9a-f]{6}')
CONTROL = re.compile('[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]')


def close(a, b):
    return math.isclose(a, b, rel_tol=CLOSE, abs_tol=1e-12)


def parts(namespace):
    """The components of a namespace, as the viewer divides it."""
    return [part for part in re.split(r'(?<!\\)/', namespace) if part]


def around(namespace):
    """The namespace and those around it."""
    names = parts(namespace)
    return ['/'.join(names[:count]) for count in range(1, len(names) + 1)]


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from strings(item)


def text(value):
    shapes.check(isinstance(value, str) and not CONTROL.search(value), {True})


def color(value):
    shapes.check(bool(COLOR.fullmatch(value)), {True})


PAIR = {'key': text, 'value': ({'type': {'node_ids'}, 'nodeIds': [str]}, text)}
METADATA = {'id': text, 'attrs': [{'key': text, 'value': text}]}
# The schema of the viewer, `input_graph.ts` of its sources.
NODE = {'id': str, 'label': str, 'namespace': text, 'attrs?': [PAIR], 'inputsMetadata?': [METADATA], 'outputsMetadata': [METADATA],
        'incomingEdges': [shapes.ANY], 'style?': {'borderWidth?': shapes.ANY, '*': color}, '*': shapes.ANY}


def has_circle(nodes):
    """Whether edges lead back, by removing nodes without incoming edges."""
    left = {node['id']: len(node['incomingEdges']) for node in nodes}
    users = collections.defaultdict(list)
    for node in nodes:
        for edge in node['incomingEdges']:
            users[edge['sourceNodeId']].append(node['id'])
    ready = [name for name, count in left.items() if count == 0]
    done = 0
    while ready:
        done += 1
        for user in users[ready.pop()]:
            left[user] -= 1
            if left[user] == 0:
                ready.append(user)
    return done != len(nodes)


def check_graph(check, what, graph, report):
    nodes, by_id = graph['nodes'], {node['id']: node for node in graph['nodes']}
    check.equal(f'{what}: ids', len(by_id), len(nodes))
    outputs = {node['id']: {output['id'] for output in node['outputsMetadata']} for node in nodes}
    for node in nodes:
        where, edges = f'{what}: node {node["id"]}', node['incomingEdges']
        shapes.check(node, NODE)
        check.that(';' not in node['namespace'] and '/'.join(parts(node['namespace'])) == node['namespace'], f'{where}: the viewer reads another namespace')
        linked = {one for pair in node.get('attrs', []) if isinstance(pair['value'], dict) for one in pair['value']['nodeIds']}
        check.equal(f'{where}: links that lead nowhere', linked - by_id.keys(), set())
        check.equal(f'{where}: inputs with an edge', len({edge['targetNodeInputId'] for edge in edges}), len(edges))
        check.that(all(edge['sourceNodeOutputId'] in outputs.get(edge['sourceNodeId'], ()) for edge in edges), f'{where}: an edge comes from nowhere')
    check.that(not has_circle(nodes), f'{what}: edges close a circle')
    shapes.check(graph['groupNodeAttributes'], {'*': {'*': text}})
    spaces = {space for node in nodes for space in around(node['namespace'])}
    check.equal(f'{what}: namespaces without nodes', graph['groupNodeAttributes'].keys() - spaces - {''}, set())
    check.none(f'{what}: control characters', (one for one in strings(graph) if CONTROL.search(one)))
    [run] = report['runs']
    states = {node['index']: node['state'] for node in run['nodes']}
    live = [node['name'] for node in report['model']['nodes'] if states[node['index']] not in ('absorbed', 'folded')]
    check.equal(f'{what}: operators', sorted(attributes(node)['node'] for node in nodes if 'attrs' in node), sorted(live))
    check_paths(check, what, graph, by_id, run)


def check_paths(check, what, graph, by_id, run):
    """Overlays are the paths of the report, from anchor to anchor."""
    scenarios = [row['critical_path'] for row in run['what_if'] or []]
    expected = [[run['kernels'][kernel]['nodes'][0] for kernel in path['kernels']] for path in [run['critical_path'], *scenarios]]
    data = graph.get('tasksData', {}).get('edgeOverlaysDataListLeftPane', [])
    if not data:
        check.that(all(len(path) < 2 for path in expected), f'{what}: the critical path is missing')
        return
    check.equal(f'{what}: overlays', (data[0]['type'], data[0]['graphName']), ('edge_overlays', graph['id']))
    names = {node: attributes(by_id[node]).get('node') for node in by_id}
    for overlay, path in zip(data[0]['overlays'], expected, strict=True):
        ends = [(names.get(edge['sourceNodeId']), names.get(edge['targetNodeId'])) for edge in overlay['edges']]
        check.equal(f'{what}: overlay `{overlay["name"]}`', ends, list(zip(path, path[1:])))


def attributes(node):
    return {pair['key']: pair['value'] for pair in node.get('attrs', [])}


def resolved(data, graph):
    """Values by id of node, as the viewer finds them: names of tensors first."""
    of_tensor = {pair['value']: node['id'] for node in graph['nodes'] for output in node['outputsMetadata'] for pair in output['attrs']
                 if pair['key'] == 'tensor_name'}
    values = {}
    for key, result in data['results'].items():
        node = of_tensor.get(key, key)
        if node in values:
            raise ValueError(f'two keys name the node {node}')
        values[node] = result['value']
    return values


def check_values(check, what, values, graph, expected):
    """Values are those of `expected`, in percent, by name of node; sums over namespaces, and of all."""
    nodes = {node['id']: node for node in graph['nodes']}
    if not check.equal(f'{what}: keys that name no node', values.keys() - nodes.keys(), set()):
        return
    found = {attributes(nodes[node])['node']: value for node, value in values.items()}
    if not check.equal(f'{what}: nodes', found.keys() ^ expected.keys(), set()):
        return
    sums, shares = collections.Counter(), collections.Counter()
    for node, value in values.items():
        name = attributes(nodes[node])['node']
        check.that(close(value, 100 * expected[name]), f'{what}: {name} has {value}, not {100 * expected[name]}')
        for space in ['', *around(nodes[node]['namespace'])]:
            sums[space] += value
            shares[space] += 100 * expected[name]
    for space, share in shares.items():
        check.that(close(sums[space], share), f'{what}: the sum of `{space}` is {sums[space]}, not {share}')


def totals(kernels, first_only):
    """Shares of kernels at their first node, or at each of their nodes."""
    found = collections.Counter()
    for kernel, share in kernels:
        for node in kernel['nodes'][:1 if first_only else None]:
            found[node] += share
    return dict(found)


def check_data(check, what, folder, graph, run):
    """The files of node data of a run with one what-if."""
    trace, plan = run['trace'], run['what_if'][0]
    bound = [kernel for kernel in run['kernels'] if kernel['state'] == 'bound']
    new = {row['id']: row['duration_ns'] for row in plan['kernels']}
    busy = trace['undisturbed_busy_ns']
    measured = [(kernel, kernel['ratio']) for kernel in bound]
    # Times of the report are rounded; those that did not change are taken from their share.
    predicted = [(kernel, (new[kernel['id']] if kernel['id'] in new else kernel['ratio'] * busy) / plan['busy_ns']) for kernel in bound]
    planned = 'data.' + re.sub('[^A-Za-z0-9-]', '_', plan['name'])
    for name, shares in (('data', measured), ('data.kernels', measured), (planned, predicted), (f'{planned}.kernels', predicted)):
        where, by_kernel = f'{what}: {name}', name.endswith('kernels')
        document = json.loads((folder / f'{name}.json').read_text(encoding='utf-8'))
        check.none(f'{where}: control characters', (one for one in strings(document) if CONTROL.search(one)))
        data = document[graph['id']]
        check.equal(f'{where}: whether sums are hidden', 'sum' in data.get('hideAggregatedStats', ()), by_kernel)
        shapes.check([result['bgColor'] for result in data['results'].values()], [color])
        check_values(check, where, resolved(data, graph), graph, totals(shares, not by_kernel))
        # Medians need not add up.
        if name == 'data' and trace['iterations'] == 1 and trace['device_ns_total'] == trace['busy_ns_total'] and trace['busy_ns_total']:
            total = sum(result['value'] for result in data['results'].values())
            check.that(close(total, 100 * trace['bound_ns_total'] / trace['busy_ns_total']), f'{where}: the sum is {total}, not the bound part of busy time')


def check_run(check, model, trace, folder):
    graph, data, what = folder / 'graph.json', folder / 'data.json', f'{model.parent.name}/{model.name}'
    run = amdahlc.run_report(f'-trace=run={trace}', model)
    longest = max((kernel for kernel in run['kernels'] if kernel['state'] == 'bound'), key=lambda kernel: kernel['duration_ns'])
    report = amdahlc.report(f'-trace=run={trace}', f'-what-if=id:{longest["id"]}=3x', f'-emit=model-explorer={graph}', f'-emit=node-data={data}', model)
    document = json.loads(graph.read_text(encoding='utf-8'))
    shapes.check(document, {'label': shapes.ANY, 'graphs': list})
    [only] = document['graphs']
    check_graph(check, what, only, report)
    check_data(check, what, folder, only, report['runs'][0])


def check(check):
    cases = [(SOURCE / model, SOURCE / trace) for model, trace in OWN]
    if SHARED.is_dir():
        cases += [(MODELS / f'{model}.onnx', TRACES / trace) for model, trace in OTHERS]
    else:
        check.left_out('runs of the folder `shared` beside the project', 'it is missing')
    for model, trace in cases:
        with tempfile.TemporaryDirectory() as folder:
            check_run(check, model, trace, pathlib.Path(folder))
