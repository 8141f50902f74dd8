"""Runs as fits of evidence read them: the calls of each iteration with the ways to bind them, and which of these are right.

`amdahlc -emit=evidence` lists the evidence of each pair of a call and a unit that something connects. Each pair is right or wrong by the truth
of the case (score.py).
"""
import bisect
import collections
import pathlib
import tempfile
from typing import NamedTuple

from checks.accuracy import binder, cases, reduce, runtimes, score

FULL = 'full'
FORMS = (FULL, 'noframes', 'noshapes', 'bare')
VOTES = ('SameInstance', 'OtherInstance')


class Truth:
    """Which units are right for the calls of a run."""

    def __init__(self, case, judge, units):
        self.judge, self.units, self.forwards = judge, units, case.forwards
        self.order = sorted(range(len(case.rows)), key=lambda index: case.rows[index].start)
        self.starts = [case.rows[index].start for index in self.order]
        self.fitting = {}

    def row_at(self, start, length):
        """Index of the row that holds most of a stretch of time; None without one."""
        first = max(bisect.bisect_right(self.starts, start) - 1 - score.LOOK_BACK, 0)
        best, most = None, 0
        for at in range(first, len(self.order)):
            row = self.judge.rows[self.order[at]]
            if row.start >= start + length:
                break
            overlap = min(start + length, row.start + row.length) - max(start, row.start)
            if overlap > most:
                best, most = self.order[at], overlap
        return best

    def units_of(self, index):
        """Units that may be right for a row, ascending; None if the export does not tell."""
        row, expected = self.judge.rows[index], self.judge.expected[index]
        key = (row.scope, row.operator, row.operators)
        if key not in self.fitting:
            self.fitting[key] = self.fitting_units(row, expected)
        return self.fitting[key]

    def fitting_units(self, row, expected):
        if row.scope == cases.NO_MEMBER:
            return None
        if not expected.bindable:
            return []
        # Without the exporter's word for the operator, most types of nodes may stand for it.
        if self.judge.export.kind != 'dynamo' and expected.operator not in score.TYPES:
            return None
        return [unit for unit, nodes in self.units.items() if any(self.judge._is_right(row, expected, node) for node in nodes)]

    def right_units(self, calls):
        """Of each call (start, length): its units, empty if there is none; None if it cannot be told.

        Where a module has the same operator several times, the units of a forward belong to its calls in order."""
        rows = [self.row_at(*call) for call in calls]
        groups = collections.defaultdict(list)
        for at, index in enumerate(rows):
            if index is not None:
                groups[self.judge.rows[index].scope, self.judge.rows[index].operator].append(at)
        result = [None] * len(calls)
        for group in groups.values():
            per_forward, rest = divmod(len(group), self.forwards)
            for position, at in enumerate(group):
                units = self.units_of(rows[at])
                if units is None or units == []:
                    result[at] = units
                elif not rest and len(units) % per_forward == 0:
                    share, place = len(units) // per_forward, position % per_forward
                    result[at] = units[place * share:(place + 1) * share]
        return rows, result

    def is_right(self, index, names):
        """Whether the truth allows that a call in the row is bound to a kernel of these nodes, the anchor first; where it has no word, to any."""
        if index is None:
            return True
        node = self.judge.export.nodes.get(names[0], score.UNKNOWN)
        row, expected = self.judge.rows[index], self.judge.expected[index]
        if expected.bindable:
            return self.judge._is_right(row, expected, node)
        return row.scope == cases.NO_MEMBER or score.related(node.scope, row.scope)


class RuntimeTruth:
    """The same for a run of runtimes.py."""

    def __init__(self, rows, units):
        self.rows, self.units = rows, units
        self.starts = [row.start for row in rows]

    def right_units(self, calls):
        found = [self.row_at(start, start + length) for start, length in calls]
        return found, [None if index is None or not self.rows[index].choices else
                       [unit for unit, names in self.units.items() if any(choice & set(names) for choice in self.rows[index].choices)] for index in found]

    def row_at(self, begin, end):
        """Index of a known row that overlaps a stretch of time; None without one."""
        last = bisect.bisect_left(self.starts, end)
        return next((index for index in range(max(last - score.LOOK_BACK, 0), last)
                     if self.starts[index] + self.rows[index].length > begin and self.rows[index].known and not self.rows[index].generated), None)

    def is_right(self, index, names):
        return index is None or not self.rows[index].choices or any(choice <= set(names) for choice in self.rows[index].choices)


class Option(NamedTuple):
    unit: int
    begin: int
    end: int
    calls: int
    rows: tuple      # of evidence, without votes
    share: float     # of the votes that agree; None without votes
    held: frozenset  # positions of the units that it holds
    right: bool


class Call(NamedTuple):
    options: list
    alone: str
    right: list     # units; None if it cannot be told
    must: bool


class Iteration(NamedTuple):
    calls: list
    skips: dict     # position -> row of evidence
    units: dict     # unit -> row of evidence
    restarts: bool


def read_iterations(rows, truth_of, forwards, nats):
    """The iterations of a run as `-emit=evidence` lists them, with the truth of each call; equal ones once. `truth_of` takes the names of nodes by unit."""
    of_units = [row for row in rows if not row['event'] and row['unit']]
    nodes = {int(row['unit']): row['nodes'].split(';') for row in of_units}
    position = {node: int(row['from']) for row in of_units for node in row['nodes'].split(';')}
    skips = {int(row['from']): row['evidence'] for row in of_units}
    units = {int(row['unit']): row['evidence'] for row in of_units}
    truth = truth_of(nodes)
    groups = collections.defaultdict(list)
    for row in rows:
        if row['event']:
            groups[int(row['event'])].append(row)
    events = sorted(groups)
    found, rights = truth.right_units([(int(groups[event][0]['ts_ns']), int(groups[event][0]['duration_ns'])) for event in events])
    iterations = collections.defaultdict(list)
    for event, index, right in zip(events, found, rights):
        options = [read_option(row, position, truth, index, nats) for row in groups[event] if row['nodes']]
        told = bool(right) and any(option.unit in right for option in options)
        alone = next(row['evidence'] for row in groups[event] if not row['nodes'])
        iterations[groups[event][0]['iteration']].append(Call(options, alone, right, told))
    several = forwards > len(iterations)
    distinct = {}
    for calls in iterations.values():
        distinct.setdefault(repr([(call.options, call.alone, call.must) for call in calls]), Iteration(with_further_calls(calls), skips, units, several))
    return list(distinct.values())


def has_bodies(export):
    return any(node.type in ('If', 'Loop', 'Scan') for node in export.nodes.values())


def read_option(row, position, truth, index, nats):
    names, nodes = row['evidence'].split('+'), row['nodes'].split(';')
    own = tuple(name for name in names if name not in VOTES)
    share = None
    if set(names) & set(VOTES):
        rest = float(row['score']) - sum(nats[name] for name in own)
        share = (rest - nats['OtherInstance']) / (nats['SameInstance'] - nats['OtherInstance']) if 'SameInstance' in names else 0.0
    return Option(int(row['unit']), int(row['from']), int(row['to']), int(row['calls']), own, share, frozenset(position[node] for node in nodes if node in position),
                  truth.is_right(index, nodes))


def with_further_calls(calls):
    """The truth binds a call that only the option of an earlier one takes, and that option must be right for both."""
    furthest = max((option.calls for call in calls for option in call.options), default=1)
    must = [call.must or bool(call.right) and any(option.calls > back and option.right and option.unit in call.right for back in range(1, min(index, furthest - 1) + 1)
                                                  for option in calls[index - back].options) for index, call in enumerate(calls)]

    def is_right(index, option):
        return option.right and all(not must[index + further] or option.unit in calls[index + further].right
                                    for further in range(1, option.calls) if index + further < len(calls) and calls[index + further].right)

    return [call._replace(must=must[index], options=[option._replace(right=is_right(index, option)) for option in call.options]) for index, call in enumerate(calls)]


def iterations_of_case(folder, nats):
    """(form, iteration) of all exports of a case without control flow; `nats` are the numbers of evidence, which scores are sums of."""
    case = cases.read_case(folder)
    with tempfile.TemporaryDirectory() as temporary:
        for form in FORMS:
            path = case.trace
            if form != FULL:
                changed = reduce.without(reduce.load(case.trace), reduce.FORMS[form])
                if changed is None:
                    continue
                path = reduce.store(changed, pathlib.Path(temporary, f'{form}.json'))
            for kind, export in case.exports.items():
                if has_bodies(export):
                    continue
                judge = score.Judge(case, kind)

                def truth_of(nodes):
                    return Truth(case, judge, {unit: [judge.export.nodes.get(name, score.UNKNOWN) for name in names] for unit, names in nodes.items()})

                rows = binder.run(export.path, path, evidence=True).evidence
                yield from ((form, iteration) for iteration in read_iterations(rows, truth_of, case.forwards, nats))


def iterations_of_runtime(run, nats):
    """The same for a run of PyTorch on a CPU of runtimes.py, whose iterations are marked."""
    for export in run.models:
        model = runtimes.Model(runtimes.path_of(export))
        truth = run.truth(model)
        rows = binder.run(model.path, run.traces, evidence=True).evidence
        yield from ((FULL, iteration) for iteration in read_iterations(rows, lambda nodes: RuntimeTruth(truth, nodes), 0, nats))
