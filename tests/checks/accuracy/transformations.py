"""What reduce.py and onnx_wire.py change in traces and models, and what metamorphic.py says of the difference."""
import unittest

from checks.accuracy import binder, metamorphic, onnx_wire, reduce
from checks.protobuf import fields, message


def trace():
    return {'other': 1, 'traceEvents': [
        {'ph': 'X', 'cat': 'user_annotation', 'name': 'ProfilerStep#3', 'ts': 0.5, 'dur': 100},
        {'ph': 'X', 'cat': 'python_function', 'name': 'nn.Module: Linear_0', 'ts': 1, 'dur': 50},
        {'ph': 'X', 'cat': 'cpu_op', 'name': 'aten::linear', 'ts': 2, 'dur': 9, 'args': {'Input Dims': [[2]], 'External id': 4, 'Ev Idx': 0}},
        {'ph': 's', 'id': 7, 'ts': 3, 'cat': 'ac2g', 'name': 'ac2g'},
        {'ph': 'X', 'cat': 'kernel', 'name': 'gemm', 'tid': 7, 'ts': 20.125, 'dur': 5, 'args': {'stream': 7, 'correlation': 7}},
        {'ph': 'X', 'cat': 'kernel', 'name': 'gelu', 'tid': 7, 'ts': 30, 'dur': 5, 'args': {'stream': 7, 'correlation': 8}},
        {'ph': 'X', 'cat': 'kernel', 'name': 'gemm', 'tid': 7, 'ts': 40, 'dur': 5, 'args': {'stream': 7, 'correlation': 9}}]}


def kernels(changed):
    return [event for event in changed['traceEvents'] if event.get('cat') == 'kernel']


class Traces(unittest.TestCase):
    def setUp(self):
        self.trace = trace()

    def tearDown(self):
        self.assertEqual(self.trace, trace(), 'a trace is not changed in place')

    def test_reduced_forms(self):
        names = [[event['name'] for event in reduce.without(self.trace, kinds)['traceEvents']] for kinds in (('frames',), ('steps',))]
        self.assertNotIn('nn.Module: Linear_0', names[0])
        self.assertNotIn('ProfilerStep#3', names[1])
        bare = reduce.without(self.trace, ('frames', 'shapes'))
        self.assertEqual([event['args'] for event in bare['traceEvents'] if event['name'] == 'aten::linear'], [{'External id': 4, 'Ev Idx': 0}])
        self.assertIsNone(reduce.without(bare, ('frames', 'shapes')))

    def test_renamed_kernels_stay_equal(self):
        self.assertEqual([event['name'] for event in kernels(reduce.renamed_kernels(self.trace))], ['renamed_0', 'renamed_1', 'renamed_0'])

    def test_doubled(self):
        changed, shift = reduce.doubled(self.trace)
        first, second = changed['traceEvents'][:7], changed['traceEvents'][7:]
        self.assertEqual(first, self.trace['traceEvents'])
        self.assertEqual([round((later['ts'] - event['ts']) * 1000) for event, later in zip(first, second)], [shift] * 7)
        self.assertGreater(min(event['ts'] for event in second), max(event['ts'] + event.get('dur', 0) for event in first))
        self.assertEqual(second[0]['name'], 'ProfilerStep#7')
        self.assertEqual([second[2]['args'][key] for key in ('External id', 'Ev Idx')], [14, 0])
        self.assertEqual(second[3]['id'], second[4]['args']['correlation'])
        self.assertFalse({event['args']['correlation'] for event in kernels(self.trace)} & {event['args']['correlation'] for event in second[4:]})

    def test_streams(self):
        split = reduce.split_streams(self.trace)
        self.assertEqual([event['args']['stream'] for event in kernels(split)], [7, 8, 7])
        self.assertEqual(reduce.merged_streams(split), self.trace)
        self.assertIsNone(reduce.merged_streams(self.trace))


def node(name, inputs, body=()):
    attribute = [(5, message((onnx_wire.ATTRIBUTE_GRAPH, message(*((onnx_wire.GRAPH_NODE, inner) for inner in body)))))] if body else []
    return message(*((1, value) for value in inputs), (2, f'{name}_out'), (3, name), (4, 'Add'), *attribute)


def model(nodes):
    return message((1, 9), (7, message(*((1, one) for one in nodes), (2, 'main'))), (8, message((2, 18))))


class Models(unittest.TestCase):
    NODES = [node('a', ['x']), node('b', ['x']), node('c', ['a_out', 'b_out']), node('d', ['x'], [node('inner', ['c_out'])]), node('e', ['x'])]

    def names(self, data):
        return [one.name for one in onnx_wire.read_nodes(data)]

    def test_reads_nodes(self):
        self.assertEqual(self.names(model(self.NODES)), ['a', 'b', 'c', 'd', 'e'])
        self.assertEqual(onnx_wire.read_nodes(model(self.NODES))[3].inputs, ['x', 'c_out'])

    def test_reads_nodes_of_bodies(self):
        [(attribute, inner)] = onnx_wire.read_nodes(model(self.NODES))[3].bodies
        self.assertEqual((attribute, [one.name for one in inner]), ('', ['inner']))

    def test_every_order_follows_the_dependencies(self):
        orders = {tuple(self.names(onnx_wire.permuted(model(self.NODES), seed))) for seed in range(50)}
        self.assertGreater(len(orders), 5)
        for order in orders:
            self.assertEqual(sorted(order), ['a', 'b', 'c', 'd', 'e'])
            at = {name: index for index, name in enumerate(order)}
            self.assertTrue(max(at['a'], at['b']) < at['c'] < at['d'], order)

    def test_all_else_is_kept(self):
        changed = onnx_wire.permuted(model(self.NODES), 3)
        self.assertEqual(len(changed), len(model(self.NODES)))
        self.assertEqual([number for number, _, _ in fields(changed)], [1, 7, 8])
        self.assertEqual(changed, onnx_wire.permuted(model(self.NODES), 3))


class Differences(unittest.TestCase):
    def event(self, start, *nodes):
        return binder.Event(start, 10, '', binder.BOUND if nodes else binder.UNBOUND, nodes, None)

    def test_contradicted_lost_and_changed(self):
        before = [self.event(0, 'a'), self.event(10, 'a'), self.event(20, 'a', 'b'), self.event(30)]
        after = [self.event(0, 'b'), self.event(10), self.event(20, 'b', 'c'), self.event(30, 'a')]
        # Only the first one contradicts: the third still holds `b`, the fourth was free.
        self.assertEqual(metamorphic.compare(metamorphic.compare_events(before, after, None)), [100, 25, 25])

    def test_both_copies_count(self):
        before, after = [self.event(0, 'a')], [self.event(0, 'a'), self.event(100, 'b')]
        self.assertEqual(metamorphic.compare(metamorphic.compare_events(before, after, 100)), [50, 50, 0])
