"""Runs on which earlier versions gave wrong answers, below `answers` in the cases of the folder `shared`; there is no truth of their events.

A folder has models, and traces of their runs. A trace is of the model of its name, `rms6.trace.json.gz` of `rms6.onnx`; if there is none of that name,
of all models of the folder, which are exports of one program.
"""
import collections
from typing import NamedTuple

from checks.accuracy import binder
from checks.places import SHARED

ENDING = '.trace.json.gz'


class Answer(NamedTuple):
    """What is said of a trace with a model that it is of."""
    case: str
    trace: str
    model: str
    shares: dict      # percent of device time by state
    fit: binder.Fit
    failure: str

    @property
    def fits(self):
        return self.fit.fits


class Files(NamedTuple):
    case: str
    models: list    # paths
    traces: list


def folders():
    """The cases, by name; none without the folder `shared`."""
    found = []
    for folder in sorted(path for path in (SHARED / 'cases' / 'answers').glob('*') if path.is_dir()):
        files = Files(folder.name, sorted(folder.glob('*.onnx')), sorted(folder.glob(f'*{ENDING}')))
        if files.models and files.traces:
            found.append(files)
    return found


def stem_of(trace):
    return trace.name.removesuffix(ENDING)


def models_of(files, trace):
    """Those that the trace is of."""
    return [model for model in files.models if model.stem == stem_of(trace)] or files.models


def pairs():
    """(case, trace, model) where the trace is of the model."""
    return [(files.case, trace, model) for files in folders() for trace in files.traces for model in models_of(files, trace)]


def answer(pair):
    case, trace, model = pair
    run = binder.run(model, trace)
    by_state = collections.Counter()
    for event in run.events:
        by_state[event.said] += event.length
    total = sum(by_state.values())
    return Answer(case, stem_of(trace), model.stem, {state: 100 * ns / total for state, ns in by_state.items()} if total else {}, run.fit, run.failure)


def foreign_pairings(others):
    """(name of the model, its path, name of the run, trace) of different folders, with one of them here; `others` has names, paths of models and traces."""
    own = folders()
    found = [(f'{one.case}/{model.stem}', model, f'{other.case}/{stem_of(trace)}', trace)
             for one in own for other in own if one != other for model in one.models for trace in other.traces]
    for name, model, trace in others:
        found += [(f'{files.case}/{own_model.stem}', own_model, name, trace) for files in own for own_model in files.models]
        found += [(name, model, f'{files.case}/{stem_of(own_trace)}', own_trace) for files in own for own_trace in files.traces]
    return found
