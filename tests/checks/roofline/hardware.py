"""The shipped descriptions of hardware can be read, and each device that a trace may name has one."""
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from checks.command import amdahlc
from checks.places import SOURCE
from checks.results import Skip

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


def roofline(model, *arguments):
    """(the report's `roofline` of the run and its kernels, messages); None without a report."""
    done = amdahlc.run(*arguments, '-emit=json', model)
    if done.returncode != 0:
        return None, done.stderr
    run = json.loads(done.stdout)['runs'][0]
    return {**run['roofline'], 'kernels': [kernel['roofline'] for kernel in run['kernels']]}, done.stderr


def check(check):
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder, 'model.onnxtxt')
        model.write_text(MODEL)
        names = {}
        for file in sorted((SOURCE / 'hardware').glob('*.yaml')):
            found, messages = roofline(model, f'-hardware={file.stem}')
            if not check.that(found and not messages, f'{file.name}: {messages}'):
                continue
            names[file.stem] = found['hardware']
            # A processor without units for float16 has no peak for it.
            times, text = [kernel['attainable_ns'] for kernel in found['kernels']], file.read_text()
            check.that(all(times) or not re.search(r'^  float16:', text, re.MULTILINE), f'{file.name}: the kernels of a small model have the times {times}')
            check.that(re.search(r'^sources:', text, re.MULTILINE), f'{file.name}: no sources')
        check.equal('different names of descriptions', len(set(names.values())), len(names))
        for device, stem in DEVICES.items():
            found, messages = roofline(model, f'-target=device={device}')
            check.that(found and found['hardware'] == (names.get(stem) if stem else None),
                       f'`{device}` should have the description {stem}; got {found and (found["hardware"], found["reason"])} {messages}')


def measure(check):
    """hardware/measure.py, which here measures quickly, writes a description that the command reads."""
    with tempfile.TemporaryDirectory() as folder:
        file, model = pathlib.Path(folder, 'this.yaml'), pathlib.Path(folder, 'model.onnxtxt')
        model.write_text(MODEL.replace('float16', 'float'))
        done = subprocess.run([sys.executable, '-B', SOURCE / 'hardware' / 'measure.py', '--quick', '--output', file], capture_output=True, text=True)
        if done.returncode == 1 and 'neither PyTorch nor NumPy' in done.stderr:
            raise Skip('neither PyTorch nor NumPy is installed')
        if check.equal('exit status of hardware/measure.py', (done.returncode, done.stderr[-500:]), (0, done.stderr[-500:])):
            found, messages = roofline(model, f'-hardware={file}')
            check.equal('messages', messages, '')
            # A product of 134 million operations, 1.6 MB: any machine needs more than 10 ns and less than a minute.
            product = found['kernels'][0]
            check.equal('operations', product['flops'], 2 * 256 * 512 * 512)
            check.that(10 < product['attainable_ns'] < 60e9, f'{file.read_text()}\n{product}')


def plausible(check):
    """hardware/measure.py finds the data sheets of devices, and refuses figures that cannot be right, each for its reason."""
    specification = importlib.util.spec_from_file_location('measure', SOURCE / 'hardware' / 'measure.py')
    measure = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(measure)
    for device, stem in DEVICES.items():
        check.equal(f'`{device}` has a data sheet', bool(measure.data_sheet(device)), stem is not None)
    sheet = measure.data_sheet('NVIDIA H100 80GB HBM3')
    check.equal('rates of a data sheet', [sheet.get(key) for key in (('memory-bandwidth', ''), ('matrix', 'int8'), ('memory-size', ''))],
                [3.35e12, 1978.9e12, None])

    def reasons(memory=3e12, cache=5e12, int8=1.5e15, float32=50e12, float64=30e12, launch=3e-6, spread=0.02):
        rate = measure.Rate
        return measure.implausible(measure.Figures(rate(memory, 0), rate(cache, 0), {'int8': rate(int8, spread)},
                                                   {'float32': rate(float32, 0), 'float64': rate(float64, 0)}, launch), sheet)

    check.equal('figures of a quiet machine', reasons(), [])
    for what, words, changed in (('a rate above the data sheet', 'above the 1980 TOP/s of the data sheet', {'int8': 3e15}),
                                 ('memory above its data sheet', 'above the 3.35 TB/s of the data sheet', {'memory': 4e12}),
                                 ('memory faster than caches', 'faster than caches', {'cache': 2e12}),
                                 ('float64 faster than float32', 'faster than float32', {'float32': 20e12}),
                                 ('a call without time', 'took no time', {'int8': measure.Rate.of(1, [0.0]).best}),
                                 ('times that scatter', '80 % above the best one', {'spread': 0.8}),
                                 ('a long launch', 'a launch takes 2e+03 us', {'launch': 2e-3})):
        found = reasons(**changed)
        check.that(len(found) == 1 and words in found[0], f'{what} is refused for {found}')
