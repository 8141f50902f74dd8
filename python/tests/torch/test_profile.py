"""`profile`: the report, and that the program is as it was, bit for bit."""

import random

import numpy
import pytest
import torch
from amdahlc import InputError
from amdahlc.torch import RecordingError, profile
from programs import Small, bits, scopes


def test_a_model_is_profiled_and_as_it_was(small):
    model, x = small
    before = bits(model, x)
    report = profile(model, x, iterations=3, warmup=1)
    assert bits(model, x) == before
    assert "layers.1.down" in scopes(report)
    assert len(report.recording.step_ns) == len(report.recording.plain_step_ns) == 3
    assert report.runs["run"].data["trace"]["iterations"] == 3
    assert any("recording changes it by" in note for note in report.notes)
    assert all(word in str(report) for word in report.notes[0].split())
    assert profile(model, x, iterations=2, warmup=0, execution_trace=False).runs["run"].data["model"]["front_end"] == "trace"


class Restless(torch.nn.Module):
    """Changes all that a module may change when it is called."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.norm = torch.nn.BatchNorm1d(8)
        self.drop = torch.nn.Dropout()
        self.register_buffer("last", torch.zeros(8))
        self.calls, self.seen, self.by_name = 0, [], {"count": 0}
        self.generator = torch.Generator()

    def forward(self, x, cache, scale=1.0):
        self.calls += 1
        self.seen.append(len(self.seen))
        self.by_name["count"] += 1
        self.table = torch.arange(3)
        self.last = x.detach().mean(0)
        self.linear.weight.data.mul_(1.01)
        with torch.no_grad():
            self.linear.bias.add_(torch.randn(8) + torch.randn(8, generator=self.generator) + random.random() + numpy.random.rand())
        cache.keys.append(x)
        x.add_(1)
        return self.drop(self.norm(self.linear(x))) * scale


class Cache:
    def __init__(self):
        self.keys = []


def test_what_a_model_changes_is_put_back():
    model, x, cache = Restless(), torch.randn(4, 8), Cache()
    model.linear.weight.grad = gradient = torch.ones(8, 8)
    buffer, before = model.last, bits(model, x)
    plain = dict(vars(model))
    seeds = random.getstate(), numpy.random.get_state()[1].tolist(), model.generator.get_state().tolist()
    profile(model, x, cache, iterations=2, warmup=1, scale=2.0)
    assert bits(model, x) == before
    assert model.last is buffer and model.linear.weight.grad is gradient
    assert vars(model) == plain and model.seen == [] and model.by_name == {"count": 0} and cache.keys == []
    assert (random.getstate(), numpy.random.get_state()[1].tolist(), model.generator.get_state().tolist()) == seeds
    assert model.training


def test_a_training_step_is_found_with_its_state(small):
    model, x = small
    optimizer = torch.optim.AdamW(model.parameters())
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    scaler = torch.amp.GradScaler("cpu")

    def step():
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(x).float().logsumexp(1).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        schedule.step()

    step()
    before = bits(model, x, optimizer, schedule, scaler)
    report = profile(step, iterations=3, warmup=1)
    assert bits(model, x, optimizer, schedule, scaler) == before
    assert {"layers.0.up", "head"} <= set(scopes(report))
    assert {"forward", "backward", "optimizer"} <= {row["name"] for row in report.phases.to_dicts()}
    step()


class Trainer:
    def __init__(self, model, x):
        self.model, self.x, self.steps = model, x, 0

    def train(self):
        self.steps += 1
        self.model.head.bias.grad = None
        self.model(self.x).sum().backward()


def test_what_an_object_holds_is_found(small):
    model, x = small
    trainer = Trainer(model, x)
    for call in (trainer.train, lambda: trainer.train()):
        before = bits(model, x)
        assert "layers.0.up" in scopes(profile(call, iterations=2, warmup=1))
        assert bits(model, x) == before


def test_a_step_without_a_module_that_is_found_has_frames(small):
    hidden = [small]
    report = profile(lambda: hidden[0][0](hidden[0][1]), iterations=2, warmup=1)
    assert "Small_0.Linear_4" in scopes(report)


def test_a_graph_of_the_program_stays_valid(small):
    model, x = small
    norm = torch.nn.BatchNorm1d(8)
    loss = norm(model(x)).sum()
    profile(norm, torch.randn(4, 8), iterations=1, warmup=0)
    loss.backward()


def test_an_error_of_the_model_leaves_it_as_it_was(small):
    model, x = small

    class Failing(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.calls = model, 0

        def forward(self, x):
            self.calls += 1
            x.add_(1)
            raise KeyError("mine")

    failing, before = Failing(), bits(model, x)
    with pytest.raises(KeyError, match="mine"):
        profile(failing, x)
    assert bits(model, x) == before and failing.calls == 0 and not torch.autograd._profiler_enabled()


def test_wrong_arguments(small):
    model, x = small
    with pytest.raises(InputError, match="iterations"):
        profile(model, x, iterations=0)
    with pytest.raises(RecordingError, match="without a shape"):
        profile(torch.nn.LazyLinear(3), x)
    with torch.profiler.profile(), pytest.raises(RecordingError, match="another profiler"):
        profile(model, x, iterations=1)


def test_an_export_binds_the_calls_to_the_graph(small):
    pytest.importorskip("onnxscript")
    model, x = small
    report = profile(model.eval(), x, iterations=3, warmup=1, export=True)
    assert "bound to the ONNX graph" in " ".join(report.notes)
    assert report.runs["run"].data["model"] is None and report.trust == "full"


def test_what_cannot_be_exported_is_said():
    class Strange(torch.nn.Module):
        def forward(self, x):
            return x * 2 if x.sum().item() > 0 else x[: int(x.abs().sum().item()) % 2]

    report = profile(Strange(), torch.randn(4, 4), iterations=2, warmup=1, export=True)
    assert any("no ONNX graph" in note for note in report.notes)
    report = profile(lambda: torch.ones(9).sum(), iterations=2, warmup=1, export=True)
    assert any("callable" in note for note in report.notes)
