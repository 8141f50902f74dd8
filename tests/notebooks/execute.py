#!/usr/bin/env python3
"""Executes a notebook in its folder, without network, and fails where a cell does, or writes to stderr.

  execute.py NOTEBOOK [--write]

`--write` keeps the outputs in the notebook, without what differs from run to run. Prints the number of figures.
"""
import os
import pathlib
import sys

import nbformat
from nbclient import NotebookClient

# A first cell: connections of Python are refused. Those of the kernel to this process are of a library in C.
OFFLINE = '''
import socket as _socket
def _refuse(self, address, _connect=_socket.socket.connect):
    if self.family != _socket.AF_UNIX:
        raise OSError(f"a notebook connects to {address}")
    return _connect(self, address)
_socket.socket.connect = _socket.socket.connect_ex = _refuse
'''
SECONDS = 600


def main():
    path, write = pathlib.Path(sys.argv[1]), '--write' in sys.argv[2:]
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(OFFLINE))
    # As a program of a terminal without colours has it.
    os.environ.update(NO_COLOR='1', TERM='dumb', MPLBACKEND='module://matplotlib_inline.backend_inline')
    client = NotebookClient(notebook, timeout=SECONDS, kernel_name='python3', resources={'metadata': {'path': str(path.parent)}},
                            record_timing=False)
    client.execute()
    del notebook.cells[0]
    outputs = [output for cell in notebook.cells for output in cell.get('outputs', [])]
    said = [output['text'] for output in outputs if output.get('name') == 'stderr']
    if said:
        sys.exit(f'{path.name} writes to stderr: {said[0][:500]}')
    if write:
        for number, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == 'code'), 1):
            cell['execution_count'] = number
            for output in cell['outputs']:
                if 'execution_count' in output:
                    output['execution_count'] = number
        notebook.metadata['language_info'] = {'name': 'python'}
        nbformat.write(notebook, path)
    print(sum('image/png' in output.get('data', {}) for output in outputs))


if __name__ == '__main__':
    main()
