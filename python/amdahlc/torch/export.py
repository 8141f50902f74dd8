"""The ONNX graph of a model."""

from __future__ import annotations

import contextlib
import copy
import io
import logging
import warnings
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Exported:
    """What became of an export.

    Attributes
    ----------
    model : bytes or None
        The ONNX file; None: the model could not be exported.
    note : str
        A sentence for the reader.
    """

    model: bytes | None
    note: str


def export_onnx(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exported:
    """Exports a model as `torch.onnx` does, without its data of weights.

    Parameters
    ----------
    model : torch.nn.Module or callable
        Of a callable there is no graph.
    args, kwargs
        With which it is called.

    Returns
    -------
    Exported
        Nothing is raised for a model that no exporter takes.
    """
    if not isinstance(model, torch.nn.Module):
        return Exported(None, "There is no ONNX graph, because a callable that is no module cannot be exported; the report is that of its calls.")
    model = getattr(model, "_orig_mod", model)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), _quiet_logs():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(model, copy.deepcopy(args), kwargs=copy.deepcopy(kwargs), dynamo=True, verbose=False)
            return Exported(bytes(program.model_proto.SerializeToString()), "The calls are bound to the ONNX graph of the model.")
    except Exception as error:
        return Exported(None, f"There is no ONNX graph, because the export failed: {reason_of(error)}; the report is that of the calls.")


def reason_of(error: BaseException) -> str:
    """The sentence of an error that says most: the exporter wraps the cause in errors with long reports."""
    if isinstance(error, ImportError):
        return f"the package `{error.name}` is missing"
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    return f"{type(cause).__name__}: {lines[0] if lines else 'no message'}"[:300].rstrip(".")


@contextlib.contextmanager
def _quiet_logs() -> Any:
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
