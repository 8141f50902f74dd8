"""Recorded runs of other runtimes than eager PyTorch on a device, whose truth is in the trace itself: which nodes each event ran.

| runtime | truth |
|--|--|
| ONNX Runtime | an event has the name of a node, up to what a fusion appends, or that of a result of one |
| TensorRT | the name of a layer consists of names of nodes; a layer that names none was inserted |
| PyTorch on a CPU | the k-th call of an operator on weights of some dimensions ran the k-th such node, if a forward has as many calls as the model nodes |
| the same, compiled | as before, but only the dependences between such nodes say which one may be the k-th |

A compiler may run equal products that do not wait for each other in any order, such as those of query, key and value. Nothing in the trace tells
them apart: any of them is right. A node that a runtime made up has no truth; it is scored only if it is bound to nodes of other types. Such rows, and
calls of operators for which the model has more or fewer nodes, are `unscored`. What computes only shapes, and casts to the same type, need not be bound.
An event that is not bound, and of which the command says that it does not know why, is missed, unless it is generated code.

Needs the folder `shared` beside the project.
"""
import collections
import decimal
import functools
import gzip
import json
import pathlib
import re
from typing import NamedTuple

from checks.accuracy import binder, cases, onnx_wire, score
from checks.intervals import nanoseconds, rounded
from checks.places import MODELS, ONNXRUNTIME_PAIRS, TENSORRT_PAIRS, TRACES, traces_of


def load(path):
    """A trace, as JSON."""
    return json.loads(gzip.open(path).read())


def path_of(model):
    return MODELS / f'{model}.onnx'


class Row(NamedTuple):
    """A stretch of time, or an event of a trace without times. Its kernel must hold one of `choices`, which are sets of nodes."""
    start: int          # ns, None without times
    length: int         # ns
    operators: tuple
    choices: tuple = ()
    exact: bool = False        # the kernel holds no other node
    types: frozenset = None    # no node is named: if bound, the kernel holds nodes of these types
    known: bool = True         # else only types can be wrong
    optional: bool = False     # need not be bound
    generated: bool = False    # the command may say that it does not know
    scope: str = ''


class Model:
    """The nodes of a model, what they depend on, and the dimensions of the weights that they read."""

    def __init__(self, path):
        self.path = path
        data = path.read_bytes()
        self.nodes = onnx_wire.read_nodes(data)
        self.by_name = {node.name: node for node in self.nodes}
        self.producers = {value: node for node in self.nodes for value in node.outputs}
        self.constants = onnx_wire.read_constants(data)
        self.ancestors = {}
        for node in self._in_order():
            before = [self.producers[value] for value in node.inputs if value in self.producers]
            self.ancestors[node.name] = frozenset().union(*({one.name} | self.ancestors[one.name] for one in before))

    def _in_order(self):
        """Operands first: a file may have its nodes in any order."""
        done, order = set(), []
        stack = [(node, False) for node in reversed(self.nodes)]
        while stack:
            node, opened = stack.pop()
            if node.name in done:
                continue
            if opened:
                done.add(node.name)
                order.append(node)
                continue
            stack.append((node, True))
            stack += [(self.producers[value], False) for value in node.inputs if value in self.producers]
        return order

    def types(self):
        return {node.name: node.type for node in self.nodes}

    def has_types(self, types):
        return types <= {node.type for node in self.nodes}

    def dims_of(self, value):
        """Dimensions of a constant, None of what is computed. A transposed constant is one."""
        while value in self.producers and self.producers[value].type in ('Transpose', 'Identity', 'Cast'):
            value = self.producers[value].inputs[0]
        return self.constants.get(value)

    def weight(self, node):
        """Sorted dimensions of the weight that a node reads; None without one."""
        found = [dims for value in node.inputs if (dims := self.dims_of(value)) and len(dims) > 1]
        return tuple(sorted(found[0])) if found else None

    def is_of_shapes(self, node):
        """Whether it is computed from shapes and constants alone."""
        return node.type in ('Shape', 'Size', 'Constant') or all(
            not value or value in self.constants or (value in self.producers and self.is_of_shapes(self.producers[value])) for value in node.inputs)


# ---------------------------------------------------------------- ONNX Runtime

SUFFIX = '_kernel_time'
# Of nodes that the runtime made of others: the types of the model's operators that they hold at least.
REPLACED = {'Gelu': {'Erf'}, 'SkipLayerNormalization': {'Add', 'LayerNormalization'}}


class ProfileRow(NamedTuple):
    start: int    # microseconds
    end: int
    name: str
    operator: str
    keeps_type: bool   # of the first operand


def profile_rows(path):
    """The rows of nodes of a profile, and the executions of the graph as (start, end)."""
    events = load(path)
    runs = sorted((e['ts'], e['ts'] + e['dur']) for e in events if e['name'] == 'SequentialExecutor::Execute')
    rows = sorted(ProfileRow(e['ts'], e['ts'] + e['dur'], e['name'].removesuffix(SUFFIX), e['args']['op_name'], first_type(e, 'input') == first_type(e, 'output'))
                  for e in events if e['cat'] == 'Node' and e['name'].endswith(SUFFIX))
    return rows, runs


def first_type(event, side):
    return next((kind for value in event['args'].get(f'{side}_type_shape', ()) for kind in value), None)


def stated_node(name, model):
    """The node of the model that the name of a node of the runtime states; None if it states none."""
    if name in model.by_name:
        return model.by_name[name]
    name = name.removesuffix('_nchwc')
    if name in model.producers:
        return model.producers[name]
    return model.by_name.get(re.sub(r'(/\w+Fusion/?)+$', '', name))


def onnxruntime_truth(path, model):
    rows = []
    for ran in profile_rows(path)[0]:
        row = Row(1000 * ran.start, 1000 * (ran.end - ran.start), (ran.operator, ran.name))
        node = stated_node(ran.name, model)
        types = frozenset(REPLACED.get(ran.operator, {ran.operator}))
        if node is not None:
            optional = model.is_of_shapes(node) or (node.type == 'Cast' and ran.keeps_type)
            row = row._replace(choices=(frozenset({node.name}),), optional=optional)
        elif model.has_types(types):
            row = row._replace(types=types, known=False)
        rows.append(row)
    return rows


# ---------------------------------------------------------------- TensorRT

def profile_of_engine(folder):
    return TRACES / 'tensorrt' / folder / 'profile.json'


def traces_of_engine(folder):
    """A profile alone, and with the layer information."""
    return [str(profile_of_engine(folder)), traces_of(f'tensorrt/{folder}')]


def profile_layers(path):
    """Executions, and the name and the exact mean time in milliseconds of each layer."""
    profile = json.loads(path.read_text(), parse_float=decimal.Decimal, parse_int=decimal.Decimal)
    return int(profile[0]['count']), [(layer['name'], decimal.Decimal(layer['averageMs'])) for layer in profile[1:]]


def in_ns(milliseconds):
    return rounded(milliseconds * 1_000_000)


def tensorrt_truth(path, model):
    rows = []
    for name, milliseconds in profile_layers(path)[1]:
        named = frozenset(part for part in name.split(' + ') if part in model.by_name) if not name.startswith('Reformatting') else None
        rows.append(Row(None, in_ns(milliseconds), (name,), (named,) if named else (), exact=True))
    return rows


# ---------------------------------------------------------------- PyTorch on a CPU

CPU_MODELS = {'resnet18': ['resnet18.torchscript', 'resnet18-b32.numbered-names'],
              'bert-small-fp32': ['bert-small-fp32.torchscript', 'bert-small.torchscript', 'bert-small.dynamo', 'bert-small.dynamo-opset23']}
CPU_MODES = ('eager', 'inductor')
STEP = 'ProfilerStep#'
# Compared name of a call's operator -> types of the nodes that it runs, and the index of the weight among its operands.
CALLS = {
    '_scaled_dot_product_flash_attention_for_cpu': ({'Softmax', 'Attention'}, None),
    'add': ({'Add'}, None),
    'addmm': ({'MatMul', 'Gemm'}, 2),
    'batch_norm': ({'Conv'}, None),   # folded into the convolution before it
    'conv': ({'Conv'}, 1),
    'embedding': ({'Gather'}, 0),
    'gelu': ({'Erf', 'Gelu'}, None),
    'layer_norm': ({'LayerNormalization'}, None),
    'linear': ({'MatMul', 'Gemm'}, 1),
    'max_pool2d': ({'MaxPool'}, None),
    'mean': ({'GlobalAveragePool', 'ReduceMean'}, None),
    'relu': ({'Relu'}, None),
    'scaled_dot_product_attention': ({'Softmax', 'Attention'}, None),
}


class Operator:
    """An operator of a trace with those inside it; times in ns."""

    def __init__(self, event):
        self.name, self.start = event['name'], nanoseconds(event['ts'])
        self.end = self.start + nanoseconds(event['dur'])
        self.dims = event.get('args', {}).get('Input Dims', [])
        self.children = []

    def is_of_framework(self):
        return '::' in self.name

    def stretches(self):
        """(start, length, names from here inwards) of the self time of this operator and of all inside it."""
        at = self.start
        for child in self.children:
            if child.start > at:
                yield at, child.start - at, (self.name,)
            yield from ((start, length, (self.name, *names)) for start, length, names in child.stretches())
            at = max(at, child.end)
        if self.end > at:
            yield at, self.end - at, (self.name,)


def operators_of(path):
    """The outermost operators of a trace of one thread, by start, and the begins of its steps."""
    events = [event for event in load(path)['traceEvents'] if event.get('ph') == 'X']
    outermost, around = [], []
    for event in sorted((event for event in events if event.get('cat') == 'cpu_op'), key=lambda event: (nanoseconds(event['ts']), -nanoseconds(event['dur']))):
        operator = Operator(event)
        while around and around[-1].end <= operator.start:
            around.pop()
        (around[-1].children if around else outermost).append(operator)
        around.append(operator)
    return outermost, sorted(nanoseconds(event['ts']) for event in events if event['name'].startswith(STEP))


def calls_of(operators):
    """Outermost operators of the framework."""
    return [call for operator in operators for call in ([operator] if operator.is_of_framework() else calls_of(operator.children))]


def kind_of_call(call):
    """What calls of one group share: types of nodes, and dimensions of the weight; None if they have no truth."""
    types, weight = CALLS.get(cases.compared_name(call.name), (None, None))
    if types is None:
        return None
    return frozenset(types), cases.compared_name(call.name) == 'batch_norm', tuple(sorted(call.dims[weight])) if weight is not None else None


def nodes_of_kind(model, kind):
    """The nodes that calls of a kind run, as the exporter ordered them."""
    types, _, weight = kind
    if weight is not None:
        return [node for node in model.nodes if node.type in types and model.weight(node) == weight]
    found = [node for node in model.nodes if node.type in types]
    if types == {'Add'}:
        # An exporter writes biases and masks as additions.
        masks = {value for node in model.nodes if node.type == 'Softmax' for value in node.inputs}
        found = [node for node in found if all(model.dims_of(value) is None for value in node.inputs) and not masks & set(node.outputs)]
    return found


def possible_places(model, nodes, ordered):
    """By place, the names of nodes that may be run there; in program order if `ordered`, else in any order that dependences allow."""
    names = [node.name for node in nodes]
    if ordered:
        return [(name,) for name in names]
    before = {name: sum(other in model.ancestors[name] for other in names) for name in names}
    behind = {name: sum(name in model.ancestors[other] for other in names) for name in names}
    return [tuple(name for name in names if before[name] <= place < len(names) - behind[name]) for place in range(len(names))]


def cpu_truth(path, model):
    outermost, steps = operators_of(path)
    calls = calls_of(outermost)
    # A compiled region is an operator around those that it calls.
    compiled = any(not operator.is_of_framework() and calls_of(operator.children) for operator in outermost)
    groups = collections.defaultdict(list)
    for call in calls:
        if (kind := kind_of_call(call)) is not None:
            groups[kind, sum(start <= call.start for start in steps)].append(call)
    choices = {}
    for (kind, _), group in groups.items():
        nodes = nodes_of_kind(model, kind)
        if len(nodes) != len(group):
            continue
        for call, names in zip(group, possible_places(model, nodes, not compiled)):
            choices[id(call)] = tuple(frozenset({name}) for name in names)
    rows = []

    def add(operator):
        if operator.is_of_framework():
            known = choices.get(id(operator))
            rows.extend(Row(start, length, names, known or (), known=known is not None) for start, length, names in operator.stretches())
            return
        own = Operator.stretches(operator)
        rows.extend(Row(start, length, names, generated=True) for start, length, names in own if len(names) == 1)
        for child in operator.children:
            add(child)

    for operator in outermost:
        add(operator)
    return sorted(rows, key=lambda row: row.start)


# ---------------------------------------------------------------- runs and their scores

class Run(NamedTuple):
    traces: str       # as on the command line
    architecture: str
    models: list      # that it is of
    truth: object     # of a model, its rows


def recorded_runs():
    """All runs, by name; none without the folder `shared`."""
    runs = {}
    if not TRACES.is_dir():
        return runs
    for pair in ONNXRUNTIME_PAIRS:
        path = pathlib.Path(pair.traces)
        run = Run(pair.traces, architecture_of(pair.model.split('.')[0]), [], functools.partial(onnxruntime_truth, path))
        runs.setdefault(f'onnxruntime {path.name}', run).models.append(pair.model)
    for pair in TENSORRT_PAIRS:
        name = pair.trace.rpartition('/')[2]
        for traces in traces_of_engine(name):
            runs[f'tensorrt {name}' + (' with graph.json' if ',' in traces else '')] = Run(
                traces, architecture_of(pair.model), [pair.model], functools.partial(tensorrt_truth, profile_of_engine(name)))
    for model, models in CPU_MODELS.items():
        for mode in CPU_MODES:
            path = TRACES / 'cpu' / f'{model}-{mode}.json.gz'
            runs[f'pytorch {path.name}'] = Run(str(path), architecture_of(model), models, functools.partial(cpu_truth, path))
    return {name.removesuffix('.json.gz'): run for name, run in runs.items()}


def architecture_of(model):
    """What the names of all models of one architecture begin with, whatever their batch, types and exporter."""
    return model.removesuffix('.numbered-names').removesuffix('-b32').removesuffix('-fp32')


def foreign_pairings():
    """(model, name of a run) where the run is of another architecture."""
    models = sorted(path.stem for path in MODELS.glob('*.onnx'))
    return [(model, name) for name, run in recorded_runs().items() for model in models if not model.startswith(run.architecture)]


def verdict(row, event, types):
    """`types` are those of the nodes of the model, by name."""
    state = event.state if event else binder.UNBOUND
    if state == binder.BOUND:
        held = frozenset(event.nodes)
        if row.types is not None and not row.types <= {types[node] for node in held}:
            return score.WRONG
        if not row.known:
            return score.UNSCORED
        if not row.choices:
            return score.INVENTED
        return score.RIGHT if any(nodes == held if row.exact else nodes <= held for nodes in row.choices) else score.WRONG
    if state == binder.AMBIGUOUS:
        return score.AMBIGUOUS
    explained = event is not None and event.said != 'unknown'
    if row.choices and not (row.optional and explained):
        return score.MISSED
    return (score.APART if row.known else score.UNSCORED) if explained or row.generated else score.MISSED


def judged(rows, events, types):
    """One verdict per row."""
    if rows[0].start is None:
        if [(row.operators[0], row.length, row.start) for row in rows] != [(event.name, event.length, event.start) for event in events]:
            raise ValueError('the events are not those of the trace')
        held = events
    else:
        starts = [event.start for event in events]
        held = [score.holder(starts, events, row) for row in rows]
    return [score.Verdict(verdict(row, event, types), event.nodes if event else (), event.confidence if event else None, event is None)
            for row, event in zip(rows, held)]
