"""Traces of runs, by PyTorch's profiler."""

from __future__ import annotations

import gzip
from collections.abc import Callable

from ..capture import capture_calls


def recorded(once: Callable[[], None], iterations: int) -> list[bytes]:
    """Records calls, each as a step: the trace, compressed."""
    # An execution trace would make each operator slower, which compiled code has fewer of.
    capture = capture_calls(once, iterations, stacks=False, memory=False, execution_trace=False)
    files = []
    for path in capture.files:
        with open(path, "rb") as file:
            files.append(gzip.compress(file.read(), 3))
    return files
