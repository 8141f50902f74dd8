#!/usr/bin/env python3
"""What the roofline says about the recorded runs of the shared folder.

  traces.py --binary PATH

Of each run: a kernel that runs above its roof is said to do so, in the report and in the summary; none is faster than the peaks of the device, but
where the run computed in a narrower type than the model; the run does not get slower if its kernels are at their roofs; and no kernel that has device work is without a roofline for a reason that this
check does not know. The figures are printed, a line for each run.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SHARED = SOURCE.parent / 'shared'
# The machine that recorded the traces of a CPU is not known; this one is at least as slow as any that could have.
CPU = 'epyc-genoa-2-cores'
A100 = 'a100-80gb-pcie'
# The engine computes products in float16; the model has float32, whose roof is that of TF32.
NARROWER = 'traces/tensorrt/resnet18-a100-fp16'
RUNS = [
    ('traces/h100/bert-small.json.gz', 'models/bert-small.dynamo.onnx', None), ('traces/h100/bert-small.json.gz', 'models/bert-small.torchscript.onnx', None),
    ('traces/h100/bert-small.json.gz', 'models/bert-small.dynamo-opset23.onnx', None), ('traces/h100/vit-base.json.gz', 'models/vit-base.dynamo.onnx', None),
    ('traces/h100/vit-base.json.gz', 'models/vit-base.torchscript.onnx', None), ('traces/mi300/bert-small.json.gz', 'models/bert-small.dynamo.onnx', None),
    ('traces/mi300/bert-small.json.gz', 'models/bert-small.torchscript.onnx', None), ('traces/mi300/vit-base.json.gz', 'models/vit-base.dynamo.onnx', None),
    ('traces/mi300/vit-base.json.gz', 'models/vit-base.torchscript.onnx', None),
    ('traces/cpu/bert-small-fp32-eager.json.gz', 'models/bert-small-fp32.torchscript.onnx', CPU),
    ('traces/cpu/bert-small-fp32-inductor.json.gz', 'models/bert-small-fp32.torchscript.onnx', CPU),
    ('traces/cpu/resnet18-eager.json.gz', 'models/resnet18.torchscript.onnx', CPU), ('traces/cpu/resnet18-inductor.json.gz', 'models/resnet18.torchscript.onnx', CPU),
    ('traces/ort/bert-small-fp32-none.json.gz', 'models/bert-small-fp32.torchscript.onnx', CPU),
    ('traces/ort/bert-small-fp32-basic.json.gz', 'models/bert-small-fp32.torchscript.onnx', CPU),
    ('traces/ort/bert-small-fp32-all.json.gz', 'models/bert-small-fp32.torchscript.onnx', CPU),
    ('traces/ort/bert-small-fp32-all.json.gz', 'models/bert-small-fp32.ort-optimized.onnx', CPU),
    ('traces/ort/resnet18-none.json.gz', 'models/resnet18.torchscript.onnx', CPU), ('traces/ort/resnet18-basic.json.gz', 'models/resnet18.torchscript.onnx', CPU),
    ('traces/ort/resnet18-all.json.gz', 'models/resnet18.torchscript.onnx', CPU), ('traces/ort/resnet18-all.json.gz', 'models/resnet18.ort-optimized.onnx', CPU),
    ('traces/tensorrt/resnet18-a100-fp32/profile.json,traces/tensorrt/resnet18-a100-fp32/graph.json', 'models/resnet18-b32.numbered-names.onnx', A100),
    ('traces/tensorrt/resnet18-a100-fp16/profile.json,traces/tensorrt/resnet18-a100-fp16/graph.json', 'models/resnet18-b32.numbered-names.onnx', A100),
    ('reference/amdahl4ml/trace_dense_layer.json', 'reference/amdahl4ml/bert-mini_layer.onnx', None),
]


def check(binary, trace, model, hardware):
    """(errors, line) of a run."""
    files = ','.join(str(SHARED / one) for one in trace.split(','))
    with tempfile.TemporaryDirectory() as folder:
        summary = pathlib.Path(folder, 'summary')
        done = subprocess.run([binary, f'-trace=run={files}', str(SHARED / model), '-emit=json', f'-emit=summary={summary}', *([f'-hardware={hardware}'] if hardware else [])],
                              capture_output=True, text=True)
        if done.returncode != 0:
            return [done.stderr], ''
        text = summary.read_text()
    run = json.loads(done.stdout)['runs'][0]
    found, errors = run['roofline'], []
    if found['hardware'] is None:
        return [f'no hardware: {found["reason"]}'], ''
    above, cache, at_roof, known = [], [], 0, 0
    for kernel in run['kernels']:
        roof, measured = kernel['roofline'], kernel['duration_ns']
        if not measured or roof is None or not roof['runs']:
            continue
        known += measured
        # Reported times are rounded to a nanosecond.
        if roof['memory_ns'] * roof['runs'] > measured + 1 and roof['bound'] != 'cache':
            errors.append(f'kernel {kernel["id"]} `{kernel["label"]}` is faster than memory allows, and is not said to be: {measured} ns, {roof}')
        if roof['compute_ns'] * roof['runs'] > measured + 1 and not roof['above_peak']:
            errors.append(f'kernel {kernel["id"]} `{kernel["label"]}` is faster than the peak, and is not said to be: {measured} ns, {roof}')
        if roof['bound'] == 'cache':
            cache.append(kernel['id'])
        if roof['above_peak']:
            above.append(kernel['id'])
        at_roof += measured if roof['at_roof'] else 0
    for count, words in ((len(cache), 'faster than memory allows'), (len(above), "faster than the hardware's peak")):
        match = re.search(rf'^  {words}.*?: (\d+) kernel', text, re.MULTILINE)
        if (int(match[1]) if match else 0) != count:
            errors.append(f'the summary does not say that {count} kernels are {words}')
    if bool(above) != trace.startswith(NARROWER):
        errors.append(f'kernels {above} are faster than the peak of {found["hardware"]}' if above else 'no kernel is faster than the peak, as it should be in a narrower type')
    busy = run['trace']['busy_ns']
    if found['attainable_busy_ns'] > busy + 1:
        errors.append(f'busy time gets longer: {busy} -> {found["attainable_busy_ns"]}')
    reasons = [row for row in found['unknown'] if any(run['kernels'][id]['duration_ns'] for id in row['kernels'])]
    errors += [f'kernels {row["kernels"]} are without a roofline, because {row["reason"]}' for row in reasons]
    line = (f'{trace.split(",")[0].removeprefix("traces/")} on {model.split("/")[-1]}, {found["hardware"]}: {busy / 1000:.1f} us busy, {found["attainable_busy_ns"] / 1000:.1f} attainable '
            f'({found["attainable_speedup"]:.1f}x); {100 * known / busy:.0f} % of busy has a roof, {100 * at_roof / busy:.1f} % is at it; from a cache: {len(cache)} kernels; above the peak: {len(above)}')
    return errors, line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', required=True)
    binary = parser.parse_args().binary
    if not SHARED.is_dir():
        print('roofline/traces is skipped: it needs the folder shared beside the project')
        return 77
    bad = 0
    for trace, model, hardware in RUNS:
        errors, line = check(binary, trace, model, hardware)
        print(line or f'{trace} on {model}')
        for error in errors:
            bad += 1
            print(f'  ERROR {error}')
    print(f'{len(RUNS)} runs, {bad} errors')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
