"""Back ends of a Ray cluster on this machine. It takes minutes to start, so that only the names are checked otherwise."""

import os
import threading
import time

import amdahlc
import pytest
import torch
from amdahlc.torch import accelerate, compare

nightly = pytest.mark.skipif("AMDAHLC_NIGHTLY" not in os.environ, reason="a cluster takes a minute to start")


def test_names_that_are_none():
    for name in ("ray://auto", "ray://auto/gpu", "ray:///gpu/eager"):
        with pytest.raises(amdahlc.InputError, match="written ray://ADDRESS/RESOURCE/NAME"):
            compare(backends=[name])
    with pytest.raises(amdahlc.InputError, match="one cluster"):
        compare(backends=["ray://one:1/gpu/eager", "ray://two:1/gpu/eager"])


def test_a_graph_travels():
    """What a worker unpickles computes the same, with the same names and scopes."""
    import pickle

    from amdahlc.torch._measure import Settings, measure
    from amdahlc.torch.backends import backend

    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU())
    call = accelerate(model)
    with compare(backends=["eager"], repeats=1, reports=False) as session:
        call(torch.ones(2, 8))
        given = next(iter(session._recorder.segments.values())).sets[0]
        graph = session._recorder._graphs[0]
        there, values, random = pickle.loads(pickle.dumps((graph, given.values, given.random)))
    assert there.inputs == graph.inputs and [node.name for node in there.module.graph.nodes] == [
        node.name for node in graph.module.graph.nodes]
    assert {stack for node in there.module.graph.nodes for stack, _ in (node.meta.get("nn_module_stack") or {}).values()} >= {"0", "1"}
    outcome = measure(there, [(values, random)], {"eager": backend("eager")}, Settings(2, True, True, False))
    assert outcome["eager"].failures == 0 and outcome["eager"].difference == 0 and outcome["eager"].files


class Lonely:
    """A cluster that is there when a session is made, and then no more."""

    there = True

    def __init__(self, address):
        if not self.there:
            raise amdahlc.InputError(f"there is no Ray cluster at `{address}`: it is gone")
        self.address = address

    def resources(self):
        return {"alpha": 1.0, "beta": 1.0}

    def is_here(self, resource):
        raise ConnectionError("gone")

    def put(self, value):
        return value

    def is_free(self, resource, amount):
        if resource == "beta":
            raise ConnectionError("gone as well")
        return True

    def submit(self, work, arguments, resources, cpus):
        return work, arguments

    def result(self, reference, resources, deadline, waiting):
        work, arguments = reference
        return work(*arguments)

    def close(self):
        pass


def test_a_cluster_that_is_gone_is_a_failure(monkeypatch):
    from amdahlc.torch import remote

    monkeypatch.setattr(remote, "Cluster", Lonely)
    call = accelerate(torch.nn.Linear(8, 8))
    alpha, beta = "ray://one:1/alpha/eager", "ray://one:1/beta/eager"
    session = compare(backends=["eager", alpha, beta], repeats=2, reports=False)
    with session:
        call(torch.ones(2, 8))
    graph = session.segments[1]
    # What was sent before it was lost is there.
    assert graph["eager"].runs == graph[alpha].runs == 2 and graph[beta].reasons == ["the cluster cannot be reached: ConnectionError: gone as well"]
    monkeypatch.setattr(Lonely, "there", False)
    with session:
        call(torch.ones(2, 8))
    graph = [one for one in session.segments if one.kind == "graph"][-1]
    assert graph["eager"].runs and not graph["eager"].failures
    for name in (alpha, beta):
        assert graph[name].failures and graph[name].reasons[-1] == "the cluster cannot be reached: there is no Ray cluster at `one:1`: it is gone"
    assert "it is gone" in str(session)


@pytest.mark.parametrize(("asked", "measures"), [(None, True), (-100, False), (100, True)])
def test_a_worker_that_waited_has_less_time(asked, measures):
    import pickle

    from amdahlc.torch._measure import Settings
    from amdahlc.torch.remote import measured_there

    call = accelerate(torch.nn.Linear(8, 8))
    with compare(backends=["eager"], repeats=1, reports=False) as session:
        call(torch.ones(2, 8))
        given = next(iter(session._recorder.segments.values())).sets[0]
        payload = pickle.dumps((session._recorder._graphs[0], [(given.values, given.random)], Settings(2, True, False, False)))
    threads = torch.get_num_threads()
    found, _ = measured_there(payload, {"there": "eager"}, 60.0, None if asked is None else time.time() + asked)
    torch.set_num_threads(threads)
    assert (found["there"].samples_ns != []) == measures
    assert ("max_seconds" in (found["there"].left_out or "")) == (not measures)


def test_a_cluster_that_does_not_answer_is_an_error_at_once():
    pytest.importorskip("ray")
    begin = time.monotonic()
    with pytest.raises(amdahlc.InputError, match="there is no Ray cluster at `127.0.0.1:1`"):
        compare(backends=["ray://127.0.0.1:1/gpu/eager"])
    assert time.monotonic() - begin < 30


@pytest.fixture(scope="module")
def cluster():
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    machines = {name: cluster.add_node(num_cpus=1, resources={name: 1}) for name in ("alpha", "beta")}
    yield cluster, machines
    ray.shutdown()
    cluster.shutdown()


@nightly
def test_an_unknown_resource_is_refused_at_once(cluster):
    address = cluster[0].address
    begin = time.monotonic()
    with pytest.raises(amdahlc.InputError, match="no machine of the cluster declares the resource `gamma`; there are CPU, alpha, beta"):
        compare(backends=[f"ray://{address}/gamma/eager"])
    assert time.monotonic() - begin < 30


@nightly
def test_calls_of_the_executor(cluster):
    from amdahlc.torch.remote import RayExecutor

    with RayExecutor(cluster[0].address) as executor:
        assert list(executor.map(pow, [2, 3], [3, 2])) == [8, 9]
        with pytest.raises(ZeroDivisionError):
            executor.submit(divmod, 1, 0).result(timeout=60)
    with pytest.raises(amdahlc.InputError, match="`gamma`"):
        RayExecutor(cluster[0].address, resources={"gamma": 1})


@nightly
def test_traces_of_many_ranks(cluster, tmp_path):
    from amdahlc.torch.remote import RayExecutor
    from checks.ranks.simulate import Options, simulate, trace_text

    few = Options(ranks=2, steps=4, layers=12, frames=4)
    text = trace_text(few, *simulate(few), 0)
    for rank in range(256):
        (tmp_path / f"rank{rank}.json").write_text(text.replace('"rank": 0,', f'"rank": {rank},'))
    with RayExecutor(cluster[0].address) as executor:
        found = amdahlc.ranks(tmp_path, executor=executor)
    assert len(found.ranks) == 256
    assert found.to_json() == amdahlc.ranks(tmp_path).to_json()


@nightly
def test_a_lost_worker_is_a_failure_and_the_session_goes_on(cluster, capfd):
    import logging

    import ray

    started, machines = cluster
    # Sessions use a connection that is there, and leave it, so that workers start once.
    ray.init(address=started.address, logging_level=logging.CRITICAL, log_to_driver=False)
    alpha, beta = (f"ray://{started.address}/{name}/eager" for name in ("alpha", "beta"))
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU()).eval()
    call = accelerate(model)
    session = compare(backends=[alpha, beta], repeats=5)
    with session:
        for _ in range(3):
            call(torch.randn(8, 64))
    graph = session.segments[1]
    assert graph[alpha].runs == graph[beta].runs == 10 and graph[alpha].difference == 0
    assert list(graph.compare.runs) == ["eager@alpha", "eager@beta"]

    killed = []

    def kill():
        time.sleep(10)
        started.remove_node(machines["alpha"], allow_graceful=False)
        killed.append(time.monotonic())

    # Alpha would run for an hour; beta ends with its budget.
    long = compare(backends=[alpha, beta], repeats=10**8, max_seconds=30, reports=False)
    thread = threading.Thread(target=kill)
    thread.start()
    with long:
        call(torch.randn(8, 64))
    ended = time.monotonic()
    thread.join()
    graph = long.segments[1]
    assert graph[alpha].failures == 1 and graph[alpha].mean_ns is None and ("lost" in graph[alpha].reasons[0] or "any more" in graph[alpha].reasons[0])
    assert graph[beta].runs > 10 and graph[beta].failures == 0
    assert ended - killed[0] < 30
    with long:
        call(torch.randn(8, 64))
    assert long.segments[1][alpha].failures == 2 and long.segments[1][beta].failures == 0
    long.close()
    assert "raylet" not in capfd.readouterr().err
