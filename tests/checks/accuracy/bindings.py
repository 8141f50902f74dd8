"""The binding of events against exact truth, and whether a trace is recognised as one of the model.

The cases are in `tests/data`, and in the folder `shared` beside the project, if it is there (cases.py). There are also runs of other runtimes (runtimes.py),
and foreign pairs of model and trace. score.py defines the verdicts. Checks of one process share the runs of the command: what is wanted of a case is found
in one go.
"""
import concurrent.futures
import functools
import pathlib
import re
import tempfile
from typing import NamedTuple

from checks.accuracy import answers, binder, cases, estimate, figures, metamorphic, page, reduce, runtimes, score
from checks.places import CPU_PAIRS, GPU_PAIRS
from checks.sampling import sampled

WORKERS = 2
# Not a reduced trace: another recording of the program, under a profiler with its defaults.
PROFILER_DEFAULT = 'default'
FULL = 'full'
USUAL_FORMS = (FULL, 'noframes', 'noshapes', 'bare', PROFILER_DEFAULT)
# Cases of one model under several names: their traces fit each other's models.
TWINS = [{'bert', 'bert_noframes'}, {'batch', 'vit', 'vit_bare', 'vit_unmarked'}, {'clip', 'clip_one_step'}, {'resnet50', 'resnet50_other_batch'}]
# Percent of the time of a changed run that may be contradicted.
MOST_CONTRADICTED = 0.2


class Wanted(NamedTuple):
    forms: tuple = ()             # of traces, whose bindings are scored
    transformations: tuple = ()   # compared with the original


class Found(NamedTuple):
    pairs: list
    differences: list


def examine_case(folder, wanted):
    """All that is wanted of a case, with one reading of its files and one run for each thing that is bound."""
    case, found = cases.read_case(folder), Found([], [])
    judges = {kind: score.Judge(case, kind) for kind in case.exports}
    models = {kind: export.path for kind, export in case.exports.items()}
    original = {kind: binder.run(path, case.trace) for kind, path in models.items()}
    with tempfile.TemporaryDirectory() as temporary:
        for form in wanted.forms:
            of, by, runs = case, judges, original
            if form == PROFILER_DEFAULT:
                if not cases.is_bundled(folder):
                    continue
                of = cases.read_case(folder, default=True)
                by = {kind: score.Judge(of, kind) for kind in models}
                runs = {kind: binder.run(path, of.trace) for kind, path in models.items()}
            elif form != FULL:
                trace = reduce.load(case.trace)
                # The trace itself if it has none of what the form lacks.
                changed = reduce.without(trace, reduce.FORMS[form])
                if changed is not None:
                    path = reduce.store(changed, pathlib.Path(temporary, f'{form}.json'))
                    runs = {kind: binder.run(model, path) for kind, model in models.items()}
            found.pairs.extend(figures.scored(case.name, kind, form, run, of.rows, by[kind].verdicts) for kind, run in runs.items())
    if wanted.transformations:
        rows = metamorphic.with_truth(case, judges)
        found.differences.extend(metamorphic.differences(case.name, case.trace, models, original, wanted.transformations, rows))
    return found


def examine_recorded(trace, pairs, wanted):
    """A run without truth: how bindings of changed forms differ."""
    models = {pair.model: pair.model_path for pair in pairs}
    path = pathlib.Path(pairs[0].traces)
    original = {kind: binder.run(model, path) for kind, model in models.items()}
    return list(metamorphic.differences(trace, path, models, original, wanted.transformations, metamorphic.without_truth))


def examine(folders, wanted, pattern=''):
    """Of all cases, by case, export and form. Large cases start first, so that the workers end together."""
    recorded = {}
    for pair in GPU_PAIRS + CPU_PAIRS if wanted.transformations and cases.has_shared() else ():
        if re.search(pattern, pair.trace) and not pair.trace.endswith('inductor'):
            recorded.setdefault(pair.trace, []).append(pair)
    whole = Found([], [])
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(examine_case, folder, wanted) for folder in sorted(folders, key=lambda folder: -cases.truth_of(folder).stat().st_size)]
        others = [pool.submit(examine_recorded, trace, pairs, wanted) for trace, pairs in sampled(sorted(recorded.items()))]
        for found in (job.result() for job in jobs):
            whole.pairs.extend(found.pairs)
            whole.differences.extend(found.differences)
        whole.differences.extend(difference for job in others for difference in job.result())
    whole.pairs.sort(key=lambda pair: (pair.case, pair.export, wanted.forms.index(pair.form)))
    return whole


def score_runtime(name):
    """A run of another runtime with each of its models."""
    recorded, pairs = runtimes.recorded_runs()[name], []
    for export in recorded.models:
        model = runtimes.Model(runtimes.path_of(export))
        rows = recorded.truth(model)
        pairs.append(figures.scored(name, export, figures.RUNTIMES, binder.run(model.path, recorded.traces), rows,
                                    lambda events, rows=rows, model=model: runtimes.judged(rows, events, model.types())))
    return pairs


def score_runtimes(pattern=''):
    """All runs with all their models; none without the folder `shared`. Their traces lack nothing."""
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
        return [pair for pairs in pool.map(score_runtime, (name for name in runtimes.recorded_runs() if re.search(pattern, name))) for pair in pairs]


def are_twins(one, other):
    """Of names of cases; those of answers.py have a name of a file behind a slash."""
    return any(one.partition('/')[0] in group and other.partition('/')[0] in group for group in TWINS)


def foreign_pairings(folders):
    """(folder of the model, folder of the trace) of different models; one export counts for each model."""
    return [(one, other) for one in folders for other in folders if one != other and not are_twins(one.name, other.name)]


def fits(pairings):
    """Of (name of the model, its path, name of the run, traces)."""
    def fit(pairing):
        model, path, name, traces = pairing
        run = binder.run(path, traces)
        return figures.Foreign(model, name, run.fit, 100 * run.bound_share(), run.failure)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(fit, pairings))


def foreign_fits(folders):
    return fits([(one.name, next(iter(cases.models_of(one).values())), other.name, other / 'trace.json.gz') for one, other in sampled(foreign_pairings(folders))])


def foreign_runtime_fits(pattern=''):
    runs = runtimes.recorded_runs()
    return fits([(model, runtimes.path_of(model), name, runs[name].traces) for model, name in sampled(runtimes.foreign_pairings()) if re.search(pattern, name)])


def answered(pattern=''):
    """Of all runs of answers.py, with each model that they are of."""
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(answers.answer, (pair for pair in answers.pairs() if re.search(pattern, pair[0]))))


def foreign_answer_fits(folders, pattern=''):
    others = [(folder.name, next(iter(cases.models_of(folder).values())), folder / 'trace.json.gz') for folder in folders]
    foreign = (one for one in answers.foreign_pairings(others) if not are_twins(one[0], one[2]))
    return fits(one for one in sampled(foreign) if re.search(pattern, f'{one[0]} {one[2]}'))


@functools.cache
def examined(chosen):
    """What the checks of this process want of the cases."""
    transformations = metamorphic.COMPLETE if 'accuracy/metamorphic' in chosen else ()
    forms = USUAL_FORMS if 'accuracy/limits' in chosen else ()
    return examine(sampled(cases.case_folders()), Wanted(forms, transformations))


def limits(check):
    """Figures of bindings keep their limits, and docs/accuracy.md has them; of a sample, its rows are on the page."""
    pairs, folders = examined(tuple(check.chosen)).pairs, cases.case_folders()
    bundled = {folder.name for folder in folders if cases.is_bundled(folder)}
    found = figures.limited(pairs, USUAL_FORMS, bundled)
    if cases.has_shared():
        measured = figures.Measured(USUAL_FORMS, pairs, foreign_fits(folders), score_runtimes(), foreign_runtime_fits(),
                                    answered(), foreign_answer_fits(folders))
        found |= figures.limited_others(measured)
        page.keep(check, measured)
    else:
        check.left_out('cases of the folder `shared` beside the project, other runtimes, and the page', 'it is missing')
    figures.check_limits(check, found)


def estimates(check):
    """Numbers of evidence.def that are said to be fitted are those that the record has."""
    estimate.check(check, estimate.RECORD.read_text())


def changed_runs(check):
    """Bindings of changed runs do not contradict those of the original."""
    for one in examined(tuple(check.chosen)).differences:
        check.that(not one.failure and one.contradicted <= MOST_CONTRADICTED,
                   f'{one.run} with {one.model}, {one.transformation}: {one.failure or f"{one.contradicted:.2f} % of the time is contradicted"}')
