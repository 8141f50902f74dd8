"""The same run with its ONNX model and as a program, without a model.

For the bundled example and recorded runs of the folder `shared`:

- totals of the run are equal;
- each event that the model explains has the category that it has in the program, and so have the times of categories;
- the events of each module of the model are those of one module of the program, or of several together, where the module has no call of its own (a list of modules),
  as far as both explain them.

What only the program explains are calls for which the model has no node: views, masks, random numbers.
"""
import collections

from checks.command import amdahlc
from checks.places import ENCODER, ENCODER_TRACE, SHARED

CASES = ('albert', 'clip_one_step', 'detr', 'swin_t', 'gcn', 'vit_bare')
# An exporter writes the average over all pixels as a mean, and a clamp with one limit as a maximum.
EXPORTED_AS = {('reduction', 'pooling'), ('elementwise', 'activation')}
TOTALS = ('iterations', 'device_events', 'busy_ns', 'wall_ns', 'window_ns', 'device_ns', 'busy_ns_total', 'wall_ns_total', 'device_ns_total')


def pairs():
    yield 'the example', ENCODER_TRACE, ENCODER
    for case in CASES:
        folder = SHARED / 'cases' / 'binding' / case
        if folder.is_dir():
            yield case, folder / 'trace.json.gz', folder / 'model.dynamo.onnx'


class Explained:
    """What a run of the command says of each event that it binds."""

    def __init__(self, *arguments):
        report, bindings = amdahlc.outputs('json bindings', *arguments)
        [self.run] = report['runs']
        kernels = {kernel['id']: kernel for kernel in self.run['kernels']}
        self.category, self.modules, self.duration = {}, collections.defaultdict(set), {}
        for row in bindings:
            self.duration[row['event']] = int(row['duration_ns'])
            if row['state'] != 'bound':
                continue
            kernel = kernels[int(row['kernel'])]
            self.category[row['event']] = kernel['category']
            parts = kernel['scope'].split('.') if kernel['scope'] else []
            for count in range(1, len(parts) + 1):
                self.modules['.'.join(parts[:count])].add(row['event'])


def faults(model, program):
    for key in TOTALS:
        if model.run['trace'][key] != program.run['trace'][key]:
            yield f"{key}: {model.run['trace'][key]} with the model, {program.run['trace'][key]} without"
    both = set(model.category) & set(program.category)
    if missing := set(model.category) - both:
        yield f'{len(missing)} events have a node of the model, but no call'
    other = collections.Counter()
    for event in both:
        if model.category[event] != program.category[event] and (model.category[event], program.category[event]) not in EXPORTED_AS:
            other[model.category[event], program.category[event]] += model.duration[event]
    for (with_model, without), ns in sorted(other.items()):
        yield f'{ns} ns are {with_model} with the model and {without} without'
    if not program.modules:
        return  # The trace has no frames of modules.
    known = [events & both for events in program.modules.values()]
    for name, events in sorted(model.modules.items()):
        wanted = events & both
        inside = [mine for mine in known if mine <= wanted]
        if wanted and set().union(*inside) != wanted:
            yield f'no modules of the program have the {len(wanted)} events of {name}: {len(wanted - set().union(*inside))} are left'


def check(check):
    for name, trace, model in pairs():
        check.none(name, list(faults(Explained(trace, model), Explained(trace))))
