"""Graphs that TorchDynamo captured, with the names that they have in the user's program."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import torch

from ._tensors import Modes


@dataclass
class Input:
    """An input of a captured graph.

    Attributes
    ----------
    name : str
        As the user's program reaches it: ``blocks.0.weight``, ``x``.
    weight : bool
        A parameter or a buffer of a module. TorchDynamo turns them into inputs.
    """

    name: str
    weight: bool


@dataclass
class Graph:
    """A captured graph, which back ends compile.

    Attributes
    ----------
    module : torch.fx.GraphModule
        The graph. Back ends change copies of it only.
    inputs : list of Input
        In the order of its placeholders.
    modes : Modes
        Of the call that captured it.
    options : dict
        What `torch.compile` was to take, from `accelerate`: ``mode`` and ``options``, for `inductor`.
    """

    module: torch.fx.GraphModule
    inputs: list[Input]
    modes: Modes
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def captured(cls, module: torch.fx.GraphModule, names: Mapping[int, str], options: dict[str, Any]) -> Graph:
        """Of what TorchDynamo gives a back end.

        Parameters
        ----------
        module : torch.fx.GraphModule
            The graph. Its scopes become the paths of the user's modules.
        names : mapping
            From the identity of a module to its path.
        options : dict
            Of `accelerate`.
        """
        prefixes: dict[str, str] = {}
        for node in module.graph.nodes:
            if stack := node.meta.get("nn_module_stack"):
                for key, (path, _) in stack.items():
                    if (number := str(key).partition("@")[0]).isdigit() and int(number) in names:
                        prefixes[path] = names[int(number)]
                node.meta["nn_module_stack"] = {key: (prefixes.get(path, plain_name(path)), kind)
                                                for key, (path, kind) in stack.items()}
        inputs = []
        for node in module.graph.nodes:
            if node.op == "placeholder":
                source = getattr(node.meta.get("grapharg"), "source", None)
                name = source.name if source is not None else node.name
                # A method in versions before 2.9.
                text = re.sub(r"\.__dict__\['(\w+)'\]", r".\1", str(name() if callable(name) else name))
                inputs.append(Input(_input_name(text, prefixes), "._parameters[" in text or "._buffers[" in text))
        return cls(module, inputs, Modes.now(), options)

    def shapes(self, values: Sequence[Any]) -> tuple[str, ...]:
        """Names, types and shapes of the inputs that are no weights: ``x: float32[1, 100]``; numbers have values."""
        texts = []
        for one, value in zip(self.inputs, values, strict=True):
            if isinstance(value, torch.Tensor) and not one.weight:
                texts.append(f"{one.name}: {described(value)}")
        return tuple(texts)

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another machine: nodes keep their scopes, and lose what only TorchDynamo knows."""
        from torch.fx._graph_pickler import GraphPickler

        module = copy.deepcopy(self.module)
        facts = []
        for node in module.graph.nodes:
            stack = node.meta.get("nn_module_stack") or {}
            facts.append(({key: (path, _class_name(kind)) for key, (path, kind) in stack.items()}, is_tensor(node)))
            node.meta = {}
        return {**self.__dict__, "module": GraphPickler.dumps(module), "facts": facts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from torch._subclasses import FakeTensorMode
        from torch.fx._graph_pickler import GraphPickler

        facts = state.pop("facts")
        self.__dict__.update(state)
        self.module = GraphPickler.loads(state["module"], FakeTensorMode(allow_non_fake_inputs=True))
        for node, (stack, tensor) in zip(self.module.graph.nodes, facts, strict=True):
            node.meta = {"tensor": tensor, **({"nn_module_stack": stack} if stack else {})}
        self.module.recompile()

    def run_annotated(self, inputs: Sequence[Any]) -> Any:
        """Runs the graph with an annotation around what belongs to a module; those of nested modules are nested.

        The names of nested annotations, joined by dots, are the path of the module.
        """
        with ExitStack() as every:
            return _Annotated(self.module, every).run(*inputs)


class _Annotated(torch.fx.Interpreter):  # type: ignore[misc]
    def __init__(self, module: torch.fx.GraphModule, every: ExitStack) -> None:
        super().__init__(module)
        self._every = every
        self._open: list[tuple[str, ExitStack]] = []

    def run_node(self, n: torch.fx.Node) -> Any:
        if n.op not in ("placeholder", "output", "get_attr"):
            self._enter([path for path, _ in (n.meta.get("nn_module_stack") or {}).values() if path])
        return super().run_node(n)

    def _enter(self, paths: list[str]) -> None:
        same = 0
        while same < min(len(paths), len(self._open)) and self._open[same][0] == paths[same]:
            same += 1
        while len(self._open) > same:
            self._open.pop()[1].close()
        for path in paths[same:]:
            outer = self._open[-1][0] + "." if self._open else ""
            one = self._every.enter_context(ExitStack())
            one.enter_context(torch.profiler.record_function(path.removeprefix(outer)))
            self._open.append((path, one))


def _class_name(kind: Any) -> str:
    return f"{kind.__module__}.{kind.__qualname__}" if isinstance(kind, type) else str(kind)


def is_tensor(node: torch.fx.Node) -> bool:
    """Whether the value of a node of a captured graph is a tensor."""
    return bool(node.meta.get("tensor")) or isinstance(node.meta.get("example_value"), torch.Tensor)


def described(tensor: torch.Tensor) -> str:
    """Type and shape: ``float32[1, 100]``."""
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


_ITEM = re.compile(r"\[(?:'([^']*)'|\"([^\"]*)\"|(\d+))\]")


def plain_name(source: str) -> str:
    """The name that a user would write for a source of TorchDynamo.

    >>> plain_name("L['self']._modules['blocks']._modules['0']._parameters['weight']")
    'blocks.0.weight'
    >>> plain_name("G['model'].blocks.0"), plain_name("L['x']")
    ('model.blocks.0', 'x')
    """
    source = source.replace(".__dict__", "")
    text = re.sub(r"\b[LG]\[(?:'([^']*)'|\"([^\"]*)\")\]", lambda found: found[1] or found[2], source)
    text = re.sub(r"\._(?:modules|parameters|buffers)(?=\[)", "", text)
    text = _ITEM.sub(lambda found: "." + (found[1] or found[2] or found[3]), text)
    return text


def _input_name(source: str, prefixes: Mapping[str, str]) -> str:
    if "._parameters[" not in source and "._buffers[" not in source:
        return plain_name(source)
    owner, kind, item = re.split(r"\._(parameters|buffers)(?=\[)", source, maxsplit=1)
    # Scopes write `.blocks.0` where sources of inputs write `._modules['blocks']._modules['0']`.
    scope = re.sub(r"\._modules\['([^']*)'\]", r".\1", owner)
    path = prefixes.get(scope, plain_name(owner))
    return f"{path}.{plain_name(item).lstrip('.')}".lstrip(".")
