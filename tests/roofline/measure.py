#!/usr/bin/env python3
"""hardware/measure.py writes a description that the command reads.

  measure.py --binary PATH

It measures this machine quickly. Skipped, by name, where neither PyTorch nor NumPy is installed.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MODEL = '''<ir_version: 9, opset_import: ["" : 18]>
g (float[256,512] x, float[512,512] w) => (float[256,512] y) { y = MatMul(x, w) }
'''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', required=True)
    binary = parser.parse_args().binary
    with tempfile.TemporaryDirectory() as folder:
        file, model = pathlib.Path(folder, 'this.yaml'), pathlib.Path(folder, 'model.onnxtxt')
        model.write_text(MODEL)
        done = subprocess.run([sys.executable, '-B', str(SOURCE / 'hardware' / 'measure.py'), '--quick', '--output', str(file)], capture_output=True, text=True)
        if done.returncode == 1 and 'neither PyTorch nor NumPy' in done.stderr:
            print('roofline/measure is skipped: neither PyTorch nor NumPy is installed')
            return 77
        if done.returncode != 0:
            print(done.stderr)
            return 1
        report = subprocess.run([binary, f'-hardware={file}', '-emit=json', str(model)], capture_output=True, text=True)
        if report.returncode != 0 or report.stderr:
            print(f'{file.read_text()}\n{report.stderr}')
            return 1
        kernel = json.loads(report.stdout)['runs'][0]['kernels'][0]['roofline']
        # A product of 134 million operations, 1.6 MB: any machine needs more than 10 ns and less than a minute.
        if kernel['flops'] != 2 * 256 * 512 * 512 or not 10 < kernel['attainable_ns'] < 60e9:
            print(f'{file.read_text()}\n{kernel}')
            return 1
        print(f"measured quickly: {file.read_text().splitlines()[0]}; a product takes {kernel['attainable_ns']:.0f} ns at least")
        return 0


if __name__ == '__main__':
    sys.exit(main())
