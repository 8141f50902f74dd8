"""The command under test: running it with limits, reading what it writes.

`amdahlc` is the binary that tests/run_checks.py was given. Outputs are read as what they are: reports as dictionaries, CSV as rows, all else as text.
"""
import atexit
import csv
import functools
import json
import pathlib
import re
import subprocess
import tempfile

from checks.places import SOURCE

SECONDS = 300
# Outputs that are tables.
TABLES = ('bindings', 'evidence', 'csv', 'compare-csv', 'ranks-csv', 'overheads', 'streams', 'curves')
# A model for runs that have none of their own: nothing of a trace is bound to it.
ANY_MODEL = '<ir_version: 9, opset_import: ["" : 18]>\nany (float[1] x) => (float[1] y) { y = Erf(x) }\n'


class Failed(Exception):
    """The command did not do what was asked; the text has its messages."""


class WrongBinary(Exception):
    """The binary was not built from this checkout."""


def temporary():
    """A folder that is removed with the process."""
    folder = tempfile.TemporaryDirectory(prefix='checks-')
    atexit.register(folder.cleanup)
    return pathlib.Path(folder.name)


@functools.cache
def any_model():
    path = temporary() / 'any.onnxtxt'
    path.write_text(ANY_MODEL)
    return path


def built_from(binary):
    """The sources that the build folder around a binary was configured for; None where it is in no build folder."""
    for folder in binary.parents:
        cache = folder / 'CMakeCache.txt'
        if cache.is_file():
            found = re.search(r'^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$', cache.read_text(), re.MULTILINE)
            return pathlib.Path(found[1]).resolve() if found else None
    return None


def require_own(binary):
    """A binary of another checkout reads the rules of that checkout, and says nothing of this one."""
    home = built_from(binary)
    if home != SOURCE:
        where = f'was built from {home}' if home else 'is in no build folder'
        raise WrongBinary(f'{binary} {where}, not from {SOURCE}: build it here, or say --installed to test it all the same')


def choose(binary, installed):
    """Sets the binary under test: the given one, or the newest that was built here."""
    if binary is None:
        built = sorted((SOURCE / 'build').glob('*/bin/amdahlc'), key=lambda path: path.stat().st_mtime)
        amdahlc.binary = built[-1] if built else None
        return
    amdahlc.binary = binary.resolve()
    if not installed:
        require_own(amdahlc.binary)


class Amdahlc:
    def __init__(self):
        self.binary, self.sanitized = None, False

    def run(self, *arguments, seconds=SECONDS, **options):
        """The finished process, whatever its status; texts unless `text=False`."""
        if self.binary is None:
            raise WrongBinary('nothing is built below build/: run ./dev build, or give --binary PATH')
        options = {'text': True, 'capture_output': True, 'stdin': None if 'input' in options else subprocess.DEVNULL, **options}
        if options['text']:
            options['errors'] = 'replace'
        return subprocess.run([str(self.binary), *map(str, arguments)], timeout=seconds, **options)

    def text(self, *arguments, **options):
        """What it prints; a failure is an error."""
        done = self.run(*arguments, **options)
        if done.returncode:
            raise Failed(f'exit {done.returncode}: {" ".join(map(str, arguments))}\n{done.stderr[-2000:]}')
        return done.stdout

    def outputs(self, kinds, *arguments, **options):
        """Of one run, the outputs of some kinds, in the order in which they are named."""
        with tempfile.TemporaryDirectory(prefix='checks-') as folder:
            files = {kind: pathlib.Path(folder, kind) for kind in kinds.split()}
            self.text(*(f'-emit={kind}={path}' for kind, path in files.items()), *arguments, **options)
            return [read(kind, path) for kind, path in files.items()]

    def report(self, *arguments, **options):
        return self.outputs('json', *arguments, **options)[0]

    def run_report(self, *arguments, **options):
        """The only run of the report."""
        [run] = self.report(*arguments, **options)['runs']
        return run


def read(kind, path):
    if kind in TABLES:
        return rows(path)
    if path.is_dir():
        return {file.name: file.read_text(encoding='utf-8', errors='replace') for file in path.iterdir()}
    text = path.read_text(encoding='utf-8', errors='replace')
    return json.loads(text) if kind in ('json', 'ranks-json') else text


def rows(path):
    with open(path, encoding='utf-8', newline='') as file:
        return list(csv.DictReader(file))


amdahlc = Amdahlc()


@functools.cache
def recorded(pair):
    """(report, summary, bindings) of a pair of the folder `shared`, with the verifiers on; checks of one process share them."""
    return amdahlc.outputs('json summary=full bindings', '-verify-each', *pair.options(), pair.model_path)
