"""Training: whether the code of a function computes gradients, and steps of optimizers."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import torch

_DEPTH = 4


def trains(function: Callable[..., Any]) -> bool:
    """Whether a function, or one that it names, calls `backward` or `torch.autograd.grad`.

    Functions that are reached in another way, by attributes of arguments, are not seen.
    """
    return _trains(function, _DEPTH, set())


def _trains(function: Any, depth: int, seen: set[int]) -> bool:
    function = inspect.unwrap(function) if callable(function) else function
    if isinstance(function, types.MethodType):
        function = function.__func__
    if not isinstance(function, types.FunctionType) or id(function) in seen or depth == 0:
        return False
    seen.add(id(function))
    if _calls_gradients(function.__code__):
        return True
    # Functions that a program makes with `exec` have no module.
    if (function.__module__ or "").partition(".")[0] == "torch":
        return False
    return any(_trains(one, depth - 1, seen) for one in variables_of(function).values())


def variables_of(function: Any) -> dict[str, Any]:
    """The global variables that a function names and those of its closure; `inspect` fails if one has no value yet."""
    code = function.__code__
    found = {name: function.__globals__[name] for name in code.co_names if name in function.__globals__}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):
            found[name] = cell.cell_contents
    return found


def _calls_gradients(code: types.CodeType) -> bool:
    names = set(code.co_names)
    if "backward" in names or ("grad" in names and "autograd" in names):
        return True
    return any(_calls_gradients(one) for one in code.co_consts if isinstance(one, types.CodeType))


@contextmanager
def untraced_optimizers() -> Iterator[None]:
    """Steps of optimizers run as they are: captured ones compute in another order, which changes the last bits of weights."""
    classes = [torch.optim.Optimizer]
    for one in classes:
        classes += one.__subclasses__()
    steps = [(one, one.__dict__["step"]) for one in dict.fromkeys(classes) if "step" in one.__dict__]
    for one, step in steps:
        one.step = torch._dynamo.disable(step)
    try:
        yield
    finally:
        for one, step in steps:
            one.step = step
