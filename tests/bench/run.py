#!/usr/bin/env python3
"""What the whole analysis of a run costs, beside a walk over its trace in one shot.

  run.py --binary PATH --bench PATH [--size MB] [--runs N]

`--bench` is amdahlc_read_bench, whose walk decompresses the file and looks at every value with simdjson; `--binary` is the command. Both are release builds.
CPU time (user and system) of a process, the least of N alternating runs: of the walk, of reading alone, of `-passes=default -emit=json` with a model of one
operator, of the same without the passes `host` and `schedule`, and of the trace alone, as a program. The last columns are ratios to the walk. The traces are
`hta/multi_stream_train_rank0` of the folder `shared` beside the project, and generated ones of the given size of plain text: one as for `bench read`, and
one of a chain of 16 operators, which its model binds. Below each file are the times of the passes, with the model and alone.
"""
import argparse
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile

import growth_inputs

SHARED = pathlib.Path(__file__).resolve().parents[3] / 'shared' / 'traces'
MODEL = '<ir_version: 9, opset_import: ["" : 18]>\nany (float[1] x) => (float[1] y) { y = Relu(x) }\n'
WITHOUT = 'simplify,fuse,trace-bind,timing,critical-path,emit'
# Of `growth_inputs.annotations`: a unit is a call, its launch and its kernel, twice, and an annotation of eight launches.
EVENTS_PER_COUNT = 6.25
BYTES_PER_EVENT = 117
SHOWN_PASSES = 4


def measure(command):
    """CPU seconds."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f'{" ".join(map(str, command))} fails')
    process.returncode = 0
    return used.ru_utime + used.ru_stime


def compare(options, path, rest):
    alone = [options.binary, f'-trace={path}', '-emit=json=/dev/null', '-passes=default']
    command = [*alone[:-1], *rest]
    walk = [options.bench, 'walk', path]
    commands = {'read': [options.bench, 'read', path], 'analysis': [*command, '-passes=default'], 'without': [*command, f'-passes={WITHOUT}'], 'alone': alone}
    walks, measured = [], {name: [] for name in commands}
    for _ in range(options.runs):
        walks.append(float(subprocess.run(walk, check=True, capture_output=True, text=True).stdout.split()[0]))
        for name, one in commands.items():
            if name == 'read':
                measured[name].append(float(subprocess.run(one, check=True, capture_output=True, text=True).stdout.split()[0]))
            else:
                measured[name].append(1000 * measure(one))
    least = min(walks)
    figures = ''.join(f'{min(runs):10.1f}' for runs in measured.values())
    ratios = ''.join(f'{min(runs) / least:10.2f}' for runs in measured.values())
    print(f'{path.name:34}{least:10.1f}{figures}{ratios}')
    for name in ('analysis', 'alone'):
        times = subprocess.run([*map(str, commands[name]), '-time-passes'], check=True, capture_output=True, text=True).stderr
        print('\n'.join('    ' + line for line in [name, *times.splitlines()]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', required=True, type=pathlib.Path)
    parser.add_argument('--bench', required=True, type=pathlib.Path)
    parser.add_argument('--size', default=60, type=float, help='of generated files, in MB of plain text')
    parser.add_argument('--runs', type=int, default=5)
    options = parser.parse_args()
    measured = ('read', 'analysis', 'without', 'alone')
    columns = ('walk', *measured, *measured)
    print(f'{"file":34}' + ''.join(f'{column:>10}' for column in columns))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / 'any.onnxtxt'
        model.write_text(MODEL, encoding='utf-8')
        shared = SHARED / 'hta' / 'multi_stream_train_rank0.json.gz'
        if shared.exists():
            compare(options, shared, [model])
        else:
            print('the folder `shared` beside the project is not there: one file is left out')
        generated = folder / 'generated.json'
        subprocess.run([options.bench, 'generate', str(int(options.size * 1e6)), generated], check=True)
        compare(options, generated, [model])
        trace, *rest = growth_inputs.annotations(folder, int(options.size * 1e6 / BYTES_PER_EVENT / EVENTS_PER_COUNT))
        compare(options, pathlib.Path(trace.split('=', 1)[-1]), rest)


if __name__ == '__main__':
    sys.exit(main())
