"""The phases of every event of recorded training steps, and the forward call of every step of the backward pass, are those that follow from their raw files.

docs/phases.md defines them. Here each event is tested against all marks of its thread, without a tree of calls. Forward calls are those to which Kineto drew
an arrow (`fwdbwd`), and else the last with the number of the step on the thread that makes most of the calls of that kind.
"""
import bisect
import collections
import decimal
import gzip
import json
import re
import subprocess

from checks import command, places
from checks.results import Skip

ORDER = ('communication', 'optimizer', 'backward', 'data', 'forward', 'other')
# What names say, in a spelling other than that of the program.
NAMES = [('communication', re.compile(r'(_?c10d(_functional)?(_autograd)?::|(gloo|mpi|nccl|ucc|xccl):|record_param_comms)')),
         ('optimizer', re.compile(r'Optimizer\.\w+#')), ('backward', re.compile(r'autograd::engine::evaluate_function: ')),
         ('data', re.compile(r'enumerate\(Data(Loader|Pipe)\)#')), ('forward', re.compile(r'DistributedDataParallel\.forward$'))]
WORDS = re.compile(r'[# ]*((?P<forward>forward|forward pass|fwd)|(?P<backward>backward|backward pass|bwd)|(?P<optimizer>optimizer([ ._]step)?|zero_grad)|'
                   r'(?P<data>copy_batch_to_gpu|data loading|dataloader|load_batch))[# ]*', re.I)
COMMUNICATES = re.compile(r'(void )?(nccl|rccl|msccl|nvshmem|oneccl|.*(one_shot_all_reduce|two_shot_all_reduce|multimem_|cross_device_reduce))')
COPIES = re.compile(r'aten::(to|_to_copy|copy_|clone|contiguous|type_as|reshape|flatten|fill_|zero_)$')
DEVICE = {'kernel', 'gpu_memcpy', 'gpu_memset', 'Kernel', 'Memcpy', 'Memset'}
KINDS = {'cpu_op': 'operator', 'Operator': 'operator', 'user_annotation': 'annotation', 'cuda_runtime': 'runtime', 'cuda_driver': 'runtime', 'Runtime': 'runtime',
         'python_function': 'frame'}


def traces():
    """All traces of training steps, and some without."""
    shared = places.SHARED
    found = sorted((shared / 'cases' / 'programs').glob('*/trace.json.gz')) + sorted((shared / 'programs' / 'dlrm').glob('rank[0-9].json.gz'))
    found += [places.TRACES / 'hta' / f'{name}.json.gz' for name in ('amd_mi250_minitoy_train', 'multi_stream_train_rank0', 'no_gpu_events', 'alexnet')]
    found += [places.TRACES / 'misc' / f'{name}.json.gz' for name in ('b200_eager', 'vllm_cuda_graph_decode')]
    return found + [places.DATA / 'training' / f'trace{kind}.json.gz' for kind in ('', '.default')]


def to_ns(time):
    return int(decimal.Decimal(str(time)) * 1000)


class Event:
    def __init__(self, number, raw):
        self.number, self.name, self.args = number, raw['name'], raw.get('args', {})
        self.start, self.duration = to_ns(raw['ts']), to_ns(raw['dur'])
        self.end = self.start + self.duration
        self.is_device = raw['cat'] in DEVICE
        self.kind = None if self.is_device else KINDS[raw['cat']]
        if self.kind == 'frame' and self.name.startswith('nn.Module: '):
            self.kind = 'module'
        self.thread = raw['pid'], raw['tid']
        self.sequence = self.args.get('Sequence number', -1)
        self.forward_thread = self.args.get('Fwd thread id', 0)
        self.marks = set()
        self.phase = None

    def named(self):
        if self.kind in ('operator', 'annotation'):
            for phase, pattern in NAMES:
                if pattern.match(self.name):
                    return phase
        return None


class Marks:
    """The events of a thread that mark what runs in them. Finds those around an event by looking at all that begin before it and end late enough."""

    def __init__(self, events):
        self.events = sorted(events, key=lambda e: (e.start, -e.end, e.args.get('Ev Idx', e.number)))
        self.starts = [e.start for e in self.events]
        # By position: the latest end until there, so that the search backwards ends early.
        self.latest = []
        for event in self.events:
            self.latest.append(max(event.end, self.latest[-1] if self.latest else event.end))

    def around(self, event, resolution):
        at = bisect.bisect_right(self.starts, event.start) - 1
        while at >= 0 and self.latest[at] > event.start:
            mark = self.events[at]
            if mark is not event and mark.start <= event.start < mark.end and event.end <= mark.end + resolution and self.is_outside(mark, event):
                yield mark
            at -= 1

    @staticmethod
    def is_outside(mark, event):
        """Of two events with equal times, or whose ends the clock cannot tell apart, the recorder's number decides, and without one the kind."""
        if mark.start < event.start or mark.end > event.end:
            return True
        if 'Ev Idx' in mark.args and 'Ev Idx' in event.args:
            return mark.args['Ev Idx'] < event.args['Ev Idx']
        order = ('annotation', 'frame', 'module', 'operator', 'runtime')
        return (order.index(mark.kind), mark.number) < (order.index(event.kind), event.number)


class Run:
    def __init__(self, path):
        with gzip.open(path) as file:
            document = json.load(file, parse_float=decimal.Decimal)
        raw = document['traceEvents'] if isinstance(document, dict) else document
        self.flows = [e for e in raw if e.get('cat') == 'fwdbwd']
        self.events = [Event(i, e) for i, e in enumerate(raw) if e.get('ph') == 'X' and e.get('cat') in DEVICE | set(KINDS) and 'dur' in e]
        self.host = [e for e in self.events if not e.is_device]
        self.resolution = 1000 if all(e.start % 1000 == 0 and e.duration % 1000 == 0 for e in self.events) else 1
        self.trains = any(e.named() in ('backward', 'optimizer') for e in self.host)
        self.find_phases()

    def threads(self, of=lambda event: True):
        threads = collections.defaultdict(list)
        for event in self.host:
            if of(event):
                threads[event.thread].append(event)
        return threads

    def find_phases(self):
        calls = {thread: Marks(events) for thread, events in self.threads(lambda e: e.kind in ('operator', 'module')).items()}
        named = {thread: Marks(events) for thread, events in self.threads(lambda e: e.named() and e.kind == 'annotation').items()}
        for event in self.host:   # words outside of calls
            event.words = WORDS.fullmatch(event.name) if event.kind == 'annotation' and not event.named() else None
            if event.words and event.thread in calls and any(True for _ in calls[event.thread].around(event, self.resolution)):
                event.words = None
            event.words = event.words and next(k for k, v in event.words.groupdict().items() if v)
            if event.words in ('backward', 'optimizer') and not self.trains:
                event.words = None
        worded = {thread: Marks(events) for thread, events in self.threads(lambda e: e.words).items()}
        for event in self.host:
            around = [event]
            for marks in (calls, named, worded):
                if event.thread in marks:
                    around += marks[event.thread].around(event, self.resolution)
            event.around = around
            event.marks = {m.named() or m.words for m in around} - {None}
            if any(m.kind in ('operator', 'module') for m in around):
                event.marks.add('forward')
            event.in_model = any(m.kind == 'module' or 'forward' in (m.named(), m.words) for m in around)
        is_counted = any(e.kind == 'operator' and e.sequence >= 0 and not e.marks & {'backward', 'communication'} for e in self.host)
        for events in self.threads().values() if is_counted else []:   # threads of the backward pass
            outside = [e for e in events if not e.marks & {'backward', 'communication'}]
            if any(e.named() == 'backward' for e in events) and not any(e.kind in ('annotation', 'frame', 'module') or e.sequence >= 0 for e in outside):
                for event in events:
                    event.marks.add('backward')
        self.launches = {}
        for event in self.host:
            if event.kind == 'runtime' and 'correlation' in event.args:
                self.launches[event.args['correlation']] = event
        inputs = set()
        for event in self.events:
            call = self.launches.get(event.args.get('correlation')) if event.is_device else None
            if call is None or not re.search('HtoD|HostToDevice', event.name) or call.in_model or call.marks & {'communication', 'optimizer', 'backward'}:
                continue
            operators = [m for m in call.around if m.kind == 'operator']
            outermost = max(operators, key=lambda m: (m.duration, -m.number)) if operators else call
            if not operators or COPIES.match(outermost.name):
                inputs.add(outermost)
        for event in self.host:
            if inputs & set(event.around):
                event.marks.add('data')
            event.phase = min(event.marks | {'other'}, key=ORDER.index)
        for event in self.events:
            if event.is_device:
                call = self.launches.get(event.args.get('correlation'))
                event.phase = 'communication' if COMMUNICATES.match(event.name) or 'Collective name' in event.args else call.phase if call else 'other'

    def forward_calls(self):
        """By the start of a step of the backward pass and its thread, the start of its forward call: by arrows, and by numbers."""
        sources = {e['id']: (to_ns(e['ts']), (e['pid'], e['tid'])) for e in self.flows if e['ph'] == 's'}
        arrows = {(to_ns(e['ts']), (e['pid'], e['tid'])): sources[e['id']][0] for e in self.flows if e['ph'] == 'f' and e['id'] in sources}
        creators = collections.defaultdict(dict)
        for event in sorted(self.host, key=lambda e: (e.start, -e.end)):
            inside = [m for m in event.around if m.named() == 'backward']
            if event.kind == 'operator' and event.sequence >= 0 and not event.forward_thread and all(m.sequence != event.sequence for m in inside):
                creators[event.thread][event.sequence] = event.start
        steps = [e for e in self.host if e.named() == 'backward']
        most = {number: max(creators, key=lambda thread: sum(s.sequence in creators[thread] for s in steps if s.forward_thread == number), default=None)
                for number in {s.forward_thread for s in steps}}
        numbers = {(s.start, s.thread): creators[most[s.forward_thread]].get(s.sequence) for s in steps if creators and s.sequence >= 0}
        return arrows, {step: start for step, start in numbers.items() if start is not None}


def printed(path):
    binary = command.amdahlc.binary.parent / 'amdahlc_run_phases'
    if not binary.is_file():
        raise Skip(f'{binary.name} was not built beside the command')
    lines = subprocess.run([binary, path], capture_output=True, text=True, check=True).stdout.splitlines()
    events = {int(e): phase for kind, e, phase in (line.split(' ', 2) for line in lines if line.startswith('event '))}
    return events, [line.split(' ', 5)[1:] for line in lines if line.startswith('call ')]


def check(check):
    for path in traces():
        what = str(path.relative_to(places.SHARED if path.is_relative_to(places.SHARED) else places.SOURCE))
        if not check.only.search(what):
            continue
        run = Run(path)
        events, calls = printed(path)
        raw = {e.number: e for e in run.events}
        check.that(events, f'{what}: no device events')
        for number, phase in events.items():
            check.that(raw[number].phase == phase, f'{what}: event {number} `{raw[number].name[:60]}` is {phase}, expected {raw[number].phase}')
        mine = collections.Counter((e.start, e.duration, e.name, e.phase) for e in run.host if e.kind in ('operator', 'annotation', 'runtime'))
        theirs = collections.Counter((int(start), int(duration), name, phase) for start, duration, phase, _, name in calls)
        check.none(f'{what}: calls only in the program', list((theirs - mine).elements()))
        check.none(f'{what}: calls only in the check', list((mine - theirs).elements()))
        arrows, numbers = run.forward_calls()
        # An arrow may lead to the node that a step evaluates.
        found, steps = collections.defaultdict(set), 0
        for start, _, _, forward, name in calls:
            found[int(start)].add(forward)
            steps += forward != '-' and NAMES[2][1].match(name) is not None
        for said, by in ((arrows, 'an arrow'), (numbers, 'its number')):
            for (start, _), forward in said.items():
                check.that(str(forward) in found[start], f'{what}: the step at {start} has the forward call at {found[start]}, by {by} {forward}')
        check.that(steps == len(numbers), f'{what}: {steps} steps have forward calls, expected {len(numbers)}')
