"""Estimates of the numbers of passes/trace_bind/evidence.def from runs whose truth is known; estimates.csv records them, and docs/update.py shows the record.

`amdahlc -emit=evidence` lists the evidence of each pair of a call and a unit that something connects. Each pair is right or wrong by the truth
of the case (score.py). The estimate of a row is a log-odds in nats: how much likelier it is for right pairs than for wrong pairs of the same run,

    ln( (right with it + PRIOR) / (right asked + 2 PRIOR) / ((wrong with it + PRIOR) / (wrong asked + 2 PRIOR)) )

within BOUND. Who is asked depends on the row, so that one estimate does not repeat another:

  the connection   rows of CONNECTION, of which a pair has one or none: every call with every unit
  a comparison     rows of COMPARISONS, of which a compared pair has one: pairs that were compared
  all others       pairs with a connection

A row without a partner is not about pairs. Its estimate is the log-odds that a call with it has no right unit, or a unit with it no right call; it
is a cost, and so at most 0.

A number whose origin is `Estimated` strays if it differs from its estimate by more than NEAR nats and by more than the factor FACTOR. All cases are
counted, in the folder `shared` beside the project too. Where that is not there, the recorded estimates are compared with the numbers.
"""
import bisect
import collections
import csv
import math

from checks.accuracy import cases, score
from checks.pages import update
from checks.places import SOURCE

PRIOR = 0.5
BOUND = 8.0
NEAR, FACTOR = 0.5, 1.5

TABLE = SOURCE / 'passes' / 'trace_bind' / 'evidence.def'
RECORD = SOURCE / 'tests' / 'checks' / 'accuracy' / 'estimates.csv'
COLUMNS = ('id', 'estimate', 'right', 'wrong')

CONNECTION = ('SameOperator', 'Synonym', 'InnerOperator', 'InnerSynonym', 'Rewritten', 'RuleTop', 'RuleInner', 'TypeTop', 'TypeInner', 'NameOnly',
              'NameOnlyCopy', 'BothMoveData')
COMPARISONS = (('AfterStrided', 'AfterContiguous'), ('SameClass', 'OtherClass'), ('SameInstance', 'OtherInstance'), ('SameWeight', 'OtherWeight'),
               ('SameElements', 'OtherElements'), ('SameVector', 'OtherVector'))
# Prefixes of the rows without a partner. NoInstance is an offset of SameInstance, and goes with it.
ALONE = ('Skip', 'Unbound')
OFFSETS = ('NoInstance',)


def asked_with(row):
    return next((group for group in COMPARISONS if row in group), None)


class Counts:
    """Of each row, pairs or partners with it; and those that were asked."""

    def __init__(self):
        self.having = {True: collections.Counter(), False: collections.Counter()}
        self.pairs = collections.Counter()       # every call with every unit
        self.connected = collections.Counter()

    def add(self, other):
        for right in (True, False):
            self.having[right].update(other.having[right])
        self.pairs.update(other.pairs)
        self.connected.update(other.connected)

    def asked(self, row, right):
        if row in CONNECTION:
            return self.pairs[right]
        if group := asked_with(row):
            return sum(self.having[right][one] for one in group)
        return self.connected[right]

    def estimate(self, row):
        """(estimate, right with it, wrong with it) as texts; None if nothing was counted."""
        having = {right: self.having[right][row] for right in (True, False)}
        if not any(having.values()):
            return None
        if row.startswith(ALONE):
            value = min(0.0, math.log((having[True] + PRIOR) / (having[False] + PRIOR)))
            return f'{value:.2f}', f'{having[True]} alone', f'{having[False]} paired'
        asked = {right: self.asked(row, right) for right in (True, False)}
        rate = {right: (having[right] + PRIOR) / (asked[right] + 2 * PRIOR) for right in (True, False)}
        value = max(-BOUND, min(BOUND, math.log(rate[True] / rate[False])))
        return f'{value:.2f}', *(f'{having[right]} of {asked[right]}' for right in (True, False))


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


def count_run(rows, case, judge):
    counts = Counts()
    units = {int(row['unit']): [judge.export.nodes.get(node, score.UNKNOWN) for node in row['nodes'].split(';')] for row in rows if not row['event']}
    truth = Truth(case, judge, units)
    unbound = {int(row['event']): row for row in rows if row['event'] and not row['nodes']}
    events = sorted(unbound)
    truth_rows, rights = truth.right_units([(int(unbound[event]['ts_ns']), int(unbound[event]['duration_ns'])) for event in events])
    right_of = dict(zip(events, rights))
    best = {}
    for row in rows:
        if row['event'] and row['nodes']:
            key = (int(row['event']), int(row['unit']))
            if key not in best or float(row['score']) > float(best[key]['score']):
                best[key] = row
    ran, undecided_scopes = set(), set()
    for event, index in zip(events, truth_rows):
        right = right_of[event]
        if right is None:
            if index is not None:
                undecided_scopes.add(truth.judge.rows[index].scope)
            continue
        # An operator that was exported as several nodes is bound to one of them.
        counts.pairs[True] += max(sum((event, unit) in best for unit in right), min(len(right), 1))
        counts.pairs[False] += len(units) - len(right)
        counts.having[not right][unbound[event]['evidence']] += 1
        ran.update(right)
    for (event, unit), row in best.items():
        if right_of[event] is None:
            continue
        right = unit in right_of[event]
        counts.connected[right] += 1
        counts.having[right].update(row['evidence'].split('+'))
    for row in rows:
        if not row['event'] and not any(node.scope in undecided_scopes for node in units[int(row['unit'])]):
            counts.having[int(row['unit']) not in ran][row['evidence']] += 1
    return counts


def numbers():
    """(id, nats, why it is not estimated or None) of evidence.def."""
    return [row[:3] for row in update.evidence_rows(TABLE.read_text()) if not isinstance(row, str)]


def record_of(counts):
    """The estimates as estimates.csv holds them."""
    found = [(name, counts.estimate(name)) for name, *_ in numbers() if name not in OFFSETS]
    return ''.join(','.join(line) + '\n' for line in [COLUMNS, *((name, *estimate) for name, estimate in found if estimate)])


def strays(value, estimate):
    low, high = sorted((abs(value), abs(estimate)))
    return abs(value - estimate) > NEAR and (value * estimate <= 0 or high > FACTOR * low)


def print_table(estimates):
    """All numbers with their estimates, what these were counted from, and where each comes from."""
    print(f'{"evidence":17}{"nats":>7}{"estimate":>10}  {"right":>15}  {"wrong":>18}  origin')
    for name, value, why in numbers():
        known = estimates.get(name)
        print(f'{name:17}{value:7.2f}' + (f'{known["estimate"]:>10}  {known["right"]:>15}  {known["wrong"]:>18}' if known else ' ' * 47)
              + f'  {f"set: {why}" if why else "estimated"}')


def read(record):
    return {row['id']: row for row in csv.DictReader(record.splitlines())}


def check(check, counts):
    """Compares the numbers with what was counted, or with the record where that is None; with `--write` records the estimates."""
    recorded = RECORD.read_text()
    record = record_of(counts) if counts else recorded
    for name, value, why in numbers():
        known = read(record).get(name)
        check.that(why or known and not strays(value, float(known['estimate'])), f'`{name}` is {value:.2f}, and the estimate is {known and known["estimate"]}')
    if check.write:
        RECORD.write_text(record)
        check.say(f'wrote {RECORD.name}; docs/update.py shows it')
    else:
        check.that(record == recorded, f'{RECORD.name} has other estimates: `tests/run_checks.py --write {check.name}` records these')
