#!/usr/bin/env python3
"""Prints tables of how well runs are bound to models whose truth is known (docs/testing.md). `./dev accuracy` runs it.

  table          every pair of export and trace in every form, a summary, the reliability of confidence, other runtimes
  fit            foreign pairings of model and trace that are said to fit, right ones that are said not to
  metamorphic    bindings of changed runs that contradict those of the original
  estimate       the numbers of evidence, fitted to the runs; needs numpy, scipy and numba

Without one, the first two. With --write, `estimate` records what it finds, and without a command the page docs/accuracy.md is written.
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from checks import command   # noqa: E402
from checks.accuracy import bindings, cases, estimate, figures, metamorphic, page, reduce, score   # noqa: E402
from checks.results import Check   # noqa: E402


def table(options, folders):
    pairs = bindings.examine(folders, bindings.Wanted(options.forms)).pairs
    for form in options.forms:
        print(f'\n{form}: percent of the time that is bindable; invented of all time; absent, which no event covers, and bindable of all time')
        print(page.details(pairs, form, ('absent', 'bindable')))
    for pair in (pair for pair in pairs if pair.score and not figures.is_good(pair)):
        for ns, (what, scope, operators, nodes) in pair.score.faults[:options.faults]:
            print(f'{pair.case} {pair.export} {pair.form}: {score.share(ns, pair.score.total):.2f} {what} {";".join(operators)} in {scope or "(model)"}'
                  f'{" to " + nodes[0] if nodes else ""}')
    print(page.summary(pairs, options.forms))
    print('Confidence: percent of the rows that are right; wrong and invented ones are not.')
    print(page.reliability(pairs, options.forms))
    if bindings.FULL in options.forms:
        print(page.runs_table(bindings.score_runtimes(options.cases)))


def fit(options, folders):
    foreign = bindings.foreign_fits(folders) + bindings.foreign_runtime_fits(options.cases) + bindings.foreign_answer_fits(folders, options.cases)
    print(f'{len(foreign)} foreign pairings: {figures.answers(foreign)}')
    for one in foreign:
        if options.all or one.fits or one.failure:
            print(f'  {one.model:21} with the trace of {one.trace:21} {figures.said(one.fits):4} {one.bound:7.2f} % bound {one.failure}'.rstrip())
    right = bindings.examine(folders, bindings.Wanted((bindings.FULL,))).pairs + bindings.score_runtimes(options.cases)
    print(f'{len(right)} right pairings: {figures.answers(right)}')
    for one in bindings.answered(options.cases):
        if not one.fits:
            print(f'  {one.case}/{one.trace:21} {one.model:12} {one.failure or figures.said(one.fits)}')
    for one in right:
        if one.fits is False or one.failure:
            print(f'  {one.case:21} {one.export:12} {one.form:9} {one.failure or figures.said(one.fits)}')


def changed(options, folders):
    found = bindings.examine(folders, bindings.Wanted(transformations=options.only), options.cases)
    metamorphic.print_table(found.differences, options.only)


def estimates(options, folders):
    record = estimate.record_of(folders)
    estimate.print_table(record)
    estimate.check(Check('accuracy/estimates', options.write), record)


COMMANDS = {'table': table, 'fit': fit, 'metamorphic': changed, 'estimate': estimates}


def main():
    def some_of(known):
        def names(text):
            unknown = [name for name in text.split(',') if name not in known]
            if unknown:
                raise argparse.ArgumentTypeError(f'no `{unknown[0]}`; there are {", ".join(known)}')
            return tuple(text.split(','))
        return names

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path)
    parser.add_argument('command', nargs='?', choices=COMMANDS)
    parser.add_argument('--cases', default='', help='a regular expression for names of cases')
    parser.add_argument('--forms', type=some_of((*reduce.FORMS, bindings.PROFILER_DEFAULT)), default=bindings.USUAL_FORMS, help='of traces, separated by commas')
    parser.add_argument('--only', type=some_of(metamorphic.TRANSFORMATIONS), default=metamorphic.TRANSFORMATIONS, help='transformations, separated by commas')
    parser.add_argument('--faults', type=int, default=0, help='the N largest faults of each pair that misses an aim')
    parser.add_argument('--all', action='store_true', help='list every foreign pairing')
    parser.add_argument('--write', action='store_true')
    options = parser.parse_args()
    command.choose(options.binary, installed=True)
    folders = cases.case_folders(options.cases)
    if options.write and not cases.has_shared():
        parser.error(f'what is written is about all cases, and the folder {cases.SHARED} with most of them is not there')
    if options.write and options.command is None:
        bindings.limits(Check('accuracy/limits', write=True))
    elif options.command:
        COMMANDS[options.command](options, folders)
    else:
        table(options, folders)
        # Options select part of the table. The pairings are about all of it.
        if not options.cases and options.forms == bindings.USUAL_FORMS:
            fit(options, folders)


if __name__ == '__main__':
    main()
