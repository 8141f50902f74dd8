"""ONNX's own models, and models that name files."""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import tempfile

from checks.command import Failed, amdahlc
from checks.places import CONFORMANCE_PACKAGE, conformance_models
from checks.protobuf import message
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


def run(check):
    """Every model of ONNX's conformance tests is imported, printed, read back and printed the same."""
    models = conformance_models()
    if not models:
        raise Skip(f'the package {CONFORMANCE_PACKAGE} is not installed')
    check.at_least(f'models of {CONFORMANCE_PACKAGE}', len(models), EXPECTED)
    tried = sampled(models)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for model, fault in zip(tried, pool.map(round_trip, tried)):
            check.that(not fault, f'{model}: {fault}')


def tensor(name, location):
    """A tensor of two floats whose data is said to be in `location`."""
    entries = [(13, message((1, key), (2, value))) for key, value in (('location', location), ('offset', '0'), ('length', '8'))]
    return message((1, 2), (2, 1), (8, name), *entries, (14, 1))


def model_naming(locations):
    """Initializers, and attributes of constants, each name a location."""
    parts, previous = [], 'x'
    for index, location in enumerate(locations):
        if index % 2 == 0:
            parts.append((5, tensor(f'w{index}', location)))
        else:
            attribute = message((1, 'value'), (5, tensor('', location)), (20, 4))
            parts.append((1, message((2, f'w{index}'), (4, 'Constant'), (5, attribute))))
        parts.append((1, message((1, previous), (1, f'w{index}'), (2, f'y{index}'), (4, 'Add'))))
        previous = f'y{index}'
    value = message((1, message((1, 1), (2, message((1, message((1, 2))))))))
    graph = message(*parts, (2, 'hostile'), (11, message((1, 'x'), (2, value))), (12, message((1, previous), (2, value))))
    return message((1, 10), (7, graph), (8, message((2, 21))))


def external_paths(check):
    """No path that a model names is touched: its weights claim to lie in files that exist, and strace lists what is opened."""
    strace = shutil.which('strace')
    if strace is None or subprocess.run([strace, '-o', os.devnull, 'true'], capture_output=True).returncode != 0:
        raise Skip('strace is not installed or not allowed here')
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        inside, log = folder / 'models', folder / 'strace.log'
        inside.mkdir()
        for secret in (folder / 'absolute-secret.bin', folder / 'parent-secret.bin', inside / 'beside-secret.bin'):
            secret.write_bytes(bytes(8))
        (inside / 'hostile.onnx').write_bytes(model_naming([str(folder / 'absolute-secret.bin'), '../parent-secret.bin', 'beside-secret.bin', '../missing-secret.bin']))
        # Under ptrace the leak checker of the sanitizers cannot work.
        environment = {**os.environ, 'ASAN_OPTIONS': os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'}
        done = subprocess.run([strace, '-f', '-s', '4096', '-e', 'trace=%file', '-o', log, amdahlc.binary, '-passes=', '-o', '-', 'hostile.onnx'],
                              cwd=inside, env=environment, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise Failed(f'the model is refused: exit {done.returncode}\n{done.stderr}')
        calls = log.read_text().splitlines()
        check.that(any('hostile.onnx' in call for call in calls), 'strace did not see the model being opened: this sees nothing')
        check.none('touched', (call for call in calls if 'secret' in call))
