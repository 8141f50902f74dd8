"""Annotations of the calls of modules by their paths."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

# The parts in which wrappers of PyTorch hold a module: `torch.compile`, FSDP, and those that compute activations again.
_WRAPPED = {"_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"}
# These hold it in `module`, which may be a part of other modules.
_PARALLEL = (torch.nn.parallel.DistributedDataParallel, torch.nn.parallel.DataParallel)


def module_paths(model: torch.nn.Module, prefix: str = "") -> Iterator[tuple[str, torch.nn.Module]]:
    """The modules of a model by their paths in the model as it is without the wrappers of PyTorch.

    Parameters
    ----------
    model : torch.nn.Module
    prefix : str
        The path of the model.

    Yields
    ------
    tuple
        A path and a module, as of `named_modules()`. A wrapper and what it holds have the same path.
    """
    known: dict[str, tuple[str, torch.nn.Module]] = {}
    for path, module in model.named_modules(prefix=prefix):
        outer, _, part = path.rpartition(".")
        if path != prefix:
            above, holder = known[outer]
            is_wrapped = part in _WRAPPED or (part == "module" and isinstance(holder, _PARALLEL))
            known[path] = above if is_wrapped else f"{above}.{part}" if above else part, module
        else:
            known[path] = path, module
        yield known[path]


class ModuleScopes:
    """As a context: each call of a module that `named_modules()` of a model names is an annotation.

    The annotation has the path behind that of the module whose call it is in, so that the names of nested annotations,
    joined by dots, are the path. The model itself has an empty path and no annotation. In graphs of `torch.compile`
    modules are not called; those that are called between graphs, or are compiled by themselves, have annotations.

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
            for path, module in module_paths(one, key):
                if path:
                    self._paths.setdefault(id(module), (path, module))
        self._root = next(iter(model.values())) if isinstance(model, Mapping) else model
        self._on_call = on_call
        self._handles: list[Any] = []
        self._called: set[str] = set()
        self._open = threading.local()

    def __enter__(self) -> ModuleScopes:
        self._keep_hooks_uncompiled()
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

    def _keep_hooks_uncompiled(self) -> None:
        """Hooks of modules that are called between compiled graphs run as they are, as do those of compiled modules.

        TorchDynamo would compile a hook by itself, with `is_compiling` true, so that the call has no scope. A hook of a module
        inside of a graph is still inlined, and does nothing.
        """
        dynamo: Any = sys.modules.get("torch._dynamo.eval_frame")
        types: Any = sys.modules.get("torch._dynamo.types")
        if hasattr(dynamo, "set_code_exec_strategy") and hasattr(types, "FrameExecStrategy"):
            skip = types.FrameExecStrategy(types.FrameAction.SKIP, types.FrameAction.SKIP)
            hooks: list[Any] = [self._beginning(""), self._end(""), self._begin_any, self._end_any, self._call]
            for hook in hooks:
                dynamo.set_code_exec_strategy(hook.__code__, skip)

    def uncalled(self) -> list[str]:
        """The paths of modules that can be called, and have not been so in this context."""
        return [path for path, module in self._paths.values()
                if path not in self._called and type(module).forward is not torch.nn.Module.forward]

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
            self._called.add(path)
            stack = self._stack()
            outer = stack[-1][0] + "." if stack else ""
            annotation: Any = None
            # What a wrapper holds is called in a call of the wrapper.
            if not stack or stack[-1][0] != path:
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
                    if annotation is not None:
                        annotation.__exit__(None, None, None)
                    if ended == path:
                        break

        return end

    def _stack(self) -> list[tuple[str, Any]]:
        if not hasattr(self._open, "stack"):
            self._open.stack = []
        stack: list[tuple[str, Any]] = self._open.stack
        return stack
