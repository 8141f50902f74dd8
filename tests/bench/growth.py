#!/usr/bin/env python3
"""How each stage grows with its input: reading, import, every pass.

  growth.py count --binary PATH SHAPE      counts instructions at n, 2n and 4n with valgrind's callgrind, and fails where a stage grows
                                           faster than its bound; 77 where valgrind is missing
  growth.py time --binary PATH [SHAPE...]  prints times at larger sizes, without assertions, because a loaded machine is not a defect
  growth.py shapes                         lists the shapes
  growth.py large --binary PATH            prints time by pass and peak memory of a chain of 1,000,000 operators with skips and of 100,000
                                           joins that share one input

The exponent is log2((I(4n) - I(2n)) / (I(2n) - I(n))): what does not depend on n cancels out, so that small sizes tell. A stage is the whole
of one function, with all that it calls. Passes are those of passes/passes.def, so that a new one is checked without a word here.
"""
import argparse
import functools
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import growth_inputs as inputs

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
MAX_EXPONENT = 1.1
# Below this many instructions from n to 4n a stage does nothing with the shape, and its exponent is noise.
MIN_INSTRUCTIONS = 1_000_000

# The binder searches with a beam and is to be replaced; until then its growth is reported, and bounded only loosely.
BINDER = {'trace-bind': 1.4}
# Shape: what writes it, n for counts, n for times. (stage, bound) where a stage may grow faster, each with its reason.
SHAPES = {
    'chain': (inputs.generated('chain'), 1000, 20_000, BINDER),
    'shared-input': (inputs.generated('shared-input'), 500, 20_000, BINDER),
    'mask': (inputs.generated('mask'), 500, 20_000, BINDER),
    'wide': (inputs.wide, 500, 20_000, BINDER),
    'launched': (inputs.launched, 250, 1000, BINDER),
    # Every trip is searched with all operators of the body.
    'loop': (inputs.loop, 20, 100, {'trace-bind': 2.4}),
    # Reading and timing sort events: n log n, which at these sizes is a power of 1.15.
    'annotations': (inputs.annotations, 500, 2000, {**BINDER, 'read trace': 1.2, 'timing': 1.25}),
}
LARGE = (('chain', 1_000_000), ('shared-input', 100_000))


def stages():
    """Name of the stage -> a pattern of its function's demangled name."""
    table = {'read trace': r'amdahlc::trace::readTrace\(', 'import': r'amdahlc::ir::importOnnx\('}
    rows = re.findall(r'^AMDAHLC_PASS\("([^"]+)", (\w+)', (SOURCE / 'passes/passes.def').read_text(), re.MULTILINE)
    for name, pass_class in rows:
        table[name] = rf'amdahlc::{pass_class}::run\('
    return table


def arguments(shape, count, folder):
    return ['-passes=default', f'-emit=json={folder}/out.json', '-emit=summary=/dev/null', *SHAPES[shape][0](folder, count)]


def inclusive(path):
    """Function's name -> instructions of its calls with all that they call, from a callgrind file."""
    names, costs, current = {}, {}, None
    with open(path, encoding='utf-8', errors='replace') as file:
        for line in file:
            if line.startswith(('fn=', 'cfn=')):
                number, _, name = line.split('=', 1)[1].rstrip('\n').partition(' ')
                if name:
                    names[number] = name
                if line.startswith('fn='):
                    current = number
            elif line[:1] in '0123456789+-*':
                # `POSITION COST`: the cost of the function itself or, after a line `calls=`, of those calls.
                costs[current] = costs.get(current, 0) + int(line.split()[1])
    return {names[number]: cost for number, cost in costs.items()}


def count_instructions(shape, count, binary):
    with tempfile.TemporaryDirectory(prefix='growth-') as name:
        folder = pathlib.Path(name)
        out = folder / 'callgrind.out'
        command = ['valgrind', '--tool=callgrind', f'--callgrind-out-file={out}', str(binary), *arguments(shape, count, folder)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0 or not out.is_file():
            sys.exit(f'error: {" ".join(command)} ended with {done.returncode}:\n{done.stderr}')
        by_function = inclusive(out)
    result = {}
    for stage, pattern in stages().items():
        costs = [cost for function, cost in by_function.items() if re.match(pattern, function)]
        result[stage] = sum(costs)
    return result


def exponent(low, middle, high):
    return math.log2((high - middle) / (middle - low)) if high > middle > low else 0.0


def table(title, header, rows):
    widths = [max(len(str(cell)) for cell in column) for column in zip(header, *rows)]
    print(title)
    for row in (header, *rows):
        print('  ' + '  '.join(str(cell).ljust(widths[0]) if i == 0 else str(cell).rjust(widths[i]) for i, cell in enumerate(row)))


def check_counts(shape, binary):
    if shutil.which('valgrind') is None:
        print('skipped: valgrind is missing (./dev setup installs it)')
        return SKIPPED
    _, size, _, bounds = SHAPES[shape]
    sizes = (size, 2 * size, 4 * size)
    with tempfile.TemporaryDirectory(prefix='growth-') as folder:
        # Names of functions are in the symbol table; debug information only makes valgrind start slower.
        stripped = pathlib.Path(folder, 'amdahlc')
        subprocess.run(['strip', '--strip-debug', '-o', stripped, binary], check=True)
        counts = [count_instructions(shape, n, stripped) for n in sizes]
    rows, failures = [], []
    for stage in stages():
        low, middle, high = (count[stage] for count in counts)
        grows = high - low >= MIN_INSTRUCTIONS
        found = exponent(low, middle, high) if grows else None
        bound = bounds.get(stage, MAX_EXPONENT)
        rows.append((stage, *(f'{number / 1e6:.2f}' for number in (low, middle, high)), '-' if found is None else f'{found:.2f}', f'{bound:.2f}'))
        if found is not None and found > bound:
            failures.append(f'{stage} grows with the power {found:.2f} of the size, more than {bound:.2f}')
    table(f'{shape}: millions of instructions', ('stage', *map(str, sizes), 'exponent', 'bound'), rows)
    if not any(row[-2] != '-' for row in rows):
        failures.append('no stage was seen to grow: do the functions still have these names?')
    for failure in failures:
        print(f'error: {shape}: {failure}')
    return 1 if failures else 0


def timed(shape, count, binary):
    """(milliseconds by row of -time-passes, peak memory in bytes)."""
    with tempfile.TemporaryDirectory(prefix='growth-') as name:
        folder = pathlib.Path(name)
        command = [str(binary), '-time-passes', *arguments(shape, count, folder)]
        with open(folder / 'stderr', 'w+', encoding='utf-8') as errors:
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
            _, status, usage = os.wait4(child.pid, 0)
            errors.seek(0)
            text = errors.read()
        if status != 0:
            sys.exit(f'error: {" ".join(command)} ended with status {status}:\n{text}')
    rows = re.findall(r'^ *([\d.]+) +[\d.]+% {2}(\S.*)$', text, re.MULTILINE)
    return {name: float(milliseconds) for milliseconds, name in rows}, usage.ru_maxrss * 1024


def print_times(shape, binary):
    size = SHAPES[shape][2]
    sizes = (size, 2 * size, 4 * size)
    measured = [timed(shape, n, binary) for n in sizes]
    rows = []
    for stage in measured[0][0]:
        times = [by_stage.get(stage, 0) for by_stage, _ in measured]
        rows.append((stage, *(f'{milliseconds:.1f}' for milliseconds in times), f'x{times[2] / times[1]:.1f}' if times[1] >= 1 else '-'))
    rows.append(('peak MiB', *(f'{peak / 2**20:.0f}' for _, peak in measured), f'x{measured[2][1] / measured[1][1]:.1f}'))
    table(f'{shape}: ms by stage', ('stage', *map(str, sizes), 'last doubling'), rows)
    print()


def print_large(binary):
    for shape, count in LARGE:
        times, peak = timed(shape, count, binary)
        table(f'{shape}: {count} operators, peak memory {peak / 2**20:.0f} MiB', ('stage', 'ms'),
              [(stage, f'{milliseconds:.0f}') for stage, milliseconds in times.items()])
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('mode', choices=('count', 'time', 'large', 'shapes'))
    parser.add_argument('shapes', nargs='*', metavar='SHAPE', help=f'of {", ".join(SHAPES)}; all by default')
    parser.add_argument('--binary', type=pathlib.Path)
    options = parser.parse_intermixed_args()
    if options.mode == 'shapes':
        print('\n'.join(SHAPES))
        return 0
    if options.binary is None:
        parser.error('--binary PATH is missing')
    for shape in options.shapes:
        if shape not in SHAPES:
            parser.error(f'no shape `{shape}`; there are: {", ".join(SHAPES)}')
    binary = options.binary.resolve()
    if options.mode == 'large':
        print_large(binary)
        return 0
    if options.mode == 'time':
        for shape in options.shapes or SHAPES:
            print_times(shape, binary)
        return 0
    return max(check_counts(shape, binary) for shape in options.shapes or SHAPES)


if __name__ == '__main__':
    sys.exit(main())
