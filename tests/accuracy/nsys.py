#!/usr/bin/env python3
"""Totals of a recorded Nsight Systems export against figures that SQL gives on the same file.

  nsys.py --binary PATH

For each device: events, busy time, sum of durations, first start to last end, and device events whose launch the file lacks. Needs the folder `shared` beside the project; exit status 77 where it is not there.
"""
import argparse
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

SHARED = pathlib.Path(__file__).resolve().parents[3] / 'shared'
EXPORT = SHARED / 'traces' / 'nsys' / 'h100_2gpu_1s.sqlite'
WORK = [f'CUPTI_ACTIVITY_KIND_{kind}' for kind in ('KERNEL', 'MEMCPY', 'MEMSET')]
DEVICES = (0, 1)
MODEL = '<ir_version: 9, opset_import: ["" : 18]>\nnone (float[1] x) => (float[1] y) {\n  y = Identity(x)\n}\n'


def expected(path, device):
    """By SQL, and a union of intervals."""
    database = sqlite3.connect(f'{path.as_uri()}?mode=ro&immutable=1', uri=True)
    events = sorted(row for table in WORK for row in database.execute(f'SELECT start, "end", correlationId, globalPid >> 24 FROM {table} WHERE deviceId = {device}'))
    calls = set(database.execute('SELECT correlationId, globalTid >> 24 FROM CUPTI_ACTIVITY_KIND_RUNTIME'))
    busy, until = 0, 0
    for start, end, *_ in events:
        busy += max(0, end - max(start, until))
        until = max(until, end)
    return {'device_events': len(events), 'busy_ns': busy, 'device_ns': sum(end - start for start, end, *_ in events),
            'wall_ns': until - events[0][0], 'no-launch': sum(tuple(key) not in calls for _, _, *key in events)}


def reported(binary, path, device, folder):
    model = folder / 'none.onnxtxt'
    model.write_text(MODEL)
    done = subprocess.run([binary, '-steps=all', f'-device={device}', f'-trace={path}', '-emit=json', model], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'exit {done.returncode} for {path.name}\n{done.stderr}')
    report = json.loads(done.stdout)
    problems = {problem['name']: problem['count'] for problem in report['data_problems']}
    return {**report['runs'][0]['trace'], 'no-launch': problems.get('no-launch', 0)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path, required=True)
    binary = parser.parse_args().binary.resolve()
    if not EXPORT.exists():
        print('skipped: needs the folder shared beside the project')
        return 77
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for device in DEVICES:
            figures, report = expected(EXPORT, device), reported(binary, EXPORT, device, folder)
            print(f'device {device}', figures)
            for key, figure in figures.items():
                if report[key] != figure:
                    print(f'device {device}: {key} is {report[key]}, expected {figure}')
                    failures += 1
    print(f'{len(DEVICES)} devices, {failures} differences')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
