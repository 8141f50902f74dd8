#!/usr/bin/env python3
"""How each stage grows with its input: reading, import, every pass, every output, IR text, verification.

  growth.py count --binary PATH [SHAPE...] counts instructions at n, 2n and 4n with valgrind's callgrind, and fails where a stage grows
                                           faster than its bound; 77 where valgrind is missing; of all shapes a sample, if one is asked for
  growth.py time --binary PATH [SHAPE...]  prints times at larger sizes, without assertions, because a loaded machine is not a defect
  growth.py large --binary PATH [SHAPE...] prints CPU time and peak memory by stage at n, 2n and 4n: up to 1,000,000 operators in a chain with
                                           skips, 100,000 joins that share one input, and 50,000 operators with bodies
  growth.py bind --binary PATH [SHAPE...]  prints instructions per launch and CPU time of trace-bind at n, 2n and 4n launches: up to 100,000
                                           launches of 20,000 kernels, and loops
  growth.py load --binary PATH [--check]   prints what loading the shipped rules costs, in instructions by part and in CPU time; with --check only
                                           the instructions, and fails where they are more than MAX_LOAD

The exponent is log2((I(4n) - I(2n)) / (I(2n) - I(n))): what does not depend on n cancels out, so that small sizes tell. A stage is the whole
of one function, with all that it calls. Passes are those of passes/passes.def, so that a new one is checked without a word here.

Two runs make up a measurement: the first reads model and trace and writes every output, IR text among them; the second reads that IR text.
"""
import argparse
import concurrent.futures
import contextlib
import functools
import io
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import growth_inputs as inputs

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import sampling   # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
MAX_EXPONENT = 1.1
# Below this many instructions from n to 4n an exponent says nothing, and is not printed.
MIN_INSTRUCTIONS = 1_000_000
# A stage may exceed its bound by this many instructions. The same stage was counted with 40,000 more on another machine, and a container that
# grows moves its elements at some sizes only. Both may fall on the counts at n and 4n, and the former weighs 2^bound times.
NOISE = 200_000

# Shape: what writes it, n for counts, n for times. (stage, bound) where a stage may grow faster, each with its reason.
SHAPES = {
    'chain': (inputs.generated('chain'), 1000, 20_000, {}),
    'shared-input': (inputs.generated('shared-input'), 500, 20_000, {}),
    'mask': (inputs.generated('mask'), 500, 20_000, {}),
    'bodies': (inputs.generated('bodies'), 500, 5000, {}),
    'wide': (inputs.wide, 500, 20_000, {}),
    'renamed': (inputs.renamed, 500, 5000, {}),
    'launched': (inputs.launched, 250, 1000, {}),
    # Below a million pairs of call and position every trip is searched with the whole body.
    'loop': (inputs.loop, 20, 100, {'trace-bind': 2.2}),
    # Reading and timing sort events: n log n, which at these sizes is a power of 1.15.
    'annotations': (inputs.annotations, 500, 2000, {'read trace': 1.2, 'timing': 1.25}),
}
# Shape: the smallest of three sizes.
LARGE = {'chain': 250_000, 'shared-input': 25_000, 'bodies': 12_500}
# Shape: what writes it, the smallest of three counts, launches for each.
BIND = {
    'forwards': (inputs.forwards, 25_000, 1),
    'unmarked': (inputs.unmarked, 25_000, 1),
    'loop': (inputs.loop, 1000, 8),
    'in-order': (inputs.chain_with_run(list), 12_000, 1),
    'doubled': (inputs.chain_with_run(lambda types: 2 * types), 12_000, 2),
    'shuffled': (inputs.chain_with_run(inputs.shuffled), 12_000, 1),
    'foreign': (inputs.chain_with_run(inputs.foreign), 12_000, 1),
}
# Instructions of loading the shipped rules from their files, without those of ONNX's schemas, and as they are stored in the program.
MAX_LOAD, MAX_STORED = 90_000_000, 4_000_000
LOAD, STORED, SCHEMAS = r'amdahlc::grammar::loadRules\(', r'amdahlc::grammar::storedRules\(', r'amdahlc::ir::onnx_schemas::findSchema\('
LOAD_PARTS = {'read the text': r'amdahlc::grammar::parse\(', 'tokens': r'antlr4::BufferedTokenStream::fill\(',
              'parse tree': r'amdahlc::generated::AkpParser::file\(', 'syntax tree': r'amdahlc::grammar::buildAst\(',
              'check': r'amdahlc::grammar::checkRules\('}
# Passes that no shape runs. What `suggest-rules` does is a limited number of runs of `fuse` and `trace-bind`; `bench liveness` measures `liveness`.
# `curves` and `goal` make a limited number of predictions, as `speedup-rewrite` makes them.
NOT_RUN = ('print', 'suggest-rules', 'liveness', 'curves', 'goal')
# Stages of the second run.
SECOND = ('read IR', 'verify IR', 'verify analyses')
# An output -> a pattern of the function that writes it, behind its namespace.
OUTPUTS = {'summary=full': r'SummaryWriter::write\(', 'json': r'writeReportJson\(', 'csv': r'writeReportCsv\(', 'dot': r'drawing::writeDot(\[abi:cxx11\])?\(',
           'model-explorer': r'kModelExplorerOutput::\{lambda.*\}::operator\(\)', 'node-data': r'kNodeDataOutput::\{lambda.*\}::operator\(\)'}


def strip(binary, folder):
    """A copy of the command without debug information, which finds the shipped rules beside itself."""
    copy = folder / 'bin' / 'amdahlc'
    copy.parent.mkdir()
    subprocess.run(['strip', '--strip-debug', '-o', copy, binary], check=True)
    (folder / 'share').symlink_to(pathlib.Path(binary).resolve().parent.parent / 'share')
    return copy


def stages():
    """Name of the stage -> a pattern of its function's demangled name."""
    table = {'read trace': r'amdahlc::trace::readTrace\(', 'import': r'amdahlc::ir::importOnnx\('}
    rows = re.findall(r'^AMDAHLC_PASS\("([^"]+)", (\w+)', (SOURCE / 'passes/passes.def').read_text(), re.MULTILINE)
    for name, pass_class in rows:
        # A pass that shows an analysis has the `run` of its base.
        folder = name.replace('-', '_')
        shown = re.search(rf'class {pass_class}[^{{]*ShowingPass<(\w+)>', (SOURCE / f'passes/{folder}/{folder}_pass.cpp').read_text())
        table[name] = rf'amdahlc::ShowingPass<amdahlc::{shown[1]}>::run\(' if shown else rf'amdahlc::{pass_class}::run\('
    for output, writer in OUTPUTS.items():
        table[f'write {output}'] = rf'amdahlc::(\(anonymous namespace\)::)?{writer}'
    table['print IR'] = r'amdahlc::ir::print(\[abi:cxx11\])?\(amdahlc::ir::Module const&\)'
    table['read IR'] = r'amdahlc::ir::parse\('
    table['verify IR'] = r'amdahlc::ir::verify\('
    table['verify analyses'] = r'amdahlc::AnalysisVerifying::afterPass\('
    return table


def first_run(shape, count, folder):
    """Arguments of a run that does everything but to read IR text. Every shape has a `Relu`."""
    outputs = [f'-emit={output}={folder}/out.{output}' for output in (*OUTPUTS, 'ir')]
    return ['-passes=default', '-what-if=relu=2x', *outputs, *SHAPES[shape][0](folder, count)]


def second_run(folder):
    """Arguments of a run that reads the IR text that the first run wrote, and verifies it. Its passes change nothing."""
    shutil.move(folder / 'out.ir', folder / 'model.air')
    return ['-verify-each', '-passes=simplify,critical-path', '-emit=summary=full=/dev/null', f'{folder}/model.air']


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


def instructions(binary, arguments, folder):
    out = folder / 'callgrind.out'
    command = ['valgrind', '--tool=callgrind', f'--callgrind-out-file={out}', str(binary), *arguments]
    # With as large a cache of freed blocks as there may be and without fastbins, malloc has no lists to sort or tidy at once, in whichever stage
    # that happens to be: mmap_threshold=65536 without them moved 600,000 instructions from a stage to another.
    environment = {**os.environ, 'GLIBC_TUNABLES': 'glibc.malloc.mxfast=0:glibc.malloc.tcache_count=65535'}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0 or not out.is_file():
        sys.exit(f'error: {" ".join(command)} ended with {done.returncode}:\n{done.stderr}')
    return inclusive(out)


def count_instructions(shape, count, binary):
    with tempfile.TemporaryDirectory(prefix='growth-') as name:
        folder = pathlib.Path(name)
        first = instructions(binary, first_run(shape, count, folder), folder)
        second = instructions(binary, second_run(folder), folder)
    result = {}
    for stage, pattern in stages().items():
        by_function = second if stage in SECOND else first
        result[stage] = sum(cost for function, cost in by_function.items() if re.match(pattern, function))
    return result


def exponent(low, middle, high):
    """None where the stage grows too little for one, or not from n to 2n; 0 where it does not grow from 2n to 4n."""
    if high - low < MIN_INSTRUCTIONS or middle <= low:
        return None
    return math.log2((high - middle) / (middle - low)) if high > middle else 0.0


def fault(low, middle, high, bound):
    """What is wrong with the growth of a stage; None if nothing is."""
    excess = high - middle - 2**bound * max(0, middle - low)
    if excess <= NOISE:
        return None
    found = exponent(low, middle, high)
    if found is None:
        return f'grows from 2n to 4n by {excess:,.0f} instructions more than its bound allows: {low:,}, {middle:,}, {high:,}'
    return f'grows with the power {found:.2f} of the size, more than {bound:.2f}'


def table(title, header, rows):
    widths = [max(len(str(cell)) for cell in column) for column in zip(header, *rows)]
    print(title)
    for row in (header, *rows):
        print('  ' + '  '.join(str(cell).ljust(widths[0]) if i == 0 else str(cell).rjust(widths[i]) for i, cell in enumerate(row)))


def check_shape(shape, binary):
    """(faults, text) of the counts of one shape."""
    _, size, _, bounds = SHAPES[shape]
    sizes = (size, 2 * size, 4 * size)
    with tempfile.TemporaryDirectory(prefix='growth-') as folder:
        # Names of functions are in the symbol table; debug information only makes valgrind start slower.
        stripped = strip(binary, pathlib.Path(folder))
        counts = [count_instructions(shape, n, stripped) for n in sizes]
    rows, failures = [], []
    for stage in stages():
        low, middle, high = (count[stage] for count in counts)
        found = exponent(low, middle, high)
        bound = bounds.get(stage, MAX_EXPONENT)
        rows.append((stage, *(f'{number / 1e6:.2f}' for number in (low, middle, high)), '-' if found is None else f'{found:.2f}', f'{bound:.2f}'))
        if high == 0 and stage not in NOT_RUN:
            failures.append(f'{stage} was not seen: does its function still have that name?')
        wrong = fault(low, middle, high, bound)
        if wrong is not None:
            failures.append(f'{stage} {wrong}')
    with contextlib.redirect_stdout(io.StringIO()) as text:
        table(f'{shape}: millions of instructions', ('stage', *map(str, sizes), 'exponent', 'bound'), rows)
        for failure in failures:
            print(f'error: {shape}: {failure}')
    return len(failures), text.getvalue()


def check_counts(shapes, binary):
    if shutil.which('valgrind') is None:
        print('skipped: valgrind is missing (./dev setup installs it)')
        return SKIPPED
    failed = 0
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for faults, text in pool.map(check_shape, shapes, [binary] * len(shapes)):
            failed += faults > 0
            print(text, end='', flush=True)
    print(f'{len(shapes) - failed} passed, {failed} failed')
    return 1 if failed else 0


def print_binding(shape, binary):
    """What binding costs per launch."""
    write, size, launches_each = BIND[shape]
    sizes = (size, 2 * size, 4 * size)
    pattern = stages()['trace-bind']
    counts, times = [], []
    for n in sizes:
        with tempfile.TemporaryDirectory(prefix='growth-') as name:
            folder = pathlib.Path(name)
            arguments = ['-passes=simplify,fuse,trace-bind', '-o=/dev/null', *write(folder, n)]
            by_function = instructions(binary, arguments, folder)
            counts.append(sum(cost for function, cost in by_function.items() if re.match(pattern, function)))
            times.append(next(row[2] for row in timed(binary, arguments) if row[0] == 'trace-bind'))
    rows = [(f'{n * launches_each:,}', f'{count / 1e6:.0f}', f'{count / (n * launches_each) / 1000:.1f}', f'{cpu:.0f}')
            for n, count, cpu in zip(sizes, counts, times)]
    grown = exponent(*counts)
    table(f'{shape}: trace-bind; exponent {"-" if grown is None else f"{grown:.2f}"}',
          ('launches', 'M instructions', 'k per launch', 'CPU ms'), rows)
    print(flush=True)


def cpu_ms(command, runs=50):
    """CPU time of a run: the median of many."""
    times = []
    for _ in range(runs):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f'error: {" ".join(map(str, command))} ended with status {status}')
        times.append(1000 * (usage.ru_utime + usage.ru_stime))
    return sorted(times)[runs // 2]


def check_load(binary, only_count):
    if shutil.which('valgrind') is None:
        print('skipped: valgrind is missing (./dev setup installs it)')
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix='growth-') as name:
        folder = pathlib.Path(name)
        stripped = strip(binary, folder)
        counts = instructions(stripped, [f'-rules={SOURCE / "rules" / "pytorch.akp"}', '-check-rules'], folder)
        # A pass over one operator, which costs nothing beside the rules that it reads.
        model = SOURCE / 'tests/golden/fixtures/tiny/model.onnxtxt'
        of_default = instructions(stripped, ['-passes=simplify', '-emit=ir=/dev/null', model], folder)

    def cost(pattern, counts=counts):
        return sum(count for function, count in counts.items() if re.match(pattern, function))

    schemas = cost(SCHEMAS)
    total = cost(LOAD) - schemas
    parts = {part: cost(pattern) - (schemas if part == 'check' else 0) for part, pattern in LOAD_PARTS.items()}
    rows = [('load', f'{total / 1e6:.1f}'), *(('  ' + part, f'{count / 1e6:.1f}') for part, count in parts.items()),
            ("ONNX's schemas", f'{schemas / 1e6:.1f}'), ('stored', f'{cost(STORED, of_default) / 1e6:.1f}')]
    table('loading the shipped rules: millions of instructions', ('part', ''), rows)
    if not only_count:
        runs = {'without rules': ['-passes='], 'as stored': ['-passes=simplify'], 'from files': ['-passes=simplify', '-rules=pytorch']}
        table('loading the shipped rules: CPU ms, median of 50 runs', ('run', ''),
              [(run, f'{cpu_ms([binary, *options, "-emit=ir=/dev/null", model]):.1f}') for run, options in runs.items()])
    failures = [f'{what} was not seen: does its function still have that name?' for what, count in (*parts.items(), ("ONNX's schemas", schemas), ('stored', cost(STORED, of_default)))
                if count <= 0]
    if cost(LOAD, of_default) > 0:
        failures.append('a run with the default rules reads their files again: they are not those that were stored')
    for what, count, limit in (('loading the shipped rules', total, MAX_LOAD), ('taking the stored rules', cost(STORED, of_default), MAX_STORED)):
        if count > limit:
            failures.append(f'{what} takes {count:,} instructions, more than {limit:,}')
    for failure in failures:
        print(f'error: {failure}')
    return 1 if failures else 0


def resources(pid):
    """(CPU seconds, peak memory in bytes) of a child until now."""
    with open(f'/proc/{pid}/stat', encoding='utf-8', errors='replace') as file:
        # Fields 14 and 15; the command's name, field 2, is in parentheses.
        fields = file.read().rpartition(')')[2].split()
    with open(f'/proc/{pid}/status', encoding='utf-8') as file:
        peak = re.search(r'VmHWM:\s*(\d+)', file.read())
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK'), int(peak.group(1)) * 1024 if peak else 0


def timed(binary, arguments):
    """[(row of -time-passes, wall ms, CPU ms, peak bytes at its end)] of a run, the last row being what follows the last stage.

    -time-passes says when each stage ended; CPU time and memory are read from outside twenty times a second, and taken from between the two
    readings around the end of a stage.
    """
    with tempfile.TemporaryFile('w+', encoding='utf-8') as errors:
        start = time.monotonic()
        child = subprocess.Popen([str(binary), '-time-passes', *arguments], stdout=subprocess.DEVNULL, stderr=errors)
        readings = [(0.0, 0.0, 0)]
        while True:
            done, status, usage = os.wait4(child.pid, os.WNOHANG)
            if done:
                break
            try:
                readings.append((time.monotonic() - start, *resources(child.pid)))
            except (OSError, IndexError):
                pass  # it has just ended
            time.sleep(0.05 if time.monotonic() - start > 1 else 0.002)
        readings.append((time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024))
        errors.seek(0)
        text = errors.read()
    if status != 0:
        sys.exit(f'error: {" ".join(map(str, arguments))} ended with status {status}:\n{text}')
    rows, end, before = [], 0.0, 0.0
    stages_found = re.findall(r'^ *([\d.]+) +[\d.]+% {2}(\S.*)$', text, re.MULTILINE)
    for milliseconds, name in stages_found[:-1]:  # the last row is the total
        end += float(milliseconds) / 1000
        after = next(i for i, reading in enumerate(readings) if reading[0] >= end or i == len(readings) - 1)
        (t0, cpu0, _), (t1, cpu1, peak) = readings[after - 1], readings[after]
        cpu = cpu0 + (cpu1 - cpu0) * min(1, (end - t0) / (t1 - t0))
        rows.append((name, float(milliseconds), 1000 * (cpu - before), peak))
        before = cpu
    rows.append(('exit', 1000 * (readings[-1][0] - end), 1000 * (readings[-1][1] - before), readings[-1][2]))
    return rows


def measured(shape, count, binary):
    """Rows of `timed` for both runs."""
    with tempfile.TemporaryDirectory(prefix='growth-') as name:
        folder = pathlib.Path(name)
        first = timed(binary, first_run(shape, count, folder))
        second = timed(binary, second_run(folder))
    # Verification is no stage of -time-passes: it is what the second run does after it has read the text.
    read, rest = second[0], second[1:]
    verify = ('verify', sum(row[1] for row in rest), sum(row[2] for row in rest), rest[-1][3])
    return first, [('read IR', *read[1:]), verify]


def print_times(shape, size, binary):
    """At `size`, its double and its fourfold, CPU time by stage, and the peak of memory when the stage ends."""
    sizes = (size, 2 * size, 4 * size)
    runs = [measured(shape, n, binary) for n in sizes]
    rows = []
    for part in (0, 1):
        for row in zip(*(run[part] for run in runs)):
            times = [cell[2] for cell in row]
            peaks = [cell[3] for cell in row]
            growth = f'x{times[2] / times[1]:.1f}' if times[1] >= 20 else '-'
            rows.append((row[0][0], *(f'{milliseconds:.0f}' for milliseconds in times), growth,
                         *(f'{peak / 2**20:.0f}' for peak in peaks), f'x{peaks[2] / peaks[1]:.1f}' if peaks[1] else '-'))
        total = [sum(cell[2] for cell in run[part]) for run in runs]
        if part == 0:
            rows.append(('total', *(f'{milliseconds:.0f}' for milliseconds in total), f'x{total[2] / total[1]:.1f}', '', '', '', ''))
    names = [f'{n:,}' for n in sizes]
    table(f'{shape}: CPU ms of a stage, and peak MiB when it ends; below the total, a second run, which reads the IR text',
          ('stage', *names, 'growth', *(f'MiB {n}' for n in names), 'growth'), rows)
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('mode', choices=('count', 'time', 'large', 'bind', 'load'))
    parser.add_argument('shapes', nargs='*', metavar='SHAPE', help=f'of {", ".join(SHAPES)}; all by default')
    parser.add_argument('--binary', type=pathlib.Path)
    parser.add_argument('--check', action='store_true', help='of load: only count')
    options = parser.parse_intermixed_args()
    if options.binary is None:
        parser.error('--binary PATH is missing')
    known = BIND if options.mode == 'bind' else SHAPES
    for shape in options.shapes:
        if shape not in known:
            parser.error(f'no shape `{shape}`; there are: {", ".join(known)}')
    binary = options.binary.resolve()
    if options.mode == 'load':
        return check_load(binary, options.check)
    if options.mode == 'large':
        for shape in options.shapes or LARGE:
            print_times(shape, LARGE.get(shape, 10 * SHAPES[shape][2]), binary)
        return 0
    if options.mode == 'bind':
        if shutil.which('valgrind') is None:
            print('skipped: valgrind is missing (./dev setup installs it)')
            return SKIPPED
        for shape in options.shapes or BIND:
            print_binding(shape, binary)
        return 0
    if options.mode == 'time':
        for shape in options.shapes or SHAPES:
            print_times(shape, SHAPES[shape][2], binary)
        return 0
    return check_counts(options.shapes or sampling.sampled(SHAPES), binary)


if __name__ == '__main__':
    sys.exit(main())
