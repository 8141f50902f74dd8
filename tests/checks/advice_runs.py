"""The first piece of advice on recorded runs, beside what somebody who optimises models for a living would say first.

`tests/data/advice_runs.csv` has the runs, with the options that a person would give, the words of that person, and how they compare. The table of
docs/advice-on-runs.md is made of it; a run whose first piece of advice has become another one is a fault, so that its words are read again.
"""
import csv
import re

from checks import pages
from checks.command import amdahlc
from checks.places import DATA, EXAMPLES, SHARED
from checks.pages import SOURCE, markdown
from checks.sampling import is_all, sampled

PAGE = 'docs/advice-on-runs.md'
HEAD = ('run', 'first piece of advice', 'saves', 'somebody would say', 'agrees')


def runs():
    with (DATA / 'advice_runs.csv').open(newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def options(row):
    return row['options'].replace('SHARED', str(SHARED)).replace('EXAMPLES', str(EXAMPLES)).split()


def percent(ns, whole):
    return f'{100 * ns / whole:.1f} %'


def first(row):
    """What the first piece of advice is, and what it saves."""
    run = amdahlc.run_report(*options(row))
    if not run['advice']:
        limit = run['advice_limit']['limit']
        return f'nothing: the {limit} limits the run' if limit in ('host', 'device') else 'nothing', ''
    item, whole = run['advice'][0], run['advice_limit']['base_ns']
    saves = item['saves_ns']
    if item['kind'] == 'bound':
        return f'a bound: {item["change"]}', f'at most {percent(saves["at_most"], whole)}'
    selector = f'`{item["selector"]}`: ' if item['selector'] and len(item['selector']) < 60 else ''
    return selector + re.split(r': `|: [a-z]', item['change'])[0], ', '.join(percent(saves[key], whole) for key in ('certain', 'likely', 'at_most'))


def line(row):
    return (row['run'], *(text.replace('|', '\\|') for text in first(row)), row['expert'], row['agrees'])


def check(check):
    rows = sampled(runs())
    if check.write or is_all():
        pages.keep(check, PAGE, {check.name: markdown(HEAD, list(map(line, rows)), HEAD)})
        check.equal('runs', len(rows), len({row['run'] for row in rows}))
        return
    page = (SOURCE / PAGE).read_text(encoding='utf-8')
    for row in rows:
        text = '| ' + ' | '.join(line(row)) + ' |'
        check.that(text in page, f'{PAGE} has another row; `tests/run_checks.py --write {check.name}` writes it: {text}')
