#!/usr/bin/env python3
"""What drawing costs: CPU time of a picture of so many kernels, and what of it the rest of the command takes.

  draw.py --binary PATH [COUNT...]     500, 1000, 2000 and 4000 kernels by default

The model has blocks of twelve operators, each a module, with a residual from the block before. `auto` folds the blocks into one.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

BLOCK = 12


def write_model(path, count):
    lines = [f'<ir_version: 10, opset_import: ["" : 18]> g (float[4,8] v0) => (float[4,8] v{count}) {{']
    for i in range(1, count + 1):
        block, at = divmod(i - 1, BLOCK)
        operands = f'v{i - 1}, v{i - BLOCK}' if at == BLOCK - 1 and block > 0 else f'v{i - 1}, v{i - 4}' if at == 5 else f'v{i - 1}'
        kind = 'Add' if ',' in operands else 'Relu' if at % 2 else 'Tanh'
        lines.append(f'["/layer/{block}/part{at // 4}/n{at}"] v{i} = {kind}({operands})')
    path.write_text('\n'.join(lines) + '\n}\n', encoding='utf-8')


def seconds(command):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return f'{usage.ru_utime + usage.ru_stime:8.2f}' if child.returncode == 0 else '  refused'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path, required=True)
    parser.add_argument('counts', nargs='*', type=int, metavar='COUNT')
    options = parser.parse_args()
    print(f'{"kernels":>8}  {"CPU seconds: csv":>17}{"svg, folded":>13}{"svg<fold=none>":>17}{"svg-full":>10}')
    for count in options.counts or (500, 1000, 2000, 4000):
        with tempfile.TemporaryDirectory(prefix='draw-') as name:
            model = pathlib.Path(name, 'model.onnxtxt')
            write_model(model, count)
            run = [options.binary.resolve(), model]
            print(f'{count:>8}  {seconds([*run, "-emit=csv"]):>17}{seconds([*run, "-emit=svg"]):>13}'
                  f'{seconds([*run, "-emit=svg<fold=none>"]):>17}{seconds([*run, "-emit=svg-full"]):>10}', flush=True)


if __name__ == '__main__':
    main()
