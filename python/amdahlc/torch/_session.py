"""Sessions that compare back ends."""

from __future__ import annotations

import math
import os
import time
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch

from .._errors import InputError, Warning
from .._progress import ProgressLine, progress_of
from .._report import Report
from . import _accelerate
from ._accelerate import Target
from ._breaks import Break, collected
from ._calls import Call, GraphSegment, Recorder
from ._graph import Graph
from ._measure import Measured, Settings, joined, measure
from ._results import Profile, Segment
from ._table import page, table
from ._tensors import cloned
from ._trains import trains, untraced_optimizers
from .backends import Backend, backend, backends
from .remote import RemoteBackends, is_remote

# Copies of inputs that wait for being measured take no more than this.
_KEPT_BYTES = 2**30


class Session:
    """What `compare` returns. Its block is run by `with`, once or several times.

    Attributes
    ----------
    names : list of str
        The back ends.
    prices : dict
        From names to money per hour.
    """

    def __init__(self, names: Sequence[str], repeats: int, check: bool, prices: Mapping[str, float], max_seconds: float | None,
                 training: bool | None, reports: bool, progress: bool | Callable[[str, float], None] | None) -> None:
        self.names = list(names)
        self.prices = dict(prices)
        self._local: dict[str, Backend] = {name: backend(name) for name in names if not is_remote(name)}
        self._remote = RemoteBackends([name for name in names if is_remote(name)])
        self._repeats, self._check, self._reports, self._training = repeats, check, reports, training
        self._max_seconds = max_seconds
        self._spent = 0.0
        self._progress = progress
        self._recorder = Recorder(_KEPT_BYTES)
        self._compiled: dict[int, Callable[..., Any]] = {}
        self._targets: list[Target] = []
        self._breaks: dict[tuple[str, int, str], Break] = {}
        self._measured: dict[int, dict[str, Measured]] = {}
        self._trained = False
        self._open: ExitStack | None = None
        self._closed = False

    def __enter__(self) -> Session:
        if self._closed:
            raise InputError("the session is closed; `compare` makes another one")
        if _accelerate._active:
            raise InputError("a session's block runs already; there can be one at a time")
        with ExitStack() as stack:
            stack.enter_context(collected(self._breaks))
            # Each shape is a graph of its own, and none may silently run without one.
            stack.enter_context(torch._dynamo.config.patch(recompile_limit=1024, accumulated_recompile_limit=4096,
                                                           suppress_errors=True, use_numpy_random_stream=True,
                                                           # A module that counts its calls is one graph.
                                                           allow_unspec_int_on_nn_module=True))
            stack.enter_context(untraced_optimizers())
            _accelerate._active.append(self)
            stack.callback(_accelerate._active.pop)
            self._open = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            if self._open is not None:
                opened, self._open = self._open, None
                opened.close()
            if error is None:
                self.measure()
        finally:
            self._remote.close()
        if error is None:
            if not self._recorder.calls:
                warnings.warn("no accelerated function was called in the session", Warning, stacklevel=2)
        elif "does not require grad" in str(error) and hasattr(error, "add_note"):
            error.add_note("a session of amdahlc runs functions without gradients; compare(training=True) runs them with them")

    def measure(self) -> None:
        """Runs what was recorded on the back ends; the end of the block does it, and so does printing inside of it."""
        recorder = self._recorder
        used = {run.segment.number for calls in self._groups() for call in calls for run in call.runs}
        pending = [one for one in recorder.segments.values() if one.sets and one.number in used]
        if not pending:
            return
        begin = time.monotonic()
        deadline = math.inf if self._max_seconds is None else begin + self._max_seconds - self._spent
        shown = progress_of(self._progress)
        settings = Settings(self._repeats, self._check, self._reports, self._trained)
        try:
            for place, segment in enumerate(pending):
                self._measure_segment(segment, settings, deadline, _said(shown, place, len(pending), begin))
        finally:
            recorder.measured()
            self._spent += time.monotonic() - begin
            if isinstance(shown, ProgressLine):
                shown.end()

    def _measure_segment(self, segment: GraphSegment, settings: Settings, deadline: float, say: Callable[[str, float], None]) -> None:
        if time.monotonic() > deadline:
            # Even copies of weights take time. A cluster is asked what is lost, and gets nothing.
            late = {name: Measured(left_out="all runs, because max_seconds was reached") for name in self._local}
            self._keep(segment, {**late, **self._remote.start(segment.graph, segment.sets, settings, deadline).result(say)})
            segment.sets.clear()
            return
        counted = [one for one in segment.sets if not one.call.compiled] or segment.sets[-1:]
        weights = [index for index, one in enumerate(segment.graph.inputs) if one.weight]
        # The weights of all sets are one copy; what each set has besides was copied when it was recorded.
        copied = cloned(counted[0].values, weights)
        sets = [([copied[index] if one.weight else given.values[index] for index, one in enumerate(segment.graph.inputs)], given.random)
                for given in counted]
        segment.sets.clear()
        pending = self._remote.start(segment.graph, sets, settings, deadline)
        measured: dict[str, Measured] = {}
        here = self._remote.here
        if here:
            # Two things that run on one machine at the same time have no times worth knowing.
            measured.update(pending.result(say))
        if self._local:
            measured.update(measure(segment.graph, sets, self._local, settings, deadline, say))
        del sets, copied
        if not here:
            measured.update(pending.result(say))
        self._keep(segment, measured)

    def _keep(self, segment: GraphSegment, measured: Mapping[str, Measured]) -> None:
        before = self._measured.setdefault(segment.number, {})
        for name in self.names:
            before[name] = joined(before[name], measured[name]) if name in before else measured[name]

    @property
    def profiles(self) -> list[Profile]:
        """Calls by the graphs that they ran, in the order in which they first ran."""
        self.measure()
        groups = self._groups()
        numbers: dict[int, int] = {}
        for run in (run for calls in groups for run in calls[0].runs):
            numbers.setdefault(run.segment.number, len(numbers) + 1)
        return [Profile(calls[0].name, calls, self._segments_of(calls, numbers)) for calls in groups]

    def _groups(self) -> list[list[Call]]:
        groups: dict[tuple[Any, ...], list[Call]] = {}
        for call in self._recorder.calls:
            groups.setdefault(call.key(), []).append(call)
        counted = {call.name for call in self._recorder.calls if not call.compiled}
        # The first call with some shapes often has graphs that later ones with the same shapes do not use any more.
        return [calls for calls in groups.values() if calls[0].name not in counted or not all(one.compiled for one in calls)]

    def _segments_of(self, calls: list[Call], numbers: Mapping[int, int]) -> list[Segment]:
        """A row for each graph and for each pair of graphs between which code ran, in the order of the call."""
        counted = [call for call in calls if not call.compiled]
        runs = calls[0].runs
        rows: dict[tuple[Any, ...], Segment] = {}
        ends: tuple[Any, ...] = ("begin",)
        for place in range(len(runs) + 1):
            follows = (runs[place].segment.number, runs[place].backward) if place < len(runs) else ("end",)
            samples = [call.uncompiled()[place] for call in counted]
            row = rows.setdefault((ends, follows), Segment("uncompiled", "Uncompiled", 0, [], None, {}))
            row.per_call += 1
            row.samples_ns += samples
            if place < len(runs):
                run = runs[place]
                name = f"Graph #{numbers[run.segment.number]}" + (" backward" if run.backward else "")
                row = rows.setdefault((follows,), Segment("backward" if run.backward else "graph", name, 0, [], run.segment,
                                                          self._measured.get(run.segment.number, {})))
                row.per_call += 1
            ends = follows
        return list(rows.values())

    @property
    def segments(self) -> list[Segment]:
        """The segments of all profiles, with the numbers of the table as indices."""
        return [one for profile in self.profiles for one in profile.segments]

    @property
    def breaks(self) -> list[Break]:
        """Where TorchDynamo could not go on, and why, in the order in which it was found."""
        return list(self._breaks.values())

    @property
    def discarded(self) -> int:
        """Calls that do not count, because something was compiled in them."""
        return sum(call.compiled for call in self._recorder.calls)

    @property
    def compare(self) -> Report:
        """The report that has all back ends on the same nodes, of a session with one graph.

        Raises
        ------
        InputError
            There are several graphs, and each `Segment` has a `compare`; or no graph was recorded.
        """
        graphs = {one.name: one for one in self.segments if one.kind == "graph"}
        if len(graphs) != 1:
            raise InputError(f"`compare` is of one graph, and the session has {len(graphs)}: "
                             f"session.segments[i].compare for i in {[i for i, one in enumerate(self.segments) if one.kind == 'graph']}")
        return next(iter(graphs.values())).compare

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The table, the breaks, and the page of each graph with all back ends, in one file that needs no network.

        Parameters
        ----------
        path : path, optional
            Where it is written; None: it is returned.
        """
        text = page(self)
        if path is None:
            return text
        Path(path).write_text(text, encoding="utf-8")
        return None

    def close(self) -> None:
        """Frees what back ends hold, those of clusters as well. What was measured stays."""
        self._closed = True
        self._remote.close()
        self._compiled.clear()
        self._targets.clear()
        for segment in self._recorder.segments.values():
            segment.sets.clear()

    def __str__(self) -> str:
        return table(self)

    def __repr__(self) -> str:
        return f"<Session of {', '.join(self.names)}: {len(self._recorder.calls)} calls>"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(table(self))}</pre>"

    def _call(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        compiled = self._compiled_of(target)
        if self._recorder.inside:
            # It is called by code of another one, and belongs to that call.
            return compiled(*args, **kwargs)
        training = self._training if self._training is not None else trains(target.function)
        self._trained = self._trained or training
        with torch.set_grad_enabled(training and torch.is_grad_enabled()):
            return self._recorder.call(target.name, compiled, args, kwargs)

    def _compiled_of(self, target: Target) -> Callable[..., Any]:
        compiled = self._compiled.get(id(target))
        if compiled is None:
            compiled = torch.compile(target.function, backend=_capture(self._recorder, target), **target.compiling)
            self._compiled[id(target)] = compiled
            self._targets.append(target)
        return compiled


def _capture(recorder: Recorder, target: Target) -> Callable[[torch.fx.GraphModule, list[Any]], Callable[..., Any]]:
    """The back end of TorchDynamo, which keeps it as long as the function exists."""
    names, options = target.module_names(), target.options
    known = weakref.ref(recorder)

    def capture(module: torch.fx.GraphModule, _inputs: list[Any]) -> Callable[..., Any]:
        recorder = known()
        graph = Graph.captured(module, names, options)
        return graph.module.forward if recorder is None else recorder.captured(graph)

    return capture


def _said(shown: Callable[[str, float], None] | None, place: int, count: int, begin: float) -> Callable[[str, float], None]:
    """Progress of one graph as a part of all, with an estimate from what the graphs before took."""

    def say(what: str, part: float) -> None:
        if shown is None:
            return
        done = (place + max(part, 0.0)) / count
        took = time.monotonic() - begin
        left = f", about {took / done - took:.0f} s left" if done > 0 else ""
        shown(f"graph {place + 1} of {count}: {what}{left}", done)

    return say


def compare(
    backends: Sequence[str] | None = None,
    *,
    repeats: int = 10,
    check: bool = True,
    prices: Mapping[str, float] | None = None,
    max_seconds: float | None = None,
    training: bool | None = None,
    reports: bool = True,
    progress: bool | Callable[[str, float], None] | None = None,
) -> Session:
    """A session that measures the graphs of accelerated functions on back ends.

    Parameters
    ----------
    backends : sequence of str, optional
        Names, as `amdahlc.torch.backends()` lists them; ``inductor:max-autotune`` has a mode, and
        ``ray://ADDRESS/RESOURCE/NAME`` is one of a Ray cluster. None: all that are available here.
    repeats : int
        How often each graph runs on each back end for each call of the program.
    check : bool
        Whether each result is compared with that of eager PyTorch. A wrong one is a failure.
    prices : mapping, optional
        Money per hour by name of back end.
    max_seconds : float, optional
        After so many seconds of compiling and measuring, the rest is left out.
    training : bool, optional
        Whether gradients are computed. None: for functions whose code calls `backward` or `torch.autograd.grad`.
    reports : bool
        Whether each graph is recorded, for the reports of segments.
    progress : bool or callable, optional
        As in `amdahlc.analyze`.

    Returns
    -------
    Session

    Raises
    ------
    InputError
        A back end is unknown or not available, before anything runs.

    Examples
    --------
    >>> import torch
    >>> @accelerate
    ... def predict(x):
    ...     return torch.relu(x) * 2
    >>> with compare(backends=["eager"], reports=False) as session:
    ...     for _ in range(3):
    ...         result = predict(torch.ones(4))
    >>> [segment.kind for segment in session.segments]
    ['uncompiled', 'graph', 'uncompiled']
    >>> session.segments[1]["eager"].runs
    20
    """
    if repeats < 1:
        raise InputError(f"repeats={repeats}: it takes at least one run")
    if isinstance(backends, str):
        raise InputError(f"backends={backends!r}: it takes a list of names")
    names = [one.name for one in _available() if not one.missing] if backends is None else list(backends)
    if len(set(names)) != len(names) or not names:
        raise InputError(f"backends={names!r}: it takes at least one name, and each once")
    for name in prices or {}:
        if name not in names:
            raise InputError(f"prices: `{name}` is none of the back ends {', '.join(names)}")
    return Session(names, repeats, check, prices or {}, max_seconds, training, reports, progress)


_available = backends
