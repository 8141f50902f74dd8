"""docs/report.md names every key of the JSON report and every column of CSV outputs, and names none that does not exist.

The keys are those of the report's JSON Schema, which is made of the tables that the writer reads. Keys that are names of operators, calls or runs are no
part of it.
"""
import json
import re

from checks.command import TABLES, amdahlc
from checks.places import ENCODER, ENCODER_TRACE, EXAMPLES, SOURCE

TIMES = ('_total', '_stddev', '_mean')


def columns(kind):
    trace = EXAMPLES / 'ranks' if kind in ('overheads', 'streams', 'ranks-csv') else ENCODER_TRACE
    traces = [f'-trace={label}={trace}' for label in (('first', 'second') if kind == 'compare-csv' else ('first',))]
    return set(amdahlc.text(*traces, f'-emit={kind}', ENCODER).split('\n')[0].strip().split(','))


def keys(schema):
    """The keys of all objects."""
    if isinstance(schema, dict):
        return set(schema.get('properties', {})).union(*map(keys, schema.values()))
    return set().union(*map(keys, schema)) if isinstance(schema, list) else set()


def check(check):
    page = (SOURCE / 'docs' / 'report.md').read_text()
    named = set(re.findall(r'`([a-z_0-9]+)`', page))
    # A key marked (4) means four keys.
    named |= {stem + suffix for stem in re.findall(r'`([a-z_0-9]+)` \(4\)', page) for suffix in TIMES}
    real = keys(json.loads(amdahlc.text('-help=schema-report')))
    shown = set().union(*map(columns, TABLES))
    check.none('docs/report.md does not name the key', sorted(real - named))
    check.none('docs/report.md does not name the column', sorted(shown - named - {'run'}))
    # First cells of the tables are keys.
    rows = re.findall(r'^\| ((?:`[a-z_0-9]+`(?: \(4\))?(?:, )?)+) \|', page, re.MULTILINE)
    listed = set(re.findall(r'`([a-z_0-9]+)`', ' '.join(rows)))
    check.none('docs/report.md lists what no output has', sorted(listed - real - shown))
