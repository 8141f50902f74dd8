#!/usr/bin/env python3
"""What the annotated copy of a trace costs, beside the report on the trace.

  copies.py --binary PATH [--events N] [--runs N]

The trace is a generated one of N events, 250000 by default, of a chain of 16 operators that runs again and again. CPU time (user and system) and peak memory
of `-passes=default -emit=csv=/dev/null`, and of the same with `-emit=chrome-trace=`, the least of alternating runs, and their ratio; the first line is
reading alone.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

import growth_inputs

# Events per unit of `growth_inputs.annotations`: a call, its launch and its kernel, twice, and an annotation of eight launches.
EVENTS_PER_COUNT = 6.25


def measure(command):
    """CPU seconds and peak memory in MB."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f'{" ".join(map(str, command))} fails')
    process.returncode = 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', required=True, type=pathlib.Path)
    parser.add_argument('--events', type=int, default=250_000)
    parser.add_argument('--runs', type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace, *rest = growth_inputs.annotations(folder, int(options.events / EVENTS_PER_COUNT))
        report = [options.binary, trace, '-passes=default', '-emit=csv=/dev/null', *rest]
        commands = {
            'reading': [options.binary, trace, '-o', '/dev/null'],
            'report': report,
            'report and copy': [*report, f'-emit=chrome-trace={folder}/copy.json'],
            'report and gzipped copy': [*report, f'-emit=chrome-trace={folder}/copy.json.gz'],
        }
        measured = {what: [] for what in commands}
        for _ in range(options.runs):
            for what, command in commands.items():
                measured[what].append(measure(command))
        base = min(run[0] for run in measured['report'])
        print(f'{options.events} events, trace of {(folder / "trace.json").stat().st_size / 1e6:.1f} MB, copy of '
              f'{(folder / "copy.json").stat().st_size / 1e6:.1f} MB')
        print(f'{"":26}{"CPU s":>8}{"ratio":>8}{"peak MB":>10}')
        for what, runs in measured.items():
            seconds = min(run[0] for run in runs)
            print(f'{what:26}{seconds:8.3f}{seconds / base:8.2f}{min(run[1] for run in runs):10.1f}')


if __name__ == '__main__':
    main()
