"""What score.py, bindings.py, evidence_runs.py and estimate.py say of small cases, and how cases.py reads names."""
import csv
import pathlib
import types
import unittest

from checks.accuracy import binder, bindings, cases, estimate, evidence_runs, figures, onnx_wire, score


def row(start, scope, *operators, length=10, call=None):
    return cases.Row(start, length, operators[0], operators, scope, start if call is None else call)


def export(kind='dynamo', **nodes):
    """name=(scope, operator, ONNX type)"""
    return cases.Export(kind, None, {name: cases.Node(*node, name) for name, node in nodes.items()})


def bound(start, *nodes, length=10, confidence=0.9):
    return binder.Event(start, length, '', binder.BOUND, nodes, confidence)


def other(start, state=binder.UNBOUND, length=10):
    return binder.Event(start, length, '', state, (), None)


def judge(rows, *exports, forwards=1, kind='dynamo'):
    return score.Judge(cases.Case('', None, forwards, rows, {one.kind: one for one in exports}), kind)


def verdicts(rows, events, *exports, **options):
    return [verdict.what for verdict in judge(rows, *exports, **options).verdicts(events)]


MODEL = dict(a=('x', 'linear', 'Gemm'), b=('y', 'linear', 'Gemm'))


class Verdicts(unittest.TestCase):
    def test_module_and_operator_decide(self):
        rows = [row(0, 'x', 'linear'), row(10, 'y', 'linear'), row(20, 'x', 'linear'), row(30, 'y', 'linear')]
        events = [bound(0, 'a'), bound(10, 'a'), other(20), other(30, binder.AMBIGUOUS)]
        self.assertEqual(verdicts(rows, events, export(**MODEL), forwards=2), ['right', 'wrong', 'missed', 'ambiguous'])

    def test_the_first_node_counts(self):
        self.assertEqual(verdicts([row(0, 'x', 'linear')], [bound(0, 'b', 'a')], export(**MODEL)), ['wrong'])

    def test_an_operator_inside_the_call_may_be_the_exported_one(self):
        rows = [row(0, 'x', 'encoder_layer', 'linear')]
        self.assertEqual(verdicts(rows, [bound(0, 'a')], export(**MODEL)), ['right'])
        outer = export(**MODEL, c=('x', 'encoder_layer', 'Gemm'), d=('x', 'gelu', 'Gelu'))
        self.assertEqual([verdicts(rows, [bound(0, name)], outer) for name in 'acd'], [['right'], ['right'], ['wrong']])

    def test_what_the_export_lacks_is_invented_or_apart(self):
        rows = [row(0, 'z', 'gelu'), row(10, '-', 'linear'), row(20, '?', 'linear'), row(30, 'z', 'gelu'), row(40, 'x.inner', 'gelu')]
        events = [bound(0, 'a'), bound(10, 'a'), bound(20, 'a'), other(30), bound(40, 'a')]
        self.assertEqual(verdicts(rows, events, export(**MODEL)), ['invented', 'invented', 'apart', 'apart', 'apart'])
        root = export(**MODEL, r=('', 'linear', 'Gemm'))
        self.assertEqual(verdicts([row(0, 'z', 'gelu'), row(10, '', 'gelu')], [bound(0, 'r'), bound(10, 'a')], root), ['invented', 'apart'])

    def test_surplus_calls_are_excused_once(self):
        rows = [row(start, 'x', 'linear') for start in (0, 10, 20)]
        self.assertEqual(verdicts(rows, [], export(**MODEL), forwards=2), ['excused', 'missed', 'missed'])

    def test_rows_of_an_excused_call_are_excused(self):
        rows = [row(0, 'x', 'linear', call='1'), row(10, 'x', 'linear', call='1'), row(20, 'x', 'linear', call='2')]
        self.assertEqual(verdicts(rows, [bound(20, 'a')], export(**MODEL)), ['excused', 'excused', 'right'])

    def test_a_torchscript_node_is_compared_by_type(self):
        torchscript = export('torchscript', n=('x', '', 'Gemm'), m=('x', '', 'Relu'))
        rows = [row(0, 'x', 'linear'), row(10, 'x', 'linear'), row(20, 'y', 'linear')]
        events = [bound(0, 'n'), bound(10, 'm'), other(20)]
        # The export has no node of `y`.
        self.assertEqual(verdicts(rows, events, export(**MODEL), torchscript, forwards=2, kind='torchscript'), ['right', 'wrong', 'apart'])

    def test_a_folded_batch_norm_is_bound_to_its_convolution(self):
        rows = [row(0, 'conv', 'conv'), row(10, 'norm', 'batch_norm')]
        folded = export('torchscript', c=('conv', '', 'Conv'))
        dynamo = export(c=('conv', 'conv', 'Conv'), n=('norm', 'batch_norm', 'BatchNormalization'))
        events = [bound(0, 'c'), bound(10, 'c')]
        self.assertEqual(verdicts(rows, events, dynamo, folded, kind='torchscript'), ['right', 'right'])
        self.assertEqual(verdicts(rows, events, dynamo, folded), ['right', 'wrong'])
        # An exporter may give the convolution the name of the batch norm.
        renamed = export(c=('norm', 'conv', 'Conv'))
        self.assertEqual(verdicts(rows, events, renamed), ['right', 'apart'])
        self.assertEqual(verdicts(rows, events, renamed, folded, kind='torchscript'), ['right', 'right'])


    def test_the_weight_tells_what_a_folded_convolution_stands_for(self):
        folded = cases.Export('dynamo', None, {'c': cases.Node('norm', 'batch_norm', 'Conv', 'c', 'conv')})
        # Compiled code calls no batch norm.
        self.assertEqual(verdicts([row(0, 'conv', 'conv')], [bound(0, 'c')], folded), ['right'])

    def test_what_cannot_be_said_may_not_be_bound(self):
        rows = [row(0, cases.OUTSIDE, 'Torch-Compiled Region: 0/0'), row(10, cases.OUTSIDE, 'Torch-Compiled Region: 0/0')]
        self.assertEqual(verdicts(rows, [bound(0, 'a'), other(10)], export(**MODEL)), ['invented', 'apart'])


class Holders(unittest.TestCase):
    def held_by(self, events, length=10):
        found = score.holder([event.start for event in events], events, row(100, 'x', 'linear', length=length))
        return found and found.nodes

    def test_nodes_with_most_time_hold_a_row(self):
        self.assertEqual(self.held_by([bound(95, 'a', length=7), bound(102, 'b', length=50)]), ('b',))

    def test_parts_of_one_kernel_add_up(self):
        self.assertEqual(self.held_by([bound(100, 'a', length=3), bound(103, 'b', length=4), bound(107, 'a', length=3)]), ('a',))

    def test_a_row_without_events(self):
        self.assertIsNone(self.held_by([bound(90, 'a'), bound(110, 'b')]))


class Scores(unittest.TestCase):
    def score(self):
        rows = [row(0, 'x', 'linear', length=60), row(60, 'y', 'linear', length=20), row(80, 'z', 'gelu', length=20)]
        events = [bound(0, 'a', length=60, confidence=0.95), bound(60, 'a', length=20, confidence=0.5), bound(80, 'a', length=20, confidence=0.5)]
        return score.Score(rows, judge(rows, export(**MODEL)).verdicts(events))

    def test_percent_of_time(self):
        one = self.score()
        self.assertEqual([one.percent(what) for what in ('bindable', 'right', 'wrong', 'invented', 'absent')], [80, 75, 25, 20, 0])
        self.assertEqual(one.percent_of_events('right'), 50)

    def test_faults_are_the_longest_first(self):
        self.assertEqual([(ns, key[0]) for ns, key in self.score().faults], [(20, 'wrong'), (20, 'invented')])

    def test_reliability(self):
        table = dict(zip(figures.BINS, figures.reliability([types.SimpleNamespace(score=self.score())])))
        self.assertEqual(table[0.5], (2, 0.5, 0, 0))
        self.assertEqual(table[0.95], (1, 0.95, 100, 100))
        self.assertEqual(table[0.9][0], 0)


class Names(unittest.TestCase):
    def test_spellings_of_operators(self):
        spellings = ('aten::add_', 'aten::_softmax', 'aten::conv2d', 'reshape', 'aten::copy_', '__and__')
        self.assertEqual([cases.compared_name(name) for name in spellings], ['add', 'softmax', 'conv', 'view', '_to_copy', 'bitwise_and'])

    def test_paths_of_modules(self):
        modules = cases.ModuleNames(['', 'layer1', 'layer1.0', 'layer1.0.conv', 'wrapper', 'wrapper.head', 'wrapper.head.fc', 'act'])
        resolved = {'layer1/layer1.0/conv': 'layer1.0.conv', 'layer1/0': 'layer1.0', 'act_1': 'act', 'layer1/unknown': 'layer1', 'head/fc': 'wrapper.head.fc',
                    'nowhere': '', 'wrapper/layer1.0': 'layer1.0', 'wrapper/act': 'wrapper'}
        for path, name in resolved.items():
            self.assertEqual(modules.of_path(tuple(path.split('/'))), name)

    def body(self, *nodes, owner=cases.Node('', '', 'If', 'if')):
        found = {}
        cases.add_nodes(found, nodes, 'if/then_branch/', owner, cases.ModuleNames(['', 'expert', 'expert.up', 'expert.down']))
        return {name: (node.scope, node.operator) for name, node in found.items()}

    def node(self, name, *inputs, scopes=None, operator='linear', bodies=()):
        metadata = {}
        if scopes:
            kinds = [''] * (len(scopes) - 1) + [f'aten.{operator}.x']
            metadata = {'pkg.torch.onnx.name_scopes': repr(scopes), 'pkg.torch.onnx.class_hierarchy': repr(kinds)}
        return onnx_wire.Node(name, '', list(inputs), [], metadata, list(bodies))

    def test_weights_name_the_modules_of_a_branch(self):
        up, gelu = self.node('up', 'x', 'expert.up.weight', scopes=['linear']), self.node('gelu', 'up', scopes=['gelu'], operator='gelu')
        down = self.node('down', 'gelu', 'expert.down.weight', scopes=['linear_1'])
        self.assertEqual(self.body(up, gelu, down), {'if/then_branch/up': ('expert.up', 'linear'), 'if/then_branch/gelu': ('expert', 'gelu'),
                                                     'if/then_branch/down': ('expert.down', 'linear')})

    def test_nodes_of_bodies_lie_where_their_owner_lies(self):
        owner = cases.Node('expert', 'embedding_bag', 'Loop', 'loop')
        inner = self.node('outer', bodies=[('body', [self.node('inner')])])
        self.assertEqual(self.body(inner, owner=owner), {'if/then_branch/outer': ('expert', 'embedding_bag'),
                                                         'if/then_branch/outer/body/inner': ('expert', 'embedding_bag')})

    def test_a_branch_that_names_its_modules_is_believed(self):
        node = self.node('up', 'expert.up.weight', scopes=['', 'expert.down', 'linear'])
        self.assertEqual(self.body(node), {'if/then_branch/up': ('expert.down', 'linear')})
        self.assertEqual(self.body(self.node('/expert/up/Gemm')), {'if/then_branch//expert/up/Gemm': ('expert.up', '')})

    def test_foreign_pairings_leave_out_twins(self):
        folders = [pathlib.Path(name) for name in ('bert', 'bert_noframes', 'vit')]
        pairings = [(one.name, two.name) for one, two in bindings.foreign_pairings(folders)]
        self.assertEqual(pairings, [('bert', 'vit'), ('bert_noframes', 'vit'), ('vit', 'bert'), ('vit', 'bert_noframes')])


class Reading(unittest.TestCase):
    HEAD = 'event,ts_ns,duration_ns,name,nodes,confidence'

    def events(self, *lines):
        return binder.read_events(csv.DictReader(lines))

    def test_without_states_events_with_nodes_are_bound(self):
        events = self.events(self.HEAD, '1,20,5,k,,', '0,10,5,k,a;b,0.5')
        self.assertEqual([(event.start, event.state, event.nodes, event.confidence) for event in events],
                         [(10, binder.BOUND, ('a', 'b'), 0.5), (20, binder.UNBOUND, (), None)])

    def test_an_ambiguous_event_is_not_bound_whatever_it_lists(self):
        events = self.events(f'{self.HEAD},state', '0,10,5,k,a,0.5,ambiguous', '1,20,5,k,a,0.9,bound')
        self.assertEqual([(event.state, event.nodes) for event in events], [(binder.AMBIGUOUS, ()), (binder.BOUND, ('a',))])

    def test_a_report_need_not_say_whether_it_fits(self):
        self.assertEqual([binder.read_fit({'runs': runs}).fits for runs in ([], [{}], [{'binding': None}], [{'binding': {'fits': False}}])],
                         [None, None, None, False])


class Estimates(unittest.TestCase):
    MODEL = dict(embed=('', 'embedding', 'Gather'), first=('x', 'linear', 'Gemm'), second=('x', 'linear', 'Gemm'))

    def rows(self, *calls):
        """Each call's options, as (unit, evidence); all units are there."""
        found = [dict(iteration='', event='', ts_ns='', duration_ns='', unit=str(unit), **{'from': str(unit)}, to=str(unit + 1), nodes=node, evidence='SkipExpected', score='-5')
                 for unit, node in enumerate(self.MODEL)]
        for event, options in enumerate(calls):
            for unit, evidence in (*options, ('', 'UnboundKnown')):
                nodes = list(self.MODEL)[unit] if unit != '' else ''
                step = {'from': str(unit), 'to': str(unit + 1) if nodes else '', 'calls': '1'}
                found.append(dict(iteration='0', event=str(event), ts_ns=str(20 * event), duration_ns='10', unit=str(unit), nodes=nodes, evidence=evidence, score='1', **step))
        return found

    def iterations(self, truth, *calls):
        case = cases.Case('', None, 1, truth, {'dynamo': export(**self.MODEL)})
        judge = score.Judge(case, 'dynamo')

        def truth_of(nodes):
            return evidence_runs.Truth(case, judge, {unit: [judge.export.nodes[name] for name in names] for unit, names in nodes.items()})

        return evidence_runs.read_iterations(self.rows(*calls), truth_of, 1, estimate.NATS)

    def counts(self, truth, *calls):
        counts = estimate.Counts()
        for iteration in self.iterations(truth, *calls):
            counts.add(iteration)
        return counts

    def test_equal_operators_of_a_module_belong_to_its_calls_in_order(self):
        both = [(1, 'SameOperator+SameElements'), (2, 'SameOperator+OtherElements')]
        counts = self.counts([row(0, 'x', 'linear'), row(20, 'x', 'linear')], both, both)
        self.assertEqual((counts.pairs[True], counts.pairs[False]), (2, 4))
        self.assertEqual(counts.having[True]['SameElements'], 1)
        self.assertEqual(counts.texts('SameOperator'), ('2 of 2', '0 of 4'))
        self.assertEqual(counts.texts('SkipExpected'), ('1 alone', '2 paired'))
        self.assertEqual(round(counts.prior('SkipExpected'), 2), -0.51)
        self.assertEqual(counts.prior('Synonym'), 0)

    def test_calls_without_truth_are_not_counted(self):
        self.assertEqual(self.counts([row(1000, 'x', 'linear')], [(1, 'SameOperator')]).pairs[False], 0)

    def test_the_truth_binds_a_call_that_has_a_right_option(self):
        iteration, = self.iterations([row(0, 'x', 'linear'), row(20, '', 'embedding')], [(1, 'SameOperator'), (0, 'OtherWeight')], [(1, 'SameOperator')])
        self.assertEqual([(call.must, [option.right for option in call.options]) for call in iteration.calls], [(True, [True, False]), (False, [False])])
