#!/usr/bin/env python3
"""The shipped descriptions of hardware can be read, and each device that a trace may name has one.

  hardware.py --binary PATH
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Names of devices as profilers write them.
DEVICES = {
    'NVIDIA H100 80GB HBM3': 'h100-sxm', 'NVIDIA H100 PCIe': 'h100-pcie', 'NVIDIA H200': 'h200', 'NVIDIA B200': 'b200',
    'NVIDIA A100-SXM4-40GB': 'a100-40gb', 'A100-SXM4-40GB': 'a100-40gb', 'NVIDIA A100-PG509-200': 'a100-40gb',
    'NVIDIA A100-PCIE-40GB': 'a100-40gb', 'NVIDIA A100-SXM4-80GB': 'a100-80gb-sxm', 'NVIDIA A100 80GB PCIe': 'a100-80gb-pcie',
    'NVIDIA GeForce RTX 3090': 'rtx3090', 'Tesla T4': 't4', 'NVIDIA T4': 't4', 'AMD Instinct MI300X': 'mi300x',
    'AMD Instinct MI300X VF': 'mi300x', 'AMD Instinct MI250': 'mi250', 'AMD Instinct MI210': 'mi210',
    # Not the same devices, or a name that says nothing.
    'NVIDIA GeForce RTX 3090 Ti': None, 'AMD Radeon Graphics': None, 'NVIDIA H200 NVL': None}
MODEL = '''<ir_version: 9, opset_import: ["" : 18]>
g (float16[256,512] x, float16[512,512] w) => (float16[256,512] z) { y = MatMul(x, w) z = Relu(y) }
'''


def roofline(binary, *arguments):
    """(the report's `roofline` of the run, messages)"""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder, 'model.onnxtxt')
        model.write_text(MODEL)
        done = subprocess.run([binary, *arguments, '-emit=json', str(model)], capture_output=True, text=True)
        if done.returncode != 0:
            return None, done.stderr
        run = json.loads(done.stdout)['runs'][0]
        return {**run['roofline'], 'kernels': [kernel['roofline'] for kernel in run['kernels']]}, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', required=True)
    binary = parser.parse_args().binary
    errors = []
    files = sorted((SOURCE / 'hardware').glob('*.yaml'))
    names = {}
    for file in files:
        found, messages = roofline(binary, f'-hardware={file.stem}')
        if found is None or messages:
            errors.append(f'{file.name}: {messages}')
            continue
        names[file.stem] = found['hardware']
        # A processor without units for float16 has no peak for it.
        times = [kernel['attainable_ns'] for kernel in found['kernels']]
        if re.search(r'^  float16:', file.read_text(), re.MULTILINE) and not all(times):
            errors.append(f'{file.name}: the kernels of a small model have the times {times}')
        if not re.search(r'^sources:', file.read_text(), re.MULTILINE):
            errors.append(f'{file.name}: no sources')
    if len(set(names.values())) != len(names):
        errors.append(f'descriptions of one name: {names}')
    for device, stem in DEVICES.items():
        found, messages = roofline(binary, f'-target=device={device}')
        if found is None or found['hardware'] != (names.get(stem) if stem else None):
            errors.append(f'`{device}` should have the description {stem}; got {found and (found["hardware"], found["reason"])} {messages}')
    for error in errors:
        print(error)
    print(f'{len(files)} descriptions, {len(DEVICES)} names of devices')
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
