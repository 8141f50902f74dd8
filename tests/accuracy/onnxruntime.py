#!/usr/bin/env python3
"""Profiles of ONNX Runtime: the totals that the command reports, computed again from the rows of the file; and inferred shapes.

  onnxruntime.py totals --binary BINARY
  onnxruntime.py shapes --binary BINARY

`totals`: busy, device time, window, the number of events and the time of each node, exactly, over the iterations that count.
`shapes`: what is inferred of a model are the shapes that the runtime recorded for the results of nodes of the same name; of a model that the
runtime saved, for all nodes. Bindings are scored by accuracy.py.

Needs the folder `shared` beside the project; without it, exits with 77.
"""
import argparse
import collections
import csv
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import runtimes


def run(binary, *arguments):
    """The report and the bindings."""
    with tempfile.TemporaryDirectory() as folder:
        report, bindings = pathlib.Path(folder, 'report.json'), pathlib.Path(folder, 'bindings.csv')
        command = [str(binary), f'-emit=json={report}', f'-emit=bindings={bindings}', *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f'{" ".join(command)}: exit {done.returncode}\n{done.stderr}')
        return json.loads(report.read_text())['runs'][0], list(csv.DictReader(bindings.open(newline='')))


def union(intervals):
    total, end = 0, None
    for start, stop in sorted(intervals):
        total += max(0, stop - (start if end is None else max(start, end)))
        end = stop if end is None else max(end, stop)
    return total


def check_totals(binary, model, level):
    profile = runtimes.profile_of(model, level)
    rows, runs = runtimes.profile_rows(profile)
    kept = runs[1:] if len(runs) >= 3 else runs
    inside = [row for row in rows if any(start <= row.start < end for start, end in kept)]
    report, events = run(binary, f'-trace={profile}', runtimes.path_of(runtimes.models_of_profile(model, level)[0]))
    trace, times, own = report['trace'], collections.Counter(), collections.Counter()
    for row in inside:
        times[row.name] += 1000 * (row.end - row.start)
    for event in events:
        own[event['name']] += int(event['duration_ns'])
    expected = {
        'busy_ns_total': 1000 * sum(union((row.start, row.end) for row in inside if start <= row.start < end) for start, end in kept),
        'device_ns_total': 1000 * sum(row.end - row.start for row in inside),
        'window_ns_total': 1000 * sum(end - start for start, end in kept),
        'events': len(inside),
        'nodes': times,
    }
    actual = {key: trace.get(key) for key in expected} | {'events': len(events), 'nodes': own}
    return [f'{key}: {actual[key]} instead of {expected[key]}' for key in expected if actual[key] != expected[key]]


def check_shapes(binary, model, level, export):
    """Of the first result of each node of the model that ran under its own name."""
    text = subprocess.run([str(binary), '-passes=', str(runtimes.path_of(export))], capture_output=True, text=True, check=True).stdout
    inferred = {name.strip('"'): dims for dims, name in re.findall(r'^ +#\d+ .* : \w+(\[[^]]*\])?(?:, .*)? name ("[^"]*"|\S+)', text, re.MULTILINE)}
    events = json.loads(gzip.open(runtimes.profile_of(model, level)).read())
    ran = {e['name'].removesuffix(runtimes.SUFFIX): next(iter(e['args']['output_type_shape'][0].values())) for e in events if e['cat'] == 'Node'}
    both = ran.keys() & inferred.keys()
    print(f'{export} {level}: {len(both)} of {len(ran)} nodes compared')
    faults = [f'{name}: {inferred[name]} instead of {ran[name]}' for name in sorted(both)
              if inferred[name].strip('[]') != ','.join(map(str, ran[name]))]
    if export.endswith('.ort-optimized') and len(both) < len(ran):
        faults.append(f'without a shape: {sorted(ran.keys() - both)[:3]}')
    return faults if both else ['no node of the trace is in the model']


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('what', choices=('totals', 'shapes'))
    parser.add_argument('--binary', required=True)
    arguments = parser.parse_args()
    if not (runtimes.TRACES / 'ort').is_dir():
        print('skipped: no ../shared/traces/ort')
        sys.exit(77)
    failed = False
    for model in runtimes.ONNXRUNTIME_MODELS:
        for level in runtimes.ONNXRUNTIME_LEVELS:
            if arguments.what == 'totals':
                found = {model: check_totals(arguments.binary, model, level)}
            else:
                found = {export: check_shapes(arguments.binary, model, level, export) for export in runtimes.models_of_profile(model, level)}
            for export, faults in found.items():
                failed |= bool(faults)
                for fault in faults[:10]:
                    print(f'{export} {level}: {fault}')
    sys.exit(failed)


if __name__ == '__main__':
    main()
