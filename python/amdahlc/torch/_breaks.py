"""Why TorchDynamo ended a graph, or captured none: what it says in its log."""

from __future__ import annotations

import logging
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import torch._dynamo.convert_frame
import torch._dynamo.symbolic_convert

_PLACE = re.compile(r"in user code at (.*):(\d+)$", re.MULTILINE)
_NOT_CONVERTED = re.compile(r"WON'T CONVERT (\S+) (.*) line (\d+)")
_LIMIT = re.compile(r"hit config\.(\S+) \((\d+)\)\n\s*function: '([^']*)' \((.*):(\d+)\)")


@dataclass(frozen=True)
class Break:
    """A place of the program at which no graph could go on.

    Attributes
    ----------
    file : str
    line : int
    reason : str
        The first sentences of TorchDynamo.
    skipped : bool
        The whole frame runs in eager mode: it has no graph at all, and calls in it may have some.
    text : str
        All that TorchDynamo says.
    """

    file: str
    line: int
    reason: str
    skipped: bool
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}" + (" (the function runs without a graph)" if self.skipped else "")


def break_of(message: str) -> Break | None:
    """The break that a message of TorchDynamo's log is about; None if it is about none."""
    if found := _LIMIT.search(message):
        name, limit, function, file, line = found.groups()
        return Break(file, int(line), f"`{function}` was compiled more often than {name} ({limit}) allows", True, message)
    if found := _NOT_CONVERTED.search(message):
        reason = next((line.strip() for line in message.splitlines()[1:] if line.strip().startswith(("torch.", "Reason", "due to"))
                       and len(line.strip()) > 8), "TorchDynamo failed")
        return Break(found[2], int(found[3]), f"`{found[1]}`: {_last_error(message) or reason}", True, message)
    place = _PLACE.search(message)
    if place is None:
        return None
    reasons = message.partition("Graph Break Reason:")[2]
    skipped = "Skipping the function" in reasons or "frame skipped" in reasons
    first, *more = re.split(r"\*\*\* While handling this graph break.*\*\*\*", reasons)
    texts = [_gist(first), *(_gist(one) for one in more)]
    return Break(place[1], int(place[2]), "; ".join(dict.fromkeys(text for text in texts if text)), skipped, message)


def _gist(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    while lines and lines[0].startswith(("Encountered graph break", "Failed to handle graph break")):
        lines.pop(0)
    return lines[0] if lines else ""


def _last_error(message: str) -> str:
    errors = [line.strip() for line in message.splitlines() if re.match(r"\s*(torch\.\S*|\w+Error|\w+Exception)\b.*:", line)]
    return errors[-1] if errors else ""


class _Collector(logging.Handler):
    def __init__(self, found: dict[tuple[str, int, str], Break]) -> None:
        super().__init__(logging.DEBUG)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        one = break_of(record.getMessage())
        if one is not None:
            self._found.setdefault((one.file, one.line, one.reason), one)


@contextmanager
def collected(found: dict[tuple[str, int, str], Break]) -> Iterator[None]:
    """Adds breaks to ``found`` by place and reason; TorchDynamo's own lines about them are not printed.

    With the environment variable TORCH_LOGS they are printed as that says.
    """
    handler = _Collector(found)
    with ExitStack() as stack:
        for name in list(logging.root.manager.loggerDict):
            if name.startswith("torch._dynamo") and name.endswith(("__graph_breaks", ".convert_frame")):
                _attach(stack, logging.getLogger(name), handler)
        if "TORCH_LOGS" not in os.environ:
            _attach(stack, logging.getLogger("torch._dynamo.variables.tensor"), handler)
            stack.enter_context(warnings.catch_warnings())
            warnings.filterwarnings("ignore", message="Dynamo does not know how to trace")
            warnings.filterwarnings("ignore", message="Graph break")
        yield


def _attach(stack: ExitStack, logger: logging.Logger, handler: logging.Handler) -> None:
    level, propagated = logger.level, logger.propagate
    logger.addHandler(handler)
    stack.callback(logger.removeHandler, handler)
    if "TORCH_LOGS" not in os.environ:
        logger.propagate = False
        stack.callback(setattr, logger, "propagate", propagated)
    if logger.name.endswith("__graph_breaks"):
        logger.setLevel(logging.DEBUG)
        stack.callback(logger.setLevel, level)
