"""Figures over the pairs of export and trace that were scored, and over foreign pairs of model and trace; and their limits."""
from typing import NamedTuple

from checks import sampling
from checks.accuracy import binder, score

VERDICTS = (score.RIGHT, score.AMBIGUOUS, score.MISSED, score.WRONG, score.INVENTED)

# What binding aims at, in percent.
AIM_RIGHT, AIM_WRONG, AIM_INVENTED = 99.5, 0.2, 0.2

# Lower bounds of the bins of confidence.
BINS = (0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


# What the limits are about: figures over the shared cases, by form; BUNDLED are the cases of `tests/data`, RUNTIMES the runs of runtimes.py.
FOREIGN, BUNDLED, RUNTIMES, FOREIGN_RUNS = 'foreign', 'bundled ', 'runtimes', 'foreign runtimes'
ANSWERS, FOREIGN_ANSWERS = 'answers', 'foreign answers'
LIMITS = [
    ('full', 'failed', 'at most', 0),
    ('full', 'right >= 99.5', 'at least', 51),
    ('full', 'wrong > 0.2', 'at most', 0),
    ('full', 'invented > 0.2', 'at most', 0),
    ('full', 'right# at 0.9', 'at least', 99.5),
    ('full', 'said not to fit', 'at most', 0),
    ('noframes', 'failed', 'at most', 0),
    ('noframes', 'mean right', 'at least', 99.5),
    ('noframes', 'wrong > 0.2', 'at most', 0),
    ('noframes', 'right# at 0.9', 'at least', 99.5),
    ('noshapes', 'failed', 'at most', 0),
    ('noshapes', 'mean right', 'at least', 99.5),
    ('noshapes', 'wrong > 0.2', 'at most', 0),
    ('noshapes', 'right# at 0.9', 'at least', 99.5),
    ('bare', 'failed', 'at most', 0),
    ('bare', 'mean right', 'at least', 99),
    ('bare', 'wrong > 0.2', 'at most', 0),
    ('bare', 'right# at 0.9', 'at least', 99.5),
    ('bare', 'said not to fit', 'at most', 2),
    (FOREIGN, 'said to fit', 'at most', 0),
    (RUNTIMES, 'failed', 'at most', 0),
    (RUNTIMES, 'least right', 'at least', 100),
    (RUNTIMES, 'least right#', 'at least', 100),
    (RUNTIMES, 'worst wrong#', 'at most', 0),
    (RUNTIMES, 'worst invented#', 'at most', 0),
    (RUNTIMES, 'said not to fit', 'at most', 0),
    (FOREIGN_RUNS, 'said to fit', 'at most', 0),
    (ANSWERS, 'failed', 'at most', 0),
    (ANSWERS, 'said not to fit', 'at most', 0),
    (FOREIGN_ANSWERS, 'said to fit', 'at most', 0),
    (BUNDLED + 'full', 'failed', 'at most', 0),
    (BUNDLED + 'full', 'mean right', 'at least', 99.5),
    (BUNDLED + 'full', 'mean wrong', 'at most', 0.2),
    (BUNDLED + 'full', 'invented > 0.2', 'at most', 0),
    (BUNDLED + 'full', 'said not to fit', 'at most', 0),
    (BUNDLED + 'noframes', 'mean right', 'at least', 99.5),
    (BUNDLED + 'noframes', 'mean wrong', 'at most', 0.2),
    (BUNDLED + 'noshapes', 'mean right', 'at least', 87),
    (BUNDLED + 'noshapes', 'mean wrong', 'at most', 0.2),
    (BUNDLED + 'bare', 'mean right', 'at least', 87),
    (BUNDLED + 'bare', 'mean wrong', 'at most', 0.2),
    (BUNDLED + 'bare', 'said not to fit', 'at most', 0),
    (BUNDLED + 'default', 'failed', 'at most', 0),
    (BUNDLED + 'default', 'mean right', 'at least', 88),
    (BUNDLED + 'default', 'mean wrong', 'at most', 0.2),
    (BUNDLED + 'default', 'wrong > 0.2', 'at most', 0),
    (BUNDLED + 'default', 'said not to fit', 'at most', 0),
]
# Figures that a part of the cases need not keep.
OF_ALL = ('mean', 'right >=', 'right# at')


class Pair(NamedTuple):
    case: str
    export: str
    form: str
    score: score.Score   # None if the command failed
    fit: binder.Fit
    failure: str

    @property
    def fits(self):
        return self.fit.fits


def scored(case, export, form, run, rows, verdicts):
    """A pair from a run of the command; `verdicts` judges its events."""
    return Pair(case, export, form, None if run.failure else score.Score(rows, verdicts(run.events)), run.fit, run.failure)


class Foreign(NamedTuple):
    model: str
    trace: str
    fit: binder.Fit
    bound: float    # percent of the time of events
    failure: str

    @property
    def fits(self):
        return self.fit.fits


class Measured(NamedTuple):
    """All that the page is about."""
    forms: list
    pairs: list          # of cases, Pair
    foreign: list        # Foreign
    runs: list           # of other runtimes with models that they are of, Pair
    foreign_runs: list   # with models that they are not of, Foreign
    answers: list        # answers.Answer
    foreign_answers: list   # Foreign


def is_good(pair):
    return (pair.score is not None and pair.score.percent(score.RIGHT) >= AIM_RIGHT and pair.score.percent(score.WRONG) <= AIM_WRONG
            and pair.score.percent(score.INVENTED) <= AIM_INVENTED)


def by_form(pairs, forms):
    return {form: [pair for pair in pairs if pair.form == form] for form in forms}


def figures_of(pairs):
    """The figures of one form, by name."""
    scores = [pair.score for pair in pairs if pair.score is not None]
    figures = {'pairs': len(pairs), 'failed': len(pairs) - len(scores)}
    figures[f'right >= {AIM_RIGHT}'] = sum(one.percent(score.RIGHT) >= AIM_RIGHT for one in scores)
    figures[f'wrong > {AIM_WRONG}'] = sum(one.percent(score.WRONG) > AIM_WRONG for one in scores)
    figures['wrong > 1'] = sum(one.percent(score.WRONG) > 1 for one in scores)
    figures[f'invented > {AIM_INVENTED}'] = sum(one.percent(score.INVENTED) > AIM_INVENTED for one in scores)
    figures['all aims'] = sum(map(is_good, pairs))
    for what in (score.RIGHT, score.AMBIGUOUS, score.WRONG):
        figures[f'mean {what}'] = sum(one.percent(what) for one in scores) / len(scores) if scores else 0
    figures['worst wrong'] = max((one.percent(score.WRONG) for one in scores), default=0)
    figures['said not to fit'] = sum(pair.fits is False for pair in pairs)
    sure = [right for one in scores for confidence, right, _ in one.confidences if confidence >= 0.9]
    figures['right# at 0.9'] = score.share(sum(sure), len(sure)) if sure else None
    return figures


def figures_of_runtimes(pairs):
    """The figures of runs of other runtimes, by name."""
    scores = [pair.score for pair in pairs if pair.score is not None]

    def least(percent):
        return min((percent(one) for one in scores), default=0)
    return {'failed': len(pairs) - len(scores), 'least right': least(lambda one: one.percent(score.RIGHT)),
            'least right#': least(lambda one: one.percent_of_events(score.RIGHT)),
            'worst wrong#': -least(lambda one: -one.percent_of_events(score.WRONG)),
            'worst invented#': -least(lambda one: -one.percent_of_events(score.INVENTED)),
            'said not to fit': sum(pair.fits is not True for pair in pairs)}


def figures_of_foreign(foreign):
    return {'pairings': len(foreign), 'said to fit': sum(pairing.fits is True for pairing in foreign),
            'not said': sum(pairing.fits is None for pairing in foreign)}


def reliability(pairs):
    """Of each bin of confidence: rows, their mean confidence, percent of them that are right, percent of their time that is."""
    entries = [entry for pair in pairs if pair.score is not None for entry in pair.score.confidences]
    table = []
    for low, high in zip(BINS, (*BINS[1:], 2)):
        inside = [entry for entry in entries if low <= entry[0] < high]
        if not inside:
            table.append((0, None, None, None))
            continue
        right, time = sum(right for _, right, _ in inside), sum(ns for _, right, ns in inside if right)
        table.append((len(inside), sum(entry[0] for entry in inside) / len(inside), score.share(right, len(inside)),
                      score.share(time, sum(entry[2] for entry in inside))))
    return table


def said(fits):
    return {True: 'fits', False: 'no', None: '-'}[fits]


def shown(value):
    return '-' if value is None else f'{value:.2f}' if isinstance(value, float) else str(value)


def answers(pairings):
    fits = [pairing.fits for pairing in pairings]
    return f'{fits.count(True)} said to fit, {fits.count(False)} said not to, {fits.count(None)} not said'


def limited(pairs, forms, bundled):
    """The figures by the names in LIMITS; those of the shared cases only if there are any."""
    found = {prefix + form: some for prefix, own in (('', False), (BUNDLED, True))
             for form, some in by_form([pair for pair in pairs if (pair.case in bundled) == own], forms).items()}
    return {name: figures_of(some) for name, some in found.items() if some}


def limited_others(measured):
    return {FOREIGN: figures_of_foreign(measured.foreign), RUNTIMES: figures_of_runtimes(measured.runs), FOREIGN_RUNS: figures_of_foreign(measured.foreign_runs),
            ANSWERS: {'failed': sum(bool(one.failure) for one in measured.answers), 'said not to fit': sum(one.fits is not True for one in measured.answers)},
            FOREIGN_ANSWERS: figures_of_foreign(measured.foreign_answers)}


def check_limits(check, found):
    """Compares figures by form with LIMITS; a form that was not run is left out."""
    for form, name, kind, limit in LIMITS:
        if form not in found or not sampling.is_all() and name.startswith(OF_ALL):
            continue
        value = found[form][name]
        # There is no share of right rows at a confidence that no row has.
        check.that(value is None or (value >= limit if kind == 'at least' else value <= limit), f'{form}: {name} is {shown(value)}, {kind} {limit}')
