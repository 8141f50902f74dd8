"""A machine with host threads and a device, of which everything is known: it runs a program and writes what a profiler would record.

A program is a list of steps for each host thread, by name. A step is a tuple of its kind, which is the method of `Machine` that makes it, and what that
method takes. Lengths are nanoseconds. Threads take turns in order of time, so that what one of them launches is known to those that act later.
"""
import dataclasses
import random

# Not a whole microsecond: a recorder that counts those may end the window before the last call.
START = 1_000_900


@dataclasses.dataclass(frozen=True)
class Lengths:
    """What the machine takes by itself. Latencies, turn-arounds and the least length of a waiting call do not change with the host or the device."""
    launch: int = 4_000
    graph_launch: int = 9_000
    call: int = 1_500
    query: int = 1_200
    pause: int = 800            # between two queries
    latency: int = 5_000
    copy_latency: int = 8_000   # from the beginning of a copy's call
    turn_around: int = 1_000
    node_turn_around: int = 300
    event_to_event: int = 2_000
    comes_back: int = 3_000     # from the end of what a call waits for to its own end
    wait: int = 1_000           # a waiting call with nothing to wait for
    frees: int = 12_000         # cudaFree and cudaMalloc, apart from their waits
    hand_over: int = 15_000
    queue: int = 1_021


@dataclasses.dataclass(frozen=True)
class Factors:
    """New time / old time."""
    device: float = 1
    host: float = 1
    launches: float = 1


@dataclasses.dataclass
class Stream:
    free: int = -10**18
    waits: int = -10**18
    starts: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Thread:
    number: int
    steps: list
    now: int
    step: int = 0
    open: list = dataclasses.field(default_factory=list)


class Machine:
    def __init__(self, program, lengths=Lengths(), factors=Factors(), states_waits=True, noise=0, seed=1, resolution=1):
        self.lengths, self.factors, self.states_waits = lengths, factors, states_waits
        # Of what share lengths differ; in what unit the recorder counts, in nanoseconds.
        self.noise, self.seed, self.resolution = noise, seed, resolution
        self.threads = [Thread(100 + number, steps, START) for number, steps in enumerate(program.values())]
        self.streams, self.recorded, self.signals = {}, {}, {}
        self.rows, self.correlation, self.first, self.last = [], 0, None, -10**18

    def run(self):
        """Wall time, from the start of the first device event to the end of the last, and the window, which is the time of the first thread."""
        while ready := [thread for thread in self.threads if thread.step < len(thread.steps) and not self.is_held(thread)]:
            thread = min(ready, key=lambda one: one.now)
            kind, *arguments = thread.steps[thread.step]
            getattr(self, kind)(thread, *arguments)
            thread.step += 1
        assert all(thread.step == len(thread.steps) for thread in self.threads), 'a thread waits for a signal that nobody gives'
        main = self.threads[0]
        self.row('user_annotation', 'ProfilerStep#1', 100, main.number, START, main.now)
        return self.last - self.first, main.now - START

    def is_held(self, thread):
        kind, *arguments = thread.steps[thread.step]
        return kind == 'resume' and arguments[0] not in self.signals

    # Lengths as they come out, each with the noise of its step.

    def noisy(self, thread, ns):
        return round(ns * (1 + random.Random(f'{self.seed} {thread.number} {thread.step} {ns}').uniform(-self.noise, self.noise)))

    def host(self, thread, ns):
        return round(self.noisy(thread, ns) * self.factors.host)

    def device(self, thread, ns):
        return round(self.noisy(thread, ns) * self.factors.device)

    # What is recorded.

    def row(self, category, name, process, track, start, end, **arguments):
        self.rows.append((category, name, process, track, start, end - start, arguments))

    def call(self, thread, name, start, correlation=None, category='cuda_runtime'):
        if correlation is None:
            self.correlation += 1
            correlation = self.correlation
        self.row(category, name, 100, thread.number, start, thread.now, correlation=correlation)
        return correlation

    def event(self, thread, name, number, ready, ns, correlation, turn_around, copy=False):
        """Starts an event of the device; its start and end."""
        stream = self.streams.setdefault(number, Stream())
        start = max(ready, stream.free + self.noisy(thread, turn_around), stream.waits)
        stream.waits = -10**18
        stream.free = start + self.device(thread, ns)
        stream.starts.append(start)
        self.first = start if self.first is None else min(self.first, start)
        self.last = max(self.last, stream.free)
        self.row('gpu_memcpy' if copy else 'kernel', name, 0, number, start, stream.free, stream=number, correlation=correlation)
        return start, stream.free

    # Steps.

    def work(self, thread, ns):
        thread.now += self.host(thread, ns)

    def begin(self, thread, name):
        thread.open.append((name, thread.now))

    def end(self, thread):
        name, start = thread.open.pop()
        self.row('cpu_op', name, 100, thread.number, start, thread.now)

    def launch(self, thread, name, number, ns):
        stream, start = self.streams.setdefault(number, Stream()), thread.now
        thread.now += round(self.host(thread, self.lengths.launch) * self.factors.launches)
        if len(stream.starts) >= self.lengths.queue:
            thread.now = max(thread.now, stream.starts[-self.lengths.queue])
        correlation = self.call(thread, 'cudaLaunchKernel', start)
        self.event(thread, name, number, thread.now + self.noisy(thread, self.lengths.latency), ns, correlation, self.lengths.turn_around)

    def graph(self, thread, nodes):
        """Nodes are (name, stream, length, the numbers of those of other streams that it waits for)."""
        start = thread.now
        thread.now += round(self.host(thread, self.lengths.graph_launch) * self.factors.launches)
        correlation, ready, ends = self.call(thread, 'cudaGraphLaunch', start), thread.now + self.noisy(thread, self.lengths.latency), []
        for index, (name, number, ns, after) in enumerate(nodes):
            released = max([ready, *(ends[source] + self.lengths.event_to_event for source in after)])
            begun, ended = self.event(thread, name, number, released, ns, correlation, self.lengths.node_turn_around if index else self.lengths.turn_around)
            ready = begun if index == 0 else ready
            ends.append(ended)

    def copy(self, thread, name, number, ns, is_blocking):
        start = thread.now
        self.correlation += 1
        if not is_blocking:
            thread.now += round(self.host(thread, self.lengths.launch) * self.factors.launches)
        ready = start + self.lengths.copy_latency if is_blocking else thread.now + self.lengths.latency
        _, ended = self.event(thread, name, number, ready, ns, self.correlation, self.lengths.turn_around, copy=True)
        if is_blocking:
            thread.now = ended + self.host(thread, self.lengths.comes_back)
        self.call(thread, 'cudaMemcpyAsync', start, self.correlation)

    def pageable_in(self, thread, number, ns):
        self.copy(thread, 'Memcpy HtoD (Pageable -> Device)', number, ns, True)

    def pageable_out(self, thread, number, ns):
        self.copy(thread, 'Memcpy DtoH (Device -> Pageable)', number, ns, True)

    def pinned_in(self, thread, number, ns):
        self.copy(thread, 'Memcpy HtoD (Pinned -> Device)', number, ns, False)

    def record(self, thread, name, number):
        start = thread.now
        thread.now += self.host(thread, self.lengths.call)
        free = self.streams[number].free if number in self.streams else -10**18
        self.recorded[name] = free, number, self.call(thread, 'cudaEventRecord', start)

    def stream_wait(self, thread, name, number):
        ended, source, record = self.recorded[name]
        start, stream = thread.now, self.streams.setdefault(number, Stream())
        stream.waits = max(stream.waits, ended + self.lengths.event_to_event)
        thread.now += self.host(thread, self.lengths.call)
        self.state('Stream Wait Event', number, start, thread.now, self.call(thread, 'cudaStreamWaitEvent', start), source, record)

    def state(self, kind, number, start, end, correlation, source=None, record=None):
        if not self.states_waits:
            return
        of = {} if source is None else {'wait_on_stream': source, 'wait_on_cuda_event_record_corr_id': record}
        self.row('cuda_sync', kind, 0, number, start, end, cuda_sync_kind=kind, stream=number, correlation=correlation, **of)

    def wait_until(self, thread, ended):
        thread.now = max(thread.now + self.lengths.wait, ended + self.host(thread, self.lengths.comes_back) if ended > thread.now else 0)

    def event_sync(self, thread, name):
        start, (ended, source, record) = thread.now, self.recorded[name]
        self.wait_until(thread, ended)
        self.state('Event Sync', source, start, thread.now, self.call(thread, 'cudaEventSynchronize', start), source, record)

    def stream_sync(self, thread, number):
        start = thread.now
        self.wait_until(thread, self.streams[number].free)
        self.state('Stream Sync', number, start, thread.now, self.call(thread, 'cudaStreamSynchronize', start))

    def device_sync(self, thread):
        start = thread.now
        self.wait_until(thread, self.last)
        self.call(thread, 'cudaDeviceSynchronize', start)

    def memory(self, thread, name, waits, ns=None, inner=None):
        """A call that gives or takes memory, maybe when all work is done; maybe by one of the driver inside of it."""
        start = thread.now
        if waits:
            thread.now = max(thread.now, self.last)
        thread.now += self.host(thread, ns or self.lengths.frees)
        if inner:
            self.row('cuda_driver', inner, 100, thread.number, start + 100, thread.now - 100, correlation=0)
        self.call(thread, name, start)

    def free(self, thread):
        self.memory(thread, 'cudaFree', True)

    def free_by_driver(self, thread):
        self.memory(thread, 'cudaFree', True, inner='cuMemFree_v2')

    def unload(self, thread):
        self.memory(thread, 'cuLibraryUnload', True)

    def allocate(self, thread, under_pressure, ns=None):
        self.memory(thread, 'cudaMalloc', under_pressure, ns)

    def query(self, thread):
        start = thread.now
        thread.now += self.host(thread, self.lengths.query)
        self.call(thread, 'cudaEventQuery', start)

    def poll(self, thread, name):
        """Asks until the work before a record is done."""
        while True:
            start = thread.now
            self.query(thread)
            if start >= self.recorded[name][0]:
                return
            thread.now += self.host(thread, self.lengths.pause)

    def signal(self, thread, name):
        self.signals[name] = thread.now

    def resume(self, thread, name):
        """Pauses until another thread gives a signal."""
        thread.now = max(thread.now, self.signals[name] + self.host(thread, self.lengths.hand_over))

    # The file.

    def trace(self):
        def micros(ns):
            ns -= ns % self.resolution
            return f'{ns // 1000}' if self.resolution == 1_000 else f'{ns // 1000}.{ns % 1000:03d}'

        def value(one):
            return one if isinstance(one, int) else f'"{one}"'

        rows = []
        for category, name, process, track, start, length, arguments in self.rows:
            args = ', '.join(f'"{key}": {value(one)}' for key, one in arguments.items())
            rows.append(f'{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": {process}, "tid": {track}, "ts": {micros(start)}, '
                        f'"dur": {micros(length)}, "args": {{{args}}}}}')
        body = ',\n'.join(rows)
        return ('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100", "computeMajor": 9, "computeMinor": 0}],\n'
                f'"traceEvents": [\n{body}\n]}}\n')
