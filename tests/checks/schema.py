"""Reports and bindings keep the JSON Schemas that the command prints.

The reports are of the bundled example, of fixtures of goldens and of recorded runs, in each of several pipelines. The schema is made strict: an object has
no other key than those of the schema, so that no key can be written without being in it. Needs the Python package `jsonschema`.
"""
import json
import pathlib
import sys
import tempfile

from checks.command import amdahlc, rows
from checks.places import ENCODER, ENCODER_TRACE, FIXTURES, MODELS, SHARED, traces_of
from checks.results import Skip

# Debian's package belongs to Debian's Python.
DEBIAN = '/usr/lib/python3/dist-packages'
EXAMPLE_TRACE = f'-trace={ENCODER_TRACE}'


def cases(check):
    """(name, arguments): runs that differ in what is established."""
    yield 'example', [EXAMPLE_TRACE, '-what-if=linear=2x', ENCODER]
    yield 'example with two runs', [EXAMPLE_TRACE, EXAMPLE_TRACE.replace('-trace=', '-trace=again='), ENCODER]
    yield 'example without a trace', [ENCODER]
    for passes in ('simplify', 'fuse', 'fuse,trace-bind', 'fuse,trace-bind,timing'):
        yield f'example after {passes}', [f'-passes={passes}', EXAMPLE_TRACE, ENCODER]
    yield 'example bound by names only', ['-rules=names.akp', EXAMPLE_TRACE, ENCODER]
    yield 'steps', [f'-rules={FIXTURES / "diamond" / "rules.akp"}', f'-trace={FIXTURES / "diamond-steps" / "trace.json"}',
                    FIXTURES / 'diamond' / 'model.onnxtxt']
    for name, model, trace in (('bert-small on a GPU', 'bert-small.dynamo', 'h100/bert-small'), ('another model', 'resnet18.torchscript', 'h100/bert-small'),
                               ('ONNX Runtime', 'resnet18.torchscript', 'ort/resnet18-all'),
                               ('TensorRT', 'resnet18-b32.numbered-names', 'tensorrt/resnet18-a100-fp16')):
        if SHARED.is_dir():
            yield name, [f'-trace={traces_of(trace)}', MODELS / f'{model}.onnx']
        else:
            check.left_out(name, 'the folder `shared` beside the project is missing')


def strict(schema):
    """The schema, with no keys but its own in any object."""
    if isinstance(schema, dict):
        made = {key: strict(value) for key, value in schema.items()}
        if 'properties' in schema and 'type' in schema:
            made['additionalProperties'] = False
        return made
    return [strict(value) for value in schema] if isinstance(schema, list) else schema


def numbers(row, schema):
    """A row of CSV as the schema describes it."""
    made = {}
    for key, text in row.items():
        types = schema['properties'][key].get('type', 'string')
        types = types if isinstance(types, list) else [types]
        made[key] = text if 'string' in types else None if text == '' and 'null' in types else json.loads(text)
    return made


def validators():
    """Of reports, and of rows of bindings."""
    try:
        if pathlib.Path(DEBIAN).is_dir():
            sys.path.append(DEBIAN)
        import jsonschema
    except ImportError as missing:
        raise Skip('the Python package jsonschema is not installed (Debian: python3-jsonschema)') from missing
    for name in ('report', 'bindings'):
        schema = json.loads(amdahlc.text(f'-help=schema-{name}'))
        jsonschema.Draft202012Validator.check_schema(schema)
        yield jsonschema.Draft202012Validator(strict(schema))


def shown(fault):
    return f'{"/".join(map(str, fault.absolute_path))}: {fault.message[:300]}'


def check(check):
    report, bindings = validators()
    with tempfile.TemporaryDirectory(prefix='schema-') as name:
        folder = pathlib.Path(name)
        (folder / 'names.akp').write_text('akp 1;\nevidence names;\nkernel linear : gemm { match -> MatMul(_, _); runs as /mm/; }\n')
        for name, arguments in cases(check):
            default, traced = ([one for one in arguments if str(one).startswith(prefix)] for prefix in ('-passes=', '-trace='))
            emits = ['-emit=json=out.json']
            # The facts about tensors are in the report where their output is requested.
            if not default:
                emits += ['-emit=liveness=tensors', *(['-emit=curves=curves.csv', '-goal=1.5x'] if traced else [])]
            if traced and not any('trace-bind' not in passes for passes in default):
                emits.append('-emit=bindings=out.csv')
            amdahlc.text(*emits, *arguments, cwd=folder)
            check.none(f'{name}, report', map(shown, report.iter_errors(json.loads((folder / 'out.json').read_text()))))
            for file in sorted(folder.glob('out*.csv')):
                found = rows(file)
                check.equal(f'{name}, columns of {file.name}', list(found[0]), list(bindings.schema['properties']))
                check.none(f'{name}, {file.name}', (shown(fault) for row in found for fault in bindings.iter_errors(numbers(row, bindings.schema))))
                file.unlink()
