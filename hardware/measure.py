#!/usr/bin/env python3
"""Measures what a machine can do at best, and writes its description for `amdahlc -hardware=FILE`.

  measure.py [--quick] [--device cpu|cuda] [--name NAME] [--output FILE]

Memory bandwidth is that of copying large arrays (bytes read and written). The peak of a type is the rate of the fastest product of square
matrices. On a GPU, products of float32 with TF32 switched off are the peak of vectors; on a CPU matrices and vectors have the same units. The
launch cost is the time between the starts of many empty kernels. With PyTorch the device is a GPU if there is one; without it NumPy measures
the CPU. What is measured is below the peaks of a data sheet: kernels may run a little faster than this description allows.

--quick takes small arrays and few repetitions: to try the script, not for figures.
Exit status: 0 done, 1 nothing can be measured, because neither PyTorch nor NumPy is installed.
"""
import argparse
import datetime
import os
import platform
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


def best_seconds(run, repetitions):
    """The shortest time of a call, after one to warm up."""
    run()
    best = float('inf')
    for _ in range(repetitions):
        begin = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - begin)
    return best


def processor_name():
    try:
        with open('/proc/cpuinfo') as file:
            for line in file:
                if line.startswith('model name'):
                    return line.partition(':')[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


class NumpyCpu:
    """NumPy copies in as many threads as there are processors; its products use those of its BLAS library."""

    name = property(lambda self: processor_name())
    source = property(lambda self: f'NumPy {numpy.__version__}')

    def copy_bytes_per_second(self, size, repetitions):
        count = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
        each = max(size // count // 8, 1)
        pairs = [(numpy.ones(each), numpy.zeros(each)) for _ in range(count)]

        def run():
            threads = [threading.Thread(target=numpy.copyto, args=(to, of)) for of, to in pairs]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        return 2 * 8 * each * count / best_seconds(run, repetitions)

    def peaks(self, sizes, repetitions):
        rates = {}
        for name in ('float64', 'float32'):
            for n in sizes:
                a, b = numpy.ones((n, n), name), numpy.ones((n, n), name)
                out = numpy.empty((n, n), name)
                rate = 2 * n ** 3 / best_seconds(lambda: numpy.matmul(a, b, out=out), repetitions)
                rates[name] = max(rates.get(name, 0), rate)
        return {}, rates

    def launch_seconds(self, launches):
        return None


class Torch:
    """PyTorch on a CPU or a GPU."""

    def __init__(self, device):
        self.device = device

    @property
    def name(self):
        return processor_name() if self.device == 'cpu' else torch.cuda.get_device_name()

    @property
    def source(self):
        return f'PyTorch {torch.__version__}'

    def wait(self):
        if self.device != 'cpu':
            torch.cuda.synchronize()

    def timed(self, run, repetitions):
        def once():
            run()
            self.wait()
        return best_seconds(once, repetitions)

    def copy_bytes_per_second(self, size, repetitions):
        of = torch.ones(max(size // 4, 1), dtype=torch.float32, device=self.device)
        to = torch.empty_like(of)
        return 2 * 4 * of.numel() / self.timed(lambda: to.copy_(of), repetitions)

    def product_rate(self, dtype, sizes, repetitions):
        best = 0
        for n in sizes:
            # Random data: of equal elements, a GPU computes products by an eighth faster.
            a = torch.randn((n, n), dtype=dtype, device=self.device)
            best = max(best, 2 * n ** 3 / self.timed(lambda: torch.matmul(a, a), repetitions))
        return best

    def peaks(self, sizes, repetitions):
        matrix, vector = {}, {}
        for name in ('float64', 'float32', 'bfloat16', 'float16'):
            try:
                if self.device != 'cpu':
                    torch.backends.cuda.matmul.allow_tf32 = False
                rate = self.product_rate(getattr(torch, name), sizes, repetitions)
            except RuntimeError:
                continue  # this device has no products of the type
            (vector if self.device == 'cpu' or name == 'float32' else matrix)[name] = rate
        if self.device != 'cpu':
            torch.backends.cuda.matmul.allow_tf32 = True
            matrix['tfloat32'] = self.product_rate(torch.float32, sizes, repetitions)
        return matrix, vector

    def launch_seconds(self, launches):
        if self.device == 'cpu':
            return None
        one = torch.zeros(1, device=self.device)

        def run():
            for _ in range(launches):
                one.add_(1)
        return self.timed(run, 3) / launches


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


def description(machine, options):
    repetitions = 3 if options.quick else 20
    sizes = (128, 256) if options.quick else (1024, 2048, 4096, 8192) if getattr(machine, 'device', 'cpu') != 'cpu' else (512, 1024, 2048, 4096)
    bandwidth = machine.copy_bytes_per_second(1 << (24 if options.quick else 30), repetitions)
    matrix, vector = machine.peaks(sizes, repetitions)
    launch = machine.launch_seconds(100 if options.quick else 10000)
    day = datetime.date.today().isoformat()
    lines = [f'name: {quoted(options.name or machine.name)}', 'devices:', f'  - {quoted(pattern_of(machine.name))}', 'sources:',
             f'  - {quoted(f"measured on {day} by hardware/measure.py with {machine.source}" + (", quickly" if options.quick else ""))}',
             f'memory-bandwidth: {quantity(bandwidth, "B/s")}']
    if launch:
        lines.append(f'launch-cost: {max(round(launch * 1e9), 1)}ns')
    for key, peaks in (('matrix', matrix), ('vector', vector)):
        if peaks:
            lines += [f'{key}:'] + [f'  {name}: {quantity(rate, "FLOP/s")}' for name, rate in peaks.items()]
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
    text = description(machine, options)
    if options.output:
        with open(options.output, 'w') as file:
            file.write(text)
    else:
        print(text, end='')
    return 0


if __name__ == '__main__':
    sys.exit(main())
