#!/usr/bin/env python3
"""Writes a large model and a trace of one kernel, to see how passes grow.

  generate_model.py SHAPE COUNT MODEL.onnx TRACE.json

Shapes:
  chain         COUNT operators in a chain; each eighth adds what was eight operators before (a residual), each thousandth what was half the
                chain before, and the last one the first: skips of every length
  shared-input  COUNT joins in a chain, each with the one graph input: what is joined was computed from that input since the first of them
  mask          COUNT joins in a chain, each with a second graph input, an attention mask that starts nothing
  bodies        COUNT operators in a chain, by turns an `If` and a `Loop`, with bodies of their own; each third body reads the graph input too

Needs no package: the model is written in ONNX's wire format directly.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks.protobuf import field  # noqa: E402

FLOAT, INT64, BOOL = 1, 7, 9
GRAPH_ATTRIBUTE = 5


def value_info(name, dims, element=FLOAT):
    shape = b''.join(field(1, field(1, dim)) for dim in dims)
    tensor = field(1, element) + field(2, shape)
    return field(1, name) + field(2, field(1, tensor))


def body_attribute(name, graph):
    return field(1, name) + field(6, graph) + field(20, GRAPH_ATTRIBUTE)


class Model:
    """A graph of float tensors of one shape, in ONNX's wire format. `scalars` are inputs before the others, each a name and an element type."""
    DIMS = (4, 8)

    def __init__(self, *inputs, scalars=(), prefix=''):
        self.nodes, self.inputs, self.scalars, self.prefix, self.count = [], inputs, scalars, prefix, 0

    def add(self, op_type, *operands, attributes=()):
        result = f'{self.prefix}v{self.count}'
        node = b''.join(field(1, operand) for operand in operands)
        node += field(2, result) + field(3, f'{self.prefix}n{self.count}') + field(4, op_type)
        node += b''.join(field(5, attribute) for attribute in attributes)
        self.nodes.append(field(1, node))
        self.count += 1
        return result

    def graph(self, *outputs):
        """Message of the graph."""
        graph = b''.join(self.nodes) + field(2, 'generated')
        graph += b''.join(field(11, value_info(name, (), element)) for name, element in self.scalars)
        graph += b''.join(field(11, value_info(name, self.DIMS)) for name in self.inputs)
        return graph + b''.join(field(12, output) for output in outputs)

    def write(self, path):
        graph = self.graph(value_info(f'v{self.count - 1}', self.DIMS))
        opset = field(8, field(2, 18))
        with open(path, 'wb') as file:
            file.write(field(1, 9) + opset + field(7, graph))


def chain(count):
    model = Model('x')
    values = [model.add('Relu', 'x')]
    for i in range(1, count):
        if i == count - 1:
            values.append(model.add('Add', values[-1], values[0]))
        elif i % 1000 == 4:
            values.append(model.add('Add', values[-1], values[i // 2]))
        elif i % 8 == 0:
            values.append(model.add('Add', values[-1], values[i - 8]))
        else:
            values.append(model.add('Relu', values[-1]))
    return model


def shared_input(count):
    model = Model('x')
    value = model.add('Relu', 'x')
    for _ in range(count):
        value = model.add('Add', value, 'x')
    return model


def mask(count):
    model = Model('x', 'mask')
    value = model.add('Relu', 'x')
    for _ in range(count):
        value = model.add('Add', value, 'mask')
    return model


def bodies(count):
    model = Model('x', scalars=(('trips', INT64), ('go', BOOL)))
    value = 'x'
    for i in range(count):
        if i % 2 == 0:
            branches = []
            for name in ('then_branch', 'else_branch'):
                body = Model(prefix=f'b{i}{name[0]}')
                inside = body.add('Relu', value)
                if i % 3 == 0:
                    inside = body.add('Add', inside, 'x')
                branches.append(body_attribute(name, body.graph(value_info(inside, Model.DIMS))))
            value = model.add('If', 'go', attributes=branches)
        else:
            body = Model(f'b{i}a', scalars=((f'b{i}i', INT64), (f'b{i}on', BOOL)), prefix=f'b{i}')
            more = body.add('Identity', f'b{i}on')
            inside = body.add('Relu', f'b{i}a')
            if i % 3 == 0:
                inside = body.add('Add', inside, 'x')
            outputs = (value_info(more, (), BOOL), value_info(inside, Model.DIMS))
            value = model.add('Loop', 'trips', 'go', value, attributes=[body_attribute('body', body.graph(*outputs))])
    return model


SHAPES = {'chain': chain, 'shared-input': shared_input, 'mask': mask, 'bodies': bodies}


def main(arguments):
    if len(arguments) != 4 or arguments[0] not in SHAPES or not arguments[1].isdigit():
        sys.exit(__doc__)
    shape, count, model_path, trace_path = arguments
    SHAPES[shape](int(count)).write(model_path)
    event = {'ph': 'X', 'cat': 'kernel', 'name': 'void vectorized_elementwise_kernel<relu>()', 'pid': 0, 'tid': 7, 'ts': 100, 'dur': 10}
    device = {'id': 0, 'name': 'NVIDIA Test GPU', 'computeMajor': 9, 'computeMinor': 0}
    with open(trace_path, 'w') as file:
        json.dump({'schemaVersion': 1, 'deviceProperties': [device], 'traceEvents': [event]}, file)


if __name__ == '__main__':
    main(sys.argv[1:])
