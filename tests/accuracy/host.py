#!/usr/bin/env python3
"""The pass `host` on all recorded traces.

  host.py cells --binary PATH     overheads against the figures that the code of ml_perf_model prints for the same traces
  host.py sums --binary PATH      device time by stream, family, operator and kernel, and time by number of active streams, are exact sums

Needs the folder `shared` beside the project; exit status 77 where it is not there.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SHARED = pathlib.Path(__file__).resolve().parents[3] / 'shared'
MODEL = '<ir_version: 9, opset_import: ["" : 18]>\ng (float[4] x) => (float[4] y) { y = Relu(x) }\n'

# Trace, the reference's file, T1 of the selected iterations (count, mean and standard deviation in microseconds), and the operators that differ
# where every call that device work came from is a launch: they launch by driver calls, or wait without work.
CELLS = [('h100/bert-small.json.gz', 'h100-bert-small.json', (103, 18.441, 28.259), {'aten::linear', 'aten::is_nonzero'}),
         ('h100/vit-base.json.gz', 'h100-vit-base.json', (275, 10.166, 9.312), {'aten::linear', 'aten::conv2d'})]
# The reference prints three decimals of microseconds.
TOLERANCE_US = 0.0015

# What has no streams, and why.
SILENT = {'the trace has no device': ['cpu/', 'ort/', 'hta/cpu_only', 'hta/no_gpu_events'],
          'the trace has no start times': ['tensorrt/']}


def run_of(binary, trace, *options):
    """The one run of the report, and the summary."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, 'model.onnxtxt').write_text(MODEL)
        done = subprocess.run([binary, '-passes=fuse,trace-bind,timing,host', f'-trace=t={trace}', *options, '-emit=json=report.json', '-emit=summary',
                               'model.onnxtxt'], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f'exit {done.returncode} for {trace}\n{done.stderr}')
        return json.loads(pathlib.Path(folder, 'report.json').read_text())['runs'][0], done.stdout


def differs(stat, reference):
    return (stat is None or stat['count'] != reference['count'] or abs(stat['mean_ns'] / 1000 - reference['mean']) > TOLERANCE_US
            or abs(stat['std_ns'] / 1000 - reference['std']) > TOLERANCE_US)


def differences(run, expected):
    """Of overheads and the reference: pairs of an operator and what differs."""
    operators = {name: {key: stat for key, stat in row.items() if stat} for name, row in run['overheads']['operators'].items()}
    here, there = ({(name, key) for name in table for key in table[name]} for table in (operators, expected))
    found = [(name, f'{key} is not in the reference') for name, key in sorted(here - there)]
    for name, key in sorted(there):
        stat = operators.get(name, {}).get(key)
        if differs(stat, expected[name][key]):
            found.append((name, f'{key} is {stat}, expected {expected[name][key]}'))
    return found


def cells(binary):
    failures, compared = [], 0
    for trace, reference, (count, mean, std), others in CELLS:
        expected = json.loads((SHARED / 'reference' / 'ml_perf_model' / reference).read_text())['operators']
        compared += sum(map(len, expected.values()))
        by_name, _ = run_of(binary, SHARED / 'traces' / trace, '-overheads=ml-perf-model')
        recorded, _ = run_of(binary, SHARED / 'traces' / trace)
        failures += [f'{trace}: {name} {what}' for name, what in differences(by_name, expected)]
        different = {name for name, _ in differences(recorded, expected)}
        if different != others:
            failures.append(f'{trace}: by recorded launches {sorted(different)} differ, expected {sorted(others)}')
        for run in (by_name, recorded):
            if differs(run['overheads']['t1'], {'count': count, 'mean': mean, 'std': std}):
                failures.append(f'{trace}: t1 is {run["overheads"]["t1"]}, expected {count} gaps, {mean} +- {std} us')
    return failures, f'{compared} cells and {len(CELLS)} times T1'


def unequal(what, rows, total, rounded=None):
    """Why rows do not add up to the exact total, and to the rounded one per iteration."""
    found = []
    if sum(row['runtime_ns_total'] for row in rows) != total:
        found.append(f'{what}: {sum(row["runtime_ns_total"] for row in rows)} ns in all, not {total}')
    if rounded is not None and sum(row['runtime_ns'] for row in rows) != rounded:
        found.append(f'{what}: {sum(row["runtime_ns"] for row in rows)} ns per iteration, not {rounded}')
    return found


def sums_of(run):
    trace, streams = run['trace'], run['streams']
    total = trace['device_ns_total']
    found = unequal('streams', streams, total, trace['device_ns'])
    for stream in streams:
        what, exact, rounded = f'stream {stream["stream"]}', stream['runtime_ns_total'], stream['runtime_ns']
        for part in ('families', 'operators'):
            found += unequal(f'{what} by {part}', stream[part], exact, rounded)
            if sum(row['count'] for row in stream[part]) != stream['count']:
                found.append(f'{what}: events by {part} do not add up')
        for top in stream['operators']:
            for part in ('operators', 'kernels'):
                found += unequal(f'{what}, {top["name"]} by {part}', top[part], top['runtime_ns_total'], top['runtime_ns'])
            for launching in top['operators']:
                found += unequal(f'{what}, {top["name"]}, {launching["name"]} by kernel', launching['kernels'], launching['runtime_ns_total'],
                                 launching['runtime_ns'])
        if abs(stream['busy_ns'] + stream['idle_ns'] - trace['wall_ns']) > 1:
            found.append(f'{what}: busy {stream["busy_ns"]} and idle {stream["idle_ns"]} are not wall {trace["wall_ns"]}')
    if sum(row['ns'] for row in run['concurrency']) != trace['wall_ns']:
        found.append(f'concurrency: {sum(row["ns"] for row in run["concurrency"])} ns, not wall {trace["wall_ns"]}')
    if [row['active'] for row in run['concurrency']] != list(range(len(run['concurrency']))):
        found.append('concurrency: not one row for each number of streams')
    if len(streams) == 1 and (streams[0]['busy_ns'] != trace['busy_ns'] or run['concurrency'][1]['ns'] != trace['busy_ns']):
        found.append('the only stream is not busy as long as the device')
    return found


def sums(binary):
    failures, compared, silent = [], 0, 0
    folder = SHARED / 'traces'
    traces = sorted(path for path in folder.rglob('*') if path.is_file() and (path.name.endswith('.json.gz') or path.suffix in ('.sqlite', '.json')))
    for path in traces:
        name = path.relative_to(folder).as_posix()
        if name.startswith('tensorrt/') and path.name != 'profile.json':
            continue
        run, summary = run_of(binary, path)
        reason = next((reason for reason, prefixes in SILENT.items() if name.startswith(tuple(prefixes))), None)
        if (run['streams'] is None) != (reason is not None):
            failures.append(f'{name}: streams are {"absent" if run["streams"] is None else "there"}')
        elif reason:
            silent += 1
            if reason not in summary:
                failures.append(f'{name}: the summary does not say that {reason}')
        else:
            compared += 1
            failures += [f'{name}: {text}' for text in sums_of(run)]
    return failures, f'{compared} traces, {silent} without streams'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('part', choices=['cells', 'sums'])
    parser.add_argument('--binary', type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not (SHARED / 'traces').exists() or not (SHARED / 'reference' / 'ml_perf_model').exists():
        print('skipped: the folder `shared` beside the project is not there')
        return 77
    failures, what = {'cells': cells, 'sums': sums}[options.part](options.binary.resolve())
    for failure in failures:
        print(failure)
    print(f'{what}, {len(failures)} differences')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
