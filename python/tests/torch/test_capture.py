"""Captures: files, scopes, steps, other profilers, and what is left behind."""

import pickle
import subprocess
import sys
from pathlib import Path

import amdahlc
import pytest
import torch
from amdahlc.torch import Capture, RecordingError, capture_calls
from programs import scopes


def test_calls_have_the_paths_of_modules_and_data_edges(small):
    model, x = small
    capture = capture_calls(lambda: model(x), 3, model=model)
    report = capture.report()
    assert report.recording is capture and len(capture.step_ns) == 4
    paths = {path for path, _ in model.named_modules() if path}
    assert paths - {"layers"} <= set(scopes(report)) <= paths
    assert report.trust == "full"
    run = report.runs["run"].data
    assert run["model"]["front_end"] == "execution-trace" and run["model"]["data_edges"] > 0
    assert run["trace"]["iterations"] == 3


def test_a_saved_and_a_pickled_report_keep_the_notes(small, tmp_path):
    model, x = small
    report = capture_calls(lambda: model(x), 2, model=model).report()
    report.recording.notes.append("A <note> of its own.")
    report.save(tmp_path / "saved")
    loaded = amdahlc.load(tmp_path / "saved")
    for again in (loaded, pickle.loads(pickle.dumps(report)), pickle.loads(pickle.dumps(loaded))):
        assert again.notes == report.notes and len(again.notes) == 2
        assert str(again) == str(report) and str(again).endswith("own.")
        assert "A &lt;note&gt; of its own." in again._repr_html_()
        assert [str(one) for one in again.messages] == [str(one) for one in report.messages]


def test_only_the_first_step_pays_for_the_data_between_calls(small):
    model, x = small
    capture = capture_calls(lambda: model(x), 4, model=model)
    text = Path(capture.files[1]).read_text()
    assert text.count('"ProfilerStep#0"') == 1 and "ProfilerStep#1" not in text
    edges = capture.report().runs["run"].data["model"]["data_edges"]
    with Capture(model) as whole:
        with whole.step():
            model(x)
    assert edges == whole.report().runs["run"].data["model"]["data_edges"] > 10


def test_several_models_are_told_apart(small):
    model, x = small
    other = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU())
    report = capture_calls(lambda: other(model(x)), 3, model={"first": model, "second": other}).report()
    assert {"first", "first.head", "second", "second.0"} <= set(scopes(report))


def test_without_a_model_scopes_are_frames(small):
    model, x = small
    capture = capture_calls(lambda: model(x), 3)
    assert "Small_0.Block_1.Linear_3" in scopes(capture.report())
    assert capture.stacks


def test_hooks_are_gone_also_after_an_error(small):
    model, x = small

    def hooks():
        return [len(one._forward_hooks) + len(one._forward_pre_hooks) + len(one._forward_hooks_always_called) for one in model.modules()]

    with pytest.raises(RuntimeError, match="normalized_shape"):
        with Capture(model):
            model(torch.randn(3, 5))
    assert not any(hooks())
    assert not torch.autograd._profiler_enabled()
    assert capture_calls(lambda: model(x), 3, model=model).report().trust == "full"


def test_another_profiler_is_an_error(small):
    model, x = small
    with torch.profiler.profile():
        with pytest.raises(RecordingError, match="another profiler"):
            capture_calls(lambda: model(x), 2)
    with pytest.raises(RecordingError, match="nothing was recorded"):
        Capture().report()


def test_an_execution_trace_of_another_is_an_error(small, tmp_path):
    observer = torch.profiler.ExecutionTraceObserver().register_callback(str(tmp_path / "other.json"))
    with pytest.raises(RecordingError, match="execution_trace=False"):
        with Capture():
            pass
    assert observer.is_registered
    observer.unregister_callback()
    assert (tmp_path / "other.json").read_text().strip().endswith("}")
    with Capture(execution_trace=False) as capture, capture.step():
        torch.ones(4).sum()
    assert len(capture.files) == 1


def test_files_are_there_as_long_as_the_report(small, tmp_path):
    model, x = small
    report = capture_calls(lambda: model(x), 2, model=model).report()
    report.save(tmp_path / "saved")
    capture_calls(lambda: model(x), 2, model=model, folder=tmp_path / "kept", label="mine")
    assert sorted(one.name for one in (tmp_path / "kept").iterdir()) == ["mine.et.json", "mine.json"]


def test_a_thread_that_was_there_before_is_recorded_if_asked(small):
    from concurrent.futures import ThreadPoolExecutor

    model, x = small
    with ThreadPoolExecutor(1) as pool:
        pool.submit(model, x).result()
        capture = capture_calls(lambda: pool.submit(model, x).result(), 2, model=model, all_threads=True)
        assert "layers.0.up" in scopes(capture.report())


def test_nothing_is_printed():
    program = "import torch, amdahlc.torch as at, sys; m = torch.nn.Linear(4, 4); at.capture_calls(lambda: m(torch.ones(2, 4)), 2, model=m).report(); print('mine', file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "mine\n")
