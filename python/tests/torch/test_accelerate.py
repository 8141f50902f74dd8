"""What `accelerate` and a session do in the corners of a program."""

import copy
import pickle
import sys
import time
import types

import amdahlc
import pytest
import torch
from amdahlc.torch import accelerate, compare
from amdahlc.torch import remote as remote_module
from amdahlc.torch._measure import Measured, joined
from amdahlc.torch._trains import trains


class Around(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.outer = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.outer(self.inner(x)) * self.inner.weight.sum()


def test_a_module_around_an_accelerated_one_loads_its_state():
    around, other = (Around(accelerate(torch.nn.Linear(3, 3))) for _ in range(2))
    assert not torch.equal(around.inner.weight, other.inner.weight)
    other.load_state_dict(around.state_dict())
    assert torch.equal(around.inner.weight, other.inner.weight) and torch.equal(around.inner.bias, other.inner.bias)
    assert list(around.state_dict()) == ["inner.weight", "inner.bias", "outer.weight", "outer.bias"]
    assert [name for name, _ in around.named_modules()] == ["", "inner", "outer"]
    assert around.to(torch.float64).inner.weight.dtype == torch.float64
    assert around.get_parameter("inner.weight") is around.inner.weight


def test_the_mode_and_hooks_of_an_accelerated_module_are_those_of_the_module():
    linear = torch.nn.Linear(3, 3)
    call = accelerate(linear)
    for training in (False, True):
        assert call.train(training) is call and call.training is linear.training is training
    around = Around(call)
    around.eval()
    assert not call.training and not linear.training
    call.training = True
    assert linear.training
    seen = []
    handles = [call.register_forward_hook(lambda *_: seen.append("forward")),
               call.register_state_dict_pre_hook(lambda *_: seen.append("state")),
               call.register_load_state_dict_post_hook(lambda *_: seen.append("load"))]
    call(torch.ones(3))
    around.load_state_dict(around.state_dict())
    assert seen == ["forward", "state", "load"]
    for handle in handles:
        handle.remove()
    call.register_buffer("count", torch.zeros(1))
    call.register_parameter("scale", torch.nn.Parameter(torch.ones(1)))
    call.note = "mine"
    assert linear.count is call.count and "scale" in dict(linear.named_parameters()) and linear.note == "mine"
    del call.note
    del call.count
    assert not hasattr(linear, "note") and not hasattr(call, "count")
    assert set(dir(call)) >= {"weight", "scale"}
    assert torch.equal(call.forward(torch.ones(3)), linear(torch.ones(3)))


def test_copies_of_an_accelerated_module_are_accelerated_and_their_own():
    call = accelerate(torch.nn.Linear(3, 3))
    call.register_forward_hook(print_nothing)
    for other in (copy.deepcopy(call), pickle.loads(pickle.dumps(call))):
        assert type(other) is type(call) and torch.equal(other.weight, call.weight) and other.weight is not call.weight
        assert len(other._forward_hooks) == len(call._forward_hooks) == 1
        with compare(backends=["eager"], repeats=1, reports=False) as session:
            other(torch.ones(3))
        assert [one.kind for one in session.segments] == ["uncompiled", "graph", "uncompiled"]


def print_nothing(*_):
    pass


def test_an_accelerated_module_in_another_is_part_of_its_graph():
    around = Around(accelerate(torch.nn.Linear(3, 3))).eval()
    call = accelerate(around, fullgraph=True)
    x = torch.randn(2, 3)
    expected = around(x)
    with compare(backends=["eager"], repeats=1, reports=False) as session:
        for _ in range(2):
            assert torch.equal(call(x), expected)
    assert [one.kind for one in session.segments] == ["uncompiled", "graph", "uncompiled"] and not session.breaks


def test_a_variable_without_a_value_yet_and_a_function_without_a_module():
    model = torch.nn.Linear(3, 3)

    @accelerate
    def predict(x):
        return model(x) if x is not None else later

    def step(x):
        if x is None:
            return later
        return train(model(x))

    def train(y):
        y.sum().backward()

    names = {"torch": torch, "model": model}
    exec("def predict(x):\n    return model(x)", names)
    made = names["predict"]
    made.__module__ = None
    assert trains(step) and not trains(made) and not trains(predict)
    with compare(backends=["eager"], repeats=1, reports=False) as session:
        predict(torch.ones(3))
        accelerate(made)(torch.ones(3))
    assert not session.segments[1]["eager"].failures
    assert {one.name for one in session._recorder._graphs[0].inputs} == {"x", "model.weight", "model.bias"}
    later = 1


@pytest.mark.parametrize("how", ["mode", "options", "back end"])
def test_a_mode_of_inductor_is_that_of_gradients_too(monkeypatch, how):
    from torch._inductor import compile_fx as inductor
    from torch._inductor import config

    seen = []
    compiled = inductor.compile_fx_inner

    def spy(*args, **kwargs):
        seen.append((kwargs.get("is_backward", False), config.max_autotune, config.cpp.enable_kernel_profile))
        return compiled(*args, **kwargs)

    monkeypatch.setattr(inductor.compile_fx, "__defaults__", (spy, *inductor.compile_fx.__defaults__[1:]))
    given = {"mode": {"mode": "max-autotune-no-cudagraphs"}, "options": {"options": {"max_autotune": True}}, "back end": {}}[how]
    model = torch.nn.Linear(4, 4)

    @accelerate(**given)
    def step(x):
        model(x).relu().sum().backward()

    with torch._inductor.utils.fresh_cache():
        with compare(backends=["inductor" + (":max-autotune-no-cudagraphs" if how == "back end" else "")], repeats=1) as session:
            for _ in range(2):
                step(torch.ones(2, 4))
    assert not any(one.failures for segment in session.segments for one in segment.backends.values())
    assert {backward for backward, *_ in seen} == {False, True}
    assert all(autotune and profile for _, autotune, profile in seen), seen


def fake_ray(monkeypatch, address="10.0.0.1:6379", client=None):
    """A Ray that the program is connected to already."""
    ray = types.ModuleType("ray")
    ray.is_initialized = lambda: True
    ray.get_runtime_context = lambda: types.SimpleNamespace(gcs_address=address)
    worker = types.SimpleNamespace(client_worker=types.SimpleNamespace(_conn_str=client))
    ray.util = types.SimpleNamespace(get_node_ip_address=lambda: "10.0.0.1", client=types.SimpleNamespace(
        ray=types.SimpleNamespace(is_connected=lambda: client is not None, get_context=lambda: worker)))
    ray.nodes = lambda: [{"Alive": True, "Resources": {"gpu": 1.0}, "NodeManagerAddress": "10.0.0.2"}]
    ray.available_resources = lambda: {"gpu": 0.0}
    ray.wait = lambda references, timeout: ([], references)
    ray.cancelled = []
    ray.cancel = lambda reference, force: ray.cancelled.append(reference)
    ray.put = lambda value: value
    ray.remote = lambda work: types.SimpleNamespace(options=lambda **_: types.SimpleNamespace(remote=lambda *_: "reference"))
    ray.shutdown = lambda: None
    ray.exceptions = types.SimpleNamespace(RayTaskError=ZeroDivisionError, RayError=ArithmeticError)
    monkeypatch.setitem(sys.modules, "ray", ray)
    return ray


def test_a_cluster_that_is_not_the_connected_one_is_refused(monkeypatch):
    fake_ray(monkeypatch)
    for same in ("auto", "10.0.0.1:6379", "localhost:6379", "127.0.0.1:6379"):
        remote_module.Cluster(same)
    for other in ("10.0.0.9:6379", "10.0.0.1:6380", "ray://10.0.0.1:10001"):
        with pytest.raises(amdahlc.InputError, match=f"at `10.0.0.1:6379` already, and not to `{other}`"):
            remote_module.Cluster(other)
    with pytest.raises(amdahlc.InputError, match="already, and not to `10.0.0.9:6379`"):
        compare(backends=["ray://10.0.0.9:6379/gpu/eager"])
    fake_ray(monkeypatch, client="10.0.0.1:10001")
    remote_module.Cluster("ray://10.0.0.1:10001")
    remote_module.Cluster("10.0.0.1:6379")


def test_the_connection_ends_with_the_block_whatever_happens(monkeypatch):
    @accelerate
    def double(x):
        return x * 2

    closed = []
    session = compare(backends=["eager"], repeats=1, reports=False)
    monkeypatch.setattr(session._remote, "close", lambda: closed.append("closed"))
    with pytest.raises(KeyError), session:
        raise KeyError("mine")
    assert closed == ["closed"]
    monkeypatch.setattr(session, "measure", lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError), session:
        double(torch.ones(1))
    assert closed == ["closed", "closed"]


def test_a_worker_that_waits_beyond_the_budget_is_left_out(monkeypatch):
    ray = fake_ray(monkeypatch)
    monkeypatch.setattr(remote_module, "_GRACE", 0.0)
    name = "ray://auto/gpu/eager"
    settings = types.SimpleNamespace(repeats=5)
    there = remote_module.RemoteBackends([name])
    before = Measured([1, 2], [], [1, 2])
    for deadline, submitted in ((time.monotonic() + 0.1, 1), (time.monotonic() - 1, 0)):
        ray.cancelled.clear()
        outcome = there.start("graph", ["set", "set"], settings, deadline).result(lambda *_: None)
        assert len(ray.cancelled) == submitted
        assert not outcome[name].failures and outcome[name].left_out == "10 runs, because max_seconds was reached"
        assert ("waited" in outcome[name].note) == bool(submitted)
        both = joined(before, outcome[name])
        assert both.samples_ns == [1, 2] and not both.failures and both.left_out
