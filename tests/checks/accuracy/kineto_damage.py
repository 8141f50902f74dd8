"""Damaged Kineto traces end with a timeline or a diagnostic, in bounded time.

Every recorded trace is truncated at 20 places and has bytes changed at 50 places. Large ones are first cut to their first and last events, because the size
of a trace is not what is tested. The exit status must be 0 or 1, with totals or an error; a truncated file must be an error. Changed bytes that leave valid
JSON are no damage.
"""
import concurrent.futures
import gzip
import random
import subprocess

from checks.command import amdahlc
from checks.places import TRACES
from checks.sampling import sampled

FOLDERS = ('h100', 'mi300', 'hta', 'misc', 'cpu')
TRUNCATIONS, CHANGES, CHANGED_BYTES = 20, 50, 3
MAX_BYTES = 60_000
TIMEOUT_S, SEED = 20, 1
BYTES = b'"{}[],:\\\0\n0-9eE.\xff\xc3 x'


def shortened(text):
    """The beginning and the end of a trace, cut where one event ends and another begins."""
    if len(text) <= MAX_BYTES:
        return text
    separators = [b'},\n  {', b'},\n    {', b'},\n{', b'}, {', b'},{', b'},\n']
    half = MAX_BYTES // 2
    for separator in separators:
        head, tail = text.rfind(separator + b'"ph"', 0, half), text.find(separator + b'"ph"', len(text) - half)
        if head < 0 or tail < 0:
            head, tail = text.rfind(separator, 0, half), text.find(separator, len(text) - half)
        if head >= 0 and tail >= 0:
            return text[:head] + text[tail:]
    return text


def damaged(text, seed):
    """(what was done, text, the exit status, None for any)"""
    source = random.Random(seed)
    content = len(text.rstrip())
    yield 'as it is', text, 0
    for i in range(TRUNCATIONS):
        at = i if i < 2 else source.randrange(2, content)
        yield f'truncated at byte {at}', text[:at], 1
    for _ in range(CHANGES):
        changed, places = bytearray(text), []
        for _ in range(source.randint(1, CHANGED_BYTES)):
            places.append(source.randrange(content))
            changed[places[-1]] = source.choice(BYTES)
        yield f'changed at bytes {places}', bytes(changed), None


def fault(text, status):
    """Why the command broke its promise on this text; empty if it did not."""
    try:
        done = amdahlc.run('-trace=-', '-steps=all', '-emit=summary=full', input=text, text=False, seconds=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f'ran for more than {TIMEOUT_S} s'
    errors = done.stderr.decode(errors='replace')
    if done.returncode not in (0, 1) or 'internal error' in errors:
        return f'exit {done.returncode}\n{errors[-2000:]}'
    if done.returncode == 1 and ': error[' not in errors:
        return f'fails without an error\n{errors[-2000:]}'
    if done.returncode == 1 and done.stdout:
        return 'fails with totals'
    if done.returncode == 0 and b' device event' not in done.stdout:
        return 'succeeds without totals'
    if status is not None and done.returncode != status:
        return f'exit {done.returncode}\n{errors[-2000:]}'
    return ''


def faults_of(path):
    """(what was done, why that is wrong or nothing) of the variants that are tried."""
    data = path.read_bytes()
    text = shortened(gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data)
    return [(what, fault(changed, status)) for what, changed, status in sampled(damaged(text, f'{SEED} {path.name}'))]


def check(check):
    files = [path for folder in FOLDERS for path in sorted((TRACES / folder).glob('*.json.gz'))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, found in zip(files, pool.map(faults_of, files)):
            for what, why in found:
                check.that(not why, f'{path.parent.name}/{path.name}, {what}: {why}')
