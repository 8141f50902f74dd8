#!/usr/bin/env python3
"""What the Python package costs beside an analysis, each beside the most that it may cost.

  python.py --binary PATH --bench PATH [--events N] [--size MB] [--scenarios N]

Runs with the package of the build and its test packages on PYTHONPATH, as `./dev bench python` does. The events of a generated run go into a table of PyArrow:
CPU time, and the peak of memory above that of the report, in sizes of the table. Of the generated trace of `bench run`, of the given size of plain text, random
scenarios are predicted: CPU time of each, and its figures against those that the command writes for the same scenarios. Times are the least of some, because
other programs only add; of scenarios each is predicted three times. Fails where a bar is not met.
"""
import argparse
import gc
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import amdahlc   # noqa: E402
import pyarrow   # noqa: E402
from checks.page.generated import Shape, write   # noqa: E402
from checks.places import ENCODER_TRACE   # noqa: E402

LAUNCHES = 2000
MADE = 3
PREDICTED = 3
FIGURES = ('busy_ns', 'wall_ns', 'window_ns', 'base_busy_ns', 'base_wall_ns', 'speedup', 'speedup_wall', 'caution')


class Bars:
    def __init__(self):
        self.missed = False
        print(f'{"":60}{"at most":>12}{"measured":>12}')

    def row(self, what, most, value, unit):
        is_met = value <= most
        self.missed |= not is_met
        print(f'{what:60}{f"{most:.5g} {unit}":>12}{f"{value:.4g} {unit}":>12}{"" if is_met else "  too much"}', flush=True)


def memory(name):
    """A figure of this process in bytes: `VmRSS` now, `VmHWM` the most since the mark was set back."""
    return 1024 * int(re.search(rf'{name}:\s*(\d+)', pathlib.Path('/proc/self/status').read_text(encoding='ascii'))[1])


def events(bars, folder, count):
    # Dropped steps of a warm-up stand before them.
    report = amdahlc.analyze(write(folder / 'events.json', Shape(iterations=-(-count // LAUNCHES) + 2, launches=LAUNCHES)))
    # What is made once for a report, and what PyArrow imports for its first table, is no part of it.
    pyarrow.table(amdahlc.analyze(ENCODER_TRACE).events)
    assert report.runs
    times, peaks = [], []
    for _ in range(MADE):
        gc.collect()
        pathlib.Path('/proc/self/clear_refs').write_text('5', encoding='ascii')
        before, begin = memory('VmRSS'), time.process_time()
        table = pyarrow.table(report.events)
        times.append(time.process_time() - begin)
        peaks.append((memory('VmHWM') - before) / table.nbytes)
        assert table.num_rows >= count, table.num_rows
        del table
    bars.row(f'{count} events into Arrow', 0.3, min(times), 's')
    bars.row('the same, peak of memory, in sizes of the table', 1.3, peaks[0], 'x')


def scenarios(report, count):
    """Different random ones, of kernels, groups and the host."""
    chosen = random.Random(39)
    names = sorted({row['label'] for row in report.kernels.to_dicts() if row['duration_ns']})
    names += [row['name'] for row in report.category.to_dicts()] + ['host', 'launches']
    found = {}
    while len(found) < count:
        some = chosen.sample(names, chosen.randint(1, min(3, len(names))))
        found[';'.join(f'{name}={chosen.randint(11, 40) / 10}x' for name in some)] = None
    return list(found)


def what_ifs(bars, options, folder):
    trace = folder / 'generated.json'
    subprocess.run([options.bench, 'generate', str(int(options.size * 1e6)), trace], check=True)
    report = amdahlc.analyze(trace)
    texts = scenarios(report, options.scenarios)
    written = subprocess.run([options.binary, f'-trace={trace}', '-emit=json', *(f'-what-if={text}' for text in texts)], check=True, capture_output=True).stdout
    rows = json.loads(written)['runs'][0]['what_if']
    report.what_if(texts[0])
    times, wrong = [], 0
    for text, row in zip(texts, rows, strict=True):
        least = []
        for _ in range(PREDICTED):
            begin = time.process_time()
            predicted = report.what_if(text)
            least.append(time.process_time() - begin)
        times.append(1e3 * min(least))
        different = [name for name in FIGURES if getattr(predicted, name) != row[name]] + (['assumes'] if list(predicted.assumes) != row['assumes'] else [])
        if different:
            wrong += 1
            print(f'  `{text}`: {", ".join(f"{name} {getattr(predicted, name)}, the command has {row[name]}" for name in different)}')
    print(f'{len(texts)} scenarios of {trace.stat().st_size / 1e6:.0f} MB, {len(report.kernels)} kernels, {len(report.events)} events')
    bars.row('what_if, median', 5, statistics.median(times), 'ms')
    bars.row('figures that are not those of the command', 0, wrong, '')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', required=True, type=pathlib.Path)
    parser.add_argument('--bench', required=True, type=pathlib.Path)
    parser.add_argument('--events', type=int, default=1_000_000)
    parser.add_argument('--size', type=float, default=60, help='of the generated trace, in MB of plain text')
    parser.add_argument('--scenarios', type=int, default=200)
    options = parser.parse_args()
    bars = Bars()
    with tempfile.TemporaryDirectory() as name:
        events(bars, pathlib.Path(name), options.events)
        what_ifs(bars, options, pathlib.Path(name))
    return 1 if bars.missed else 0


if __name__ == '__main__':
    sys.exit(main())
