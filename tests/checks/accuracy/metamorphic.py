"""Runs that were changed in ways that do not change what an event belongs to, and how their bindings differ from those of the original.

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
`renamed` in a run on a CPU.
"""
import pathlib
import tempfile
from typing import NamedTuple

from checks.accuracy import binder, reduce, score

PERMUTED = 'permuted'
# Those that leave all evidence there is; the forms that lack some are part of the limits.
COMPLETE = (PERMUTED, 'doubled', 'renamed', 'streams')
TRANSFORMATIONS = (*COMPLETE, *(form for form in reduce.FORMS if form != 'full'))
FAULTY = (score.WRONG, score.INVENTED)
SEED = 1


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


def compare_events(before, after, shift):
    """Compares the events of a run with each copy of them; what is missing in a copy is unbound there."""
    for at in (0,) if shift is None else (0, shift):
        copy = by_place(after, at)
        for place, old in by_place(before, 0).items():
            new = copy.get(place)
            nodes, other = set(old.nodes), set(new.nodes if new else ())
            yield old.length, nodes != other, bool(nodes and other and not nodes & other), bool(nodes and not other)


def with_truth(case, judges):
    """How bindings of a case are compared."""
    def rows(kind, before, after, shift):
        judge = judges[kind]
        now = judge if shift is None else score.Judge(case.doubled(shift), kind)
        return compare_verdicts(case.rows, judge.verdicts(before), now.verdicts(after))
    return rows


def without_truth(kind, before, after, shift):
    return compare_events(before, after, shift)


def differences(run, trace_path, models, originals, names, rows):
    """Of each transformation and model that it changes; `models` are paths and `originals` runs, by kind."""
    trace = reduce.load(trace_path)
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            path, shift = trace_path, None
            if name != PERMUTED:
                result = transformed(trace, name)
                if result is None:
                    continue
                path, shift = reduce.store(result[0], pathlib.Path(temporary, 'trace.json')), result[1]
            for kind, model in models.items():
                if name == PERMUTED:
                    original, model = model, pathlib.Path(temporary, model.name)
                    model.write_bytes(reduce.permuted_model(original, SEED))
                after = binder.run(model, path)
                failure = originals[kind].failure or after.failure
                yield Difference(run, kind, name, *([0, 0, 0] if failure else compare(rows(kind, originals[kind].events, after.events, shift))), failure)


def print_table(found, names):
    print(f'{"run":21}{"model":28}{"transformation":15}{"changed":>10}{"contradicted":>14}{"lost":>10}')
    for one in found:
        print(f'{one.run:21}{one.model:28}{one.transformation:15}' +
              (one.failure or f'{one.changed:10.2f}{one.contradicted:14.2f}{one.lost:10.2f}{" <" if one.contradicted else ""}'))
    print(f'\n{"transformation":15}{"runs":>6}{"contradicted":>14}{"mean %":>10}{"worst %":>10}{"mean lost %":>13}{"failed":>8}')
    for name in names:
        some = [one for one in found if one.transformation == name]
        if some:
            times = [one.contradicted for one in some]
            print(f'{name:15}{len(some):6}{sum(time > 0 for time in times):14}{sum(times) / len(some):10.2f}{max(times):10.2f}'
                  f'{sum(one.lost for one in some) / len(some):13.2f}{sum(bool(one.failure) for one in some):8}')
