#!/usr/bin/env python3
"""Scores the binding of events against exact truth, and whether a trace is recognised as one of the model.

  accuracy.py table --binary PATH    every pair of export and trace in every form: right, ambiguous, missed, wrong, invented
  accuracy.py fit --binary PATH      foreign pairings of model and trace that are said to fit, right ones that are said not to
  accuracy.py check --binary PATH    exit status 1 if a figure is outside the limits in LIMITS, or docs/accuracy.md (page.py) has other figures
  accuracy.py page --binary PATH     write the tables of docs/accuracy.md

  --cases REGEX    only cases whose name matches
  --forms LIST     forms of the traces, separated by commas: full, noframes, noshapes, bare, nosteps (reduce.py), default
  --faults N       of `table`: the N largest faults of each pair that misses an aim
  --all            of `fit`: list every foreign pairing

The cases are in `tests/data`, and in the folder `shared` beside the project, if it is there (cases.py). There are also runs of other runtimes
(runtimes.py), which are scored with the form `full`. Without that folder `check` is about `tests/data` only, and `page` refuses. The form `default` is the second recording of those cases. score.py defines the verdicts. The columns
right, ambiguous, missed and wrong are percent of the time that is bindable, invented is percent of all time, absent the part of all time that
no event covers. `right#` and `wrong#` are percent of bindable rows.
"""
import argparse
import concurrent.futures
import pathlib
import re
import sys
import tempfile

import binder
import cases
import figures
import page
import reduce
import runtimes
import score

WORKERS = 2
# Not a reduced trace: another recording of the program, under a profiler with its defaults.
PROFILER_DEFAULT = 'default'
FULL = 'full'
USUAL_FORMS = f'{FULL},noframes,noshapes,bare,{PROFILER_DEFAULT}'

# Cases of one model under several names: their traces fit each other's models.
TWINS = [{'bert', 'bert_noframes'}, {'vit', 'vit_bare', 'vit_unmarked'}, {'clip', 'clip_one_step'}, {'resnet50', 'resnet50_other_batch'}]

# What `check` requires of the figures over the shared cases, by form; `foreign` are the foreign pairings of all cases. BUNDLED are the cases of `tests/data`,
# RUNTIMES the runs of runtimes.py.
FOREIGN = 'foreign'
BUNDLED = 'bundled '
RUNTIMES, FOREIGN_RUNS = 'runtimes', 'foreign runtimes'
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
    (BUNDLED + PROFILER_DEFAULT, 'failed', 'at most', 0),
    (BUNDLED + PROFILER_DEFAULT, 'mean right', 'at least', 88),
    (BUNDLED + PROFILER_DEFAULT, 'mean wrong', 'at most', 0.2),
    (BUNDLED + PROFILER_DEFAULT, 'wrong > 0.2', 'at most', 0),
    (BUNDLED + PROFILER_DEFAULT, 'said not to fit', 'at most', 0),
]


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
                    pairs.append(figures.Pair(case.name, kind, form, None, binder.Fit(), str(failure)))
                    continue
                pairs.append(figures.Pair(case.name, kind, form, score.Score(case.rows, judges[default, kind].verdicts(run.events)), run.fit, ''))
    return pairs


def score_runtime(binary, name):
    """A run of another runtime with each of its models."""
    recorded = runtimes.recorded_runs()[name]
    pairs = []
    for export in recorded.models:
        model = runtimes.Model(runtimes.path_of(export))
        try:
            run = binder.run(binary, model.path, recorded.traces)
        except binder.Failed as failure:
            pairs.append(figures.Pair(name, export, RUNTIMES, None, binder.Fit(), str(failure)))
            continue
        rows = recorded.truth(model)
        pairs.append(figures.Pair(name, export, RUNTIMES, score.Score(rows, runtimes.judged(rows, run.events, model.types())), run.fit, ''))
    return pairs


def score_runtimes(binary, pattern=''):
    """All runs with all their models; none without the folder `shared`."""
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(score_runtime, binary, name) for name in runtimes.recorded_runs() if re.search(pattern, name)]
        return [pair for job in jobs for pair in job.result()]


def score_cases(binary, folders, forms):
    """All pairs, by case, export and form. Large cases start first, so that the workers end together."""
    largest_first = sorted(folders, key=lambda folder: -cases.truth_of(folder).stat().st_size)
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(score_case, binary, folder, forms) for folder in largest_first]
        pairs = [pair for job in jobs for pair in job.result()]
    return sorted(pairs, key=lambda pair: (pair.case, pair.export, forms.index(pair.form)))


def print_pairs(pairs, faults):
    columns = (score.RIGHT, score.AMBIGUOUS, score.MISSED, score.WRONG, score.INVENTED, 'absent', 'bindable')
    print(f'{"case":21}{"export":12}{"form":9}' + ''.join(f'{name:>10}' for name in columns) + f'{"right#":>8}{"wrong#":>8}  fits')
    for pair in pairs:
        head = f'{pair.case:21}{pair.export:12}{pair.form:9}'
        if pair.score is None:
            print(f'{head}{pair.failure}')
            continue
        counts = ''.join(f'{pair.score.percent_of_events(what):8.2f}' for what in (score.RIGHT, score.WRONG))
        print(head + ''.join(f'{pair.score.percent(name):10.2f}' for name in columns) + f'{counts}  {figures.said(pair.fits):4}' + ('' if figures.is_good(pair) else ' <'))
        for ns, (what, scope, operators, nodes) in pair.score.faults[:0 if figures.is_good(pair) else faults]:
            print(f'    {score.share(ns, pair.score.total):6.2f} {what} {";".join(operators)} in {scope or "(model)"}{" to " + nodes[0] if nodes else ""}')


def print_runs(pairs):
    """Runs of other runtimes, each with its models."""
    columns = (*figures.VERDICTS, score.UNSCORED)
    width = max((len(pair.case) for pair in pairs), default=0) + 1
    print(f'\n{"other runtimes":{width}}{"model":31}' + ''.join(f'{name:>10}' for name in columns) + f'{"right#":>8}{"wrong#":>8}  fits')
    for pair in pairs:
        head = f'{pair.case:{width}}{pair.export:31}'
        if pair.score is None:
            print(f'{head}{pair.failure}')
            continue
        counts = ''.join(f'{pair.score.percent_of_events(what):8.2f}' for what in (score.RIGHT, score.WRONG))
        print(head + ''.join(f'{pair.score.percent(name):10.2f}' for name in columns) + f'{counts}  {figures.said(pair.fits)}')


def limited_figures(pairs, forms, bundled):
    """The figures by the names in LIMITS; those of the shared cases only if there are any."""
    shared = figures.by_form([pair for pair in pairs if pair.case not in bundled], forms)
    own = figures.by_form([pair for pair in pairs if pair.case in bundled], forms)
    return {**{form: figures.figures_of(some) for form, some in shared.items() if some},
            **{BUNDLED + form: figures.figures_of(some) for form, some in own.items()}}


def print_summary(pairs, forms):
    found = {form: figures.figures_of(some) for form, some in figures.by_form(pairs, forms).items()}
    print(f'\n{"summary by form":24}' + ''.join(f'{form:>12}' for form in forms))
    for name in found[forms[0]]:
        print(f'{name:24}' + ''.join(f'{figures.shown(found[form][name]):>12}' for form in forms))


def print_reliability(pairs, forms):
    print('\nreliability of confidence: rows, mean confidence, % of them right, % of their time right; wrong and invented ones are not right')
    print(f'{"confidence":14}' + ''.join(f'{form:>30}' for form in forms))
    tables = [figures.reliability(some) for some in figures.by_form(pairs, forms).values()]
    for low, *cells in zip(figures.BINS, *tables):
        print(f'from {low:<9}' + ''.join(f'{rows:10}{figures.shown(mean):>6}{figures.shown(right):>7}{figures.shown(time):>7}' for rows, mean, right, time in cells))


def foreign_pairings(folders):
    """(folder of the model, folder of the trace) of different models; one export counts for each model."""
    def are_twins(one, other):
        return any(one.name in group and other.name in group for group in TWINS)
    return [(one, other) for one in folders for other in folders if one != other and not are_twins(one, other)]


def fit_of(binary, model_name, model, trace_name, traces):
    try:
        run = binder.run(binary, model, traces)
    except binder.Failed as failure:
        return figures.Foreign(model_name, trace_name, binder.Fit(), 0, str(failure))
    return figures.Foreign(model_name, trace_name, run.fit, 100 * run.bound_share(), '')


def foreign_fit(binary, model_folder, trace_folder):
    model = next(iter(cases.models_of(model_folder).values()))
    return fit_of(binary, model_folder.name, model, trace_folder.name, trace_folder / 'trace.json.gz')


def foreign_fits(binary, folders):
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(lambda pairing: foreign_fit(binary, *pairing), foreign_pairings(folders)))


def foreign_runtime_fits(binary, pattern=''):
    runs = runtimes.recorded_runs()
    pairings = [(model, name) for model, name in runtimes.foreign_pairings() if re.search(pattern, name)]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(lambda one: fit_of(binary, one[0], runtimes.path_of(one[0]), one[1], runs[one[1]].traces), pairings))


def print_fit(foreign, pairs, everything):
    print(f'{len(foreign)} foreign pairings: {figures.answers(foreign)}')
    for pairing in foreign:
        if everything or pairing.fits or pairing.failure:
            print(f'  {pairing.model:21} with the trace of {pairing.trace:21} {figures.said(pairing.fits):4} {pairing.bound:7.2f} % bound {pairing.failure}'.rstrip())
    bound = sorted(pairing.bound for pairing in foreign)
    if bound:
        print(f'  time of events that is bound, in %: median {bound[len(bound) // 2]:.2f}, more than half in {sum(one > 50 for one in bound)}, '
              f'at most {bound[-1]:.2f}')
    print(f'{len(pairs)} right pairings: {figures.answers(pairs)}')
    for pair in pairs:
        if pair.fits is False or pair.failure:
            print(f'  {pair.case:21} {pair.export:12} {pair.form:9} {pair.failure or figures.said(pair.fits)}')


def check(found):
    """Compares figures by form with LIMITS; a form that was not run is left out."""
    failures = 0
    for form, name, kind, limit in LIMITS:
        if form not in found:
            continue
        value = found[form][name]
        # There is no share of right rows at a confidence that no row has.
        holds = value is None or (value >= limit if kind == 'at least' else value <= limit)
        failures += not holds
        print(f'{form:17} {name:18} {figures.shown(value):>8}, {kind} {limit}' + ('' if holds else '  FAILS'))
    print(f'{failures} limits do not hold')
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('command', choices=('table', 'fit', 'check', 'page'))
    parser.add_argument('--binary', type=pathlib.Path, required=True)
    parser.add_argument('--cases', default='')
    parser.add_argument('--forms', default=None)
    parser.add_argument('--faults', type=int, default=0)
    parser.add_argument('--all', action='store_true')
    options = parser.parse_args()
    if options.command in ('check', 'page') and (options.cases or options.forms):
        parser.error('the limits and the page are about all cases in all forms')
    if options.command == 'page' and not cases.has_shared():
        parser.error(f'the tables are about all cases, and the folder {cases.SHARED} with most of them is not there')
    folders = cases.case_folders(options.cases)
    if not folders and not any(re.search(options.cases, name) for name in runtimes.recorded_runs()):
        parser.error(f'no case matches `{options.cases}`')
    forms = (options.forms or (FULL if options.command == 'fit' else USUAL_FORMS)).split(',')
    known = (*reduce.FORMS, PROFILER_DEFAULT)
    unknown = [form for form in forms if form not in known]
    if unknown:
        parser.error(f'no form `{unknown[0]}`; there are {", ".join(known)}')
    binary = options.binary.resolve()
    pairs = score_cases(binary, folders, forms)
    # Their traces lack nothing.
    runs = score_runtimes(binary, options.cases) if FULL in forms else []
    if options.command == 'table':
        print_pairs(pairs, options.faults)
        print_summary(pairs, forms)
        print_reliability(pairs, forms)
        if runs:
            print_runs(runs)
        return 0
    if options.command == 'check' and not cases.has_shared():
        return check(limited_figures(pairs, forms, {folder.name for folder in folders}))
    measured = figures.Measured(forms, pairs, foreign_fits(binary, folders), runs, foreign_runtime_fits(binary, options.cases))
    if options.command == 'fit':
        print_fit(measured.foreign + measured.foreign_runs, pairs + runs, options.all)
        return 0
    if options.command == 'page':
        page.write(measured)
        return 0
    bundled = {folder.name for folder in folders if cases.is_bundled(folder)}
    status = check({**limited_figures(pairs, forms, bundled), FOREIGN: figures.figures_of_foreign(measured.foreign),
                    RUNTIMES: figures.figures_of_runtimes(runs), FOREIGN_RUNS: figures.figures_of_foreign(measured.foreign_runs)})
    differences = page.differences(measured)
    print('\n'.join(differences) + '\n`./dev accuracy --write` brings the page up to date' if differences else 'docs/accuracy.md has these figures')
    return 1 if status or differences else 0


if __name__ == '__main__':
    sys.exit(main())
