#!/usr/bin/env python3
"""Checks the figures of TensorRT profiles against a recomputation. Bindings are scored by accuracy.py.

  tensorrt.py --binary PATH

Reads the profiles of the folder `shared` beside the project with exact decimal arithmetic: the number of layers, their times, and the
executions that these are means of. A profile with a model is also bound, with and without the layer information: the report has the totals of
the layers that name nodes, and of those that the runtime inserted. Exit status 77 where the folder is not there.
"""
import argparse
import decimal
import json
import re
import subprocess
import sys

import runtimes

# folder, layers, executions, the exact sum of the means in ms
CASES = [
    ('mobilenet-qat', 73, 6610, '0.47038876'),
    ('resnet18-a100-fp16', 36, 1, '1.016832'),
    ('resnet18-a100-fp32', 32, 1, '2.123776'),
]


class Checker:
    def __init__(self):
        self.failures = 0

    def equal(self, what, actual, expected):
        if actual != expected:
            print(f'{what}: {actual}, expected {expected}')
            self.failures += 1


def run(binary, *arguments):
    done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode or done.stderr:
        sys.exit(f'exit {done.returncode} for {arguments}\n{done.stderr}')
    return done.stdout


def check_report(check, name, binary, traces, model):
    rows = runtimes.tensorrt_truth(runtimes.profile_of_engine(name), model)
    data = json.loads(run(binary, '-verify-each', f'-trace={traces}', '-emit=json', model.path))['runs'][0]
    total = sum(row.length for row in rows)
    bound = sum(row.length for row in rows if row.choices)
    trace, binding = data['trace'], data['binding']
    check.equal(f'{name}: busy_ns', trace['busy_ns'], total)
    check.equal(f'{name}: device_ns', trace['device_ns'], total)
    check.equal(f'{name}: iterations', trace['iterations'], 1)
    for key in ('wall_ns', 'idle_ns', 'window_ns', 'wall_ns_median', 'latency_ns'):
        check.equal(f'{name}: {key}', trace[key], None)
    check.equal(f'{name}: bound_ns', binding['bound_ns'], bound)
    check.equal(f'{name}: runtime_only_ns', binding['runtime_only_ns'], total - bound)


def check_case(check, binary, name, count, executions, milliseconds):
    times, exact = runtimes.profile_layers(runtimes.profile_of_engine(name))
    check.equal(f'{name}: executions', times, executions)
    check.equal(f'{name}: layers', len(exact), count)
    check.equal(f'{name}: sum of means in ms', sum(ms for _, ms in exact), decimal.Decimal(milliseconds))
    # Each mean is rounded to a nanosecond: the sum differs from the exact one by half a nanosecond per layer at most.
    total = sum(runtimes.in_ns(ms) for _, ms in exact)
    check.equal(f'{name}: rounding', abs(total - decimal.Decimal(milliseconds) * 1_000_000) <= decimal.Decimal(count) / 2, True)

    for traces in runtimes.traces_of_engine(name):
        text = run(binary, f'-trace={traces}')
        for row in ('busy', 'device'):
            check.equal(f'{name}: {row} in us', re.search(rf'^  {row} +(\S+)', text, re.M).group(1), f'{total // 1000}.{total % 1000:03}')
        check.equal(f'{name}: wall', re.search(r'^  wall +(\S+)', text, re.M).group(1), '-')
        check.equal(f'{name}: iterations', re.search(r'^iterations +(\d+)', text, re.M).group(1), str(executions))
        if name in runtimes.TENSORRT_MODELS:
            check_report(check, name, binary, traces, runtimes.Model(runtimes.path_of(runtimes.TENSORRT_MODELS[name])))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--binary', required=True)
    binary = parser.parse_args().binary
    if not (runtimes.TRACES / 'tensorrt').is_dir():
        print('skipped: no folder `shared` beside the project')
        return 77
    check = Checker()
    for case in CASES:
        check_case(check, binary, *case)
    if not check.failures:
        print(f'{len(CASES)} profiles agree')
    return min(check.failures, 1)


if __name__ == '__main__':
    sys.exit(main())
