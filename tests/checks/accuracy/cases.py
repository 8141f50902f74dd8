"""Binding cases: the models, the trace and the truth of one recorded run each.

A case is a folder with exports of one model (`model.dynamo.onnx`, `model.torchscript.onnx`), a trace of its run, the names of its
modules, and `truth.csv`: one row per stretch of self time of a framework operator whose call computes something. A row says in which
module and operator the time was spent. It comes from the running model, not from an export.

Cases are in the folder `shared` beside the project, and in `tests/data`, where each also has a second recording of the same program, under a
profiler with its defaults: `trace.default.json.gz`, `truth.default.csv.gz`.

`read_case` reads all of it. `Export` says for each node of an export in which module it lies and which framework operator it stands for:
the dynamo exporter notes both at the node, the TorchScript exporter writes the path of modules into the node's name.
"""
import ast
import csv
import gzip
import io
import json
import os
import pathlib
import re
from typing import NamedTuple

from checks.accuracy import onnx_wire
from checks.places import DATA, SHARED

EXPORTS = ('dynamo', 'torchscript')

# Scopes of rows outside of the model's modules.
OUTSIDE, NO_MEMBER = '-', '?'

# Spellings of one operator in traces and exports, by the name that is compared.
SPELLINGS = {
    '_to_copy': 'copy_ to',
    'batch_norm': '_native_batch_norm_legit_no_training native_batch_norm',
    'bitwise_and': '__and__ logical_and',
    'bitwise_or': '__or__',
    'cat': 'concat hstack',
    'clone': 'contiguous',
    'conv': '_convolution conv1d conv2d conv3d convolution',
    'div': 'true_divide',
    'full': 'scalar_tensor',
    'group_norm': 'native_group_norm',
    'index': 'index_select',
    'layer_norm': 'native_layer_norm',
    'log_softmax': '_log_softmax',
    'max_pool2d': 'max_pool2d_with_indices',
    'mean': '_adaptive_avg_pool2d adaptive_avg_pool1d adaptive_avg_pool2d',
    'mul': 'multiply',
    'pow': 'square',
    'rms_norm': '_fused_rms_norm',
    'softmax': '_softmax',
    'sub': 'rsub',
    'upsample': '_upsample_nearest_exact2d upsample_bicubic2d upsample_bilinear2d upsample_nearest2d',
    'view': '_unsafe_view flatten reshape unflatten',
    'where': 'masked_fill',
}
COMPARED = {spelling: name for name, spellings in SPELLINGS.items() for spelling in spellings.split()}


def compared_name(operator):
    """`aten::add_` and `add` are compared as `add`."""
    name = operator.rpartition('::')[2]
    name = COMPARED.get(name, name)
    stem = name.rstrip('_') or '_'
    return COMPARED.get(stem, stem)


class Node(NamedTuple):
    scope: str      # qualified name of the module, empty for the model itself
    operator: str   # compared name, empty if the export does not say
    type: str       # of ONNX
    call: str       # nodes of one call in the exported program share it
    weights: str = ''   # qualified name of the module whose weights it reads, empty if the export does not say


class Row(NamedTuple):
    start: int        # ns
    length: int       # ns
    operator: str     # compared name of the outermost operator inside the innermost module
    operators: tuple  # compared names from there to the innermost one
    scope: str
    call: object


class ModuleNames:
    """Qualified names of a model's modules, and the resolution of paths in TorchScript node names."""

    def __init__(self, names):
        self.known = set(names)
        self.resolved = {}

    def of_path(self, parts):
        """`('layer1', 'layer1.0', 'conv1')` is `layer1.0.conv1`: each part is relative to the module before, or to one around it."""
        if parts not in self.resolved:
            self.resolved[parts] = self._walk(parts)
        return self.resolved[parts]

    def _walk(self, parts):
        at = ''
        for part in parts:
            # Repeated calls of one module are numbered: `act_1`.
            inner = self._step(at, part) or self._step(at, re.sub(r'_\d+$', '', part))
            if not inner:
                return at or self._by_ending('.'.join(parts))
            at = inner
        return at

    def _step(self, at, part):
        around, candidates = at, []
        while around:
            candidates.append(f'{around}.{part}')
            around = around.rpartition('.')[0]
        candidates = [name for name in candidates + [part] if name in self.known]
        inside = [name for name in candidates if not at or name.startswith(f'{at}.')]
        # A part with a dot is the path inside the module that owns a container.
        return next(iter(inside or (candidates if '.' in part else [])), None)

    def _by_ending(self, path):
        """The only module whose name ends so: its owner was left out of the path. Empty if there are several."""
        found = [name for name in self.known if name == path or name.endswith(f'.{path}')]
        return found[0] if len(found) == 1 else ''


class Export:
    """One exported model of a case; `nodes` by name."""

    def __init__(self, kind, path, nodes):
        self.kind, self.path, self.nodes = kind, path, nodes
        self.operators_in, self.types_in, self.calls_of = {}, {}, {}
        for node in self.nodes.values():
            self.operators_in.setdefault(node.scope, set()).add(node.operator)
            self.types_in.setdefault(node.scope, set()).add(node.type)
            self.calls_of.setdefault((node.scope, node.operator), set()).add(node.call)

    def has(self, scope, kind):
        return kind in self.types_in.get(scope, ())


def read_export(kind, path, modules):
    nodes = {}
    add_nodes(nodes, onnx_wire.read_nodes(path.read_bytes()), '', None, modules)
    return Export(kind, path, nodes)


def add_nodes(described, nodes, prefix, owner, modules):
    """Adds nodes and those of their bodies, which are named `OWNER/ATTRIBUTE/NAME`."""
    found = [describe(node, modules) for node in nodes]
    if owner is not None:
        found = within_body(nodes, found, owner, modules)
    for node, what in zip(nodes, found):
        described[prefix + node.name] = what
        for attribute, body in node.bodies:
            add_nodes(described, body, f'{prefix}{node.name}/{attribute}/', what, modules)


def within_body(nodes, found, owner, modules):
    """Nodes of a body of which the export may not say in which module they lie.

    The weight that such a node reads bears the module's name. A node without weight lies in the module around those; if there are none, where
    the owner of the body lies."""
    says = [says_module(node) for node in nodes]
    parents = [what.weights.split('.')[:-1] for what in found if what.weights]
    around = '.'.join(os.path.commonprefix(parents)) if parents else owner.scope
    return [what if said else what._replace(scope=what.weights or around, operator=what.operator or ('' if node.metadata else owner.operator))
            for node, what, said in zip(nodes, found, says)]


def says_module(node):
    scopes = node.metadata.get('pkg.torch.onnx.name_scopes')
    # The list begins with the model itself, unless a branch was exported on its own.
    return node.name.startswith('/') if scopes is None else ast.literal_eval(scopes)[:1] == ['']


def describe(node, modules):
    """What an export's node says of its module and operator."""
    weights = next((name for value in node.inputs if (name := value.rpartition('.')[0]) and name in modules.known), '')
    scopes = node.metadata.get('pkg.torch.onnx.name_scopes')
    if scopes is None:
        inside = node.name.startswith('/')
        return Node(modules.of_path(tuple(node.name[1:].split('/')[:-1])) if inside else '', '', node.type, node.name, weights)
    scopes = ast.literal_eval(scopes)
    classes = ast.literal_eval(node.metadata['pkg.torch.onnx.class_hierarchy'])
    # `@1` numbers the calls of a module that is called repeatedly.
    around = [re.sub(r'@\d+', '', scope) for scope, kind in zip(scopes, classes) if not kind.startswith('aten.')]
    around = [scope for scope in around if scope in modules.known]
    operators = [kind for kind in classes if kind.startswith('aten.')]
    operator = compared_name(operators[-1].split('.')[1]) if operators else ''
    return Node(around[-1] if around else '', operator, node.type, scopes[-1], weights)


class Case(NamedTuple):
    name: str
    trace: pathlib.Path
    forwards: int    # of the model in the trace
    rows: list       # truth, by start
    exports: dict    # kind -> Export

    def doubled(self, shift_ns):
        """The truth of a trace whose events are repeated so much later."""
        later = [row._replace(start=row.start + shift_ns, call=(row.call, shift_ns)) for row in self.rows]
        return self._replace(forwards=2 * self.forwards, rows=self.rows + later)


def read_rows(path):
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == '.gz' else data).decode()
    return [Row(int(row['ts_ns']), int(row['dur_ns']), compared_name(row['op']),
                tuple(compared_name(operator) for operator in row['ops'].split(';')), row['scope'], row.get('call'))
            for row in csv.DictReader(io.StringIO(text, newline=''))]


def models_of(folder):
    paths = {kind: folder / f'model.{kind}.onnx' for kind in EXPORTS}
    return {kind: path for kind, path in paths.items() if path.exists()}


def has_shared():
    """Whether there are more cases than those of the project."""
    return (SHARED / 'cases' / 'binding').is_dir()


def is_bundled(folder):
    """Whether the case is part of the project."""
    return folder.parent == DATA


def truth_of(folder, kind=''):
    return folder / f'truth{kind}.csv.gz' if is_bundled(folder) else folder / 'truth.csv'


def read_case(folder, default=False):
    """The case; with `default` that of the recording under a profiler with its defaults, which bundled cases have."""
    kind = '.default' if default else ''
    modules = ModuleNames(json.loads((folder / 'modules.json').read_text()))
    meta = folder / 'meta.json'
    forwards = json.loads(meta.read_text())['forwards'] if meta.exists() else 1
    exports = {kind: read_export(kind, path, modules) for kind, path in models_of(folder).items()}
    return Case(folder.name, folder / f'trace{kind}.json.gz', forwards, read_rows(truth_of(folder, kind)), exports)


def case_folders(pattern=''):
    """Folders of all cases, by name; those whose name contains a match of a regular expression."""
    found = [path.parent for path in [*(SHARED / 'cases' / 'binding').glob('**/truth.csv'), *DATA.glob('*/truth.csv.gz')]]
    return sorted((folder for folder in found if re.search(pattern, folder.name)), key=lambda folder: folder.name)
