"""The programs of recorded runs with execution traces have the calls and the data edges that the definitions give.

Of the representative iteration, which is an annotated step of a run on the CPU: its outermost operators are nodes, and so are other calls that contain none, and the innermost
regions of generated code. Pairs of nodes of which one reads what the other one wrote are as many as the recomputation finds. Each call is in the modules and annotations
around it, and one in a step of the backward pass in those of the forward call. Types of results that follow from operands and attributes in the trace alone are those that
the execution trace states.
"""
import collections
import re

from checks.command import amdahlc
from checks import phases
from checks.execution_traces import definitions, recorded


GENERATED = ('Torch-Compiled Region', 'CompiledFunction', '## Call CompiledFxGraph')


def other_nodes(calls, operators, isCall):
    """Calls that are no operators, and are nodes: nothing inside of them is a call of the profiler, or code was generated for them."""
    found = []

    def visit(call):
        """Whether a call, and whether generated code, is in it or is it."""
        if call.id in operators:
            return True, False
        below = [visit(inner) for inner in call.inside]
        isGenerated = isCall(call) and call.name.startswith(GENERATED)
        holds, holdsGenerated = any(call for call, _ in below), any(generated for _, generated in below)
        if isCall(call) and (not holdsGenerated if isGenerated else not holds):
            found.append(call.id)
        return holds or isCall(call), holdsGenerated or isGenerated
    for call in calls.values():
        if call.parent == call.id or call.parent not in calls:
            visit(call)
    return found


class Scopes:
    """The modules and annotations around each call, from the outermost one, with those of the forward call for a step of the backward pass."""

    def __init__(self, path):
        self.run = phases.Run(path)
        self.forward = self.run.forward_calls()[1]
        self.marks = {thread: phases.Marks(marks) for thread, marks in self.run.threads(self.opens_scope).items()}

    def opens_scope(self, event):
        isStep = event.named() == 'backward' and (event.start, event.thread) in self.forward
        isMark = re.fullmatch(r'(ProfilerStep#|step )\d+|DistributedDataParallel.forward|## Call CompiledFxGraph .*', event.name) or event.words in ('forward', 'backward')
        return isStep or event.kind == 'module' or (event.kind == 'annotation' and not isMark)

    def of(self, event):
        names = []
        around = list(self.marks[event.thread].around(event, self.run.resolution)) if event.thread in self.marks else []   # the innermost one first
        for mark in [event] * (event.named() == 'backward') + around:
            if mark.named() == 'backward' and (start := self.forward.get((mark.start, mark.thread))) is not None:
                [*_, forward] = [call for call in self.run.host if call.kind == 'operator' and call.start == start and call.sequence == mark.sequence]
                return self.of(forward) + names
            if mark is not event:
                names.insert(0, mark.name.removeprefix('nn.Module: '))
        return names

    def of_calls(self):
        """By the profiler's number and the name of a call: of those with one number in order of start."""
        found = collections.defaultdict(list)
        for event in sorted(self.run.host, key=lambda e: e.start):
            if event.kind == 'operator':
                found[event.args['Record function id'], event.name].append('.'.join(self.of(event)))
        return found


def types_of_results(*files):
    """By the name of a node, the type of its first result as IR text has it, without its storage; without those that are not known."""
    found = {}
    for line in amdahlc.text('-passes=simplify', '-emit=ir', *files).splitlines():
        if match := re.match(r'  #\d+ %.* = .*\) (?:\{[^{}]*\} )?: (?:\(([^()]*)\)|(\S+)(?: (?:in|to) \d+)?) name ("[^"]*"|\S+)', line):
            of_results, of_result, name = match.groups()
            found[name] = re.sub(r' (in|to) \d+$', '', of_result or of_results.split(', ')[0])
    return {name: found[name] for name in found if found[name] != '?' and not found[name].startswith('undefined')}


def check_run(check, what, trace_path, et_path):
    trace = recorded.load(trace_path)
    calls = definitions.calls_of(recorded.load(et_path))
    report = amdahlc.report(trace_path, et_path)
    [run] = report['runs']
    [(start, end)] = [(recorded.ns(event['ts']), recorded.ns(event['ts']) + recorded.ns(event['dur'])) for event in trace['traceEvents']
                      if event.get('cat') == 'user_annotation' and event['name'] == run['trace']['representative']]
    begin = {(event['args'].get('Record function id'), event['name']): recorded.ns(event['ts']) for event in trace['traceEvents'] if event.get('cat') == 'cpu_op'}
    operators = recorded.outermost_operators(calls)
    groups = sorted(operators + other_nodes(calls, set(operators), lambda call: (call.function, call.name) in begin))
    inside = {group for group in groups if start <= begin.get((calls[group].function, calls[group].name), -1) < end}
    scopes = Scopes(trace_path).of_calls()
    expected = collections.Counter()
    for group in sorted(inside):
        expected[calls[group].name, scopes[calls[group].function, calls[group].name][-1]] += 1
    stated = collections.Counter((kernel['operator'], kernel['scope']) for kernel in run['kernels'])
    check.equal(f'{what}: nodes by operator and scope', stated, expected)
    edges = definitions.edges_of(calls, groups)[0]
    pairs = {(a, b) for a, b, *_ in edges if a in inside and b in inside}
    check.equal(f'{what}: data edges', report['model']['data_edges'], len(pairs))
    alone, traced = types_of_results(trace_path), types_of_results(trace_path, et_path)
    check.that(len(alone) > 20, f'{what}: types of {len(alone)} results are known')
    check.none(f'{what}: types of results', [(name, alone[name], traced[name]) for name in sorted(alone.keys() & traced.keys()) if alone[name] != traced[name]])
    check.equal(f'{what}: front end and edges', (report['model']['front_end'], report['model']['edges']), ('execution-trace', 'data'))


def check(check):
    for folder in sorted(recorded.PROGRAMS.iterdir()):
        if folder.is_dir():
            check_run(check, folder.name, folder / 'trace.json.gz', folder / 'et.json.gz')
