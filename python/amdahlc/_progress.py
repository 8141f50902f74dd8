"""Progress of long work on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


class ProgressLine:
    """A line on stderr, from half a second on."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._width = 0

    def __call__(self, what: str, part: float) -> None:
        if time.monotonic() - self._begin < 0.5:
            return
        text = f"amdahlc: {what}" + (f" {100 * part:3.0f} %" if part >= 0 else "")
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def end(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


def progress_of(progress: bool | Callable[[str, float], None] | None) -> Callable[[str, float], None] | None:
    if callable(progress):
        return progress
    isatty = getattr(sys.stderr, "isatty", None)
    shown = progress if progress is not None else isatty is not None and isatty()
    return ProgressLine() if shown else None
