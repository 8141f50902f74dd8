#!/usr/bin/env python3
"""Compares the reader of traces with a walk over the same text in one shot, in the same run.

  read.py --bench PATH [--sizes LIST] [--runs N]

`--bench` is amdahlc_read_bench, a release build. The walk decompresses the file with libdeflate and looks at every value with simdjson, and keeps
nothing: what a reader costs at least that has the whole text in memory. Times are CPU time (user and system) of a process, the least of N alternating
runs; memory is the peak of the process, of the reader also in relation to the plain text. The files are generated ones of the given sizes in MB, gzipped
and plain, and the largest of the folder `shared` beside the project. simdjson cannot walk over more than 4 GiB. Instructions are callgrind's, of the
generated files of 2, 4 and 8 MB, and of traces of particular shapes at three sizes, where valgrind is installed. The exponent is that of their growth.
"""
import argparse
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

import callgrind

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / 'shared' / 'traces'
SIMDJSON_LIMIT = 1 << 32
MEGABYTE = 1_000_000


def measure(bench, mode, path):
    """CPU milliseconds, peak memory in bytes, size of the plain text, events; None if the mode cannot read the file."""
    done = subprocess.run([bench, mode, path], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return None
    milliseconds, memory, raw, events = done.stdout.split()
    return float(milliseconds), int(memory), int(raw), int(events)


def compare(bench, path, raw, runs):
    walks, reads = [], []
    for _ in range(runs):
        if raw < SIMDJSON_LIMIT:
            walks.append(measure(bench, 'walk', path))
        reads.append(measure(bench, 'read', path))
    if None in reads:
        return print(f'{path.name:34} cannot be read')
    milliseconds = min(run[0] for run in reads)
    memory = min(run[1] for run in reads)
    walk = min(run[0] for run in walks) if walks and None not in walks else None
    walk_memory = min(run[1] for run in walks) / MEGABYTE if walk else None
    print(f'{path.name:34}{raw / MEGABYTE:10.1f}{path.stat().st_size / MEGABYTE:10.1f}'
          f'{walk or "-":>10}{milliseconds:10.1f}{f"{milliseconds / walk:.2f}" if walk else "-":>8}'
          f'{f"{walk_memory:.1f}" if walk else "-":>12}{memory / MEGABYTE:12.1f}{memory / raw:8.2f}{reads[0][3]:12}', flush=True)


def plain_size(path):
    if path.suffix != '.gz':
        return path.stat().st_size
    return int.from_bytes(path.read_bytes()[-4:], 'little')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bench', required=True, type=pathlib.Path)
    parser.add_argument('--sizes', default='60,1000,5000', help='of generated files, in MB of plain text')
    parser.add_argument('--runs', type=int, default=5)
    options = parser.parse_args()
    print(f'{"file":34}{"plain MB":>10}{"file MB":>10}{"walk ms":>10}{"read ms":>10}{"ratio":>8}{"walk mem MB":>12}{"read mem MB":>12}{"of raw":>8}'
          f'{"host+device":>12}')
    if SHARED.is_dir():
        traces = [path for path in SHARED.rglob('*.json.gz') if path.parent.name in ('h100', 'mi300', 'hta', 'misc', 'cpu')]
        for path in sorted(traces, key=plain_size)[-4:]:
            compare(options.bench, path, plain_size(path), options.runs)
    sizes = sorted(float(size) for size in options.sizes.split(','))
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = pathlib.Path(folder) / f'generated-{size:g}.json'
            subprocess.run([options.bench, 'generate', str(int(size * MEGABYTE)), path], check=True)
            raw = path.stat().st_size
            runs = options.runs if size <= 100 else 2
            compare(options.bench, path, raw, runs)
            if raw < SIMDJSON_LIMIT:
                subprocess.run(['gzip', '-6', '-k', path], check=True)
                compare(options.bench, path.with_suffix('.json.gz'), raw, runs)
            path.unlink()
            path.with_suffix('.json.gz').unlink(missing_ok=True)
        if shutil.which('valgrind'):
            count(options.bench, pathlib.Path(folder) / 'counted.json')


def count(bench, path):
    """Prints instructions."""
    print(f'\n{"instructions":>34}{"plain MB":>10}{"walk M":>10}{"read M":>10}{"ratio":>8}{"exponent":>10}')

    def row(name, counts, walked=True):
        read = callgrind.instructions([bench, 'read', path])
        walk = callgrind.instructions([bench, 'walk', path]) if walked else None
        counts.append(read)
        ratio = f'{walk / 1e6:10.1f}{read / 1e6:10.1f}{read / walk:8.2f}' if walked else f'{"-":>10}{read / 1e6:10.1f}{"-":>8}'
        exponent = f'{callgrind.growth(*counts):.2f}' if len(counts) == 3 else ''
        print(f'{name:34}{path.stat().st_size / MEGABYTE:10.1f}{ratio}{exponent:>10}', flush=True)

    counts = []
    for size in (2, 4, 8):
        subprocess.run([bench, 'generate', str(size * MEGABYTE), path], check=True)
        row('generated', counts)
    for name, (write, number) in SHAPES.items():
        counts = []
        for n in (number, 2 * number, 4 * number):
            path.write_text('[' + ',\n'.join(write(n)) + ']')
            row(f'{name}, {n}', counts, name not in NOT_WALKED)


def event(category, name, start, duration, tid=1, pid=1, **arguments):
    return json.dumps({'ph': 'X', 'cat': category, 'name': name, 'pid': pid, 'tid': tid, 'ts': start, 'dur': duration, 'args': arguments})


def launch(number, start, name='relu'):
    return [event('cpu_op', 'aten::relu', start, 8), event('cuda_runtime', 'cudaLaunchKernel', start + 2, 4, correlation=number),
            event('kernel', name, start + 20, 5, 7, 0, correlation=number)]


def annotation_names(count):
    """Each name is around two launches, so that each could mark iterations."""
    for repeat in range(2):
        for i in range(count):
            start = 100 * (repeat * count + i)
            yield event('user_annotation', f'part {i}', start, 90)
            yield from launch(repeat * count + i, start + 10)


def unmarked(count):
    """Launches that no annotation marks, of 100 kernels that repeat."""
    for i in range(count):
        yield from launch(i, 100 * i, f'kernel {i % 100}')


def deep_frames(count):
    """A launch under a thousand Python frames, and so on."""
    for i in range(count):
        start = 10_000 * i
        for depth in range(1000):
            yield event('python_function', f'f{depth}', start + depth, 5000 - 2 * depth, **{'Python id': 1000 * i + depth})
        yield from launch(i, start + 1500)


def streams(count):
    """Each kernel is on a stream of its own, launched by a thread of its own."""
    for i in range(count):
        yield event('cuda_runtime', 'cudaLaunchKernel', 10 * i, 5, 1000 + i, correlation=i)
        yield event('kernel', f'kernel {i}', 10 * i + 20, 5, i, 0, correlation=i)


def without_launch(count):
    """Steps whose kernels have no launch, except for one."""
    for i in range(count):
        yield event('user_annotation', f'ProfilerStep#{i}', 100 * i, 100)
        yield from launch(i, 100 * i + 1)
        for k in range(20):
            yield event('kernel', 'earlier', 100 * i + 30 + k, 1, 7, 0)


def damaged(count):
    """Every tenth event has a name that is not escaped, every hundredth is cut off."""
    for i in range(count):
        text = event('kernel', 'odd', i, 1, 7, 0, correlation=i)
        yield text[:40] if i % 100 == 50 else text.replace('odd', 'an "odd" one') if i % 10 == 9 else text


SHAPES = {'annotation names': (annotation_names, 1000), 'unmarked': (unmarked, 2500), 'deep frames': (deep_frames, 5), 'streams': (streams, 2500),
          'without launch': (without_launch, 250), 'damaged': (damaged, 5000)}
# Invalid JSON, which the walk refuses.
NOT_WALKED = {'damaged'}


if __name__ == '__main__':
    sys.exit(main())
