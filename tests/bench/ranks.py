#!/usr/bin/env python3
"""What comparing ranks costs: wall time, CPU time and memory for growing numbers of ranks, and for numbers of threads.

  ranks.py --binary PATH [--ranks 64] [--megabytes 50]

The traces are of a simulated run; all but the first are copies of it with the number of their rank. `one at a time` reads
the same files with a command each, without a comparison: the least that the work can take on one core. `disk` reads all
bytes without looking at them.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks.ranks.simulate import Options, simulate, trace_text  # noqa: E402


def write_traces(folder, ranks, megabytes):
    options = Options(ranks=ranks, steps=5, layers=20, frames=24)
    one_step = len(trace_text(Options(ranks=ranks, steps=1, layers=20, frames=24), *simulate(Options(ranks=ranks, steps=1, layers=20, frames=24)), 0))
    options.steps = max(round(megabytes * 1e6 / one_step), 3)
    text = trace_text(options, *simulate(options), 0).encode()
    for rank in range(ranks):
        (folder / f'rank{rank}.json').write_bytes(text.replace(b'"rank": 0,', b'"rank": %d,' % rank))


def measure(command):
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f'exit {child.returncode}: {command}')
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path, required=True)
    parser.add_argument('--ranks', type=int, default=64)
    parser.add_argument('--megabytes', type=int, default=50)
    parser.add_argument('--write', type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        write_traces(options.write, options.ranks, options.megabytes)
        return
    binary = options.binary.resolve()
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix='ranks-') as name:
        folder = pathlib.Path(name)
        # In a process of its own: the memory of this one would count as that of the commands, which begin as copies of it.
        subprocess.run([sys.executable, __file__, *sys.argv[1:], '--write', folder], check=True)
        files = [folder / f'rank{rank}.json' for rank in range(options.ranks)]
        size = files[0].stat().st_size
        print(f'{options.ranks} ranks of {size / 1e6:.0f} MB on {cores} cores')
        print(f'{"":>22}{"seconds":>9}{"CPU":>9}{"MB/s":>8}{"memory MiB":>12}')

        def row(title, result, count):
            wall, cpu, memory = result
            print(f'{title:>22}{wall:>9.2f}{cpu:>9.2f}{size * count / 1e6 / wall:>8.0f}{memory:>12.0f}', flush=True)

        row('disk', measure(['cat', *files]), options.ranks)
        alone = min(options.ranks, 8)
        results = [measure([binary, f'-trace={file}']) for file in files[:alone]]
        row(f'{alone}, one at a time', (sum(r[0] for r in results), sum(r[1] for r in results), max(r[2] for r in results)), alone)
        count = 2
        while count < options.ranks:
            row(f'{count} ranks', measure([binary, *[f'-trace=rank{i}={files[i]}' for i in range(count)]]), count)
            count *= 4
        for jobs in sorted({1, cores, 2 * cores}):
            row(f'{options.ranks} ranks, -jobs={jobs}', measure([binary, f'-trace={folder}', f'-jobs={jobs}']), options.ranks)


if __name__ == '__main__':
    main()
