#!/usr/bin/env python3
"""Simulates a data-parallel training run and writes the trace of each rank as PyTorch's profiler does.

Each rank computes layer after layer on one stream. When a layer is done, its gradients are reduced over the group of
the rank on a second stream: the operation begins when the rank has computed the layer and ended the operation before,
and ends in all ranks of the group at once, a fixed time after the last one began. The step ends with kernels that need
all reductions. The streams wait for each other's events, as the trace states. Everything is known, so that a report can be compared with the truth.
"""

import argparse
import dataclasses
import gzip
import pathlib
import random

COMPUTE, REDUCE = 7, 20
ORIGIN_NS = 1767189312000000000


@dataclasses.dataclass
class Options:
    ranks: int = 4
    steps: int = 5
    layers: int = 6
    # Ranks of a group, one after the other; 0: all ranks are one group.
    group: int = 0
    # Factor of the computation by rank.
    slow: dict = dataclasses.field(default_factory=dict)
    # Nanoseconds that the clock of a rank is ahead.
    ahead: dict = dataclasses.field(default_factory=dict)
    # The steps that a rank records, by rank: from, to (exclusive). Else all.
    recorded: dict = dataclasses.field(default_factory=dict)
    # The number of the first one.
    first: int = 10
    # Whether kernels state their groups, and their sequence numbers.
    groups: bool = True
    sequence: bool = False
    # Whether the trace states what streams wait for.
    waits: bool = True
    # Python frames around each launch, which make files as large as real ones.
    frames: int = 0
    seed: int = 1
    layer_ns: int = 200_000
    reduce_ns: int = 150_000
    gap_ns: int = 50_000


@dataclasses.dataclass
class Kernel:
    name: str
    stream: int
    start: int
    duration: int
    launch: int
    # Of a reduction: its number in the group.
    sequence: int = -1
    # The kernel of the other stream that it waits for.
    after: "Kernel | None" = None


def simulate(options):
    """Kernels by rank and step, on one clock, and the extent of each step on the host."""
    rng = random.Random(options.seed)
    size = options.group or options.ranks
    kernels = {rank: [] for rank in range(options.ranks)}
    extents = {rank: [] for rank in range(options.ranks)}
    now = {rank: 1_000_000_000_000 + rng.randrange(20_000) for rank in range(options.ranks)}
    sequence = dict.fromkeys(range(options.ranks), 0)
    for _ in range(options.steps):
        for begin in range(0, options.ranks, size):
            members = range(begin, min(begin + size, options.ranks))
            work = {}
            start_of_step = {rank: now[rank] for rank in members}
            for rank in members:
                at = now[rank] + options.gap_ns + rng.randrange(5_000)
                work[rank] = []
                for layer in range(options.layers):
                    duration = int((options.layer_ns + rng.randrange(10_000)) * options.slow.get(rank, 1))
                    work[rank].append(Kernel(f"layer_{layer}", COMPUTE, at, duration, 0))
                    at += duration + 1_000
            free = dict.fromkeys(members, 0)
            for layer in range(options.layers):
                begins = {}
                for rank in members:
                    kernel = work[rank][layer]
                    begins[rank] = max(kernel.start + kernel.duration, free[rank]) + 2_000 + rng.randrange(500)
                end = max(begins.values()) + options.reduce_ns
                for rank in members:
                    work[rank].append(Kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                                             REDUCE, begins[rank], end - begins[rank], 0, sequence[rank], work[rank][layer]))
                    sequence[rank] += 1
                    free[rank] = end
            for rank in members:
                last = max(kernel.start + kernel.duration for kernel in work[rank])
                work[rank].append(Kernel("optimizer", COMPUTE, last + 3_000, 40_000, 0, after=work[rank][-1]))
                end = last + 43_000 + options.gap_ns
                work[rank].sort(key=lambda kernel: kernel.start)
                for position, kernel in enumerate(work[rank]):
                    kernel.launch = start_of_step[rank] + 1_000 + 2_000 * position
                kernels[rank].append(work[rank])
                extents[rank].append((start_of_step[rank], end))
                now[rank] = end + 10_000
    return kernels, extents


def micros(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def trace_text(options, kernels, extents, rank):
    """The file of one rank."""
    size = options.group or options.ranks
    members = list(range(rank // size * size, min(rank // size * size + size, options.ranks)))
    ahead = options.ahead.get(rank, 0)
    events = []
    correlation = 0
    recorded = range(*options.recorded.get(rank, (0, options.steps)))
    for step in recorded:
        work, (begin, end) = kernels[rank][step], extents[rank][step]

        def event(category, name, pid, tid, start, duration, args=""):
            events.append(f'{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid}, '
                          f'"ts": {micros(start + ahead)}, "dur": {micros(duration)}{args}}}')
        event("user_annotation", f"ProfilerStep#{options.first + step}", 100, 100, begin, end - begin)
        records, awaited = {}, {id(kernel.after) for kernel in work if kernel.after and options.waits}
        for kernel in work:
            if kernel.after and options.waits:
                correlation += 1
                event("cuda_runtime", "cudaStreamWaitEvent", 100, 100, kernel.launch - 700, 200, f', "args": {{"correlation": {correlation}}}')
                event("cuda_sync", "Stream Wait Event", 0, kernel.stream, kernel.launch - 700, 200,
                      f', "args": {{"cuda_sync_kind": "Stream Wait Event", "stream": {kernel.stream}, "correlation": {correlation}, '
                      f'"wait_on_stream": {kernel.after.stream}, "wait_on_cuda_event_record_corr_id": {records[id(kernel.after)]}}}')
            correlation += 1
            for depth in range(options.frames):
                event("python_function", f"module_{depth}.py({10 + depth}): forward_{depth % 7}", 100, 100,
                      kernel.launch - 400 + depth, 1400 - 2 * depth, f', "args": {{"Python id": {correlation * 100 + depth}}}')
            operator = "c10d::allreduce_" if kernel.sequence >= 0 else "aten::mm"
            event("cpu_op", operator, 100, 100, kernel.launch - 300, 1200,
                  f', "args": {{"External id": {correlation}, "Ev Idx": {correlation}}}')
            event("cuda_runtime", "cudaLaunchKernel", 100, 100, kernel.launch, 700,
                  f', "args": {{"correlation": {correlation}}}')
            args = f'"stream": {kernel.stream}, "correlation": {correlation}, "grid": [24, 1, 1], "block": [256, 1, 1]'
            if kernel.sequence >= 0 and options.groups:
                args += (f', "Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024, '
                         f'"Group size": {len(members)}, "Process Group Name": "{members[0]}", '
                         f'"Process Group Ranks": "{members}"')
            if kernel.sequence >= 0 and options.sequence:
                args += f', "Seq": {kernel.sequence}'
            event("kernel", kernel.name, 0, kernel.stream, kernel.start, kernel.duration, f', "args": {{{args}}}')
            if id(kernel) in awaited:
                correlation += 1
                records[id(kernel)] = correlation
                event("cuda_runtime", "cudaEventRecord", 100, 100, kernel.launch + 1_000, 200, f', "args": {{"correlation": {correlation}}}')
    body = ",\n".join(events)
    return (f'{{"schemaVersion": 1, "baseTimeNanoseconds": {ORIGIN_NS},\n'
            '"deviceProperties": [{"id": 0, "name": "NVIDIA H100", "computeMajor": 9, "computeMinor": 0}],\n'
            f'"distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": {options.ranks}}},\n'
            f'"traceEvents": [\n{body}\n]}}\n')


def write(options, folder, ranks=None, compress=False):
    """Writes the trace of each rank, or of those given, and returns what was simulated."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    kernels, extents = simulate(options)
    for rank in range(options.ranks) if ranks is None else ranks:
        text = trace_text(options, kernels, extents, rank)
        path = folder / f"rank{rank}.json"
        if compress:
            with gzip.GzipFile(f"{path}.gz", "wb", 6, mtime=0) as out:
                out.write(text.encode())
        else:
            path.write_text(text)
    return kernels, extents


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--compress", action="store_true", help="with gzip")
    for name in ("ranks", "steps", "layers", "group", "frames", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Options, name, 0))
    parser.add_argument("--slow", type=int, help="a rank that computes 1.3 times as long")
    given = parser.parse_args()
    write(Options(given.ranks, given.steps, given.layers, given.group, frames=given.frames, seed=given.seed,
                  slow={given.slow: 1.3} if given.slow is not None else {}), given.folder, compress=given.compress)
