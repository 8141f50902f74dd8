"""Exceptions and warnings: what the command prints, as values."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Diagnostic:
    """A message about an input.

    Attributes
    ----------
    severity : str
        ``error``, ``warning``, ``remark`` or ``note``.
    code : str
        A stable name of what is wrong, such as ``akp-unknown-operator``; ``docs/`` explains each.
    message : str
        What was found, and after a semicolon what to do.
    file : str or None
        The input, or ``<command line>`` for an argument.
    line, column : int or None
        From 1, as far as they are known. Columns count bytes.
    notes : tuple of str
        Further sentences.
    text : str
        All of it as the command prints it, with the line of the input.
    """

    severity: str
    code: str
    message: str
    file: str | None
    line: int | None
    column: int | None
    notes: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text.rstrip("\n")


class Error(Exception):
    """Every error of this package.

    Parameters
    ----------
    text : str
        What the command prints.
    diagnostics : sequence of Diagnostic, optional
        The parts of it.
    """

    def __init__(self, text: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(text)
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[Error], tuple[str, tuple[Diagnostic, ...]]]:
        return type(self), (str(self), self.diagnostics)


class InputError(Error, ValueError):
    """An input or an argument cannot be used.

    Examples
    --------
    >>> try:
    ...     amdahlc.analyze(b"no model")
    ... except amdahlc.InputError as error:
    ...     [(one.severity, one.file) for one in error.diagnostics]
    [('error', 'model.onnx')]
    """


class LimitError(Error):
    """Memory ran out, or an input is larger than the documented limits."""


class InternalError(Error):
    """A bug in amdahlc."""


class Warning(UserWarning):  # noqa: A001: the name that users write is amdahlc.Warning
    """An input is unusual; the analysis goes on."""


_LIMITS = {"out-of-memory", "limit-exceeded"}


def error_of(diagnostics: tuple[Diagnostic, ...]) -> Error:
    """The exception for messages of which at least one is an error."""
    errors = tuple(one for one in diagnostics if one.severity == "error")
    text = "\n".join(str(one) for one in errors) or "the analysis failed without a message"
    if not errors:
        return InternalError(text)
    return (LimitError if any(one.code in _LIMITS for one in errors) else InputError)(text, errors)


def warn(diagnostics: tuple[Diagnostic, ...], stacklevel: int) -> None:
    """Issues the warnings among messages at the caller ``stacklevel`` frames above this one."""
    for one in diagnostics:
        if one.severity == "warning":
            warnings.warn(str(one), Warning, stacklevel=stacklevel + 1)


def from_core(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Calls a function of the extension; its exceptions become those of this module."""
    try:
        return work(*arguments, **named)
    except builtins.MemoryError as error:
        raise LimitError("memory ran out") from error
    except RuntimeError as error:
        raise InternalError(f"internal error: {error}; this is a bug in amdahlc") from error
