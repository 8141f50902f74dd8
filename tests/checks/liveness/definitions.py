"""The liveness in reports against a recomputation from the definitions, without care for speed.

From IR text the check takes operators with what they read and write, kernels with their operators, and the events and times of a run. From these and the
definitions of docs/passes/liveness.md it computes tensors, births, deaths, inactive periods, live bytes and the peak, and compares them with the JSON
report: of the example, the models of the folder `shared` with and without traces, and conformance models of Debian's libonnx-testdata.
"""
import pathlib

from checks.command import Failed, amdahlc
from checks.intervals import half_even
from checks.liveness import ir_text
from checks.liveness.g10 import REFERENCE
from checks.places import CONFORMANCE_PACKAGE, CPU_PAIRS, ENCODER, ENCODER_TRACE, GPU_PAIRS, MODELS, SHARED, conformance_models
from checks.sampling import sampled

TRACES = {pair.model_path.name: pair.traces for pair in (*CPU_PAIRS, *GPU_PAIRS)}
# Of the conformance models: most are of one operator, and conformance/run takes all.
EVERY = 4
SHAPE_OPERANDS = {'Reshape': (1,), 'Expand': (1,), 'Slice': (1, 2, 3, 4), 'Squeeze': (1,), 'Unsqueeze': (1,), 'Split': (1,), 'Tile': (1,)}


def name_of(value, display):
    graph = value.graph
    return value.name if graph.parent is None else f'{display[graph.parent.number]}/{graph.branch}/{value.name}'


class Expected:
    def __init__(self, module):
        self.module = module
        self.schedule = self.order()
        self.holders = {}
        for kernel, (numbers, _, _) in enumerate(module.kernels):
            for number in numbers:
                self.holders.setdefault(number, []).append(kernel)
        self.same = {}
        self.find_roots()
        self.uses = {}
        for position, kernel in enumerate(self.schedule):
            if self.renames(kernel):
                continue
            for value in self.reads(kernel):
                self.uses.setdefault(self.root(value), []).append((position, 'r'))
            for value in self.writes(kernel):
                self.uses.setdefault(self.root(value), []).append((position, 'w'))

    def order(self):
        module = self.module
        if not module.is_measured:
            return list(range(len(module.kernels)))
        return sorted((kernel for kernel in module.events if module.events[kernel]), key=lambda kernel: (module.events[kernel][0], kernel))

    # Which values are one tensor.

    def is_view(self, op):
        for names, where in self.module.views:
            applies = 'runtime' not in where or self.module.target.get('runtime', '') in ('',) or f'{self.module.target["runtime"]}' in where
            if applies and (f'{op.domain}::{op.kind}' if op.domain else op.kind) in names:
                return True
        return False

    def renames(self, kernel):
        numbers, rule, _ = self.module.kernels[kernel]
        if self.module.events.get(kernel):
            return False
        return (rule in self.module.works_not or self.module.state.get(kernel) == 'no-device-work'
                or all(self.is_view(self.module.by_number[number]) for number in numbers))

    def is_constant(self, value):
        return value.kind == 'constant' or (value.producer is not None and value.producer.kind == 'Constant' and not value.producer.domain)

    def root(self, value):
        while value in self.same:
            value = self.same[value]
        return value

    def find_roots(self):
        for op in self.module.ops:
            holders = self.holders.get(op.number, [])
            if all(self.renames(kernel) for kernel in holders) and op.kind not in ('Shape', 'Size'):
                data = [value for i, value in enumerate(op.inputs) if value is not None and i not in SHAPE_OPERANDS.get(op.kind, ())]
                changing = [value for value in data if not self.is_constant(value)]
                source = changing[0] if len(changing) == 1 else data[0] if data and not changing else None
                for value in op.outputs:
                    if source is not None and value is not None and (value.element == source.element or '?' in (value.element, source.element)):
                        self.same[value] = source
            for body in op.bodies:
                before = max(0, len(op.inputs) - len(body.inputs))
                for i, value in enumerate(body.inputs):
                    if op.kind == 'If' or (op.kind == 'Loop' and i == 0):
                        continue
                    at = i if op.kind == 'Loop' else i + before
                    operand = op.inputs[at] if at < len(op.inputs) else None
                    is_slice = op.kind != 'Loop' and 'num_scan_inputs' in op.attributes and i + op.attributes['num_scan_inputs'] >= len(body.inputs)
                    if operand is not None and (is_slice or not self.is_constant(operand)):
                        self.same[value] = operand
        for op in self.module.ops:
            for body in op.bodies:
                first = 1 if op.kind == 'Loop' else 0
                for i, value in enumerate(body.outputs[first:]):
                    if i < len(op.outputs) and op.outputs[i] is not None and value is not None:
                        made = self.root(value)
                        if made.kind == 'result' and made.graph is body and not self.is_constant(made):
                            self.same[made] = op.outputs[i]

    # What a kernel reads and writes.

    def ops_inside(self, op):
        for body in op.bodies:
            for inner in body.ops:
                yield inner
                yield from self.ops_inside(inner)

    def is_outside(self, value, op):
        """Whether the value is not of a body of the operator, at any depth."""
        graph = value.graph
        while graph is not None:
            if graph.parent is op:
                return False
            graph = graph.around
        return True

    def bodies_inside(self, op):
        for body in op.bodies:
            yield body
            for inner in body.ops:
                yield from self.bodies_inside(inner)

    def reads(self, kernel):
        found = []
        for number in sorted(self.module.kernels[kernel][0]):
            op = self.module.by_number[number]
            operands = list(op.inputs)
            for inner in self.ops_inside(op):
                operands += [value for value in inner.inputs if value is not None and self.is_outside(value, op)]
            for body in self.bodies_inside(op):
                operands += [value for value in body.outputs if value is not None and self.is_outside(value, op)]
            for value in operands:
                if value is not None and (value.producer is None or kernel not in self.holders.get(value.producer.number, [])):
                    found.append(value)
        return found

    def users(self, value):
        if not hasattr(self, 'used_by'):
            self.used_by = {}
            for op in self.module.ops:
                for operand in op.inputs:
                    if operand is not None:
                        self.used_by.setdefault(operand, []).append(op)
            self.returned = set(filter(None, self.module.main.outputs))
            for op in self.module.ops:
                for body in op.bodies:
                    self.returned |= set(filter(None, body.outputs))
        return self.used_by.get(value, [])

    def writes(self, kernel):
        found = []
        for number in sorted(self.module.kernels[kernel][0]):
            op = self.module.by_number[number]
            for value in filter(None, op.outputs):
                users = self.users(value)
                inside = users and value not in self.returned and all(kernel in self.holders.get(user.number, []) for user in users)
                holders = self.holders[number]
                if not inside and (len(holders) == 1 or self.supplier(value, holders) == kernel):
                    found.append(value)
        return found

    def supplier(self, value, holders):
        def order(kernel):
            numbers, _, candidate = self.module.kernels[kernel]
            is_inner = candidate is not None and f'%{value.name}' not in self.module.results[int(candidate)].split(', ')
            return is_inner, min(numbers), numbers
        return min(holders, key=order)

    # Lifetimes.

    def times(self, positions):
        return sum(self.module.totals.get(self.schedule[position], 0) for position in positions)

    def tensor(self, value):
        count = len(self.schedule)
        uses = sorted(set(position for position, _ in self.uses[value]))
        reads = [position for position, kind in self.uses[value] if kind == 'r']
        is_global = self.is_constant(value)
        periods = [(j + 1, m, self.times(range(j + 1, m))) for j, m in zip(uses, uses[1:]) if m > j + 1]
        if is_global and uses[0] + count > uses[-1] + 1:
            periods.append((uses[-1] + 1, uses[0], self.times(list(range(uses[-1] + 1, count)) + list(range(uses[0])))))
        death = max(reads) + 1 if reads else -1
        live_end = count if value in self.outputs() else uses[-1] + 1
        live = set(range(count)) if is_global else set(range(uses[0], live_end))
        return {'global': is_global, 'bytes': value.bytes, 'birth': None if is_global else uses[0], 'death': None if is_global else death,
                'periods': periods, 'live': live}

    def outputs(self):
        return {self.root(value) for value in self.module.main.outputs if value is not None}


def compare(report, expected, display):
    """Differences as text."""
    run = report['runs'][-1]
    found = run['liveness']
    if found is None:
        return ['the report has no liveness']
    differences = []

    def check(what, actual, wanted):
        if actual != wanted:
            differences.append(f'{what}: {actual}, expected {wanted}')

    check('kernels', found['kernels'], expected.schedule)
    wanted = {value: expected.tensor(value) for value in expected.uses}
    measured, iterations = expected.module.is_measured, expected.module.iterations
    order = list(expected.uses)  # in the order of first use
    check('tensors', [tensor['name'] for tensor in found['tensors']], [name_of(value, display) for value in order])
    if differences:
        return differences
    for key, kind in (('inputs', 'r'), ('outputs', 'w')):
        wanted_lists = [{number for number, value in enumerate(order) if (position, kind) in expected.uses[value]} for position in range(len(expected.schedule))]
        check(key, [set(tensors) for tensors in found[key]], wanted_lists)
    for actual, value in zip(found['tensors'], order):
        facts = wanted[value]
        for key in ('global', 'bytes', 'birth', 'death'):
            check(f'{key} of {value.name}', actual[key], facts[key])
        periods = [{'from': j, 'to': m, 'ns': half_even(ns, iterations) if measured else None} for j, m, ns in facts['periods']]
        check(f'periods of {value.name}', actual['periods'], periods)
    live = [sum(facts['bytes'] or 0 for facts in wanted.values() if position in facts['live']) for position in range(len(expected.schedule))]
    check('live_bytes', found['live_bytes'], live)
    check('peak_bytes', found['peak_bytes'], max(live, default=0))
    peak = live.index(max(live)) if live else None
    check('peak_position', found['peak_position'], peak)
    check('peak_kernel', found['peak_kernel'], None if peak is None else expected.schedule[peak])
    check('unknown_sizes', found['unknown_sizes'], sum(facts['bytes'] is None for facts in wanted.values()))
    check('global_bytes', found['global_bytes'], sum(facts['bytes'] or 0 for facts in wanted.values() if facts['global']))
    at_peak = {name_of(value, display) for value, facts in wanted.items() if not facts['global'] and peak in facts['live']}
    check('live_at_peak', {tensor['name'] for tensor in found['live_at_peak']}, at_peak)
    return differences


def examine(model, trace=None):
    try:
        report, ir, _ = amdahlc.outputs('json ir liveness', '-verify-each', *([f'-trace={trace}'] if trace else []), model)
    except Failed as failure:
        return [str(failure)]
    display = {node['index']: node['name'] for node in report['model']['nodes']}
    return compare(report, Expected(ir_text.Module(ir)), display)


def cases(check):
    found = [(ENCODER, None), (ENCODER, ENCODER_TRACE)]
    if SHARED.is_dir():
        models = sorted(MODELS.glob('*.onnx'))
        found += sampled([*((model, None) for model in models), *((model, TRACES[model.name]) for model in models if model.name in TRACES),
                          (REFERENCE / 'bert-train.onnx', REFERENCE / 'bert-train.trace.json.gz')])
    else:
        check.left_out('models of the folder `shared` beside the project', 'it is missing')
    conformance = conformance_models()
    if not conformance:
        check.left_out(f'models of {CONFORMANCE_PACKAGE}', 'the package is not installed')
    return found + [(pathlib.Path(model), None) for model in sampled(conformance, EVERY)]


def check(check):
    for model, trace in cases(check):
        differences = examine(model, trace)
        check.that(not differences, f'{model.parent.name}/{model.name}{f" with {trace}" if trace else ""}: {len(differences)} differences, the first '
                                    f'{[line[:400] for line in differences[:5]]}')
