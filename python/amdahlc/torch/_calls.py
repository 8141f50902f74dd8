"""Calls of accelerated functions in a session: which graphs ran with which inputs, and what lay between them."""

from __future__ import annotations

import time
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._pytree import keystr, tree_flatten_with_path

from .._errors import Warning
from ._graph import Graph, described
from ._tensors import RandomState, cloned, size_of
from .capture import synchronize


@dataclass
class InputSet:
    """The inputs of a graph in one call.

    Attributes
    ----------
    values : list
        Weights are the user's own, as they are when the graph is measured; all else are copies.
    random : RandomState
        Before the graph ran.
    call : Call
        In which it ran.
    size : int
        Bytes of the copies.
    """

    values: list[Any]
    random: RandomState
    call: Call
    size: int


@dataclass
class GraphSegment:
    """A graph with the shapes of its inputs.

    Attributes
    ----------
    graph : Graph
    number : int
        From 1, in the order in which they first ran.
    shapes : tuple of str
    sets : list of InputSet
        Of calls that were not measured yet.
    left_out : int
        Calls whose inputs were not kept, because they are too large together.
    """

    graph: Graph
    number: int
    shapes: tuple[str, ...]
    sets: list[InputSet] = field(default_factory=list)
    left_out: int = 0


@dataclass
class Run:
    """A run of a graph in a call, in nanoseconds of `time.perf_counter_ns`.

    Attributes
    ----------
    segment : GraphSegment
    backward : bool
    enter, begin, end, leave : int
        Between `enter` and `begin`, and between `end` and `leave`, the session keeps its books.
    """

    segment: GraphSegment
    backward: bool
    enter: int
    begin: int
    end: int
    leave: int


@dataclass
class Call:
    """A call of an accelerated function.

    Attributes
    ----------
    name : str
        The function with the types and shapes of its arguments.
    begin, end : int
    runs : list of Run
    compiled : bool
        TorchDynamo captured something during the call, or runs of graphs overlapped: its uncompiled times are worth nothing.
    """

    name: str
    begin: int = 0
    end: int = 0
    runs: list[Run] = field(default_factory=list)
    compiled: bool = False

    def key(self) -> tuple[Any, ...]:
        """Equal in calls that run the same graphs in the same order."""
        return (self.name, *((run.segment.number, run.backward) for run in self.runs))

    def uncompiled(self) -> list[int]:
        """The stretches before, between and after the graphs."""
        times = []
        last = self.begin
        for run in self.runs:
            times.append(run.enter - last)
            last = run.leave
        return [*times, self.end - last]

    def books_ns(self) -> int:
        """What belongs to the session and not to the call."""
        return sum(run.begin - run.enter + run.leave - run.end for run in self.runs)

    def wall_ns(self) -> int:
        """The call without what belongs to the session."""
        return self.end - self.begin - self.books_ns()


def _described(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[str]:
    """Types and shapes of the tensors among arguments."""
    for path, leaf in tree_flatten_with_path((args, kwargs))[0]:
        if isinstance(leaf, torch.Tensor):
            name = keystr(path[1:]).strip("[]'")
            yield ("" if name.isdigit() else f"{name}: ") + described(leaf)


class CapturedGraph:
    """What TorchDynamo calls in place of a graph: it runs the graph once, in eager mode, and keeps the inputs.

    TorchDynamo keeps it as long as the function exists; of the session it keeps nothing.
    """

    def __init__(self, graph: Graph, recorder: Recorder) -> None:
        self._graph = graph
        self._recorder = weakref.ref(recorder)

    def __call__(self, *inputs: Any) -> Any:
        recorder = self._recorder()
        return self._graph.module.forward(*inputs) if recorder is None else recorder.run(self._graph, inputs)


class Recorder:
    """The calls of a session.

    Parameters
    ----------
    kept_bytes : int
        How many bytes of copies of inputs are kept until they are measured.
    """

    def __init__(self, kept_bytes: int) -> None:
        self.calls: list[Call] = []
        self.segments: dict[tuple[int, tuple[str, ...]], GraphSegment] = {}
        self._graphs: list[Graph] = []
        self._free = kept_bytes
        self._kept_bytes = kept_bytes
        self._now: Call | None = None

    def captured(self, graph: Graph) -> CapturedGraph:
        """TorchDynamo captured a graph."""
        self._graphs.append(graph)
        self.compilation()
        return CapturedGraph(graph, self)

    def compilation(self) -> None:
        """Something was compiled during the call that runs."""
        if self._now is not None:
            self._now.compiled = True

    @property
    def inside(self) -> bool:
        """Whether a call runs."""
        return self._now is not None

    def call(self, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a function and records what happens; a call that raises an exception is not kept."""
        call = Call(f"{name}({', '.join(_described(args, kwargs))})")
        synchronize()
        self._now = call
        try:
            call.begin = time.perf_counter_ns()
            result = function(*args, **kwargs)
            synchronize()
            call.end = time.perf_counter_ns()
        except BaseException:
            self._forget(call)
            raise
        finally:
            self._now = None
        if not call.compiled and min(call.uncompiled()) < 0:
            call.compiled = True
            warnings.warn(f"a call of {call.name} does not count: its graphs ran at the same time, so that nothing tells "
                          "how long the code between them took", Warning, stacklevel=2)
        self.calls.append(call)
        return result

    def run(self, graph: Graph, inputs: Sequence[Any]) -> Any:
        """Runs a graph for the user, once."""
        call = self._now
        if call is None:
            return graph.module.forward(*inputs)
        # Otherwise what the accelerator was given before a time would count after it.
        synchronize()
        enter = time.perf_counter_ns()
        segment = self._keep(call, graph, inputs)
        synchronize()
        begin = time.perf_counter_ns()
        result = graph.module.forward(*inputs)
        synchronize()
        end = time.perf_counter_ns()
        run = Run(segment, False, enter, begin, end, end)
        call.runs.append(run)
        if graph.modes.grad:
            self._watch_backward(segment, inputs, result)
        run.leave = time.perf_counter_ns()
        return result

    def measured(self) -> None:
        """The inputs that were kept are not needed any more."""
        for segment in self.segments.values():
            segment.sets.clear()
        self._free = self._kept_bytes

    def _forget(self, call: Call) -> None:
        """The inputs of a call that is not kept."""
        for segment in self.segments.values():
            self._free += sum(one.size for one in segment.sets if one.call is call)
            segment.sets = [one for one in segment.sets if one.call is not call]

    def _keep(self, call: Call, graph: Graph, inputs: Sequence[Any]) -> GraphSegment:
        shapes = graph.shapes(inputs)
        segment = self.segments.get((id(graph), shapes))
        if segment is None:
            segment = GraphSegment(graph, len(self.segments) + 1, shapes)
            self.segments[(id(graph), shapes)] = segment
        own = [index for index, one in enumerate(graph.inputs) if not one.weight]
        size = size_of([inputs[index] for index in own])
        if size > self._free and segment.sets:
            segment.left_out += 1
            return segment
        self._free -= size
        segment.sets.append(InputSet(cloned(inputs, own), RandomState.now(), call, size))
        return segment

    def _watch_backward(self, segment: GraphSegment, inputs: Sequence[Any], result: Sequence[Any]) -> None:
        """The backward calls of a graph are not uncompiled code: hooks tell when they begin and end."""
        roots = {one.grad_fn for one in result if isinstance(one, torch.Tensor) and one.grad_fn is not None}
        given = {one.grad_fn for one in inputs if isinstance(one, torch.Tensor) and one.grad_fn is not None}
        inner = set()
        stack = list(roots - given)
        while stack:
            node = stack.pop()
            if node in inner:
                continue
            inner.add(node)
            stack.extend(one for one, _ in node.next_functions if one is not None and one not in given)
        last: list[Run] = []

        def begins(*_: Any) -> None:
            if not last and self._now is not None:
                synchronize()
                now = time.perf_counter_ns()
                last.append(Run(segment, True, now, now, now, now))
                self._now.runs.append(last[0])

        def ends(*_: Any) -> None:
            # The node of a weight that another graph uses as well runs at the end of both: it belongs to the later one.
            if last and self._now is not None and self._now.runs and self._now.runs[-1] is last[0]:
                synchronize()
                last[0].end = last[0].leave = time.perf_counter_ns()

        # TorchDynamo would capture hooks as code of the program.
        at_begin, at_end = torch.compiler.disable(begins), torch.compiler.disable(ends)
        for node in roots - given:
            node.register_prehook(at_begin)
        for node in inner:
            # Nodes at the border of the graph, and those of leaves, end it.
            if not node.next_functions or any(one is None or one in given or not one.next_functions for one, _ in node.next_functions):
                node.register_hook(at_end)
