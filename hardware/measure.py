#!/usr/bin/env python3
"""Measures what a machine can do at best, and writes its description for `amdahlc -hardware=FILE`.

  measure.py [--quick] [--device cpu|cuda] [--name NAME] [--output FILE]

Memory bandwidth is that of copying large arrays (bytes read and written). The peak of a type is the rate of the fastest product of square
matrices. On a GPU, products of float32 with TF32 switched off are the peak of vectors. On a CPU the peaks of float32 and float64 are those of
vectors; narrower types are measured where the processor has instructions for their products, and are peaks of matrices. The launch cost is the
time between the starts of many empty kernels. With PyTorch the device is a GPU if there is one; without it NumPy measures the CPU. What is
measured is below the peaks of a data sheet: kernels may run a little faster than this description allows.

Figures that cannot be right are refused with the reason, and nothing is written: rates above the data sheet of the device, where a description
that lies beside this script has it, memory that is faster than a cache, double precision that is faster than single precision, and times that
scatter because something else runs on the machine.

--quick takes small arrays and few repetitions: to try the script, not for figures. What would be refused is only told then.
Exit status: 0 done, 1 nothing can be measured, because neither PyTorch nor NumPy is installed, 2 figures are refused.
"""
import argparse
import dataclasses
import datetime
import math
import os
import pathlib
import platform
import re
import statistics
import sys
import threading
import time

try:
    import torch
except ImportError:
    torch = None
try:
    import numpy
except ImportError:
    numpy = None

# A copy of arrays that fit into a cache, and how often it is made for one time.
CACHED_BYTES, CACHED_COPIES = 1 << 20, 50
# A product that would take longer is not made: a type without instructions takes hours.
MOST_SECONDS = 2
# Flags of processors with instructions for products of a type, as Linux names them on x86 and on Arm.
CPU_FLAGS = {'bfloat16': {'avx512_bf16', 'amx_bf16', 'bf16'}, 'float16': {'avx512_fp16', 'amx_fp16', 'asimdhp'},
             'int8': {'avx512_vnni', 'avx_vnni', 'amx_int8', 'asimddp', 'i8mm'}}
# Clocks may exceed those of a data sheet a little. Noise may make a cache look slower than memory, and float64 faster than float32.
MOST_OF_DATA_SHEET, MOST_OF_WIDER = 1.1, 1.25
# Of the median time above the best one.
MOST_SPREAD = 0.5
LAUNCH_SECONDS = (1e-7, 1e-3)


@dataclasses.dataclass
class Rate:
    """Of bytes or operations per second."""
    best: float
    # The median time over the best one, less 1.
    spread: float

    @staticmethod
    def of(work, seconds):
        best = min(seconds)
        return Rate(work / best, statistics.median(seconds) / best - 1) if best > 0 else Rate(math.inf, 0)


@dataclasses.dataclass
class Figures:
    memory: Rate
    cache: Rate
    # Rates by type.
    matrix: dict
    vector: dict
    launch_seconds: float | None


def progress(text):
    print(text, file=sys.stderr, flush=True)


def seconds_of(run, repetitions):
    """The times of calls, after one to warm up."""
    run()
    seconds = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return seconds


def processor_facts(key):
    """The values of a key of /proc/cpuinfo, of the first processor; empty elsewhere."""
    try:
        with open('/proc/cpuinfo') as file:
            return next((line.partition(':')[2].strip() for line in file if line.lower().startswith(key)), '')
    except OSError:
        return ''


def processor_name():
    return processor_facts('model name') or platform.processor() or platform.machine()


class Machine:
    """What PyTorch and NumPy have in common: rates of products by type, of growing sizes."""

    # (type, 'matrix' or 'vector'), the widest first.
    types = ()

    def multiplication(self, name, n):
        """A function that multiplies two matrices of the size; an exception if the device has no products of the type."""
        raise NotImplementedError

    def peaks(self, sizes, repetitions):
        rates = {'matrix': {}, 'vector': {}}
        for name, unit in self.types:
            for n in sizes:
                best = rates[unit].get(name)
                if best and 2 * n ** 3 / best.best > MOST_SECONDS:
                    break
                try:
                    rate = Rate.of(2 * n ** 3, self.seconds(self.multiplication(name, n), repetitions))
                except (RuntimeError, AttributeError, TypeError) as error:
                    progress(f'no products of {name}: {(str(error) or "PyTorch is too old").splitlines()[0]}')
                    break
                progress(f'products of {name}, {n} x {n}: {quantity(rate.best, "OP/s")}')
                if best is None or rate.best > best.best:
                    rates[unit][name] = rate
        return rates['matrix'], rates['vector']


class NumpyCpu(Machine):
    """NumPy copies in as many threads as there are processors; its products use those of its BLAS library."""

    types = (('float64', 'vector'), ('float32', 'vector'))
    name = property(lambda self: processor_name())
    source = property(lambda self: f'NumPy {numpy.__version__}')
    seconds = staticmethod(seconds_of)

    def copy_rate(self, size, copies, repetitions):
        count = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
        each = max(size // count // 8, 1)
        pairs = [(numpy.ones(each), numpy.zeros(each)) for _ in range(count)]

        def copy(of, to):
            for _ in range(copies):
                numpy.copyto(to, of)

        def run():
            threads = [threading.Thread(target=copy, args=pair) for pair in pairs]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        return Rate.of(2 * 8 * each * count * copies, self.seconds(run, repetitions))

    def multiplication(self, name, n):
        a, b, out = numpy.ones((n, n), name), numpy.ones((n, n), name), numpy.empty((n, n), name)
        return lambda: numpy.matmul(a, b, out=out)

    def launch_seconds(self, launches):
        return None


class Torch(Machine):
    """PyTorch on a CPU or a GPU."""

    def __init__(self, device):
        self.device = device
        if device == 'cpu':
            flags = set((processor_facts('flags') or processor_facts('features')).split())
            self.types = (*NumpyCpu.types, *((name, 'matrix') for name, known in CPU_FLAGS.items() if flags & known))
        else:
            self.types = (('float64', 'matrix'), ('float32', 'vector'), ('tfloat32', 'matrix'), ('bfloat16', 'matrix'), ('float16', 'matrix'),
                          ('float8e4m3fn', 'matrix'), ('float8e4m3fnuz', 'matrix'), ('int8', 'matrix'))

    @property
    def name(self):
        return processor_name() if self.device == 'cpu' else torch.cuda.get_device_name()

    @property
    def source(self):
        return f'PyTorch {torch.__version__}'

    def seconds(self, run, repetitions):
        def once():
            run()
            if self.device != 'cpu':
                torch.cuda.synchronize()
        return seconds_of(once, repetitions)

    def copy_rate(self, size, copies, repetitions):
        of = torch.ones(max(size // 4, 1), dtype=torch.float32, device=self.device)
        to = torch.empty_like(of)

        def run():
            for _ in range(copies):
                to.copy_(of)
        return Rate.of(2 * 4 * of.numel() * copies, self.seconds(run, repetitions))

    def multiplication(self, name, n):
        if name == 'int8':
            # The second one by columns, as the matrix units of GPUs want it.
            a, b = (torch.randint(-128, 128, (n, n), dtype=torch.int8, device=self.device) for _ in range(2))
            return lambda: torch._int_mm(a, b.t())
        if name.startswith('float8'):
            a, b = (torch.randn((n, n), device=self.device).to(getattr(torch, name.replace('float8', 'float8_'))) for _ in range(2))
            one = torch.ones((), device=self.device)
            return lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
        if self.device != 'cpu':
            if name == 'tfloat32' and torch.cuda.get_device_capability() < (8, 0):
                raise RuntimeError('the device has none')
            torch.backends.cuda.matmul.allow_tf32 = name == 'tfloat32'
        # Random data: of equal elements, a GPU computes products by an eighth faster.
        a = torch.randn((n, n), dtype=getattr(torch, name.replace('tfloat', 'float')), device=self.device)
        return lambda: torch.matmul(a, a)

    def launch_seconds(self, launches):
        if self.device == 'cpu':
            return None
        one = torch.zeros(1, device=self.device)

        def run():
            for _ in range(launches):
                one.add_(1)
        return min(self.seconds(run, 3)) / launches


def quantity(value, unit):
    """Three digits, in the largest unit of 1000 below it."""
    for prefix, size in (('T', 1e12), ('G', 1e9), ('M', 1e6)):
        if value >= size:
            break
    return f'{float(f"{value / size:.3g}"):g} {prefix}{unit}'


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def pattern_of(name):
    """A regular expression that matches this name alone."""
    return ''.join('\\' + c if c in r'\.+*?()|[]{}^$' else c for c in name)


def measured(machine, quick):
    is_gpu = getattr(machine, 'device', 'cpu') != 'cpu'
    repetitions = 3 if quick else 20
    sizes = (128, 256) if quick else (1024, 2048, 4096, 8192) if is_gpu else (512, 1024, 2048, 4096)
    size = 1 << (24 if quick else 30)
    memory = machine.copy_rate(size, 1, repetitions)
    progress(f'copies of {size >> 20} MiB: {quantity(memory.best, "B/s")}')
    cache = machine.copy_rate(CACHED_BYTES, CACHED_COPIES, repetitions)
    progress(f'copies of {CACHED_BYTES >> 20} MiB, which caches hold: {quantity(cache.best, "B/s")}')
    matrix, vector = machine.peaks(sizes, repetitions)
    launch = machine.launch_seconds(100 if quick else 10000)
    if launch is not None:
        progress(f'a launch: {launch * 1e6:.2f} us')
    return Figures(memory, cache, matrix, vector, launch)


def data_sheet(name, folder=pathlib.Path(__file__).resolve().parent):
    """(section, type) -> rate of the description whose pattern is the name of the device; empty if none is."""
    for path in sorted(folder.glob('*.yaml')):
        section, patterns, rates = '', [], {}
        for line in path.read_text(encoding='utf-8').splitlines():
            if found := re.match(r'(\S+):', line):
                section = found[1]
            if section == 'devices' and (found := re.match(r"\s+- '(.*)'$", line)):
                patterns.append(found[1].replace("''", "'"))
            if found := re.match(r'\s*(\S+): ([0-9.]+) ([TGM])(B|FLOP|OP)/s', line):
                rates[section, '' if found[1] == section else found[1]] = float(found[2]) * {'T': 1e12, 'G': 1e9, 'M': 1e6}[found[3]]
        if any(re.fullmatch(pattern, name) for pattern in patterns):
            return rates
    return {}


def implausible(figures, sheet):
    """Why figures cannot be right, as clauses; none if nothing is wrong. `sheet` has the rates of the data sheet, as `data_sheet` gives them."""
    rates = {('memory-bandwidth', ''): figures.memory, ('cache', ''): figures.cache,
             **{(unit, name): rate for unit, of in (('matrix', figures.matrix), ('vector', figures.vector)) for name, rate in of.items()}}
    reasons = []
    for (section, name), rate in rates.items():
        what, unit = (f'the peak of {name}', 'OP/s') if name else (f'the rate of {"memory" if section != "cache" else "caches"}', 'B/s')
        if not 0 < rate.best < math.inf:
            reasons.append(f'{what} is {rate.best}, because a call took no time')
            continue
        if rate.spread > MOST_SPREAD:
            reasons.append(f'times behind {what} scatter: the median is {100 * rate.spread:.0f} % above the best one; is something else running?')
        most = sheet.get((section, name))
        if most and rate.best > MOST_OF_DATA_SHEET * most:
            reasons.append(f'{what} is {quantity(rate.best, unit)}, above the {quantity(most, unit)} of the data sheet')
    if figures.memory.best > MOST_OF_WIDER * figures.cache.best:
        reasons.append(f'memory with {quantity(figures.memory.best, "B/s")} is faster than caches with {quantity(figures.cache.best, "B/s")}')
    single, double = (figures.vector.get('float32'), figures.vector.get('float64'))
    if single and double and double.best > MOST_OF_WIDER * single.best:
        reasons.append(f'float64 with {quantity(double.best, "OP/s")} is faster than float32 with {quantity(single.best, "OP/s")}')
    if figures.launch_seconds is not None and not LAUNCH_SECONDS[0] <= figures.launch_seconds <= LAUNCH_SECONDS[1]:
        reasons.append(f'a launch takes {figures.launch_seconds * 1e6:.3g} us')
    return reasons


def description(machine, figures, options):
    day = datetime.date.today().isoformat()
    lines = [f'name: {quoted(options.name or machine.name)}', 'devices:', f'  - {quoted(pattern_of(machine.name))}', 'sources:',
             f'  - {quoted(f"measured on {day} by hardware/measure.py with {machine.source}" + (", quickly" if options.quick else ""))}',
             f'memory-bandwidth: {quantity(figures.memory.best, "B/s")}']
    if figures.launch_seconds:
        lines.append(f'launch-cost: {max(round(figures.launch_seconds * 1e9), 1)}ns')
    for key, peaks in (('matrix', figures.matrix), ('vector', figures.vector)):
        if peaks:
            lines += [f'{key}:'] + [f'  {name}: {quantity(rate.best, "FLOP/s" if name.startswith(("float", "tfloat", "bfloat")) else "OP/s")}'
                                    for name, rate in peaks.items()]
    return '\n'.join(lines) + '\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--device', choices=('cpu', 'cuda'))
    parser.add_argument('--name')
    parser.add_argument('--output')
    options = parser.parse_args()
    if torch is None and numpy is None:
        print('nothing can be measured: neither PyTorch nor NumPy is installed', file=sys.stderr)
        return 1
    has_gpu = torch is not None and torch.cuda.is_available()
    if options.device == 'cuda' and not has_gpu:
        print('there is no GPU that PyTorch can use', file=sys.stderr)
        return 1
    machine = Torch('cuda' if has_gpu and options.device != 'cpu' else 'cpu') if torch is not None else NumpyCpu()
    figures = measured(machine, options.quick)
    reasons = implausible(figures, data_sheet(machine.name) if has_gpu and options.device != 'cpu' else {})
    for reason in reasons:
        progress(f'{"note" if options.quick else "refused"}: {reason}')
    if reasons and not options.quick:
        return 2
    text = description(machine, figures, options)
    if options.output:
        with open(options.output, 'w') as file:
            file.write(text)
    else:
        print(text, end='')
    return 0


if __name__ == '__main__':
    sys.exit(main())
