#!/usr/bin/env python3
"""How reading grows with the size of the input, for each kind of input: CPU time and peak memory at n, 2n, 4n and 8n, and instructions.

  kinds.py --binary PATH [KIND...]     prints the tables of all kinds, or of some
  kinds.py kinds                       lists the kinds

Exponents: of time, the slope of log(v(m) - v(n / 50)) over log m, fitted by least squares, where v is the least of three runs; of instructions,
which valgrind counts, log2((v(n) - v(n/2)) / (v(n/2) - v(n/4))), where what does not depend on n cancels out; of memory the same at 8n, 4n and 2n.
An exponent above 1.1 is marked, and an exponent of instructions above it without a reason in KINDS fails. Where instructions grow linearly, a larger exponent of time is that of
the memory behind the processor's caches, and of noise. Honest and hostile inputs are both here.
"""
import argparse
import gzip
import json
import math
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

import callgrind
import generate_model
import growth_inputs

MAX_EXPONENT = 1.1
RUNS = 3
# Differences below these tell nothing.
LEAST_MS = 4
LEAST_INSTRUCTIONS = 1_000_000
TEXT_HEAD = '<ir_version: 10, opset_import: ["" : 18]> g (float[2] v0) => (float[2] v{0}) {{\n'


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def chain_text(count):
    return TEXT_HEAD.format(count) + ''.join(f'v{i + 1} = Relu(v{i})\n' for i in range(count)) + '}\n'


def onnx(folder, count):
    generate_model.SHAPES['chain'](count).write(folder / 'm.onnx')
    return ['-passes=', '-emit=ir', folder / 'm.onnx']


def onnx_text(folder, count):
    return ['-passes=', write(folder, 'm.onnxtxt', chain_text(count))]


def slashes(folder, count):
    model = generate_model.Model('x')
    model.prefix = '/a' * count + '/'
    model.add('Relu', 'x')
    model.write(folder / 'm.onnx')
    return ['-passes=', folder / 'm.onnx']


def unknown_operators(folder, count):
    return ['-passes=', write(folder, 'm.onnxtxt', chain_text(count).replace('Relu', 'Reluu'))]


def rules(folder, count):
    text = ''.join(f'kernel k{i} {{ match -> Relu(Add(_, x), x, _){i % 7 * " "}; runs as /kernel_{i}/ for op "aten::relu"; }}\n' for i in range(count))
    return ['-check-rules', f'-rules={write(folder, "r.akp", "akp 1; runtime pytorch;" + text.replace("Relu(Add(_, x), x, _)", "Relu(Add(_, _))"))}']


def open_strings(folder, count):
    return ['-check-rules', f'-rules={write(folder, "r.akp", "akp 1;" + chr(34) + (chr(10) + chr(34)) * count)}']


def matches(folder, count):
    """Rules and nodes: their product is bounded by an error."""
    text = 'akp 1; runtime pytorch;' + ''.join(f'kernel k{i} {{ match -> Relu(_); runs as /k{i}/; }}' for i in range(60))
    return [f'-rules={write(folder, "r.akp", text)}', '-emit=csv', write(folder, 'm.onnxtxt', chain_text(count))]


def tests_of_kernels(folder, count):
    """Rules with a match and names of kernels: each test runs on each name, and their product is bounded by an error."""
    text = 'akp 1; runtime pytorch; kernel relu { match -> Relu(_); runs as ' + ' or as '.join(f'/k{i}_/' for i in range(count // 4)) + '; }'
    rows = [{'ph': 'X', 'cat': 'kernel', 'name': f'n{i}', 'pid': 0, 'tid': 7, 'ts': i, 'dur': 0.5} for i in range(count)]
    growth_inputs.write_trace(folder / 't.json', rows)
    return [f'-rules={write(folder, "r.akp", text)}', f'-trace={folder}/t.json', '-emit=csv', write(folder, 'm.onnxtxt', chain_text(1))]


def events(count):
    return growth_inputs.launches(count)


def kineto(folder, count):
    growth_inputs.write_trace(folder / 't.json', events(count))
    return [f'-trace={folder}/t.json']


def kineto_gzip(folder, count):
    kineto(folder, count)
    return [f'-trace={write(folder, "t.json.gz", gzip.compress((folder / "t.json").read_bytes(), 6))}']


def categories(folder, count):
    text = ','.join('{"ph":"X","cat":"c%d","name":"k","pid":0,"tid":7,"ts":%d,"dur":1}' % (i, i) for i in range(count))
    return [f'-trace={write(folder, "t.json", "[" + json.dumps(growth_inputs.one_event()[0]) + "," + text + "]")}']


def devices(folder, count):
    """Events of 16 devices, each a run of its own: the trace is read once for each."""
    rows = [{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': i % 16, 'tid': 7, 'ts': i, 'dur': 1, 'args': {'device': i % 16}} for i in range(count)]
    growth_inputs.write_trace(folder / 't.json', rows)
    return [f'-trace={folder}/t.json', '-device=all']


def deep_frames(folder, count):
    """A stack of frames, and half of the launches at its bottom; `-passes=default` binds them."""
    rows = [{'ph': 'X', 'cat': 'python_function', 'name': f'nn.Module: M_{i}', 'pid': 1, 'tid': 1, 'ts': i, 'dur': 10**8 - 2 * i, 'args': {'Python id': i + 1}}
            for i in range(256)]
    for event in events(count):
        rows.append(event | {'ts': event['ts'] + 1000})
    growth_inputs.write_trace(folder / 't.json', rows)
    return [f'-trace={folder}/t.json', '-emit=csv', write(folder, 'm.onnxtxt', chain_text(1))]


def ort(folder, count):
    rows = [{'cat': 'Session', 'pid': 1, 'tid': 1, 'dur': 30 * count, 'ts': 0, 'ph': 'X', 'name': 'model_run', 'args': {}}]
    for i in range(count):
        rows.append({'cat': 'Node', 'pid': 1, 'tid': 1, 'dur': 9, 'ts': 1 + 20 * i, 'ph': 'X', 'name': f'/n{i}_kernel_time',
                     'args': {'op_name': 'Relu', 'provider': 'CPUExecutionProvider', 'node_index': str(i), 'input_type_shape': [{'float': [2, 3]}]}})
    return [f'-trace={write(folder, "t.json", json.dumps(rows))}']


def tensorrt(folder, count):
    rows = [{'count': 10}] + [{'name': f'layer{i}', 'timeMs': 1, 'averageMs': 0.1, 'percentage': 1} for i in range(count)]
    return [f'-trace={write(folder, "t.json", json.dumps(rows))}']


def nsys(folder, count):
    path = folder / 't.sqlite'
    with sqlite3.connect(path) as database:
        database.executescript('''
            CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT,
              globalPid INT, demangledName INT, shortName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, registersPerThread INT,
              staticSharedMemory INT, dynamicSharedMemory INT, graphNodeId INT);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT);
            INSERT INTO StringIds VALUES (1, 'relu'), (2, 'cudaLaunchKernel_v7000');''')
        database.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,7,?,0,1,1,1,1,1,1,1,1,1,0,0,NULL)', ((100 * i + 50, 100 * i + 90, i) for i in range(count)))
        database.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,1,?,2,0)', ((100 * i, 100 * i + 20, i) for i in range(count)))
    database.close()
    return [f'-trace={path}']


def excerpt(folder, count):
    return [*kineto(folder, count), f'-emit=trace={folder}/small.json']


def ir_text(folder, count):
    generate_model.SHAPES['chain'](count).write(folder / 'm.onnx')
    subprocess.run([os.environ['AMDAHLC'], '-passes=simplify', f'-emit=ir={folder}/m.air', folder / 'm.onnx'], check=True)
    return ['-passes=', folder / 'm.air']


def speedups(folder, count):
    rows = ','.join(f'{{"op_id":"{i}","speedup":2}}' for i in range(count))
    return [f'-what-if={write(folder, "s.json", chr(123) + chr(34) + "speedups" + chr(34) + ":[" + rows + "]}")}', '-passes=', write(folder, 'm.onnxtxt', chain_text(1))]


def evidence(folder, count):
    return [*kineto(folder, count), f'-emit=evidence={folder}/e.csv', write(folder, 'm.onnxtxt', chain_text(count))]


def scenarios(folder, count):
    rows = ','.join(f'{{"name":"s{i}","speedups":[{{"regex":".","speedup":2}}]}}' for i in range(count))
    kineto(folder, 10)
    return [f'-what-if={write(folder, "s.json", chr(123) + chr(34) + "scenarios" + chr(34) + ":[" + rows + "]}")}', f'-trace={folder}/t.json', '-emit=json',
            write(folder, 'm.onnxtxt', chain_text(1))]


def configuration(folder, count):
    rows = ''.join(f'  - name{i}=1\n' for i in range(count))
    return [f'-config={write(folder, "c.yaml", "dim:" + chr(10) + rows)}', '-passes=', write(folder, 'm.onnxtxt', chain_text(1))]


def hardware(folder, count):
    """Every device of a description is a regular expression."""
    devices = ''.join(f'  - Device {i}\n' for i in range(count))
    text = f'name: d\nsources: [measured]\nmemory-bandwidth: 1 TB/s\nvector:\n  float32: 1 TFLOP/s\ndevices:\n{devices}'
    return [f'-hardware={write(folder, "h.yaml", text)}', write(folder, 'm.onnxtxt', chain_text(1))]


def baseline(folder, count):
    """The run that is compared with the report grows as well."""
    run = [str(part) for part in growth_inputs.launched(folder, count)]
    subprocess.run([os.environ['AMDAHLC'], f'-emit=json={folder}/before.json', *run], check=True, stderr=subprocess.DEVNULL)
    return [f'-baseline={folder}/before.json', *run]


# Kind: what writes it and returns the arguments, the least n, why an exponent may be larger.
KINDS = {
    'onnx': (onnx, 20_000, ''),
    'onnx-text': (onnx_text, 10_000, ''),
    'onnx-slashes': (slashes, 20_000, ''),
    'onnx-unknown-operators': (unknown_operators, 40_000, ''),
    'ir-text': (ir_text, 10_000, ''),
    'rules': (rules, 1000, ''),
    'rules-open-strings': (open_strings, 20_000, ''),
    'rules-times-nodes': (matches, 1000, ''),
    'rules-times-kernel-names': (tests_of_kernels, 1000, 'each test of a rule on each name: their product, bounded by an error'),
    'kineto': (kineto, 20_000, ''),
    'kineto-gzip': (kineto_gzip, 20_000, ''),
    'kineto-categories': (categories, 40_000, ''),
    'kineto-devices': (devices, 10_000, ''),
    'kineto-deep-frames': (deep_frames, 10_000, ''),
    'evidence': (evidence, 1000, 'a row for each way to bind a call, of which a table has 1000 at most'),
    'excerpt': (excerpt, 20_000, ''),
    'onnxruntime': (ort, 20_000, ''),
    'tensorrt': (tensorrt, 20_000, ''),
    'nsys': (nsys, 20_000, ''),
    'speedups': (speedups, 4000, ''),
    'scenarios': (scenarios, 125, ''),
    'configuration': (configuration, 4000, ''),
    'hardware': (hardware, 16_000, ''),
    'baseline': (baseline, 4000, ''),
}


def arguments(make, folder, count):
    """What `make` returns, from a process of its own: the peak of a command counts that of the process which started it."""
    path = folder / 'arguments.json'
    child = os.fork()
    if child == 0:
        status = 1
        try:
            path.write_text(json.dumps([str(part) for part in make(folder, count)]))
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if status != 0:
        sys.exit(f'error: {make.__name__} of {count} was not written')
    return json.loads(path.read_text())


def measure(command):
    """(CPU ms, peak bytes): the least of some runs."""
    best = (math.inf, math.inf)
    for _ in range(RUNS):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            sys.exit(f'error: {" ".join(command)} ended with status {child.returncode}')
        best = (min(best[0], 1000 * (usage.ru_utime + usage.ru_stime)), min(best[1], usage.ru_maxrss * 1024))
    return best


def slope(sizes, values, base):
    """The exponent that fits best; None where too few values are above the noise."""
    points = [(math.log2(size), math.log2(value - base)) for size, value in zip(sizes, values) if value - base >= LEAST_MS]
    if len(points) < 3:
        return None
    middle = [sum(axis) / len(points) for axis in zip(*points)]
    return sum((x - middle[0]) * (y - middle[1]) for x, y in points) / sum((x - middle[0])**2 for x, _ in points)


def shown(value):
    return '-' if value is None else f'{value:.2f}' + ('!' if value > MAX_EXPONENT else '')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('kinds', nargs='*', metavar='KIND', help=f'of {", ".join(KINDS)}; all by default')
    parser.add_argument('--binary', type=pathlib.Path)
    options = parser.parse_intermixed_args()
    if options.kinds == ['kinds']:
        print('\n'.join(KINDS))
        return 0
    if options.binary is None or any(kind not in KINDS for kind in options.kinds):
        parser.error('--binary PATH is missing, or a kind is unknown')
    binary = str(options.binary.resolve())
    os.environ['AMDAHLC'] = binary
    failed = False
    print(f'{"input":<24}{"n":>8}  {"CPU ms at n, 2n, 4n, 8n":<28}{"exponent":>9}  {"peak MiB":<24}{"exponent":>9}  instructions: exponent')
    for kind in options.kinds or KINDS:
        make, size, reason = KINDS[kind]

        def run(count, how):
            with tempfile.TemporaryDirectory(prefix='kinds-') as name:
                return how([binary, *arguments(make, pathlib.Path(name), count)])

        sizes = [factor * size for factor in (1, 2, 4, 8)]
        base = run(size // 50, measure)[0]
        times, peaks = zip(*(run(count, measure) for count in sizes))
        peaks = [peak / 2**20 for peak in peaks]
        memory = callgrind.growth(*peaks[1:]) if peaks[2] - peaks[1] >= 1 else None
        counts = [run(count, callgrind.instructions) for count in (size // 4, size // 2, size)] if callgrind.is_installed() else None
        counted = callgrind.growth(*counts) if counts and counts[1] - counts[0] >= LEAST_INSTRUCTIONS else None
        print(f'{kind:<24}{size:>8}  {" ".join(f"{time:6.0f}" for time in times):<28}{shown(slope(sizes, times, base)):>9}  '
              f'{" ".join(f"{peak:5.0f}" for peak in peaks):<24}{shown(memory):>9}  {shown(counted):>6}  {reason}'.rstrip(), flush=True)
        failed |= counted is not None and counted > MAX_EXPONENT and not reason
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
