"""Recording of PyTorch programs, and reports of them; their graphs on back ends, side by side.

`profile` calls a model and reports what limits it, `record` records steps of a program that runs, and ``python -m
amdahlc.torch`` does it from a shell. `accelerate` marks functions and modules whose graphs `compare` runs on back ends.
"""

from ._accelerate import accelerate
from ._results import BackendResult, Profile, Segment
from ._session import Session, compare
from .backends import Backend, Compiled, backends
from .capture import Capture, RecordedReport, RecordingError, capture_calls
from .record import profile, record

__all__ = [
    "Backend",
    "BackendResult",
    "Capture",
    "Compiled",
    "Profile",
    "RecordedReport",
    "RecordingError",
    "Segment",
    "Session",
    "accelerate",
    "backends",
    "capture_calls",
    "compare",
    "profile",
    "record",
]
