"""Recording of PyTorch programs, and reports of them.

`profile` calls a model and reports what limits it, `record` records steps of a program that runs, and ``python -m
amdahlc.torch`` does it from a shell.
"""

from .capture import Capture, RecordedReport, RecordingError, capture_calls
from .record import profile, record

__all__ = ["Capture", "RecordedReport", "RecordingError", "capture_calls", "profile", "record"]
