"""Graphs and node data for Model Explorer keep the rules of the viewer, fit the model itself, and add up to the report.

Both are of recorded runs with a what-if. In the graph, ids are unique, edges lead from outputs that exist to inputs that exist and close no circle, and
every namespace, link and overlay names what is there. Node data is resolved as the viewer does it, which prefers names of tensors to ids of nodes. Then each
kernel with events has its share, once at its first node, or at each of its nodes; sums over namespaces are sums over the kernels of the report, and the sum
of all is the bound part of busy time where no events overlap; what is predicted is the what-if of the report. The same data names nodes of the model: those
in the file, as read here, and those in the graphs of the viewer's ONNX extension, where `model_explorer_onnx` is installed.
"""
import collections
import json
import math
import pathlib
import re
import tempfile

from checks.accuracy import onnx_wire
from checks.command import amdahlc
from checks.places import MODELS, SHARED, SOURCE, TRACES

try:
    from model_explorer_onnx.main import ONNXAdapter
except ImportError:
    ONNXAdapter = None

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
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def is_list_of_pairs(attributes):
    return all(set(pair) == {'key', 'value'} and isinstance(pair['key'], str) for pair in attributes)


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


def check_graph(graph, report):
    """Faults of a graph, by the schema of the viewer (`input_graph.ts` of its sources)."""
    nodes = graph['nodes']
    by_id = {node['id']: node for node in nodes}
    if len(by_id) != len(nodes):
        yield 'ids repeat'
    spaces = {space for node in nodes for space in around(node['namespace'])}
    outputs = {node['id']: {output['id'] for output in node['outputsMetadata']} for node in nodes}
    for node in nodes:
        if not all(isinstance(node[key], str) for key in ('id', 'label', 'namespace')) or not node['id'] or not node['label']:
            yield f"texts are missing: {node['id']}"
        if ';' in node['namespace'] or '/'.join(parts(node['namespace'])) != node['namespace']:
            yield f"the viewer reads another namespace: {node['namespace']}"
        if not is_list_of_pairs(node.get('attrs', [])):
            yield f"attributes are no pairs: {node['id']}"
        for pair in node.get('attrs', []):
            if isinstance(pair['value'], dict):
                if pair['value']['type'] != 'node_ids' or not set(pair['value']['nodeIds']) <= set(by_id):
                    yield f"a link leads nowhere: {node['id']}"
            elif not isinstance(pair['value'], str):
                yield f"an attribute is no text: {node['id']}"
        metadata = node.get('inputsMetadata', []) + node['outputsMetadata']
        if not all(isinstance(item['id'], str) and is_list_of_pairs(item['attrs']) for item in metadata):
            yield f"metadata is malformed: {node['id']}"
        targets = collections.Counter(edge['targetNodeInputId'] for edge in node['incomingEdges'])
        if targets and max(targets.values()) > 1:
            yield f"an input has two edges: {node['id']}"
        for edge in node['incomingEdges']:
            if edge['sourceNodeOutputId'] not in outputs.get(edge['sourceNodeId'], ()):
                yield f"an edge comes from nowhere: {edge}"
        style = node.get('style', {})
        if not all(COLOR.fullmatch(value) for key, value in style.items() if key != 'borderWidth'):
            yield f'a colour is none: {style}'
    if has_circle(nodes):
        yield 'edges close a circle'
    for space, facts in graph['groupNodeAttributes'].items():
        if space and space not in spaces:
            yield f'attributes of a namespace without nodes: {space}'
        if not all(isinstance(value, str) for value in facts.values()):
            yield f'an attribute of a namespace is no text: {space}'
    if any(CONTROL.search(text) for text in strings(graph)):
        yield 'a text has control characters'
    run = report['runs'][0]
    states = {node['index']: node['state'] for node in run['nodes']}
    live = {node['name'] for node in report['model']['nodes'] if states[node['index']] not in ('absorbed', 'folded')}
    shown = [attributes(node)['node'] for node in nodes if 'attrs' in node]
    if len(shown) != len(set(shown)) or set(shown) != live:
        yield f'operators are missing or extra: {sorted(live ^ set(shown))[:3]}'
    yield from check_paths(graph, by_id, run)


def check_paths(graph, by_id, run):
    """Overlays are the paths of the report, from anchor to anchor."""
    # A scenario has one path, and a row for each model of wall time.
    scenarios = [row['critical_path'] for row in run['what_if'] or [] if row['wall_model'] != 'replay']
    expected = [path['kernels'] for path in [run['critical_path'], *scenarios]]
    data = graph.get('tasksData', {}).get('edgeOverlaysDataListLeftPane', [])
    if not data:
        if any(len(path) > 1 for path in expected):
            yield 'the critical path is missing'
        return
    if data[0]['type'] != 'edge_overlays' or data[0]['graphName'] != graph['id']:
        yield 'the overlays are not of this graph'
    names = {node['id']: attributes(node).get('node') for node in by_id.values()}
    for overlay, path in zip(data[0]['overlays'], expected, strict=True):
        nodes = [run['kernels'][kernel]['nodes'][0] for kernel in path]
        ends = [(names.get(edge['sourceNodeId']), names.get(edge['targetNodeId'])) for edge in overlay['edges']]
        if ends != list(zip(nodes, nodes[1:])):
            yield f"overlay `{overlay['name']}` is not the path of the report"


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


def check_values(values, graph, expected, what):
    """Values are those of `expected`, in percent, by name of node; sums over namespaces, and of all."""
    by_id = {node['id']: node for node in graph['nodes']}
    lost = set(values) - set(by_id)
    if lost:
        yield f'{what}: keys name no node: {sorted(lost)[:3]}'
        return
    found = {attributes(by_id[node])['node']: value for node, value in values.items()}
    if set(found) != set(expected):
        yield f'{what}: nodes differ: {sorted(set(found) ^ set(expected))[:3]}'
        return
    for name, share in expected.items():
        if not close(found[name], 100 * share):
            yield f'{what}: {name} has {found[name]}, not {100 * share}'
    sums, shares = collections.Counter(), collections.Counter()
    space_of = {attributes(node)['node']: around(node['namespace']) for node in graph['nodes'] if 'attrs' in node}
    for name in expected:
        for space in ['', *space_of[name]]:
            sums[space] += found[name]
            shares[space] += 100 * expected[name]
    for space in shares:
        if not close(sums[space], shares[space]):
            yield f'{what}: the sum of `{space}` is {sums[space]}, not {shares[space]}'


def at_anchors(kernels):
    totals = collections.Counter()
    for kernel, share in kernels:
        totals[kernel['nodes'][0]] += share
    return dict(totals)


def at_nodes(kernels):
    totals = collections.Counter()
    for kernel, share in kernels:
        for node in kernel['nodes']:
            totals[node] += share
    return dict(totals)


def check_data(folder, graph, run):
    """Faults of the files of node data of a run with one what-if."""
    bound = [kernel for kernel in run['kernels'] if kernel['state'] == 'bound']
    measured = [(kernel, kernel['ratio']) for kernel in bound]
    plan = run['what_if'][0]
    new = {row['id']: row['duration_ns'] for row in plan['kernels']}
    iterations = run['trace']['iterations']
    # Times of the report are rounded; those that did not change are taken from their share.
    predicted = [(kernel, (new[kernel['id']] if kernel['id'] in new else kernel['ratio'] * busy_of(run) / iterations) / plan['busy_ns']) for kernel in bound]
    documents = {}
    planned = 'data.' + re.sub('[^A-Za-z0-9-]', '_', plan['name'])
    for name, expected in (('data', at_anchors(measured)), ('data.kernels', at_nodes(measured)),
                           (planned, at_anchors(predicted)), (f'{planned}.kernels', at_nodes(predicted))):
        documents[name] = json.loads((folder / f'{name}.json').read_text(encoding='utf-8'))
        data = documents[name].get(graph['id'])
        if data is None:
            yield f'{name}: is of no graph'
            continue
        if ('sum' in data.get('hideAggregatedStats', ())) != name.endswith('kernels'):
            yield f'{name}: hides the wrong sums'
        if not all(COLOR.fullmatch(result['bgColor']) for result in data['results'].values()):
            yield f'{name}: a colour is none'
        if any(CONTROL.search(text) for text in strings(documents[name])):
            yield f'{name}: a text has control characters'
        values = resolved(data, graph)
        if name.startswith(planned):
            yield from check_values(values, graph, {node: share for node, share in expected.items()}, name)
        else:
            yield from check_values(values, graph, expected, name)
    totals = run['trace']
    if totals['device_ns_total'] == totals['busy_ns_total'] and totals['busy_ns_total']:
        total = sum(result['value'] for result in documents['data'][graph['id']]['results'].values())
        if not close(total, 100 * totals['bound_ns_total'] / totals['busy_ns_total']):
            yield f'the sum of all shares is {total}, not the bound part of busy time'


def busy_of(run):
    """Over all selected iterations; of a profile of means, times the number of them."""
    trace = run['trace']
    return trace['busy_ns_total'] if trace['busy_ns_total'] is not None else trace['busy_ns'] * trace['iterations']


def names_in_file(nodes, prefix=''):
    """Names of nodes in the main graph and in bodies, of those whose name is their own in their graph."""
    counts = collections.Counter(node.name for node in nodes)
    names = set()
    for node in nodes:
        if node.name and counts[node.name] == 1:
            names.add(prefix + node.name)
            for attribute, body in node.bodies:
                names |= names_in_file(body, f'{prefix}{node.name}/{attribute}/')
    return names


def is_branch(space):
    return all(re.match('(then|else)_branch of ', part) for part in parts(space) if ' of ' in part)


def check_model(model, data, graph):
    """The data names nodes of the model itself, each its own."""
    named = {node['id']: attributes(node)['node'] for node in graph['nodes'] if 'attrs' in node}
    spaces = {node['id']: node['namespace'] for node in graph['nodes']}
    keys = set(data[graph['id']]['results'])
    known = names_in_file(onnx_wire.read_nodes(model.read_bytes()))
    lost = {key for key in keys - known if '#' not in named.get(key, key)}
    if lost:
        yield f'keys are no nodes of the model: {sorted(lost)[:3]}'
    if ONNXAdapter is None:
        return
    try:
        converted = ONNXAdapter().convert(str(model), {})['graphs']
    except Exception as failure:  # Version 0.4.2 fails on a branch without nodes.
        print(f'left out: the extension cannot read {model.parent.name}/{model.name}: {failure.__cause__ or failure}'[:160])
        return
    graphs = {one.id: {node.id: node for node in one.nodes} for one in converted}
    in_loops = {key for key in keys if any(' of ' in part for part in parts(spaces[key])) and not is_branch(spaces[key])}
    labels = {node['id']: node['label'] for node in graph['nodes']}
    if graph['id'] not in graphs:
        yield f"the extension has no graph `{graph['id']}`"
        return
    for name, results in ((name, part['results']) for name, part in data.items()):
        for key in results:
            node = graphs.get(name, {}).get(key)
            if node is None and (name != graph['id'] or key not in in_loops and '#' not in named[key]):
                yield f'the extension has no node `{key}` in the graph `{name}`'
            elif node is not None and name == graph['id'] and node.label != labels[key]:
                yield f'the node `{key}` is another one for the extension: {node.label}'


def faults_of(model, trace, folder):
    graph, data = folder / 'graph.json', folder / 'data.json'
    run = amdahlc.run_report(f'-trace=run={trace}', model)
    longest = max((kernel for kernel in run['kernels'] if kernel['state'] == 'bound'), key=lambda kernel: kernel['duration_ns'])
    report = amdahlc.report(f'-trace=run={trace}', f'-what-if=id:{longest["id"]}=3x', f'-emit=model-explorer={graph}', f'-emit=node-data={data}', model)
    document = json.loads(graph.read_text(encoding='utf-8'))
    if set(document) != {'label', 'graphs'} or len(document['graphs']) != 1:
        return ['the graph is not a collection with one graph']
    [only] = document['graphs']
    return [*check_graph(only, report), *check_data(folder, only, report['runs'][0]), *check_model(model, json.loads(data.read_text(encoding='utf-8')), only)]


def check(check):
    cases = [(SOURCE / model, SOURCE / trace) for model, trace in OWN]
    if SHARED.is_dir():
        cases += [(MODELS / f'{model}.onnx', TRACES / trace) for model, trace in OTHERS]
    else:
        check.left_out('runs of the folder `shared` beside the project', 'it is missing')
    if ONNXAdapter is None:
        check.left_out('graphs of the extension', '`model_explorer_onnx` is not installed')
    for model, trace in cases:
        with tempfile.TemporaryDirectory() as folder:
            check.none(f'{model.parent.name}/{model.name}', faults_of(model, trace, pathlib.Path(folder)))
