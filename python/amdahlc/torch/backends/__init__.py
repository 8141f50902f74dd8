"""Back ends, on which `compare` runs the graphs of a program.

Each of this package is a module of this folder. Other packages add theirs by an entry point of the group
``amdahlc.torch.backends``, whose name is that of the back end and whose value is a class derived from `Backend`.
"""

from __future__ import annotations

import abc
import importlib
import importlib.metadata
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..._errors import InputError
from .._graph import Graph

GROUP = "amdahlc.torch.backends"


class Compiled(abc.ABC):
    """A graph that a back end compiled for inputs of one shape."""

    @abc.abstractmethod
    def run(self, inputs: Any) -> Any:
        """Runs the graph; this alone is timed. It may change tensors among the inputs where the graph does.

        Parameters
        ----------
        inputs
            What `prepare` returned.
        """

    def prepare(self, inputs: Sequence[Any]) -> Any:
        """The inputs in the form that `run` takes. Not timed: a program that uses the back end keeps its data so."""
        return inputs

    def results(self, raw: Any, inputs: Sequence[Any]) -> tuple[list[Any], Sequence[Any]]:
        """What `run` returned as the graph's results, and the inputs after the run. Not timed."""
        return list(raw), inputs

    def trace(self, once: Callable[[], None], iterations: int) -> list[bytes]:
        """Records runs.

        Parameters
        ----------
        once : callable
            Runs once on inputs of its own. A `Compiled` that records with something else may use `prepare` and `run`.
        iterations : int
            How many runs.

        Returns
        -------
        list of bytes
            The files of one recording, as `amdahlc.analyze` takes them; empty: this back end has no traces.
        """
        del once, iterations
        return []

    def problem_of(self, files: Sequence[bytes]) -> str:
        """Why a recording is not of this back end, so that its times must not be shown; empty if it is."""
        del files
        return ""

    def close(self) -> None:
        """Frees what the compiled graph holds."""


class Backend(abc.ABC):
    """A way to run captured graphs.

    Parameters
    ----------
    mode : str
        What stands behind a colon in the name that the user wrote: ``max-autotune`` of ``inductor:max-autotune``.
    """

    #: The values that ``mode`` may have beside none.
    modes: tuple[str, ...] = ()

    def __init__(self, mode: str = "") -> None:
        self.mode = mode

    @classmethod
    def missing(cls) -> str:
        """Why it cannot be used here, in words; empty if it can."""
        return ""

    @abc.abstractmethod
    def compile(self, graph: Graph, inputs: Sequence[Any], changed: Sequence[int]) -> Compiled:
        """Compiles a graph.

        Parameters
        ----------
        graph : Graph
            It must stay as it is: work on a copy.
        inputs : sequence
            Of the graph, tensors and numbers. Other inputs have the same shapes and the same numbers.
        changed : sequence of int
            The positions of the inputs that the graph changes in place.

        Returns
        -------
        Compiled

        Raises
        ------
        Exception
            Any; it becomes a failure with its text.
        """


@dataclass(frozen=True)
class Available:
    """A row of `backends`.

    Attributes
    ----------
    name : str
    modes : tuple of str
        Behind a colon: ``inductor:max-autotune``.
    missing : str
        Why it cannot be used here; empty if it can.
    """

    name: str
    modes: tuple[str, ...]
    missing: str

    def __str__(self) -> str:
        modes = f" (modes: {', '.join(self.modes)})" if self.modes else ""
        return f"{self.name}{modes}" + (f": not available, because {self.missing}" if self.missing else "")


class _Rows(list[Available]):
    def __repr__(self) -> str:
        return "\n".join(map(str, self))


def backends() -> list[Available]:
    """What can be compared here, and why the rest cannot.

    Returns
    -------
    list of Available
        By name; what a session takes without a list has an empty ``missing``.
    """
    rows = _Rows()
    for name, load in _found().items():
        try:
            cls = load()
            rows.append(Available(name, cls.modes, cls.missing()))
        except Exception as error:  # noqa: BLE001: a broken package of others is a reason, too
            rows.append(Available(name, (), f"it cannot be loaded: {type(error).__name__}: {error}"))
    return rows


def backend(name: str) -> Backend:
    """The back end of a name that a user wrote.

    Raises
    ------
    InputError
        There is none, its mode is unknown, or it cannot be used here; the message says why.
    """
    base, _, mode = name.partition(":")
    found = _found()
    if base not in found:
        raise InputError(f"unknown back end `{name}`; known are {', '.join(found)}, and ray://ADDRESS/RESOURCE/NAME")
    try:
        cls = found[base]()
    except Exception as error:
        raise InputError(f"the back end `{name}` cannot be loaded: {type(error).__name__}: {error}") from error
    if reason := cls.missing():
        raise InputError(f"the back end `{name}` is not available here, because {reason}")
    if mode and mode not in cls.modes:
        known = f"it has {', '.join(cls.modes)}" if cls.modes else "it has none"
        raise InputError(f"the back end `{base}` has no mode `{mode}`; {known}")
    return cls(mode)


def _found() -> dict[str, Callable[[], type[Backend]]]:
    found: dict[str, Callable[[], type[Backend]]] = {}
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            found[module.name.replace("_", "-")] = lambda name=module.name: _own(name)  # type: ignore[misc]
    for point in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda one: one.name):
        found.setdefault(point.name, point.load)
    return found


def _own(name: str) -> type[Backend]:
    cls: type[Backend] = importlib.import_module(f"{__name__}.{name}").BACKEND
    return cls
