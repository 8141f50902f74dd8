"""The ranks of a run side by side."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from . import _core
from . import _style as style
from ._errors import Diagnostic, Error, error_of, from_core, warn
from ._inputs import Inputs
from ._progress import ProgressLine, progress_of
from ._report import _DATA, _messages
from ._table import Table, Tables, tables_in

_OUTPUTS = ("ranks-json=json", "ranks=screen")


class Executor(Protocol):
    """What is needed of an executor: `concurrent.futures.Executor` has it, and so have adapters of clusters."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any) -> Any: ...


def ranks(
    traces: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[int, str | os.PathLike[str]],
    *,
    executor: Executor | None = None,
    progress: bool | Callable[[str, float], None] | None = None,
    **options: Any,
) -> Ranks:
    """Compares the ranks of a run: what each takes, and which waits for which.

    Each trace is read once, and little of it is kept: times by step and operations with other ranks. So memory grows with
    the traces that are read at the same time, and not with the number of ranks.

    Parameters
    ----------
    traces : path, list of paths, or mapping
        A folder of traces, a pattern of the shell, the traces in a list, or a mapping from numbers of ranks to traces.
        Without a mapping the ranks have the numbers that the traces state, else those in the names of the files, else
        their order.
    executor : concurrent.futures.Executor, optional
        Reads the traces: threads, processes, or workers of a cluster that have this package in the same version and see
        the files under the same paths. None: threads of the analysis, one for each core, or ``jobs``.
    progress : bool or callable, optional
        As in `analyze`.
    **options
        Options of the command by their names, such as ``steps="3..5"``.

    Returns
    -------
    Ranks

    Raises
    ------
    InputError
        There is no trace, one cannot be read, or two are of one rank.
    LimitError
        Memory ran out, or an input is larger than the limits.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     found = ranks("examples/ranks", executor=pool)
    >>> found.straggler["rank"]
    2
    """
    given = Inputs(_OUTPUTS)
    files: list[tuple[str, int | None]] = []
    source: list[tuple[str, list[str]]] = []
    if isinstance(traces, (str, os.PathLike)):
        source = [("", [os.fspath(traces)])]
    elif isinstance(traces, Mapping):
        files = [(os.fspath(path), number) for number, path in traces.items()]
    else:
        files = [(os.fspath(path), None) for path in traces]
    if executor is not None and options.get("jobs") is not None:
        raise TypeError("ranks() takes `jobs` or `executor`: both say how many traces are read at the same time")
    for name, value in options.items():
        given.add_option(name, value)
    shown = progress_of(progress)
    try:
        core = _core.Analysis(given.all_arguments(), None, str(_DATA), shown, source)
        if not source:
            core.add_ranks(files)
        if executor is not None:
            _read_by(executor, core, given.all_arguments(), shown)
        outcome = from_core(core.run)
    finally:
        if isinstance(shown, ProgressLine):
            shown.end()
    messages = _messages(core)
    if outcome != 0:
        raise error_of(messages)
    warn(messages, stacklevel=2)
    return Ranks(core, messages)


def _read_by(executor: Executor, core: _core.Analysis, arguments: list[str], shown: Callable[[str, float], None] | None) -> None:
    futures = [executor.submit(_read, arguments, path) for path in core.rank_files()]
    count = len(futures)
    try:
        for file in range(count):
            version, found = futures[file].result()
            if version != _core.version:
                raise Error(f"a worker has amdahlc {version}, and this process {_core.version}; what they read differs")
            core.give_rank(file, found)
            # It holds its result.
            futures[file] = None
            if shown is not None:
                shown("read traces of ranks", (file + 1) / count)
    except BaseException:
        for future in futures:
            if future is not None:
                future.cancel()
        raise


def _read(arguments: list[str], path: str) -> tuple[str, bytes]:
    core = _core.Analysis(arguments, None, str(_DATA), None)
    return _core.version, from_core(core.read_rank, path)


@functools.cache
def _schema() -> Any:
    return json.loads(_core.ranks_schema())


class Ranks:
    """The ranks of a run side by side.

    Attributes
    ----------
    messages : tuple of Diagnostic
        What the analysis had to say.
    """

    def __init__(self, core: _core.Analysis, messages: tuple[Diagnostic, ...]) -> None:
        self._json = core.output("ranks-json")
        self._screen = core.output("ranks").decode().rstrip("\n")
        self._parsed: dict[str, Any] | None = None
        self.messages = messages

    @property
    def warnings(self) -> list[Diagnostic]:
        """What the command prints as warnings."""
        return [one for one in self.messages if one.severity == "warning"]

    @property
    def data(self) -> dict[str, Any]:
        """The document of ``-emit=ranks-json``."""
        if self._parsed is None:
            self._parsed = json.loads(self._json)
        return self._parsed

    @property
    def tables(self) -> Mapping[str, Table]:
        """All tables by the key of the document: ``ranks``, ``across_ranks.collectives``, ``across_ranks.waits``,
        ``across_ranks.data_problems``.
        """
        return Tables(dict(tables_in(self.data, _schema(), "")))

    @property
    def ranks(self) -> Table:
        """A row for each rank, ascending, with the columns of ``-emit=ranks-csv``; times are those of a step."""
        return self.tables["ranks"]

    @property
    def collectives(self) -> Table:
        """A row for each kind of operation that several ranks take part in, most waiting first."""
        return self.tables["across_ranks.collectives"]

    @property
    def waits(self) -> Table:
        """How long one rank waited for another, longest first, over all compared steps."""
        return self.tables["across_ranks.waits"]

    @property
    def straggler(self) -> dict[str, Any] | None:
        """The rank that holds up the others, as ``across_ranks.straggler`` of the document; None: there is none."""
        found: dict[str, Any] | None = self.data["across_ranks"]["straggler"]
        return found

    def to_json(self) -> str:
        """The comparison as ``-emit=ranks-json`` writes it."""
        return self._json.decode()

    def __len__(self) -> int:
        return len(self.data["ranks"])

    def __repr__(self) -> str:
        held = f", straggler {self.straggler['rank']}" if self.straggler else ""
        return f"<Ranks: {len(self)}{held}>"

    def __str__(self) -> str:
        """The first screen of ``-emit=ranks``."""
        return self._screen

    def _repr_html_(self) -> str:
        return style.block(style.paragraphs(self._screen.split("\n\n")[0])) + self.ranks._repr_html_()
