"""Recorded runs of any size, as PyTorch's profiler writes them: iterations of operators in nested modules, each of which launches a kernel."""
import dataclasses
import gzip
import json
import pathlib
import random

# From a launch to the next one, at least.
EVERY_NS = 10_000
# Launches in an innermost module.
IN_MODULE = 8
DEVICE = {'id': 0, 'name': 'NVIDIA H100 80GB HBM3', 'computeMajor': 9, 'computeMinor': 0}


@dataclasses.dataclass
class Shape:
    iterations: int = 3
    launches: int = 40        # of an iteration
    kernels: int = 12         # different names of kernels, each with an operator of its own
    streams: int = 1
    depth: int = 2            # modules around a launch
    origin_ns: int = 1_000_000   # of the first event
    rank: int | None = None   # and of how many, if it is one of several
    ranks: int = 1

    @property
    def events(self):
        """Device events."""
        return self.iterations * self.launches


def quoted(names):
    return [json.dumps(name) for name in names]


def lines(shape, kernels=None, operators=None):
    """The events, each as JSON. `kernels` and `operators` are other names in place of those that a shape gives."""
    kernels = quoted(kernels or [f'void elementwise_kernel_{i}<float, {i % 4}>(int, float*)' for i in range(shape.kernels)])
    operators = quoted(operators or [f'aten::op_{i}' for i in range(shape.kernels)])
    rng = random.Random(1)
    free = [0] * shape.streams
    number, at = 0, shape.origin_ns

    def event(category, name, thread, start, duration, args=''):
        return (f'{{"ph":"X","cat":"{category}","name":{name},"pid":{thread > 0:d},"tid":{abs(thread)},"ts":{start // 1000}.{start % 1000:03},'
                f'"dur":{duration // 1000}.{duration % 1000:03}{args}}}')

    for iteration in range(shape.iterations):
        begin = at
        for first in range(0, shape.launches, IN_MODULE):
            gaps = [rng.randrange(EVERY_NS, 2 * EVERY_NS) for _ in range(min(IN_MODULE, shape.launches - first))]
            for depth in range(shape.depth):
                number += 1
                name = f'"nn.Module: Block_{first // IN_MODULE}"' if depth == shape.depth - 1 else f'"nn.Module: Outer_{depth}"'
                yield event('python_function', name, 1, at + depth, sum(gaps) - 2 * depth - 100, f',"args":{{"Python id":{number},"Python module id":{first // IN_MODULE}}}')
            for launch, gap in enumerate(gaps, first):
                number += 1
                kernel, stream = launch % len(kernels), launch % shape.streams
                yield event('cpu_op', operators[launch % len(operators)], 1, at + 500, gap - 1500, f',"args":{{"External id":{number}}}')
                yield event('cuda_runtime', '"cudaLaunchKernel"', 1, at + 2000, 4000, f',"args":{{"External id":{number},"correlation":{number}}}')
                # Of a kernel of its own length that varies a little.
                duration = 2000 + kernel * 7919 % 9000 + rng.randrange(200)
                start = max(at + 8000 + rng.randrange(1000), free[stream])
                free[stream] = start + duration + 500
                yield event('kernel', kernels[kernel], -7 - stream, start, duration,
                            f',"args":{{"External id":{number},"correlation":{number},"stream":{7 + stream},"device":0,"grid":[{1 + kernel},1,1],"block":[256,1,1]}}')
                at += gap
        yield event('user_annotation', f'"ProfilerStep#{iteration}"', 1, begin - 2000, at - begin + 2000)
        at += 20_000


def write(path, shape, kernels=None, operators=None):
    """Writes a trace, compressed if its name ends in `.gz`, and returns the path."""
    path = pathlib.Path(path)
    about = f'"distributedInfo":{{"backend":"nccl","rank":{shape.rank},"world_size":{shape.ranks}}},' if shape.rank is not None else ''
    opened = gzip.open(path, 'wt', 6, encoding='utf-8') if path.suffix == '.gz' else path.open('w', encoding='utf-8')
    with opened as file:
        file.write(f'{{"schemaVersion":1,"deviceProperties":[{json.dumps(DEVICE)}],{about}"traceEvents":[\n')
        file.write(',\n'.join(lines(shape, kernels, operators)))
        file.write('\n]}\n')
    return path
