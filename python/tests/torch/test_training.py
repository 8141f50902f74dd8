"""Sessions of training steps: forward and backward parts of graphs, and the program's state."""

import copy

import pytest
import torch
from amdahlc.torch import accelerate, compare


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(32, 64)
        self.norm = torch.nn.BatchNorm1d(64)
        self.last = torch.nn.Linear(64, 4)

    def forward(self, x):
        return self.last(torch.relu(self.norm(self.first(x))))


def trained(wrap, session):
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

    def step(x, y):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    step = wrap(step)
    losses = []
    with session:
        for _ in range(5):
            losses.append(step(torch.randn(16, 32), torch.randint(4, (16,))))
    return losses, copy.deepcopy(model.state_dict()), torch.get_rng_state()


@pytest.fixture(scope="module")
def training():
    torch.set_num_threads(1)
    session = compare(backends=["eager", "inductor", "onnxrt-cpu"], repeats=3)
    return session, trained(accelerate, session)


def test_a_step_trains_as_without_a_session(training):
    _, (losses, state, random) = training
    expected, other, numbers = trained(lambda step: step, torch.enable_grad())
    assert torch.equal(torch.stack(losses), torch.stack(expected)) and torch.equal(random, numbers)
    for name, value in other.items():
        assert torch.equal(value, state[name]), name


def test_forward_and_backward_are_rows_of_their_own(training):
    session, _ = training
    segments = session.profiles[-1].segments
    forward = next(one for one in segments if one.kind == "graph" and len(one.shapes) >= 2)
    backward = next(one for one in segments if one.kind == "backward")
    assert backward.name == f"{forward.name} backward"
    for name in ("eager", "inductor"):
        assert forward[name].failures == 0, forward[name].reasons
        assert backward[name].runs == forward[name].runs > 0
        assert backward[name].difference < 1e-4


def test_breaks_are_those_of_the_program(training):
    session, _ = training
    assert {one.file for one in session.breaks} == {__file__}
    assert any("Tensor.backward()" in one.reason for one in session.breaks)


def test_what_computes_no_gradients_says_so(training):
    session, _ = training
    segments = session.profiles[-1].segments
    backward = next(one for one in segments if one.kind == "backward")
    assert backward["onnxrt-cpu"].mean_ns is None
    assert "no gradients" in str(session) or backward["onnxrt-cpu"].failures


def test_a_function_that_reaches_backward_elsewhere_is_told():
    class Trainer:
        def __init__(self):
            self.model = torch.nn.Linear(2, 1)

        def step(self, x):
            self.model(x).sum().backward()

    trainer = Trainer()
    call = accelerate(trainer.step)
    with compare(backends=["eager"], repeats=1, reports=False):
        for _ in range(2):
            call(torch.ones(2))
    assert trainer.model.weight.grad is not None
