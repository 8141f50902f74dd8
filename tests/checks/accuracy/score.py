"""Compares bindings with the truth of a case.

Each row of the truth is a stretch of time with a known module and operator. A row counts as bound to the nodes that hold most of its
time in the bindings, however these cut the time into events. Its verdict is one of:

| verdict | |
|--|--|
| right | the first node lies in the row's module and stands for its operator |
| wrong | bound to another node |
| missed | not bound, although the export has a node for it |
| ambiguous | the same, but the command reports candidates |
| excused | not bound, and the trace has more calls of this operator and module than the export has nodes |
| invented | the export has no node for it, yet it is bound to a node of another module |
| apart | the export has no node for it, and no foreign node is bound |
| unscored | nothing tells which node it ran; only of runs of other runtimes (runtimes.py), which have verdicts of their own |

A row is bindable (the first four) if the dynamo export has a node of the row's module with one of the row's operators. In a TorchScript
export, whose nodes do not name operators, a node of the module must have an ONNX type that the operator is exported as. A batch norm that
an exporter folded into the convolution before it is bindable to that convolution.
"""
import bisect
from typing import NamedTuple

from checks.accuracy import binder
from checks.accuracy.cases import NO_MEMBER, OUTSIDE, Node

RIGHT, WRONG, MISSED, AMBIGUOUS = 'right', 'wrong', 'missed', 'ambiguous'
EXCUSED, INVENTED, APART, UNSCORED = 'excused', 'invented', 'apart', 'unscored'
BINDABLE = (RIGHT, WRONG, MISSED, AMBIGUOUS)

# ONNX types by operator, where an operator is exported as few types.
TYPES = {
    'add': {'Add', 'Sum'},
    'batch_norm': {'BatchNormalization'},
    'bmm': {'MatMul'},
    'cat': {'Concat'},
    'conv': {'Conv', 'ConvTranspose'},
    'div': {'Div'},
    'embedding': {'Gather'},
    'layer_norm': {'Add', 'Div', 'LayerNormalization', 'Mul', 'Pow', 'ReduceMean', 'Sqrt', 'Sub'},
    'linear': {'Add', 'Gemm', 'MatMul'},
    'matmul': {'Einsum', 'MatMul'},
    'mul': {'Mul'},
    'relu': {'Relu'},
    'softmax': {'Softmax'},
    'sub': {'Sub'},
}
UNKNOWN = Node('', '', '', '')

# How many events before a row may still overlap it.
LOOK_BACK = 8


class Expected(NamedTuple):
    """What a row should be bound to."""
    bindable: bool
    operator: str     # compared name
    stand_ins: set    # scopes of convolutions that also stand for it


class Verdict(NamedTuple):
    what: str
    nodes: tuple        # what the row is bound to
    confidence: float   # of the event that holds most of the row, or None
    absent: bool        # no event covers any of the row


def holder(starts, events, row):
    """The event whose nodes hold most of a row; None if no event overlaps it."""
    end = row.start + row.length
    share, longest = {}, {}
    for index in range(max(bisect.bisect_right(starts, row.start) - 1 - LOOK_BACK, 0), len(events)):
        event = events[index]
        if event.start >= end:
            break
        overlap = min(end, event.start + event.length) - max(row.start, event.start)
        if overlap <= 0:
            continue
        key = (event.state, event.nodes)
        share[key] = share.get(key, 0) + overlap
        if key not in longest or overlap > longest[key][0]:
            longest[key] = (overlap, event)
    return longest[max(share, key=share.get)][1] if share else None


class Judge:
    """Knows what each row of a case should be bound to in one export."""

    def __init__(self, case, kind):
        self.rows, self.export = case.rows, case.exports[kind]
        self.dynamo = case.exports.get('dynamo')
        self.folded, self.folded_in_dynamo = self._folded(self.export), self._folded(self.dynamo)
        self.surplus = self._surplus(case.forwards)
        self.expected = [self._expect(row) for row in self.rows]

    def _folded(self, export):
        """(scope, operator) of convolutions and batch norms -> scopes of the convolutions that stand for both."""
        stand_ins = {}
        if export is None:
            return stand_ins
        for first, second in zip(self.rows, self.rows[1:]):
            if (first.operator, second.operator) != ('conv', 'batch_norm'):
                continue
            conv, norm = first.scope, second.scope
            # The convolution may carry the name of either module.
            if export.has(norm, 'Conv') and not export.has(conv, 'Conv'):
                stand_ins.setdefault((conv, 'conv'), set()).add(norm)
            if export.has(conv, 'Conv') and not export.has(norm, 'Conv') and not export.has(norm, 'BatchNormalization'):
                stand_ins.setdefault((norm, 'batch_norm'), set()).add(conv)
        # Compiled code calls no batch norm. The convolution's weight says what it stands for.
        for node in export.nodes.values():
            if node.type == 'Conv' and node.weights and not export.has(node.weights, 'Conv'):
                stand_ins.setdefault((node.weights, 'conv'), set()).add(node.scope)
        return stand_ins

    def _surplus(self, forwards):
        """(scope, operator) -> calls of the trace beyond those that the dynamo export has; which ones these are, nobody can tell."""
        if self.dynamo is None:
            return {}
        traced, last = {}, None
        for row in self.rows:
            if row.call != last:
                key = (row.scope, row.operator)
                traced[key] = traced.get(key, 0) + 1
            last = row.call
        exported = {key: forwards * len(calls) for key, calls in self.dynamo.calls_of.items()}
        return {key: count - exported[key] for key, count in traced.items() if count > exported.get(key, count)}

    def _expect(self, row):
        types = self.export.types_in.get(row.scope)
        if self.dynamo is None:
            operator = row.operators[0] if types and types & TYPES.get(row.operators[0], set()) else None
        else:
            offered = self.dynamo.operators_in.get(row.scope, ())
            operator = next((name for name in row.operators if name in offered), None)
        bindable = operator is not None and types is not None and row.scope not in (OUTSIDE, NO_MEMBER)
        if bindable and self.export.kind == 'torchscript' and operator in TYPES:
            bindable = bool(types & TYPES[operator])
        key = (row.scope, row.operator)
        stand_ins = self.folded.get(key, set())
        if not bindable and (stand_ins or (key in self.folded_in_dynamo and self.export.has(row.scope, 'Conv'))):
            bindable, operator = True, row.operator
        return Expected(bindable, operator, stand_ins)

    def _is_right(self, row, expected, node):
        if node.scope == row.scope:
            if node.operator:
                if node.operator == expected.operator or node.operator in row.operators:
                    return True
            elif expected.operator not in TYPES or node.type in TYPES[expected.operator]:
                return True
        return node.scope in expected.stand_ins and node.type == 'Conv'

    def verdicts(self, events):
        """One verdict per row, for the events of a run."""
        starts = [event.start for event in events]
        surplus, excused = dict(self.surplus), set()
        verdicts = []
        for row, expected in zip(self.rows, self.expected):
            event = holder(starts, events, row)
            state = event.state if event else binder.UNBOUND
            node = self.export.nodes.get(event.nodes[0], UNKNOWN) if state == binder.BOUND else None
            if expected.bindable and node:
                what = RIGHT if self._is_right(row, expected, node) else WRONG
            elif expected.bindable:
                key = (row.scope, row.operator)
                if row.call not in excused and surplus.get(key, 0) > 0:
                    surplus[key] -= 1
                    excused.add(row.call)
                what = EXCUSED if row.call in excused else AMBIGUOUS if state == binder.AMBIGUOUS else MISSED
            else:
                what = INVENTED if node and row.scope != NO_MEMBER and not related(node.scope, row.scope) else APART
            verdicts.append(Verdict(what, event.nodes if event else (), event.confidence if event else None, event is None))
        return verdicts


def related(node_scope, row_scope):
    """Whether one scope begins with the other; a node without scope is related to rows of the model itself only."""
    return node_scope.startswith(row_scope) or (node_scope != '' and row_scope.startswith(node_scope))


class Score:
    """Sums of verdicts, in time and in rows."""

    def __init__(self, rows, verdicts):
        self.time, self.count = {}, {}
        self.total = self.absent_time = 0
        # (confidence, right, ns) of what is bound and can be judged.
        self.confidences = []
        faults = {}
        for row, verdict in zip(rows, verdicts):
            self.total += row.length
            self.time[verdict.what] = self.time.get(verdict.what, 0) + row.length
            self.count[verdict.what] = self.count.get(verdict.what, 0) + 1
            if verdict.absent:
                self.absent_time += row.length
            if verdict.what in (RIGHT, WRONG, INVENTED) and verdict.confidence is not None:
                self.confidences.append((verdict.confidence, verdict.what == RIGHT, row.length))
            if verdict.what in (WRONG, MISSED, AMBIGUOUS, INVENTED):
                key = (verdict.what, row.scope, row.operators, verdict.nodes[:1])
                faults[key] = faults.get(key, 0) + row.length
        self.faults = sorted(((ns, key) for key, ns in faults.items()), key=lambda fault: -fault[0])

    def percent(self, what):
        """Of the time that is bindable; of all time what is not, `absent`, and `bindable`."""
        if what == 'absent':
            return share(self.absent_time, self.total)
        bindable = sum(self.time.get(name, 0) for name in BINDABLE)
        if what == 'bindable':
            return share(bindable, self.total)
        return share(self.time.get(what, 0), bindable if what in BINDABLE else self.total)

    def percent_of_events(self, what):
        """Of the rows that are bindable; `invented` of all rows."""
        counted = self.count if what == INVENTED else BINDABLE
        return share(self.count.get(what, 0), sum(self.count.get(name, 0) for name in counted))


def share(part, whole):
    return 100 * part / whole if whole else 0.0
