"""One measured run of a report: its figures and its tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _style as style
from ._errors import InputError, from_core
from ._prediction import Prediction, factor_text
from ._table import Table

if TYPE_CHECKING:
    from ._report import Report


class TableOf:
    """An attribute that is a table of a run; an AttributeError where the run does not have it."""

    def __init__(self, key: str, text: str) -> None:
        self.key = key
        self.__doc__ = f"{text} The key ``{key}`` of the report has its columns."

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, run: Any, owner: type | None = None) -> Table:
        if run is None:
            return self  # type: ignore[return-value]  # of the class: for documentation
        tables = run._run_tables(self.name)
        if self.key not in tables:
            raise AttributeError(f"the run has no `{self.name}`: its tables are {', '.join(tables)}")
        table: Table = tables[self.key]
        return table


class RunTables:
    """Tables of one run as attributes; times are integers of nanoseconds per iteration."""

    steps = TableOf("trace.steps", "The iterations that the trace has, with their times.")
    nodes = TableOf("nodes", "A row for each node of the graph: its state, and which kernels run it.")
    rule = TableOf("aggregates.rule", "Device time by rule.")
    category = TableOf("aggregates.category", "Device time by category of kernels.")
    op_type = TableOf("aggregates.op_type", "Device time by type of operator.")
    operator = TableOf("aggregates.operator", "Device time by operator of the framework.")
    scope = TableOf("aggregates.scope", "Device time by module.")
    branches = TableOf("branches", "Branches of the graph, and which of them ran.")
    unbound = TableOf("unbound", "Device events without a kernel, with the reason.")
    captures = TableOf("captures", "Captured graphs that the run launches.")
    step_classes = TableOf("step_classes", "Iterations that do different work, by class.")
    phases = TableOf("phases", "Forward pass, backward pass, optimizer, data and communication.")
    forward_groups = TableOf("forward_groups", "The forwards of the model in an iteration, by group of equal ones.")
    streams = TableOf("streams", "Streams of the device, with their busy time.")
    concurrency = TableOf("concurrency", "Time by number of streams that are busy at once.")
    idle = TableOf("idle", "Idle time of the device by cause.")
    run_path = TableOf("run_path", "What the wall time of an iteration consists of, in order.")
    window_path = TableOf("window_path", "What the window of an iteration consists of, in order.")
    waits = TableOf("waits.calls", "Calls in which the host waits for the device.")
    curves = TableOf("curves", "The curves that the analysis was asked for; `Report.curve` makes further ones.")
    advice = TableOf("advice", "What to do first, the best first, and what each change saves.")
    live_at_peak = TableOf("liveness.live_at_peak", "The tensors that are alive when most memory is in use.")
    tensors = TableOf("liveness.tensors", "Each tensor of the program: its bytes, and when it is alive.")
    # `kernels` of a report are those of all its runs.

    def _run_tables(self, asked: str) -> Mapping[str, Table]:
        raise NotImplementedError


class Run(RunTables):
    """One measured run of a report.

    Its tables are attributes: ``run.advice``, ``run.streams``. Times are integers of nanoseconds per iteration; the
    page about the report (``amdahlc -help=report``) defines them.

    Examples
    --------
    >>> report = amdahlc.analyze("examples/encoder.onnx", trace={"eager": "examples/encoder.trace.json.gz"})
    >>> run = report.runs["eager"]
    >>> run.trust, run.busy_ns == run.data["trace"]["busy_ns"]
    ('full', True)
    """

    def __init__(self, report: Report, index: int) -> None:
        self._report = report
        self._index = index

    @property
    def data(self) -> dict[str, Any]:
        """The object of the run in ``-emit=json``."""
        run: dict[str, Any] = self._report._document()["runs"][self._index]
        return run

    @property
    def label(self) -> str:
        """The name of the run, which was given with its trace or is made of the name of its file."""
        return str(self.data["label"])

    @property
    def verdict(self) -> str | None:
        """What takes the time, in a sentence; None without times."""
        text: str | None = self.data["verdict"]
        return text

    @property
    def trust(self) -> str | None:
        """How far to trust the figures: ``full``, ``limited`` or ``none``; None without times."""
        text: str | None = self.data["trust"]
        return text

    @property
    def wall_ns(self) -> int | None:
        """First start to last end of device events in an iteration, in nanoseconds; None without starts."""
        return self._total("wall_ns")

    @property
    def busy_ns(self) -> int | None:
        """The union of the device events of an iteration, in nanoseconds; None without a trace."""
        return self._total("busy_ns")

    @property
    def window_ns(self) -> int | None:
        """The enclosing step on the host, in nanoseconds; None without one."""
        return self._total("window_ns")

    @property
    def liveness(self) -> dict[str, Any] | None:
        """When tensors are alive, as in the report; bytes, and nanoseconds. None where it was not analysed."""
        return self._object("liveness")

    @property
    def overheads(self) -> dict[str, Any] | None:
        """What the host spends beside operators, as in the report, in nanoseconds. None where it is not known."""
        return self._object("overheads")

    def _object(self, key: str) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self.data[key]
        return found

    def _total(self, key: str) -> int | None:
        trace: dict[str, int | None] | None = self.data["trace"]
        return None if trace is None else trace[key]

    @property
    def tables(self) -> Mapping[str, Table]:
        """All tables of the run by the key of the report, such as ``aggregates.category`` or ``unbound``.

        A table that the run does not have is absent.
        """
        return self._report._tables(("runs", self._index))

    @property
    def events(self) -> Table | None:
        """The selected device events, with the columns of ``-emit=bindings``; None if they are not bound."""
        table = from_core(self._report._core.events, self.label)
        return None if table is None else Table(table, "events")

    def what_if(self, changes: str | Mapping[str, Any]) -> Prediction:
        """Predicts this run under changes, as `Report.what_if` does.

        Parameters
        ----------
        changes : str or mapping
            As ``-what-if=`` takes it, or from selectors to factors and times.

        Returns
        -------
        Prediction

        Raises
        ------
        InputError
            A selector names nothing, the text is no scenario, or the run has no times of kernels.
        """
        label = self.label
        for one in self._report._predict(changes):
            if one.run == label:
                return one
        raise InputError(f"the run `{label}` has no kernel times, from which a scenario is predicted")

    def curve(self, selector: str) -> dict[str, Any]:
        """The times of this run against the factor of a group, as `Report.curve` gives them.

        Parameters
        ----------
        selector : str
            As in ``-what-if=``.

        Returns
        -------
        dict

        Raises
        ------
        InputError
            The selector names nothing.
        """
        found = self._report._further(self._index, f'curves<groups="{_quoted(selector)}">', "curves")
        if not found:
            raise InputError(f"the run `{self.label}` has no kernel times, from which a curve is predicted")
        curve: dict[str, Any] = found[0]
        return curve

    def goal(self, target: str | float) -> dict[str, Any]:
        """The smallest speed-ups with which this run reaches a time, as `Report.goal` gives them.

        Parameters
        ----------
        target : str or float
            A time (``"8ms"``), or how many times as fast (``"1.5x"`` or 1.5).

        Returns
        -------
        dict

        Raises
        ------
        InputError
            The target is none.
        """
        text = target if isinstance(target, str) else factor_text(target)
        goal: dict[str, Any] | None = self._report._further(self._index, f'goal<target="{_quoted(text)}">', "goal")
        if goal is None:
            raise InputError(f"the run `{self.label}` has no kernel times, from which a goal is searched")
        return goal

    def _run_tables(self, asked: str) -> Mapping[str, Table]:
        return self.tables

    def __repr__(self) -> str:
        return f"<Run {self.label}: {self.verdict or 'no times'}>"

    def _repr_html_(self) -> str:
        return style.block(style.run(self.data))


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
