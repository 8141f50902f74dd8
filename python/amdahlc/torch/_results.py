"""What a session found: profiles, segments, and what back ends did with them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from .._errors import InputError
from .._report import Report, analyze
from ._calls import Call, GraphSegment
from ._measure import Measured
from ._statistics import within_noise
from .backends._generated import renamed
from .remote import RemoteName, is_remote


def label_of(name: str) -> str:
    """The label of a run of a back end; a slash would be one of a path: ``eager@g4dn`` of ``ray://auto/g4dn/eager``."""
    return f"{RemoteName.of(name).backend}@{RemoteName.of(name).resource}" if is_remote(name) else name


class Samples:
    """What the times of runs tell, in nanoseconds."""

    samples_ns: list[int]

    @property
    def runs(self) -> int:
        """How many runs were timed."""
        return len(self.samples_ns)

    @property
    def mean_ns(self) -> float | None:
        """Nanoseconds; None without runs."""
        return statistics.fmean(self.samples_ns) if self.samples_ns else None

    @property
    def std_ns(self) -> float | None:
        """The standard deviation of the runs; None with fewer than two."""
        return statistics.stdev(self.samples_ns) if len(self.samples_ns) > 1 else None

    @property
    def least_ns(self) -> int | None:
        """The fastest run; None without runs."""
        return min(self.samples_ns, default=None)


class BackendResult(Samples):
    """What a back end did with a segment.

    Attributes
    ----------
    name : str
        Of the back end.
    runs : int
        Measured runs.
    samples_ns : list of int
        Their times.
    failures : int
        Runs that raised an exception or gave a wrong result. There are no times then.
    reasons : list of str
        Why.
    difference : float or None
        The largest absolute difference of an element of the results from eager PyTorch's, of a backward segment of the
        gradients; None: not compared.
    unchecked : str
        Why not; empty if all results were compared.
    discarded : int
        Runs in which something was compiled, which do not count.
    compile_ns : int
        How long compilation took, with the first run.
    left_out : str
        Why runs are missing; empty if none is.
    note : str
        What else is to be said.
    """

    def __init__(self, name: str, measured: Measured, segment: Segment, backward: bool) -> None:
        self.name = name
        self._measured = measured
        self._segment = segment
        self.samples_ns = measured.backward_ns if backward else measured.samples_ns
        self._turns = measured.backward_turns if backward else measured.turns
        self.failures = measured.failures
        self.reasons = measured.reasons
        self.difference = measured.backward_difference if backward else measured.difference
        self.unchecked = measured.unchecked
        self.discarded = measured.discarded
        self.compile_ns = measured.compile_ns
        self.left_out = measured.left_out
        self.note = measured.note
        self._report: Report | None = None

    @property
    def report(self) -> Report:
        """The report of a recording of the segment on this back end.

        Raises
        ------
        InputError
            There is none; the message says why.
        """
        if self._report is None:
            if not self._measured.files:
                raise InputError(f"{self._segment.name} has no recording on {self.name}: {self._why()}")
            self._report = self._segment._analyzed({label_of(self.name): self._measured.files})
        return self._report

    def _why(self) -> str:
        return "; ".join(self.reasons) or self.left_out or self.note or "recordings were not asked for"

    def __repr__(self) -> str:
        if self.failures:
            return f"<{self.name}: {self.failures} failures: {'; '.join(self.reasons)}>"
        mean = "no runs" if self.mean_ns is None else f"{self.runs} runs, mean {self.mean_ns / 1e6:.3f} ms"
        return f"<{self.name}: {mean}>"


class Segment(Samples):
    """A part of the calls of a profile: a graph, or the code between two graphs.

    Attributes
    ----------
    kind : str
        ``graph``, ``backward`` (the gradients of a graph) or ``uncompiled``.
    name : str
        ``Graph #1`` or ``Uncompiled``.
    per_call : int
        How often it runs in a call.
    shapes : tuple of str
        The inputs of a graph.
    samples_ns : list of int
        Of an uncompiled segment, each run. A graph has those of its back ends.
    left_out : int
        Calls that did not count, because the copies of their inputs would take too much memory.
    """

    def __init__(self, kind: str, name: str, per_call: int, samples_ns: list[int], source: GraphSegment | None,
                 measured: Mapping[str, Measured]) -> None:
        self.kind = kind
        self.name = name
        self.per_call = per_call
        self.samples_ns = samples_ns
        self.shapes = source.shapes if source is not None else ()
        self.left_out = source.left_out if source is not None else 0
        self.backends = {key: BackendResult(key, one, self, kind == "backward") for key, one in measured.items()}
        self._compare: Report | None = None

    def __getitem__(self, name: str) -> BackendResult:
        try:
            return self.backends[name]
        except KeyError:
            known = f"it has {', '.join(self.backends)}" if self.backends else "it runs on none"
            raise KeyError(f"{self.name} has no back end `{name}`; {known}") from None

    @property
    def compare(self) -> Report:
        """One report with a run for each back end that was recorded, on the same nodes.

        Runs have the names of back ends as labels; ``ray://auto/g4dn/eager`` is ``eager@g4dn``.

        Raises
        ------
        InputError
            No back end was recorded.
        """
        if self._compare is None:
            files = {label_of(name): one._measured.files for name, one in self.backends.items() if one._measured.files and not one.failures}
            if not files:
                why = "; ".join(f"{name}: {one._why()}" for name, one in self.backends.items())
                raise InputError(f"{self.name} has no recordings" + (f" ({why})" if why else ""))
            self._compare = self._analyzed(files)
        return self._compare

    def _analyzed(self, files: Mapping[str, list[bytes]]) -> Report:
        exported = next((one._measured for one in self.backends.values() if one._measured.model is not None), None)
        names = exported.nodes if exported is not None else {}
        return analyze(exported.model if exported is not None else None,
                       trace={label: [renamed(one, names) for one in each] for label, each in files.items()})

    def within_noise(self) -> set[str]:
        """The back ends whose times cannot be told from those of the fastest one."""
        return within_noise({name: dict(zip(one._turns, one.samples_ns, strict=True))
                             for name, one in self.backends.items() if one.samples_ns})

    def __repr__(self) -> str:
        if self.kind == "uncompiled":
            mean = "not measured" if self.mean_ns is None else f"{self.runs} runs, mean {self.mean_ns / 1e6:.3f} ms"
            return f"<{self.name}: {mean}>"
        return f"<{self.name} ({', '.join(self.shapes)}): {', '.join(map(repr, self.backends.values()))}>"


class Profile:
    """Calls that ran the same graphs in the same order.

    Attributes
    ----------
    name : str
        The accelerated function.
    calls : int
        Calls that count.
    discarded : int
        Calls in which something was compiled, which do not.
    segments : list of Segment
    """

    def __init__(self, name: str, calls: list[Call], segments: list[Segment]) -> None:
        self.name = name
        self._counted = [call for call in calls if not call.compiled]
        self.calls = len(self._counted)
        self.discarded = len(calls) - self.calls
        self.segments = segments

    @property
    def wall_ns(self) -> list[int]:
        """Each counted call from its begin to its end, without what the session does in between."""
        return [call.wall_ns() for call in self._counted]

    @property
    def not_attributed_ns(self) -> float | None:
        """The mean of what belongs to no segment: the session's own work at the borders of graphs. None without calls."""
        return statistics.fmean(call.books_ns() for call in self._counted) if self._counted else None

    @property
    def uncompiled_ns(self) -> float | None:
        """The mean of all uncompiled segments of a call; None if none was measured."""
        parts = [one.mean_ns for one in self.segments if one.kind == "uncompiled"]
        if any(part is None for part in parts):
            return None
        return sum(one.per_call * (one.mean_ns or 0) for one in self.segments if one.kind == "uncompiled")

    def compiled_ns(self, name: str) -> float | None:
        """The mean of all graphs of a call on a back end; None if one of them failed or was not measured."""
        total = 0.0
        for one in self.segments:
            if one.kind != "uncompiled":
                mean = one[name].mean_ns if name in one.backends else None
                if mean is None:
                    return None
                total += one.per_call * mean
        return total

    def total_ns(self, name: str) -> float | None:
        """The mean of a call with its graphs on a back end; None if a part of it is not known."""
        compiled, uncompiled = self.compiled_ns(name), self.uncompiled_ns
        return None if compiled is None or uncompiled is None else compiled + uncompiled
