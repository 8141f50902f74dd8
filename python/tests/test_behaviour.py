"""Errors, warnings, threads, interrupts, processes, and what an import brings along."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import amdahlc
import pytest
from conftest import BINARY, MODEL, ROOT, TRACE


def test_an_error_has_the_text_and_the_parts_of_the_command(tmp_path):
    missing = tmp_path / "missing.json"
    with pytest.raises(amdahlc.InputError) as caught:
        amdahlc.analyze(MODEL, trace=missing)
    run = subprocess.run([BINARY, f"-trace={missing}", str(MODEL)], capture_output=True, text=True)
    assert str(caught.value) + "\n" == run.stderr
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.severity == "error"
    assert diagnostic.code in diagnostic.text
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("model", [b"", b"\x00" * 64, b"ir_version: 99999", os.urandom(4096)])
def test_hostile_models_are_errors(model):
    with pytest.raises(amdahlc.InputError):
        amdahlc.analyze(model, trace=TRACE)


@pytest.mark.parametrize("trace", [b"", b"[", b'{"traceEvents": [{"ph": "X", "ts": 1e999}]}', b"\x1f\x8b" + b"\x00" * 50, os.urandom(4096)])
def test_hostile_traces_are_errors(trace):
    with pytest.raises(amdahlc.InputError):
        amdahlc.analyze(trace=trace)


def test_an_option_that_is_unknown_or_of_the_command_alone():
    with pytest.raises(amdahlc.InputError, match="unknown option"):
        amdahlc.analyze(TRACE, no_such_option=3)
    with pytest.raises(TypeError, match="emit"):
        amdahlc.analyze(TRACE, emit="json")


def test_a_scenario_that_names_nothing_is_an_error(report):
    with pytest.raises(amdahlc.InputError, match="no_such_kernel"):
        report.what_if("no_such_kernel=2x")
    assert report.what_if("linear=2x").busy_ns < report.busy_ns


def test_warnings_are_warnings_of_python():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report = amdahlc.analyze(MODEL, trace=ROOT / "examples/h100/decoder.graph.trace.json.gz")
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert [str(one.message) for one in caught] == [str(one) for one in report.warnings]
    assert all(issubclass(one.category, amdahlc.Warning) for one in caught)


def test_nothing_is_printed_and_nothing_large_is_imported(tmp_path):
    program = f"import sys, amdahlc; amdahlc.analyze({str(TRACE)!r}); bad = {{'torch', 'onnx', 'ray', 'numpy', 'pandas'}} & set(sys.modules); assert not bad, bad"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_threads_work_side_by_side():
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda _: amdahlc.analyze(MODEL, trace=TRACE), range(8)))
    assert len({one.to_json() for one in reports}) == 1
    shared = reports[0]
    with ThreadPoolExecutor(4) as pool:
        predicted = list(pool.map(lambda _: shared.what_if("linear=2x"), range(16)))
    assert len(set(predicted)) == 1


def test_ctrl_c_ends_the_work_and_the_next_call_works(tmp_path):
    program = (
        "import amdahlc, sys, threading, time, os, signal\n"
        f"trace = {str(TRACE)!r}\n"
        "def interrupt():\n"
        "    time.sleep(0.2)\n"
        "    global at\n"
        "    at = time.monotonic()\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=interrupt).start()\n"
        "try:\n"
        "    while True: amdahlc.analyze(trace)\n"
        "except KeyboardInterrupt: pass\n"
        "late = time.monotonic() - at\n"
        "amdahlc.analyze(trace)\n"
        "print(late)\n")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ, timeout=60)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) < 5


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(report, method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map(busy_of, [str(TRACE)] * 2)
    assert len(set(found)) == 1


def busy_of(trace):
    return amdahlc.analyze(trace).busy_ns


def test_progress_goes_to_a_callable():
    seen = []
    amdahlc.analyze(MODEL, trace=TRACE, progress=lambda what, part: seen.append((what, part)))
    assert all(isinstance(what, str) and isinstance(part, float) for what, part in seen)
