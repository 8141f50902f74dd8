"""What the tests share: the bundled example, the command, and how it is run."""

import importlib.util
import os
import subprocess
from pathlib import Path

import amdahlc
import pytest

# The folder of tests itself is found as a package without a file.
collect_ignore = [] if getattr(importlib.util.find_spec("torch"), "origin", None) else ["torch"]
ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "examples/encoder.onnx"
TRACE = ROOT / "examples/encoder.trace.json.gz"
BINARY = os.environ.get("AMDAHLC_BINARY", str(ROOT / "build/release/bin/amdahlc"))


@pytest.fixture(scope="session")
def report():
    return amdahlc.analyze(MODEL, trace=TRACE)


@pytest.fixture(scope="session")
def command():
    """Runs the command on the example; its standard output."""

    def run(*options, model=MODEL, trace=TRACE):
        arguments = [BINARY, *(["-trace=" + str(trace)] if trace else []), *options, *([str(model)] if model else [])]
        return subprocess.run(arguments, check=True, capture_output=True).stdout

    return run
