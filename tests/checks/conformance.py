"""Every model of ONNX's conformance tests is imported, printed, read back and printed the same."""
import concurrent.futures
import os
import pathlib
import tempfile

from checks.command import amdahlc
from checks.places import CONFORMANCE_PACKAGE, conformance_models
from checks.results import Skip
from checks.sampling import sampled

EXPECTED = 1072  # models of version 1.12.0: fewer means that this looks in the wrong place


def round_trip(model):
    """What is wrong; empty if the model survives."""
    with tempfile.TemporaryDirectory() as folder:
        texts = []
        for source in (model, pathlib.Path(folder, '0.air')):
            target = pathlib.Path(folder, f'{len(texts)}.air')
            done = amdahlc.run('-passes=', '-verify-each', '-o', target, source)
            if done.returncode or done.stderr:
                return f'exit {done.returncode}: {done.stderr}'
            texts.append(target.read_bytes())
        return '' if texts[0] == texts[1] else 'the text form changes when it is read and printed again'


def check(check):
    models = conformance_models()
    if not models:
        raise Skip(f'the package {CONFORMANCE_PACKAGE} is not installed')
    check.at_least(f'models of {CONFORMANCE_PACKAGE}', len(models), EXPECTED)
    tried = sampled(models)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for model, fault in zip(tried, pool.map(round_trip, tried)):
            check.that(not fault, f'{model}: {fault}')
