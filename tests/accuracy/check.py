#!/usr/bin/env python3
"""Checks reports against figures that other tools, or exact arithmetic, give on the same files.

  check.py --binary PATH CASE        one of the cases below; `check.py --list` names them

A case runs the default pipeline on a model and a trace of the folder `shared` beside the project and compares: the trace's exact totals, the
share of device time that is bound, the time of module scopes, and that two exports of one model agree on every scope that both contain.
Exit status 77 where the folder is not there.
"""
import argparse
import json
import pathlib
import subprocess
import sys

SHARED = pathlib.Path(__file__).resolve().parents[3] / 'shared'

BERT_SCOPES = {  # H100, ns with all inside, by the module frames of the trace
    'bert': 257341, 'bert.embeddings': 16511, 'bert.encoder': 233182, 'bert.encoder.layer.0': 58845, 'bert.encoder.layer.1': 58431,
    'bert.encoder.layer.3': 58305, 'cls': 52096, 'cls.predictions.transform': 10816, 'cls.predictions.decoder': 41280}
BERT_LABELS = {'linear': 197598, 'sdpa': 37408, 'layer_norm': 30912, 'add': 14752 + 1696, 'gelu': 9599}
VIT_SCOPES = {'embeddings.patch_embeddings': 129600, 'embeddings': 140641, 'encoder': 1071901, 'layernorm': 4384, 'pooler': 8384}

# trace, models (all must agree on common scopes), exact totals, least bound share, scopes, labels
CASES = {
    'bert-small-h100': dict(trace='traces/h100/bert-small.json.gz', models=['bert-small.dynamo', 'bert-small.torchscript', 'bert-small.dynamo-opset23'],
                            events=61, busy=309437, wall=3907825, bound=0.96, scopes=BERT_SCOPES, labels=BERT_LABELS),
    'bert-small-mi300': dict(trace='traces/mi300/bert-small.json.gz', models=['bert-small.dynamo', 'bert-small.torchscript', 'bert-small.dynamo-opset23'],
                             events=61, busy=390748, wall=3495976, bound=0.96),
    'vit-base-h100': dict(trace='traces/h100/vit-base.json.gz', models=['vit-base.dynamo', 'vit-base.torchscript'], events=156, busy=1225310, wall=7559844,
                          bound=1, scopes=VIT_SCOPES),
    'vit-base-mi300': dict(trace='traces/mi300/vit-base.json.gz', models=['vit-base.dynamo', 'vit-base.torchscript'], events=155, busy=1716301,
                           wall=6868849, bound=1),
    'bert-small-cpu': dict(trace='traces/cpu/bert-small-fp32-eager.json.gz', models=['bert-small-fp32.torchscript'], events=3147, busy=117900650, bound=0.998),
    'resnet18-cpu': dict(trace='traces/cpu/resnet18-eager.json.gz', models=['resnet18.torchscript'], events=2349, busy=42835337, bound=0.97),
}


class Checker:
    def __init__(self):
        self.failures = 0

    def equal(self, what, actual, expected):
        if actual != expected:
            print(f'{what}: {actual}, expected {expected}')
            self.failures += 1

    def at_least(self, what, actual, least):
        if actual < least:
            print(f'{what}: {actual}, expected at least {least}')
            self.failures += 1


def report(binary, trace, model):
    done = subprocess.run([binary, '-passes=default', '-verify-each', f'-trace={trace}', '-emit=json', model], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'exit {done.returncode} for {model.name}\n{done.stderr}')
    return json.loads(done.stdout)


def scopes_of(data):
    """Every module scope of the graph: those of its nodes and all around them."""
    scopes = set()
    for node in data['model']['nodes']:
        parts = node['scope'].split('.') if node['scope'] else []
        scopes |= {'.'.join(parts[:i + 1]) for i in range(len(parts))}
    return scopes


def own_times(run):
    """Time of the kernels of exactly one scope."""
    times = {}
    for kernel in run['kernels']:
        times[kernel['scope']] = times.get(kernel['scope'], 0) + (kernel['duration_ns_total'] or 0)
    return times


def check_case(name, binary):
    case, check = CASES[name], Checker()
    reports = []
    for model in case['models']:
        data = report(binary, SHARED / case['trace'], SHARED / 'models' / f'{model}.onnx')
        run = data['runs'][0]
        trace = run['trace']
        for key in ('events', 'busy', 'wall'):
            if key in case:
                check.equal(f'{model}: {key}', trace['device_events' if key == 'events' else f'{key}_ns'], case[key])
        check.equal(f'{model}: bound and unbound', trace['bound_ns_total'] + trace['unbound_ns_total'], trace['device_ns_total'])
        check.at_least(f'{model}: bound share', trace['bound_ns_total'] / trace['device_ns_total'], case['bound'])
        inclusive = {row['name']: row['duration_ns_total'] for row in run['aggregates']['scope']}
        for scope, expected in case.get('scopes', {}).items():
            check.equal(f'{model}: scope {scope}', inclusive.get(scope), expected)
        labels = {row['name']: row['duration_ns_total'] for row in run['aggregates']['rule']}
        for label, expected in case.get('labels', {}).items():
            measured = labels.get(label, 0) + (labels.get('attention', 0) if label == 'sdpa' else 0)
            check.equal(f'{model}: rule {label}', measured, expected)
        reports.append((model, scopes_of(data), inclusive, own_times(run)))
    first = reports[0]
    for other in reports[1:]:
        for scope in sorted(first[1] & other[1]):
            check.equal(f'{scope} in {first[0]} and {other[0]}', first[2].get(scope, 0), other[2].get(scope, 0))
            check.equal(f'{scope} alone in {first[0]} and {other[0]}', first[3].get(scope, 0), other[3].get(scope, 0))
    print(f'{name}: {len(reports)} models, {check.failures} differences')
    return 1 if check.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('case', nargs='?', choices=list(CASES))
    options = parser.parse_args()
    if options.list:
        print('\n'.join(CASES))
        return 0
    if not SHARED.is_dir():
        print(f'skipped: {options.case} needs the folder shared beside the project')
        return 77
    return check_case(options.case, options.binary.resolve())


if __name__ == '__main__':
    sys.exit(main())
