"""Runs the command on a model and a trace and reads which event it bound to which nodes."""
import csv
import json
import pathlib
import subprocess
import tempfile
from typing import NamedTuple

BOUND, AMBIGUOUS, UNBOUND = 'bound', 'ambiguous', 'unbound'
PASSES = '-passes=simplify,fuse,trace-bind'


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
    events: list   # by start; as in the trace if that has no times
    fit: Fit

    def bound_share(self):
        """Of the time of all events."""
        total = sum(event.length for event in self.events)
        return sum(event.length for event in self.events if event.state == BOUND) / total if total else 0.0


class Failed(Exception):
    """The command did not accept a pair; the text is its last message."""


def read_events(text):
    """The events of `-emit=bindings`. An event with nodes is bound, unless a column `state` or `class` calls it ambiguous."""
    events = []
    for row in csv.DictReader(text.splitlines()):
        nodes = tuple(node for node in row['nodes'].split(';') if node)
        said = row.get('state') or row.get('class') or ''
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
    run = next(iter(report['runs']), {})
    binding = run.get('binding') or {}
    return Fit(*(binding.get(key) for key in ('fits', 'calls_explained', 'units_run', 'weights_seen')))


def run(binary, model, trace):
    """Binds all iterations of a trace to a model."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, 'report.json')
        command = [str(binary), PASSES, '-steps=all', f'-trace={trace}', '-emit=bindings', f'-emit=json={report}', str(model)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f'exit {done.returncode}: {" ".join(done.stderr.split())[-200:]}')
        return Run(read_events(done.stdout), read_fit(json.loads(report.read_text())))
