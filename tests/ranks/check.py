#!/usr/bin/env python3
"""Compares reports on ranks with simulated runs, of which everything is known.

The expected figures are computed here from the simulated kernels: times by rank, skew and waiting of each reduction, the
straggler, and the offsets of the clocks. Every figure must be equal, and independent of the number of threads.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from simulate import Options, REDUCE, write


def covered(intervals):
    """The points in time of a union of intervals, as disjoint intervals."""
    out = []
    for begin, end in sorted(intervals):
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return out


def length(intervals):
    return sum(end - begin for begin, end in covered(intervals))


def half_even(total, count):
    quotient, rest = divmod(total, count)
    return quotient + (2 * rest > count or (2 * rest == count and quotient % 2 == 1))


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


def report(binary, folder, *options):
    done = subprocess.run([binary, f"-trace={folder}", "-emit=ranks-json", *options], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"exit {done.returncode}: {done.stderr}")
    return done.stdout


def check(binary, name, options, folder):
    missing = MISSING.get(name, set())
    given = [rank for rank in range(options.ranks) if rank not in missing]
    kernels, extents = write(options, folder, given, compress=len(given) % 2 == 0)
    text = report(binary, folder)
    faults = [f"-jobs={jobs} gives another report" for jobs in (1, 2, 16) if report(binary, folder, f"-jobs={jobs}") != text]
    excerpts = pathlib.Path(folder, "excerpts")
    excerpts.mkdir()
    for rank in given:
        trace = next(pathlib.Path(folder).glob(f"rank{rank}.json*"))
        subprocess.run([binary, f"-trace={trace}", f"-emit=trace={excerpts / trace.name}"], check=True)
    found = json.loads(text)
    of_excerpts = json.loads(report(binary, excerpts))
    if of_excerpts["ranks"] != found["ranks"] or of_excerpts["across_ranks"]["waits"] != found["across_ranks"]["waits"]:
        faults.append("excerpts of the traces have another report")
    rows = expected(options, kernels, extents, set(given))
    if [row["rank"] for row in found["ranks"]] != given:
        faults.append(f"the ranks are {[row['rank'] for row in found['ranks']]}")
    for row in found["ranks"]:
        for key, value in rows[row["rank"]].items():
            if row[key] != value:
                faults.append(f"rank {row['rank']}: {key} is {row[key]} instead of {value}")
        size = options.group or options.ranks
        lowest = row["rank"] // size * size
        ahead = options.ahead.get(row["rank"], 0) - options.ahead.get(lowest, 0)
        if row["clock_offset_ns"] != -ahead:
            faults.append(f"rank {row['rank']}: its clock is {ahead} ns ahead, the offset is {row['clock_offset_ns']}")
    across = found["across_ranks"]
    if across["missing"] != sorted(missing):
        faults.append(f"missing are {across['missing']}")
    if across["clocks"] != ("aligned" if options.ahead else "as-recorded"):
        faults.append(f"the clocks are {across['clocks']}")
    straggler = across["straggler"] and across["straggler"]["rank"]
    if straggler != next(iter(options.slow), None):
        faults.append(f"the straggler is {straggler}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    binary = pathlib.Path(parser.parse_args().binary).resolve()
    failed = 0
    for name, options in CASES.items():
        with tempfile.TemporaryDirectory(prefix="ranks-") as folder:
            faults = check(binary, name, options, folder)
        failed += bool(faults)
        print(f"{'FAILED' if faults else 'passed'} {name}", *(f"\n  {fault}" for fault in faults[:8]), sep="")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    raise SystemExit(main())
