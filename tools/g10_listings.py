#!/usr/bin/env python3
"""Writes the liveness of tensors in the layout of the tensor analysis of G10, from a report of `amdahlc`.

  amdahlc -trace=run.json.gz -emit=liveness=pictures -emit=json=report.json model.onnx
  g10_listings.py report.json FOLDER

The folder is made. It gets three files, which programs that read G10's analysis can read:

  kernels.config            each kernel with the tensors that it reads and writes
  tensors.config            each tensor with its size
  liveness_analysis.config  each tensor with its birth, its death and its inactive periods

A size that is not known is the word `unknown`, and so is a time without a trace. With several runs, the label of the run is a part of each name:
`kernels.h100.config`. `-` reads the report from standard input.
Exit status: 0 done, 1 the report cannot be read or the folder cannot be written.
"""
import argparse
import json
import pathlib
import re
import sys

KERNEL_RULE = '_' * 68 + '\n'
TENSOR_RULE = '_' * 77 + '\n'
PERIOD_RULE = '_ ' * 36 + '\n'
# Element types as PyTorch abbreviates them; others keep their names.
ABBREVIATED = {'float32': 'f32', 'float16': 'f16', 'bfloat16': 'bf16', 'float64': 'f64', 'int8': 'i8', 'int16': 'i16', 'int32': 'i32', 'int64': 'i64',
               'uint8': 'u8', 'uint16': 'u16', 'uint32': 'u32', 'uint64': 'u64', 'bool': 'b8', 'complex64': 'c64', 'complex128': 'c128'}
TENSOR_TYPE = re.compile(r'(\w+)\[(.*)\]', re.DOTALL)
DIMENSION = re.compile(r'"(?:[^"\\]|\\.)*"|[^,]+', re.DOTALL)
# Characters that end a line, control a terminal, or change the direction of text.
CONTROL = re.compile('[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]')


def printable(text):
    return CONTROL.sub('?', text)


def dimensions(type_text):
    """`float32[1,batch]` as `f32[1, batch]`; types other than tensors as they are."""
    tensor = TENSOR_TYPE.fullmatch(type_text)
    if not tensor:
        return type_text
    sizes = (size[1:-1].replace('\\"', '"') if size.startswith('"') else size for size in DIMENSION.findall(tensor[2]))
    return f'{ABBREVIATED.get(tensor[1], tensor[1])}[{", ".join(sizes)}]'


def tensor_line(number, tensor):
    size = 'unknown' if tensor['bytes'] is None else tensor['bytes']
    return f'tensor{number}, Name: {printable(tensor["name"])}, Is global?: {int(tensor["global"])}: Size in byte: {size}, '


def kernel_listing(run):
    facts, text = run['liveness'], KERNEL_RULE
    lines = [f'{tensor_line(number, tensor)}Dimensions: {printable(dimensions(tensor["type"]))}\n' for number, tensor in enumerate(facts['tensors'])]
    anchors = {kernel['id']: kernel['nodes'][0] for kernel in run['kernels']}
    for position, (kernel, inputs, outputs) in enumerate(zip(facts['kernels'], facts['inputs'], facts['outputs'])):
        text += f'Kernel ID: {position}, Name: {printable(anchors[kernel])}\n'
        text += 'Input Tensors:\n' + ''.join(lines[tensor] for tensor in inputs)
        text += 'Output Tensors:\n' + ''.join(lines[tensor] for tensor in outputs) + KERNEL_RULE
    return text


def tensor_listing(run):
    return ''.join(f'{tensor_line(number, tensor)}\n' for number, tensor in enumerate(run['liveness']['tensors']))


def liveness_listing(run):
    parts = []
    for number, tensor in enumerate(run['liveness']['tensors']):
        line = f'{tensor_line(number, tensor)}\n'
        life = 'Global!\n' if tensor['global'] else f'Liveness: Birth: {tensor["birth"]}, Death: {tensor["death"]}.\n'
        parts += [TENSOR_RULE, line, life, PERIOD_RULE, line, 'Inactive Periods:\n']
        for index, period in enumerate(tensor['periods']):
            # Six significant digits, as C++ streams write numbers by default.
            time = 'unknown' if period['ns'] is None else f'{period["ns"] / 1000:.6g}us'
            parts.append(f'Period {index}: {period["from"]}--------{period["to"]}\nEstimated Time:{time}\n')
        parts.append(TENSOR_RULE)
    return ''.join(parts)


LISTINGS = {'kernels': kernel_listing, 'tensors': tensor_listing, 'liveness_analysis': liveness_listing}


def listings(report):
    """Name of a file -> its text."""
    runs = [run for run in report['runs'] if run['liveness'] is not None]
    if not runs:
        raise ValueError('no run has `liveness`; write the report with `-emit=liveness=FOLDER -emit=json=FILE`')
    files = {}
    for run in runs:
        label = f'.{run["label"]}' if len(runs) > 1 else ''
        if '/' in label:
            raise ValueError(f'the label `{printable(label[1:])}` is not part of a file name')
        files.update((f'{name}{label}.config', listing(run)) for name, listing in LISTINGS.items())
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('report', help='what `-emit=json` writes; `-`: standard input')
    parser.add_argument('folder', type=pathlib.Path)
    options = parser.parse_args()
    try:
        text = sys.stdin.read() if options.report == '-' else pathlib.Path(options.report).read_text(encoding='utf-8')
        files = listings(json.loads(text))
    except (OSError, ValueError) as error:
        sys.exit(f'{options.report}: {error}')
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        sys.exit(f'{options.report}: not a report of this version of amdahlc: {error!r}')
    try:
        options.folder.mkdir(exist_ok=True)
        for name, content in files.items():
            (options.folder / name).write_text(content, encoding='utf-8')
    except OSError as error:
        sys.exit(str(error))


if __name__ == '__main__':
    main()
