"""Advice for programs that were recorded before real changes, against what each change saved by the clock.

examples/validate_advice.py records and measures them. A change that helps must be proposed, and what it saved must lie between what advice says is certain and what
it says is possible; a bad idea must not be proposed. The laws hold with the description of the machine and without it. The table of docs/validation.md has all figures.
"""
import csv
import re

from checks import pages
from checks.command import amdahlc
from checks.places import DATA
from checks.pages import markdown

RECORDINGS = DATA / 'advice_changes'
MACHINE = RECORDINGS / 'machine.yaml'
# What names a change in advice.
NAMED = {
    'attention': 'scaled_dot_product_attention',
    'elementwise': r'torch\.compile',
    'layout': 'channels_last',
    'batch': r'\bbatch',
    'optimizer': 'fused=True|foreach',
    'loading': 'num_workers',
    'preprocessing': 'tokens_by_letter',
    'bfloat16': 'bfloat16',
    'compiled_products': r'torch\.compile',
    'larger_batch': r'\bbatch',
    'attention_batch': r'\bbatch',
    'layout_batch': r'\bbatch',
    'attention_bfloat16': 'bfloat16',
    'layout_bfloat16': 'bfloat16',
    'layout_compiled': r'torch\.compile',
    'convolutions_layout': 'channels_last',
    'convolutions_bfloat16': 'bfloat16',
    'autocast': r'torch\.autocast',
}
# What is wrong or missing today: (change, given, whether the machine is described) -> why. A row that has become right is a fault, too.
WRONG = {}
# Nobody knows that these help before the machine is described.
NEED_MACHINE = ('batch', 'bfloat16', 'attention_bfloat16', 'layout_bfloat16', 'convolutions_layout', 'convolutions_bfloat16')
GIVEN = {'trace': lambda name: [f'-trace={RECORDINGS}/{name}.trace.json.gz'],
         'execution trace': lambda name: [f'-trace={RECORDINGS}/{name}.trace.json.gz,{RECORDINGS}/{name}.et.json.gz'],
         'model': lambda name: [f'-trace={RECORDINGS}/{name}.trace.json.gz', RECORDINGS / f'{name}.onnx']}
TEXTS = ('change', 'given', 'range', 'without `-hardware=`')


def given(recording):
    """What a person could give of a recording, by name."""
    files = {'trace': 'trace.json.gz', 'execution trace': 'et.json.gz', 'model': 'onnx'}
    return [name for name, suffix in files.items() if (RECORDINGS / f'{recording}.{suffix}').exists()]


class Advised:
    """The first item of advice that names a change."""

    def __init__(self, row, inputs, described):
        change = row['change']
        self.may_miss = not described and change in NEED_MACHINE
        run = amdahlc.run_report(*GIVEN[inputs](row['recording']), *([f'-hardware={MACHINE}'] if described else []))
        changes = [item for item in run['advice'] if item['kind'] == 'change']
        found = [rank for rank, item in enumerate(changes, 1) if re.search(NAMED[change], item['change'] + (item['selector'] or ''))]
        self.rank = found[0] if found else None
        if found:
            saves = changes[found[0] - 1]['saves_ns']
            self.certain, self.likely, self.at_most = (saves[key] / run['advice_limit']['base_ns'] for key in ('certain', 'likely', 'at_most'))

    def fault(self, row):
        """What is wrong with it; None if nothing is."""
        if row['helps'] == 'no':
            return self.rank and f'a bad idea is proposed, as item {self.rank}'
        if self.rank is None:
            return None if self.may_miss else 'is not proposed'
        if not self.certain <= float(row['saved']) <= self.at_most:
            return f'saved {percent(row["saved"])}, and advice says {self.range()}'
        return None

    def range(self):
        return 'not proposed' if self.rank is None else f'{percent(self.certain)} to {percent(self.at_most)}'


def percent(part):
    return f'{100 * float(part):.1f} %'


def check(check):
    with (RECORDINGS / 'measured.csv').open(newline='', encoding='utf-8') as file:
        measured = list(csv.DictReader(file))
    check.equal('changes', sorted(row['change'] for row in measured), sorted(NAMED))
    lines, wrong = [], dict(WRONG)
    for row in measured:
        for inputs in given(row['recording']):
            advised = {described: Advised(row, inputs, described) for described in (True, False)}
            for described, one in advised.items():
                why, fault = wrong.pop((row['change'], inputs, described), None), one.fault(row)
                where = f'{row["change"]}, by {inputs}, {"with" if described else "without"} the machine'
                check.that(bool(fault) == bool(why), f'{where}: {fault}' if fault else f'{where}: is right now; take it out of WRONG')
            one = advised[True]
            lines.append([f'{row["what"]} (`{row["change"]}`)' + ('' if row['helps'] == 'yes' else ', a bad idea'), inputs,
                          *(['not proposed'] + [''] * 3 if one.rank is None else [one.rank, *map(percent, (one.certain, one.likely, one.at_most))]),
                          percent(row['saved']), f'{percent(row["low"])} to {percent(row["high"])}', advised[False].range()])
    check.none('cases of WRONG that do not exist', wrong)
    head = ['change', 'given', 'item', 'certain', 'likely', 'at most', 'saved', 'range', 'without `-hardware=`']
    pages.keep(check, 'docs/validation.md', {check.name: markdown(head, lines, TEXTS)})
