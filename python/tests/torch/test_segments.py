"""Sessions of `compare`: segments, uncompiled code, breaks, and the state of the program. Back ends other than eager are in test_backends."""

import os
import time

import amdahlc
import pytest
import torch
from amdahlc.torch import accelerate, compare
from amdahlc.torch._calls import Recorder, Run
from amdahlc.torch._graph import Graph
from amdahlc.torch._results import Segment
from amdahlc.torch._tensors import cloned


def eager(**options):
    return compare(backends=["eager"], reports=False, **{"repeats": 3, **options})


def kinds(session):
    return [segment.kind for segment in session.segments]


def test_outside_of_a_session_the_function_is_itself():
    calls = []

    @accelerate
    def plain(x, *, by=2):
        calls.append(torch.compiler.is_compiling())
        return {"result": x * by}

    assert torch.equal(plain(torch.ones(2), by=3)["result"], torch.full((2,), 3.0))
    assert calls == [False] and plain.__name__ == "plain"


def test_table_of_the_first_example():
    model = torch.nn.Sequential(torch.nn.Linear(100, 200), torch.nn.ReLU(), torch.nn.Linear(200, 10))

    @accelerate
    def predict(x):
        return torch.nn.functional.softmax(model(x), dim=-1)

    with eager(repeats=10, prices={"eager": 3.6}) as session:
        for _ in range(10):
            predict(torch.randn(1, 100))
    lines = str(session).splitlines()
    assert lines[0] == "Runs discarded because compilation occurred: 1"
    assert lines[1].startswith("Profile 1/1: ") and lines[1].endswith("predict(float32[1, 100])")
    assert lines[2].split() == ["Segment", "Runs", "Mean", "ms", "+-", "ms", "Failures", "Difference"]
    assert set(lines[3]) == {"="}
    assert lines[4].split()[:3] == ["0", "Uncompiled", "9"]
    assert lines[6].split() == ["1", "Graph", "#1"]
    assert lines[7].split()[:2] == ["eager", "90"] and lines[7].split()[-2:] == ["0", "0"]
    assert lines[9].split()[:3] == ["2", "Uncompiled", "9"]
    total = session.profiles[0].total_ns("eager")
    assert f"{3.6 * total / 3.6e6:.3g} per million calls" in str(session)
    assert total == pytest.approx(session.profiles[0].uncompiled_ns + session.segments[1]["eager"].mean_ns)


def test_uncompiled_code_is_measured_where_it_is():
    @accelerate
    def pausing(x):
        x = torch.relu(x)
        torch._dynamo.graph_break()
        time.sleep(0.1)
        return torch.relu(x)

    with eager() as session:
        for _ in range(3):
            pausing(torch.tensor(1.0))
    assert kinds(session) == ["uncompiled", "graph", "uncompiled", "graph", "uncompiled"]
    assert 100e6 <= session.segments[2].least_ns < 150e6
    for index in (0, 4):
        assert session.segments[index].least_ns < 20e6
    for index in (1, 3):
        assert session.segments[index]["eager"].least_ns < 20e6
    assert [segment.runs for segment in session.segments if segment.kind == "uncompiled"] == [2, 2, 2]


class Stubborn(torch.nn.Module):
    """A model with all that ends graphs, and all that changes state."""

    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(64, 512)
        self.norm = torch.nn.BatchNorm1d(512)
        self.drop = torch.nn.Dropout(0.3)
        self.down = torch.nn.Linear(512, 64)
        self.calls = 0
        self.register_buffer("seen", torch.zeros(1))

    def again(self, x):
        for _ in range(2):
            x = self.up(x)
            torch._dynamo.graph_break()  # in a loop
            x = self.down(x)
        return x

    def forward(self, x, *, scale=1.0, total=None):
        x = self.norm(self.up(x))
        torch._dynamo.graph_break()  # by itself
        mean = x.mean().item()
        self.calls += 1
        x = self.drop(self.down(x)) * self.calls * scale
        self.seen += 1
        total.add_(x.sum())
        return {"x": self.again(x), "mean": mean}


def run_stubborn(session):
    torch.manual_seed(3)
    model, total, results = Stubborn(), torch.zeros(3), []
    call = accelerate(model) if session is not None else model
    with torch.no_grad(), session if session is not None else torch.no_grad():
        for number in range(10):
            results.append(call(torch.randn(256 if number % 2 else 512, 64), scale=0.5, total=total))
    return {**model.state_dict(), "total": total, "random": torch.get_rng_state(), "calls": model.calls,
            **{f"x{number}": one["x"] for number, one in enumerate(results)},
            **{f"mean{number}": one["mean"] for number, one in enumerate(results)}}


@pytest.fixture(scope="module")
def stubborn():
    torch.set_num_threads(1)
    session = eager(repeats=5)
    return session, run_stubborn(session)


def test_state_results_and_random_numbers_are_those_without_a_session(stubborn):
    _, state = stubborn
    expected = run_stubborn(None)
    assert expected["norm.num_batches_tracked"] == 10 and expected["calls"] == 10
    for name, value in expected.items():
        assert torch.equal(value, state[name]) if isinstance(value, torch.Tensor) else value == state[name], name


def test_every_shape_is_a_profile_and_every_graph_a_segment(stubborn):
    session, _ = stubborn
    assert sorted(profile.name for profile in session.profiles) == [
        "Stubborn(float32[256, 64], total: float32[3])", "Stubborn(float32[512, 64], total: float32[3])"]
    for profile in session.profiles:
        graphs = [segment for segment in profile.segments if segment.kind == "graph"]
        assert len(graphs) == 3 and all(segment["eager"].failures == 0 for segment in graphs)
        assert all(segment["eager"].runs == 5 * profile.calls for segment in graphs)


def test_breaks_have_file_line_and_reason(stubborn):
    session, _ = stubborn
    lines = open(__file__).read().splitlines()
    found = {lines[one.line - 1].strip(): one for one in session.breaks}
    assert all(one.file == __file__ for one in session.breaks)
    assert "graph_break" in found["torch._dynamo.graph_break()  # by itself"].reason
    assert "Tensor.item()" in found["mean = x.mean().item()"].reason
    in_loop = found["torch._dynamo.graph_break()  # in a loop"]
    assert in_loop.skipped and "loop" in in_loop.reason
    assert all(str(one) in str(session) for one in session.breaks)


@pytest.mark.skipif("AMDAHLC_NIGHTLY" not in os.environ, reason="times of a machine that does other things as well vary by more")
def test_segments_and_uncompiled_code_are_the_whole_call():
    """The call is that of the program without a session: in a session copies of inputs leave other caches."""
    first, second = torch.nn.Linear(1024, 1024), torch.nn.Linear(1024, 1024)
    inputs = [torch.randn(512, 1024) for _ in range(4)]

    @accelerate
    def work(x):
        x = torch.relu(first(x))
        time.sleep(0.0005)
        if x.sum().item() > 1e30:
            return x
        return torch.relu(second(x))

    apart = []
    for _ in range(5):
        with eager(repeats=2) as session, torch.no_grad():
            for number in range(25):
                work(inputs[number % 4])
        calls = []
        with torch.no_grad():
            for number in range(60):
                begin = time.perf_counter_ns()
                work(inputs[number % 4])
                calls.append(time.perf_counter_ns() - begin)
        parts = sum(one.per_call * (one["eager"] if one.kind == "graph" else one).least_ns for one in session.segments)
        apart.append(parts / min(calls) - 1)
        if abs(apart[-1]) <= 0.05:
            return
    raise AssertionError(f"parts of {apart} are missing or too much")


def test_a_stale_scalar_is_not_baked_into_results():
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.step = 0

        def forward(self, x):
            self.step += 1
            return x * self.step

    call = accelerate(Counting())
    with eager() as session:
        results = [call(torch.ones(2)) for _ in range(6)]
    assert [one[0].item() for one in results] == [1, 2, 3, 4, 5, 6]
    graph = next(segment for segment in session.segments if segment.kind == "graph")
    assert graph["eager"].failures == 0 and graph["eager"].difference == 0


def test_inputs_that_share_memory_share_it_in_copies():
    @accelerate
    def shared(x, y):
        x.add_(1)
        return y * 2

    with eager() as session:
        for _ in range(3):
            x = torch.zeros(4)
            assert torch.equal(shared(x, x[1:]), torch.full((3,), 2.0))
            assert torch.equal(x, torch.ones(4))
    assert session.segments[1]["eager"].failures == 0


def test_a_function_without_graphs_is_uncompiled():
    @accelerate
    def nothing(x):
        return x

    with eager() as session:
        for _ in range(2):
            nothing(3)
    assert kinds(session) == ["uncompiled"] and "No graph was captured" in str(session)


def test_one_call_has_graphs_and_says_that_uncompiled_code_was_not_measured():
    @accelerate
    def once(x):
        return x * 2

    with eager() as session:
        once(torch.ones(3))
    assert session.segments[1]["eager"].runs == 3 and session.segments[0].mean_ns is None
    assert "not measured" in str(session)


def test_graphs_that_run_several_times_are_one_row():
    def step(x):
        return torch.sin(x)

    @accelerate
    def repeated(x):
        for _ in range(3):
            x = step(x)
            torch._dynamo.graph_break()
        return x

    with eager() as session:
        for _ in range(3):
            repeated(torch.ones(3))
    graph = next(segment for segment in session.segments if segment.kind == "graph")
    assert graph.per_call == 3 and graph["eager"].runs == 2 * 3 * 3 and "Graph #1 (x3)" in str(session)


def test_names_are_the_users(small):
    model, x = small
    call = accelerate(model)
    with eager() as session:
        call(x)
    graph = session._recorder._graphs[0]
    assert {one.name for one in graph.inputs} == {"x", *dict(model.named_parameters())}
    scopes = {list(node.meta["nn_module_stack"].values())[-1][0] for node in graph.module.graph.nodes if node.meta.get("nn_module_stack")}
    assert {"layers.0.norm", "layers.1.down", "head"} <= scopes <= set(dict(model.named_modules()))


def test_an_accelerated_module_is_the_module(small):
    model, x = small
    call = accelerate(model)
    assert list(call.state_dict()) == list(model.state_dict()) and call.head is model.head
    assert call.eval() is call and not model.training
    assert torch.equal(call(x), model(x))


def test_accelerated_functions_within_each_other_are_one_call():
    @accelerate
    def inner(x):
        return x + 1

    @accelerate
    def outer(x):
        return inner(x) * 2

    with eager() as session:
        for _ in range(3):
            assert outer(torch.ones(1)) == 4
    assert kinds(session) == ["uncompiled", "graph", "uncompiled"] and not session.breaks


@pytest.mark.parametrize("wrap", [accelerate, torch.compile])
@pytest.mark.parametrize("what", [lambda x: x, torch.nn.Linear(1, 1)])
def test_accelerating_twice_is_an_error(wrap, what):
    with pytest.raises(amdahlc.InputError, match="already"):
        accelerate(wrap(what))


def test_gradients_are_off_unless_the_step_trains():
    model = torch.nn.Linear(3, 1)
    modes = []

    @accelerate
    def predict(x):
        modes.append(torch.is_grad_enabled())
        return model(x)

    with eager():
        assert not predict(torch.ones(3)).requires_grad
    assert predict(torch.ones(3)).requires_grad and modes[-1]
    with pytest.raises(RuntimeError, match="does not require grad") as error, eager():
        predict(torch.ones(3)).backward()
    assert any("training=True" in note for note in getattr(error.value, "__notes__", ["training=True"]))


def test_mistakes_are_named_before_anything_runs():
    for arguments, text in (({"backends": ["eagre"]}, "unknown back end `eagre`; known are eager"),
                            ({"backends": ["eager:fast"]}, "has no mode `fast`"),
                            ({"backends": "eager"}, "a list of names"),
                            ({"backends": ["eager", "eager"]}, "each once"),
                            ({"backends": ["eager"], "prices": {"egaer": 1}}, "prices: `egaer`"),
                            ({"backends": ["eager"], "repeats": 0}, "at least one run")):
        with pytest.raises(amdahlc.InputError, match=text):
            compare(**arguments)


def test_a_session_can_go_on_until_it_is_closed():
    @accelerate
    def double(x):
        return x * 2

    with eager() as session:
        double(torch.ones(2))
        double(torch.ones(2))
        assert session.segments[1]["eager"].runs == 3, "printing inside of the block measures what there is"
    with session:
        double(torch.ones(2))
    assert session.segments[1]["eager"].runs == 6 and session.segments[0].runs == 2
    session.close()
    assert session.segments[1]["eager"].runs == 6
    with pytest.raises(amdahlc.InputError, match="closed"), session:
        pass


def test_sessions_do_not_nest():
    with pytest.raises(amdahlc.InputError, match="one at a time"), eager(), eager():
        pass


def test_exceptions_of_the_program_are_its_own():
    @accelerate
    def failing(x):
        raise KeyError("mine")

    session = eager()
    with pytest.raises(KeyError, match="mine"), session:
        failing(torch.ones(1))
    with pytest.warns(amdahlc.Warning, match="no accelerated function was called"), session:
        pass


def test_inputs_of_a_call_that_fails_are_not_measured():
    @accelerate
    def picky(x):
        x = x * 2
        if x.sum().item() > 100:
            raise ValueError("too much")
        return x

    session = eager()
    with session:
        for _ in range(2):
            picky(torch.ones(8))
        recorder = session._recorder
        free = recorder._free
        with pytest.raises(ValueError, match="too much"):
            picky(torch.full((8,), 100.0))
        assert recorder._free == free < recorder._kept_bytes
    assert session.profiles[0].calls == 1 and session.segments[1]["eager"].runs == 3


def test_a_call_whose_graphs_overlap_does_not_count():
    recorder = Recorder(2**20)

    def call():
        now = time.perf_counter_ns()
        recorder._now.runs += [Run(None, True, now, now, now + 2000, now + 2000), Run(None, True, now, now, now + 1000, now + 1000)]
        time.sleep(0.001)

    with pytest.warns(amdahlc.Warning, match="call of work.* does not count: its graphs ran at the same time"):
        recorder.call("work", call, (), {})
    assert recorder.calls[0].compiled


class Device:
    """What is started on it takes its time when somebody waits for it."""

    def __init__(self):
        self.pending = 0.0

    def start(self, *_):
        self.pending += 0.02

    def synchronize(self, *_):
        pending, self.pending = self.pending, 0.0
        time.sleep(pending)


def test_what_a_device_has_to_do_counts_where_it_was_started(monkeypatch):
    device = Device()
    monkeypatch.setattr("amdahlc.torch._calls.synchronize", device.synchronize)

    def copied(values, which):
        device.start()
        return cloned(values, which)

    monkeypatch.setattr("amdahlc.torch._calls.cloned", copied)
    start = torch.compiler.disable(device.start)
    model = torch.nn.Linear(4, 1)

    @accelerate
    def step(x):
        loss = model(x).sum()
        start()
        loss.backward()
        start()

    with compare(backends=["eager"], repeats=1, reports=False, training=True) as session:
        for _ in range(3):
            device.start()
            step(torch.ones(2, 4))
        model.weight.register_hook(device.start)
        step(torch.ones(2, 4))
    for call in session._recorder.calls[1:]:
        assert [run.backward for run in call.runs] == [False, True]
        before, between, after = call.uncompiled()
        assert before < 15e6 and between > 20e6 and 20e6 < after < 35e6, call.uncompiled()
        assert call.runs[0].begin - call.runs[0].enter > 20e6, "copies are the session's"
    assert call.runs[1].end - call.runs[1].begin > 20e6


def test_nothing_is_printed(capfd):
    @accelerate
    def talking(x):
        time.sleep(0)
        return x * x.sum().item()

    with eager() as session:
        for _ in range(3):
            talking(torch.ones(2))
    str(session)
    assert capfd.readouterr() == ("", "")
