"""What `analyze` takes, as arguments of the command and files that it reads."""

from __future__ import annotations

import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ._errors import InputError

_SCHEMA = "amdahlc.saved/1"

_TAKEN = {"emit", "o", "help", "version", "config", "max-memory", "color", "print-to", "lsp", "print-rules", "check-rules",
          "print-pipeline", "suggest-rules", "time-passes", "stats", "trace", "hardware"}


class Inputs:
    """The inputs and options of one analysis, and the temporary files of inputs that are no files.

    The files are there as long as this object.
    """

    def __init__(self, outputs: tuple[str, ...] = ("json",)) -> None:
        self.outputs = outputs
        self.operands: list[str] = []
        self.model: bytes | None = None
        self._traces: list[tuple[str, list[str]]] = []
        self._options: list[str] = []
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def all_arguments(self) -> list[str]:
        """As the command takes them, less its name."""
        traces = [f"-trace={label}{'=' if label else ''}{','.join(files)}" for label, files in self._traces]
        outputs = [f"-emit={output}" for output in self.outputs]
        return [*traces, *self._options, *outputs, "--", *self.operands]

    def add_model(self, model: Any) -> None:
        """A path, the bytes of a model, or an object of `onnx` or `torch.onnx` that holds one."""
        if _is_path(model):
            self.operands.append(os.fspath(model))
            return
        data = model if isinstance(model, (bytes, bytearray, memoryview)) else _model_bytes(model)
        self.model = bytes(data)
        self.operands.append("model.onnx")

    def add_traces(self, traces: Any) -> None:
        """A trace, or a mapping from labels of runs to traces."""
        for label, trace in traces.items() if isinstance(traces, Mapping) else [("", traces)]:
            files = trace if isinstance(trace, (list, tuple)) else [trace]
            self._traces.append((label, [self._file_of(one) for one in files]))

    def archive(self) -> bytes:
        """The inputs and options as a ZIP file."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            members: dict[str, str] = {}

            def member(path: str) -> str:
                if path not in members:
                    members[path] = f"{len(members)}/{Path(path).name}"
                    try:
                        archive.write(path, members[path])
                    except (OSError, ValueError) as error:
                        raise InputError(f"{path}: an input cannot be kept with the report: {error}") from error
                return members[path]

            kept = {
                "schema": _SCHEMA,
                "options": self._options,
                "traces": [[label, [member(path) for path in files]] for label, files in self._traces],
                "operands": [path if self.model is not None and not index else member(path)
                             for index, path in enumerate(self.operands)],
                "model": self.model is not None,
            }
            if self.model is not None:
                archive.writestr("model", self.model)
            archive.writestr("amdahlc.json", json.dumps(kept))
        return buffer.getvalue()

    @classmethod
    def of_archive(cls, data: bytes) -> Inputs:
        """The inputs of `archive`, as files."""
        inputs = cls()
        folder = inputs._new_folder()
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            kept = json.loads(archive.read("amdahlc.json"))
            if kept["schema"] != _SCHEMA:
                raise ValueError(kept["schema"])
            archive.extractall(folder)
            if kept["model"]:
                inputs.model = archive.read("model")
        inputs._options = kept["options"]
        inputs._traces = [(label, [str(folder / file) for file in files]) for label, files in kept["traces"]]
        inputs.operands = [file if kept["model"] and not index else str(folder / file)
                           for index, file in enumerate(kept["operands"])]
        return inputs

    def set_hardware(self, hardware: str | os.PathLike[str]) -> None:
        """The name of a shipped description, or a file."""
        self._add_option("hardware", os.fspath(hardware))

    def add_option(self, name: str, value: Any) -> None:
        """An option of the command by its name, with underscores for its dashes.

        True is a flag, a mapping gives ``key=value`` pairs, and other collections repeat the option.
        """
        name = name.replace("_", "-")
        if value is None or value is False:
            return
        if name in _TAKEN:
            raise TypeError(f"analyze() takes no option `{name}`")
        if value is True:
            self._options.append(f"-{name}")
        elif isinstance(value, Mapping):
            for key, one in value.items():
                self._add_option(name, f"{key}={one}")
        elif isinstance(value, Iterable) and not isinstance(value, (str, os.PathLike)):
            for one in value:
                self._add_option(name, str(one))
        else:
            self._add_option(name, os.fspath(value) if isinstance(value, os.PathLike) else str(value))

    def _add_option(self, name: str, value: str) -> None:
        self._options.append(f"-{name}={value}")

    def _file_of(self, trace: Any) -> str:
        if _is_path(trace):
            return str(os.fspath(trace))
        path = self._new_folder() / "trace.json"
        if isinstance(trace, (bytes, bytearray, memoryview)):
            path.write_bytes(trace)
        elif hasattr(trace, "export_chrome_trace"):
            trace.export_chrome_trace(str(path))
        else:
            raise TypeError(f"a trace is a path, bytes or a profiler of torch, not {type(trace).__name__}")
        return str(path)

    def _new_folder(self) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="amdahlc-")
        return Path(tempfile.mkdtemp(dir=self._folder.name))


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _model_bytes(model: Any) -> bytes:
    # An ONNXProgram of torch holds the message.
    message = getattr(model, "model_proto", model)
    if not hasattr(message, "SerializeToString"):
        raise TypeError(f"a model is a path, bytes, a ModelProto or an ONNXProgram, not {type(model).__name__}")
    return bytes(message.SerializeToString())
