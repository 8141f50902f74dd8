"""Reads graphs, kernels and bindings from IR text, as far as the check of liveness needs them. Independent of the program's own parser."""
import re

TOKEN = re.compile(r'''//[^\n]*|"(?:[^"\\]|\\.)*"|%(?:"(?:[^"\\]|\\.)*"|[A-Za-z0-9_./$-]+)|\#\d+|\^\d+|::|->|/?[A-Za-z_][A-Za-z0-9_./$-]*|-?[\d.][\w.+-]*|\S''', re.X)
BITS = {'float64': 64, 'int64': 64, 'uint64': 64, 'complex64': 64, 'complex128': 128, 'float32': 32, 'int32': 32, 'uint32': 32, 'float16': 16,
        'bfloat16': 16, 'int16': 16, 'uint16': 16, 'int8': 8, 'uint8': 8, 'bool': 8, 'float8e4m3fn': 8, 'float8e5m2': 8, 'int4': 4, 'uint4': 4,
        'double': 64}


class Value:
    def __init__(self, name, graph, kind, element, size):
        self.name, self.graph, self.kind, self.element, self.bytes, self.producer = name, graph, kind, element, size, None


class Op:
    def __init__(self, number, kind, domain, graph, inputs):
        self.number, self.kind, self.domain, self.graph, self.inputs = number, kind, domain, graph, inputs
        self.outputs, self.bodies, self.attributes = [], [], {}


class Graph:
    def __init__(self, parent, branch, around):
        self.parent, self.branch, self.around = parent, branch, around
        self.values, self.inputs, self.outputs, self.ops = {}, [], [], []

    def find(self, name, skip=0):
        graph = self
        while graph is not None:
            if name in graph.values:
                if skip == 0:
                    return graph.values[name]
                skip -= 1
            graph = graph.around
        raise KeyError(name)


def unquoted(text):
    if not text.startswith('"'):
        return text
    plain = re.sub(rb'\\(x[0-9a-fA-F]{2}|.)', lambda m: bytes([int(m[1][1:], 16)]) if m[1][:1] == b'x' else {b'n': b'\n', b't': b'\t'}.get(m[1], m[1]),
                   text[1:-1].encode())
    return plain.decode(errors='replace')


class Reader:
    """The graphs of a module. `ops` are all live operators in order, those of a body behind theirs."""

    def __init__(self, text):
        self.tokens = [token for token in TOKEN.findall(text) if not token.startswith('//')]
        self.at, self.ops = 0, []
        self.main = self.graph(None, '', None)

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self):
        return self.tokens[self.at]

    def accept(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def expect(self, token):
        found = self.next()
        if found != token:
            raise ValueError(f'{token} expected, not {found}, behind {" ".join(self.tokens[self.at - 12:self.at])}')

    def graph(self, parent, branch, around):
        self.expect('graph')
        self.next(), self.next()
        self.expect('{')
        graph = Graph(parent, branch, around)
        while not self.accept('}'):
            token = self.next()
            if token in ('input', 'constant'):
                name = unquoted(self.next()[1:])
                self.expect(':')
                value = Value(name, graph, token, *self.facts())
                graph.values[name] = value
                if token == 'input':
                    graph.inputs.append(value)
            elif token == 'return':
                graph.outputs = self.operands(graph)
            elif token == 'erased':
                self.skip_block()
            elif token.startswith('#'):
                self.op(int(token[1:]), graph)
            else:
                raise ValueError(f'unexpected {token} in a graph')
        return graph

    def skip_block(self):
        self.expect('{')
        depth = 1
        while depth:
            depth += {'{': 1, '}': -1}.get(self.next(), 0)

    def operands(self, graph):
        self.expect('(')
        found = []
        while not self.accept(')'):
            token = self.next()
            if token == ',':
                continue
            if token == '_':
                found.append(None)
                continue
            skip = int(self.next()[1:]) if self.peek().startswith('^') else 0
            found.append(graph.find(unquoted(token[1:]), skip))
        return found

    def facts(self):
        """Element type and bytes, None where a dimension is unknown."""
        element, size = self.type()
        if self.accept('bytes'):
            token = self.next()
            size = None if token == '?' else int(token)
        if self.accept('='):
            while self.peek() not in ('[', '.', '}', ')', ','):
                self.next()
            if self.accept('['):
                while not self.accept(']'):
                    self.next()
            else:
                while self.peek() == '.' or self.peek().startswith('...'):
                    self.next()
        return element, size

    def type(self):
        element = self.next()
        if element == '<' or self.peek() == '<':
            depth = 0
            while True:
                depth += {'<': 1, '>': -1}.get(self.next(), 0)
                if depth == 0:
                    return element, None
        if element == '?' or not self.accept('['):
            return element, None
        count = 1
        while not self.accept(']'):
            token = self.next()
            if token != ',':
                count = count * int(token) if count is not None and token.isdigit() else None
        bits = BITS.get(element)
        return element, None if count is None or bits is None else (count * bits + 7) // 8

    def op(self, number, graph):
        outputs = []
        while self.peek().startswith('%') or self.peek() in ('_', ','):
            token = self.next()
            if token != ',':
                outputs.append(None if token == '_' else unquoted(token[1:]))
        if outputs:
            self.expect('=')
        kind, domain = unquoted(self.next()), ''
        if self.accept('::'):
            kind, domain = unquoted(self.next()), kind
        op = Op(number, kind, domain, graph, self.operands(graph))
        self.ops.append(op)
        graph.ops.append(op)
        if self.peek() == '{':
            begin = self.at
            self.skip_block()
            tokens = self.tokens[begin + 1:self.at]
            for i, token in enumerate(tokens[:-2]):
                if tokens[i + 1] == '=' and re.fullmatch(r'-?\d+', tokens[i + 2]):
                    op.attributes[token] = int(tokens[i + 2])
        types = []
        if self.accept(':'):
            if self.accept('('):
                while not self.accept(')'):
                    if self.peek() == ',':
                        self.next()
                    types.append(self.facts())
            else:
                types.append(self.facts())
        types = iter(types)
        for name in outputs:
            value = None if name is None else Value(name, graph, 'result', *next(types))
            if value:
                value.producer = op
                graph.values[name] = value
            op.outputs.append(value)
        while self.peek() in ('name', 'scope', 'call', 'target', 'doc', 'metadata', 'absorbed', 'regions'):
            word = self.next()
            if word == 'metadata':
                self.skip_block()
            elif word == 'absorbed':
                while self.next() != ']':
                    pass
            elif word == 'regions':
                self.expect('{')
                while not self.accept('}'):
                    branch = unquoted(self.next())
                    self.expect('=')
                    op.bodies.append(self.graph(op, branch, graph))
            else:
                self.next()


class Module:
    """`kernels` of the last cover: (numbers of operators, rule or None), `events` of each, its `state` in the run or None, `totals` of its time."""

    def __init__(self, text):
        begin = text.index('\ngraph 0 ') + 1
        end = min(at for at in (text.find('\nrules {', begin), text.find('\ncandidates {', begin), text.find('\ncover ', begin)) if at >= 0)
        reader = Reader(text[begin:end] + '\n')
        self.main, self.ops = reader.main, reader.ops
        self.by_number = {op.number: op for op in self.ops}
        rules = text[end:text.find('\ncover ', end)]
        self.works_not = set()
        rule = None
        self.views = []
        for line in rules.split('\n'):
            if match := re.match(r'  kernel (\S+) : ', line):
                rule = match[1].strip('"')
            elif line == '    runs as nothing;':
                self.works_not.add(rule)
            elif match := re.match(r'  views (?:\S+ )?([^{]*)\{([^}]*)\}', line):
                self.views.append(([name.strip() for name in match[2].split(',')], match[1]))
        self.results = {}
        for match in re.finditer(r'^  (\d+) @.* results \[([^\]]*)\] component', text[:text.find('\ncover ', end)], re.M):
            self.results[int(match[1])] = match[2]
        covers = [match.start() for match in re.finditer(r'^cover ', text, re.M)]
        cover = text[covers[-1]:]
        self.is_measured = ' trace ' in cover.split('\n', 1)[0]
        self.kernels, self.events, self.state, self.totals, self.iterations = [], {}, {}, {}, 1
        block = None
        for line in cover.split('\n'):
            if match := re.match(r'  kernel (\d+)(?: candidate (\d+) @(\S+)| named-by-trace)? \{', line):
                self.kernels.append(([], match[3], match[2]))
            elif match := re.match(r'    #(\d+)', line):
                self.kernels[-1][0].append(int(match[1]))
            elif match := re.match(r'  ([\w-]+) \{$', line):
                block = match[1]
            elif block == 'bound' and (match := re.match(r'    kernel (\d+) ([\w-]+)', line)):
                current = int(match[1])
                self.state[current] = match[2]
            elif block == 'bound' and (match := re.match(r'      event (\d+)', line)):
                self.events.setdefault(current, []).append(int(match[1]))
            elif block == 'timed' and (match := re.match(r'    kernel (\d+) \[.*\] reported (\d+)', line)):
                self.totals[int(match[1])] = int(match[2])
            elif block == 'timed' and (match := re.match(r'    run iterations (\d+)( representative)?', line)):
                self.iterations = 1 if match[2] else int(match[1])
        target = re.search(r'^target (.*)$', text[:begin], re.M)
        runs = re.findall(r'^  target (.*)$', text[:covers[-1]], re.M)
        self.target = dict(re.findall(r'(runtime|vendor) "?([\w-]+)"?', (runs or [target[1] if target else ''])[-1]))
