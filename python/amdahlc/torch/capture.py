"""Recording of calls into files, and the report of them."""

from __future__ import annotations

import mmap
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import torch

from .._errors import Error
from .._report import Report, analyze
from ._quiet import without_recorder_lines
from ._scopes import ModuleScopes

# What the analysis takes for iterations; the number of the step is behind it.
_STEP = "ProfilerStep#"


class RecordingError(Error):
    """Nothing can be recorded: another profiler runs, or a recording was not used as it has to be."""


class RecordedReport(Report):
    """The report of a recording, which keeps the files of the recording; a loaded or unpickled one is a `Report` with its notes.

    Attributes
    ----------
    recording : Capture
        How it was recorded.
    """

    def __init__(self, report: Report, recording: Capture) -> None:
        super().__init__(report._core, report._given, report.messages)
        self.recording = recording

    @property
    def notes(self) -> list[str]:
        """Sentences about the recording: what it costs, what scopes are, what is missing."""
        return self.recording.all_notes()


class Capture:
    """A recording of PyTorch's profiler in files of its own, as a context around steps.

    Parameters
    ----------
    model : torch.nn.Module or mapping of these, optional
        Calls of its modules are scopes of the report, by the paths of `named_modules()`; a mapping gives several models
        the first part of these paths. None: scopes are the modules by class and number, of frames, if `stacks`.
    stacks : bool, optional
        Whether frames of Python are recorded, which slows each function down. None: if there is no `model`.
    shapes, memory, execution_trace : bool
        Whether shapes of operands, allocations, and which call takes which tensors of which other call are recorded; the
        last of the first step only, because it slows each call down.
    all_threads : bool
        Whether threads count that run before the recording begins, other than the one that begins it.
    steps_are_calls : bool
        Whether each call of the model begins a step, until `begin_step` is called.
    folder : path, optional
        Where the files are written. None: a temporary folder, which is there as long as this object.
    label : str
        Of the run; also the name of the files.

    Attributes
    ----------
    files : list of str
        The trace, and the execution trace; empty before the end.
    step_ns : list of int
        How long each step took while it was recorded.
    plain_step_ns : list of int
        How long steps took without a recording, where that was measured.
    notes : list of str
        Sentences about the recording for the reader of the report.

    Raises
    ------
    RecordingError
        On entering: another profiler of PyTorch runs in this process.
    """

    def __init__(
        self,
        model: torch.nn.Module | Mapping[str, torch.nn.Module] | None = None,
        *,
        stacks: bool | None = None,
        shapes: bool = True,
        memory: bool = True,
        execution_trace: bool = True,
        all_threads: bool = False,
        steps_are_calls: bool = False,
        folder: str | os.PathLike[str] | None = None,
        label: str = "run",
    ) -> None:
        self._model = model
        self.stacks = model is None if stacks is None else stacks
        self._steps_are_calls = steps_are_calls
        self._shapes, self._memory, self._all_threads = shapes, memory, all_threads
        self._temporary = tempfile.TemporaryDirectory(prefix="amdahlc-") if folder is None else None
        self.folder = Path(folder if folder is not None else self._temporary.name if self._temporary else ".")
        self.label = label
        self.files: list[str] = []
        self.step_ns: list[int] = []
        self.plain_step_ns: list[int] = []
        self.notes: list[str] = []
        self._observer = torch.profiler.ExecutionTraceObserver() if execution_trace else None
        self._open: ExitStack | None = None
        self._step: tuple[int, Any] | None = None
        self._compiled = 0
        self._scopes: ModuleScopes | None = None
        self._ran_compiled = False

    def __enter__(self) -> Capture:
        if torch.autograd._profiler_enabled() or torch.autograd.profiler._is_profiler_enabled:
            raise RecordingError("another profiler of PyTorch runs in this process, and there can be one only; end it before")
        self.folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            if self._observer is not None:
                _register(self._observer, self._path("et.json"))
                stack.callback(self._observer.unregister_callback)
            # A profiler warns of the first block that it sees freed and did not see allocated.
            block = torch.empty(1) if self._memory else None
            profiler = torch.profiler.profile(
                record_shapes=self._shapes, profile_memory=self._memory, with_stack=self.stacks,
                execution_trace_observer=self._observer, experimental_config=_configuration(self._all_threads))
            with without_recorder_lines():
                profiler.start()
                stack.callback(lambda: self._write(profiler))
                stack.push(lambda *_: self._stop(profiler))
                del block
            if self._model is not None:
                self._scopes = stack.enter_context(ModuleScopes(self._model, self._on_call if self._steps_are_calls else None))
            self._open = stack.pop_all()
        self._compiled = -_compiled_graphs()
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._open is not None:
            opened, self._open = self._open, None
            opened.__exit__(*exception)
            self._compiled = max(0, self._compiled + _compiled_graphs())

    def begin_step(self) -> None:
        """Begins an iteration."""
        self._steps_are_calls = False
        self._begin_step()

    def _begin_step(self) -> None:
        annotation = torch.autograd.profiler.record_function(f"{_STEP}{len(self.step_ns)}")
        self._step = time.perf_counter_ns(), annotation
        annotation.__enter__()

    def end_step(self) -> None:
        """Ends the iteration that `begin_step` began."""
        if self._step is not None:
            (begin, annotation), self._step = self._step, None
            annotation.__exit__(None, None, None)
            self.step_ns.append(time.perf_counter_ns() - begin)
            # Further steps have the same calls, which this observer would slow down.
            if self._observer is not None and self._observer.is_running():
                with without_recorder_lines():
                    self._observer.stop()

    @contextmanager
    def step(self) -> Iterator[None]:
        """A context around an iteration."""
        self.begin_step()
        yield
        self.end_step()

    def report(self, model: Any = None, **options: Any) -> RecordedReport:
        """The report of what was recorded.

        Parameters
        ----------
        model : path, bytes or ModelProto, optional
            An ONNX graph of the program.
        **options
            Of `amdahlc.analyze`, such as ``hardware="h100-sxm"``.
        """
        if not self.files:
            raise RecordingError("nothing was recorded yet; the report is there when the recording has ended")
        return RecordedReport(analyze(model, trace={self.label: self.files}, **options), self)

    def all_notes(self) -> list[str]:
        """`notes`, and what the recording says of itself."""
        notes = [self._cost()]
        if self._model is None and self.stacks:
            notes.append("Scopes are modules by class and number, as frames of Python tell them, because no model was given.")
        if self._steps_are_calls and self.step_ns:
            notes.append("Steps begin at calls of the model, because no end of a step was marked.")
        if self._compiled:
            notes.append(f"{self._compiled} graphs were compiled while steps were recorded, so that these steps are slower than later ones.")
        if self._ran_compiled:
            inside = self._scopes.uncalled() if self._scopes is not None else []
            what = f"what {_modules(inside)} there" if inside else "what it does"
            notes.append(f"In code of `torch.compile` no module is called: {what} has the scope of the innermost module that is called around it.")
        return [note for note in notes + self.notes if note]

    def _cost(self) -> str:
        if not self.step_ns:
            return "No step was marked, so that nothing tells what recording costs."
        recorded = statistics.median(self.step_ns) / 1e6
        if not self.plain_step_ns:
            return f"A step took {recorded:.4g} ms while it was recorded; how long one takes without was not measured."
        plain = statistics.median(self.plain_step_ns) / 1e6
        return (f"A step took {recorded:.4g} ms while it was recorded and {plain:.4g} ms without "
                f"(medians of {len(self.step_ns)} and {len(self.plain_step_ns)}): recording changes it by {100 * (recorded / plain - 1):+.0f} %.")

    def _on_call(self) -> None:
        if self._steps_are_calls:
            self.end_step()
            self._begin_step()

    def _stop(self, profiler: Any) -> None:
        with without_recorder_lines():
            profiler.stop()

    def _write(self, profiler: Any) -> None:
        trace = self._path("json")
        profiler.export_chrome_trace(str(trace))
        self.files = [str(trace), *([str(self._path("et.json"))] if self._observer is not None else [])]
        with trace.open("rb") as written, mmap.mmap(written.fileno(), 0, access=mmap.ACCESS_READ) as text:
            self._ran_compiled = text.find(b"Torch-Compiled Region") >= 0
        if self._step is not None:
            # The recording ended within a step, which is no iteration.
            self._step = None
            for file in map(Path, self.files):
                file.write_bytes(file.read_bytes().replace(b'"%s%d"' % (_STEP.encode(), len(self.step_ns)), b'"unfinished step"'))

    def _path(self, ending: str) -> Path:
        return self.folder / f"{self.label}.{ending}"


def capture_calls(call: Callable[[], Any], iterations: int = 10, **what: Any) -> Capture:
    """Records calls, each as a step.

    Parameters
    ----------
    call : callable
        It is called `iterations` times, and once more before these, because the first recorded step is slower.
    iterations : int
        The number of steps.
    **what
        Of `Capture`.

    Returns
    -------
    Capture
        Its `report()` is the report of the calls.
    """
    with Capture(**what) as capture:
        for _ in range(iterations + 1):
            with capture.step():
                call()
            synchronize()
    return capture


def synchronize() -> None:
    """Waits for the work of the accelerator, if the process uses one."""
    if torch.accelerator.is_available() and torch.accelerator.current_accelerator() is not None:
        torch.accelerator.synchronize()


def _register(observer: Any, path: Path) -> None:
    path.unlink(missing_ok=True)
    with without_recorder_lines():
        observer.register_callback(str(path))
    # PyTorch has one observer in a process. It creates the file at once, and says to have registered a second one as well.
    if not path.exists():
        observer._registered = False
        raise RecordingError("another execution trace is recorded in this process; end it, or record with `execution_trace=False`")


def _configuration(all_threads: bool) -> Any:
    return torch.profiler._ExperimentalConfig(profile_all_threads=True) if all_threads else None


def _modules(paths: list[str]) -> str:
    return f"{len(paths)} modules, such as `{paths[0]}`, do" if len(paths) > 1 else f"the module `{paths[0]}` does"


def _compiled_graphs() -> int:
    dynamo: Any = sys.modules.get("torch._dynamo.utils")
    return int(dynamo.counters["stats"]["unique_graphs"]) if dynamo is not None else 0
