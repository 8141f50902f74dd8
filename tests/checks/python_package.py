"""The Python package passes its tests and its types."""
import os
import subprocess
import sys

from checks.command import amdahlc
from checks.places import SOURCE, installed
from checks.results import Skip

PACKAGE = SOURCE / 'python'


def check(check):
    built = amdahlc.binary.parent.parent / 'python'
    if not (built / 'amdahlc' / '_core.abi3.so').exists():
        raise Skip('the extension is not built; `./dev test` does so')
    folders = [built, installed('python-tests', PACKAGE / 'tests' / 'requirements.txt'), installed('python-build', PACKAGE / 'requirements.txt')]
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(map(str, folders)), 'AMDAHLC_BINARY': str(amdahlc.binary), 'PYTHONDONTWRITEBYTECODE': '1'}
    for what, *arguments in (('tests', 'pytest', '-q', '--tb=short', '-p', 'no:cacheprovider', PACKAGE / 'tests'),
                             ('types', 'mypy', '--strict', '--cache-dir=/dev/null', PACKAGE / 'amdahlc', PACKAGE / 'tests' / 'typed_program.py')):
        ran = subprocess.run([sys.executable, '-m', *arguments], cwd=SOURCE, capture_output=True, text=True, env=environment)
        check.that(ran.returncode == 0, f'{what}:\n{ran.stdout[-4000:]}{ran.stderr[-2000:]}')
