"""Recording of PyTorch programs, and reports of them; graphs of programs on back ends, side by side."""

from ._accelerate import accelerate
from ._results import BackendResult, Profile, Segment
from ._session import Session, compare
from .backends import Backend, Compiled, backends
from .capture import Capture, RecordedReport, RecordingError, capture_calls

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
]
