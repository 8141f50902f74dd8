#!/usr/bin/env python3
"""docs/report.md names every key of the JSON report and every column of CSV outputs, and names none that does not exist.

  check_report.py BINARY

The keys are those of the report's JSON Schema, which is made of the tables that the writer reads. Keys that are names of operators, calls or runs
are no part of it.
"""
import json
import re
import subprocess
import sys

from tree import SOURCE, finish

TIMES = ('_total', '_stddev', '_median')


def output(kind):
    examples = SOURCE / 'examples'
    trace = examples / ('ranks' if kind in ('overheads', 'streams', 'ranks-csv') else 'encoder.trace.json.gz')
    traces = [f'-trace={label}={trace}' for label in (('first', 'second') if kind == 'compare-csv' else ('first',))]
    return subprocess.run([sys.argv[1], *traces, f'-emit={kind}', examples / 'encoder.onnx'],
                          capture_output=True, text=True, check=True).stdout


def keys(schema):
    """The keys of all objects."""
    if isinstance(schema, dict):
        return set(schema.get('properties', {})).union(*map(keys, schema.values()))
    return set().union(*map(keys, schema)) if isinstance(schema, list) else set()


page = (SOURCE / 'docs' / 'report.md').read_text()
named = set(re.findall(r'`([a-z_0-9]+)`', page))
# A key marked (4) means four keys.
named |= {stem + suffix for stem in re.findall(r'`([a-z_0-9]+)` \(4\)', page) for suffix in TIMES}
schema = subprocess.run([sys.argv[1], '-print-schema=report'], capture_output=True, text=True, check=True).stdout
real = keys(json.loads(schema))
columns = set().union(*(output(kind).split('\n')[0].strip().split(',') for kind in ('csv', 'bindings', 'evidence', 'compare-csv', 'ranks-csv', 'overheads', 'streams', 'curves')))
errors = [f'docs/report.md does not name the key `{key}`' for key in sorted(real - named)]
errors += [f'docs/report.md does not name the column `{column}`' for column in sorted(columns - named - {'run'})]
# First cells of the tables are keys.
rows = re.findall(r'^\| ((?:`[a-z_0-9]+`(?: \(4\))?(?:, )?)+) \|', page, re.MULTILINE)
listed = set(re.findall(r'`([a-z_0-9]+)`', ' '.join(rows)))
errors += [f'docs/report.md lists `{key}`, which no output has' for key in sorted(listed - real - columns)]
finish(errors, f'{len(real)} keys and {len(columns)} columns, each documented')
