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


def test_what_computes_no_gradients_says_so_and_has_no_time_of_them():
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))

    @accelerate
    def step(x):
        loss = model(x).square().mean()
        loss.backward()
        return loss.detach()

    with compare(backends=["eager", "onnxrt-cpu"], repeats=3, reports=False) as session:
        for _ in range(3):
            step(torch.randn(4, 8))
    profile = session.profiles[-1]
    forward = next(one for one in profile.segments if one.kind == "graph")
    backward = next(one for one in profile.segments if one.kind == "backward")
    assert forward["onnxrt-cpu"].failures == 0, forward["onnxrt-cpu"].reasons
    assert forward["onnxrt-cpu"].runs == 6 and forward["onnxrt-cpu"].difference < 1e-4
    assert backward["onnxrt-cpu"].runs == 0 and backward["onnxrt-cpu"].mean_ns is None
    assert backward["onnxrt-cpu"].difference is None and backward["eager"].difference == 0
    assert profile.total_ns("eager") > 0 and profile.total_ns("onnxrt-cpu") is None
    assert "no time of Graph #1 backward" in str(session) and "no gradients" in str(session)


def test_graphs_that_share_a_weight_do_not_overlap():
    """The gradients of the weight are added up at the end of both backward parts, after the second one began."""
    model = torch.nn.Linear(64, 64)

    @accelerate
    def step(x):
        y = torch.relu(model(x))
        torch._dynamo.graph_break()
        loss = model(y).sum()
        loss.backward()
        return loss.detach()

    with compare(backends=["eager"], repeats=1, reports=False) as session:
        for _ in range(4):
            step(torch.randn(4, 64))
    calls = session._recorder.calls
    assert [run.backward for run in calls[-1].runs] == [False, False, True, True, False]
    assert all(stretch >= 0 for call in calls for stretch in call.uncompiled())
    assert [call.compiled for call in calls] == [True, False, False, False]


def test_gradients_of_an_earlier_call_change_nothing_of_it():
    model = torch.nn.Linear(4, 4)
    kept = []

    @accelerate
    def step(x):
        if kept:
            kept.pop().backward()
        loss = model(x).sum()
        loss.backward(retain_graph=True)
        kept.append(loss)

    with compare(backends=["eager"], repeats=1, reports=False) as session:
        for _ in range(4):
            step(torch.randn(2, 4))
    assert all(call.begin <= run.enter <= run.leave <= call.end for call in session._recorder.calls for run in call.runs)


def test_an_input_that_is_changed_in_place_has_gradients():
    model = torch.nn.Linear(64, 64)

    @accelerate
    def step(x):
        y = model(x)
        torch._dynamo.graph_break()
        y.relu_()
        loss = (y * 2).sum()
        loss.backward()
        return loss.detach()

    with compare(backends=["eager", "inductor", "onnxrt-cpu"], repeats=2) as session:
        for _ in range(3):
            step(torch.randn(4, 64))
    graphs = [one for one in session.segments if one.kind == "graph"][:2]
    backward = [one for one in session.segments if one.kind == "backward"]
    for name in session.names:
        for one in graphs:
            assert one[name].failures == 0 and one[name].runs == 4 and not one[name].left_out, one[name].reasons
    for name in ("eager", "inductor"):
        for one in backward:
            assert one[name].runs == 4 and one[name].difference < 1e-4


def test_a_graph_that_fails_in_eager_mode_leaves_the_others():
    broken = []

    @torch.library.custom_op("amdahlc_tests::fragile", mutates_args=())
    def fragile(x: torch.Tensor) -> torch.Tensor:
        if broken:
            raise OSError("the file is gone")
        return x.clone()

    fragile.register_fake(torch.empty_like)

    @accelerate
    def work(x):
        x = fragile(x)
        torch._dynamo.graph_break()
        return x * 2

    with compare(backends=["eager"], repeats=2) as session:
        for _ in range(3):
            work(torch.ones(3))
        broken.append(True)
    first, second = (one["eager"] for one in session.segments if one.kind == "graph")
    assert first.runs == 0 and "eager PyTorch failed: OSError: the file is gone" in first.left_out
    assert second.runs == 4 and not second.left_out and "the file is gone" in str(session)


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
