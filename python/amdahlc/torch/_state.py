"""The state of a program, which is put back after calls that were made for a measurement alone."""

from __future__ import annotations

import functools
import inspect
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

_CONTAINERS = (list, dict, set, deque)
_PLAIN = (int, float, complex, bool, str, bytes, type(None), torch.Tensor, tuple, *_CONTAINERS)
_ABSENT = object()


class Snapshot:
    """Tensors, their gradients, containers, attributes and generators of random numbers that objects reach.

    `restore` gives each tensor its bytes and each container its elements back, in place: who refers to them sees no
    difference. Modules of PyTorch itself have their state in parameters and buffers; of others, and of other objects,
    attributes that are numbers, texts, tensors or containers are put back, too.

    Parameters
    ----------
    *roots : object
        Modules, optimizers, arguments.
    """

    def __init__(self, *roots: Any) -> None:
        self._seen: dict[int, Any] = {}
        self._tensors: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor | None, int]] = []
        self._containers: list[tuple[Any, Any]] = []
        self._attributes: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self._generators: list[tuple[torch.Generator, torch.Tensor]] = []
        self._random = _random_states()
        waiting = list(roots)
        while waiting:
            waiting.extend(self._take(waiting.pop()))

    def restore(self, between_steps: bool = False) -> None:
        """Puts everything back.

        Parameters
        ----------
        between_steps : bool
            Whether tensors that PyTorch does not count as changed stay as they are: looking at all bytes takes time.
        """
        with torch.no_grad(), _unrecorded():
            for tensor, copy, gradient, version in self._tensors:
                if between_steps and not tensor.is_inference() and tensor._version == version:
                    pass
                elif not _same_bits(tensor, copy):
                    tensor.data.copy_(copy)
                # With its bytes a tensor gets its count of changes back, so that graphs of the program stay valid.
                if not tensor.is_inference() and tensor._version != version:
                    torch._C._autograd._unsafe_set_version_counter((tensor,), (version,))
                if tensor.is_leaf and tensor.grad is not gradient:
                    tensor.grad = gradient
        for container, elements in self._containers:
            if not _same_elements(container, elements):
                container.clear()
                (container.extend if isinstance(container, (list, deque)) else container.update)(elements)
        for attributes, before in self._attributes:
            for name in {**attributes, **before}:
                now, then = attributes.get(name, _ABSENT), before.get(name, _ABSENT)
                if now is not then and isinstance(now if then is _ABSENT else then, _PLAIN):
                    if then is _ABSENT:
                        del attributes[name]
                    else:
                        attributes[name] = then
        for generator, state in self._generators:
            generator.set_state(state)
        for put_back, state in self._random:
            put_back(state)

    def _take(self, value: Any) -> Iterator[Any]:
        """Keeps one value, and gives those that it reaches."""
        if isinstance(value, (int, float, complex, str, bytes, type, type(None))) or id(value) in self._seen or inspect.ismodule(value):
            return
        self._seen[id(value)] = value
        if isinstance(value, torch.Tensor):
            gradient = value.grad if value.is_leaf else None
            self._tensors.append((value, value.detach().clone(), gradient, 0 if value.is_inference() else value._version))
            yield gradient
        elif isinstance(value, torch.Generator):
            self._generators.append((value, value.get_state()))
        elif isinstance(value, torch.nn.Module):
            yield from value.children()
            for tensors in (value._parameters, value._buffers):
                yield tensors
            if not type(value).__module__.startswith("torch."):
                yield from self._attributes_of(value)
        elif isinstance(value, _CONTAINERS):
            self._containers.append((value, dict(value) if isinstance(value, dict) else value.copy()))
            yield from value.values() if isinstance(value, dict) else value
        elif isinstance(value, tuple):
            yield from value
        elif hasattr(value, "__dict__") and not callable(value):
            yield from self._attributes_of(value)

    def _attributes_of(self, value: Any) -> Iterator[Any]:
        attributes = vars(value)
        self._attributes.append((attributes, dict(attributes)))
        yield from (one for name, one in attributes.items() if not name.endswith("_hooks"))


def reached(call: Any) -> dict[str, Any]:
    """What a callable names: its closure, the globals it uses, the object it is a method of, arguments bound to it.

    So do functions of its closure and of its source that it names, and attributes of objects that are named.
    """
    found: dict[str, Any] = {}
    waiting, seen = [call], set()
    while waiting:
        one = waiting.pop()
        seen.add(id(one))
        function = _function_of(one)
        for name, value in _named_by(one).items():
            found.setdefault(name, value)
            if _is_object_of_user(value):
                for attribute, part in vars(value).items():
                    found.setdefault(f"{name}.{attribute}", part)
            if inspect.isfunction(value) and id(value) not in seen and inspect.isfunction(function) and (
                    value.__globals__ is function.__globals__ or name in function.__code__.co_freevars):
                waiting.append(value)
    return found


def _is_object_of_user(value: Any) -> bool:
    return (hasattr(value, "__dict__") and not isinstance(value, (type, torch.nn.Module)) and not inspect.isroutine(value) and not inspect.ismodule(value)
            and type(value).__module__.partition(".")[0] not in ("builtins", "numpy", "torch", "typing"))


def _function_of(call: Any) -> Any:
    while isinstance(call, functools.partial):
        call = call.func
    # What a decorator wraps, such as `torch.no_grad`.
    return inspect.unwrap(getattr(call, "__func__", call))


def _named_by(call: Any) -> dict[str, Any]:
    if isinstance(call, torch.nn.Module):
        return {"": call}
    if isinstance(call, functools.partial):
        return {**_named_by(call.func), **{str(index): one for index, one in enumerate(call.args)}, **call.keywords}
    found: dict[str, Any] = {}
    owner = getattr(call, "__self__", None)
    if owner is not None:
        found.update({"": owner} if isinstance(owner, torch.nn.Module) else getattr(owner, "__dict__", {}))
    function = _function_of(call)
    if not inspect.isfunction(function):
        return found or dict(getattr(call, "__dict__", {}))
    try:
        variables = inspect.getclosurevars(function)
    except ValueError:  # a variable of the closure that has no value yet
        return found
    return {**variables.globals, **variables.nonlocals, **found}


def models_of(named: dict[str, Any]) -> dict[str, torch.nn.Module]:
    """The modules among values by name, less those that are parts of others; one alone has no name."""
    modules = {name: one for name, one in named.items() if isinstance(one, torch.nn.Module)}
    parts = {id(part) for one in modules.values() for part in one.modules() if part is not one}
    roots: dict[int, tuple[str, torch.nn.Module]] = {}
    for name, one in modules.items():
        if id(one) not in parts:
            roots.setdefault(id(one), (name, one))
    return dict(roots.values()) if len(roots) != 1 else {"": one for _, one in roots.values()}


def state_of(named: dict[str, Any]) -> list[Any]:
    """Of values by name those that hold the state of a program: modules, tensors, optimizers and what else has a `state_dict`."""
    return [one for one in named.values() if isinstance(one, (torch.Tensor, torch.Generator)) or (hasattr(one, "state_dict") and not inspect.isclass(one))]


@contextmanager
def _unrecorded() -> Iterator[None]:
    """Operators of this thread are not recorded meanwhile."""
    torch.autograd._enable_record_function(False)
    try:
        yield
    finally:
        torch.autograd._enable_record_function(True)


def _same_bits(tensor: torch.Tensor, copy: torch.Tensor) -> bool:
    if tensor.layout is not torch.strided or tensor.is_quantized:
        return False
    if tensor.shape != copy.shape or tensor.dtype != copy.dtype:
        return True  # another tensor by now, of which nothing can be put back
    left, right = (one.detach().contiguous().view(-1).view(torch.uint8) for one in (tensor, copy))
    return bool(torch.equal(left, right))


def _same_elements(container: Any, elements: Any) -> bool:
    if len(container) != len(elements):
        return False
    if isinstance(container, set):
        return bool(container == elements)
    if isinstance(container, dict):
        return all(one is other and container[one] is elements[other] for one, other in zip(container, elements))
    return all(one is other for one, other in zip(container, elements))


def _random_states() -> list[tuple[Callable[[Any], Any], Any]]:
    states: list[tuple[Callable[[Any], Any], Any]] = [(torch.set_rng_state, torch.get_rng_state()), (random.setstate, random.getstate())]
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        states.append((torch.cuda.set_rng_state_all, torch.cuda.get_rng_state_all()))
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        states.append((numpy.random.set_state, numpy.random.get_state()))
    return states
