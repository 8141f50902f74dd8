"""The decorator `accelerate`, whose functions a session of `compare` measures."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

import torch

from .._errors import InputError
from ._trains import variables_of

if TYPE_CHECKING:
    from ._session import Session

T = TypeVar("T", bound=Callable[..., Any])

#: The session whose block runs; one at a time in a process.
_active: list[Session] = []


class Target:
    """What was accelerated.

    Attributes
    ----------
    function : callable
        A function or a module.
    name : str
    compiling : dict
        Arguments of `torch.compile` that say what is captured.
    options : dict
        Arguments of `torch.compile` for the back end `inductor`.
    """

    def __init__(self, function: Callable[..., Any], compiling: dict[str, Any], options: dict[str, Any]) -> None:
        self.function = function
        self.compiling = compiling
        self.options = options
        self.name = getattr(function, "__qualname__", type(function).__qualname__)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """In the block of a session the call is measured; elsewhere it is the function's own."""
        # In a graph that is being captured, and outside of sessions, nothing is to be seen of this.
        if torch.compiler.is_compiling() or not _active:
            return self.function(*args, **kwargs)
        return _active[-1]._call(self, args, kwargs)

    def module_names(self) -> dict[int, str]:
        """The paths of the modules that the function reaches, by identity."""
        names: dict[int, str] = {}
        for prefix, root in self._roots():
            for path, module in root.named_modules(prefix=prefix):
                names.setdefault(id(module), path)
        return names

    def _roots(self) -> Iterator[tuple[str, torch.nn.Module]]:
        if isinstance(self.function, torch.nn.Module):
            yield "", self.function
            return
        function = inspect.unwrap(self.function)
        owner = getattr(function, "__self__", None)
        if isinstance(owner, torch.nn.Module):
            yield "", owner
        elif owner is not None:
            yield from _modules(vars(owner) if hasattr(owner, "__dict__") else {})
        if getattr(function, "__code__", None) is not None:
            yield from _modules(variables_of(function))


def _modules(names: Mapping[str, Any]) -> Iterator[tuple[str, torch.nn.Module]]:
    for name, value in names.items():
        if isinstance(value, AcceleratedModule):
            yield name, value._amdahlc_target.function
        elif isinstance(value, torch.nn.Module):
            yield name, value


class AcceleratedModule(torch.nn.Module):  # type: ignore[misc]
    """A module that is accelerated; parameters, state and attributes are those of the module itself."""

    def __init__(self, target: Target) -> None:
        super().__init__()
        # Parameters, hooks and the mode of a module are attributes; `__getattr__` finds them only if there are none here.
        self.__dict__.clear()
        self.__dict__["_amdahlc_target"] = target

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._amdahlc_target.call(args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_amdahlc_target"].function, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._amdahlc_target.function, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._amdahlc_target.function, name)

    def __dir__(self) -> list[str]:
        return dir(self._amdahlc_target.function)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        return repr(self._amdahlc_target.function)


def _forwarding(name: str) -> Callable[..., Any]:
    def forwarded(self: AcceleratedModule, *args: Any, **kwargs: Any) -> Any:
        result = getattr(self._amdahlc_target.function, name)(*args, **kwargs)
        return self if result is self._amdahlc_target.function else result

    return forwarded


# A module around it calls private ones, too: `_load_from_state_dict`, `_apply`.
for _name, _method in vars(torch.nn.Module).items():
    if isinstance(_method, types.FunctionType) and not _name.startswith("__"):
        setattr(AcceleratedModule, _name, _forwarding(_name))
AcceleratedModule.forward = _forwarding("forward")


@overload
def accelerate(model: T, *, fullgraph: bool = ..., dynamic: bool | None = ..., backend: str = ..., mode: str | None = ...,
               options: dict[str, Any] | None = ..., disable: bool = ...) -> T: ...
@overload
def accelerate(model: None = ..., *, fullgraph: bool = ..., dynamic: bool | None = ..., backend: str = ..., mode: str | None = ...,
               options: dict[str, Any] | None = ..., disable: bool = ...) -> Callable[[T], T]: ...
def accelerate(model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: str = "inductor",
               mode: str | None = None, options: dict[str, Any] | None = None, disable: bool = False) -> Any:
    """Marks a function or a module whose graphs `compare` runs on back ends.

    Outside of the block of a session it is the function itself, in eager mode. It takes the place of `torch.compile`
    and has its arguments.

    Parameters
    ----------
    model : callable or torch.nn.Module
    fullgraph : bool
        A break of the graph is an error.
    dynamic : bool, optional
        As in `torch.compile`: whether a graph serves several shapes.
    backend : str
        Only ``"inductor"``: a session has the list of back ends.
    mode, options
        Of the back end ``inductor`` of a session, where that has no mode of its own.
    disable : bool
        The function stays as it is, in sessions, too.

    Returns
    -------
    callable
        With the same arguments and results.

    Raises
    ------
    InputError
        It is accelerated or compiled already, or it is neither a function nor a module.

    Examples
    --------
    >>> @accelerate
    ... def predict(x):
    ...     return x * 2
    >>> predict(3)
    6
    """
    if model is None:
        return functools.partial(accelerate, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options,
                                 disable=disable)
    if backend != "inductor":
        raise InputError(f"accelerate(backend={backend!r}): the back ends are those of the session, "
                         f"`compare(backends=[...])`")
    if mode is not None and options is not None:
        raise InputError("accelerate() takes either `mode` or `options`, as torch.compile does")
    if not callable(model) or isinstance(model, type):
        raise InputError(f"a function or a module can be accelerated, not {type(model).__name__} {model!r}")
    for one in _wrapped(model):
        if isinstance(one, AcceleratedModule) or hasattr(one, "_amdahlc_target"):
            raise InputError(f"`{getattr(model, '__name__', type(model).__name__)}` is accelerated already")
        if isinstance(one, torch._dynamo.OptimizedModule) or (
                hasattr(one, "_torchdynamo_orig_callable") and not getattr(one, "_torchdynamo_disable", False)):
            raise InputError(f"`{getattr(model, '__name__', type(model).__name__)}` is compiled by torch.compile already; "
                             f"accelerate the original")
    if disable:
        return model
    target = Target(model, {"fullgraph": fullgraph, "dynamic": dynamic},
                    {key: value for key, value in (("mode", mode), ("options", options)) if value is not None})
    if isinstance(model, torch.nn.Module):
        return AcceleratedModule(target)

    @functools.wraps(model)
    def accelerated(*args: Any, **kwargs: Any) -> Any:
        return target.call(args, kwargs)

    accelerated._amdahlc_target = target  # type: ignore[attr-defined]
    return accelerated


def _wrapped(model: Any) -> Iterator[Any]:
    while model is not None:
        yield model
        if isinstance(model, types.MethodType):
            model = model.__func__
        else:
            model = getattr(model, "__wrapped__", None) if not isinstance(model, torch.nn.Module) else None
