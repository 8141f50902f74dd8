"""`record`: steps of loops, time, signals, and ranks."""

import os
import signal
import subprocess
import sys
import time

import amdahlc
import pytest
import torch
from amdahlc.torch import Capture, RecordingError, record
from programs import scopes


def test_steps_of_a_loop(small):
    model, x = small
    with record(steps=3, model=model) as recording:
        for _ in range(8):
            model(x)
            recording.step()
    report = recording.report
    assert recording.report is report
    assert [row["name"] for row in report.runs["run"].data["trace"]["steps"]] == [f"ProfilerStep#{index}" for index in range(3)]
    assert len(report.recording.step_ns) == len(report.recording.plain_step_ns) == 3
    assert "layers.0.up" in scopes(report)


def test_a_loop_that_ends_early(small):
    model, x = small
    with record(steps=5, model=model) as recording:
        for _ in range(4):
            model(x)
            recording.step()
    report = recording.report
    assert len(report.runs["run"].data["trace"]["steps"]) == 3
    assert any("without was not measured" in note for note in report.notes)


def test_a_loop_without_a_step(small):
    model, x = small
    with record() as recording:
        model(x)
    with pytest.raises(RecordingError, match="warmup=0"):
        recording.report
    with record(warmup=0) as recording:
        model(x)
    assert "Small_0.Linear_4" in scopes(recording.report)
    assert any("No step was marked" in note for note in recording.report.notes)


def test_seconds_end_at_a_step(small):
    model, x = small
    with record(seconds=0.05, model=model) as recording:
        for _ in range(2000):
            model(x)
            recording.step()
            if recording.captures:
                break
    assert recording.captures and recording.report.busy_ns > 0


def test_a_signal_records_for_some_time(small, tmp_path):
    model, x = small
    before = signal.getsignal(signal.SIGUSR2)
    # Long enough for a step of a busy machine.
    with record(seconds=0.6, signal=signal.SIGUSR2, model=model, folder=tmp_path) as recording:
        for wanted in (1, 2):
            os.kill(os.getpid(), signal.SIGUSR2)
            end = time.monotonic() + 60
            while len(recording.captures) < wanted and time.monotonic() < end:
                model(x)
    assert len(recording.captures) == 2
    assert signal.getsignal(signal.SIGUSR2) is before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["run-1.et.json", "run-1.json", "run.et.json", "run.json"]
    assert "layers.0.up" in scopes(recording.report)
    assert recording.report.runs["run-1"].data["trace"]["iterations"] > 1
    assert any("Steps begin at calls" in note for note in recording.report.notes)


def test_a_context_that_ends_while_it_records(small, tmp_path):
    model, x = small
    with record(seconds=0.5, signal=signal.SIGUSR2, model=model, folder=tmp_path) as recording:
        os.kill(os.getpid(), signal.SIGUSR2)
        model(x), model(x)
    time.sleep(0.7)  # the signal of its end would end this process
    assert recording.report.busy_ns > 0


def test_steps_after_a_signal_are_those_that_are_marked(small, tmp_path):
    model, x = small
    with record(seconds=0.2, signal=signal.SIGUSR2, model=model, folder=tmp_path) as recording:
        for index in range(10000):
            if index == 2:
                os.kill(os.getpid(), signal.SIGUSR2)
            model(x), model(x)
            recording.step()
            if recording.captures:
                break
    assert scopes(recording.report)["head"]["kernels"] == 2


def test_a_signal_in_the_middle_of_a_mark_ends_the_recording(small, tmp_path, monkeypatch):
    model, x = small
    end_step = Capture.end_step

    def end_step_and_recording(capture):
        end_step(capture)
        recording._stop()

    with record(seconds=60, signal=signal.SIGUSR2, model=model, folder=tmp_path) as recording:
        os.kill(os.getpid(), signal.SIGUSR2)
        model(x)
        monkeypatch.setattr(Capture, "end_step", end_step_and_recording)
        recording.step()
        monkeypatch.undo()
        recording._timer.cancel()
    assert len(recording.captures) == 1


def test_a_signal_while_another_profiler_runs_is_a_warning(small):
    model, x = small
    with record(seconds=0.1, signal=signal.SIGUSR2, model=model) as recording, torch.profiler.profile():
        with pytest.warns(amdahlc.Warning, match="another profiler"):
            os.kill(os.getpid(), signal.SIGUSR2)
            model(x)
    with pytest.raises(RecordingError, match="SIGUSR2"):
        recording.report


def test_wrong_arguments():
    for wrong in ({"steps": 0}, {"warmup": -1}, {"seconds": 0}, {"signal": signal.SIGUSR2}):
        with pytest.raises(amdahlc.InputError):
            record(**wrong)


def test_an_error_in_the_loop_ends_the_recording(small):
    model, x = small
    with pytest.raises(KeyError):
        with record(warmup=0, model=model):
            model(x)
            raise KeyError
    assert not torch.autograd._profiler_enabled()


def test_code_that_is_compiled_while_steps_are_recorded_is_said(small):
    model, x = small
    compiled = torch.compile(model, backend="eager")
    with record(steps=3, warmup=0, model=compiled) as recording:
        for _ in range(3):
            compiled(x)
            recording.step()
    assert any("1 graphs were compiled" in note for note in recording.report.notes)


RANK = """
import os, sys, torch, torch.distributed as ranks
from amdahlc.torch import profile, record
from hooked import Timed, leaves
from programs import bits, scopes
torch.set_num_threads(1)
ranks.init_process_group("gloo", init_method="file://" + sys.argv[1] + "/meeting", rank=int(sys.argv[2]), world_size=2)
inner = torch.nn.Sequential(torch.nn.Linear(64, 1024), torch.nn.BatchNorm1d(1024), torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(1024, 64)))
model = torch.nn.parallel.DistributedDataParallel(inner)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
def step():
    optimizer.zero_grad()
    model(torch.randn(256, 64)).sum().backward()
    optimizer.step()
step()
# The paths are those of the model without its wrapper.
timed = Timed(leaves(inner))
before = bits(model, optimizer)
report = profile(timed.step(step), iterations=6, warmup=1, state=(model, optimizer))
assert bits(model, optimizer) == before and report.trust == "full"
timed.compare(report.runs["run"].data, 6)
assert {one for one in scopes(report) if not one.startswith("Optimizer")} == {"0", "1", "2", "2.0", "2.1"}, scopes(report)
assert any(phase["name"] == "communication" for phase in report.phases.to_dicts())
with record(steps=3, model=model, folder=sys.argv[1] + "/traces") as recording:
    for _ in range(7):
        step()
        recording.step()
report = recording.gather(sys.argv[1] + "/gathered")
if report is not None:
    print([run.data["model"]["data_edges"] > 0 for run in report.runs.values()])
    print(report)
else:
    print(recording.report.scope.to_dicts()[0]["name"])
ranks.destroy_process_group()
"""


def test_ranks_write_a_file_each_and_rank_0_gathers(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])}
    processes = [subprocess.Popen([sys.executable, "-c", RANK, str(tmp_path), str(rank)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
                 for rank in (0, 1)]
    (out, error), (other, other_error) = [one.communicate(timeout=120) for one in processes]
    assert [one.returncode for one in processes] == [0, 0], error + other_error
    assert sorted(one.name for one in (tmp_path / "traces").iterdir()) == sorted(
        f"rank{rank}.{ending}" for rank in (0, 1) for ending in ("json", "et.json"))
    assert len(list((tmp_path / "gathered").iterdir())) == 4
    assert out.startswith("[True]") and "ranks: 2 of 2 ranks" in out
