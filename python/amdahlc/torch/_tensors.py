"""Copies of the inputs of a graph, and comparisons of results."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

# Of an element, relative to its magnitude and the root mean square of its result: rounding grows with what was added up.
TOLERANCES = {torch.float64: 1e-7, torch.float32: 1e-3, torch.float16: 2e-2, torch.bfloat16: 5e-2,
              torch.complex64: 1e-3, torch.complex128: 1e-7}


def cloned(values: Sequence[Any], which: Sequence[int] | None = None) -> list[Any]:
    """The values with copies of tensors, of those at the positions ``which`` or of all.

    Tensors that share a storage share one afterwards, with the same strides and offsets. A copy of a leaf is a leaf
    with the same `requires_grad`. Values that are no tensors stay as they are.
    """
    wanted = set(range(len(values)) if which is None else which)
    users: dict[int, int] = {}
    for index, value in enumerate(values):
        if index in wanted and _has_storage(value):
            storage = value.untyped_storage().data_ptr()
            users[storage] = users.get(storage, 0) + 1
    shared: dict[int, torch.UntypedStorage] = {}
    return [_clone(value, users, shared) if index in wanted else value for index, value in enumerate(values)]


def branched(values: Sequence[Any], which: Sequence[int]) -> tuple[list[Any], list[Any]]:
    """The values, and what `torch.autograd.grad` takes for those that have gradients.

    Of the tensors at the positions ``which``, those that have gradients and are no weights are as a program has them
    after other code: no leaves, which an operator may change in place. They keep their memory.
    """
    given, wanted = list(values), []
    for index, value in enumerate(values):
        if not isinstance(value, torch.Tensor) or not value.requires_grad or not value.is_leaf:
            continue
        if index in which and not isinstance(value, torch.nn.Parameter) and not value.is_inference():
            with torch.enable_grad():
                given[index] = _Branch.apply(value) if _has_storage(value) else value.clone()
            # The place in the graph as it is now: an operator in place puts the tensor at another one.
            wanted.append(torch.autograd.graph.get_gradient_edge(given[index]))
        else:
            wanted.append(value)
    return given, wanted


class _Branch(torch.autograd.Function):  # type: ignore[misc]
    """The same memory as a tensor that is no leaf, and no view either: those of leaves cannot be changed in place."""

    @staticmethod
    def forward(_context: Any, leaf: torch.Tensor) -> torch.Tensor:
        branch = torch.empty(0, dtype=leaf.dtype, device=leaf.device)
        return branch.set_(leaf.untyped_storage(), leaf.storage_offset(), leaf.shape, leaf.stride())

    @staticmethod
    def backward(_context: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient


def _has_storage(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.layout == torch.strided and not value.is_meta


def _clone(value: Any, users: dict[int, int], shared: dict[int, torch.UntypedStorage]) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    with torch.no_grad():
        if not _has_storage(value):
            copy = value.detach().clone()
        else:
            storage = value.untyped_storage()
            address = storage.data_ptr()
            if users[address] > 1 and storage.nbytes() > 0:
                if address not in shared:
                    shared[address] = storage.clone()
                copy = torch.empty(0, dtype=value.dtype, device=value.device)
                copy.set_(shared[address], value.storage_offset(), value.shape, value.stride())
            elif _overlaps_itself(value):
                copy = torch.empty(0, dtype=value.dtype, device=value.device)
                copy.set_(storage.clone(), value.storage_offset(), value.shape, value.stride())
            else:
                copy = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
                copy.copy_(value.detach())
    if isinstance(value, torch.nn.Parameter):
        return torch.nn.Parameter(copy, value.requires_grad)
    return copy.requires_grad_(value.requires_grad)


def _overlaps_itself(value: torch.Tensor) -> bool:
    return any(stride == 0 and size > 1 for size, stride in zip(value.shape, value.stride(), strict=True))


def sharing(values: Sequence[Any], which: Sequence[int]) -> list[int]:
    """The positions ``which``, and those of other tensors that share memory with them."""
    storages = {values[index].untyped_storage().data_ptr() for index in which if _has_storage(values[index])}
    return [index for index, value in enumerate(values)
            if index in which or (_has_storage(value) and value.untyped_storage().data_ptr() in storages)]


def size_of(values: Sequence[Any]) -> int:
    """Bytes of the tensors among values."""
    return sum(value.numel() * value.element_size() for value in values if isinstance(value, torch.Tensor))


@dataclass
class Difference:
    """How a result differs from the expected one.

    Attributes
    ----------
    largest : float
        The largest absolute difference of an element; nan if results cannot be subtracted.
    problem : str
        Why the result is wrong; empty if it is within the tolerance of its type.
    """

    largest: float
    problem: str


def difference(expected: Sequence[Any], actual: Sequence[Any], alike: bool = False) -> Difference:
    """Compares the results of a graph with those of eager PyTorch.

    Parameters
    ----------
    expected, actual : sequence
        Tensors, and values that have to be equal.
    alike : bool
        The results are parts of one: gradients, of which one may be 0 but for rounding of the others.
    """
    if len(expected) != len(actual):
        return Difference(math.nan, f"{len(actual)} results instead of {len(expected)}")
    largest = 0.0
    problem = ""
    typical = max((_typical(one) for one in expected if alike and isinstance(one, torch.Tensor)), default=0.0)
    for number, (one, other) in enumerate(zip(expected, actual, strict=True)):
        found = _difference_of(one, other, typical)
        largest = found.largest if math.isnan(found.largest) else max(largest, found.largest)
        if found.problem and not problem:
            problem = f"result {number} {found.problem}"
    return Difference(largest, problem)


def shapes_differ(expected: Sequence[Any], actual: Sequence[Any]) -> str:
    """As `difference`, of shapes and types alone: results that are random have no others to compare."""
    if len(expected) != len(actual):
        return f"{len(actual)} results instead of {len(expected)}"
    for number, (one, other) in enumerate(zip(expected, actual, strict=True)):
        if found := _kind_differs(one, other):
            return f"result {number} {found}"
    return ""


def _kind_differs(one: Any, other: Any) -> str:
    if not isinstance(one, torch.Tensor):
        return ""
    if not isinstance(other, torch.Tensor):
        return f"is {type(other).__name__}, not a tensor"
    if one.shape != other.shape:
        return f"has the shape {tuple(other.shape)} instead of {tuple(one.shape)}"
    if one.dtype != other.dtype:
        return f"has the type {other.dtype} instead of {one.dtype}"
    return ""


def _typical(result: torch.Tensor) -> float:
    if result.dtype not in TOLERANCES or result.numel() == 0:
        return 0.0
    typical = result.detach().abs().double().square().mean().sqrt().item()
    return typical if math.isfinite(typical) else 0.0


def _difference_of(one: Any, other: Any, least: float) -> Difference:
    if not isinstance(one, torch.Tensor):
        same = one == other or (one != one and other != other)
        return Difference(0.0 if same else math.nan, "" if same else f"is {other!r} instead of {one!r}")
    if kind := _kind_differs(one, other):
        return Difference(math.nan, kind)
    if one.numel() == 0:
        return Difference(0.0, "")
    one, other = one.detach(), other.detach().to(one.device)
    if one.layout != torch.strided:
        one, other = one.to_dense(), other.to_dense()
    if one.dtype not in TOLERANCES:
        if torch.equal(one, other):
            return Difference(0.0, "")
        apart = (one.double() - other.double()).abs().max().item()
        return Difference(apart, f"differs by up to {apart:g}, and {one.dtype} has no tolerance")
    tolerance = TOLERANCES[one.dtype]
    if one.dtype in (torch.float16, torch.bfloat16):
        one, other = one.float(), other.float()
    finite = torch.isfinite(one)
    if not bool((finite == torch.isfinite(other)).all()):
        return Difference(math.nan, "has other elements that are not finite")
    if not bool(finite.all()):
        # Infinities have to be the same, and so has what is not a number.
        if not torch.equal(torch.nan_to_num(one[~finite], 0.5), torch.nan_to_num(other[~finite], 0.5)):
            return Difference(math.nan, "has other elements that are not finite")
        one, other = one[finite], other[finite]
        if one.numel() == 0:
            return Difference(0.0, "")
    distance = (one - other).abs()
    apart = distance.max().item()
    typical = max(_typical(one), least, 1e-6)
    if bool((distance <= tolerance * (one.abs() + typical)).all()):
        return Difference(apart, "")
    return Difference(apart, f"differs by up to {apart:.3g}, and {tolerance:g} of an element and of {typical:.3g} is allowed")


@dataclass
class RandomState:
    """The states of PyTorch's generators of random numbers."""

    cpu: torch.Tensor
    cuda: list[torch.Tensor]

    @classmethod
    def now(cls) -> RandomState:
        cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() and torch.cuda.is_initialized() else []
        return cls(torch.get_rng_state(), cuda)

    def set(self) -> None:
        torch.set_rng_state(self.cpu)
        if self.cuda:
            torch.cuda.set_rng_state_all(self.cuda)


@contextlib.contextmanager
def random_state_kept() -> Iterator[None]:
    """What is drawn inside changes nothing outside."""
    before = RandomState.now()
    try:
        yield
    finally:
        before.set()


@dataclass(frozen=True)
class Modes:
    """The modes of PyTorch in which a graph ran, which are no part of the graph."""

    grad: bool
    inference: bool
    autocast: tuple[tuple[str, torch.dtype], ...]

    @classmethod
    def now(cls) -> Modes:
        on = tuple((kind, torch.get_autocast_dtype(kind)) for kind in ("cpu", "cuda") if torch.is_autocast_enabled(kind))
        return cls(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), on)

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            stack.enter_context(torch.inference_mode(self.inference))
            stack.enter_context(torch.set_grad_enabled(self.grad and not self.inference))
            for kind in ("cpu", "cuda"):
                types = dict(self.autocast)
                if kind in types or torch.is_autocast_enabled(kind):
                    stack.enter_context(torch.autocast(kind, dtype=types.get(kind), enabled=kind in types))
            yield
