"""Annotations of the calls of modules by their paths."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import torch

# What `torch.compile` puts between a module and its parts.
_COMPILED = "_orig_mod"


class ModuleScopes:
    """As a context: each call of a module that `named_modules()` of a model names is an annotation.

    The annotation has the path behind that of the module whose call it is in, so that the names of nested annotations,
    joined by dots, are the path. The model itself has an empty path and no annotation. In code of `torch.compile`
    modules are not called.

    Parameters
    ----------
    model : torch.nn.Module or mapping
        A mapping gives several models the first part of their paths.
    on_call : callable, optional
        What is called at the beginning of each call of the model, of several of the first one.
    """

    def __init__(self, model: torch.nn.Module | Mapping[str, torch.nn.Module], on_call: Callable[[], None] | None = None) -> None:
        self._paths: dict[int, tuple[str, torch.nn.Module]] = {}
        for key, one in model.items() if isinstance(model, Mapping) else [("", model)]:
            for path, module in one.named_modules(prefix=key):
                path = ".".join(part for part in path.split(".") if part != _COMPILED)
                if path:
                    self._paths.setdefault(id(module), (path, module))
        self._root = next(iter(model.values())) if isinstance(model, Mapping) else model
        self._on_call = on_call
        self._handles: list[Any] = []
        self._open = threading.local()

    def __enter__(self) -> ModuleScopes:
        # A layer of this class takes another path where it or a part of it has a hook, unless the hook is one of all modules.
        # Those have `torch.compile` print a warning.
        modules = [module for _, module in self._paths.values()]
        if any(isinstance(one, torch.nn.TransformerEncoderLayer) and not one.training for one in modules) and not any(
                isinstance(one, torch._dynamo.OptimizedModule) for one in (*modules, self._root)):
            self._handles.append(torch.nn.modules.module.register_module_forward_pre_hook(self._begin_any))
            self._handles.append(torch.nn.modules.module.register_module_forward_hook(self._end_any, always_call=True))
            return self
        for path, module in self._paths.values():
            self._handles.append(module.register_forward_pre_hook(self._beginning(path), prepend=True))
            self._handles.append(module.register_forward_hook(self._end(path), always_call=True))
        if self._on_call is not None:
            self._handles.append(self._root.register_forward_pre_hook(self._call, prepend=True))
        return self

    def _begin_any(self, module: torch.nn.Module, arguments: Any) -> None:
        if self._on_call is not None and module is self._root:
            self._call(module, arguments)
        known = self._paths.get(id(module))
        if known is not None:
            self._beginning(known[0])(module, arguments)

    def _end_any(self, module: torch.nn.Module, arguments: Any, result: Any) -> None:
        known = self._paths.get(id(module))
        if known is not None:
            self._end(known[0])(module, arguments, result)

    def _call(self, _module: torch.nn.Module, _arguments: Any) -> None:
        if self._on_call is not None and not torch.compiler.is_compiling() and not self._stack():
            self._on_call()

    def __exit__(self, *_: object) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def _beginning(self, path: str) -> Any:
        def begin(_module: torch.nn.Module, _arguments: Any) -> None:
            if torch.compiler.is_compiling():
                return
            stack = self._stack()
            outer = stack[-1][0] + "." if stack else ""
            annotation = torch.autograd.profiler.record_function(path[len(outer):] if path.startswith(outer) else path)
            annotation.__enter__()
            stack.append((path, annotation))

        return begin

    def _end(self, path: str) -> Any:
        def end(_module: torch.nn.Module, _arguments: Any, _result: Any) -> None:
            if torch.compiler.is_compiling():
                return
            stack = self._stack()
            if any(one == path for one, _ in stack):
                while True:
                    ended, annotation = stack.pop()
                    annotation.__exit__(None, None, None)
                    if ended == path:
                        break

        return end

    def _stack(self) -> list[tuple[str, Any]]:
        if not hasattr(self._open, "stack"):
            self._open.stack = []
        stack: list[tuple[str, Any]] = self._open.stack
        return stack
