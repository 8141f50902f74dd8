"""The page's TypeScript passes its types, its lint, its format and its unit tests, and its layers import only those before them."""
import os
import pathlib
import re
import subprocess

from checks.places import SOURCE, installed

PAGE = SOURCE / 'report' / 'page'
# A layer imports from itself and from those before it; a view from no other view.
LAYERS = ('contract', 'data', 'model', 'state', 'draw', 'view', 'views', 'page')
IMPORT = re.compile(r'^(?:import|export)\b[^;"]*?"(\.[^"]*)"', re.MULTILINE)


def deno():
    """Deno as `./dev page check` installs it."""
    return installed('deno', pathlib.Path(__file__).with_name('requirements.txt')) / 'bin' / 'deno'


def forbidden_imports():
    for file in sorted(PAGE.rglob('*.ts')):
        layer = file.relative_to(PAGE).parts[0]
        for target in IMPORT.findall(file.read_text()):
            other = (file.parent / target).resolve().relative_to(PAGE)
            is_test = file.stem.endswith('_test')
            later = LAYERS.index(other.parts[0]) > LAYERS.index(layer)
            other_view = layer == other.parts[0] == 'views' and len(other.parts) == 3 and file.parent.name != other.parts[1] and file.name != 'registry.ts'
            if (later and not is_test) or other_view:
                yield f'{file.relative_to(PAGE)} imports {other}'


def check(check):
    check.none('layers', forbidden_imports())
    binary = deno()
    # Nothing asks the network, and nothing is written outside of the cache of compiled sources.
    for arguments in (['check', '--quiet'], ['lint', '--quiet'], ['fmt', '--check', '--quiet'], ['test', '--quiet', '--no-check', '--allow-read=.']):
        ran = subprocess.run([binary, *arguments, '.'], cwd=PAGE, capture_output=True, text=True, env={**os.environ, 'NO_COLOR': '1', 'DENO_NO_UPDATE_CHECK': '1'})
        check.that(ran.returncode == 0, f'deno {arguments[0]}:\n{ran.stdout[-4000:]}{ran.stderr[-4000:]}')
