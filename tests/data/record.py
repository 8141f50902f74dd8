#!/usr/bin/env python3
"""Records small runs on the CPU together with what each moment of them was spent on.

    python3 tests/data/record.py              # all runs below, into the folders beside this script
    python3 tests/data/record.py gru cond     # some of them; models.py lists them

Needs PyTorch, onnx, onnxscript, and a C++ compiler for the compiled runs; written for and run with torch 2.14.1, onnx 1.23.2, onnxscript 0.7.2.
Times differ from recording to recording, so that all files of a run belong together.

| file of a run | |
|--|--|
| `model.dynamo.onnx`, `model.torchscript.onnx` | the model by either exporter; weights point into a file that is not there |
| `trace.json.gz`, `truth.csv.gz` | three or more marked steps with shapes and module frames |
| `trace.default.json.gz`, `truth.default.csv.gz` | the same forwards of the same program under a profiler with its defaults: no marks, shapes or frames |
| `modules.json`, `meta.json` | qualified names of all modules; how many forwards a trace holds |

The truth has one row per stretch of self time of an operator whose call computes something. A call is an outermost operator inside a module.

| column | |
|--|--|
| `ts_ns`, `dur_ns` | the stretch |
| `op` | the operator of the model's program that the time was spent for |
| `ops` | `op` and the operators of the trace from there to the one whose self time it is, separated by `;` |
| `scope` | qualified name of the module that called it, empty for the model itself, `-` for what cannot be said |
| `call` | number of the call; rows of one call share it |

How it is known. A third recording of the same program runs with a mark around every call of a module that holds the module's qualified name. All
three recordings must hold the same framework operators in the same nesting; the k-th of one is the k-th of the others. (Hooks are not used: an
encoder layer with hooks does not take its fused path.) Where no module is called:

- A fused encoder layer is one operator that computes what its inner modules would. An operator inside that reads a weight is that of the module
  whose weight has this shape, which is the only one in the layer; norms come in their order. The rest is the layer's own. A matrix product that
  applies the activation, too, counts for the linear operator alone.
- `torch.cond` runs its branches as traced graphs. An operator that reads a weight is that of the only module with a weight of this shape. The
  other operators of a branch are those of the module around.
- Compiled code calls few operators (`addmm`, `convolution`, attention) and computes all else in generated kernels. A forward without profiler
  notes the weights that the calls of matrix products and convolutions get, and compares their values with those of all modules. Attention
  belongs to the module around the projection that comes next. Generated kernels have no operator: their time is the self time of
  `Torch-Compiled Region` and of the call of the compiled graph inside, which is an operator or an annotation. Their scope is `-`, although each
  kernel stems from nodes of the model. The overhead of compiled regions has the scope `-`, too.
"""
import argparse
import csv
import decimal
import gzip
import io
import json
import os
import pathlib
import tempfile
import warnings
from typing import NamedTuple

# Compiled code is not taken from earlier recordings.
CACHE = tempfile.TemporaryDirectory()
os.environ['TORCHINDUCTOR_CACHE_DIR'] = CACHE.name

import onnx
import torch
import torch.nn.functional as F
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

from models import RUNS

HERE = pathlib.Path(__file__).resolve().parent
LARGEST_KEPT_TENSOR_BYTES = 128
MARK = 'module '
UNKNOWN_SCOPE = '-'
REGION = 'Torch-Compiled Region'

# Operators that only make views or memory, or read one number.
WITHOUT_WORK = set('''_fused_sdp_choice _local_scalar_dense _unsafe_view alias as_strided as_strided_ broadcast_tensors detach empty empty_like
empty_permuted empty_strided expand is_nonzero item lift_fresh movedim narrow permute resize_ resolve_conj resolve_neg select set_ slice split
squeeze squeeze_ t transpose transpose_ unbind unflatten unsafe_split unsqueeze unsqueeze_ view'''.split())
# Operators that do nothing but what is called inside them.
PASSING_ON = set('contiguous dropout flatten reshape to'.split())


# ---------------------------------------------------------------- recording

def chrome_trace(profiler):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'trace.json')
        profiler.export_chrome_trace(str(path))
        return json.loads(path.read_text())


def record_full(program, inputs):
    steps = schedule(wait=0, warmup=1, active=len(inputs), repeat=1)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_stack=True, with_modules=True, schedule=steps) as profiler:
        for args in [inputs[-1], *inputs]:
            program(*args)
            profiler.step()
    return chrome_trace(profiler)


def record_default(program, inputs):
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        for args in inputs:
            program(*args)
    return chrome_trace(profiler)


def record_marked(program, inputs, model):
    """With a mark of its qualified name around every call of a module."""
    names = {id(module): name for name, module in reversed(list(model.named_modules()))}
    call = nn.Module.__call__

    def marked(self, *args, **kwargs):
        if id(self) not in names:
            return call(self, *args, **kwargs)
        with record_function(MARK + names[id(self)]):
            return call(self, *args, **kwargs)

    nn.Module.__call__ = marked
    try:
        return record_default(program, inputs)
    finally:
        nn.Module.__call__ = call


def shown(trace):
    """The trace without Python frames other than those of modules, and without what names the machine."""
    kept = []
    for event in trace['traceEvents']:
        if event.get('cat') == 'python_function' and not event['name'].startswith('nn.Module: '):
            continue
        if isinstance(event.get('args'), dict):
            event['args'] = {key: value for key, value in event['args'].items() if not key.startswith('Python ')}
        kept.append(event)
    return {**{key: value for key, value in trace.items() if key not in ('host_name', 'traceName')}, 'traceEvents': kept}


def training_step(model):
    """A program that trains the model on what it is called with."""
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step(*args):
        with torch.enable_grad():
            optimizer.zero_grad()
            result = model(*args)
            F.cross_entropy(result, torch.zeros(len(result), dtype=torch.long)).backward()
            optimizer.step()

    return step


# ---------------------------------------------------------------- truth

class Operator:
    """One operator of a trace."""

    def __init__(self, event, parent, module):
        self.name = event['name']
        self.start = nanoseconds(event['ts'])
        self.end = self.start + nanoseconds(event['dur'])
        self.parent = parent
        self.module = module    # innermost mark around it, None outside of all
        self.dims = event.get('args', {}).get('Input Dims', [])
        self.children = []
        # None for what is no operator of the framework.
        self.own_name = self.name.rpartition('::')[2] if '::' in self.name else None

    def call(self):
        """The outermost operator of its call."""
        return self.parent.call() if self.parent and self.parent.own_name else self

    def called(self):
        """Outermost framework operators inside."""
        return [one for child in self.children for one in ([child] if child.own_name else child.called())]

    def computes(self):
        return self.own_name not in WITHOUT_WORK | PASSING_ON or any(child.computes() for child in self.children)

    def inside(self, name):
        """Itself or the innermost operator around it with such a name."""
        at = self
        while at and not at.name.startswith(name):
            at = at.parent
        return at

    def stretches(self):
        at = self.start
        for start, end in [*((child.start, child.end) for child in self.children), (self.end, self.end)]:
            if start > at:
                yield at, start - at
            at = max(at, end)


def nanoseconds(microseconds):
    return int(decimal.Decimal(str(microseconds)) * 1000)


def operators_of(trace):
    """All operators of a trace by start; those of a warm-up are not in it."""
    events = [event for event in trace['traceEvents'] if event.get('ph') == 'X' and
              (event.get('cat') == 'cpu_op' or event.get('cat') == 'user_annotation' and event['name'].startswith(MARK))]
    assert len({event['tid'] for event in events}) == 1, 'everything runs on one thread'
    operators, around = [], []
    for event in sorted(events, key=lambda event: (nanoseconds(event['ts']), -nanoseconds(event['dur']))):
        while around and around[-1][0] <= nanoseconds(event['ts']):
            around.pop()
        end = nanoseconds(event['ts']) + nanoseconds(event['dur'])
        parent = around[-1][1] if around else None
        module = around[-1][2] if around else None
        if event['cat'] == 'cpu_op':
            operator = Operator(event, parent, module)
            if parent:
                parent.children.append(operator)
            operators.append(operator)
            around.append((end, operator, module))
        else:
            around.append((end, parent, event['name'][len(MARK):]))
    return operators


def of_framework(operators):
    return [operator for operator in operators if operator.own_name]


def nesting(operators):
    """Name of each framework operator, and number of the one around it."""
    number = {id(operator): index for index, operator in enumerate(operators)}
    return [(operator.name, number.get(id(operator.parent))) for operator in operators]


class Truth(NamedTuple):
    scope: str
    operators: tuple   # names, from that of the program to that of the trace
    call: object       # the operator that begins the call


def chain(operator, first):
    """Names from one operator down to another inside it."""
    names = [operator.name]
    while operator is not first:
        operator = operator.parent
        names.append(operator.name)
    return tuple(reversed(names))


def owner_of_shape(model, prefix, shape):
    """The only module whose name begins with `prefix` and that has a weight of this shape."""
    found = [name.rpartition('.')[0] for name, value in model.named_parameters() if name.startswith(prefix) and list(value.shape) == shape]
    assert len(found) == 1, f'{shape} is the shape of weights of {found}'
    return found[0]


def truth_in_fused_layer(operator, layer, model):
    """Of an operator inside the one that computes an encoder layer."""
    scope, part = layer.module, operator
    if operator is layer:
        return Truth(scope, (layer.name,), layer)
    while part.parent is not layer and part.parent.own_name != '_native_multi_head_attention':
        part = part.parent
    attention = part.parent is not layer
    if part.own_name in ('mm', 'addmm', '_addmm_activation'):
        # The module of the output projection is not called by the attention, which uses its weights.
        owner = f'{scope}.self_attn' if attention else owner_of_shape(model, f'{scope}.linear', part.dims[2][::-1])
        return Truth(owner, ('aten::linear', *chain(operator, part)), part)
    if part.own_name in ('bmm', '_softmax'):
        return Truth(f'{scope}.self_attn', ('aten::scaled_dot_product_attention', *chain(operator, part)), part)
    if part.own_name == 'layer_norm':
        norms = [child for child in layer.children if child.own_name == 'layer_norm']
        return Truth(f'{scope}.norm{norms.index(part) + 1}', chain(operator, part), part)
    if attention or part.own_name == '_native_multi_head_attention':
        # What stands for several operators of the program at once, or for none.
        return Truth(f'{scope}.self_attn', (part.name,), part)
    return Truth(scope, chain(operator, part), part)


def truth_in_branch(operator, region, model):
    """Of an operator inside a branch of `torch.cond`."""
    call = operator.call()
    owners = {id(other): owner_of_shape(model, '', other.dims[1]) for other in region.called() if other.own_name == 'linear'}
    around = next(iter(owners.values())).rpartition('.')[0]
    return Truth(owners.get(id(call), around), chain(operator, call), call)


def weights_read(program, args, model):
    """(operator, module) of each matrix product and convolution that compiled code calls."""
    from torch._inductor.select_algorithm import extern_kernels
    found, weights = [], {name.rpartition('.')[0]: value for name, value in model.named_parameters() if name.endswith('.weight')}

    def noting(name, function):
        def noted(*args, **kwargs):
            tensors = [value for value in args if isinstance(value, torch.Tensor) and value.dim() > 1]
            same = [module for module, weight in weights.items() for value in tensors
                    if value.dim() == weight.dim() and (torch.equal(value, weight) or weight.dim() == 2 and torch.equal(value, weight.t()))]
            assert len(same) == 1, f'{name} reads the weights of {same}'
            found.append((name, same[0]))
            return function(*args, **kwargs)
        return noted

    kernels = {name: getattr(extern_kernels, name) for name in ('addmm', 'convolution', 'mm')}
    try:
        for name, function in kernels.items():
            setattr(extern_kernels, name, noting(name, function))
        program(*args)
    finally:
        for name, function in kernels.items():
            setattr(extern_kernels, name, function)
    return found


PROGRAM_OPERATORS = {'addmm': 'aten::linear', 'mm': 'aten::linear', 'convolution': 'aten::conv2d',
                     '_scaled_dot_product_flash_attention_for_cpu': 'aten::scaled_dot_product_attention'}


def owners_in_region(region, weights):
    """Module of each operator that compiled code calls, by identity of the operator."""
    owners, rest = {}, list(weights)
    for operator in region.called():
        if operator.own_name in ('addmm', 'convolution', 'mm'):
            name, owners[id(operator)] = rest.pop(0)
            assert name == operator.own_name, f'{operator.name} is not {name}'
        elif operator.own_name == '_scaled_dot_product_flash_attention_for_cpu':
            owners[id(operator)] = rest[0][1].rpartition('.')[0]
        else:
            assert not operator.computes(), f'{operator.name} in compiled code'
    assert not rest
    return owners


def truth_in_compiled_code(operator, owners):
    call = operator.call()
    if id(call) not in owners:
        return Truth(UNKNOWN_SCOPE, chain(operator, call), call)
    return Truth(owners[id(call)], (PROGRAM_OPERATORS[call.own_name], *chain(operator, call)), call)


def truths_of(operators, model, weights):
    """What is known of each framework operator of the marked recording, which has the shapes of the full one."""
    owners = {}
    for region in operators:
        if weights and region.name.startswith(REGION):
            owners.update(owners_in_region(region, weights))
    truths = []
    for operator in of_framework(operators):
        call = operator.call()
        region, layer = operator.inside(REGION), operator.inside('aten::_transformer_encoder_layer_fwd')
        if weights:
            truths.append(truth_in_compiled_code(operator, owners))
        elif region and call.computes():
            truths.append(truth_in_branch(operator, region, model))
        elif layer:
            truths.append(truth_in_fused_layer(operator, layer, model))
        else:
            truths.append(Truth(UNKNOWN_SCOPE if operator.module is None else operator.module, chain(operator, call), call))
    return truths


def write_truth(path, operators, truths):
    """Of a recording whose operators are those of the marked one."""
    calls, rows, known = {}, [], iter(truths)
    for operator in operators:
        truth = next(known) if operator.own_name else Truth(UNKNOWN_SCOPE, (operator.name,), operator)
        call = calls.setdefault(id(truth.call), len(calls))
        if operator.own_name is None or truth.call.computes():
            rows += [(start, length, truth.operators[0], truth.scope, ';'.join(truth.operators), call) for start, length in operator.stretches()]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator='\n')
    writer.writerow(('ts_ns', 'dur_ns', 'op', 'scope', 'ops', 'call'))
    writer.writerows(sorted(rows))
    compress(path, text.getvalue())


# ---------------------------------------------------------------- exports

def graphs_of(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [*attribute.graphs, *([attribute.g] if attribute.HasField('g') else [])]:
                yield from graphs_of(inner)


def stripped(model):
    """Without weights, stack traces and texts."""
    offset = 0
    for graph in graphs_of(model.graph):
        constants = [attribute.t for node in graph.node for attribute in node.attribute if attribute.HasField('t')]
        for tensor in [*graph.initializer, *constants]:
            content = onnx.numpy_helper.to_array(tensor).tobytes()
            tensor.doc_string = ''
            if len(content) <= LARGEST_KEPT_TENSOR_BYTES:
                continue
            for field in ('raw_data', 'float_data', 'double_data', 'int32_data', 'int64_data'):
                tensor.ClearField(field)
            tensor.data_location = onnx.TensorProto.EXTERNAL
            for key, value in (('location', 'weights.bin'), ('offset', offset), ('length', len(content))):
                tensor.external_data.add(key=key, value=str(value))
            offset += len(content)
        for node in graph.node:
            node.doc_string = ''
            for entry in [entry for entry in node.metadata_props if entry.key == 'pkg.torch.onnx.stack_trace']:
                node.metadata_props.remove(entry)
    return model


def export_dynamo(model, args):
    return torch.onnx.export(model, args, dynamo=True, verbose=False).model_proto


def without_fused_layers(export):
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        return export()
    finally:
        torch.backends.mha.set_fastpath_enabled(True)


def export_torchscript(model, args):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'model.onnx')
        without_fused_layers(lambda: torch.onnx.export(model, args, path, dynamo=False, opset_version=17))
        return onnx.load(path)


# ---------------------------------------------------------------- runs

def compress(path, text):
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def make(name, run):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    torch.manual_seed(0)
    model = run.build().eval()
    with torch.no_grad():
        for parameter in model.parameters():    # untrained norms and biases are equal, and equal tensors get merged
            parameter.add_(0.02 * torch.randn_like(parameter))
    inputs = run.inputs()
    program = torch.compile(model) if run.compiled else training_step(model) if run.training else model
    for args in 2 * inputs:
        program(*args)
    weights = weights_read(program, inputs[0], model) if run.compiled else []
    marked = operators_of(record_default(program, inputs) if run.compiled else record_marked(program, inputs, model))
    recordings = {'': shown(record_full(program, inputs)), '.default': shown(record_default(program, inputs))}
    for operator, full in zip(of_framework(marked), of_framework(operators_of(recordings['']))):
        operator.dims = full.dims
    truths = truths_of(marked, model, weights)
    for kind, trace in recordings.items():
        operators = operators_of(trace)
        assert nesting(of_framework(operators)) == nesting(of_framework(marked)), f'{name}: the recordings differ'
        compress(folder / f'trace{kind}.json.gz', json.dumps(trace, separators=(',', ':')))
        write_truth(folder / f'truth{kind}.csv.gz', operators, truths)
    model.eval()
    (folder / 'modules.json').write_text(json.dumps([name for name, _ in model.named_modules()]) + '\n')
    (folder / 'meta.json').write_text(json.dumps({'forwards': len(inputs)}) + '\n')
    for kind, exporter, exported in (('dynamo', export_dynamo, model),
                                     ('torchscript', export_torchscript, run.for_torchscript(model) if run.for_torchscript else model)):
        try:
            result = exporter(exported, inputs[0])
        except Exception as error:    # pylint: disable=broad-except
            print(f'{name}: no export by {kind}: {type(error).__name__}: {str(error)[:300]}')
            continue
        (folder / f'model.{kind}.onnx').write_bytes(stripped(result).SerializeToString(deterministic=True))
    print(f'{name}: {len(marked)} operators, {sum(file.stat().st_size for file in folder.iterdir())} bytes')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('runs', nargs='*', metavar='RUN', help=f'of {", ".join(RUNS)}; all if none is given')
    options = parser.parse_args()
    unknown = [name for name in options.runs if name not in RUNS]
    if unknown:
        parser.error(f'no run `{unknown[0]}`; there are {", ".join(RUNS)}')
    warnings.filterwarnings('ignore')
    torch.set_num_threads(1)
    with torch.no_grad():
        for name in options.runs or RUNS:
            make(name, RUNS[name])


if __name__ == '__main__':
    main()
