#!/usr/bin/env python3
"""Writes report.ts, the types of the report, from the JSON Schema that the command prints.

  generate.py --binary amdahlc            write report.ts
  generate.py --binary amdahlc --check    say what is out of date, and fail

Every object of the schema becomes an interface, named by its key; objects with the same keys and types become the same one.
"""
import argparse
import json
import pathlib
import subprocess
import sys

TARGET = pathlib.Path(__file__).with_name('report.ts')
HEAD = """// The types of the report, written by contract/generate.py from `amdahlc -help=schema-report`. This file is long because it
// has a line for each key of the report.

"""
# Names of objects whose key alone would say too little, or the same as another one.
NAMES = {
    '': 'Report', 'runs': 'ReportRun', 'model.nodes': 'ModelNode', 'runs.nodes': 'NodeState', 'runs.aggregates': 'Aggregates', 'runs.aggregates.rule': 'Aggregate', 'runs.aggregates.scope': 'ScopeAggregate',
    'runs.kernels.roofline': 'KernelRoofline', 'runs.overheads.t1': 'Statistic', 'runs.overheads.operators': 'OperatorOverheads', 'runs.streams.operators': 'StreamOperator',
    'runs.streams.operators.operators': 'LaunchingOperator', 'runs.streams.operators.operators.kernels': 'StreamKernel', 'runs.waits.calls': 'WaitingCall', 'runs.run_path': 'PathPiece',
    'runs.what_if': 'WhatIf', 'runs.what_if.kernels': 'WhatIfKernel', 'runs.what_if.critical_path': 'WhatIfPath', 'runs.roofline.unknown': 'UnknownRoofline',
    'runs.advice': 'Advice', 'runs.advice.saves_wall_ns': 'Saving', 'runs.liveness.offload': 'MemorySaving', 'ranks': 'ReportRank', 'compare.totals': 'CompareTotal',
    'runs.overheads': 'Overheads', 'runs.waits': 'Waits', 'runs.step_classes': 'StepClass', 'across_ranks': 'AcrossRanks', 'runs.idle': 'IdlePiece', 'runs.replay': 'ReplayQuality',
    'runs.trace.samples_ns': 'TraceSamples', 'runs.binding.evidence': 'RecordedEvidence', 'runs.binding': 'BindingQuality', 'across_ranks.waits': 'RankWait', 'data_problems': 'DataProblem',
}
SIMPLE = {'string': 'string', 'integer': 'number', 'number': 'number', 'boolean': 'boolean', 'null': 'null'}


def without_descriptions(schema):
    """What a schema accepts, which does not depend on what it says of it. A key of that name in the report has an object as its value."""
    if isinstance(schema, dict):
        return {key: without_descriptions(value) for key, value in schema.items() if key != 'description' or isinstance(value, dict)}
    return schema


class Types:
    """The interfaces of a schema in the order in which they are first used."""

    def __init__(self):
        self.names = {}      # the properties as text, to the name
        self.texts = {}

    def of(self, schema, path):
        """The type of a part of the schema; `path` has the keys that lead to it."""
        if 'anyOf' in schema:
            return ' | '.join(dict.fromkeys(self.of(one, path) for one in schema['anyOf']))
        if 'const' in schema:
            return json.dumps(schema['const'])
        if 'enum' in schema:
            return ' | '.join(json.dumps(one) for one in schema['enum'])
        kinds = schema.get('type', [])
        return ' | '.join(self.one(kind, schema, path) for kind in ([kinds] if isinstance(kinds, str) else kinds)) or 'unknown'

    def one(self, kind, schema, path):
        if kind == 'object':
            return self.interface(schema, path) if 'properties' in schema else self.record(schema, path)
        if kind == 'array':
            items = self.of(schema.get('items', {}), path)
            return f'({items})[]' if ' ' in items else f'{items}[]'
        return SIMPLE[kind]

    def record(self, schema, path):
        values = schema.get('additionalProperties')
        return f'Record<string, {self.of(values, path) if isinstance(values, dict) else "unknown"}>'

    def interface(self, schema, path):
        required = set(schema.get('required', []))
        lines = [(key, '' if key in required else '?', value) for key, value in schema['properties'].items()]
        identity = json.dumps([(key, optional, without_descriptions(value)) for key, optional, value in lines])
        if identity in self.names:
            return self.names[identity]
        last = path.rpartition('.')[2]
        singular = last[:-3] + 'y' if last.endswith('ies') else last[:-2] if last.endswith('ches') else last[:-1] if last.endswith('s') and not last.endswith('ss') else last
        name = NAMES.get(path) or ''.join(word.capitalize() for word in singular.split('_'))
        if name in self.texts:
            sys.exit(f'two objects would be `{name}`; NAMES needs a name for `{path}`')
        self.names[identity], self.texts[name] = name, ''
        about = schema.get('description', f'An entry of `{last}`').rstrip('.')
        text = f'/** {about[0].upper()}{about[1:]}. */\nexport interface {name} {{\n'
        for key, optional, value in lines:
            about = value.get('description')
            text += f'  {key}{optional}: {self.of(value, f"{path}.{key}".lstrip("."))};' + (f' // {about}' if about else '') + '\n'
        self.texts[name] = text + '}\n'
        return name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', default='amdahlc')
    parser.add_argument('--check', action='store_true')
    options = parser.parse_args()
    schema = json.loads(subprocess.run([options.binary, '-help=schema-report'], check=True, capture_output=True, text=True).stdout)
    types = Types()
    types.of(schema, '')
    text = HEAD + '\n'.join(types.texts.values())
    if not options.check:
        TARGET.write_text(text)
    elif TARGET.read_text() != text:
        sys.exit(f'{TARGET.name} is not what the schema of the report says; contract/generate.py writes it')


if __name__ == '__main__':
    main()
