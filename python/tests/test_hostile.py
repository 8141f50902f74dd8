"""Inputs that fuzzers found, and those that broke the command once: each is a report or an error of the package, and Python goes on."""

import tarfile
import warnings

import amdahlc
import pytest
from conftest import MODEL, ROOT, TRACE

CORPUS = ROOT / "tests/fuzz/corpus"
CASES = ROOT.parent / "shared/cases/hostile"
# Of each kind, spread over all.
TRIED = 25


def kept(name):
    with tarfile.open(CORPUS / f"{name}.tar.xz") as archive:
        members = [archive.extractfile(member).read() for member in archive.getmembers() if member.isfile()]
    return members[:: max(1, len(members) // TRIED)]


def outcome(**inputs):
    """How an analysis ends: in nothing but a report or an error with a text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", amdahlc.Warning)
        try:
            report = amdahlc.analyze(inputs.pop("model", None), **inputs)
        except amdahlc.InternalError as error:
            raise AssertionError("a bug is reported") from error
        except amdahlc.Error as error:
            assert str(error)
            return "error"
    assert report.to_json().startswith("{")
    assert repr(report)
    return "report"


@pytest.mark.parametrize("name", ["trace_on_model", "trace_onnxruntime"])
def test_traces(name):
    assert {outcome(model=MODEL, trace=data) for data in kept(name)} <= {"error", "report"}


@pytest.mark.parametrize(("name", "ending"), [("ir_text", ".air"), ("hardware", ".yaml"), ("speedups", ".yaml"), ("baseline", ".json")])
def test_files(tmp_path, name, ending):
    found = set()
    for number, data in enumerate(kept(name)):
        path = tmp_path / f"{number}{ending}"
        path.write_bytes(data)
        option = {"hardware": {"hardware": path}, "speedups": {"what_if": path}, "baseline": {"baseline": path}}.get(name, {})
        found.add(outcome(model=MODEL if option else path, trace=TRACE, **option))
    assert "error" in found


def test_texts():
    assert {outcome(model=MODEL, trace=TRACE, passes=data.decode(errors="replace")) for data in kept("pipeline")} <= {"error", "report"}


def test_files_that_broke_the_command_once():
    if not CASES.is_dir():
        pytest.skip("the folder `shared` beside the project is missing")
    # One takes seconds of work, which the check `hostile` measures.
    for path in sorted(set(CASES.glob("*.*")) - set(CASES.glob("trace-frames-hang*"))):
        if path.suffix in (".onnx", ".onnxtxt", ".air"):
            outcome(model=path)
        elif path.suffix in (".gz", ".json", ".yaml") and not path.name.startswith(("speedups", "yaml")):
            outcome(trace=path)
        elif path.suffix in (".json", ".yaml"):
            outcome(model=MODEL, trace=TRACE, what_if=path)
    assert outcome(model=MODEL, trace=TRACE) == "report"
