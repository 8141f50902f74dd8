"""Reports: one analysis, its tables, and predictions without reading anything again."""

from __future__ import annotations

import html
import json
import os
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import _core
from . import _style as style
from ._errors import Diagnostic, InputError, error_of, from_core, warn
from ._inputs import Inputs
from ._prediction import Prediction, prediction_of, scenario_text
from ._progress import ProgressLine, progress_of
from ._run import Run, RunTables
from ._table import Table, Tables, report_schema, tables_in

_DATA = Path(__file__).parent / "_data"
_PAGE_BYTES = 1_000_000


def analyze(
    model: Any = None,
    *inputs: Any,
    trace: Any = None,
    execution_trace: Any = None,
    hardware: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[str, float], None] | None = None,
    **options: Any,
) -> Report:
    """Analyses a measured run.

    Parameters
    ----------
    model : path, bytes, ModelProto or ONNXProgram, optional
        The model. A path may also be that of a trace or of an execution trace: files are recognised by what they hold.
    *inputs : path
        Further files, such as the trace of the model.
    trace : path, bytes, torch.profiler.profile, a list of these, or a mapping, optional
        What a profiler recorded. A list holds the files of one recording; a mapping gives runs their labels.
    execution_trace : path, optional
        The execution trace of the same run, which gives its program data edges.
    hardware : str or path, optional
        The device, by the name of a shipped description such as ``h100-sxm``, or a YAML file.
    progress : bool or callable, optional
        None: a line on stderr if that is a terminal and the work takes long. A callable gets what is done and which
        part of it, below 0 if that is unknown.
    **options
        Options of the command by their names, with underscores for dashes: ``what_if="linear=2x"``, ``steps="3..5"``,
        ``dim={"batch": 8}``.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        An input or an option cannot be used; ``diagnostics`` has the parts of the message.
    LimitError
        Memory ran out, or an input is larger than the limits.

    Examples
    --------
    >>> report = analyze("examples/encoder.onnx", trace="examples/encoder.trace.json.gz")
    >>> report.trust
    'full'
    """
    given = Inputs()
    for one in (model, *inputs):
        if one is not None:
            given.add_operand(one)
    if trace is not None:
        given.add_traces(trace)
    if execution_trace is not None:
        given.add_operand(execution_trace)
    if hardware is not None:
        given.set_hardware(hardware)
    for name, value in options.items():
        given.add_option(name, value)
    return _analyzed(given, progress, stacklevel=3)


def _analyzed(given: Inputs, progress: bool | Callable[[str, float], None] | None, stacklevel: int) -> Report:
    shown = progress_of(progress)
    try:
        core = _core.Analysis(given.all_arguments(), given.model, str(_DATA), shown, given.traces)
        outcome = from_core(core.run)
    finally:
        if isinstance(shown, ProgressLine):
            shown.end()
    messages = _messages(core)
    # 3: a condition that the user demanded does not hold; the analysis is complete.
    if outcome not in (0, 3):
        raise error_of(messages)
    warn(messages, stacklevel)
    return Report(core, given, messages)


def load(path: str | os.PathLike[str]) -> Report:
    """Reads what `Report.save` wrote, and analyses it again.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        The file is not of this package.
    """
    try:
        given = Inputs.of_archive(Path(path).read_bytes())
    except ValueError as error:
        raise InputError(f"{os.fspath(path)}: not a saved report of amdahlc") from error
    return _analyzed(given, None, stacklevel=3)


def _unpickled(archive: bytes) -> Report:
    return _analyzed(Inputs.of_archive(archive), False, stacklevel=3)


class Report(RunTables):
    """One analysis with its runs.

    A report with one run has the attributes of that run: ``verdict``, ``trust``, ``wall_ns``, ``busy_ns``,
    ``window_ns``, ``events``, ``liveness``, ``overheads`` and its tables, ``report.advice``, ``report.streams``. With
    several runs these are an AttributeError, and `runs` has them by label.

    Attributes
    ----------
    messages : tuple of Diagnostic
        All that the command would print, warnings and notes.

    Examples
    --------
    >>> report = amdahlc.analyze("examples/encoder.onnx", trace="examples/encoder.trace.json.gz")
    >>> report.busy_ns, len(report.kernels)
    (7012543, 48)
    >>> report.what_if({"linear": "2x"}).busy_ns < report.busy_ns
    True
    """

    def __init__(self, core: _core.Analysis, given: Inputs, messages: tuple[Diagnostic, ...]) -> None:
        self._core = core
        self._given = given
        self._json = core.output("json")
        self._parsed: dict[str, Any] | None = None
        self.messages = messages

    @property
    def warnings(self) -> list[Diagnostic]:
        """What the command prints as warnings."""
        return [one for one in self.messages if one.severity == "warning"]

    @property
    def notes(self) -> list[str]:
        """Sentences about the recording: what it costs, what scopes are, what is missing. Files alone have none.

        What `save` writes, and pickles, have them as they were then.
        """
        return self._given.notes

    @property
    def runs(self) -> dict[str, Run]:
        """The runs by label, in the order of the report."""
        return {run["label"]: Run(self, index) for index, run in enumerate(self._document()["runs"])}

    @property
    def kernels(self) -> Table:
        """The kernels of all runs, with the columns of ``-emit=csv``."""
        return Table(from_core(self._core.kernels), "kernels")

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables of the whole report; those of runs are in `Run.tables`."""
        return self._tables(())

    def what_if(self, changes: str | Mapping[str, Any]) -> Prediction:
        """Predicts the run under changes.

        Parameters
        ----------
        changes : str or mapping
            As ``-what-if=`` takes it, ``"linear=2x;host=1.5x"``, or from selectors to factors and times:
            ``{"linear": "2x", "host": 1.5, "gelu": "10us"}``. A number is how many times as fast.

        Returns
        -------
        Prediction
            Times in nanoseconds per iteration. Nothing is read again: it takes milliseconds.

        Raises
        ------
        InputError
            A selector names nothing, the text is no scenario, or the report has several runs; then `Run.what_if`
            predicts one of them.

        Examples
        --------
        >>> report = amdahlc.analyze("examples/encoder.onnx", trace="examples/encoder.trace.json.gz")
        >>> twice, none = report.what_if({"linear": 2}), report.what_if("linear=0")
        >>> report.busy_ns > twice.busy_ns > none.busy_ns
        True
        """
        return self._only_run("what_if").what_if(changes)

    def curve(self, selector: str) -> dict[str, Any]:
        """The times of the run against the factor of a group.

        The report stays as it is: `curves` has what the analysis was asked for.

        Parameters
        ----------
        selector : str
            As in ``-what-if=``: ``"linear"``, ``"scope:encoder.0"``.

        Returns
        -------
        dict
            The curve, as in ``curves`` of the report: its points with times in nanoseconds, its knee, and what limits
            beyond it.

        Raises
        ------
        InputError
            The selector names nothing, or the report has several runs; then `Run.curve` is of one.

        Examples
        --------
        >>> report = amdahlc.analyze("examples/encoder.onnx", trace="examples/encoder.trace.json.gz")
        >>> [point["factor"] for point in report.curve("linear")["points"]][:2]
        ['1', '4/5']
        """
        return self._only_run("curve").curve(selector)

    def goal(self, target: str | float) -> dict[str, Any]:
        """The smallest speed-ups that reach a time of an iteration.

        Parameters
        ----------
        target : str or float
            A time (``"8ms"``), or how many times as fast (``"1.5x"`` or 1.5).

        Returns
        -------
        dict
            As ``goal`` of the report, with times in nanoseconds.

        Raises
        ------
        InputError
            The target is none, or the report has several runs; then `Run.goal` is of one.

        Examples
        --------
        >>> report = amdahlc.analyze("examples/encoder.onnx", trace="examples/encoder.trace.json.gz")
        >>> report.goal(1.1)["reachable"]
        True
        """
        return self._only_run("goal").goal(target)

    def render(self, output: str) -> bytes:
        """An output of the command, such as ``"svg<fold=2>"`` or ``"html"``.

        Parameters
        ----------
        output : str
            As ``-emit=`` takes it, without a path.

        Returns
        -------
        bytes
        """
        rendered = from_core(self._core.render, output)
        if rendered is None:
            raise error_of(_messages(self._core))
        return rendered

    def to_json(self) -> str:
        """The report as ``-emit=json`` writes it."""
        return self._json.decode()

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The page of the report, one file without anything from a network.

        Parameters
        ----------
        path : path, optional
            Where it is written; None: it is returned.
        """
        page = self.render("html")
        if path is None:
            return page.decode()
        Path(path).write_bytes(page)
        return None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the inputs and options of the analysis into one file, which `load` analyses again.

        Parameters
        ----------
        path : path
            Where it is written. Files that options name, such as ``hardware=``, and all traces of a folder are in it.

        Raises
        ------
        InputError
            An input is no longer there.

        Examples
        --------
        >>> report = amdahlc.analyze("examples/encoder.trace.json.gz")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report.save(f"{folder}/run.amdahlc")
        ...     amdahlc.load(f"{folder}/run.amdahlc").busy_ns == report.busy_ns
        True
        """
        Path(path).write_bytes(self._given.archive(self.notes))

    @property
    def compare(self) -> Table:
        """The runs side by side, by segments of the model; times in nanoseconds. AttributeError with one run."""
        return self._own_table("compare.segments")

    @property
    def comparisons(self) -> Table:
        """The first run with each other one, as -trace=before -trace=after shows it. AttributeError with one run."""
        return self._own_table("comparisons")

    @property
    def verdict(self) -> str | None:
        """What takes the time, in a sentence; None without times. See `Run.verdict`."""
        return self._run_of_attribute("verdict").verdict

    @property
    def trust(self) -> str | None:
        """How far to trust the figures: ``full``, ``limited`` or ``none``; None without times. See `Run.trust`."""
        return self._run_of_attribute("trust").trust

    @property
    def wall_ns(self) -> int | None:
        """First start to last end of device events in an iteration, in nanoseconds; None without starts. See `Run.wall_ns`."""
        return self._run_of_attribute("wall_ns").wall_ns

    @property
    def busy_ns(self) -> int | None:
        """The union of the device events of an iteration, in nanoseconds; None without a trace. See `Run.busy_ns`."""
        return self._run_of_attribute("busy_ns").busy_ns

    @property
    def window_ns(self) -> int | None:
        """The enclosing step on the host, in nanoseconds; None without one. See `Run.window_ns`."""
        return self._run_of_attribute("window_ns").window_ns

    @property
    def events(self) -> Table | None:
        """The device events with their times in nanoseconds, and what they are bound to; None if they are not bound. See `Run.events`."""
        return self._run_of_attribute("events").events

    @property
    def liveness(self) -> dict[str, Any] | None:
        """When tensors are alive, in bytes and nanoseconds; None where it was not analysed. See `Run.liveness`."""
        return self._run_of_attribute("liveness").liveness

    @property
    def overheads(self) -> dict[str, Any] | None:
        """What the host spends beside operators, in nanoseconds; None where it is not known. See `Run.overheads`."""
        return self._run_of_attribute("overheads").overheads

    def _own_table(self, key: str) -> Table:
        tables = self.tables
        if key not in tables:
            raise AttributeError(f"the report has no `{key}`: its tables are {', '.join(tables)}")
        return tables[key]

    def _run_of_attribute(self, asked: str) -> Run:
        try:
            return self._only_run(asked)
        except InputError as error:
            raise AttributeError(str(error)) from error

    def _run_tables(self, asked: str) -> Mapping[str, Table]:
        return self._run_of_attribute(asked).tables

    def __repr__(self) -> str:
        return "\n".join(repr(run) for run in self.runs.values())

    def __str__(self) -> str:
        summary = self.render("summary").decode().rstrip("\n")
        return "\n".join([summary, *([""] if self.notes else []), *(line for note in self.notes for line in textwrap.wrap(note, 80))])

    def _repr_html_(self) -> str:
        head = "".join(run._repr_html_() for run in self.runs.values())
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        try:
            page = self.render("html")
        except InputError:
            return head + notes
        if len(page) > _PAGE_BYTES:
            return head + style.block(style.quiet(f"The page of this report has {len(page) / 1e6:.1f} MB; to_html(path) writes it.")) + notes
        source = html.escape(page.decode(), quote=True)
        return (f'{head}<iframe sandbox="allow-scripts" srcdoc="{source}" title="amdahlc" '
                f'style="width:100%;height:640px;border:0"></iframe>{notes}')

    def __reduce__(self) -> tuple[Callable[[bytes], Report], tuple[bytes]]:
        return _unpickled, (self._given.archive(self.notes),)

    def _only_run(self, asked: str) -> Run:
        runs = list(self.runs.values())
        if len(runs) != 1:
            raise InputError(f"`{asked}` is of one run; the report has {len(runs)}: runs[{list(self.runs)!r}]")
        return runs[0]

    def _predict(self, changes: str | Mapping[str, Any]) -> list[Prediction]:
        text = scenario_text(changes)
        rows = from_core(self._core.predict, text)
        if rows is None:
            raise error_of(_messages(self._core))
        self.messages += _messages(self._core)
        errors = {run["label"]: (run["replay"] or {}).get("error") for run in self._document()["runs"]}
        return [prediction_of(row, text, errors[row["run"]]) for row in json.loads(rows)]

    def _further(self, index: int, passes: str, key: str) -> Any:
        """What further passes find out about one run."""
        found = from_core(self._core.further, passes, key)
        if found is None:
            raise error_of(_messages(self._core))
        return json.loads(found)[index][key]

    def _document(self) -> dict[str, Any]:
        if self._parsed is None:
            self._parsed = json.loads(self._json)
        return self._parsed

    def _tables(self, path: tuple[str | int, ...]) -> Mapping[str, Table]:
        value: Any = self._document()
        schema: Any = report_schema()
        for step in path:
            value = value[step]
            schema = schema["items"] if isinstance(step, int) else schema["properties"][step]
        return Tables(dict(tables_in(value, schema, "")))


def _messages(core: _core.Analysis) -> tuple[Diagnostic, ...]:
    return tuple(Diagnostic(*parts[:6], tuple(parts[6]), parts[7]) for parts in core.take_messages())
