"""Lines that PyTorch's recorders print whenever they begin and end."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

# Sources of PyTorch that say on the standard error stream that a recorder begins or ends.
_SOURCES = (b"execution_trace_observer.cpp:", b"ActivityProfilerHandler.cpp:", b"CPUAllocator.cpp:", b"ActivityProfilerController.cpp:")


@contextmanager
def without_recorder_lines() -> Iterator[None]:
    """Keeps these lines from the standard error stream of the process; all others appear when the context ends."""
    sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # a process without such a stream
        yield
        return
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            said.seek(0)
            for line in said:
                if not any(source in line for source in _SOURCES):
                    os.write(2, line)
