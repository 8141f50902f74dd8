"""The program of a run, written as an ONNX file and given back with its trace, has the same report and the same bindings.

Of runs with their execution traces and of the same runs without, which have edges by order only. Reports differ in the name of the graph's file alone. Equal programs are equal
bytes. With the trace of another run the file is a model. Where Python has the package `onnx`, its checker takes each file, with inference of shapes.
"""
import pathlib
import tempfile

from checks.command import amdahlc
from checks.execution_traces import recorded
from checks.places import EXAMPLES, SHARED, TRACES


# What differs: the graph is of another file.
FILES = ['.model.file', '.runs[0].model.file']


def runs():
    """The files of each run, and what it is called."""
    for trace in sorted(EXAMPLES.glob('**/*.trace.json.gz')):
        yield str(trace.relative_to(EXAMPLES)), [trace]
    for folder in sorted(recorded.PROGRAMS.iterdir()) if SHARED.is_dir() else []:
        if folder.is_dir():
            yield folder.name, [folder / 'trace.json.gz', folder / 'et.json.gz']
            yield f'{folder.name}, the trace alone', [folder / 'trace.json.gz']
    for name in ('ort/resnet18-none', 'ort/bert-small-fp32-basic', 'cpu/resnet18-inductor', 'mi300/vit-base') if SHARED.is_dir() else []:
        yield name, [TRACES / f'{name}.json.gz']


def differences(path, actual, expected):
    """The paths of the values that differ."""
    if isinstance(actual, dict) and isinstance(expected, dict) and actual.keys() == expected.keys():
        return [found for key in actual for found in differences(f'{path}.{key}', actual[key], expected[key])]
    if isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected):
        return [found for place, pair in enumerate(zip(actual, expected)) for found in differences(f'{path}[{place}]', *pair)]
    return [] if actual == expected else [path]


def onnx_package(check):
    try:
        import onnx   # pylint: disable=import-outside-toplevel
        import onnx.checker   # pylint: disable=import-outside-toplevel
    except ImportError:
        check.left_out('what the checker of ONNX says', 'Python has no package `onnx`')
        return None
    return onnx


def check_file(check, onnx, what, path, nodes):
    """By ONNX's own library: the file is valid, and its standard operators agree with all types that it states."""
    model = onnx.load(path)
    try:
        onnx.checker.check_model(model, full_check=True)
        check.that(True, '')
    except Exception as fault:   # the library has several kinds
        check.that(False, f'{what}: {fault}')
    check.equal(f'{what}: nodes of the file', len(model.graph.node), nodes)


def check(check):
    onnx = onnx_package(check)
    if not SHARED.is_dir():
        check.left_out('programs with execution traces', 'the folder `shared` beside the project is missing')
    with tempfile.TemporaryDirectory() as folder:
        for what, files in runs():
            path = pathlib.Path(folder, 'program.onnx')
            expected, bindings = amdahlc.outputs('json bindings', f'-emit=onnx={path}', '-verify-each', *files)
            actual, again = amdahlc.outputs('json bindings', f'-emit=onnx={folder}/again.onnx', '-verify-each', path, files[0])
            check.equal(f'{what}: values of the report that differ', [path for path in differences('', actual, expected) if not path.startswith('.runs[0].advice[')], FILES)
            # What an optimizer moves is counted by memory, which the file does not name.
            check.equal(f'{what}: pieces of advice', [item['change'] for item in actual['runs'][0]['advice']], [item['change'] for item in expected['runs'][0]['advice']])
            check.that(again == bindings, f'{what}: other bindings')
            check.that(pathlib.Path(folder, 'again.onnx').read_bytes() == path.read_bytes(), f'{what}: the file of the file has other bytes')
            if onnx:
                check_file(check, onnx, what, path, len(expected['model']['nodes']))
        if SHARED.is_dir():
            other = TRACES / 'h100' / 'bert-small.json.gz'
            run = amdahlc.run_report(path, other)
            check.that(not run['binding']['fits'], f'{what}: fits the trace {other.name}')
