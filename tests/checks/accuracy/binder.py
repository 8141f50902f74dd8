"""Runs the command on a model and a trace and reads which event it bound to which nodes."""
from typing import NamedTuple

from checks.command import Failed, amdahlc

BOUND, AMBIGUOUS, UNBOUND = 'bound', 'ambiguous', 'unbound'


class Event(NamedTuple):
    start: int          # ns, None if the trace has no times
    length: int         # ns
    name: str
    state: str          # BOUND, AMBIGUOUS or UNBOUND
    nodes: tuple        # of a bound event, the kernel's anchor first
    confidence: float   # of a bound event, else None
    said: str = ''      # the state in the bindings, of which UNBOUND has several


class Fit(NamedTuple):
    """What the command says of a trace as one of the model; None where it does not say."""
    fits: bool = None
    calls: float = None     # share of the calls that is explained
    units: float = None     # share of the units that ran
    weights: float = None   # share of the weights that occur


class Run(NamedTuple):
    events: list = []       # by start; as in the trace if that has no times
    fit: Fit = Fit()
    evidence: list = []     # rows of `-emit=evidence`, if they are wanted
    failure: str = ''       # the last message, if the command did not accept the pair

    def bound_share(self):
        """Of the time of all events."""
        total = sum(event.length for event in self.events)
        return sum(event.length for event in self.events if event.state == BOUND) / total if total else 0.0


def read_events(rows):
    """The events of `-emit=bindings`. An event with nodes is bound, unless its state calls it ambiguous."""
    events = []
    for row in rows:
        nodes = tuple(node for node in row['nodes'].split(';') if node)
        said = row.get('state') or ''
        state = AMBIGUOUS if said == AMBIGUOUS else BOUND if nodes else UNBOUND
        bound = state == BOUND
        confidence = float(row['confidence']) if bound and row.get('confidence') else None
        start = int(row['ts_ns']) if row['ts_ns'] else None
        events.append(Event(start, int(row['duration_ns']), row['name'], state, nodes if bound else (), confidence, said))
    if all(event.start is not None for event in events):
        events.sort(key=lambda event: event.start)
    return events


def read_fit(report):
    """What the JSON report says of its only run."""
    binding = next(iter(report['runs']), {}).get('binding') or {}
    return Fit(*(binding.get(key) for key in ('fits', 'calls_explained', 'units_run', 'weights_seen')))


def run(model, traces, evidence=False):
    """Binds all iterations of a trace to a model."""
    try:
        rows, report, *more = amdahlc.outputs('bindings json evidence' if evidence else 'bindings json', '-passes=simplify,fuse,trace-bind', '-steps=all',
                                              f'-trace={traces}', model)
    except Failed as failure:
        return Run(failure=' '.join(str(failure).split())[-200:])
    return Run(read_events(rows), read_fit(report), *more)
