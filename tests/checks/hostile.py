"""Inputs that broke a promise of the command once, and their kin.

Each case is a command on small files that the case writes itself, or on those of the folder `shared` beside the project, where it is there. The promise: the
command ends by itself within seconds, with the exit status of the case, in memory that the case states; a refusal says where; nothing that is printed has
control characters; no file is opened but those that are named, the rules that ship, and system libraries; nothing is written but the outputs. With
sanitizers, time and memory are not checked. Without strace nothing is left out but the list of opened files.
"""
import gzip
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import time

from checks.command import amdahlc
from checks.places import ENCODER as MODEL
from checks.places import SHARED, SOURCE
from checks.protobuf import message

HOSTILE = SHARED / 'cases' / 'hostile'
STRACE = shutil.which('strace') and subprocess.run(['strace', '-o', os.devnull, 'true'], capture_output=True).returncode == 0
MEGABYTE = 1 << 20
SECONDS = 20
# Of all cases that state none. The command itself needs 20.
MEMORY = 128 * MEGABYTE
CONTROL = re.compile('[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]')
HEAD = '<ir_version: 10, opset_import: ["" : 18]> g'
SMALL = HEAD + ' (float[2] x) => (float[2] y) { y = Relu(x) }'


class Case:
    """A command and what it must do. `files` are written into its folder: text, bytes, a function that makes one, or `PIPE`."""

    def __init__(self, name, arguments, status, files=None, says=None, memory=MEMORY, limited=False, stdin=os.devnull, seconds=SECONDS):
        self.name, self.arguments, self.stdin = name, arguments, stdin
        self.statuses = status if isinstance(status, tuple) else (status,)
        # `seconds` are of processor time.
        self.files, self.says, self.memory, self.seconds = files or {}, says, memory, seconds
        # A build with sanitizers has no limit of memory.
        self.limited = limited


def kernels(categories):
    events = ',\n'.join('{"ph":"X","cat":"%s","name":"k","pid":0,"tid":7,"ts":%d,"dur":1}' % (category, i) for i, category in enumerate(categories))
    return f'[{events}]'


def bomb():
    """An array of four GiB of blanks in four MB, as members of gzip that decompress one behind another."""
    return gzip.compress(b'[') + gzip.compress(b' ' * (16 * MEGABYTE)) * 256


PIPE = object()
# Minutes of work in one step of SQLite's machine.
SLOW = ' + '.join(["length(replace(replace(hex(zeroblob(400000)),'0','a'),replace(hex(zeroblob(200000)),'0','a')||'b','c'))"] * 25)


def export(columns='', declarations=(), script=''):
    """An export of Nsight Systems with a hundred kernels. `declarations` are pairs of the name of an object and the declaration that replaces its own."""
    database = sqlite3.connect(':memory:')
    database.executescript(f"""CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER{columns}); CREATE TABLE other (a, b, c); {script}; PRAGMA writable_schema = ON""")
    for number in range(100):
        database.execute('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId) VALUES (?, ?, 0)', (number * 10, number * 10 + 5))
        database.execute("INSERT INTO other VALUES ('t', 'i', '1')")
    for name, declaration in declarations:
        new = re.match(r'CREATE (?:VIRTUAL )?[A-Z]+ (\w+)', declaration)[1]
        database.execute('UPDATE sqlite_master SET name = ?, tbl_name = iif(type = ?, tbl_name, ?), sql = ? WHERE name = ?', (new, 'index', new, declaration, name))
    database.commit()
    return database.serialize()


def inflated(head, repeated):
    """A frame of zstd of the bytes, with four GiB of a byte behind them: a block of 128 KiB in four bytes, again and again."""
    block = lambda kind, size, last=0: (size << 3 | kind << 1 | last).to_bytes(3, 'little')
    return b'\x28\xb5\x2f\xfd\0\x38' + block(0, len(head)) + head + (block(1, 1 << 17) + repeated) * 32768 + block(0, 0, 1)


def header(pages):
    """The beginning of a database of so many pages of 64 KiB, as its header says."""
    data = bytearray(export()[:100])
    data[16:18], data[28:32] = b'\0\1', pages.to_bytes(4, 'big')
    return bytes(data)


def one_kernel(**changes):
    return json.dumps([{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 0, 'tid': 7, 'ts': 1, 'dur': 1} | changes])


def value(name):
    return message((1, name), (2, message((1, message((1, 1), (2, message((1, message((1, 2))))))))))


def long_name():
    node = message((1, 'x'), (2, 'y'), (3, '/a' * 60000 + '/Relu'), (4, 'Relu'))
    return message((1, 10), (8, message((2, 18))), (7, message((1, node), (2, 'g'), (11, value('x')), (12, value('y')))))


def tensor(name, location):
    """A tensor of two floats whose data is said to be in `location`."""
    entries = [(13, message((1, key), (2, value))) for key, value in (('location', location), ('offset', '0'), ('length', '8'))]
    return message((1, 2), (2, 1), (8, name), *entries, (14, 1))


def external_weights():
    """Initializers, and attributes of constants, each name a location."""
    parts, previous = [], 'x'
    for index, location in enumerate(('/etc/absolute-secret.bin', '../parent-secret.bin', 'beside-secret.bin', '../missing-secret.bin')):
        if index % 2 == 0:
            parts.append((5, tensor(f'w{index}', location)))
        else:
            attribute = message((1, 'value'), (5, tensor('', location)), (20, 4))
            parts.append((1, message((2, f'w{index}'), (4, 'Constant'), (5, attribute))))
        parts.append((1, message((1, previous), (1, f'w{index}'), (2, f'y{index}'), (4, 'Add'))))
        previous = f'y{index}'
    graph = message(*parts, (2, 'hostile'), (11, value('x')), (12, value(previous)))
    return message((1, 10), (7, graph), (8, message((2, 21))))


def rank():
    axes = ','.join(map(str, range(1000)))
    steps = ' '.join(f's{i + 1} = Unsqueeze(s{i},a)' for i in range(2000))
    return f'{HEAD} (float[2] x) => (float[] s2000) <int64[1000] a = {{{axes}}}> {{ s0 = Unsqueeze(x,a) {steps} }}'


def many_rules(count):
    return 'akp 1;\n' + '\n'.join(f'kernel k{i} {{ match -> Relu(_); runs as /k{i}/; }}' for i in range(count))


def chain(count):
    names = ['x'] + [f'v{i}' for i in range(1, count)] + ['y']
    nodes = ' '.join(f'{result} = Relu({operand})' for operand, result in zip(names, names[1:]))
    return f'{HEAD} (float[2] x) => (float[2] y) {{ {nodes} }}'


def edits(text, places, notifications=1):
    """What an editor sends that inserts letters at (line, character), in one notification or in several of the same."""
    # As text: what Python holds at its peak counts for the commands that it starts.
    change = '{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},"text":"y"}'
    send = lambda method, params, id='': f'{{"jsonrpc":"2.0",{id}"method":"{method}","params":{params}}}'
    bodies = [send('initialize', '{"capabilities":{}}', '"id":1,'),
              send('textDocument/didOpen', '{"textDocument":%s}' % json.dumps({'uri': 'untitled:a', 'languageId': 'akp', 'version': 1, 'text': text})),
              *[send('textDocument/didChange', '{"textDocument":{"uri":"untitled:a","version":2},"contentChanges":[%s]}' % ','.join(change % (at + at) for at in places))]
              * notifications, send('shutdown', 'null', '"id":2,'), send('exit', 'null')]
    return ''.join(f'Content-Length: {len(body)}\r\n\r\n{body}' for body in bodies)


def graph(count, operands, scope=None, operator='Add'):
    """`count` operators: of number i, the numbers of the operators before it that it reads (below 0: the input), and its module."""
    names = (f'["/{scope(i)}/n{i}"] ' if scope else '' for i in range(count))
    nodes = (f'{name}v{i} = {operator}({", ".join("x" if j < 0 else f"v{j}" for j in operands(i))})' for i, name in enumerate(names))
    return f'{HEAD} (float[2] x) => (float[2] v{count - 1}) {{ {" ".join(nodes)} }}'


def pictures():
    """Graphs below the limit of nodes: long, square, wide, at random, and in modules beside and inside each other. (name, model, what a refusal says)"""
    def steps(i):
        return i - 1, i - 2
    yield 'steps', graph(4900, steps), None
    yield 'ladder', graph(4900, lambda i: (i - 2 - i % 2, i - 1 - i % 2)), None
    yield 'grid', graph(69 * 69, lambda i: (i - 69, i - 1 if i % 69 else -1)), None
    yield 'fan', graph(4900, lambda i: (-1, -1)), None
    yield 'joins', graph(4900, lambda i: (i - 1 - i * 7919 % 40, i - 1 - i * 104729 % 40)), None
    yield 'skips', graph(4900, lambda i: (i - 1, i // 2 - 1)), 'its edges cross layers at '
    yield 'sums', graph(240, lambda i: range(i - i % 60 - 60, i - i % 60) if i >= 60 else (-1,), operator='Sum'), None
    yield 'sides', graph(4800, lambda i: (i * 7919 % 2400, i * 104729 % 2400, i * 1299709 % 2400, i * 15485863 % 2400) if i >= 2400 else (-1,),
                         operator='Sum'), 'pairs of its edges cross the same layer'
    yield 'a-module-each', graph(4900, steps, lambda i: f'm{i}'), None
    yield 'modules-of-ten', graph(4900, steps, lambda i: f'm{i // 10}'), None
    yield 'modules-in-turns', graph(4900, steps, lambda i: f'm{i % 50}'), None
    yield 'modules-inside', graph(4900, steps, lambda i: '/'.join(f'a{j}' for j in range(1 + i // 25))), 'its modules span '


def run_of_relus(count):
    return json.dumps([event for i in range(count) for event in (
        {'ph': 'X', 'cat': 'cpu_op', 'name': 'aten::relu', 'pid': 1, 'tid': 1, 'ts': 10 * i, 'dur': 8},
        {'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 1, 'tid': 1, 'ts': 10 * i + 1, 'dur': 2, 'args': {'correlation': i + 1}},
        {'ph': 'X', 'cat': 'kernel', 'name': 'relu_kernel', 'pid': 0, 'tid': 7, 'ts': 10 * i + 4, 'dur': 3, 'args': {'correlation': i + 1}})])


# Overrides, bells, a forged line, a CSI of eight bits, right-to-left text.
ODD = 'evil\\u001b[2J\\u0007\\r\\nforged \\u009b31m \\u202eabc'


def cases():
    yield Case('comma.yaml', ['-config=a.yaml', MODEL], 1, {'a.yaml': ','}, 'a.yaml:1:1: error')
    yield Case('trailing-comma.json', ['-what-if=a.json', MODEL], 1, {'a.json': '{"speedups":[{"op_id":"2","speedup":2}]},'}, 'a.json:1:41: error')
    yield Case('flat-tensor', ['a.onnxtxt'], 0, {'a.onnxtxt': HEAD + ' (float[4611686018427387904] x) => (float[] y) { y = Add(x, x) }'})
    for count in (1, 4294967295):
        yield Case(f'split-into-{count}-parts', ['a.onnxtxt'], 0, {'a.onnxtxt': HEAD + f' (float[8] x) => (float[] y, float[] z) {{ y, z = Split<num_outputs = {count}>(x) }}'},
                   '`num_outputs` is not the number of results')
    yield Case('doubled-values', ['a.onnxtxt'], 0, {'a.onnxtxt': HEAD + ' (float[2,3] x) => (int64[] s60) { s0 = Shape(x) ' + ' '.join(
        f's{i + 1} = Concat<axis = 0>(s{i}, s{i})' for i in range(60)) + ' }'})
    yield Case('unknown-operators', ['a.onnxtxt'], 1, {'a.onnxtxt': HEAD + ' (float[2] x) => (float[] y0) { ' + ' '.join(
        f'y{i} = Reluu(x)' for i in range(4000)) + ' }'}, 'not an operator')
    yield Case('open-strings.akp', ['-check-rules', '-rules=a.akp'], 1, {'a.akp': 'akp 1;' + '"\n' * 200000}, 'a.akp:1:7: error', 256 * MEGABYTE)
    yield Case('open-regexes.akp', ['-check-rules', '-rules=a.akp'], 1, {'a.akp': 'akp 1;' + 'runs as /\n' * 100000}, 'a.akp:1:7: error', 256 * MEGABYTE)
    yield Case('slashes', ['a.onnx'], 0, {'a.onnx': long_name})
    yield Case('external-weights', ['a.onnx'], 0, {'a.onnx': external_weights, 'beside-secret.bin': bytes(8)})
    yield Case('rank', ['a.onnxtxt'], 0, {'a.onnxtxt': rank})
    yield Case('categories', ['-emit=summary=full', '-trace=a.json'], 0, {'a.json': lambda: kernels(['kernel'] + [f'c{i}' for i in range(80000)])}, 'c0')
    yield Case('endless-file', ['-trace=/dev/zero'], 1, {}, '/dev/zero: error')
    yield Case('endless-rules', ['-check-rules', '-rules=/dev/zero'], 1, {}, 'error')
    yield Case('endless-model', ['/dev/zero'], 1, {}, '/dev/zero: error', 3000 * MEGABYTE)
    yield Case('bomb', ['-trace=a.json.gz'], 1, {'a.json.gz': bomb}, 'a.json.gz: ')
    yield Case('unknown-keys', ['-config=a.yaml'], 1, {'a.yaml': '{' + 'a,' * 1000000 + '}'}, 'a.yaml:1:2: error', 1200 * MEGABYTE)
    yield Case('report-of-many-objects', ['-baseline=a.json', '-trace=b.json', 'm.onnxtxt'], 1, {
        'm.onnxtxt': SMALL, 'b.json': kernels(['kernel']), 'a.json': '{"schema":"amdahlc.report/2","x":[' + '{},' * 1000000 + '1]}'}, '`report` has no `runs`', 300 * MEGABYTE)
    yield Case('scenarios-map', ['-what-if=a.json', MODEL], 1, {'a.json': '{"scenarios":{"a":1}}'}, 'a.json:1:14: error')
    yield Case('rules-times-nodes', ['-rules=a.akp', 'a.onnxtxt'], 0, {'a.akp': many_rules(1000), 'a.onnxtxt': chain(1000)}, None, 1000 * MEGABYTE)
    yield Case('many-rules', ['-check-rules', '-rules=a.akp'], 0, {'a.akp': many_rules(9000)}, None, 1000 * MEGABYTE)
    yield Case('output-is-input', ['m.onnxtxt', '-o', './m.onnxtxt'], 2, {'m.onnxtxt': SMALL}, 'would replace the input')
    yield Case('odd-names.json', ['-trace=a.json'], 0, {'a.json': '[{"ph":"X","cat":"kernel","name":"%s","pid":"%s","tid":"%s","ts":1,"dur":1}]' % (ODD, ODD, ODD)})
    yield Case('odd-names-with-model', ['-trace=a.json', 'm.onnxtxt'], 0, {'m.onnxtxt': SMALL, 'a.json': '[{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":1,"dur":1}]' % ODD})
    yield Case('odd-category', ['-trace=a.json'], 0, {'a.json': '[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1},{"ph":"X","cat":"%s","name":"k","pid":0,"tid":7,"ts":1,"dur":1}]' % ODD})
    yield Case('nested-rules', ['-check-rules', '-rules=a.akp'], 0, {'a.akp': 'akp 1; kernel k { match -> ' + 'Relu(' * 190 + '_' + ')' * 190 + '; runs as /k/; }'})
    yield Case('deep-yaml', ['-config=a.yaml', MODEL], 1, {'a.yaml': '[' * 100000}, 'a.yaml:1:', 256 * MEGABYTE)
    yield Case('deep-json', ['-trace=a.json'], 1, {'a.json': '[' * 3000000}, 'a.json: byte')
    yield Case('key-behind-many', ['-trace=a.json'], 1, {'a.json': '{' + ','.join(f'"k{i}":1' for i in range(70)) + ',"traceEvents":[]}'}, 'a.json: error')
    yield Case('big-numbers', ['a.onnxtxt'], 1, {'a.onnxtxt': HEAD + ' (float[99999999999999999999] x) => (float[] y) { y = Relu(x) }'}, 'a.onnxtxt:1:')
    yield Case('long-generated-names', ['-trace=a.json', 'm.onnxtxt'], 0, {'m.onnxtxt': SMALL, 'a.json': json.dumps([
        {'ph': 'X', 'cat': 'kernel', 'name': f'triton_poi_fused_{names * 2000}_{i}', 'pid': 0, 'tid': 7, 'ts': i, 'dur': 1}
        for i, names in enumerate(('add_', 'add_mul_relu_', 'a_' * 6, 'abs_add_div_exp_gelu_'))])})
    yield Case('layers-of-many-nodes', ['-trace=a.json', 'm.onnxtxt'], 0, {'m.onnxtxt': SMALL, 'a.json': json.dumps(
        [{'count': 1}] + [{'name': layer, 'timeMs': 1, 'averageMs': 1, 'percentage': 50} for layer in (
            ' + '.join(f'n{i}' for i in range(20000)), '\x1E'.join(f'[ONNX Layer: n{i}]' for i in range(20000)))])})
    yield Case('byte-order-mark.akp', ['-check-rules', '-rules=a.akp'], 0, {'a.akp': '\ufeffakp 1; kernel k { match -> Relu(_); runs as /k/; }'})
    kernel = 'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId'
    for name, content, status, says in (
            ('generated-column', lambda: export('', [('CUPTI_ACTIVITY_KIND_KERNEL', f'{kernel}, streamId AS ({SLOW}))')]), 0, '100'),
            ('statistics-of-indexes', lambda: export('', [('other', f'CREATE TABLE sqlite_stat1(tbl, idx, a, stat AS ({SLOW}))')]), 0, '100'),
            ('expressions', lambda: export('', [('CUPTI_ACTIVITY_KIND_KERNEL', f'{kernel}, streamId DEFAULT ({SLOW}), CHECK ({SLOW} > 0))'),
                                                ('i', f'CREATE INDEX i ON CUPTI_ACTIVITY_KIND_KERNEL({SLOW}) WHERE {SLOW} > 0')],
                                               'CREATE INDEX i ON CUPTI_ACTIVITY_KIND_KERNEL (start)'), 0, '100'),
            ('table-that-is-virtual', lambda: export('', [('CUPTI_ACTIVITY_KIND_KERNEL', 'CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_KERNEL USING fts5(start, end)')]), 1, 'no such module'),
            ('table-that-is-a-view', lambda: export('', [('CUPTI_ACTIVITY_KIND_KERNEL', f'CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT {SLOW} AS start')]), 1, 'a.sqlite: error'),
            ('many-indexes', lambda: export('', [('other', 'CREATE TABLE other(' + ','.join(f'c{i}' for i in range(300)) + ''.join(
                f',UNIQUE(c{i},c{j})' for i in range(300) for j in range(300) if i != j) + ')')]), 1, 'a declaration of its schema has more than 16384 bytes')):
        yield Case(name, ['-trace=a.sqlite'], status, {'a.sqlite': content}, says)
    pipes = {f'a.sqlite-{suffix}': PIPE for suffix in ('wal', 'journal', 'shm')}
    yield Case('pipes-beside-a-database', ['-trace=a.sqlite'], 0, {'a.sqlite': export, **pipes}, '100')
    for name, content, says in (
            ('database-longer-than-it-says', lambda: inflated(header(16), b'\0'), 'byte 1048576: error[trace-invalid]: the file goes on behind'),
            ('database-in-place-longer-than-it-says', lambda: export() + bytes(64), 'error[trace-invalid]: the file goes on behind'),
            ('database-of-nothing', lambda: inflated(header(1 << 16), b'\0'), 'byte 67108864: error[file-too-large]: the file is decompressed to more than'),
            ('huge-database', lambda: inflated(header(1 << 20), b'\0'), 'more than the limit of 17179869184 bytes'),
            ('layers-of-nothing', lambda: inflated(b'[{"count": 1}', b' '), 'byte 67108864: error[file-too-large]'),
            ('database-in-gzip', lambda: gzip.compress(header(1 << 16)) + gzip.compress(bytes(16 * MEGABYTE)) * 8, 'byte 67108864: error[file-too-large]')):
        yield Case(name, ['-trace=a.z'], 1, {'a.z': content}, says, 200 * MEGABYTE)
    names = {'name': lambda text: one_kernel(name=text), 'stream': lambda text: one_kernel(tid=text), 'category': lambda text: one_kernel(cat=text),
             'shapes': lambda text: one_kernel(cat='cpu_op', args={'Input Dims': [[1] * (len(text) // 3)]}),
             'types': lambda text: one_kernel(cat='cpu_op', args={'Input Dims': [[[1]] * 10000], 'Input type': [text[:1000000]]}),
             'node': lambda text: json.dumps([{'cat': 'Node', 'name': 'n_kernel_time', 'pid': 1, 'tid': 1, 'ts': 1, 'dur': 1, 'ph': 'X', 'args': {'op_name': text}}]),
             'layer': lambda text: json.dumps([{'count': 1}, {'name': text, 'timeMs': 1, 'averageMs': 1, 'percentage': 50}])}
    for name, make in names.items():
        # Without its category the only event is none that can be analysed.
        code, says = (0, 'too-long') if name != 'category' else (1, 'trace-empty')
        yield Case(f'long-{name}', ['-trace=a.json'], code, {'a.json': lambda make=make: make('k' * 4 * MEGABYTE)}, says)
    yield Case('longest-name', ['-trace=a.z'], 1, {'a.z': lambda: gzip.compress(one_kernel()[:-10].encode()) + gzip.compress(b' ' * 16 * MEGABYTE) * 5}, 'an event or a field has more than', 200 * MEGABYTE)
    strings = "CREATE TABLE StringIds (id INTEGER, value TEXT); INSERT INTO StringIds VALUES (1, replace(hex(zeroblob(2000000)), '0', 'k'))"
    yield Case('long-name-in-a-database', ['-trace=a.sqlite'], 0, {'a.sqlite': lambda: export(', demangledName INTEGER DEFAULT 1', (), strings)}, 'name-too-long')
    yield Case('evidence-of-many-calls', ['-trace=a.json', '-emit=evidence=/dev/null', 'm.onnxtxt'], 0,
               {'m.onnxtxt': lambda: chain(1000), 'a.json': lambda: run_of_relus(12000)}, None, 400 * MEGABYTE)
    for name, model, refusal in pictures():
        yield Case(f'picture-of-{name}', ['-passes=fuse', '-emit=svg<fold=none>=/dev/null', 'a.onnxtxt'], 1 if refusal else 0, {'a.onnxtxt': model}, refusal,
                   400 * MEGABYTE, seconds=8)
    for size in range(17, 35):
        yield Case(f'memory-of-ranks-{size}M', [f'-max-memory={size}M', '-jobs=8', *(f'-trace=rank{i}=rank{i}.json' for i in range(8))], (0, 1),
                   {f'rank{i}.json': kernels(['kernel'] * 3000) for i in range(8)}, limited=True)
    out = 'error[out-of-memory]: memory ran out while '
    yield Case('memory-of-a-model', ['-max-memory=40M', 'a.onnxtxt'], 1, {'a.onnxtxt': lambda: chain(100000)}, f'a.onnxtxt: {out}the model was read', limited=True)
    yield Case('memory-of-a-trace', ['-max-memory=40M', '-trace=a.json'], 1, {'a.json': lambda: kernels(['kernel'] * 300000)}, f'a.json: {out}the trace was read', limited=True)
    yield Case('memory-of-rules', ['-max-memory=40M', '-check-rules', '-rules=a.akp'], 1, {'a.akp': many_rules(9000)}, f'a.akp: {out}the rules were read', limited=True)
    maps = 'scenarios: [' + ','.join(['{a: 1}'] * 300000) + ']'
    yield Case('memory-of-options', ['-max-memory=50M', '-config=a.yaml', MODEL], 1, {'a.yaml': maps}, f'a.yaml: {out}options were read', limited=True)
    yield Case('memory-of-speedups', ['-max-memory=50M', '-what-if=a.yaml', MODEL], 1, {'a.yaml': maps}, f'a.yaml: {out}speed-ups were read', limited=True)
    yield Case('memory-of-an-array', ['-max-memory=300M', '-trace=a.json.gz'], 1, {'a.json.gz': bomb}, 'a.json.gz: ', 400 * MEGABYTE, limited=True)
    entry = '&e {rule: k, speedup: 2}' + ',*e' * 9000
    laughs = f'{{scenarios: [&s {{name: a, speedups: [{entry}]}}' + ',*s' * 900 + ']}'
    aliases = 'error[{}-syntax]: the file is larger than 4 MiB once its aliases are written out'
    yield Case('aliases-of-speedups', ['-what-if=a.yaml', MODEL], 1, {'a.yaml': laughs}, aliases.format('speedup'))
    yield Case('aliases-of-options', ['-config=a.yaml', MODEL], 1, {'a.yaml': '{disable-rule: [&a ' + 'a' * 100000 + ',*a' * 100000 + ']}'}, aliases.format('config'))
    yield Case('aliases-of-devices', ['-hardware=a.yaml', MODEL], 1, {'a.yaml': '{devices: [&a "' + '(a|b)' * 1000 + '"' + ',*a' * 100000 + ']}'}, aliases.format('hardware'))
    yield Case('inserts-in-a-long-line', ['-lsp'], 0, {
        'in': lambda: edits('akp 1;\n//' + 'x' * MEGABYTE, ((1, 9 * i) for i in range(100000)))}, None, 512 * MEGABYTE, stdin='in')
    yield Case('inserts-in-many-lines', ['-lsp'], 0, {
        'in': lambda: edits('akp 1;\n' + '//x\n' * 200000, ((i * 7 % 200000, 2) for i in range(100000)))}, None, 512 * MEGABYTE, stdin='in')
    yield Case('typing-on', ['-lsp'], 0, {'in': lambda: edits('akp 1;\n//', ((1, 2 + i) for i in range(100000)))}, None, 512 * MEGABYTE, stdin='in')
    yield Case('typing-at-the-front', ['-lsp'], 0, {'in': lambda: edits('akp 1;\n//', ((0, 0) for i in range(100000)))}, None, 512 * MEGABYTE, stdin='in')
    yield Case('blanks-and-semicolons', ['-config=a.yaml', MODEL], 1, {'a.yaml': lambda: 'what-if: "' + ' ' * 1000000 + 'a' + ';' * 1000000 + '"'}, 'error')
    yield Case('many-notifications', ['-lsp'], 0, {'in': lambda: edits('akp 1;\n//' + 'x' * MEGABYTE, [(1, MEGABYTE)], 20000)}, stdin='in')
    if not HOSTILE.is_dir():
        return
    shared = lambda name, status, says=None, before=(), after=(): Case(name, [*before, HOSTILE / name, *after], status, {}, says)
    yield shared('laugh-aionnx.onnx', 1, 'nodes once its functions are inlined')
    yield shared('laugh-colons.onnx', 1, 'nodes once its functions are inlined')
    yield shared('laugh-under-limit.onnx', 1, 'nodes once its functions are inlined')
    for name in ('RegexFullMatch', 'LabelEncoder', 'DictVectorizer', 'TreeEnsemble'):
        yield shared(f'onnx-segv-{name}.onnx', 0)
    yield shared('ir-parsekernel-oob.air', 1, 'ir-parsekernel-oob.air:8:3: error', ['-passes='])
    yield shared('add1d.onnxtxt', 0)
    yield shared('concat-double.onnxtxt', 0)
    yield shared('regions65.onnxtxt', 1, 'nested 65 deep', ['-verify-each'])
    yield shared('air-runtime-path.air', 0)
    yield shared('air-label-traversal.air', 1, 'error[', (), ['-passes=emit<output=bindings=out.csv>'])
    yield Case('trace-report-escape', [f'-trace={HOSTILE}/trace-report-escape.json'], 0)
    yield Case('trace-frames-hang', [f'-trace={HOSTILE}/trace-frames-hang.json.gz', 'm.onnxtxt'], 0, {'m.onnxtxt': SMALL})
    yield Case('yaml-hang-1byte', [f'-config={HOSTILE}/yaml-hang-1byte.yaml', MODEL], 1, {}, ':1:1: error')
    yield Case('speedups-trailing-comma', [f'-what-if={HOSTILE}/speedups-trailing-comma.json', MODEL], 1, {}, ':1:41: error')
    yield Case('speedups-scenarios-map', [f'-what-if={HOSTILE}/speedups-scenarios-map.json', MODEL], 1, {}, ':1:14: error')


def touched(log, folder, arguments):
    """Files that the command opened, or tried to, and was not told to; and those that a model names, whatever was done to them."""
    named = {os.path.normpath(os.path.join(folder, part.rpartition('=')[2])) for part in arguments}
    # glibc reads how the kernel commits memory when threads give memory back.
    allowed = ('/lib', '/usr/lib', '/etc/ld.so', '/proc/self', '/proc/sys/vm/overcommit_memory', '/sys/devices/system/cpu', '/sys/fs/cgroup', str(amdahlc.binary.parents[1] / 'share' / 'amdahlc'))
    text, found = log.read_text(errors='replace'), set()
    for path in re.findall(r'\bopen(?:at)?\((?:AT_FDCWD, )?"([^"]*)"', text):
        where = os.path.normpath(os.path.join(folder, path))
        # A build folder has a link to the rules that ship, an installation has a copy.
        ships = os.path.realpath(where).startswith(str(SOURCE / 'rules'))
        library = re.search(r'\.so(\.\d+)*$', where)
        if not ships and not library and not where.startswith(allowed) and where not in named:
            found.add(where)
    return found | {line for line in text.split('\n') if 'secret' in line}


def contents(folder):
    return {path.name: path.is_file() and path.read_bytes() for path in folder.iterdir()}


def run_case(case, command, folder, files):
    """(exit status, seconds of processor time, peak of memory in bytes, what it printed on stdout and on stderr); the status is None where it does not end."""
    start = time.monotonic()
    with open(files / 'out', 'w+b') as out, open(files / 'err', 'w+b') as err, open(folder / case.stdin, 'rb') as stdin:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, stdin=stdin)
        while True:
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            if done:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, [(files / name).read_bytes() for name in ('out', 'err')]
            # A busy machine gives it a part of a processor.
            if time.monotonic() - start > SECONDS * 10:
                process.kill()
                process.wait()
                return None, 0, 0, [b'', b'']
            time.sleep(0.002)


def faults_of(case):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name, 'work')
        folder.mkdir()
        for path, content in case.files.items():
            content = content() if callable(content) else content
            if content is PIPE:
                os.mkfifo(folder / path)
                continue
            (folder / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        before = contents(folder)
        log = pathlib.Path(name, 'strace')
        command = [str(amdahlc.binary), *map(str, case.arguments)]
        if STRACE and not amdahlc.sanitized:
            command = ['strace', '-f', '-s', '4096', '-e', 'trace=%file', '-o', str(log), *command]
        status, seconds, memory, texts = run_case(case, command, folder, pathlib.Path(name))
        if status is None:
            yield f'still running after {SECONDS * 10} s'
            return
        if status not in case.statuses:
            yield f'exit {status} instead of {" or ".join(map(str, case.statuses))}: {texts[1][:300]}'
        if not amdahlc.sanitized and seconds > case.seconds:
            yield f'{seconds:.1f} s of processor time instead of {case.seconds} at most'
        if not amdahlc.sanitized and memory > case.memory:
            yield f'{memory // MEGABYTE} MiB instead of {case.memory // MEGABYTE} at most'
        if sum(map(len, texts)) > MEGABYTE // 2:
            yield f'{sum(map(len, texts))} bytes printed'
        for text in texts:
            if '-lsp' in case.arguments:   # the protocol's own ends of lines
                text = text.replace(b'\r\n', b'\n')
            if found := CONTROL.search(text.decode(errors='replace')):
                yield f'prints the character {found[0]!r}'
        if status and b'error[' not in texts[1]:
            yield 'is refused without an error'
        if case.says and case.says.encode() not in texts[0] + texts[1]:
            yield f'does not say `{case.says}`: {texts[1][:300]}'
        if contents(folder) != before:
            yield 'changed or wrote files'
        if log.exists():
            if found := touched(log, folder, command):
                yield f'opened {sorted(found)[:3]}'
            if str(amdahlc.binary) not in log.read_text(errors='replace'):
                yield 'strace did not see the command: this sees nothing'


def check(check):
    if not HOSTILE.is_dir():
        check.left_out('files of the folder `shared` beside the project', 'it is missing')
    if not STRACE:
        check.left_out('the list of opened files', 'strace is not installed or not allowed here')
    for case in cases():
        if check.only.search(case.name) and not (amdahlc.sanitized and case.limited):
            check.none(case.name, faults_of(case))
