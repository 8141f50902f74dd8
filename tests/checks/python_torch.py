"""Programs of PyTorch are recorded and reported as they ran, and left as they were."""
import os
import subprocess
import sys

from checks.command import amdahlc
from checks.places import SOURCE, installed
from checks.results import Skip

TESTS = SOURCE / 'python' / 'tests'


def check(check):
    built = amdahlc.binary.parent.parent / 'python'
    if not (built / 'amdahlc' / '_core.abi3.so').exists():
        raise Skip('the extension is not built; `./dev test` does so')
    folders = [built, installed('python-tests', TESTS / 'requirements.txt'), installed('python-torch', TESTS / 'torch' / 'requirements.txt'), SOURCE / 'tests']
    if 'AMDAHLC_NIGHTLY' in os.environ:
        folders += [installed('python-cluster', TESTS / 'torch' / 'cluster-requirements.txt'),
                    installed('python-notebooks', SOURCE / 'examples' / 'notebooks' / 'requirements.txt')]
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(map(str, folders)), 'PYTHONDONTWRITEBYTECODE': '1'}
    ran = subprocess.run([sys.executable, '-m', 'pytest', '-q', '--tb=short', '-p', 'no:cacheprovider', TESTS / 'torch'], cwd=SOURCE, capture_output=True,
                         text=True, env=environment)
    check.that(ran.returncode == 0, f'{ran.stdout[-6000:]}{ran.stderr[-2000:]}')
