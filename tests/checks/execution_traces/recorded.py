"""Links, edges, orders and births in recorded execution traces are those that their definitions give."""
import collections
import gzip
import json
import re
import subprocess
from decimal import Decimal

from checks import command
from checks.execution_traces import definitions
from checks.places import SHARED
from checks.results import Skip

PROGRAMS, RANKS = SHARED / 'cases' / 'programs', SHARED / 'programs' / 'dlrm'
# Calls with `::` that are no operators: they call them.
AROUND = re.compile(r'autograd::engine|torch::autograd::|torch::jit::|PythonDispatchMode|profiler::')


def load(path):
    with gzip.open(path) as file:
        return json.load(file)


def ns(microseconds):
    return int(Decimal(str(microseconds)) * 1000)


def host_calls(trace):
    """(thread, start, duration, name, id) of operators and annotations, in order of start."""
    calls = [(str(event['tid']), ns(event['ts']), ns(event['dur']), event['name'], event['args'].get('Record function id'),
              event['cat'] != 'user_annotation', event['args'].get('Ev Idx', -1))
             for event in trace['traceEvents'] if event.get('ph') == 'X' and event.get('cat') in ('cpu_op', 'user_annotation')]
    return [call[:5] for call in sorted(calls, key=lambda call: (call[1], -call[2], call[5], call[6]))]


def outermost_operators(calls):
    """The operators inside of no other, in order of their starts."""
    found = []

    def visit(call):
        if '::' in call.name and not AROUND.match(call.name):
            found.append(call.id)
        else:
            for inner in call.inside:
                visit(inner)
    for call in calls.values():
        if call.parent == call.id or call.parent not in calls:
            visit(call)
    return sorted(found)


def facts(execution_trace, trace, groups):
    binary = command.amdahlc.binary.parent / 'amdahlc_execution_trace'
    if not binary.exists():
        raise Skip(f'{binary.name} is not built')
    ran = subprocess.run([binary, execution_trace, trace], input=' '.join(map(str, groups)), capture_output=True, text=True, timeout=command.SECONDS)
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    return json.loads(ran.stdout, parse_float=Decimal)


def check_links_by_ids(check, name, found, calls, events):
    wanted, nodes = collections.defaultdict(list), collections.defaultdict(list)
    for event in events:
        wanted[event[4], event[3]].append(event)
    for call in sorted(calls.values(), key=lambda call: call.id):
        nodes[call.function, call.name].append(call.id)
    expected = collections.Counter()
    for key, same in wanted.items():
        partners = nodes.get(key, [])
        if len(partners) != len(same):
            partners = [-1] * len(same)
        expected.update((*event[:4], partner) for event, partner in zip(same, partners))
    check.equal(f'{name}: links', collections.Counter(map(tuple, found['links'])) - expected, collections.Counter())
    check.equal(f'{name}: linked', found['linked'], sum(count for link, count in expected.items() if link[4] >= 0))


def check_links_by_order(check, name, found, calls, events):
    threads, of_events = collections.defaultdict(list), collections.defaultdict(list)
    for call in sorted(calls.values(), key=lambda call: call.id):
        if call.function:
            threads[call.thread].append(call)
    for link in found['links']:
        of_events[link[0]].append(link)
    check.equal(f'{name}: calls', sorted(map(tuple, (link[:4] for link in found['links']))), sorted(event[:4] for event in events))
    most_of_all = 0
    for links in of_events.values():
        linked = {link[4] for link in links}
        # The thread of most links; it must be that of all.
        nodes = max(threads.values(), key=lambda nodes: len(linked & {call.id for call in nodes}))
        place = {call.id: index for index, call in enumerate(nodes)}
        most, may_have = definitions.fewest_differences([call.name for call in nodes], [link[3] for link in links])
        most_of_all += most
        for index, link in enumerate(links):
            if link[4] >= 0:
                check.that(link[4] in place and may_have(place[link[4]], index), f'{name}: {link} is a link of no alignment with the fewest differences')
        places = [place[link[4]] for link in links if link[4] >= 0]
        check.that(places == sorted(set(places)), f'{name}: links cross each other')
    check.equal(f'{name}: linked or ambiguous', found['linked'] + found['ambiguous'], most_of_all)


def check_run(check, name, execution_trace, trace):
    document = load(execution_trace)
    calls, events = definitions.calls_of(document), host_calls(load(trace))
    groups = outermost_operators(calls)
    found = facts(execution_trace, trace, groups)
    check.equal(f'{name}: schema', found['schema'], document['schema'])
    check.equal(f'{name}: calls', found['calls'], len(calls))
    check.that(found['belong'], f'{name}: the traces do not belong together')
    check.equal(f'{name}: problems', found['problems'], {})
    (check_links_by_ids if found['by_ids'] else check_links_by_order)(check, name, found, calls, events)
    data, order, births = definitions.edges_of(calls, groups)
    check.equal(f'{name}: data edges beyond the definition', sorted({(*edge[:2], *edge[2]) for edge in found['data']} ^ data)[:5], [])
    check.equal(f'{name}: order edges beyond the definition', sorted(set(map(tuple, found['order'])) ^ order)[:5], [])
    check.equal(f'{name}: births', [(*birth[:2], *birth[2]) for birth in found['births']], births)
    pairs = {tuple(edge[:2]) for edge in found['data']}
    check.say(f'{name}: {found["described"]}; {len(groups)} operators, {len(pairs)} data edges, {len(found["order"])} order edges, '
              f'{len(births)} births of {len({birth[3] for birth in births})} storages')


def check(check):
    runs = [(folder.name, folder / 'et.json.gz', folder / 'trace.json.gz') for folder in sorted(PROGRAMS.iterdir()) if folder.is_dir()]
    runs += [(f'dlrm/{path.name.partition(".")[0]}', path, path.with_name(path.name.replace('.et.', '.'))) for path in sorted(RANKS.glob('*.et.json.gz'))]
    for name, execution_trace, trace in runs:
        if check.only.search(name):
            check_run(check, name, execution_trace, trace)
