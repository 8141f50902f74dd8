"""Recording of PyTorch programs, and reports of them."""

from .capture import Capture, RecordedReport, RecordingError, capture_calls

__all__ = ["Capture", "RecordedReport", "RecordingError", "capture_calls"]
