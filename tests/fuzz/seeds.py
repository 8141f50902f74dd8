#!/usr/bin/env python3
"""Writes seeds for the fuzz targets, from what is in the repository and, where it is there, in the folder `shared` beside it.

  seeds.py OUT [--models PROGRAM]

OUT is emptied first. OUT/TARGET/ gets the seeds of a target, and OUT/TARGET.dict the words of its language. PROGRAM is the built schema_models,
which writes small binary models.
"""
import argparse
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SHARED = SOURCE.parent / 'shared'
CORPUS = SOURCE / 'tests' / 'fuzz' / 'corpus'
sys.path.insert(0, str(SOURCE / 'tests'))
from checks.meta.tree import goldens, sections  # noqa: E402

# A larger seed costs more than it finds.
MOST_BYTES = 24000
MODELS = 300
EVENTS = 60
OF_TRACES = ('trace_kineto', 'trace_onnxruntime', 'trace_tensorrt')


class Seeds:
    def __init__(self, out):
        self.out, self.counts = out, {}

    def add(self, target, data):
        if isinstance(data, str):
            data = data.encode('utf-8', errors='surrogateescape')
        if not data or len(data) > MOST_BYTES:
            return
        folder = self.out / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha1(data).hexdigest()[:16]).write_bytes(data)
        self.counts[target] = self.counts.get(target, 0) + 1


def trace_target(text):
    if '"traceEvents"' in text or '"ph"' in text:
        return 'trace_onnxruntime' if '"cat":"Node"' in text.replace(' ', '') or '"cat":"Session"' in text.replace(' ', '') else 'trace_kineto'
    return 'trace_tensorrt'


def zstd(data):
    """A frame of zstd with blocks that are stored as they are, then a block of blanks that are one repeated byte."""
    blanks = 100
    blocks = [(data[at:at + 1000], 0) for at in range(0, len(data), 1000)] + [(b' ', 1)]
    out = b'\x28\xb5\x2f\xfd' + bytes([0xa0]) + (len(data) + blanks).to_bytes(4, 'little')
    for number, (block, kind) in enumerate(blocks):
        size = blanks if kind else len(block)
        out += (size << 3 | kind << 1 | (number + 1 == len(blocks))).to_bytes(3, 'little') + block
    return out


def add_trace(seeds, text):
    target = trace_target(text)
    seeds.add(target, text)
    for user in ('trace_on_model', 'program', 'suggested_rules'):
        seeds.add(user, text)
    data = text.encode('utf-8', errors='surrogateescape')
    seeds.add('trace_compressed', gzip.compress(data, mtime=0))
    if len(data) < 3000:
        seeds.add('trace_compressed', zstd(data))


def excerpt(text):
    """The metadata and some of the events of a recorded trace, from its middle."""
    document = json.loads(text)
    events = document['traceEvents'] if isinstance(document, dict) else document
    timed = sorted((event for event in events if event.get('ph') == 'X'), key=lambda event: float(event['ts']))
    middle = len(timed) // 2
    kept = [event for event in events if event.get('ph') == 'M'][:4] + timed[middle:middle + EVENTS]
    if isinstance(document, dict):
        return json.dumps(dict(document, traceEvents=kept), separators=(',', ':'))
    return json.dumps(kept, separators=(',', ':'))


def database(script, path):
    """The database that a script of SQL makes."""
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript('PRAGMA page_size = 512;' + script)
    connection.close()
    data = path.read_bytes()
    path.unlink()
    return data


def of_goldens(seeds):
    for golden in goldens():
        parts = sections(golden)
        for name, text in parts.items():
            text = text.rstrip('\n') + '\n'
            if name.endswith('.akp'):
                seeds.add('akp', text)
                seeds.add('rules_on_graph', text)
                seeds.add('language_server', text)
            elif name.endswith('.air') or text.startswith('amdahlc.ir'):
                seeds.add('ir_text', text)
            elif name.endswith('.onnxtxt'):
                seeds.add('onnx_text', text)
            elif name.endswith('.yaml') or (name.endswith('.json') and ('speedup' in text or 'scenario' in text)):
                seeds.add('configuration', text)
                seeds.add('speedups', text)
                if 'memory-bandwidth' in text:
                    seeds.add('hardware', text)
            elif name.endswith('.json') and not name.startswith('file '):
                add_trace(seeds, text)
            elif name.endswith('.sql'):
                seeds.add('trace_nsys', database(text, seeds.out / 'database'))
        if '"amdahlc.report/2"' in parts.get('stdout', ''):
            seeds.add('baseline', parts['stdout'])
        for option, target in (('passes', 'pipeline'), ('what-if', 'speedups')):
            for value in re.findall(rf"-{option}=('[^']*'|\S+)", parts['']):
                seeds.add(target, value.strip("'"))
        # A configuration is options without dashes.
        for name, value in re.findall(r" -([a-z-]+)=('[^']*'|\S+)", parts['']):
            seeds.add('configuration', f'{name}: {json.dumps(value.strip(chr(39)))}\n')


def of_files(seeds):
    for file in (SOURCE / 'tests' / 'golden' / 'fixtures').rglob('*'):
        if file.suffix == '.akp':
            seeds.add('akp', file.read_bytes())
            seeds.add('rules_on_graph', file.read_bytes())
        elif file.suffix == '.onnxtxt':
            seeds.add('onnx_text', file.read_bytes())
        elif file.suffix == '.json':
            add_trace(seeds, file.read_text())
    for file in (SOURCE / 'tests' / 'fuzz' / 'models').iterdir():
        if file.suffix == '.onnxtxt':
            seeds.add('onnx_text', file.read_bytes())
        else:
            add_trace(seeds, file.read_text())
    for file in (SOURCE / 'rules').rglob('*.akp'):
        text = file.read_text()
        seeds.add('akp', text)
        # Single rules: a whole library is too large to be changed in a place that matters.
        for rule in re.findall(r'^kernel .*?^}$', text, re.MULTILINE | re.DOTALL)[::10]:
            seeds.add('akp', 'akp 1;\n' + rule + '\n')
            seeds.add('rules_on_graph', 'akp 1;\n' + rule + '\n')
    recorded = sorted(SOURCE.glob('examples/*.json.gz')) + sorted(SOURCE.glob('tests/data/*/*.json.gz'))
    for file in recorded:
        if file.name.endswith('.et.json.gz'):
            seeds.add('execution_trace', file.read_bytes())
        else:
            add_trace(seeds, excerpt(gzip.decompress(file.read_bytes()).decode()))
    for file in sorted(SOURCE.glob('examples/*.onnx')) + sorted(SOURCE.glob('tests/data/*/*.onnx')):
        seeds.add('onnx_binary', file.read_bytes())


def of_editors(seeds):
    """What an editor sends."""
    def message(method, params, **more):
        body = json.dumps({'jsonrpc': '2.0', 'method': method, 'params': params} | more)
        return f'Content-Length: {len(body)}\r\n\r\n{body}'
    uri = {'uri': 'untitled:rules'}
    place = {'line': 1, 'character': 30}
    start = message('initialize', {'capabilities': {'textDocument': {'hover': {'contentFormat': ['markdown']}}}}, id=1)
    opened = message('textDocument/didOpen', {'textDocument': uri | {'languageId': 'akp', 'version': 1, 'text': 'akp 1;\nkernel add : elementwise { match -> Add(_, _) }\n'}})
    asked = [message(f'textDocument/{name}', {'textDocument': uri, 'position': place}, id=2) for name in ('completion', 'hover', 'definition')]
    change = message('textDocument/didChange', {'textDocument': uri | {'version': 2}, 'contentChanges': [
        {'range': {'start': place, 'end': {'line': 1, 'character': 33}}, 'text': 'Sub'}, {'text': 'akp 1;\n'}]})
    actions = message('textDocument/codeAction', {'textDocument': uri, 'range': {'start': place, 'end': place}, 'context': {'diagnostics': []}}, id='a')
    end = message('textDocument/didClose', {'textDocument': uri}) + message('shutdown', None, id=9) + message('exit', None)
    for middle in (*asked, change, actions, 'no header\r\n\r\n', 'Content-Length: 1\r\n\r\n{'):
        seeds.add('language_server', start + opened + middle + end)


def execution_trace(version, calls):
    """An execution trace as PyTorch writes it. A call is (parent, name, declaration, what it takes, what it returns), a value (value, sizes, strides, type)."""
    nodes = []
    for number, (parent, name, schema, *sides) in enumerate(calls, 2):
        facts = {'rf_id': number - 2, 'fw_parent': 0, 'seq_id': number % 3 - 1, 'scope': 0, 'tid': 1 + number % 2, 'fw_tid': 0, 'op_schema': schema}
        columns = [[list(column) for column in zip(*side)] or [[], [], [], []] for side in sides]
        if version == '1.0.1':
            node = {'name': name, 'id': number, 'parent': parent} | facts
            for key, (values, sizes, _, types) in zip(('input', 'output'), columns):
                node |= {f'{key}s': values, f'{key}_shapes': sizes, f'{key}_types': types}
        else:
            facts |= {'kernel_backend': '', 'collective_name': 'allreduce', 'pg_size': 8, 'in_split_size': [3, 4]} if name.startswith('c10d') else {}
            node = {'id': number, 'name': name, 'ctrl_deps': parent}
            for key, (values, sizes, strides, types) in zip(('inputs', 'outputs'), columns):
                node[key] = {'values': values, 'shapes': sizes, 'types': types, 'strides': strides}
            node['attrs'] = [{'name': fact, 'type': 'string' if isinstance(value, str) else 'uint64', 'value': value} for fact, value in facts.items()]
        nodes.append(node)
    return json.dumps({'schema': version, 'pid': 7, 'time': '2026-01-01 00:00:00', 'start_ts': 1, 'nodes': nodes, 'finish_ts': 2}, separators=(',', ':'))


def with_trace(document):
    """The document as a trace, too: with an event for each call, inside that of its parent, and a kernel for each call without another one inside."""
    document = json.loads(document)
    nodes = {node['id']: node for node in document['nodes']}
    parent = {number: node.get('parent', node.get('ctrl_deps')) for number, node in nodes.items()}
    first, last = {}, {}
    for number in nodes:
        at = number
        while at in nodes:
            first.setdefault(at, number)
            last[at] = number
            at = parent[at]
    events = []
    for number, node in nodes.items():
        attributes = node | {row['name']: row['value'] for row in node.get('attrs', ())}
        args = {'Record function id': attributes['rf_id'], 'Ev Idx': number, 'External id': number}
        depth, at = 0, number
        while at in nodes:
            depth, at = depth + 1, parent[at]
        begin, end = 100 * first[number] + depth, 100 * last[number] + 90 - depth
        events.append({'ph': 'X', 'cat': 'cpu_op' if '::' in node['name'] else 'user_annotation', 'name': node['name'], 'pid': 7, 'tid': attributes['tid'], 'ts': begin, 'dur': end - begin, 'args': args})
        if first[number] == last[number]:
            launch = {'correlation': number, 'External id': number}
            events.append({'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 7, 'tid': attributes['tid'], 'ts': begin + 1, 'dur': 5, 'args': launch})
            events.append({'ph': 'X', 'cat': 'kernel', 'name': 'kernel', 'pid': 0, 'tid': 7, 'ts': begin + 20, 'dur': 50, 'args': launch | {'device': 0, 'stream': 7}})
    return json.dumps(document | {'traceEvents': events}, separators=(',', ':'))


def of_execution_traces(seeds):
    def tensor(number, storage, sizes, offset=0, strides=None):
        strides = strides or [4 ** (len(sizes) - 1 - axis) for axis in range(len(sizes))]
        count = 1
        for size in sizes:
            count *= size
        return [number, storage, offset, count, 4, 'cpu'], sizes, strides, 'Tensor(float)'
    whole, half, column = tensor(20, 40, [4, 4]), tensor(21, 40, [2, 4], 8), tensor(22, 40, [4, 1], 1, [4, 1])
    other, scalar = tensor(23, 41, [4, 4]), tensor(24, 41, [])
    numbers = ([1, -1], [[], []], [[], []], 'GenericList[Int,Int]')
    values = [(True, [], [], 'Bool'), (0.00001, [], [], 'Double'), ('inf', [], [], 'Double'), ('<None>', [], [], 'None'), ('<Object>', [], [], 'Object')]
    pair = ([whole[0], other[0]], [whole[1], other[1]], [whole[2], other[2]], 'GenericList[Tensor(float),Tensor(float)]')
    calls = [
        (1, '[pytorch|profiler|execution_trace|thread]', '', [], []),
        (2, 'step 0', '', [], []),
        (3, 'aten::empty', 'aten::empty(int[] size, *, bool x=None) -> Tensor', [numbers, *values], [whole]),
        (3, 'aten::slice', 'aten::slice(Tensor(a) self, int dim=0) -> Tensor(a)', [whole], [half]),
        (3, 'aten::add_', 'aten::add_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)', [half, column], [half]),
        (3, 'aten::linear', 'aten::linear(Tensor input) -> Tensor', [whole], [other]),
        (7, 'aten::mm', 'aten::mm(Tensor self) -> Tensor', [column], [other]),
        (3, '_foreach_add_', 'aten::_foreach_add_(Tensor(a!)[] self, Scalar[2] scalars=[1, 1]) -> ()', [pair, numbers], []),
        (3, 'c10d::allreduce_', 'c10d::allreduce_(Tensor[] tensors) -> Work', [pair], [pair]),
        (3, 'aten::mul', 'aten::mul.out(Tensor a, *, Tensor(a!) out) -> Tensor(a!)', [scalar, other], [other]),
        (3, 'aten::sum', 'aten::sum(Tensor a) -> Tensor', [other], [scalar]),
        (3, 'aten::add_', '', [scalar], [scalar])]
    for version in ('1.0.1', '1.1.0', '1.1.1-chakra.0.0.4'):
        for count in (1, 4, 7, len(calls)):
            seeds.add('execution_trace', execution_trace(version, calls[:count]))
            seeds.add('program', with_trace(execution_trace(version, calls[:count])))
    seeds.add('execution_trace', execution_trace('1.1.1-chakra.0.0.4', calls[:3] * 20))
    seeds.add('execution_trace', gzip.compress(execution_trace('1.0.1', calls).encode(), mtime=0))
    seeds.add('execution_trace', execution_trace('2.0', calls[:1]))


def of_shared(seeds):
    if not (SHARED / 'cases').is_dir():
        return
    targets = {'.air': ['ir_text'], '.onnxtxt': ['onnx_text'], '.onnx': ['onnx_binary'], '.akp': ['akp', 'rules_on_graph'], '.yaml': ['configuration', 'speedups', 'hardware']}
    for file in sorted((SHARED / 'cases' / 'hostile').iterdir()):
        for target in targets.get(file.suffix, []):
            seeds.add(target, file.read_bytes())
    for file in sorted((SHARED / 'cases' / 'binding').rglob('trace.json.gz'))[::4]:
        add_trace(seeds, excerpt(gzip.decompress(file.read_bytes()).decode()))


def of_words(seeds):
    """Dictionaries: the words and signs of the grammar, and those of IR text and pipelines as goldens have them."""
    def write(target, words):
        lines = ('"' + word.replace('\\', '\\\\').replace('"', '\\"') + '"' for word in sorted(words) if word.isascii() and word.isprintable())
        (seeds.out / f'{target}.dict').write_text('\n'.join(lines) + '\n')
    akp = set(re.findall(r"'((?:[^'\\\n]|\\.)+)'", (SOURCE / 'grammar' / 'Akp.g4').read_text()))
    functions = set(re.findall(r'\{"([a-z_]+)"', ''.join(file.read_text() for file in (SOURCE / 'ir' / 'expression').glob('*.cpp'))))
    for target in ('akp', 'rules_on_graph', 'language_server'):
        write(target, akp | functions)
    for target in ('ir_text', 'onnx_text', 'pipeline', 'configuration', 'speedups', 'hardware', 'baseline', 'execution_trace', *OF_TRACES, 'suggested_rules', 'program', 'trace_on_model'):
        folder = seeds.out / target
        counts = {}
        for file in folder.iterdir() if folder.is_dir() else ():
            for word in set(re.findall(r'[A-Za-z_][\w.:-]{1,30}|->|[-]?\d{2,20}', file.read_text(errors='replace'))):
                counts[word] = counts.get(word, 0) + 1
        write(target, set(sorted(counts, key=lambda word: (-counts[word], word))[:400]))


def kept(target):
    """Inputs of a target that earlier runs kept."""
    path = CORPUS / f'{target}.tar.xz'
    if not path.is_file():
        return []
    with tarfile.open(path) as archive:
        return [archive.extractfile(entry).read() for entry in archive]


def of_corpus(seeds):
    for path in sorted(CORPUS.glob('*.tar.xz')):
        target = path.name.removesuffix('.tar.xz')
        for content in kept(target):
            seeds.add(target, content)


def write(out, models=None, shared=True, corpus=True):
    """Writes all seeds into `out`, which gets nothing else; `models` is the built schema_models. `shared`: also those of that folder. `corpus`: also kept inputs."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    seeds = Seeds(out)
    of_goldens(seeds)
    of_files(seeds)
    of_editors(seeds)
    of_execution_traces(seeds)
    if shared:
        of_shared(seeds)
    of_words(seeds)
    if corpus:
        of_corpus(seeds)
    if models:
        folder = out / 'onnx_binary'
        folder.mkdir(exist_ok=True)
        subprocess.run([models, '--write', str(folder), str(MODELS)], check=True)
        seeds.counts['onnx_binary'] = len(os.listdir(folder))
    return seeds.counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('out', type=pathlib.Path)
    parser.add_argument('--models', type=pathlib.Path, help='the built schema_models')
    options = parser.parse_args()
    counts = write(options.out, options.models)
    print(', '.join(f'{target} {count}' for target, count in sorted(counts.items())))


if __name__ == '__main__':
    main()
