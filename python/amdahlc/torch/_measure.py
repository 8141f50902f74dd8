"""Runs of a graph on back ends, in turns."""

from __future__ import annotations

import contextlib
import gc
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ._graph import Graph
from ._tensors import RandomState, branched, cloned, difference, random_state_kept, shapes_differ, sharing
from .backends import Backend, Compiled
from .capture import synchronize

# Runs that a recording of a graph has.
_RECORDED = 6
# Shorter runs follow another one of the same back end: the caches that others left would be a large part of their times.
_SHORT_NS = 5_000_000
# Before what is said about a wrong gradient.
_GRADIENT = "gradient: "


@dataclass
class Measured:
    """What a back end did with a graph.

    Attributes
    ----------
    samples_ns : list of int
        Each run, in the order of the turns.
    backward_ns : list of int
        Likewise the gradients of the same runs, if the graph has some and the back end computes them.
    turns, backward_turns : list of int
        The number of the turn of each sample: samples of two back ends with equal numbers were taken together.
    failures : int
        Runs that raised an exception or gave a wrong result. Then there are no samples.
    reasons : list of str
        Why, each once.
    difference : float or None
        The largest absolute difference of a result's element from eager PyTorch; None: not compared.
    backward_difference : float or None
        Likewise of a gradient.
    unchecked : str
        Why results were not compared; empty if they were.
    discarded : int
        Runs in which something was compiled.
    compile_ns : int
    left_out : str
        Why runs are missing; empty if none is.
    files : list of bytes
        A recording.
    model : bytes or None
        The graph as an ONNX model, if the back end made one.
    nodes : dict
        From nodes of the graph to those of that model.
    note : str
        What a back end of another machine says about it, such as that it waited.
    """

    samples_ns: list[int] = field(default_factory=list)
    backward_ns: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    backward_turns: list[int] = field(default_factory=list)
    failures: int = 0
    reasons: list[str] = field(default_factory=list)
    difference: float | None = None
    backward_difference: float | None = None
    unchecked: str = ""
    discarded: int = 0
    compile_ns: int = 0
    left_out: str = ""
    files: list[bytes] = field(default_factory=list)
    model: bytes | None = None
    nodes: dict[str, str] = field(default_factory=dict)
    note: str = ""

    def fail(self, reason: str) -> None:
        """Counts a failure; times of a back end that fails are no times."""
        self.failures += 1
        if reason not in self.reasons:
            self.reasons.append(reason)
        for samples in (self.samples_ns, self.backward_ns, self.turns, self.backward_turns):
            samples.clear()

    def say(self, note: str) -> None:
        """Adds to the note what it does not say yet."""
        if note not in self.note:
            self.note = "; ".join(filter(None, [self.note, note]))


def joined(before: Measured, after: Measured) -> Measured:
    """Two measurements of a segment as one; a failure in either is one of both."""
    shift = max([*before.turns, *before.backward_turns], default=0)
    both = Measured(
        samples_ns=before.samples_ns + after.samples_ns, backward_ns=before.backward_ns + after.backward_ns,
        turns=before.turns + [turn + shift for turn in after.turns],
        backward_turns=before.backward_turns + [turn + shift for turn in after.backward_turns],
        failures=before.failures + after.failures, reasons=list(dict.fromkeys(before.reasons + after.reasons)),
        difference=_larger(before.difference, after.difference),
        backward_difference=_larger(before.backward_difference, after.backward_difference),
        unchecked=before.unchecked or after.unchecked, discarded=before.discarded + after.discarded,
        compile_ns=before.compile_ns + after.compile_ns, left_out=before.left_out or after.left_out,
        files=after.files or before.files, model=after.model or before.model, nodes=(after if after.model else before).nodes, note=after.note or before.note)
    if both.failures:
        both.samples_ns, both.backward_ns, both.turns, both.backward_turns = [], [], [], []
    return both


def _larger(one: float | None, other: float | None) -> float | None:
    return max((value for value in (one, other) if value is not None), default=None)


@dataclass(frozen=True)
class Settings:
    """How a session measures.

    Attributes
    ----------
    repeats : int
        Runs for each call of the program.
    check : bool
        Whether results are compared with those of eager PyTorch.
    reports : bool
        Whether runs are recorded.
    training : bool
        Whether gradients are computed.
    """

    repeats: int
    check: bool
    reports: bool
    training: bool


class _Worker:
    """A back end that has compiled a graph, or failed to."""

    def __init__(self, name: str, backend: Backend) -> None:
        self.name = name
        self.backend = backend
        self.compiled: Compiled | None = None
        self.numbers: tuple[Any, ...] | None = None
        self.measured = Measured()

    def close(self) -> None:
        if self.compiled is not None:
            with contextlib.suppress(Exception):
                self.compiled.close()
        self.compiled = None


@dataclass
class _Reference:
    """What eager PyTorch computes for a set of inputs."""

    results: list[Any]
    after: list[Any]
    gradients: list[Any]
    changed: list[int]
    random: bool


def measure(
    graph: Graph,
    sets: Sequence[tuple[list[Any], RandomState]],
    backends: Mapping[str, Backend],
    settings: Settings,
    deadline: float = math.inf,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, Measured]:
    """Runs a graph on back ends: for each set of inputs and each repeat, one after the other in turns.

    Parameters
    ----------
    graph : Graph
    sets : sequence
        Inputs and states of the generators of random numbers. Nothing changes them.
    backends : mapping
        From names to back ends.
    settings : Settings
    deadline : float
        Of `time.monotonic`, after which the rest is left out.
    progress : callable, optional
        Gets what is done, and which part of it.

    Returns
    -------
    dict
        For each name what was measured.
    """
    workers = [_Worker(name, backend) for name, backend in backends.items()]
    say = progress or (lambda *_: None)
    with random_state_kept(), graph.modes.active():
        try:
            _take_turns(graph, sets, workers, settings, deadline, say)
        finally:
            for worker in workers:
                worker.close()
    return {worker.name: worker.measured for worker in workers}


def _take_turns(graph: Graph, sets: Sequence[tuple[list[Any], RandomState]], workers: list[_Worker], settings: Settings,
                deadline: float, say: Callable[[str, float], None]) -> None:
    turn = 0
    for number, (values, random) in enumerate(sets):
        reference = _reference_of(graph, values, random, settings, workers, "runs with some of the inputs")
        if reference is None:
            continue
        for worker in workers:
            _compile(worker, graph, values, random, reference, settings, deadline, say)
        for repeat in range(settings.repeats):
            part = (number + repeat / settings.repeats) / len(sets)
            turn += 1
            if _late(deadline, workers, f"{(len(sets) - number) * settings.repeats - repeat} runs"):
                break
            say("measuring", part)
            ran = []
            with _no_collection():
                for worker in _rotated(workers, turn):
                    if worker.compiled is not None and not worker.measured.failures:
                        ran.append((worker, _timed(worker, values, random, reference, settings)))
            for worker, outcome in ran:
                _account(worker, outcome, reference, settings, turn)
        if time.monotonic() > deadline:
            break
    # Some back ends prove by a recording that they ran what they compiled.
    recorded = [worker for worker in workers if worker.compiled is not None
                and (settings.reports or type(worker.compiled).problem_of is not Compiled.problem_of)]
    if recorded and sets:
        values, random = sets[-1]
        reference = _reference_of(graph, values, random, settings, recorded, "the recording")
        for worker in recorded:
            if reference is None:
                break
            if not worker.measured.failures and not _late(deadline, [worker], "the recording"):
                say(f"recording {worker.name}", -1)
                _record(worker, values, random, reference, settings)


def _reference_of(graph: Graph, values: list[Any], random: RandomState, settings: Settings, workers: list[_Worker],
                  what: str) -> _Reference | None:
    """What eager PyTorch computes; without it nothing is known of back ends, so that ``what`` is left out."""
    try:
        return _reference(graph, values, random, settings)
    except Exception as error:  # noqa: BLE001: whatever it is, other graphs are measured
        for worker in workers:
            worker.measured.left_out = worker.measured.left_out or f"{what}, because eager PyTorch failed: {_text(error)}"
    return None


def _late(deadline: float, workers: list[_Worker], what: str) -> bool:
    if time.monotonic() <= deadline:
        return False
    for worker in workers:
        if not worker.measured.failures:
            worker.measured.left_out = worker.measured.left_out or f"{what}, because max_seconds was reached"
    return True


def _rotated(workers: list[_Worker], turn: int) -> list[_Worker]:
    first = turn % len(workers)
    return workers[first:] + workers[:first]


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _reference(graph: Graph, values: list[Any], random: RandomState, settings: Settings) -> _Reference:
    inputs, wanted = branched(cloned(values), range(len(values)))
    versions = [one._version if isinstance(one, torch.Tensor) and not one.is_inference() else 0 for one in inputs]
    random.set()
    before = cloned(inputs) if graph.modes.inference else None
    results = list(graph.module.forward(*inputs))
    if before is None:
        changed = [index for index, one in enumerate(inputs)
                   if isinstance(one, torch.Tensor) and one._version != versions[index]]
    else:
        changed = [index for index, (one, other) in enumerate(zip(before, inputs, strict=True))
                   if isinstance(one, torch.Tensor) and not torch.equal(one, other)]
    changed = sharing(inputs, changed)
    gradients = _gradients(results, wanted) if settings.training else []
    drawn = not torch.equal(RandomState.now().cpu, random.cpu) or any(
        not torch.equal(one, other) for one, other in zip(RandomState.now().cuda, random.cuda, strict=False))
    return _Reference(results, inputs, gradients, changed, drawn)


def _given(values: list[Any], reference: _Reference) -> tuple[list[Any], list[Any]]:
    """The inputs of a run, with copies of those that it changes, and those that have gradients."""
    return branched(cloned(values, reference.changed), reference.changed)


def _gradients(results: Sequence[Any], wanted: Sequence[Any]) -> list[Any]:
    """Of the sum of all results, for what `branched` wants; none if the results have none."""
    roots = [one for one in results if isinstance(one, torch.Tensor) and one.requires_grad]
    if not roots or not wanted:
        return []
    return list(torch.autograd.grad(roots, wanted, [torch.ones_like(one) for one in roots], allow_unused=True))


def _compile(worker: _Worker, graph: Graph, values: list[Any], random: RandomState, reference: _Reference, settings: Settings,
             deadline: float, say: Callable[[str, float], None]) -> None:
    """Compiles where that was not done, or was done for other numbers; the first run is discarded, but checked."""
    numbers = tuple(value for value in values if not isinstance(value, torch.Tensor))
    measured = worker.measured
    if measured.failures or (worker.compiled is not None and worker.numbers == numbers):
        return
    if _late(deadline, [worker], "all runs" if worker.compiled is None else "runs with other numbers"):
        return
    say(f"compiling for {worker.name}", -1)
    worker.close()
    begin = time.perf_counter_ns()
    try:
        worker.compiled = worker.backend.compile(graph, branched(cloned(values), reference.changed)[0], reference.changed)
    except Exception as error:  # noqa: BLE001: whatever a compiler raises is a failure of it
        measured.fail(f"compilation failed: {_text(error)}")
        return
    worker.numbers = numbers
    outcome = _timed(worker, values, random, reference, settings)
    measured.compile_ns += time.perf_counter_ns() - begin
    measured.discarded += 1
    measured.model = getattr(worker.compiled, "model", None)
    measured.nodes = getattr(worker.compiled, "nodes", {})
    _check(worker, outcome, reference, settings)


@dataclass
class _Outcome:
    """A run: its times, and its results or its error."""

    forward_ns: int = 0
    backward_ns: int | None = None
    results: list[Any] = field(default_factory=list)
    after: Sequence[Any] = ()
    gradients: list[Any] = field(default_factory=list)
    error: str = ""


def _timed(worker: _Worker, values: list[Any], random: RandomState, reference: _Reference, settings: Settings) -> _Outcome:
    compiled = worker.compiled
    assert compiled is not None
    outcome = _Outcome()
    try:
        inputs, wanted = _given(values, reference)
        if min(worker.measured.samples_ns, default=0) < _SHORT_NS:
            compiled.run(compiled.prepare(_given(values, reference)[0]))
        given = compiled.prepare(inputs)
        random.set()
        synchronize()
        begin = time.perf_counter_ns()
        raw = compiled.run(given)
        synchronize()
        outcome.forward_ns = time.perf_counter_ns() - begin
        outcome.results, outcome.after = compiled.results(raw, inputs)
        if settings.training and reference.gradients:
            begin = time.perf_counter_ns()
            outcome.gradients = _gradients(outcome.results, wanted)
            synchronize()
            took = time.perf_counter_ns() - begin
            if outcome.gradients:
                outcome.backward_ns = took
            else:
                worker.measured.say("it computes no gradients: its times are those of the forward part")
    except Exception as error:  # noqa: BLE001: whatever a back end raises is a failure of it
        outcome.error = _text(error)
    return outcome


def _account(worker: _Worker, outcome: _Outcome, reference: _Reference, settings: Settings, turn: int) -> None:
    if not _check(worker, outcome, reference, settings):
        return
    worker.measured.samples_ns.append(outcome.forward_ns)
    worker.measured.turns.append(turn)
    if outcome.backward_ns is not None:
        worker.measured.backward_ns.append(outcome.backward_ns)
        worker.measured.backward_turns.append(turn)


def _check(worker: _Worker, outcome: _Outcome, reference: _Reference, settings: Settings) -> bool:
    measured = worker.measured
    if outcome.error:
        measured.fail(outcome.error)
        return False
    if not settings.check:
        measured.unchecked = "check=False"
        return True
    problem = ""
    largest: dict[bool, float | None] = {False: None, True: None}
    for what, expected, actual in _compared(outcome, reference):
        gradient = what == _GRADIENT
        found = difference(expected, actual, alike=gradient)
        # Without elements, or with such that cannot be subtracted, there is no difference, not one of 0.
        if expected and not math.isnan(found.largest):
            largest[gradient] = _larger(largest[gradient], found.largest)
        problem = problem or (what + found.problem if found.problem else "")
    if problem and reference.random and not shapes_differ(reference.results, outcome.results):
        # Other numbers were drawn, so that there is nothing to compare.
        measured.unchecked = "the graph draws random numbers"
        return True
    measured.difference = _larger(measured.difference, largest[False])
    measured.backward_difference = _larger(measured.backward_difference, largest[True])
    if problem:
        measured.fail(f"wrong result: {problem}")
    return not problem


def _compared(outcome: _Outcome, reference: _Reference) -> Iterator[tuple[str, Sequence[Any], Sequence[Any]]]:
    yield "", reference.results, outcome.results
    yield ("input changed in place: ", [reference.after[index] for index in reference.changed],
           [outcome.after[index] for index in reference.changed])
    if outcome.gradients:
        yield _GRADIENT, reference.gradients, outcome.gradients


def _record(worker: _Worker, values: list[Any], random: RandomState, reference: _Reference, settings: Settings) -> None:
    compiled = worker.compiled
    assert compiled is not None
    count = _RECORDED + 2
    inputs = [_given(values, reference) for _ in range(count if reference.changed else 1)]
    prepared = [(compiled.prepare(given), wanted) for given, wanted in inputs]
    left = iter(prepared if reference.changed else prepared * count)

    def once() -> None:
        given, wanted = next(left)
        random.set()
        raw = compiled.run(given)
        if settings.training:
            _gradients(raw, wanted)

    try:
        worker.measured.files = compiled.trace(once, _RECORDED)
    except Exception as error:  # noqa: BLE001: a run that cannot be recorded was still measured
        worker.measured.say(f"not recorded: {_text(error)}")
        return
    if problem := compiled.problem_of(worker.measured.files):
        worker.measured.fail(problem)
    if not settings.reports:
        worker.measured.files = []


def _text(error: BaseException) -> str:
    """What was raised first, in one line: exporters wrap it in advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"{type(error).__name__}: {' '.join(lines)[:400]}" if lines else type(error).__name__
