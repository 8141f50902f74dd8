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


def first(run):
    """What the first piece of advice is, and what it saves."""
    if not run['advice']:
        limit = run['advice_limit']['limit']
        return f'nothing: the {limit} limits the run' if limit in ('host', 'device') else 'nothing', ''
    item, whole = run['advice'][0], run['advice_limit']['base_ns']
    saves = item['saves_ns']
    if item['kind'] == 'bound':
        return f'a bound: {item["change"]}', f'at most {percent(saves["at_most"], whole)}'
    selector = f'`{item["selector"]}`: ' if item['selector'] and len(item['selector']) < 60 else ''
    return selector + re.split(r': `|: [a-z]', item['change'])[0], ', '.join(percent(saves[key], whole) for key in ('certain', 'likely', 'at_most'))


def line(row, run):
    return (row['run'], *(text.replace('|', '\\|') for text in first(run)), row['expert'], row['agrees'])


def time_between(check, row, run):
    """What advice says of the time between operators is what it saves; together with pauses it is no more than there is."""
    items = [item for item in run['advice'] if re.match('the time between operators vanishes|measure again', item['change'])]
    base = run['advice_limit']['base_ns']
    for item in items:
        stated = re.search(r'([\d.]+ %) of (?:the (?:undisturbed |best-case )?window|(?:undisturbed |best-case )?wall time), (?:lie|pass)', item['why'])
        check.equal(f'{row["run"]}, {item["change"]}: {item["why"]}', stated and stated[1], percent(item['saves_ns']['at_most'], base))
    window, wall, busy = (run['trace'][key] for key in ('window_ns', 'wall_ns', 'busy_ns'))
    saved = sum(item['saves_ns']['at_most'] for item in items)
    check.that(not items or saved <= max(window or 0, wall) - busy, f'{row["run"]}: {saved} ns between operators, more than there are')


def check(check):
    rows = sampled(runs())
    reports = [amdahlc.run_report(*options(row)) for row in rows]
    for row, run in zip(rows, reports):
        time_between(check, row, run)
    if check.write or is_all():
        pages.keep(check, PAGE, {check.name: markdown(HEAD, list(map(line, rows, reports)), HEAD)})
        check.equal('runs', len(rows), len({row['run'] for row in rows}))
        return
    page = (SOURCE / PAGE).read_text(encoding='utf-8')
    for row, run in zip(rows, reports):
        text = '| ' + ' | '.join(line(row, run)) + ' |'
        check.that(text in page, f'{PAGE} has another row; `tests/run_checks.py --write {check.name}` writes it: {text}')
