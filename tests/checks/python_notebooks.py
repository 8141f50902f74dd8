"""The notebooks of `examples/notebooks` run from beginning to end without network, and draw their figures."""
import os
import subprocess
import sys

from checks.command import amdahlc
from checks.places import EXAMPLES, SHARED, SOURCE, installed
from checks.results import Skip
from checks.sampling import is_all

# With `--write`, what notebooks show that read the folder `shared`, which few have, is stored in them.
NOTEBOOKS = EXAMPLES / 'notebooks'
TESTS = SOURCE / 'python' / 'tests'


def check(check):
    built = amdahlc.binary.parent.parent / 'python'
    if not (built / 'amdahlc' / '_core.abi3.so').exists():
        raise Skip('the extension is not built; `./dev test` does so')
    folders = [built, installed('python-tests', TESTS / 'requirements.txt'), installed('python-notebooks', NOTEBOOKS / 'requirements.txt')]
    for notebook in sorted(NOTEBOOKS.glob('*.ipynb')):
        text, more = notebook.read_text(encoding='utf-8'), []
        if 'import torch' in text or 'amdahlc.torch' in text:
            if not is_all():
                check.left_out(notebook.name, 'it records programs, which takes long; without AMDAHLC_SAMPLE it runs')
                continue
            try:
                more = [installed('python-torch', TESTS / 'torch' / 'requirements.txt')]
            except (Skip, FileNotFoundError) as missing:
                check.left_out(notebook.name, missing)
                continue
        reads_shared = '/shared/' in text
        if reads_shared and not SHARED.is_dir():
            check.left_out(notebook.name, 'the folder `shared` beside the project is missing')
            continue
        environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(map(str, [*folders, *more])), 'PYTHONDONTWRITEBYTECODE': '1'}
        ran = subprocess.run([sys.executable, SOURCE / 'tests' / 'notebooks' / 'execute.py', notebook, *(['--write'] if check.write and reads_shared else [])],
                             capture_output=True, text=True, env=environment)
        if check.that(ran.returncode == 0, f'{notebook.name}:\n{ran.stdout[-1000:]}{ran.stderr[-3000:]}'):
            check.at_least(f'figures in {notebook.name}', int(ran.stdout), 1)
