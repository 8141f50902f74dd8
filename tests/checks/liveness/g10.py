"""The listing that tools/g10_listings.py writes for a training iteration, against the results of G10 for the same run, all rows.

Everything but times must be the same text. G10 knew its kernels' times to fractions of a nanosecond, and the trace has starts and durations in whole
ones, end to end. So a time may differ by one nanosecond and by what the rounding of both numbers to six digits allows; it must be the sum of the
trace's durations exactly.
"""
import decimal
import gzip
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

from checks.command import amdahlc, rows
from checks.places import SHARED, SOURCE

REFERENCE = SHARED / 'reference' / 'g10'
ROWS = 1221
RULE = '_' * 77
TENSOR = re.compile(r'tensor(\d+), Name: (.*), Is global\?: ([01]): Size in byte: (\d+), ')


def read_listing(text):
    """name -> row of the CSV, from `liveness_analysis.config`. A line that the layout does not have is an error."""
    lines = text.split('\n')
    found, at, number = {}, 0, 0
    while lines[at] != '':
        if lines[at] != RULE:
            raise ValueError(f'line {at + 1}: no rule')
        tensor = TENSOR.fullmatch(lines[at + 1])
        if not tensor or int(tensor[1]) != number or lines[at + 4] != lines[at + 1] or lines[at + 5] != 'Inactive Periods:':
            raise ValueError(f'line {at + 2}: not what a tensor begins with')
        life = re.fullmatch(r'Liveness: Birth: (\d+), Death: (-?\d+)\.', lines[at + 2])
        if not life and lines[at + 2] != 'Global!':
            raise ValueError(f'line {at + 3}: neither a life nor a global')
        if lines[at + 3] != '_ ' * 36:
            raise ValueError(f'line {at + 4}: no dashed rule')
        at += 6
        periods = []
        while lines[at] != RULE:
            period = re.fullmatch(r'Period (\d+): (\d+)--------(\d+)', lines[at])
            time = re.fullmatch(r'Estimated Time:(.+)us', lines[at + 1])
            if not period or not time or int(period[1]) != len(periods):
                raise ValueError(f'line {at + 1}: no period')
            periods.append(f'{period[2]}-{period[3]}:{time[1]}')
            at += 2
        at += 1
        number += 1
        found[tensor[2]] = {'tensor': tensor[2], 'global': tensor[3], 'bytes': tensor[4], 'birth': life[1] if life else '',
                            'death': life[2] if life else '', 'periods': ' '.join(periods)}
    return found


def last_digit(text):
    """Half of what the last of six digits counts."""
    return 0.5 * 10.0 ** (math.floor(math.log10(float(text))) - 5) if float(text) else 0


def agrees(row, found, durations):
    """Whether the row is found, and whether to the last digit."""
    if found is None or any(row[key] != found[key] for key in row if key != 'periods'):
        return False, False
    theirs, ours = row['periods'].split(), found['periods'].split()
    if len(theirs) != len(ours):
        return False, False
    for a, b in zip(theirs, ours):
        (place, time), (own_place, own_time) = a.split(':'), b.split(':')
        first, last = (int(number) for number in place.split('-'))
        kernels = durations[first:last] if last > first else durations[first:] + durations[:last]
        tolerance = 0.001 + last_digit(time) + last_digit(own_time) + 1e-9
        if place != own_place or own_time != f'{float(sum(kernels)):.6g}' or abs(float(time) - float(own_time)) > tolerance:
            return False, False
    return True, theirs == ours


def check(check):
    with tempfile.TemporaryDirectory() as folder:
        amdahlc.text(f'-trace={REFERENCE}/bert-train.trace.json.gz', f'-emit=liveness={folder}/pictures', f'-emit=json={folder}/report.json',
                     REFERENCE / 'bert-train.onnx')
        subprocess.run([sys.executable, '-B', SOURCE / 'tools' / 'g10_listings.py', f'{folder}/report.json', f'{folder}/out'], check=True)
        found = read_listing(pathlib.Path(folder, 'out/liveness_analysis.config').read_text(encoding='utf-8'))
    expected = rows(REFERENCE / 'bert-train.liveness.csv')
    with gzip.open(REFERENCE / 'bert-train.trace.json.gz', 'rt', encoding='utf-8') as file:
        events = [event for event in json.load(file, parse_float=decimal.Decimal)['traceEvents'] if event.get('cat') == 'kernel']
    durations = [decimal.Decimal(event['dur']) for event in sorted(events, key=lambda event: event['ts'])]
    check.equal('rows of the reference', len(expected), ROWS)
    verdicts = [agrees(row, found.get(row['tensor']), durations) for row in expected]
    for row, (same, _) in zip(expected, verdicts):
        check.that(same, f'{row["tensor"]}: {found.get(row["tensor"])}, expected {row}')
    check.say(f'{sum(exact for _, exact in verdicts)} of {len(expected)} rows agree to the last digit')
