#!/usr/bin/env python3
"""What the liveness of a million tensors and uses costs, against one run of `fuse` on the same model, in one run of the command.

  liveness.py --binary PATH [COUNT...]     125000, 250000 and 500000 operators by default: the last one has a million tensors and uses, and more

The model is a chain with skips. The times are those of `-time-passes`; the ratio is that of `liveness` to `fuse`, and the exponent says how the
time of `liveness` grew since the line before.
"""
import argparse
import math
import pathlib
import re
import subprocess
import tempfile

import generate_model


def times(binary, model):
    """Milliseconds by pass."""
    command = [binary, '-passes=simplify,fuse,liveness', '-time-passes', '-o', '/dev/null', model]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return {match[2]: float(match[1]) for match in re.finditer(r'^\s*(\d+\.\d+)\s+\d+\.\d+%\s+([a-z][\w-]*)$', text, re.MULTILINE)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path, required=True)
    parser.add_argument('counts', nargs='*', type=int, metavar='COUNT')
    options = parser.parse_args()
    print(f'{"operators":>10}{"fuse ms":>10}{"liveness ms":>13}{"ratio":>8}{"exponent":>10}')
    before = None
    for count in options.counts or (125_000, 250_000, 500_000):
        with tempfile.TemporaryDirectory(prefix='liveness-') as name:
            model = pathlib.Path(name, 'model.onnx')
            generate_model.SHAPES['chain'](count).write(model)
            ms = times(options.binary.resolve(), model)
        grown = f'{math.log(ms["liveness"] / before[1]) / math.log(count / before[0]):.2f}' if before else ''
        print(f'{count:>10}{ms["fuse"]:>10.0f}{ms["liveness"]:>13.0f}{ms["liveness"] / ms["fuse"]:>8.2f}{grown:>10}', flush=True)
        before = count, ms['liveness']


if __name__ == '__main__':
    main()
