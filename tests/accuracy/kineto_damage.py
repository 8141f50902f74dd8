#!/usr/bin/env python3
"""Damages recorded Kineto traces, and checks that each ends with a timeline or a diagnostic, in bounded time.

  kineto_damage.py --binary PATH [--seed N] [--every N] [FILE ...]      all Kineto traces of the folder `shared` beside the project by default

Every trace is truncated at 20 places and has bytes changed at 50 places. Large ones are first cut to their first and last events, because the
size of a trace is not what is tested. The exit status must be 0 or 1, with totals or an error; a truncated file must be an error. Changed bytes
that leave valid JSON are no damage. --every tries every Nth of these variants. Exit status 77 where the folder is not there.
"""
import argparse
import concurrent.futures
import gzip
import itertools
import pathlib
import random
import subprocess
import sys

SHARED = pathlib.Path(__file__).resolve().parents[3] / 'shared'
FOLDERS = ('h100', 'mi300', 'hta', 'misc', 'cpu')
TRUNCATIONS, CHANGES, CHANGED_BYTES = 20, 50, 3
MAX_BYTES = 60_000
TIMEOUT_S = 20
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


def fault(binary, text, status):
    """Why the command broke its promise on this text; empty if it did not."""
    try:
        done = subprocess.run([binary, '-trace=-', '-steps=all'], input=text, capture_output=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f'ran for more than {TIMEOUT_S} s'
    errors = done.stderr.decode(errors='replace')
    if done.returncode not in (0, 1) or 'internal error' in errors:
        return f'exit {done.returncode}\n{errors[-2000:]}'
    if done.returncode == 1 and ': error[' not in errors:
        return f'fails without an error\n{errors[-2000:]}'
    if done.returncode == 1 and done.stdout:
        return 'fails with totals'
    if done.returncode == 0 and not done.stdout.startswith(b'trace '):
        return 'succeeds without totals'
    if status is not None and done.returncode != status:
        return f'exit {done.returncode}\n{errors[-2000:]}'
    return ''


def check(binary, path, seed, every):
    data = path.read_bytes()
    text = shortened(gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data)
    variants = itertools.islice(damaged(text, f'{seed} {path.name}'), None, None, every)
    outcomes = [(what, fault(binary, changed, status)) for what, changed, status in variants]
    return [f'{what}: {why}' for what, why in outcomes if why], len(outcomes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path, required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('files', nargs='*', type=pathlib.Path)
    options = parser.parse_args()
    files = options.files
    if not files and not SHARED.is_dir():
        print('skipped: needs the folder shared beside the project')
        return 77
    files = files or [path for folder in FOLDERS for path in sorted((SHARED / 'traces' / folder).glob('*.json.gz'))]
    binary, variants, failures = options.binary.resolve(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, (found, count) in zip(files, pool.map(lambda path: check(binary, path, options.seed, options.every), files)):
            variants += count
            failures += len(found)
            for what in found:
                print(f'{path}: {what}')
    print(f'{variants} variants of {len(files)} traces, {failures} broken promises')
    return 1 if failures or not files else 0


if __name__ == '__main__':
    sys.exit(main())
