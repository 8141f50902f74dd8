#!/usr/bin/env python3
"""Scores the binding of events against exact truth, and whether a trace is recognised as one of the model.

  accuracy.py table --binary PATH    every pair of export and trace in every form: right, ambiguous, missed, wrong, invented
  accuracy.py fit --binary PATH      foreign pairings of model and trace that are said to fit, right ones that are said not to
  accuracy.py check --binary PATH    exit status 1 if a figure is outside the limits in LIMITS

  --cases REGEX    only cases whose name matches
  --forms LIST     forms of the traces, separated by commas: full, noframes, noshapes, bare, nosteps (reduce.py), default
  --faults N       of `table`: the N largest faults of each pair that misses an aim
  --all            of `fit`: list every foreign pairing
  --foreign        of `check`: also run the foreign pairings, which takes longer than the rest

The cases are in `tests/data`, and in the folder `shared` beside the project, if it is there (cases.py). The form `default` is the second
recording of the former. score.py defines the verdicts. The columns right, ambiguous, missed and wrong are percent of the time that is bindable,
invented is percent of all time, absent the part of all time that no event covers. `right#` and `wrong#` are percent of bindable rows.
"""
import argparse
import concurrent.futures
import pathlib
import sys
import tempfile
from typing import NamedTuple

import binder
import cases
import reduce
import score

WORKERS = 2
# Not a reduced trace: another recording of the program, under a profiler with its defaults.
PROFILER_DEFAULT = 'default'
USUAL_FORMS = f'full,noframes,noshapes,bare,{PROFILER_DEFAULT}'

# What binding aims at, in percent.
AIM_RIGHT, AIM_WRONG, AIM_INVENTED = 99.5, 0.2, 0.2

# Cases of one model under several names: their traces fit each other's models.
TWINS = [{'bert', 'bert_noframes'}, {'vit', 'vit_bare', 'vit_unmarked'}, {'clip', 'clip_one_step'}, {'resnet50', 'resnet50_other_batch'}]

# Lower bounds of the bins of confidence.
BINS = (0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)

# What `check` requires of the figures over the shared cases, by form; `foreign` are the foreign pairings. BUNDLED are the cases of `tests/data`.
FOREIGN = 'foreign'
BUNDLED = 'bundled '
LIMITS = [
    ('full', 'failed', 'at most', 0),
    ('full', 'right >= 99.5', 'at least', 51),
    ('full', 'wrong > 0.2', 'at most', 0),
    ('full', 'invented > 0.2', 'at most', 0),
    ('full', 'right# at 0.9', 'at least', 99.5),
    ('full', 'said not to fit', 'at most', 0),
    ('noframes', 'failed', 'at most', 0),
    ('noframes', 'mean right', 'at least', 99.5),
    ('noframes', 'wrong > 1', 'at most', 0),
    ('noframes', 'right# at 0.9', 'at least', 99.5),
    ('noshapes', 'failed', 'at most', 0),
    ('noshapes', 'mean right', 'at least', 99.5),
    ('noshapes', 'wrong > 1', 'at most', 0),
    ('noshapes', 'right# at 0.9', 'at least', 99.5),
    ('bare', 'failed', 'at most', 0),
    ('bare', 'mean right', 'at least', 99),
    ('bare', 'wrong > 1', 'at most', 0),
    ('bare', 'right# at 0.9', 'at least', 99.5),
    ('bare', 'said not to fit', 'at most', 2),
    (FOREIGN, 'said to fit', 'at most', 0),
    (BUNDLED + 'full', 'failed', 'at most', 0),
    (BUNDLED + 'full', 'mean right', 'at least', 97),
    (BUNDLED + 'full', 'mean wrong', 'at most', 1.2),
    (BUNDLED + 'full', 'invented > 0.2', 'at most', 0),
    (BUNDLED + 'full', 'said not to fit', 'at most', 1),
    (BUNDLED + 'noframes', 'mean right', 'at least', 98),
    (BUNDLED + 'noframes', 'mean wrong', 'at most', 0.2),
    (BUNDLED + 'noshapes', 'mean right', 'at least', 83),
    (BUNDLED + 'noshapes', 'mean wrong', 'at most', 1.2),
    (BUNDLED + 'bare', 'mean right', 'at least', 83),
    (BUNDLED + 'bare', 'mean wrong', 'at most', 0.2),
    (BUNDLED + 'bare', 'said not to fit', 'at most', 1),
    (BUNDLED + PROFILER_DEFAULT, 'failed', 'at most', 0),
    (BUNDLED + PROFILER_DEFAULT, 'mean right', 'at least', 85),
    (BUNDLED + PROFILER_DEFAULT, 'mean wrong', 'at most', 0.2),
    (BUNDLED + PROFILER_DEFAULT, 'wrong > 1', 'at most', 0),
    (BUNDLED + PROFILER_DEFAULT, 'said not to fit', 'at most', 1),
]


class Pair(NamedTuple):
    case: str
    export: str
    form: str
    score: score.Score   # None if the command failed
    fits: bool
    failure: str


class Foreign(NamedTuple):
    model: str
    trace: str
    fits: bool
    bound: float    # percent of the time of events
    failure: str


def in_form(trace, form):
    """The trace without what the form lacks; the trace itself if it has none of it."""
    return reduce.without(trace, reduce.FORMS[form]) or trace


def score_case(binary, folder, forms):
    """Every export of a case with every form of its trace."""
    recordings = {default: cases.read_case(folder, default) for default in {form == PROFILER_DEFAULT for form in forms}
                  if not default or cases.is_bundled(folder)}
    judges = {(default, kind): score.Judge(case, kind) for default, case in recordings.items() for kind in case.exports}
    trace = reduce.load(recordings[False].trace) if set(forms) - {'full', PROFILER_DEFAULT} else None
    pairs = []
    with tempfile.TemporaryDirectory() as temporary:
        for form in forms:
            default = form == PROFILER_DEFAULT
            if default not in recordings:
                continue
            case = recordings[default]
            path = case.trace if form in ('full', PROFILER_DEFAULT) else reduce.store(in_form(trace, form), pathlib.Path(temporary, f'{form}.json'))
            for kind, export in case.exports.items():
                try:
                    run = binder.run(binary, export.path, path)
                except binder.Failed as failure:
                    pairs.append(Pair(case.name, kind, form, None, None, str(failure)))
                    continue
                pairs.append(Pair(case.name, kind, form, score.Score(case.rows, judges[default, kind].verdicts(run.events)), run.fits, ''))
    return pairs


def score_cases(binary, folders, forms):
    """All pairs, by case, export and form. Large cases start first, so that the workers end together."""
    largest_first = sorted(folders, key=lambda folder: -cases.truth_of(folder).stat().st_size)
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(score_case, binary, folder, forms) for folder in largest_first]
        pairs = [pair for job in jobs for pair in job.result()]
    return sorted(pairs, key=lambda pair: (pair.case, pair.export, forms.index(pair.form)))


def is_good(pair):
    return (pair.score is not None and pair.score.percent(score.RIGHT) >= AIM_RIGHT and pair.score.percent(score.WRONG) <= AIM_WRONG
            and pair.score.percent(score.INVENTED) <= AIM_INVENTED)


def said(fits):
    return {True: 'fits', False: 'no', None: '-'}[fits]


def print_pairs(pairs, faults):
    columns = (score.RIGHT, score.AMBIGUOUS, score.MISSED, score.WRONG, score.INVENTED, 'absent', 'bindable')
    print(f'{"case":21}{"export":12}{"form":9}' + ''.join(f'{name:>10}' for name in columns) + f'{"right#":>8}{"wrong#":>8}  fits')
    for pair in pairs:
        head = f'{pair.case:21}{pair.export:12}{pair.form:9}'
        if pair.score is None:
            print(f'{head}{pair.failure}')
            continue
        counts = ''.join(f'{pair.score.percent_of_events(what):8.2f}' for what in (score.RIGHT, score.WRONG))
        print(head + ''.join(f'{pair.score.percent(name):10.2f}' for name in columns) + f'{counts}  {said(pair.fits):4}' + ('' if is_good(pair) else ' <'))
        for ns, (what, scope, operators, nodes) in pair.score.faults[:0 if is_good(pair) else faults]:
            print(f'    {score.share(ns, pair.score.total):6.2f} {what} {";".join(operators)} in {scope or "(model)"}{" to " + nodes[0] if nodes else ""}')


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


def limited_figures(pairs, forms, bundled):
    """The figures by the names in LIMITS; those of the shared cases only if there are any."""
    shared = by_form([pair for pair in pairs if pair.case not in bundled], forms)
    own = by_form([pair for pair in pairs if pair.case in bundled], forms)
    return {**{form: figures_of(some) for form, some in shared.items() if some}, **{BUNDLED + form: figures_of(some) for form, some in own.items()}}


def shown(value):
    return '-' if value is None else f'{value:.2f}' if isinstance(value, float) else str(value)


def by_form(pairs, forms):
    return {form: [pair for pair in pairs if pair.form == form] for form in forms}


def print_summary(pairs, forms):
    figures = {form: figures_of(some) for form, some in by_form(pairs, forms).items()}
    print(f'\n{"summary by form":24}' + ''.join(f'{form:>12}' for form in forms))
    for name in figures[forms[0]]:
        print(f'{name:24}' + ''.join(f'{shown(figures[form][name]):>12}' for form in forms))


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


def print_reliability(pairs, forms):
    print('\nreliability of confidence: rows, mean confidence, % of them right, % of their time right; wrong and invented ones are not right')
    print(f'{"confidence":14}' + ''.join(f'{form:>30}' for form in forms))
    tables = [reliability(some) for some in by_form(pairs, forms).values()]
    for low, *cells in zip(BINS, *tables):
        print(f'from {low:<9}' + ''.join(f'{rows:10}{shown(mean):>6}{shown(right):>7}{shown(time):>7}' for rows, mean, right, time in cells))


def foreign_pairings(folders):
    """(folder of the model, folder of the trace) of different models; one export counts for each model."""
    def are_twins(one, other):
        return any(one.name in group and other.name in group for group in TWINS)
    return [(one, other) for one in folders for other in folders if one != other and not are_twins(one, other)]


def foreign_fit(binary, model_folder, trace_folder):
    model = next(iter(cases.models_of(model_folder).values()))
    try:
        run = binder.run(binary, model, trace_folder / 'trace.json.gz')
    except binder.Failed as failure:
        return Foreign(model_folder.name, trace_folder.name, None, 0, str(failure))
    return Foreign(model_folder.name, trace_folder.name, run.fits, 100 * run.bound_share(), '')


def foreign_fits(binary, folders):
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(lambda pairing: foreign_fit(binary, *pairing), foreign_pairings(folders)))


def answers(pairings):
    fits = [pairing.fits for pairing in pairings]
    return f'{fits.count(True)} said to fit, {fits.count(False)} said not to, {fits.count(None)} not said'


def print_fit(foreign, pairs, everything):
    print(f'{len(foreign)} foreign pairings: {answers(foreign)}')
    for pairing in foreign:
        if everything or pairing.fits or pairing.failure:
            print(f'  {pairing.model:21} with the trace of {pairing.trace:21} {said(pairing.fits):4} {pairing.bound:7.2f} % bound {pairing.failure}'.rstrip())
    bound = sorted(pairing.bound for pairing in foreign)
    if bound:
        print(f'  time of events that is bound, in %: median {bound[len(bound) // 2]:.2f}, more than half in {sum(one > 50 for one in bound)}, '
              f'at most {bound[-1]:.2f}')
    print(f'{len(pairs)} right pairings: {answers(pairs)}')
    for pair in pairs:
        if pair.fits is False or pair.failure:
            print(f'  {pair.case:21} {pair.export:12} {pair.form:9} {pair.failure or said(pair.fits)}')


def figures_of_foreign(foreign):
    return {'pairings': len(foreign), 'said to fit': sum(pairing.fits is True for pairing in foreign),
            'not said': sum(pairing.fits is None for pairing in foreign)}


def check(figures):
    """Compares figures by form with LIMITS; a form that was not run is left out."""
    failures = 0
    for form, name, kind, limit in LIMITS:
        if form not in figures:
            continue
        value = figures[form][name]
        # There is no share of right rows at a confidence that no row has.
        holds = value is None or (value >= limit if kind == 'at least' else value <= limit)
        failures += not holds
        print(f'{form:17} {name:18} {shown(value):>8}, {kind} {limit}' + ('' if holds else '  FAILS'))
    print(f'{failures} limits do not hold')
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('command', choices=('table', 'fit', 'check'))
    parser.add_argument('--binary', type=pathlib.Path, required=True)
    parser.add_argument('--cases', default='')
    parser.add_argument('--forms', default=None)
    parser.add_argument('--faults', type=int, default=0)
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--foreign', action='store_true')
    options = parser.parse_args()
    if options.command == 'check' and (options.cases or options.forms):
        parser.error('the limits are about all cases in all forms')
    folders = cases.case_folders(options.cases)
    if not folders:
        parser.error(f'no case matches `{options.cases}`')
    usual = {'table': USUAL_FORMS, 'fit': 'full', 'check': USUAL_FORMS}
    forms = (options.forms or usual[options.command]).split(',')
    known = (*reduce.FORMS, PROFILER_DEFAULT)
    unknown = [form for form in forms if form not in known]
    if unknown:
        parser.error(f'no form `{unknown[0]}`; there are {", ".join(known)}')
    binary = options.binary.resolve()
    pairs = score_cases(binary, folders, forms)
    if options.command == 'table':
        print_pairs(pairs, options.faults)
        print_summary(pairs, forms)
        print_reliability(pairs, forms)
        return 0
    # The limit is about the shared cases.
    foreign = foreign_fits(binary, [folder for folder in folders if options.command == 'fit' or not cases.is_bundled(folder)]) \
        if options.command == 'fit' or options.foreign else None
    if options.command == 'fit':
        print_fit(foreign, pairs, options.all)
        return 0
    figures = limited_figures(pairs, forms, {folder.name for folder in folders if cases.is_bundled(folder)})
    return check(figures if foreign is None else {**figures, FOREIGN: figures_of_foreign(foreign)})


if __name__ == '__main__':
    sys.exit(main())
