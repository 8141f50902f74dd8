#!/usr/bin/env python3
"""Validates reports and bindings against the JSON Schemas that the command prints.

  check_schema.py --binary PATH

Writes reports of the bundled example, of fixtures of goldens and of runs in ../shared, in each of several pipelines, and
validates them. For this, the schema is made strict: an object has no other key than those of the schema, so that no key
can be written without being in it. Needs the Python package `jsonschema`. Exits 77 where it is missing; where ../shared
is missing, its runs are left out, by name.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SHARED = SOURCE.parent / 'shared'
FIXTURES = SOURCE / 'tests' / 'golden' / 'fixtures'
SYSTEM_PYTHON = '/usr/bin/python3'

try:
    import jsonschema
except ImportError:
    # Debian's package belongs to Debian's Python.
    if os.path.realpath(sys.executable) == os.path.realpath(SYSTEM_PYTHON) or not os.path.exists(SYSTEM_PYTHON):
        print('skipped: the Python package jsonschema is missing (Debian: python3-jsonschema)')
        sys.exit(77)
    os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])

EXAMPLE = [SOURCE / 'examples' / 'encoder.onnx']
EXAMPLE_TRACE = f'-trace={SOURCE / "examples" / "encoder.trace.json.gz"}'


def cases():
    """(name, arguments): runs that differ in what is established."""
    yield 'example', [EXAMPLE_TRACE, '-speedup=linear=2x', *EXAMPLE]
    yield 'example with two runs', [EXAMPLE_TRACE, EXAMPLE_TRACE.replace('-trace=', '-trace=again='), *EXAMPLE]
    yield 'example without a trace', EXAMPLE
    for passes in ('simplify', 'fuse', 'fuse,trace-bind', 'fuse,trace-bind,timing'):
        yield f'example after {passes}', [f'-passes={passes}', EXAMPLE_TRACE, *EXAMPLE]
    yield 'example bound by names only', ['-rules=@names.akp', EXAMPLE_TRACE, *EXAMPLE]
    yield 'steps', [f'-rules={FIXTURES / "diamond" / "rules.akp"}', f'-trace={FIXTURES / "diamond-steps" / "trace.json"}',
                    FIXTURES / 'diamond' / 'model.onnxtxt']
    shared = [
        ('bert-small on a GPU', 'bert-small.dynamo.onnx', 'h100/bert-small.json.gz'),
        ('another model', 'resnet18.torchscript.onnx', 'h100/bert-small.json.gz'),
        ('ONNX Runtime', 'resnet18.torchscript.onnx', 'ort/resnet18-all.json.gz'),
        ('TensorRT', 'resnet18-b32.numbered-names.onnx', 'tensorrt/resnet18-a100-fp16/profile.json,tensorrt/resnet18-a100-fp16/graph.json'),
    ]
    for name, model, trace in shared:
        files = [SHARED / 'traces' / file for file in trace.split(',')]
        if SHARED.is_dir():
            yield name, ['-trace=' + ','.join(map(str, files)), SHARED / 'models' / model]
        else:
            print(f'left out: {name}, because ../shared is missing')


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', required=True)
    binary = parser.parse_args().binary

    def validator(name):
        schema = json.loads(subprocess.run([binary, f'-print-schema={name}'], check=True, stdout=subprocess.PIPE).stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        return jsonschema.Draft202012Validator(strict(schema))

    report, bindings = validator('report'), validator('bindings')
    failed = passed = 0

    def check(name, faults):
        nonlocal failed, passed
        faults = list(faults)
        for fault in faults[:5]:
            print(f'{name}: {"/".join(map(str, fault.absolute_path))}: {fault.message[:300]}')
        failed += bool(faults)
        passed += not faults

    with tempfile.TemporaryDirectory(prefix='schema-') as folder:
        names = pathlib.Path(folder, 'names.akp')
        names.write_text('akp 1;\nevidence names;\nkernel linear : gemm { match -> MatMul(_, _); runs as /mm/; }\n')
        for name, arguments in cases():
            out, rows = pathlib.Path(folder, 'out.json'), pathlib.Path(folder, 'out.csv')
            arguments = [str(one).replace('@names.akp', str(names)) for one in arguments]
            emits = [f'-emit=json={out}']
            # The facts about tensors are in the report where their output is requested.
            if not any(one.startswith('-passes=') for one in arguments):
                emits.append(f'-emit=liveness={folder}/tensors')
                if any(one.startswith('-trace=') for one in arguments):
                    emits += [f'-emit=curves={folder}/curves.csv', '-goal=1.5x']
            if any(one.startswith('-trace=') for one in arguments) and not any(one.startswith('-passes=') and 'trace-bind' not in one for one in arguments):
                emits.append(f'-emit=bindings={rows}')
            done = subprocess.run([binary, *emits, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                print(f'{name}: exit {done.returncode}: {done.stderr[:500]}')
                failed += 1
                continue
            check(f'{name}, report', report.iter_errors(json.loads(out.read_text())))
            for file in sorted(pathlib.Path(folder).glob('out*.csv')):
                with open(file, encoding='utf-8', newline='') as lines:
                    reader = csv.DictReader(lines)
                    check(f'{name}, columns of {file.name}',
                          [] if reader.fieldnames == list(bindings.schema['properties']) else [jsonschema.ValidationError(f'columns {reader.fieldnames}')])
                    check(f'{name}, {file.name}', (fault for row in reader for fault in bindings.iter_errors(numbers(row, bindings.schema))))
                file.unlink()
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
