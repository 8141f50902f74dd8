"""Fits the numbers of passes/trace_bind/evidence.def to runs whose truth is known; estimates.csv records them, and docs/update.py shows the record.

All numbers are fitted at once: they are the mode of

    sum over runs of ln P(the right alignments of the run)  -  sum over rows of (number - prior)^2 / (2 SPREAD^2)

where P is that of lattice.py, and the prior of a row is the log-odds that is counted for it alone: how much likelier it is for right pairs than for wrong pairs
of the same run,

    ln( (right with it + r/2) / (right asked + 1/2) / ((wrong with it + r/2) / (wrong asked + 1/2)) ),  r the rate of all pairs, within BOUND.

Asked are, for the connection (rows of CONNECTION, of which a pair has one or none), every call with every unit; for a comparison (COMPARISONS, of which a
compared pair has one), the compared pairs; for others, the connected pairs. The prior of a row without a partner is the log-odds that a unit with it has no right call, and at most 0.
Only differences from leaving a call alone count, so that `UnboundKnown` is fixed, and the priors of connections are counted from it. A row that is `Fixed` in
evidence.def keeps its number.

A run is fitted in each form that lacks a kind of evidence, without the votes of module instances and with them. The error of a number is the standard deviation
of the normal distribution around the mode. Held out are the runs of one architecture after the other (FOLDS groups): how many of their calls are bound wrongly by
the numbers that are fitted to all others.
"""
import collections
import csv
import math
from typing import NamedTuple

from checks.accuracy import evidence_runs, runtimes
from checks.pages import update
from checks.places import SOURCE

SPREAD = 5.0
BOUND = 8.0
FOLDS = 6

TABLE = SOURCE / 'passes' / 'trace_bind' / 'evidence.def'
RECORD = SOURCE / 'tests' / 'checks' / 'accuracy' / 'estimates.csv'
COLUMNS = ('id', 'number', 'error', 'prior', 'right', 'wrong')
HELD_OUT = 'held out'

CONNECTION = ('SameOperator', 'Synonym', 'RuleTop', 'RuleInner')
COMPARISONS = (('SameClass', 'OtherClass'), ('SameInstance', 'OtherInstance'), ('SameWeight', 'OtherWeight'),
               ('SameElements', 'OtherElements'), ('SameVector', 'OtherVector'))
ALONE = ('Skip', 'Unbound')   # prefixes of the rows without a partner
# Cases of one architecture.
KIN = ({'bert', 'bert-small', 'bert_noframes', 'distilbert'}, {'clip', 'clip_one_step'}, {'compiled_encoder', 'fused_encoder'}, {'compiled_resnet', 'resnet18', 'resnet50', 'resnet50_other_batch'},
       {'lstm', 'lstm_tagger'}, {'vit', 'vit_bare', 'vit_unmarked'})


def architecture(case):
    return next((min(kin) for kin in KIN if case in kin), case)


def numbers():
    """(id, nats, why it is fixed or None) of evidence.def."""
    return [row[:3] for row in update.evidence_rows(TABLE.read_text()) if not isinstance(row, str)]


NUMBERS = numbers()
NAMES = [name for name, *_ in NUMBERS]
INDEX = {name: index for index, name in enumerate(NAMES)}
NATS = {name: nats for name, nats, _ in NUMBERS}


def lattice_of(iteration, votes):
    import numpy
    import scipy.sparse
    from checks.accuracy import lattice
    first, features = [0], []
    options = [option for call in iteration.calls for option in call.options]
    for call in iteration.calls:
        first.append(first[-1] + len(call.options))
    for option in options:
        counts = collections.Counter(option.rows)
        if votes and option.share is not None:
            counts['SameInstance'] += option.share
            counts['OtherInstance'] += 1 - option.share
        # An option gives back what it costs to skip the units that it holds outside of its step, and pays for those that it leaves out inside.
        for at in range(option.begin, option.end):
            if at not in option.held and at in iteration.skips:
                counts[iteration.skips[at]] += 1
        for at in option.held:
            if not option.begin <= at < option.end:
                counts[iteration.skips[at]] -= 1
        features.append(counts)
    entries = [(value, index, INDEX[name]) for index, counts in enumerate(features) for name, value in counts.items() if value]
    matrix = scipy.sparse.csr_matrix(([entry[0] for entry in entries], ([entry[1] for entry in entries], [entry[2] for entry in entries])),
                                     shape=(len(options), len(NAMES)))
    skips = numpy.array([INDEX[iteration.skips[at]] if at in iteration.skips else -1 for at in range(max(iteration.skips) + 1)])

    def integers(values):
        return numpy.array(list(values), dtype=numpy.int64)

    return lattice.Lattice(skips, integers(first), integers(option.begin for option in options), integers(option.end for option in options),
                           integers(option.calls for option in options), matrix, numpy.array([option.right for option in options], dtype=bool),
                           integers(INDEX[call.alone] for call in iteration.calls), numpy.array([call.must for call in iteration.calls], dtype=bool),
                           NATS['Restart'] if iteration.restarts else -math.inf, NATS['Jump'])


class Counts:
    """Of each row, pairs or partners with it; and those that were asked."""

    def __init__(self):
        self.having = {True: collections.Counter(), False: collections.Counter()}
        self.pairs = collections.Counter()       # every call with every unit
        self.connected = collections.Counter()

    def add(self, iteration):
        ran = set()
        # Only where every call has a truth, a unit without a call has none.
        told = all(call.right is not None for call in iteration.calls)
        for call in iteration.calls:
            if call.right is None:
                continue
            if told:
                self.having[not call.right][call.alone] += 1
            ran.update(call.right)
            # Of a unit, the option with the most rows for it.
            best = {}
            for option in call.options:
                total = sum(NATS[row] for row in option.rows)
                if option.unit not in best or total > best[option.unit][0]:
                    best[option.unit] = (total, option)
            self.pairs[True] += max(sum(unit in best for unit in call.right), min(len(call.right), 1))
            self.pairs[False] += len(iteration.units) - len(call.right)
            for unit, (_, option) in best.items():
                right = unit in call.right
                if not right and option.right:
                    continue
                votes = () if option.share is None else ('SameInstance',) if option.share > 0 else ('OtherInstance',)
                self.connected[right] += 1
                self.having[right].update((*option.rows, *votes))
        if told:
            for unit, row in iteration.units.items():
                self.having[unit not in ran][row] += 1

    def asked(self, row, right):
        if row in CONNECTION:
            return self.pairs[right]
        if group := next((group for group in COMPARISONS if row in group), None):
            return sum(self.having[right][one] for one in group)
        return self.connected[right]

    def prior(self, row):
        right, wrong = self.having[True][row], self.having[False][row]
        if row.startswith(ALONE):
            return min(0.0, math.log((right + 0.5) / (wrong + 0.5)))
        if not right + wrong:
            return 0.0
        asked = {which: self.asked(row, which) for which in (True, False)}
        rate = (right + wrong) / sum(asked.values())
        return max(-BOUND, min(BOUND, math.log((right + rate / 2) / (asked[True] + 0.5) / ((wrong + rate / 2) / (asked[False] + 0.5)))))

    def priors(self):
        import numpy
        alone = self.prior('UnboundKnown') - NATS['UnboundKnown']
        return numpy.array([nats if why else self.prior(name) - (alone if name in CONNECTION else 0) for name, nats, why in NUMBERS])

    def texts(self, row):
        having = [self.having[right][row] for right in (True, False)]
        if row.startswith(ALONE):
            return f'{having[0]} alone', f'{having[1]} paired'
        return tuple(f'{count} of {self.asked(row, right)}' for count, right in zip(having, (True, False)))


class Data(NamedTuple):
    counts: dict     # architecture -> iterations that are counted
    lattices: dict   # architecture -> lattices


def read(folders):
    data = Data(collections.defaultdict(list), collections.defaultdict(list))
    runs = [(folder.name, evidence_runs.iterations_of_case(folder, NATS)) for folder in folders]
    runs += [(run.architecture, evidence_runs.iterations_of_runtime(run, NATS)) for name, run in runtimes.recorded_runs().items() if name.startswith('pytorch')]
    for case, iterations in runs:
        name = architecture(case)
        for form, iteration in iterations:
            if form == evidence_runs.FULL:
                data.counts[name].append(iteration)
            data.lattices[name].append(lattice_of(iteration, votes=False))
            if any(option.share is not None for call in iteration.calls for option in call.options):
                data.lattices[name].append(lattice_of(iteration, votes=True))
    return data


class Fit:
    """The numbers that fit the runs of some architectures."""

    def __init__(self, data, architectures):
        import numpy
        import scipy.optimize
        from checks.accuracy import lattice
        self.counts = Counts()
        for name in architectures:
            for iteration in data.counts[name]:
                self.counts.add(iteration)
        self.prior = self.counts.priors()
        lattices = [one for name in architectures for one in data.lattices[name]]
        bounds = [(prior, prior) if why else (None, 0.0) if name.startswith(ALONE) else (None, None) for prior, (name, _, why) in zip(self.prior, NUMBERS)]

        def penalized(values):
            value, gradient = lattice.loss(lattices, values)
            away = values - self.prior
            return value + (away ** 2).sum() / (2 * SPREAD ** 2), gradient + away / SPREAD ** 2

        found = scipy.optimize.minimize(penalized, self.prior, jac=True, method='L-BFGS-B', bounds=bounds, options={'maxiter': 200, 'ftol': 1e-7})
        self.numbers, self.penalized, self.numpy = found.x, penalized, numpy

    def errors(self):
        """The square roots of the diagonal of the inverse of the second derivatives, which are differences of gradients."""
        free = [index for index, (_, _, why) in enumerate(NUMBERS) if not why]
        step = 0.01
        rows = []
        for index in free:
            moved = [self.numbers.copy(), self.numbers.copy()]
            moved[0][index] -= step
            moved[1][index] += step
            low, high = (self.penalized(values)[1] for values in moved)
            rows.append((high - low)[free] / (2 * step))
        second = self.numpy.array(rows)
        inverse = self.numpy.linalg.inv((second + second.T) / 2)
        return {NAMES[index]: math.sqrt(max(inverse[at, at], 0.0)) for at, index in enumerate(free)}


def record_of(folders):
    """The numbers, and what becomes of held-out architectures, as estimates.csv holds them."""
    from checks.accuracy import lattice
    data = read(folders)
    architectures = sorted(data.lattices)
    fit = Fit(data, architectures)
    errors = fit.errors()
    lines = [COLUMNS]
    for name, number, prior, (_, _, why) in zip(NAMES, fit.numbers, fit.prior, NUMBERS):
        if not why:
            lines.append((name, f'{number:.2f}', f'{errors[name]:.2f}', f'{prior:.2f}', *fit.counts.texts(name)))
    for fold in range(FOLDS):
        held = architectures[fold::FOLDS]
        others = Fit(data, [name for name in architectures if name not in held])
        lattices = [one for name in held for one in data.lattices[name]]
        wrong, calls = lattice.wrong_calls(lattices, others.numbers)
        within, _ = lattice.wrong_calls(lattices, fit.numbers)
        lines.append((HELD_OUT, ' '.join(held), f'{calls}', f'{wrong}', f'{within}', ''))
    return ''.join(','.join(line) + '\n' for line in lines)


def rows_of(record):
    """The rows of evidence by id, and those of the held-out architectures."""
    rows = list(csv.DictReader(record.splitlines()))
    return {row['id']: row for row in rows if row['id'] != HELD_OUT}, [row for row in rows if row['id'] == HELD_OUT]


def print_table(record):
    """All numbers with what they are fitted to, and the calls of held-out architectures that are bound wrongly."""
    known, held = rows_of(record)
    print(f'{"evidence":17}{"nats":>7}{"fitted":>8}{"error":>7}{"prior":>7}  {"right":>15}  {"wrong":>18}')
    for name, value, why in NUMBERS:
        row = known.get(name)
        print(f'{name:17}{value:7.2f}' + (f'{row["number"]:>8}{row["error"]:>7}{row["prior"]:>7}  {row["right"]:>15}  {row["wrong"]:>18}' if row else f'  fixed: {why}'))
    for row in held:
        print(f'held out: {row["error"]} calls, {row["prior"]} wrong by the numbers of the others, {row["right"]} by those of all: {row["number"]}')


def check(check, record):
    """Compares the numbers with a record; with `--write`, what was fitted becomes the record and the table of numbers."""
    known, _ = rows_of(record)
    if check.write:
        RECORD.write_text(record)
        check.say(f'wrote {RECORD.name}; evidence.def takes the numbers from it by hand, and docs/update.py shows it')
        return
    for name, value, why in NUMBERS:
        check.that(why or name in known and f'{value:.2f}' == known[name]['number'],
                   f'`{name}` is {value:.2f}, and what was fitted is {name in known and known[name]["number"]}')
