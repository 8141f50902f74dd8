"""Whether the code of a function computes gradients."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

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
    if function.__module__.partition(".")[0] == "torch":
        return False
    reached = inspect.getclosurevars(function)
    return any(_trains(one, depth - 1, seen) for one in [*reached.globals.values(), *reached.nonlocals.values()])


def _calls_gradients(code: types.CodeType) -> bool:
    names = set(code.co_names)
    if "backward" in names or ("grad" in names and "autograd" in names):
        return True
    return any(_calls_gradients(one) for one in code.co_consts if isinstance(one, types.CodeType))
