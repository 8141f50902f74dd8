#!/usr/bin/env python3
"""Binds runs that were changed in ways that do not change what an event belongs to, and compares with the binding of the original.

  metamorphic.py --binary PATH       all cases with truth, and recorded runs without

  --cases REGEX    only runs whose name matches
  --only LIST      only these transformations, separated by commas
  --seed N         of the order of nodes
  --limit PERCENT  exit status 1 if more of the time of a run is contradicted

| transformation | |
|--|--|
| permuted | the nodes of the model are in another order that their dependencies allow |
| doubled | the whole run happens a second time; both copies are compared |
| renamed | device kernels have names that say nothing |
| streams | the work of several streams is on one; that of a single one is in turns on two |
| noframes, noshapes, bare, nosteps | the forms of reduce.py |

The columns are percent of time:

| column | with truth | without |
|--|--|--|
| changed | bound to other nodes, or bound in one of the two only | the same |
| contradicted | wrong or invented, and it was neither in the original | bound in both, to kernels that share no node |
| lost | right in the original, missed or ambiguous now | bound in the original only |

Evidence that was taken away may cost bindings. It may not make one wrong. A transformation that changes nothing in a run is left out, such as
`renamed` in a run on a CPU. Without the folder `shared` beside the project, only the cases of `tests/data` are run.
"""
import argparse
import concurrent.futures
import pathlib
import re
import sys
import tempfile
from typing import NamedTuple

import binder
import cases
import check
import reduce
import score

WORKERS = 2
TRANSFORMATIONS = ('permuted', 'doubled', 'renamed', 'streams', *(form for form in reduce.FORMS if form != 'full'))
FAULTY = (score.WRONG, score.INVENTED)


class Difference(NamedTuple):
    run: str
    model: str
    transformation: str
    changed: float        # percent of time, as the other two
    contradicted: float
    lost: float
    failure: str


def transformed(trace, name):
    """(trace, shift of a second copy in ns or None); None if the transformation changes nothing."""
    if name == 'doubled':
        return reduce.doubled(trace)
    if name == 'renamed':
        changed = reduce.renamed_kernels(trace)
    elif name == 'streams':
        changed = reduce.merged_streams(trace) or reduce.split_streams(trace)
    else:
        changed = reduce.without(trace, reduce.FORMS[name])
    return (changed, None) if changed is not None else None


def compare(pairs):
    """Percent (changed, contradicted, lost) of (ns, changed, contradicted, lost) rows."""
    total, sums = 0, [0, 0, 0]
    for ns, *flags in pairs:
        total += ns
        for index, flag in enumerate(flags):
            sums[index] += ns if flag else 0
    return [score.share(one, total) for one in sums]


def compare_verdicts(rows, before, after):
    """`after` holds one or two copies of the rows of `before`."""
    for index, verdict in enumerate(after):
        row, old = rows[index % len(before)], before[index % len(before)]
        yield (row.length, set(old.nodes) != set(verdict.nodes), verdict.what in FAULTY and old.what not in FAULTY,
               old.what == score.RIGHT and verdict.what in (score.MISSED, score.AMBIGUOUS))


def by_place(events, shift):
    """Events by start, length and number among those that share both, for each copy of the run."""
    places = {}
    for event in events:
        number = 0
        while (event.start - shift, event.length, number) in places:
            number += 1
        places[event.start - shift, event.length, number] = event
    return places


def compare_events(before, after, shifts):
    """Compares the events of a run with each copy of them; what is missing in a copy is unbound there."""
    for shift in shifts:
        copy = by_place(after, shift)
        for place, old in by_place(before, 0).items():
            new = copy.get(place)
            nodes, other = set(old.nodes), set(new.nodes if new else ())
            yield old.length, nodes != other, bool(nodes and other and not nodes & other), bool(nodes and not other)


class Recorded:
    """A run with its models and, if there is truth, what is needed to judge."""

    def __init__(self, name, trace, models, case=None):
        self.name, self.trace_path, self.models, self.case = name, trace, models, case
        self.judges = {kind: score.Judge(case, kind) for kind in models} if case else {}

    def differences(self, binary, names, seed):
        trace, found = reduce.load(self.trace_path), []
        with tempfile.TemporaryDirectory() as temporary:
            original = {}
            for kind, model in self.models.items():
                original[kind] = binder.run(binary, model, self.trace_path).events
            for name in names:
                trace_path, shift = self.trace_path, None
                if name != 'permuted':
                    result = transformed(trace, name)
                    if result is None:
                        continue
                    trace_path, shift = reduce.store(result[0], pathlib.Path(temporary, 'trace.json')), result[1]
                for kind, model in self.models.items():
                    if name == 'permuted':
                        model = pathlib.Path(temporary, model.name)
                        model.write_bytes(reduce.permuted_model(self.models[kind], seed))
                    try:
                        events = binder.run(binary, model, trace_path).events
                    except binder.Failed as failure:
                        found.append(Difference(self.name, kind, name, 0, 0, 0, str(failure)))
                        continue
                    found.append(Difference(self.name, kind, name, *self.compare(kind, original[kind], events, shift), ''))
        return found

    def compare(self, kind, before, after, shift):
        if self.case is None:
            return compare(compare_events(before, after, (0,) if shift is None else (0, shift)))
        judge = self.judges[kind]
        now = judge if shift is None else score.Judge(self.case.doubled(shift), kind)
        return compare(compare_verdicts(self.case.rows, judge.verdicts(before), now.verdicts(after)))


def run_of(source):
    """The run of the folder of a case with truth, or of a name in check.py."""
    if isinstance(source, str):
        data = check.CASES[source]
        return Recorded(source, cases.SHARED / data['trace'], {model: cases.SHARED / 'models' / f'{model}.onnx' for model in data['models']})
    case = cases.read_case(source)
    return Recorded(case.name, case.trace, {export: data.path for export, data in case.exports.items()}, case)


def differences_of(source, binary, names, seed):
    return run_of(source).differences(binary, names, seed)


def print_table(differences, names):
    print(f'{"run":21}{"model":28}{"transformation":15}{"changed":>10}{"contradicted":>14}{"lost":>10}')
    for one in differences:
        print(f'{one.run:21}{one.model:28}{one.transformation:15}' +
              (one.failure or f'{one.changed:10.2f}{one.contradicted:14.2f}{one.lost:10.2f}{" <" if one.contradicted else ""}'))
    print(f'\n{"transformation":15}{"runs":>6}{"contradicted":>14}{"mean %":>10}{"worst %":>10}{"mean lost %":>13}{"failed":>8}')
    for name in names:
        some = [one for one in differences if one.transformation == name]
        if some:
            times = [one.contradicted for one in some]
            print(f'{name:15}{len(some):6}{sum(time > 0 for time in times):14}{sum(times) / len(some):10.2f}{max(times):10.2f}'
                  f'{sum(one.lost for one in some) / len(some):13.2f}{sum(bool(one.failure) for one in some):8}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path, required=True)
    parser.add_argument('--cases', default='')
    parser.add_argument('--only', default=','.join(TRANSFORMATIONS))
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--limit', type=float)
    options = parser.parse_args()
    names = options.only.split(',')
    unknown = [name for name in names if name not in TRANSFORMATIONS]
    if unknown:
        parser.error(f'no transformation `{unknown[0]}`; there are {", ".join(TRANSFORMATIONS)}')
    sources = [*cases.case_folders(options.cases), *(name for name in check.CASES if cases.SHARED.is_dir() and re.search(options.cases, name))]
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(differences_of, source, options.binary.resolve(), names, options.seed) for source in sources]
        differences = [difference for job in jobs for difference in job.result()]
    print_table(differences, names)
    failed = any(one.failure for one in differences)
    return 1 if options.limit is not None and (failed or any(one.contradicted > options.limit for one in differences)) else 0


if __name__ == '__main__':
    sys.exit(main())
