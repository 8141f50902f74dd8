"""Reports of PyTorch programs: of a model and its inputs, and of steps of any program."""

from __future__ import annotations

import os
import signal as signals
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import torch

from .. import _errors
from .._report import Report, analyze
from ._state import Snapshot, models_of, reached, state_of
from .capture import Capture, RecordedReport, RecordingError, synchronize
from .export import export_onnx


def profile(
    model: Callable[..., Any],
    /,
    *args: Any,
    iterations: int = 10,
    warmup: int = 3,
    export: bool = False,
    state: Any = (),
    stacks: bool | None = None,
    execution_trace: bool = True,
    hardware: str | os.PathLike[str] | None = None,
    **kwargs: Any,
) -> RecordedReport:
    """Calls a model, records it, and reports what limits it.

    The model is called ``warmup + 2 * iterations + 1`` times: the calls before the recording tell what recording costs.
    Then the program is as it was, bit for bit: parameters, buffers, gradients, arguments, and random numbers.

    Parameters
    ----------
    model : torch.nn.Module or callable
        It is called with `args` and `kwargs`, in the mode in which it is, and under `torch.no_grad` or autocast where
        the caller is. A callable, such as a training step, has for its models and state what its closure, the
        globals that it names, or the object that it is a method of hold.
    iterations : int
        The number of calls that the report is about.
    warmup : int
        Calls before all others, in which code is compiled and memory allocated.
    export : bool
        Whether the model is exported as an ONNX graph as well, which the calls are bound to. Where that is not
        possible the notes of the report say why, and the report is that of the program.
    state : object or sequence
        Further objects to be put back, beside those that are found.
    stacks : bool, optional
        Whether frames of Python are recorded; the report then tells which functions the host spends its time in. None:
        if no module is found, so that scopes are modules by class and number.
    execution_trace : bool
        Whether it is recorded, in the first step, which call takes which tensor; without it calls have only their order, and
        nothing tells how long tensors live.
    hardware : str or path, optional
        The device, as in `amdahlc.analyze`.

    Returns
    -------
    RecordedReport

    Raises
    ------
    RecordingError
        Another profiler of PyTorch runs in this process, or the model has parameters without a shape.
    """
    if iterations < 1 or warmup < 0:
        raise _errors.InputError("`iterations` has to be at least 1, and `warmup` at least 0")
    found = reached(model)
    models = models_of(found)
    for one in models.values():
        if any(torch.nn.parameter.is_lazy(tensor) for tensor in (*one.parameters(), *one.buffers())):
            raise RecordingError("the model has parameters without a shape; call it once before")
    capture = Capture(models or None, stacks=stacks, execution_trace=execution_trace)
    before = Snapshot(state_of(found), state, args, kwargs)
    try:
        exported = export_onnx(model, args, kwargs) if export else None
        for _ in range(warmup):
            model(*args, **kwargs)
            before.restore(between_steps=True)
        capture.plain_step_ns = [_timed(model, args, kwargs, before) for _ in range(iterations)]
        with capture:
            for _ in range(iterations + 1):
                with capture.step():
                    model(*args, **kwargs)
                    synchronize()
                before.restore(between_steps=True)
    finally:
        before.restore()
    # The first recorded step is slower, and the analysis leaves it out.
    capture.step_ns = capture.step_ns[1:]
    if exported is None:
        return capture.report(hardware=hardware)
    capture.notes.append(exported.note)
    return capture.report(exported.model, hardware=hardware)


def _timed(model: Callable[..., Any], args: Any, kwargs: Any, before: Snapshot) -> int:
    begin = time.perf_counter_ns()
    model(*args, **kwargs)
    synchronize()
    taken = time.perf_counter_ns() - begin
    before.restore(between_steps=True)
    return taken


class record:
    """Records steps of a program while it runs, as a context around its loop.

    With ``steps``, call `step` at the end of each step: the first `warmup` steps are not recorded, the next `steps` are,
    and as many after them are timed, to tell what recording costs. The loop may go on, or end earlier. With
    ``seconds`` and ``signal``, each signal that the process receives records what it does for that time; steps are those
    that `step` marks, or else calls of the model.

    Parameters
    ----------
    steps : int
        How many steps are recorded.
    warmup : int
        How many steps are not recorded before.
    seconds : float, optional
        For how long is recorded, in place of `steps`: from the signal on, or without one from the beginning of the
        context to the first `step` after that time.
    signal : int, optional
        Such as ``signal.SIGUSR2``. Its handler is in place as long as the context, which has to be in the main thread.
    model : torch.nn.Module or mapping of these, optional
        Calls of its modules are scopes of the report, by the paths of `named_modules()`. None: frames of Python are
        recorded, and scopes are modules by class and number.
    stacks : bool, optional
        Whether frames of Python are recorded, which slows down each function. None: if there is no `model`.
    memory, execution_trace : bool
        Whether allocations, and which call takes which tensor, are recorded.
    all_threads : bool, optional
        Whether all threads are recorded, not only the one that calls. None: with a signal.
    folder : path, optional
        Where traces are written, one of each rank. None: a temporary folder, which is there as long as this object or
        its reports; with a signal ``amdahlc-`` and the number of the process.
    hardware : str or path, optional
        The device, as in `amdahlc.analyze`.

    Attributes
    ----------
    captures : list of Capture
        The recordings that have ended.
    """

    def __init__(
        self,
        steps: int = 5,
        *,
        warmup: int = 1,
        seconds: float | None = None,
        signal: int | None = None,
        model: torch.nn.Module | Mapping[str, torch.nn.Module] | None = None,
        stacks: bool | None = None,
        memory: bool = True,
        execution_trace: bool = True,
        all_threads: bool | None = None,
        folder: str | os.PathLike[str] | None = None,
        hardware: str | os.PathLike[str] | None = None,
    ) -> None:
        if steps < 1 or warmup < 0 or (seconds is not None and seconds <= 0):
            raise _errors.InputError("`steps` has to be at least 1, `warmup` at least 0, and `seconds` above 0")
        if signal is not None and seconds is None:
            raise _errors.InputError("`signal` needs `seconds`: how long to record after it")
        if signal is not None and folder is None:
            folder = f"amdahlc-{os.getpid()}"
        self._steps, self._warmup, self._seconds, self._signal = steps, warmup, seconds, signal
        self._what: dict[str, Any] = {
            "model": model, "stacks": stacks, "memory": memory, "execution_trace": execution_trace, "folder": folder,
            "all_threads": signal is not None if all_threads is None else all_threads}
        self._hardware = hardware
        self.captures: list[Capture] = []
        self._report: RecordedReport | None = None
        self._capture: Capture | None = None
        self._done = 0
        self._begin_ns = 0
        self._timer: threading.Timer | None = None
        self._handler: Any = None

    def __enter__(self) -> record:
        if self._signal is not None:
            try:
                self._handler = signals.signal(self._signal, self._on_signal)
            except ValueError as error:
                raise RecordingError(f"signal {self._signal}: {error}") from error
        elif self._seconds is not None or self._warmup == 0:
            self._start()
        self._begin_ns = time.perf_counter_ns()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._signal is not None:
            # A signal that came later would end the program.
            if self._timer is not None:
                self._timer.cancel()
                self._timer.join()
            signals.signal(self._signal, signals.SIG_DFL if self._handler is None else self._handler)
        if self._capture is not None:
            self._stop()

    def step(self) -> None:
        """Marks the end of a step."""
        self._done += 1
        now = time.perf_counter_ns()
        # The handler of a signal may end the recording at any place.
        capture = self._capture
        if capture is not None:
            capture.end_step()
            if now - self._begin_ns >= 1e9 * self._seconds if self._seconds is not None and self._signal is None else (
                    self._seconds is None and self._done >= self._warmup + self._steps):
                self._stop()
            elif self._capture is capture:
                capture.begin_step()
        elif self._seconds is None:
            if self._done == self._warmup and not self.captures:
                self._start()
            elif self.captures and len(self.captures[-1].plain_step_ns) < self._steps:
                if self._done == self._warmup + 2 * self._steps:
                    synchronize()
                self.captures[-1].plain_step_ns.append(time.perf_counter_ns() - self._begin_ns)
        if self._seconds is None:
            self._begin_ns = time.perf_counter_ns()

    @property
    def report(self) -> RecordedReport:
        """The report of the last recording.

        Raises
        ------
        RecordingError
            Nothing was recorded.
        """
        if not self.captures:
            raise RecordingError(self._nothing())
        capture = self.captures[-1]
        if self._report is None or self._report.recording is not capture:
            self._report = capture.report(hardware=self._hardware)
        return self._report

    def gather(self, folder: str | os.PathLike[str] | None = None) -> Report | None:
        """Brings the traces of all ranks to rank 0; all ranks of the default group have to call it.

        Parameters
        ----------
        folder : path, optional
            Where rank 0 writes them. None: beside its own.

        Returns
        -------
        Report or None
            On rank 0 the report of all ranks, on others None.
        """
        import torch.distributed as ranks

        if not ranks.is_initialized():
            raise RecordingError("there are no ranks; the report is `report`")
        files = self.captures[-1].files if self.captures else []
        own = {Path(one).name: Path(one).read_bytes() for one in files}
        gathered: list[Any] | None = [None] * ranks.get_world_size() if ranks.get_rank() == 0 else None
        ranks.gather_object(own, gathered, dst=0)
        if gathered is None:
            return None
        missing = [rank for rank, one in enumerate(gathered) if not one]
        if missing:
            raise RecordingError(f"nothing was recorded on ranks {missing}")
        capture = self.captures[-1]
        target = Path(folder) if folder is not None else capture.folder
        target.mkdir(parents=True, exist_ok=True)
        for one in gathered:
            for name, data in one.items():
                (target / name).write_bytes(data)
        return RecordedReport(analyze(trace=target, hardware=self._hardware), capture)

    def _start(self) -> None:
        number = f"-{len(self.captures)}" if self.captures else ""
        capture = Capture(label=_label() + number, steps_are_calls=self._seconds is not None and not self._done, **self._what)
        capture.__enter__()
        self._capture = capture
        if self._signal is None and (self._seconds is None or self._what["model"] is None):
            capture.begin_step()

    def _stop(self) -> None:
        capture, self._capture = self._capture, None
        if capture is not None:
            synchronize()
            capture.__exit__(None, None, None)
            self.captures.append(capture)

    def _on_signal(self, number: int, _frame: Any) -> None:
        # An exception would end the program, which did not ask for a recording at this moment.
        try:
            if self._capture is None:
                self._start()
                self._begin_ns = time.perf_counter_ns()
                self._timer = threading.Timer(self._seconds or 0, lambda: os.kill(os.getpid(), number))
                self._timer.daemon = True
                self._timer.start()
            elif self._timer is None or not self._timer.is_alive() or time.perf_counter_ns() - self._begin_ns >= 1e9 * (self._seconds or 0):
                self._stop()
        except Exception as error:
            self._capture = None
            warnings.warn(f"nothing is recorded: {error}", _errors.Warning, stacklevel=2)

    def _nothing(self) -> str:
        if self._signal is not None:
            return f"nothing was recorded: no {signals.Signals(self._signal).name} came"
        if self._done <= self._warmup:
            return (f"nothing was recorded: `step` was called {self._done} times, of which the first {self._warmup} are not "
                    "recorded; call it at the end of each step, or give `warmup=0`")
        return "nothing was recorded yet"


def _label() -> str:
    ranks: Any = sys.modules.get("torch.distributed")
    if ranks is not None and ranks.is_available() and ranks.is_initialized():
        return f"rank{ranks.get_rank()}"
    return "run"
