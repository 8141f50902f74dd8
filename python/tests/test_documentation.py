"""Docstrings, their examples, types and stubs are those of the code."""

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import amdahlc
import pytest
from amdahlc._run import TableOf
from conftest import MODEL, ROOT, TRACE
from typed_program import analyze

PUBLIC = [getattr(amdahlc, name) for name in amdahlc.__all__ if name != "__version__"]


def modules():
    """Those that need no package of others."""
    return [importlib.import_module(f"amdahlc.{one.name}") for one in pkgutil.iter_modules(amdahlc.__path__) if not one.ispkg and one.name != "__main__"]


def callables():
    """Public functions, classes, and methods and properties of these."""
    for one in PUBLIC:
        yield one.__name__, one
        if not inspect.isclass(one) or issubclass(one, BaseException):
            continue
        for name, member in inspect.getmembers(one):
            # Attributes of data are documented with their class.
            if not name.startswith("_") and (callable(member) or isinstance(member, (property, TableOf))):
                yield f"{one.__name__}.{name}", member.fget if isinstance(member, property) else member


@pytest.mark.parametrize("module", [amdahlc, *modules()], ids=lambda module: module.__name__)
def test_examples_show_what_happens(module, monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, _ = doctest.testmod(module, extraglobs={"amdahlc": amdahlc, "tempfile": tempfile}, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    assert sum(len(test.examples) for module in [amdahlc, *modules()] for test in finder.find(module)) >= 20


@pytest.mark.parametrize(("name", "one"), list(callables()), ids=lambda value: value if isinstance(value, str) else "")
def test_all_that_is_public_is_documented(name, one):
    text = inspect.getdoc(one) or ""
    assert text[:1].isupper() or text[:1] == "`", f"{name} has no docstring"
    assert text.split("\n\n")[0].rstrip().endswith("."), f"the docstring of {name} begins with no sentence"
    if not inspect.isfunction(one):
        return
    signature = inspect.signature(one)
    parameters = [parameter for parameter in signature.parameters.values() if parameter.name != "self"]
    named = re.search(r"Parameters\n-+\n(.*?)(?:\n\n[A-Z]\w+\n-+\n|\Z)", text, re.DOTALL)
    documented = {part.strip(" *") for line in re.findall(r"^(\S.*?)(?: : .*)?$", named[1], re.MULTILINE) for part in line.split(",")} if named else set()
    assert {parameter.name for parameter in parameters} == documented, f"parameters of {name}"
    if parameters and signature.return_annotation not in ("None", "str | None"):
        assert "Returns\n---" in text, f"{name} does not say what it returns"


def test_a_program_that_uses_everything(tmp_path):
    lines = analyze(MODEL, TRACE, tmp_path)
    assert any("full" in line for line in lines)


def test_the_stub_is_the_generated_one(tmp_path):
    pytest.importorskip("nanobind")
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-m", "amdahlc._core", "-D", "--exclude-values", "-q", "-o", tmp_path / "core.pyi"], check=True)
    assert (Path(amdahlc.__file__).parent / "_core.pyi").read_text() == (tmp_path / "core.pyi").read_text()
