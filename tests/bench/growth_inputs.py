"""Models and traces of one size each, for the growth checks: every shape is a function of a folder and a count that writes its files and
returns the command's arguments."""
import json
import random

import generate_model
from generate_model import BOOL, INT64, Model, body_attribute, value_info

DEVICE = {'id': 0, 'name': 'NVIDIA Test GPU', 'computeMajor': 9, 'computeMinor': 0}
TYPES = ('Relu', 'Tanh', 'Sigmoid', 'Exp', 'Sqrt', 'Neg', 'Abs', 'Erf')
KERNEL = 'void at::native::vectorized_elementwise_kernel<4, at::native::relu>()'


def write_trace(path, events):
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'schemaVersion': 1, 'deviceProperties': [DEVICE], 'traceEvents': events}, file)


def one_event():
    return [{'ph': 'X', 'cat': 'kernel', 'name': KERNEL, 'pid': 0, 'tid': 7, 'ts': 100, 'dur': 10}]


def launches(count, calls=('aten::relu',)):
    """A call, its launch and its kernel, COUNT times; the calls in turn."""
    events = []
    for i in range(count):
        call = calls[i % len(calls)]
        at = 1000 + 20 * i
        number = {'correlation': i + 1}
        events.append({'ph': 'X', 'cat': 'cpu_op', 'name': call, 'pid': 1, 'tid': 1, 'ts': at, 'dur': 9})
        events.append({'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 1, 'tid': 1, 'ts': at + 1, 'dur': 2, 'args': number})
        events.append({'ph': 'X', 'cat': 'kernel', 'name': KERNEL, 'pid': 0, 'tid': 7, 'ts': at + 10, 'dur': 5, 'args': number})
    return events


def generated(shape):
    """A shape of generate_model.py, with a trace of one event: all stages but binding work on the whole model."""
    def write(folder, count):
        generate_model.SHAPES[shape](count).write(folder / 'model.onnx')
        write_trace(folder / 'trace.json', one_event())
        return [f'-trace={folder}/trace.json', f'{folder}/model.onnx']
    return write


def wide(folder, count):
    """COUNT operators that read one value, and one that reads them all."""
    model = Model('x')
    value = model.add('Relu', 'x')
    model.add('Sum', *[model.add('Relu', value) for _ in range(count)])
    model.write(folder / 'model.onnx')
    write_trace(folder / 'trace.json', one_event())
    return [f'-trace={folder}/trace.json', f'{folder}/model.onnx']


def renamed(folder, count):
    """COUNT bodies that define `v0`, as the graph around them does, which has the first COUNT names that the import would give them, too."""
    taken = [f'v0@{i + 1}' for i in range(count)]
    model = Model('x', *taken, scalars=(('go', BOOL),))
    model.add('Relu', 'x')
    for _ in range(count):
        body = Model()
        graph = body.graph(value_info(body.add('Relu', 'x'), Model.DIMS))
        model.add('If', 'go', attributes=[body_attribute(name, graph) for name in ('then_branch', 'else_branch')])
    model.write(folder / 'model.onnx')
    write_trace(folder / 'trace.json', one_event())
    return [f'-trace={folder}/trace.json', f'{folder}/model.onnx']


def launched(folder, count):
    """A chain of COUNT operators and a trace that launches each. Of eight types, so that no shift by a few agrees as well."""
    model = Model('x')
    value = 'x'
    for i in range(count):
        value = model.add(TYPES[i % len(TYPES)], value)
    model.write(folder / 'model.onnx')
    write_trace(folder / 'trace.json', launches(count, calls_of(TYPES)))
    return [f'-trace={folder}/trace.json', f'{folder}/model.onnx']


def irregular(count):
    """COUNT of the types, the first one `Relu`."""
    kinds = random.Random(7)
    return ['Relu', *(kinds.choice(TYPES) for _ in range(count - 1))]


def calls_of(types):
    return [f'aten::{one.lower()}' for one in types]


def forwards(folder, count, marked=True):
    """A chain of COUNT / 5 operators of eight types in no regular order, and five runs of it: COUNT launches."""
    types = irregular(count // 5)
    model = Model('x')
    value = 'x'
    for one in types:
        value = model.add(one, value)
    model.write(folder / 'model.onnx')
    events = launches(5 * len(types), calls_of(types))
    length = 20 * len(types)
    for i in range(5 if marked else 0):
        events.append({'ph': 'X', 'cat': 'user_annotation', 'name': f'ProfilerStep#{i}', 'pid': 1, 'tid': 1, 'ts': 999 + length * i, 'dur': length - 1})
    write_trace(folder / 'trace.json', events)
    return [f'-trace={folder}/trace.json', f'{folder}/model.onnx']


def unmarked(folder, count):
    """The same without a mark where a run begins."""
    return forwards(folder, count, marked=False)


def chain_with_run(run):
    """A chain of operators of irregular types, and a run of the types that `run` makes of these."""
    def write(folder, count):
        types = irregular(count)
        model = Model('x')
        value = 'x'
        for kind in types:
            value = model.add(kind, value)
        model.write(folder / 'model.onnx')
        ran = run(types)
        write_trace(folder / 'trace.json', launches(len(ran), calls_of(ran)))
        return [f'-trace={folder}/trace.json', f'{folder}/model.onnx']
    return write


def shuffled(types):
    return random.Random(1).sample(types, len(types))


def foreign(types):
    kinds = random.Random(2)
    return [kinds.choice(TYPES) for _ in types]


def loop(folder, count):
    """A `Loop` of 8 trips over COUNT operators of eight types in no regular order, each launched in every trip."""
    body = Model('a', scalars=(('i', INT64), ('on', BOOL)), prefix='body_')
    more = body.add('Identity', 'on')
    value = 'a'
    types = irregular(count)
    for one in types:
        value = body.add(one, value)
    graph = body.graph(value_info(more, (), BOOL), value_info(value, Model.DIMS))
    model = Model('x', scalars=(('trips', INT64), ('go', BOOL)))
    model.add('Loop', 'trips', 'go', 'x', attributes=[body_attribute('body', graph)])
    model.write(folder / 'model.onnx')
    write_trace(folder / 'trace.json', launches(8 * count, calls_of(types)))
    return [f'-trace={folder}/trace.json', f'{folder}/model.onnx']


def annotations(folder, count):
    """A chain of 16 operators that runs COUNT / 8 times; two annotations of a name of their own stand around the halves of each run."""
    model = Model('x')
    value = 'x'
    for _ in range(16):
        value = model.add('Relu', value)
    model.write(folder / 'model.onnx')
    events = launches(2 * count)
    for i in range(0, 2 * count, 8):
        events.append({'ph': 'X', 'cat': 'user_annotation', 'name': f'part {i // 16}', 'pid': 1, 'tid': 1, 'ts': 999 + 20 * i, 'dur': 159})
    write_trace(folder / 'trace.json', events)
    return [f'-trace={folder}/trace.json', f'{folder}/model.onnx']
