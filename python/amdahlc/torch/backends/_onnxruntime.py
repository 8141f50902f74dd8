"""ONNX Runtime with any of its execution providers."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import torch

from .._graph import Graph
from . import Backend, Compiled
from ._onnx import Exported, export


class _Model(Compiled):
    def __init__(self, exported: Exported, provider: str) -> None:
        self._exported = exported
        self._provider = provider
        self._session = self._start(None)
        self.model = exported.model
        self.nodes = exported.nodes

    def _start(self, profile: str | None) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        # Threads that spin after a run would slow down what another back end runs next.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        if torch.get_num_threads() != len(os.sched_getaffinity(0)):
            options.intra_op_num_threads = torch.get_num_threads()
        if profile is not None:
            options.enable_profiling = True
            options.profile_file_prefix = profile
        wanted = [self._provider, *(["CPUExecutionProvider"] if self._provider != "CPUExecutionProvider" else [])]
        session = onnxruntime.InferenceSession(self._exported.model, options, providers=wanted)
        if session.get_providers()[0] != self._provider:
            raise RuntimeError(f"ONNX Runtime did not start {self._provider}")
        return session

    def prepare(self, inputs: Sequence[Any]) -> Any:
        arrays = {name: inputs[index].detach().cpu().contiguous().numpy() for name, index in self._exported.feeds}
        if self._provider == "CPUExecutionProvider":
            return arrays
        # Inputs and outputs stay on the device.
        import onnxruntime

        binding = self._session.io_binding()
        for name, array in arrays.items():
            binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array, "cuda", 0))
        for output in self._session.get_outputs():
            binding.bind_output(output.name, "cuda", 0)
        return binding

    def run(self, inputs: Any) -> Any:
        if isinstance(inputs, dict):
            return self._session.run(None, inputs)
        self._session.run_with_iobinding(inputs)
        inputs.synchronize_outputs()
        return inputs

    def results(self, raw: Any, inputs: Sequence[Any]) -> tuple[list[Any], Sequence[Any]]:
        outputs = [torch.from_numpy(one) for one in (raw if isinstance(raw, list) else raw.copy_outputs_to_cpu())]
        constants = iter(self._exported.constants)
        after = list(inputs)
        for index, place in self._exported.changed:
            after[index] = outputs[place]
        return [next(constants) if place is None else outputs[place] for place in self._exported.results], after

    def trace(self, once: Callable[[], None], iterations: int) -> list[bytes]:
        kept = self._session
        with tempfile.TemporaryDirectory(prefix="amdahlc-") as folder:
            self._session = self._start(os.path.join(folder, "profile"))
            try:
                # The report leaves out the first run.
                for _ in range(iterations + 1):
                    once()
                with open(self._session.end_profiling(), "rb") as file:
                    return [gzip.compress(file.read(), 3)]
            finally:
                self._session = kept

    def close(self) -> None:
        self._session = None


class OnnxRuntime(Backend):
    """Derived classes name an execution provider."""

    provider = ""

    @classmethod
    def missing(cls) -> str:
        for package in ("onnx", "onnxscript", "onnxruntime"):
            try:
                __import__(package)
            except ImportError:
                return f"the package `{package}` is not installed"
        import onnxruntime

        if cls.provider not in onnxruntime.get_available_providers():
            return f"the installed ONNX Runtime has no {cls.provider}"
        return ""

    def compile(self, graph: Graph, inputs: Sequence[Any], changed: Sequence[int]) -> Compiled:
        return _Model(export(graph, inputs, changed), self.provider)
