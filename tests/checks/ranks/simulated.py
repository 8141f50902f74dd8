"""Reports on ranks against simulated runs, of which everything is known.

The expected figures are computed here from the simulated kernels: times by rank, skew and waiting of each reduction, the straggler, and the offsets of the
clocks. Every figure must be equal, and independent of the number of threads. Excerpts of the traces have the same report.
"""
import json
import pathlib
import tempfile

from checks.command import amdahlc
from checks.intervals import half_even, length
from checks.ranks.simulate import REDUCE, Options, write


def span(kernel):
    return kernel.start, kernel.start + kernel.duration


def expected(options, kernels, extents, given):
    """By rank: its keys of the report. All ranks record the same steps; the first is warm-up."""
    size = options.group or options.ranks
    steps = range(1, options.steps)
    rows = {rank: dict.fromkeys(("wait", "exposed_wait", "waited_for", "last", "operations", "late"), 0) for rank in given}
    for rank in given:
        row = rows[rank]
        for key in ("busy", "wall", "window", "computation", "communication", "exposed_communication"):
            row[key] = 0
        for step in steps:
            work = kernels[rank][step]
            compute = [span(kernel) for kernel in work if kernel.stream != REDUCE]
            reduce = [span(kernel) for kernel in work if kernel.stream == REDUCE]
            row["busy"] += length(compute + reduce)
            row["wall"] += max(end for _, end in compute + reduce) - min(begin for begin, _ in compute + reduce)
            row["window"] += extents[rank][step][1] - extents[rank][step][0]
            row["computation"] += length(compute)
            row["communication"] += length(reduce)
            row["exposed_communication"] += length(compute + reduce) - length(compute)
    for begin in range(0, options.ranks, size):
        members = [rank for rank in range(begin, begin + size) if rank in given]
        if len(members) < 2:
            continue
        for step in steps:
            reductions = {rank: [kernel for kernel in kernels[rank][step] if kernel.stream == REDUCE] for rank in members}
            for number in range(options.layers):
                starts = {rank: reductions[rank][number].start for rank in members}
                last = max(starts.values())
                cause = min(rank for rank in members if starts[rank] == last)
                if last > min(starts.values()):
                    rows[cause]["last"] += 1
                for rank in members:
                    compute = [span(kernel) for kernel in kernels[rank][step] if kernel.stream != REDUCE]
                    wait = last - starts[rank]
                    rows[rank]["operations"] += 1
                    rows[rank]["late"] += starts[rank] - min(starts.values())
                    rows[rank]["wait"] += wait
                    rows[rank]["exposed_wait"] += length(compute + [(starts[rank], last)]) - length(compute)
                    rows[cause]["waited_for"] += wait
    for row in rows.values():
        for key in ("busy", "wall", "window", "computation", "communication", "exposed_communication", "wait", "exposed_wait"):
            row[key + "_ns"] = half_even(row.pop(key), len(steps))
        row["skew_ns"] = half_even(row.pop("late"), row["operations"])
        row["waited_for_ns"] = row.pop("waited_for")
        row["iterations"] = len(steps)
    return rows


CASES = {
    "one group": Options(ranks=5, steps=6, layers=7),
    "a straggler": Options(ranks=4, slow={2: 1.3}),
    "two groups": Options(ranks=8, group=4, slow={5: 1.2}),
    "by sequence numbers": Options(ranks=3, sequence=True, slow={0: 1.4}),
    "without groups": Options(ranks=3, groups=False),
    "clocks that differ": Options(ranks=4, slow={1: 1.25}, ahead={1: 7_000_123, 3: -41_000_000}),
    "clocks of two groups": Options(ranks=6, group=3, slow={4: 1.25}, ahead={2: 900_000_000, 4: -3_000_000, 5: 1_234_567}),
    "a rank is missing": Options(ranks=5, slow={3: 1.2}),
}
MISSING = {"a rank is missing": {1}}


def check_case(check, name, options, folder):
    def report(traces, *arguments):
        return amdahlc.text(f'-trace={traces}', '-emit=ranks-json', *arguments)

    missing = MISSING.get(name, set())
    given = [rank for rank in range(options.ranks) if rank not in missing]
    kernels, extents = write(options, folder, given, compress=len(given) % 2 == 0)
    text = report(folder)
    for jobs in (1, 2, 16):
        check.that(report(folder, f'-jobs={jobs}') == text, f'{name}: -jobs={jobs} gives another report')
    excerpts = pathlib.Path(folder, 'excerpts')
    excerpts.mkdir()
    for trace in pathlib.Path(folder).glob('rank*.json*'):
        amdahlc.text(f'-trace={trace}', f'-emit=trace={excerpts / trace.name}')
    found, of_excerpts = json.loads(text), json.loads(report(excerpts))
    check.that(of_excerpts['ranks'] == found['ranks'] and of_excerpts['across_ranks']['waits'] == found['across_ranks']['waits'],
               f'{name}: excerpts of the traces have another report')
    rows = expected(options, kernels, extents, set(given))
    check.equal(f'{name}: ranks', [row['rank'] for row in found['ranks']], given)
    for row in found['ranks']:
        what = f'{name}, rank {row["rank"]}'
        for key, value in rows[row['rank']].items():
            check.equal(f'{what}: {key}', row[key], value)
        size = options.group or options.ranks
        ahead = options.ahead.get(row['rank'], 0) - options.ahead.get(row['rank'] // size * size, 0)
        check.equal(f'{what}: clock_offset_ns', row['clock_offset_ns'], -ahead)
    across = found['across_ranks']
    check.equal(f'{name}: missing', across['missing'], sorted(missing))
    check.equal(f'{name}: clocks', across['clocks'], 'aligned' if options.ahead else 'as-recorded')
    check.equal(f'{name}: straggler', across['straggler'] and across['straggler']['rank'], next(iter(options.slow), None))


def check(check):
    for name, options in CASES.items():
        with tempfile.TemporaryDirectory(prefix='ranks-') as folder:
            check_case(check, name, options, folder)
