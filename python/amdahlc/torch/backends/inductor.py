"""PyTorch's own compiler, which `torch.compile` uses."""

from __future__ import annotations

import copy
import gzip
import shutil
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import torch

from .._graph import Graph
from . import Backend, Compiled
from ._generated import REGION, stated
from ._recorded import recorded


class _Code(Compiled):
    def __init__(self, code: Callable[..., Any], texts: Sequence[str], graph: torch.fx.Graph) -> None:
        self._code = code
        self._texts = texts
        self._graph = graph

    def run(self, inputs: Any) -> Any:
        return self._code(*inputs)

    def trace(self, once: Callable[[], None], iterations: int) -> list[bytes]:
        return [stated(one, self._texts, self._graph) for one in recorded(once, iterations)]

    def problem_of(self, files: Sequence[bytes]) -> str:
        if any(REGION.encode() in gzip.decompress(one) for one in files):
            return ""
        return "its trace has no region of compiled code: the graph ran in eager mode"


class Inductor(Backend):
    """`torch.compile` with its default back end. The mode is one of `torch.compile`."""

    modes = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")

    @classmethod
    def missing(cls) -> str:
        if not torch.cuda.is_available() and not any(shutil.which(name) for name in ("g++", "clang++", "c++")):
            return "there is no C++ compiler, which it needs for the CPU"
        return ""

    def compile(self, graph: Graph, inputs: Sequence[Any], changed: Sequence[int]) -> Compiled:
        # `torch.compile` of a graph inside of a back end runs the graph in eager mode without a word.
        from torch._inductor import list_mode_options
        from torch._inductor.compile_fx import compile_fx
        from torch._inductor.graph import GraphLowering

        mode = self.mode or graph.options.get("mode") or "default"
        settings = {**list_mode_options(mode), **(graph.options.get("options") or {})}
        # Without it generated kernels of a CPU leave no events.
        settings["cpp.enable_kernel_profile"] = True
        # Around this call alone they would not reach gradients, which are compiled when they are first computed.
        texts: list[str] = []
        with mock.patch.object(GraphLowering, "save_output_code", texts.append):
            code = compile_fx(copy.deepcopy(graph.module), list(inputs), config_patches=settings)
        return _Code(code, texts, graph.module.graph)


BACKEND = Inductor
