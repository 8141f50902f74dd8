"""PyTorch as it is: the captured graph, operator by operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._graph import Graph
from . import Backend, Compiled
from ._recorded import recorded


class _Graph(Compiled):
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._annotated = False

    def run(self, inputs: Any) -> Any:
        return self._graph.run_annotated(inputs) if self._annotated else self._graph.module.forward(*inputs)

    def trace(self, once: Callable[[], None], iterations: int) -> list[bytes]:
        self._annotated = True
        try:
            return recorded(once, iterations)
        finally:
            self._annotated = False


class Eager(Backend):
    """The graph in eager mode. Calls of modules are gone from it, so it is a little faster than the program."""

    def compile(self, graph: Graph, inputs: Sequence[Any], changed: Sequence[int]) -> Compiled:
        return _Graph(graph)


BACKEND = Eager
