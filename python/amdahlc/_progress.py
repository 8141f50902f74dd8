"""Progress of long work on a terminal, as tqdm shows it."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable

Progress = Callable[[str, float], None]


class ProgressLine:
    """A line on stderr: what is done, which part of it, a bar, and the time since the start and to the end.

    It appears after half a second, changes ten times a second at most, and goes away at the end.
    """

    def __init__(self) -> None:
        self._begin = self._begin_of_work = time.monotonic()
        self._work = ""
        self._next = self._begin + 0.5
        self._width = 0

    def __call__(self, what: str, part: float) -> None:
        now = time.monotonic()
        if what != self._work:
            self._work, self._begin_of_work = what, now
        if now < self._next:
            return
        self._next = now + 0.1
        text = f"amdahlc: {what}: "
        passed = now - self._begin_of_work
        if part >= 0:
            left = f"<{_clock(passed / part - passed)}" if part > 0 else ""
            ending = f" [{_clock(passed)}{left}]"
            room = shutil.get_terminal_size().columns - len(text) - len(ending) - 8
            text += f"{100 * part:3.0f}%" + (f"|{_bar(part, min(room, 40))}|" if room >= 5 else "") + ending
        else:
            text += f"[{_clock(passed)}]"
        self._write(text)

    def end(self) -> None:
        """Removes the line."""
        if self._width:
            self._write(" " * self._width)
            sys.stderr.write("\r")
            sys.stderr.flush()
            self._width = 0

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def _bar(part: float, width: int) -> str:
    encoding = getattr(sys.stderr, "encoding", None) or "ascii"
    try:
        full = "\u2588".encode(encoding).decode(encoding)
    except UnicodeError:
        full = "#"
    return (full * int(part * width)).ljust(width)


def progress_of(progress: bool | Progress | None) -> Progress | None:
    """Who is told of progress: a callable that is given, or a line where it is asked for or stderr is a terminal."""
    if callable(progress):
        return progress
    isatty = getattr(sys.stderr, "isatty", None)
    shown = progress if progress is not None else isatty is not None and isatty()
    return ProgressLine() if shown else None
