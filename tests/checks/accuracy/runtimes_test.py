"""What runtimes.py takes for the truth of small runs of other runtimes, and what it says of their bindings."""
import gzip
import json
import pathlib
import tempfile
import unittest

from checks.accuracy import binder, onnx_wire, runtimes, score
from checks.protobuf import message, varint


def node(name, kind, inputs, output=None):
    return message(*((onnx_wire.NODE_INPUT, value) for value in inputs), (onnx_wire.NODE_OUTPUT, output or name), (onnx_wire.NODE_NAME, name),
                   (onnx_wire.NODE_TYPE, kind))


def constant(name, *dims, packed=False):
    content = [(onnx_wire.TENSOR_DIMS, b''.join(map(varint, dims)))] if packed else [(onnx_wire.TENSOR_DIMS, dim) for dim in dims]
    return message(*content, (onnx_wire.TENSOR_NAME, name))


# Two products of equal shape that do not wait for each other, then one that waits for both, and one of another shape.
GRAPH = message(*((onnx_wire.GRAPH_NODE, one) for one in (
    node('query', 'MatMul', ['x', 'w1']), node('key', 'MatMul', ['x', 'w2']), node('mixed', 'Mul', ['query', 'key']),
    node('out', 'MatMul', ['mixed', 'w3']), node('turned', 'Transpose', ['w4']), node('last', 'MatMul', ['out', 'turned']),
    node('shape', 'Shape', ['last']), node('count', 'Cast', ['shape'], 'number'), node('gelu', 'Erf', ['last']))),
    *((onnx_wire.GRAPH_INITIALIZER, one) for one in (
        constant('w1', 4, 4), constant('w2', 4, 4, packed=True), constant('w3', 4, 4), constant('w4', 8, 4))))


class Truths(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / 'model.onnx').write_bytes(message((onnx_wire.MODEL_GRAPH, GRAPH)))
        self.model = runtimes.Model(self.folder / 'model.onnx')

    def written(self, content):
        path = self.folder / 'trace.json.gz'
        path.write_bytes(gzip.compress(json.dumps(content).encode()))
        return path

    def calls(self, dims, around=None):
        """The choices of one call of `addmm` for each of the dimensions, in one forward."""
        events = [dict(ph='X', cat='user_annotation', name='ProfilerStep#0', ts=0, dur=1000)]
        if around:
            events.append(dict(ph='X', cat='cpu_op', name=around, ts=1, dur=900))
        for index, weight in enumerate(dims):
            events.append(dict(ph='X', cat='cpu_op', name='aten::addmm', ts=10 + 10 * index, dur=5, args={'Input Dims': [[4], [1, 4], weight]}))
        rows = runtimes.cpu_truth(self.written({'traceEvents': events}), self.model)
        return [sorted(name for nodes in row.choices for name in nodes) for row in rows if row.operators[-1] == 'aten::addmm']

    def test_weights_are_found_behind_transpositions(self):
        self.assertEqual([self.model.weight(self.model.by_name[name]) for name in ('query', 'key', 'last', 'mixed')], [(4, 4), (4, 4), (4, 8), None])

    def test_an_eager_run_has_the_order_of_the_export(self):
        self.assertEqual(self.calls([[4, 4], [4, 4], [4, 4], [4, 8]]), [['query'], ['key'], ['out'], ['last']])

    def test_of_a_compiled_run_only_dependences_tell_the_order(self):
        self.assertEqual(self.calls([[4, 8], [4, 4], [4, 4], [4, 4]], 'Torch-Compiled Region: 0/0'), [['last'], ['key', 'query'], ['key', 'query'], ['out']])

    def test_a_call_too_many_leaves_its_kind_without_truth(self):
        self.assertEqual(self.calls([[4, 4], [4, 4], [4, 4], [4, 4], [4, 8]]), [[], [], [], [], ['last']])

    def test_names_of_onnx_runtime(self):
        def row(name, operator, kinds=('float', 'float')):
            sides = {f'{side}_type_shape': [{kind: [1]}] for side, kind in zip(('input', 'output'), kinds)}
            return dict(cat='Node', name=name + runtimes.SUFFIX, ts=1, dur=2, args=dict(op_name=operator, **sides))
        events = [row('query', 'MatMul'), row('query/MulFusion/', 'MatMul'), row('number', 'Cast', ('int64', 'float')), row('made_up', 'Gelu'),
                  row('reorder', 'ReorderInput'), row('out_nchwc', 'MatMul')]
        rows = {row.operators[1]: row for row in runtimes.onnxruntime_truth(self.written(events), self.model)}
        self.assertEqual({name: [set(nodes) for nodes in row.choices] for name, row in rows.items()},
                         {'query': [{'query'}], 'query/MulFusion/': [{'query'}], 'number': [{'count'}], 'made_up': [], 'reorder': [], 'out_nchwc': [{'out'}]})
        self.assertEqual([name for name, row in rows.items() if row.optional], ['number'])
        self.assertEqual([name for name, row in rows.items() if not row.known], ['made_up'])
        self.assertEqual(rows['made_up'].types, {'Erf'})


class Verdicts(unittest.TestCase):
    TYPES = {'a': 'MatMul', 'b': 'MatMul', 'c': 'Relu'}

    def verdict(self, row, said, *nodes):
        state = said if said in (binder.BOUND, binder.AMBIGUOUS) else binder.UNBOUND
        return runtimes.verdict(row, binder.Event(0, 10, '', state, nodes, None, said), self.TYPES)

    def test_a_kernel_holds_one_of_the_choices(self):
        row = runtimes.Row(0, 10, ('mm',), (frozenset('a'), frozenset('b')))
        self.assertEqual([self.verdict(row, 'bound', *nodes) for nodes in ('a', 'cb', 'c')], [score.RIGHT, score.RIGHT, score.WRONG])
        self.assertEqual([self.verdict(row, said) for said in ('ambiguous', 'unknown', 'runtime-only')], [score.AMBIGUOUS, score.MISSED, score.MISSED])
        self.assertEqual([self.verdict(row._replace(exact=True), 'bound', *nodes) for nodes in ('a', 'ac')], [score.RIGHT, score.WRONG])

    def test_what_need_not_be_bound_needs_a_reason(self):
        row = runtimes.Row(0, 10, ('Shape',), (frozenset('a'),), optional=True)
        self.assertEqual([self.verdict(row, said) for said in ('runtime-only', 'unknown')], [score.APART, score.MISSED])
        self.assertEqual(self.verdict(row, 'bound', 'c'), score.WRONG)

    def test_what_no_node_stands_for(self):
        row = runtimes.Row(0, 10, ('ReorderInput',))
        self.assertEqual([self.verdict(row, said) for said in ('runtime-only', 'unknown')], [score.APART, score.MISSED])
        self.assertEqual(self.verdict(row, 'bound', 'c'), score.INVENTED)
        self.assertEqual(self.verdict(row._replace(generated=True), 'unknown'), score.APART)

    def test_without_a_name_only_types_can_be_wrong(self):
        row = runtimes.Row(0, 10, ('Gemm',), types=frozenset({'MatMul'}), known=False)
        self.assertEqual([self.verdict(row, 'bound', node) for node in 'ac'], [score.UNSCORED, score.WRONG])
        self.assertEqual([self.verdict(row, said) for said in ('runtime-only', 'unknown')], [score.UNSCORED, score.MISSED])

    def test_events_without_times_are_those_of_the_trace(self):
        rows = [runtimes.Row(None, 10, ('a',), (frozenset('a'),))]
        event = binder.Event(None, 10, 'a', binder.BOUND, ('a',), 1.0, 'bound')
        self.assertEqual([one.what for one in runtimes.judged(rows, [event], self.TYPES)], [score.RIGHT])
        for other in ([], [event._replace(length=9)], [event._replace(start=0)], [event, event]):
            self.assertRaises(ValueError, runtimes.judged, rows, other, self.TYPES)
