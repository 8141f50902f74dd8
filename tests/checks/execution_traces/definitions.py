"""The definitions of docs/execution-traces.md, written as sums and searches over all that came before; slow.

Bytes are cells: a storage is cut at each first and last byte of any of its tensors, and a cell is one piece of it.
"""
import re
from typing import NamedTuple


class Tensor(NamedTuple):
    id: int
    storage: int
    begin: int
    end: float      # infinite where it is not known


def tensor_of(value, sizes, strides):
    number, storage, offset, elements, element_bytes, _ = value
    if storage == 0 or elements == 0:
        return Tensor(number, storage, 0, 0)
    if elements == 1:
        indices = [0]
    elif isinstance(sizes, list) and isinstance(strides, list) and len(sizes) == len(strides):
        indices = [0]
        for size, stride in zip(sizes, strides):
            indices = [index + step * stride for index in {min(indices), max(indices)} for step in (0, size - 1)]
    else:
        return Tensor(number, storage, 0, float('inf'))
    return Tensor(number, storage, (offset + min(indices)) * element_bytes, (offset + max(indices) + 1) * element_bytes)


def at(values, index):
    return values[index] if isinstance(values, list) and index < len(values) else None


def tensors_in(value, sizes, strides):
    """Tensors inside of a value. A list of six whose last is a text is a tensor: no list of the format has numbers and a text."""
    if not isinstance(value, list):
        return []
    if len(value) == 6 and isinstance(value[5], str) and all(type(part) is int for part in value[:5]):
        return [tensor_of(value, sizes, strides)]
    return [tensor for index, part in enumerate(value) for tensor in tensors_in(part, at(sizes, index), at(strides, index))]


class Call:
    def __init__(self, node):
        facts = {**node, **{attribute['name']: attribute['value'] for attribute in node.get('attrs', [])}}
        self.id, self.name = node['id'], node['name']
        self.parent = node['ctrl_deps'] if 'ctrl_deps' in node else node['parent']
        self.function, self.thread, self.schema = facts['rf_id'], facts['tid'], facts['op_schema']
        self.inside = []
        self.arguments, self.results = self.side(node, 'inputs', 'input'), self.side(node, 'outputs', 'output')

    @staticmethod
    def side(node, key, flat):
        """The tensors of each value."""
        lists = node[key]
        if isinstance(lists, list):
            lists = {'values': lists, 'types': node[f'{flat}_types'], 'shapes': node[f'{flat}_shapes']}
        return [tensors_in(value, at(lists['shapes'], index), at(lists.get('strides'), index)) if 'Tensor' in lists['types'][index] else []
                for index, value in enumerate(lists['values'])]

    def taken(self):
        return [tensor for argument in self.arguments for tensor in argument if tensor.begin < tensor.end]

    def returned(self):
        return [tensor for result in self.results for tensor in result if tensor.begin < tensor.end]

    def written(self):
        marks, depth, argument = [], 0, ''
        inside = re.match(r'[^(]*\((.*)\) ->', self.schema)
        for letter in inside[1] + ',' if inside else '':
            depth += (letter in '([') - (letter in ')]')
            if letter == ',' and depth == 0:
                if argument.strip() != '*':
                    marks.append('!' in argument.split('=')[0])
                argument = ''
            else:
                argument += letter
        if any(marks):
            places = [place for place, mark in enumerate(marks) if mark and place < len(self.arguments)]
        elif self.name.endswith('_') and '::' in self.name:
            places = [place for place, argument in enumerate(self.arguments) if any(tensor.begin < tensor.end for tensor in argument)][:1]
        else:
            places = []
        return [tensor for place in places for tensor in self.arguments[place] if tensor.begin < tensor.end]


def calls_of(document):
    calls = {node['id']: Call(node) for node in document['nodes']}
    for call in sorted(calls.values(), key=lambda call: call.id):
        if call.parent != call.id and call.parent in calls:
            calls[call.parent].inside.append(call)
    return calls


def run_of(call, outermost, isSurface=True):
    """What happens in a group: (call, 'begins' or 'returns', whether what it takes and returns is what the group does), in order."""
    yield call, 'begins', isSurface
    for inner in call.inside:
        if inner.id not in outermost:
            yield from run_of(inner, outermost, isSurface and not call.schema)
    yield call, 'returns', isSurface


def edges_of(calls, groups):
    """Data edges with their tensors, order edges and births."""
    outermost = set(groups)
    cuts = {}
    for call in calls.values():
        for tensor in call.taken() + call.returned():
            cuts.setdefault(tensor.storage, set()).update((tensor.begin, tensor.end))
    cells = {storage: sorted(bounds) for storage, bounds in cuts.items()}

    def bytes_of(tensor):
        return [(tensor.storage, cell) for cell in cells[tensor.storage] if tensor.begin <= cell < tensor.end]

    # By cell: what was done with it since the storage was born, as (group, 'read' or 'written').
    history, data, order, births = {}, set(), set(), []
    # By storage that was born: the end of what calls returned of it since.
    ends = {}

    def forget(storage):
        for cell in cells[storage]:
            history.pop((storage, cell), None)
    for group in groups:
        born, writes, before = [], [], {}
        for call, moment, isSurface in run_of(calls[group], outermost):
            if moment == 'begins':
                before[call.id] = len(born)
                writes += call.written()
                for tensor in call.taken():
                    if tensor.end > ends.get(tensor.storage, float('inf')):
                        del ends[tensor.storage]
                        forget(tensor.storage)
                        born[:] = [storage if storage != tensor.storage else None for storage in born]
                    if not isSurface or tensor.storage in born:
                        continue
                    for cell in bytes_of(tensor):
                        done = history.setdefault(cell, [])
                        last = next((by for by, what in reversed(done) if what == 'written'), group)
                        if last != group:
                            data.add((last, group, tensor.id, tensor.storage))
                        done.append((group, 'read'))
                continue
            for tensor in call.returned():
                if tensor.storage in ends:
                    ends[tensor.storage] = max(ends[tensor.storage], tensor.end)
                if tensor.storage in {operand.storage for operand in call.taken()}:
                    continue
                isBorn = tensor.storage not in born[before[call.id]:]
                if isSurface or isBorn:
                    writes.append(tensor)
                if not isBorn:
                    continue
                births.append((group, call.id, tensor.id, tensor.storage))
                born.append(tensor.storage)
                ends[tensor.storage] = tensor.end
                forget(tensor.storage)
        for cell in {cell for tensor in writes for cell in bytes_of(tensor)}:
            for by, what in reversed(history.get(cell, [])):
                if by != group:
                    order.add((by, group))
                if what == 'written':
                    break
            history.setdefault(cell, []).append((group, 'written'))
    pairs = {edge[:2] for edge in data}
    return data, order - pairs, births


def longest(left, right):
    """By position in both: how many equal elements, in order, both have before it."""
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            table[i + 1][j + 1] = table[i][j] + 1 if one == other else max(table[i][j + 1], table[i + 1][j])
    return table


def fewest_differences(left, right):
    """How many pairs an alignment of two sequences has at most, and a test of whether some such alignment has a pair."""
    before, behind = longest(left, right), longest(left[::-1], right[::-1])
    most = before[-1][-1]

    def may_have(i, j):
        return left[i] == right[j] and before[i][j] + 1 + behind[len(left) - i - 1][len(right) - j - 1] == most
    return most, may_have
