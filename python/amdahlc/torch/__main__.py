"""Reports of PyTorch programs from a shell: ``python -m amdahlc.torch script.py:make``."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
import traceback
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .._errors import Error
from .record import profile

_DESCRIPTION = """
Calls a program of PyTorch, records it, and reports what limits it and what to change first.

`make` is a function of the script without arguments. It returns a module and its inputs,

    def make():
        return model, x                  # or (model, (x, y)), or (model, {"input": x})

or a step to call, such as a training step:

    def make():
        return step
"""


class _Unusable(Exception):
    """The script or its function cannot be used; the text says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m amdahlc.torch", description=_DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="SCRIPT.py:FUNCTION", help="what is recorded; the function is `make` if none is named")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write the page into this file, and do not open it")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the report as JSON")
    parser.add_argument("--save", metavar="FILE", type=Path, help="write the traces into one file, which `amdahlc.load` reads")
    parser.add_argument("--iterations", metavar="N", type=_count(1), default=10, help="calls that the report is about (10)")
    parser.add_argument("--warmup", metavar="N", type=_count(0), default=3, help="calls before all others (3)")
    parser.add_argument("--export", action="store_true", help="export the ONNX graph of the module as well")
    parser.add_argument("--stacks", action="store_true", help="record frames of Python, which slows the program down")
    parser.add_argument("--no-execution-trace", action="store_true", help="do not record which call takes which tensor")
    parser.add_argument("--hardware", metavar="NAME", help="the device, by the name of a shipped description or a file")
    given = parser.parse_args(arguments)
    try:
        call, args, kwargs = _made(given.program)
        report = profile(call, *args, iterations=given.iterations, warmup=given.warmup, export=given.export, stacks=given.stacks or None,
                         execution_trace=not given.no_execution_trace, hardware=given.hardware, **kwargs)
        print(report)
        if given.json is not None:
            given.json.write_text(report.to_json(), encoding="utf-8")
        if given.save is not None:
            report.save(given.save)
        _show(report, given.html)
    except (_Unusable, Error) as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{parser.prog}: error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def _made(program: str) -> tuple[Callable[..., Any], Sequence[Any], dict[str, Any]]:
    """What the function of a script returned: a callable, and its arguments."""
    file, _, name = program.partition(":") if not Path(program).exists() else (program, "", "")
    name = name or "make"
    if not Path(file).is_file():
        raise _Unusable(f"{file}: no such file; the program is SCRIPT.py:FUNCTION")
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    if spec is None or spec.loader is None:
        raise _Unusable(f"{file}: not a file of Python, whose name ends with `.py`")
    module = importlib.util.module_from_spec(spec)
    # As where a script runs: its folder is searched first, and what it defines can be pickled.
    sys.path.insert(0, str(Path(file).resolve().parent))
    sys.modules[spec.name] = module
    _of_script(file, lambda: spec.loader.exec_module(module) if spec.loader is not None else None)
    make = getattr(module, name, None)
    if not callable(make):
        functions = [one for one, value in vars(module).items() if callable(value) and getattr(value, "__module__", None) == spec.name]
        raise _Unusable(f"{file}: no function `{name}`" + (f"; it has {', '.join(functions)}" if functions else ""))
    return _parts(f"{file}:{name}", _of_script(file, make))


def _parts(name: str, made: Any) -> tuple[Callable[..., Any], Sequence[Any], dict[str, Any]]:
    if callable(made):
        return made, (), {}
    if not isinstance(made, (tuple, list)) or not made or not callable(made[0]):
        raise _Unusable(f"{name} returned {type(made).__name__}; it has to return a module and its inputs, or a step to call")
    call, *inputs = made
    kwargs: dict[str, Any] = {}
    if len(inputs) > 1 and isinstance(inputs[-1], dict):
        kwargs = inputs.pop()
    elif len(inputs) == 1 and isinstance(inputs[0], dict):
        inputs, kwargs = [], inputs[0]
    elif len(inputs) == 1 and isinstance(inputs[0], (tuple, list)):
        inputs = list(inputs[0])
    return call, inputs, kwargs


def _of_script(file: str, work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Exception as error:
        # From the script on: the frames above it are of this program.
        frames = traceback.extract_tb(error.__traceback__)
        own = next((index for index, frame in enumerate(frames) if Path(frame.filename) == Path(file) or frame.filename == os.path.abspath(file)), 0)
        said = "".join(traceback.format_list(frames[own:]) + traceback.format_exception_only(error))
        raise _Unusable(f"{file} failed:\n{said.rstrip()}") from error


def _show(report: Any, file: Path | None) -> None:
    """Writes the page, or opens it where there is a display."""
    if file is not None:
        report.to_html(file)
        print(f"page: {file}")
    elif sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        folder = tempfile.mkdtemp(prefix="amdahlc-")
        page = Path(folder) / "report.html"
        report.to_html(page)
        webbrowser.open(page.as_uri())
        print(f"page: {page}")
    else:
        print("page: not shown, because there is no display; `--html FILE` writes it")


def _count(least: int) -> Callable[[str], int]:
    def count(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"`{text}` is no whole number from {least} on")
        return int(text)

    return count


if __name__ == "__main__":
    sys.exit(main())
