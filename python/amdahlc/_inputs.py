"""What `analyze` takes, as arguments of the command and files that it reads."""

from __future__ import annotations

import glob
import io
import json
import os
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ._errors import InputError

_SCHEMA = "amdahlc.saved/2"

_TAKEN = {"emit", "o", "help", "version", "config", "max-memory", "color", "print-to", "lsp", "print-rules", "check-rules",
          "print-pipeline", "suggest-rules", "time-passes", "stats", "trace", "hardware"}


# Options that name files, with what separates several.
_FILES = {"hardware": None, "baseline": None, "speedups": None, "what-if": None, "rules": ","}


class Inputs:
    """The inputs and options of one analysis, and the temporary files of inputs that are no files.

    The files are there as long as this object.
    """

    def __init__(self, outputs: tuple[str, ...] = ("json",)) -> None:
        self.outputs = outputs
        self.operands: list[str] = []
        self.model: bytes | None = None
        self.traces: list[tuple[str, list[str]]] = []
        # Of `archive`: what is known of the recording beside its files.
        self.notes: list[str] = []
        self._options: list[tuple[str, str | None]] = []
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def all_arguments(self) -> list[str]:
        """As the command takes them, less its name and the traces."""
        options = [f"-{name}" if value is None else f"-{name}={value}" for name, value in self._options]
        outputs = [f"-emit={output}" for output in self.outputs]
        return [*options, *outputs, "--", *self.operands]

    def add_operand(self, model: Any) -> None:
        """A path, the bytes of a model, or an object of `onnx` or `torch.onnx` that holds one."""
        if _is_path(model):
            self.operands.append(_path(model))
            return
        data = model if isinstance(model, (bytes, bytearray, memoryview)) else _model_bytes(model)
        self.model = bytes(data)
        self.operands.insert(0, "model.onnx")

    def add_traces(self, traces: Any) -> None:
        """A trace, or a mapping from labels of runs to traces."""
        for label, trace in traces.items() if isinstance(traces, Mapping) else [("", traces)]:
            files = trace if isinstance(trace, (list, tuple)) else [trace]
            self.traces.append((str(label), [self._file_of(one) for one in files]))

    def archive(self, notes: list[str]) -> bytes:
        """The inputs and options, and sentences about the recording, as a ZIP file."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            members = _Members(archive)

            def option(name: str, value: str | None) -> list[Any]:
                if value is None or name not in _FILES:
                    return [name, value, []]
                parts = value.split(_FILES[name]) if _FILES[name] else [value]
                add = members.of_rules if name == "rules" else members.of
                return [name, value, [add(part) if os.path.isfile(part) else None for part in parts]]

            kept = {
                "schema": _SCHEMA,
                "options": [option(name, value) for name, value in self._options],
                "traces": [[label, [members.of(path) for path in files]] for label, files in self.traces],
                "operands": [path if self.model is not None and not index else members.of(path)
                             for index, path in enumerate(self.operands)],
                "model": self.model is not None,
                "notes": notes,
            }
            if self.model is not None:
                archive.writestr("model", self.model)
            archive.writestr("amdahlc.json", json.dumps(kept))
        return buffer.getvalue()

    @classmethod
    def of_archive(cls, data: bytes) -> Inputs:
        """The inputs of `archive`, as files.

        Raises
        ------
        ValueError
            It is no such archive, or it names files outside of itself.
        """
        inputs = cls()
        folder = inputs._new_folder()
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                kept = json.loads(archive.read("amdahlc.json"))
                if kept["schema"] != _SCHEMA:
                    raise ValueError(kept["schema"])
                archive.extractall(folder)
                if kept["model"]:
                    inputs.model = archive.read("model")
            for name, value, files in kept["options"]:
                if name in _TAKEN and name != "hardware":
                    raise ValueError(name)
                if name in _FILES and value is not None:
                    parts = value.split(_FILES[name]) if _FILES[name] else [value]
                    value = (_FILES[name] or "").join(_plain(part) if file is None else _within(folder, file)
                                                      for part, file in zip(parts, files, strict=True))
                inputs._options.append((name, value))
            inputs.traces = [(label, [_within(folder, file) for file in files]) for label, files in kept["traces"]]
            inputs.operands = [file if kept["model"] and not index else _within(folder, file)
                               for index, file in enumerate(kept["operands"])]
            inputs.notes = [str(note) for note in kept.get("notes", [])]
        except (zipfile.BadZipFile, zlib.error, KeyError, TypeError, AttributeError, RuntimeError) as error:
            raise ValueError("no archive of inputs") from error
        return inputs

    def set_hardware(self, hardware: str | os.PathLike[str]) -> None:
        """The name of a shipped description, or a file."""
        self._options.append(("hardware", _path(hardware)))

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
            self._options.append((name, None))
        elif isinstance(value, Mapping):
            self._options += [(name, f"{key}={one}") for key, one in value.items()]
        elif isinstance(value, Iterable) and not isinstance(value, (str, os.PathLike)):
            self._options += [(name, _value_of(name, one)) for one in value]
        else:
            self._options.append((name, _value_of(name, value)))

    def _file_of(self, trace: Any) -> str:
        if _is_path(trace):
            return _path(trace)
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


def _within(folder: Path, name: str) -> str:
    """A file of an archive. A file from somebody else must not name those of this machine."""
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        raise ValueError(name)
    return str(folder / name)


def _plain(part: str) -> str:
    """What an option names that is no file of the archive: a shipped description or library."""
    if os.path.exists(part):
        raise ValueError(part)
    return part


class _Members:
    """The files of an archive, each in a folder of its own, so that they keep their names."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names: dict[str, str] = {}

    def of_rules(self, path: str) -> str:
        """The name of a file of rules. What it imports by a path is beside it as it was."""
        files = [os.path.abspath(path)]
        for file in files:
            for imported in re.findall(r'^\s*import\s+"([^"\n]+)"', Path(file).read_text(errors="replace"), re.MULTILINE):
                other = os.path.normpath(os.path.join(os.path.dirname(file), imported))
                if os.path.isfile(other) and other not in files:
                    files.append(other)
        root = os.path.commonpath([os.path.dirname(file) for file in files])
        place = f"rules{len(self._archive.namelist())}"
        for file in files:
            self._archive.write(file, f"{place}/{os.path.relpath(file, root)}")
        return f"{place}/{os.path.relpath(files[0], root)}"

    def of(self, path: str) -> str:
        """The name of a file, or of a folder with the files of a folder or of a pattern."""
        if path not in self._names:
            try:
                self._names[path] = self._added(Path(path), f"{len(self._names)}")
            except (OSError, ValueError) as error:
                raise InputError(f"{path}: an input cannot be kept with the report: {error}") from error
        return self._names[path]

    def _added(self, path: Path, place: str) -> str:
        if path.is_file():
            self._archive.write(path, f"{place}/{path.name}")
            return f"{place}/{path.name}"
        # A pattern names files of ranks; their run has the name of the folder.
        folder = path if path.is_dir() else path.parent
        files = sorted(one for one in (folder.iterdir() if path.is_dir() else map(Path, glob.glob(str(path)))) if one.is_file())
        if not files:
            raise FileNotFoundError("there is no such file")
        name = f"{place}/{folder.resolve().name or 'ranks'}"
        for file in files:
            self._archive.write(file, f"{name}/{file.name}")
        return name


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _path(value: Any) -> str:
    """The text of a path; of one that the command would take for its standard input, the file of this name."""
    text = str(os.fspath(value))
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{text!a}: the name of a file is UTF-8") from error
    return "./-" if text == "-" else text


def _value_of(option: str, value: Any) -> str:
    return _path(value) if option in _FILES and _is_path(value) else str(value)


def _model_bytes(model: Any) -> bytes:
    # An ONNXProgram of torch holds the message.
    message = getattr(model, "model_proto", model)
    if not hasattr(message, "SerializeToString"):
        raise TypeError(f"a model is a path, bytes, a ModelProto or an ONNXProgram, not {type(model).__name__}")
    return bytes(message.SerializeToString())
