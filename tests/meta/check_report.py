#!/usr/bin/env python3
"""docs/report.md names every key of the JSON report and every column of CSV, bindings and evidence, and names none that does not exist.

  check_report.py BINARY
"""
import json
import re
import subprocess
import sys

from tree import SOURCE, finish

TIMES = ('_total', '_stddev', '_median')
# Objects by label have them as keys.
LABELS = {'first', 'second', 'third'}


def output(kind):
    examples = SOURCE / 'examples'
    traces = [f'-trace={label}={examples / "encoder.trace.json.gz"}' for label in sorted({'first', 'second'} if kind in ('json', 'csv', 'compare-csv') else {'first'})]
    if kind in ('json', 'ranks-csv'):
        traces.append(f'-trace=third={examples / "ranks"}')
    return subprocess.run([sys.argv[1], *traces, '-speedup=gelu=2x', f'-emit={kind}', examples / 'encoder.onnx'],
                          capture_output=True, text=True, check=True).stdout


def keys(value):
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


page = (SOURCE / 'docs' / 'report.md').read_text()
named = set(re.findall(r'`([a-z_]+)`', page))
# A key marked (4) means four keys.
named |= {stem + suffix for stem in re.findall(r'`([a-z_]+)` \(4\)', page) for suffix in TIMES}
real = keys(json.loads(output('json'))) - LABELS
columns = set().union(*(output(kind).split('\n')[0].strip().split(',') for kind in ('csv', 'bindings', 'evidence', 'compare-csv', 'ranks-csv')))
errors = [f'docs/report.md does not name the key `{key}`' for key in sorted(real - named)]
errors += [f'docs/report.md does not name the column `{column}`' for column in sorted(columns - named - {'run'})]
# First cells of the tables are keys.
rows = re.findall(r'^\| ((?:`[a-z_]+`(?: \(4\))?(?:, )?)+) \|', page, re.MULTILINE)
listed = set(re.findall(r'`([a-z_]+)`', ' '.join(rows)))
errors += [f'docs/report.md lists `{key}`, which no output has' for key in sorted(listed - real - columns)]
finish(errors, f'{len(real)} keys and {len(columns)} columns, each documented')
