"""Back ends on the workers of a Ray cluster, and an executor for it. It needs the extra ``amdahlc[ray]``."""

from __future__ import annotations

import concurrent.futures
import contextlib
import logging
import math
import os
import pickle
import re
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._errors import InputError

_NAME = re.compile(r"ray://(?P<address>[^/]+)/(?P<resource>[^/]+)/(?P<backend>.+)")
# How often the cluster is asked whether its machines are there, in seconds.
_LOOK = 1.0
# How long a machine may be missing before what runs on it counts as lost.
_PATIENCE = 3.0
# How long a cluster may take to answer at all, in seconds: Ray itself waits for minutes.
_ANSWER = 5.0
# What workers have after their time is over to end a run and to send what they measured, in seconds.
_GRACE = 60.0


def is_remote(name: str) -> bool:
    """Whether a name of a back end is one of a cluster."""
    return name.startswith("ray://")


@dataclass(frozen=True)
class RemoteName:
    """``ray://ADDRESS/RESOURCE/NAME``.

    Attributes
    ----------
    address : str
        ``auto``, or the host and port of a cluster: of its Ray client, or of its control store where that is this machine.
    resource : str
        Which workers declare.
    backend : str
    """

    address: str
    resource: str
    backend: str

    @classmethod
    def of(cls, name: str) -> RemoteName:
        found = _NAME.fullmatch(name)
        if found is None:
            raise InputError(f"`{name}` is no back end of a cluster, which is written ray://ADDRESS/RESOURCE/NAME")
        return cls(found["address"], found["resource"], found["backend"])


class Cluster:
    """A connection to a Ray cluster. It is ended by `close` if this object made it.

    Parameters
    ----------
    address : str
        As in `RemoteName`.

    Raises
    ------
    InputError
        Ray is not installed, there is no cluster, or the program is connected to another one.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._made = False
        try:
            import ray
        except ImportError:
            raise InputError("back ends of a cluster need Ray: pip install 'amdahlc[ray]'") from None
        self._ray = ray
        if ray.is_initialized():
            self._refuse_another()
            return
        # Ray's own lines belong to its log files.
        try:
            if address != "auto":
                host, _, port = address.removeprefix("ray://").rpartition(":")
                socket.create_connection((host.strip("[]"), int(port)), _ANSWER).close()
            ray.init(address=address, logging_level=logging.CRITICAL, log_to_driver=False, configure_logging=True)
        except Exception as error:
            raise InputError(f"there is no Ray cluster at `{address}`: {_first_line(error)}") from error
        self._made = True

    def _refuse_another(self) -> None:
        """A process has one connection; work for a cluster must not run on another one."""
        if self.address == "auto":
            return
        try:
            known = [str(self._ray.get_runtime_context().gcs_address)]
        except Exception as error:
            raise InputError(f"the cluster to which Ray is connected cannot be reached: {_first_line(error)}") from error
        client = getattr(getattr(self._ray.util, "client", None), "ray", None)
        if client is not None and client.is_connected():
            # Ray has no other way to ask for the address of a client.
            known.append(str(getattr(client.get_context().client_worker, "_conn_str", "")))
        if self._same(self.address) not in map(self._same, known):
            raise InputError(f"Ray is connected to the cluster at `{known[-1]}` already, and not to `{self.address}`; `auto` is the one "
                             f"that is connected")

    def _same(self, address: str) -> tuple[str, str]:
        """Host and port, with one spelling of the host."""
        host, _, port = address.removeprefix("ray://").rpartition(":")
        host = host.strip("[]")
        try:
            own = host in ("localhost", "127.0.0.1", "::1")
            return str(self._ray.util.get_node_ip_address()) if own else socket.gethostbyname(host), port
        except OSError:
            return host, port

    def resources(self) -> dict[str, float]:
        """What single machines declare at most, by name of the resource; of machines that are alive."""
        found: dict[str, float] = {}
        for node in self._ray.nodes():
            if node["Alive"]:
                for name, amount in node["Resources"].items():
                    found[name] = max(found.get(name, 0.0), amount)
        return found

    def is_here(self, resource: str) -> bool:
        """Whether a machine with the resource is this machine."""
        own = self._ray.util.get_node_ip_address()
        return any(node["Alive"] and resource in node["Resources"] and node["NodeManagerAddress"] == own for node in self._ray.nodes())

    def is_free(self, resource: str, amount: float) -> bool:
        """Whether the resource is not in use now."""
        return bool(self._ray.available_resources().get(resource, 0.0) >= amount)

    def put(self, value: Any) -> Any:
        """Brings a value into the cluster, where workers find it."""
        return self._ray.put(value)

    def submit(self, work: Callable[..., Any], arguments: tuple[Any, ...], resources: dict[str, float], cpus: float) -> Any:
        """Starts work on a worker with the resources; it is not repeated if the worker is lost."""
        return self._ray.remote(work).options(resources=resources, num_cpus=cpus, max_retries=0).remote(*arguments)

    def result(self, reference: Any, resources: dict[str, float], deadline: float = math.inf,
               waiting: Callable[[], None] | None = None) -> Any:
        """Waits for work.

        Parameters
        ----------
        reference
            Of `submit`.
        resources : dict
            Those of `submit`. Ray waits for ever for a worker that is gone.
        deadline : float
            Of `time.monotonic`.
        waiting : callable, optional
            Called about once a second.

        Raises
        ------
        LateWorker
            The deadline has passed.
        LostWorker
            The worker is gone.
        Exception
            What the work raised.
        """
        missing_since = math.inf
        while True:
            try:
                ready, _ = self._ray.wait([reference], timeout=_LOOK)
                if ready:
                    return self._ray.get(reference, timeout=60)
                there = self.resources()
            except self._ray.exceptions.RayTaskError as error:
                raise error.cause from None
            except (self._ray.exceptions.RayError, ConnectionError, OSError) as error:
                raise LostWorker(f"the worker was lost: {_first_line(error)}") from error
            now = time.monotonic()
            gone = [name for name, amount in resources.items() if there.get(name, 0.0) < amount]
            missing_since = min(missing_since, now) if gone else math.inf
            lost = now - missing_since > _PATIENCE
            if lost or (now > deadline and not gone):
                with contextlib.suppress(Exception):
                    self._ray.cancel(reference, force=True)
                if lost:
                    raise LostWorker(f"no machine of the cluster has `{gone[0]}` any more")
                raise LateWorker("the worker took longer than allowed")
            if waiting is not None:
                waiting()

    def close(self) -> None:
        """Ends the connection if it was made here."""
        if self._made:
            self._made = False
            with contextlib.suppress(Exception):
                self._ray.shutdown()


class LostWorker(RuntimeError):
    """A worker is gone, and what it did with it."""


class LateWorker(LostWorker):
    """A worker was not done in time; perhaps it waited for a machine and never began."""


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__


class RayExecutor(concurrent.futures.Executor):
    """A Ray cluster as an executor of Python, as `amdahlc.ranks(..., executor=)` takes it.

    A future of a worker that is gone ends with `LostWorker` instead of waiting for ever.

    Parameters
    ----------
    address : str
        Of the cluster, as `ray.init` takes it.
    resources : dict, optional
        What a call needs.
    cpus : float
        How many CPUs a call needs.

    Raises
    ------
    InputError
        Ray is not installed, there is no cluster, or no machine has the resources.
    """

    def __init__(self, address: str = "auto", *, resources: dict[str, float] | None = None, cpus: float = 1) -> None:
        self._cluster = Cluster(address)
        self._resources = dict(resources or {})
        self._cpus = cpus
        _refuse_unknown(self._cluster, {**self._resources, "CPU": cpus})
        self._pending: set[concurrent.futures.Future[Any]] = set()
        self._lock = threading.Lock()
        self._shut = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[Any]:
        """Starts a call; its function and arguments are pickled."""
        if self._shut:
            raise RuntimeError("the executor was shut down")
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        reference = self._cluster.submit(_called, (fn, args, kwargs), self._resources, self._cpus)
        future.set_running_or_notify_cancel()
        with self._lock:
            self._pending.add(future)
        threading.Thread(target=self._wait, args=(future, reference), daemon=True).start()
        return future

    def _wait(self, future: concurrent.futures.Future[Any], reference: Any) -> None:
        try:
            future.set_result(self._cluster.result(reference, {**self._resources, "CPU": self._cpus}))
        except BaseException as error:  # noqa: BLE001: whatever it is, the future hands it on
            future.set_exception(error)
        finally:
            with self._lock:
                self._pending.discard(future)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the connection to the cluster after the calls that run; none can be cancelled."""
        del cancel_futures
        self._shut = True
        if wait:
            with self._lock:
                pending = list(self._pending)
            concurrent.futures.wait(pending)
        self._cluster.close()


def _called(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)


def _refuse_unknown(cluster: Cluster, resources: dict[str, float]) -> None:
    there = cluster.resources()
    for name, amount in resources.items():
        if there.get(name, 0.0) < amount:
            known = sorted(one for one in there if not one.startswith("node:") and one not in ("memory", "object_store_memory"))
            cluster.close()
            raise InputError(f"no machine of the cluster declares the resource `{name}`" + (f" {amount:g} times" if amount != 1 else "")
                             + f"; there are {', '.join(known) or 'none'}")


@dataclass
class Pending:
    """Work on segments that runs in a cluster: for each resource the names of back ends, and the reference."""

    backends: RemoteBackends
    runs: int
    running: list[tuple[str, list[str], Any, bool]] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    late: list[str] = field(default_factory=list)
    deadline: float = math.inf
    begin: float = field(default_factory=time.monotonic)

    def result(self, say: Callable[[str, float], None]) -> dict[str, Any]:
        """What was measured, by name of the back end; a lost worker is a failure of its back ends, a late one is left out."""
        from ._measure import Measured

        outcome: dict[str, Any] = {}
        for name, reason in self.failed.items():
            outcome[name] = Measured()
            outcome[name].fail(reason)
        left_out = f"{self.runs} runs, because max_seconds was reached"
        for name in self.late:
            outcome[name] = Measured(left_out=left_out)
        for resource, names, reference, free in self.running:
            what = f"measuring on {resource}" if free else f"waiting for {resource}, which is in use"
            try:
                found, took = self.backends.wait(reference, resource, self.deadline, lambda text=what: say(text, -1))  # type: ignore[misc]
                waited = time.monotonic() - self.begin - took
                for name in names:
                    outcome[name] = found[name]
                    if not free and waited > _LOOK:
                        found[name].note = "; ".join(filter(None, [found[name].note, f"waited {waited:.0f} s for {resource}, which was in use"]))
            except LateWorker:
                waited = time.monotonic() - self.begin
                for name in names:
                    outcome[name] = Measured(left_out=left_out)
                    if not free:
                        outcome[name].note = f"waited {waited:.0f} s for {resource}, which was in use"
            except Exception as error:  # noqa: BLE001: whatever happens on another machine is a failure of it
                for name in names:
                    outcome[name] = Measured()
                    outcome[name].fail(str(error) if isinstance(error, LostWorker) else _first_line(error))
        return outcome


class RemoteBackends:
    """The back ends of a session that are on a cluster.

    Parameters
    ----------
    names : sequence of str
        ``ray://ADDRESS/RESOURCE/NAME``.

    Raises
    ------
    InputError
        There is no cluster, or no machine with the resource.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = {name: RemoteName.of(name) for name in names}
        self._cluster: Cluster | None = None
        addresses = {one.address for one in self._names.values()}
        if len(addresses) > 1:
            raise InputError(f"a session uses one cluster, and there are {', '.join(sorted(addresses))}")
        self._address = next(iter(addresses), None)
        self._lost: str | None = None
        if self._names:
            _refuse_unknown(self._connected(), {one.resource: 1.0 for one in self._names.values()})

    @property
    def here(self) -> bool:
        """Whether one of them is on this machine, so that local runs have to wait for it; none is if the cluster is lost."""
        if self._lost is not None:
            return False
        try:
            return bool(self._names) and any(self._connected().is_here(one.resource) for one in self._names.values())
        except Exception:  # noqa: BLE001: what was started there is a failure of its back ends
            return False

    def start(self, graph: Any, sets: Any, settings: Any, deadline: float) -> Pending:
        """Sends a graph and its inputs to the workers, once each, and returns while they measure.

        A cluster that is lost is a failure of its back ends; it is not asked again before `close`.
        """
        pending = Pending(self, len(sets) * settings.repeats, deadline=deadline + _GRACE)
        if not self._names:
            return pending
        seconds = None if deadline == math.inf else max(deadline - time.monotonic(), 0.0)
        try:
            if self._lost is None:
                self._send(pending, (graph, sets, settings), seconds)
        except Exception as error:  # noqa: BLE001: a cluster that is gone is a failure of its back ends
            self._lost = f"the cluster cannot be reached: {str(error) if isinstance(error, InputError) else _first_line(error)}"
        if self._lost is not None:
            sent = {name for _, names, _, _ in pending.running for name in names}
            pending.failed.update({name: self._lost for name in self._names if name not in {*sent, *pending.failed, *pending.late}})
        return pending

    def _send(self, pending: Pending, work: tuple[Any, Any, Any], seconds: float | None) -> None:
        cluster = self._connected()
        payload = None if seconds == 0 else cluster.put(pickle.dumps(work))
        for resource in dict.fromkeys(one.resource for one in self._names.values()):
            names = {name: one.backend for name, one in self._names.items() if one.resource == resource}
            amount = cluster.resources().get(resource, 0.0)
            if not amount:
                pending.failed.update(dict.fromkeys(names, f"no machine of the cluster has `{resource}` any more"))
                continue
            if seconds == 0:
                pending.late += names
                continue
            # All that a machine has of it: nothing else that asks for it runs at the same time.
            free = cluster.is_free(resource, amount)
            asked = None if free else time.time()
            reference = cluster.submit(measured_there, (payload, names, seconds, asked), {resource: amount}, 0)
            pending.running.append((resource, list(names), reference, free))

    def wait(self, reference: Any, resource: str, deadline: float, waiting: Callable[[], None]) -> Any:
        """As `Cluster.result`."""
        return self._connected().result(reference, {resource: 1.0}, deadline, waiting)

    def close(self) -> None:
        """Ends the connection; the next start makes another one."""
        self._lost = None
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None

    def _connected(self) -> Cluster:
        if self._cluster is None:
            assert self._address is not None
            self._cluster = Cluster(self._address)
        return self._cluster


def measured_there(payload: bytes, names: dict[str, str], seconds: float | None, asked: float | None = None) -> tuple[dict[str, Any], float]:
    """On a worker: measures a graph on back ends of that machine, with all of its processors.

    Parameters
    ----------
    payload : bytes
        The graph, its inputs and the settings.
    names : dict
        From the names in the session to those on the machine.
    seconds : float or None
        How long it may take.
    asked : float or None
        When it was asked to, in seconds of `time.time`, if it had to wait for the machine: so much less time is left, as the
        clocks of both machines tell. A clock that tells a later time than this machine's counts as if there was no wait.

    Returns
    -------
    tuple
        What was measured by name in the session, and how many seconds it took.
    """
    import torch

    from ._measure import Measured, measure
    from .backends import backend

    begin = time.monotonic()
    if seconds is not None and asked is not None:
        seconds = max(seconds - max(time.time() - asked, 0.0), 0.0)
    # Ray allows a worker as many threads as it has CPUs, and this one asked for none of them.
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    graph, sets, settings = pickle.loads(payload)
    there, missing = {}, {}
    for name, own in names.items():
        try:
            there[name] = backend(own)
        except InputError as error:
            missing[name] = str(error)
    measured = measure(graph, sets, there, settings, math.inf if seconds is None else begin + seconds) if there else {}
    for name, reason in missing.items():
        measured[name] = Measured()
        measured[name].fail(reason)
    return measured, time.monotonic() - begin
