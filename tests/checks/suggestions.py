"""Takes one file of a shipped rule library away at a time and checks that `-suggest-rules` brings back the time that became unknown.

For each recorded run of BERT, ViT and ResNet, and each file of the library of its runtime:

- without the file, at least LOST of device time must be lost, or the pair tells nothing and is left out;
- the suggestions, given as a further rule file, must bind at least RECOVERED of the time that was lost;
- of the time that they bind, and the whole library as well, at least AGREES must be at kernels with a node in common;
- of device time, they may bind at most BEYOND that the whole library leaves unbound.

docs/passes/suggest-rules.md has the table of these figures.
"""
import pathlib
import shutil
import tempfile

from checks import pages
from checks.command import amdahlc
from checks.places import PAIRS, SOURCE

RULES = SOURCE / 'rules'
LOST, RECOVERED, AGREES, BEYOND = 0.005, 0.9, 0.95, 0.01
HEAD = ('run', 'model', 'without', 'lost', 'brought back', 'at the same nodes', 'beyond')
# Runtimes by folder of the trace. Models that a runtime optimised itself have few of the operators that rules name.
RUNTIMES = {'h100': 'pytorch', 'mi300': 'pytorch', 'cpu': 'pytorch', 'ort': 'onnxruntime'}
RUNS = [(RUNTIMES[pair.trace.split('/')[0]], pair) for pair in PAIRS
        if pair.trace.split('/')[0] in RUNTIMES and not pair.model.endswith(('ort-optimized', 'opset23')) and pair.model != 'vit-base.dynamo']


def library_without(runtime, name, folder):
    """A copy of the library of a runtime without one of its files; the path of its first file."""
    shutil.copytree(RULES, folder)
    (folder / runtime / f'{name}.akp').unlink()
    for path in folder.rglob('*.akp'):
        lines = [line for line in path.read_text(encoding='utf-8').splitlines(keepends=True)
                 if not (line.startswith('import') and line.rstrip().endswith((f'/{name}.akp";', f'"{name}.akp";')))]
        path.write_text(''.join(lines), encoding='utf-8')
    return folder / f'{runtime}.akp'


def bind(rules, pair, *options):
    """The nodes of each bound event, and all durations, by event."""
    [rows] = amdahlc.outputs('bindings', f'-rules={",".join(map(str, rules))}', f'-trace={pair.traces}', *options, pair.model_path)
    times = {row['event']: int(row['duration_ns']) for row in rows}
    return {row['event']: set(row['nodes'].split(';')) for row in rows if row['state'] == 'bound'}, times


def figures(pair, runtime, path, whole, times):
    """Shares of a library without one file: lost of device time, brought back of that, at the same nodes, beyond the library; None where too little is lost."""
    device = sum(times.values())

    def time(events):
        return sum(times[event] for event in events)

    with tempfile.TemporaryDirectory(prefix='suggestions-') as name:
        first, suggested = library_without(runtime, path.stem, pathlib.Path(name, path.stem)), pathlib.Path(name, 'suggested.akp')
        without, _ = bind([first], pair, f'-suggest-rules={suggested}')
        lost = time(whole) - time(without)
        if lost < LOST * device:
            return None
        again, _ = bind([first, suggested], pair)
    new = [event for event in again if event not in without and event in whole]
    back = time(event for event in again if event in whole) - time(event for event in without if event in whole)
    return (lost / device, back / lost, time(event for event in new if again[event] & whole[event]) / max(1, time(new)),
            time(event for event in again if event not in without and event not in whole) / device)


def check(check):
    table = []
    for runtime, pair in RUNS:
        files = [path for path in sorted((RULES / runtime).glob('*.akp')) if check.only.search(f'{pair} {path.stem}')]
        whole, times = bind([RULES / f'{runtime}.akp'], pair) if files else ({}, {})
        for path in files:
            found = figures(pair, runtime, path, whole, times)
            if found:
                lost, back, same, beyond = found
                row = [f'`{pair.trace}.json.gz`', f'`{pair.model}.onnx`', f'`{path.name}`', *(f'{100 * share:.1f} %' for share in found)]
                check.that(back >= RECOVERED and same >= AGREES and beyond <= BEYOND, ' | '.join(row))
                table.append(row)
    text = pages.markdown(HEAD, table, HEAD[:3])
    if check.only.pattern:
        print(text)
    else:
        pages.keep(check, 'docs/passes/suggest-rules.md', {check.name: text})
