"""Errors, warnings, threads, interrupts, processes, and what an import brings along."""

import io
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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


INTERRUPTED = """
import amdahlc, json, os, signal, sys, threading, time
events = []
for i in range(15000):
    at, number = 1000 + 20 * i, {"correlation": i + 1}
    events += [{"ph": "X", "cat": "cpu_op", "name": f"aten::op{i % 50}", "pid": 1, "tid": 1, "ts": at, "dur": 9},
               {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 1, "dur": 2, "args": number},
               {"ph": "X", "cat": "kernel", "name": f"kernel{i % 50}", "pid": 0, "tid": 7, "ts": at + 10, "dur": 5, "args": number}]
device = {"id": 0, "name": "NVIDIA Test GPU", "computeMajor": 9, "computeMinor": 0}
# A file: the folder of a trace in bytes is removed in a finalizer, where Python ignores interrupts.
trace = sys.argv[1]
with open(trace, "w") as file: json.dump({"schemaVersion": 1, "deviceProperties": [device], "traceEvents": events}, file)
start = time.process_time()
whole = amdahlc.analyze(trace=trace).busy_ns
takes = time.process_time() - start
def interrupt(after, start):
    global at
    while time.process_time() - start < after: time.sleep(0.001)
    at = time.process_time()
    os.kill(os.getpid(), signal.SIGINT)
for part in (0.2, 0.5, 0.8):
    thread = threading.Thread(target=interrupt, args=(part * takes, time.process_time()))
    thread.start()
    try:
        for _ in range(100): amdahlc.analyze(trace=trace)
        print("no interrupt")
    except KeyboardInterrupt: print(time.process_time() - at)
    thread.join()
assert amdahlc.analyze(trace=trace).busy_ns == whole
"""


def test_ctrl_c_ends_the_work_and_the_next_call_works(tmp_path):
    run = subprocess.run([sys.executable, "-c", INTERRUPTED, tmp_path / "trace.json"], capture_output=True, text=True, env=os.environ, timeout=300)
    assert run.returncode == 0, run.stderr
    late = [float(line) for line in run.stdout.split()]
    assert len(late) == 3
    # Of the processor's time, which a loaded machine does not change.
    assert max(late) < 0.3, late


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(report, method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map(busy_of, [str(TRACE)] * 2)
    assert len(set(found)) == 1


def busy_of(trace):
    return amdahlc.analyze(trace).busy_ns


def test_a_process_that_forks_in_the_middle_of_an_analysis():
    program = (
        "import amdahlc, os, threading\n"
        f"trace = {str(TRACE)!r}\n"
        "expected, found = amdahlc.analyze(trace).busy_ns, []\n"
        "stop = threading.Event()\n"
        "def work():\n"
        "    while not stop.is_set(): amdahlc.analyze(trace)\n"
        "thread = threading.Thread(target=work)\n"
        "thread.start()\n"
        "for _ in range(4):\n"
        "    child = os.fork()\n"
        "    if not child: os._exit(0 if amdahlc.analyze(trace).busy_ns == expected else 1)\n"
        "    found.append(os.waitpid(child, 0)[1])\n"
        "stop.set()\n"
        "thread.join()\n"
        "assert found == [0] * 4, found\n")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ, timeout=120)
    assert run.returncode == 0, run.stderr


def test_errors_and_predictions_are_pickled(report):
    with pytest.raises(amdahlc.InputError) as caught:
        amdahlc.analyze(b"", trace=TRACE)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.diagnostics) == (amdahlc.InputError, str(caught.value), caught.value.diagnostics)
    prediction = report.what_if("linear=2x")
    assert pickle.loads(pickle.dumps(prediction)) == prediction


RELOADED = """
import importlib, pickle, sys, amdahlc
trace = {trace!r}
old = amdahlc.analyze(trace)
for turn in range(2):
    for name in sorted(name for name in sys.modules if name == "amdahlc" or name.startswith("amdahlc."))[::-1]:
        importlib.reload(sys.modules[name])
    assert old.what_if("linear=2x").busy_ns < old.busy_ns
    new = amdahlc.analyze(trace)
    assert new.to_json() == old.to_json() and len(new.advice) == len(old.advice)
    try: amdahlc.analyze(b"")
    except amdahlc.InputError as error: assert isinstance(error, amdahlc.Error)
    assert pickle.loads(pickle.dumps(new)).busy_ns == old.busy_ns
"""

AUTORELOADED = """
import os, shutil, sys, time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
def run(cell): shell.run_cell(cell).raise_error()
run("%load_ext autoreload")
run("%autoreload 2")
run("import amdahlc; report = amdahlc.analyze({trace!r})")
for name in ("_report", "_run", "_errors", "__init__"):
    os.utime(os.path.join(os.path.dirname(sys.modules["amdahlc"].__file__), name + ".py"), (time.time() + 100,) * 2)
    run("assert report.what_if('linear=2x').busy_ns < report.busy_ns")
    run("assert amdahlc.analyze({trace!r}).to_json() == report.to_json()")
"""


def test_modules_can_be_loaded_again():
    run = subprocess.run([sys.executable, "-c", RELOADED.format(trace=str(TRACE))], capture_output=True, text=True, env=os.environ)
    assert run.returncode == 0, run.stderr


def test_autoreload_of_ipython(tmp_path):
    pytest.importorskip("IPython")
    # A copy, of which files get another time.
    shutil.copytree(Path(amdahlc.__file__).parent, tmp_path / "amdahlc")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "IPYTHONDIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", AUTORELOADED.format(trace=str(TRACE))], capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr


def test_progress_is_a_line_that_goes_away(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    line = amdahlc._progress.progress_of(True)
    now = line._begin
    monkeypatch.setattr("amdahlc._progress.time.monotonic", lambda: now)
    line("read traces", 0.1)
    assert sys.stderr.getvalue() == ""
    now += 2
    line("read traces", 0.5)
    assert sys.stderr.getvalue().startswith("\ramdahlc: read traces:  50%|")
    assert sys.stderr.getvalue().endswith("[00:02<00:02]")
    line("read traces", 0.6)
    assert sys.stderr.getvalue().count("\r") == 1
    line.end()
    assert sys.stderr.getvalue().endswith(" \r")
    assert amdahlc._progress.progress_of(None) is None
    assert amdahlc._progress.progress_of(False) is None


def test_progress_goes_to_a_callable():
    seen = []
    amdahlc.analyze(MODEL, trace=TRACE, progress=lambda what, part: seen.append((what, part)))
    assert all(isinstance(what, str) and isinstance(part, float) for what, part in seen)
