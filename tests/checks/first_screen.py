"""The first screen of recorded runs is short and plain.

It has at most 25 lines of at most 80 columns, sentences of at most three figures, and tables of at most five columns; docs/passes/emit.md says so.
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from checks import command, places

LINES, COLUMNS, FIGURES, CELLS = 25, 80, 3, 5
# A number with a unit is a figure; others count things, or are parts of names.
FIGURE = re.compile(r'[-+]?\d+(?:\.\d+)? ?(?:%|us\b|ms\b|ns\b|s\b|x\b|[KMGT]?i?B\b)')
NAME = re.compile(r'`[^`]*`')


def runs():
    """Options of each run, with its model where it has one."""
    shared, examples = places.SHARED, places.EXAMPLES
    found = [[path] for path in sorted((shared / 'traces').rglob('*.json.gz')) + sorted((shared / 'traces').rglob('*.sqlite'))]
    found += [[folder / 'trace.json.gz', folder / 'model.onnx'] for folder in sorted((shared / 'cases' / 'binding').iterdir()) if (folder / 'model.onnx').is_file()]
    found += [[*pair.options(), pair.model_path] for pair in places.GPU_PAIRS + places.CPU_PAIRS + places.ONNXRUNTIME_PAIRS + places.TENSORRT_PAIRS]
    found += [[f'-trace={folder}', '-emit=ranks'] for folder in (examples / 'ranks', shared / 'programs' / 'dlrm')]
    found += [[f'-trace={trace}', examples / 'encoder.onnx', *options] for trace in (places.ENCODER_TRACE, examples / 'h100' / 'encoder.trace.json.gz')
              for options in ([], [f'-hardware={places.CPU}'], ['-what-if=linear=2x', '-curve=linear', '-goal=1.5x'], ['-emit=liveness=tensors'])]
    found += [[f'-trace=a={examples}/h100/decoder.trace.json.gz', f'-trace=b={examples}/h100/decoder.graph.trace.json.gz', examples / 'h100' / 'decoder.onnx'],
              [f'-trace={examples}/ranks', '-rank=0'], [f'-trace={shared}/programs/dlrm', '-rank=1'], [examples / 'encoder.onnx']]
    return found


def paragraphs(lines):
    """Text without tables: a line that is indented goes on with the one before, but for a piece of a list."""
    text = ''
    for line in lines:
        text += (' ' + line.strip()) if line.startswith('  ') and not re.match(r'  \d\. ', line) else '\n' + line
    return text.split('\n')


def tables(lines):
    """Rows of at least two cells, which are two blanks apart."""
    return [re.split(r' {2,}', line.strip()) for line in lines if line.startswith('  ') and re.search(r'\S {2,}\S', line)]


def faults(text):
    lines = text.rstrip('\n').split('\n')
    rows = [line for line in lines if line.startswith('  ') and re.search(r'\S {2,}\S', line)]
    found = [f'{len(lines)} lines'] if len(lines) > LINES else []
    found += [f'{len(line)} columns: {line}' for line in lines if len(line) > COLUMNS]
    found += [f'{len(cells)} cells: {cells}' for cells in tables(lines) if len(cells) > CELLS]
    for paragraph in paragraphs([line for line in lines if line not in rows]):
        for sentence in re.split(r'(?<=[.?]) (?=[A-Z])', NAME.sub('', paragraph)):
            figures = FIGURE.findall(sentence)
            if len(figures) > FIGURES:
                found.append(f'{len(figures)} figures in one sentence: {sentence}')
    return found


def ends_on(columns):
    """Whether the command ends on a terminal of so many columns. Its buffer takes the whole screen."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 50, columns, 0, 0))
    try:
        done = command.amdahlc.run(f'-trace={places.ENCODER_TRACE}', f'-hardware={places.CPU}', places.ENCODER, seconds=10, capture_output=False, stdout=theirs,
                                   stderr=subprocess.PIPE)
        return done.returncode == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        os.close(theirs)
        os.close(ours)


def check(check):
    check.none('columns of terminals on which it does not end', (columns for columns in (1, 2, 5, 30) if not ends_on(columns)))
    folder = command.temporary()
    for options in runs():
        what = ' '.join(str(option).replace(f'{places.SHARED}/', '').replace(f'{places.SOURCE}/', '') for option in options)
        if not check.only.search(what):
            continue
        output = [] if '-emit=ranks' in options else ['-emit=summary']
        text = command.amdahlc.text(*output, *[str(option).replace('liveness=tensors', f'liveness={folder}/tensors') for option in options])
        found = faults(text)
        check.that(text and not found, f'{what}: ' + ('; '.join(found) or 'nothing is printed'))
