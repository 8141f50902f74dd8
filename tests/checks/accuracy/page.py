"""The tables of docs/accuracy.md: what bindings.py finds, as Markdown. They are about all cases."""
import re

from checks import pages, sampling
from checks.accuracy import figures, score
from checks.accuracy.figures import VERDICTS
from checks.pages import markdown
from checks.places import SOURCE

PAGE = 'docs/accuracy.md'
FIT = SOURCE / 'passes' / 'trace_bind' / 'fit_text.h'
TEXTS = ('', 'confidence', 'measure', 'case', 'run', 'export', 'form', 'model', 'trace', 'trace of', 'fits')

# Of events.
STATES = ('bound', 'ambiguous', 'runtime-only', 'unknown')

# The forms with a table of their own.
DETAILED = ('full', 'bare')

# Pairings that are listed as nearest to the limits, of each kind.
NEAREST = 8


def summary(pairs, forms):
    columns = [figures.figures_of(some) for some in figures.by_form(pairs, forms).values()]
    return markdown(['', *forms], [[name.replace('right#', 'rows right')] + [figures.shown(one[name]) for one in columns]
                                   for name in columns[0]], TEXTS)


def details(pairs, form, more=()):
    """Each pair of one form: of each verdict the percent of time, then those of rows, and more percents of time."""
    rows = []
    for pair in pairs:
        if pair.form == form:
            numbers = ['failed'] + [''] * (2 * len(VERDICTS) + len(more) - 1)
            if pair.score:
                numbers = [f'{one:.2f}' for one in (*map(pair.score.percent, VERDICTS), *map(pair.score.percent_of_events, VERDICTS), *map(pair.score.percent, more))]
            rows.append([pair.case, pair.export, *numbers, figures.said(pair.fits)])
    return markdown(['case', 'export', *VERDICTS, *(f'{what} rows' for what in VERDICTS), *more, 'fits'], rows, TEXTS)


def runs_table(runs):
    """Each run of another runtime with each of its models."""
    rows = []
    for pair in runs:
        if pair.score is None:
            numbers = ['failed'] + [''] * (2 * len(VERDICTS) + 1)
        else:
            numbers = [f'{one:.2f}' for one in (*map(pair.score.percent, (*VERDICTS, score.APART, score.UNSCORED)),
                                                *map(pair.score.percent_of_events, VERDICTS))]
        rows.append([pair.case, f'`{pair.export}`', *numbers, figures.said(pair.fits)])
    return markdown(['run', 'model', *VERDICTS, 'no node', score.UNSCORED, *(f'{what} rows' for what in VERDICTS), 'fits'], rows, TEXTS)


def answers_table(found):
    """Each run of answers.py with each model that it is of."""
    rows = [[one.case, f'`{one.trace}`', f'`{one.model}`', *(f'{one.shares.get(state, 0):.2f}' for state in STATES), figures.said(one.fits)] for one in found]
    return markdown(['case', 'trace', 'model', *STATES, 'fits'], rows, TEXTS)


def reliability(pairs, forms):
    tables = [figures.reliability(some) for some in figures.by_form(pairs, forms).values()]
    rows = []
    for low, *cells in zip(figures.BINS, *tables):
        if any(count for count, *_ in cells):
            rows.append([f'from {low}'] + [f'{right:.2f} of {count}' if count else '-' for count, _, right, _ in cells])
    return markdown(['confidence', *forms], rows, TEXTS)


def limits_of_fit():
    """The least shares with which a trace fits: of calls, units and weights."""
    text = FIT.read_text()
    found = [re.search(rf'\bkLeast{measure}Permille = (\d+)', text) for measure in ('Calls', 'Units', 'Weights')]
    if not all(found):
        raise ValueError(f'{FIT.name} does not name its limits kLeast...Permille')
    return [int(limit[1]) / 1000 for limit in found]


def margin(fit, limits):
    """By how much the measure that is lowest, compared with its limit, exceeds it."""
    return min(value - limit for value, limit in zip((fit.calls, fit.units, fit.weights), limits) if value is not None)


def share(value):
    return '-' if value is None else f'{value:.3f}'


def fit_limits(pairs, foreign):
    """Of each measure its limit, the lowest of a right pair, and the foreign pairs that no other measure refuses."""
    limits = limits_of_fit()
    right = [pair.fit for pair in pairs if pair.fits is not None]
    others = [pairing.fit for pairing in foreign if pairing.fits is not None]
    rows = []
    for index, measure in enumerate(('calls', 'units', 'weights')):
        values = [getattr(fit, measure) for fit in right if fit.fits and getattr(fit, measure) is not None]
        refused = [{name for name, limit in zip(('calls', 'units', 'weights'), limits) if (getattr(fit, name) or 0) < limit and getattr(fit, name) is not None}
                   for fit in others]
        rows.append([measure, share(limits[index]), share(min(values)), sum(measure in by for by in refused), sum(by == {measure} for by in refused)])
    return markdown(['measure', 'limit', 'lowest of a right pair that is said to fit', 'foreign pairs below', 'below in this measure only'], rows, TEXTS)


def nearest(entries, limits, sign):
    """Rows of the pairings with the lowest margins (sign 1) or the highest (sign -1)."""
    known = [(sign * margin(fit, limits), names, fit) for names, fit in entries if fit.fits is not None]
    known.sort(key=lambda entry: entry[:2])
    return [[*names, share(fit.calls), share(fit.units), share(fit.weights), f'{sign * signed:.3f}', figures.said(fit.fits)]
            for signed, names, fit in known[:NEAREST]]


def nearest_right(pairs):
    rows = nearest([((pair.case, pair.export, pair.form), pair.fit) for pair in pairs], limits_of_fit(), 1)
    return markdown(['case', 'export', 'form', 'calls', 'units', 'weights', 'margin', 'fits'], rows, TEXTS)


def nearest_foreign(foreign):
    rows = nearest([((pairing.model, pairing.trace), pairing.fit) for pairing in foreign], limits_of_fit(), -1)
    return markdown(['model', 'trace of', 'calls', 'units', 'weights', 'margin', 'fits'], rows, TEXTS)


def tables(measured):
    """Each table by its name."""
    forms, pairs, foreign = measured.forms, measured.pairs, measured.foreign
    return {
        'summary': summary(pairs, forms), **{form: details(pairs, form) for form in DETAILED}, 'reliability': reliability(pairs, forms),
        'counts': f'{len({pair.case for pair in pairs})} cases, {len(pairs)} pairs of export and trace in {len(forms)} forms; '
                  f'{len(foreign)} foreign pairs: {figures.answers(foreign)}.\n',
        'runtimes': runs_table(measured.runs),
        'runtimes-counts': f'{len({pair.case for pair in measured.runs})} runs, {len(measured.runs)} pairs of model and run; '
                           f'{len(measured.foreign_runs)} foreign pairs: {figures.answers(measured.foreign_runs)}.\n',
        'answers': answers_table(measured.answers),
        'answers-counts': f'{len(measured.foreign_answers)} foreign pairs: {figures.answers(measured.foreign_answers)}.\n',
        'fit-limits': fit_limits(pairs, foreign), 'fit-right': nearest_right(pairs), 'fit-foreign': nearest_foreign(foreign)}


def keep(check, measured):
    """Compares the page, or writes it; of a sample, each pair must be a row of the page."""
    if sampling.is_all():
        pages.keep(check, PAGE, {f'{check.name} {name}': text for name, text in tables(measured).items()})
        return
    rows = (SOURCE / PAGE).read_text(encoding='utf-8').split('\n')
    for text in (*(details(measured.pairs, form) for form in DETAILED), runs_table(measured.runs), answers_table(measured.answers)):
        check.none(f'{PAGE} has other figures', (row for row in text.split('\n') if row not in rows))
