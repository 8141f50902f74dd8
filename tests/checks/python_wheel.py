"""The wheel of the Python package holds what it needs and nothing of its builder, and works in new environments of every Python of the machine."""
import functools
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

from checks import sampling
from checks.command import amdahlc, temporary
from checks.places import ENCODER, ENCODER_TRACE, SOURCE, installed
from checks.protobuf import message
from checks.results import Skip

MEGABYTES, SYMBOLS, OLDEST = 14, 50, (3, 10)
BUNDLED = re.compile(r'\b(google::protobuf|onnx|antlr4|fmt|YAML)::')
# From the system, beside what Python itself loads.
SYSTEM = {'libc.so.6', 'libm.so.6', 'libgcc_s.so.1', 'libstdc++.so.6', 'ld-linux-x86-64.so.2'}
OTHERS = ('torch', 'onnx', 'onnxruntime')


def relu():
    """A model of one node, in ONNX's format."""
    def value(name):
        shape = message((1, message((1, 2))))
        return message((1, name), (2, message((1, message((1, 1), (2, shape))))))
    graph = message((1, message((1, 'x'), (2, 'y'), (4, 'Relu'))), (2, 'g'), (11, value('x')), (12, value('y')))
    return message((1, 8), (7, graph), (8, message((1, ''), (2, 17))))


WORK = f"""
import os, sys
def amdahlc_work():
    import amdahlc
    report = amdahlc.analyze({str(ENCODER)!r}, trace={str(ENCODER_TRACE)!r})
    assert report.trust == 'full' and report.what_if('linear=2x').busy_ns < report.busy_ns
    assert report.render('svg').startswith(b'<svg') or b'<svg' in report.render('svg')
    assert report.to_html().startswith('<!doctype html>')
def torch_work():
    import torch
    layer = torch.nn.Linear(8, 8)
    layer(torch.ones(2, 8)).sum().backward()
    with torch.profiler.profile() as profile:
        torch.jit.script(torch.nn.ReLU())(torch.ones(3))
    assert profile.events()
def onnx_work():
    import onnx
    model = onnx.load({str(ENCODER)!r}, load_external_data=False)
    assert onnx.shape_inference.infer_shapes(model).graph.node
def onnxruntime_work():
    import onnxruntime
    session = onnxruntime.InferenceSession({relu()!r}, providers=['CPUExecutionProvider'])
    assert session.run(None, {{'x': [-1.0, 2.0]}})[0].tolist() == [0.0, 2.0]
"""


@functools.cache
def wheel():
    if not sampling.is_all():
        raise Skip('the wheel is for runs of all cases')
    build = amdahlc.binary.parent.parent
    if not (build / 'python' / 'amdahlc' / '_core.abi3.so').exists():
        raise Skip('the extension is not built; `./dev test` does so')
    tools, folder = build_tools(), temporary()
    ran = subprocess.run([sys.executable, '-B', SOURCE / 'python' / 'wheel' / 'make.py', build, folder], capture_output=True, text=True,
                         env={**os.environ, 'PATH': f'{tools}/bin:{os.environ["PATH"]}', 'PYTHONPATH': str(tools)})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    [path] = folder.glob('*.whl')
    return path


def build_tools():
    return installed('python-build', SOURCE / 'python' / 'requirements.txt')


@functools.cache
def pythons():
    """Each Python of the machine that the package is for, with its version: of the search path, and of pyenv."""
    names = [f'python3.{minor}' for minor in range(OLDEST[1], 30)]
    pyenv = pathlib.Path(os.environ.get('PYENV_ROOT') or pathlib.Path.home() / '.pyenv')
    found = {}
    for path in [pathlib.Path(folder) / name for folder in os.get_exec_path() for name in names] + sorted(pyenv.glob('versions/*/bin/python3')):
        if not os.access(path, os.X_OK) or 'shims' in path.parts:
            continue
        ran = subprocess.run([path, '-c', 'import sys; print(sys.executable, *sys.version_info[:2])'], capture_output=True, text=True)
        executable, _, version = ran.stdout.strip().partition(' ')
        if executable and (number := tuple(map(int, version.split()))) >= OLDEST:
            found.setdefault(executable, number)
    return found


def install(python, options):
    """The wheel and what it depends on, into a folder or an environment."""
    ran = subprocess.run([python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', *options, wheel()], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def run(arguments, folder, **environment):
    """A process without the variables of this one."""
    return subprocess.run(['env', '-i', *(f'{name}={value}' for name, value in environment.items()), *map(str, arguments)], cwd=folder, capture_output=True, text=True)


def content(check):
    """The wheel is small, exports few symbols and none of a bundled library, is true to the limited interface, and names no folder of its builder."""
    path = wheel()
    check.that(path.stat().st_size <= MEGABYTES * 1e6, f'{path.stat().st_size / 1e6:.1f} MB, at most {MEGABYTES}')
    check.that('-cp310-abi3-manylinux_' in path.name, f'it is named {path.name}')
    builders = [f'{folder}/'.encode() for folder in (SOURCE, pathlib.Path.home(), tempfile.gettempdir())]
    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(path) as archive:
        archive.extractall(name)
        files = [file for file in sorted(pathlib.Path(name).rglob('*')) if file.is_file()]
        in_wheel = {file.name for file in files} | SYSTEM
        for file in files:
            data = file.read_bytes()
            if data.startswith(b'\x7fELF'):
                section = subprocess.run(['readelf', '--dynamic', '--wide', file], capture_output=True, text=True, check=True).stdout
                check.none(f'{file.name} needs of the system', sorted(set(re.findall(r'\(NEEDED\).*\[(.*)\]', section)) - in_wheel))
            check.none(file.name, (data[max(at - 40, 0):at + 80] for one in builders if (at := data.find(one)) >= 0))
        [extension] = pathlib.Path(name).glob('amdahlc/_core.abi3.so')
        symbols = subprocess.run(['nm', '--dynamic', '--defined-only', '--demangle', extension], capture_output=True, text=True, check=True).stdout.splitlines()
        check.that(0 < len(symbols) < SYMBOLS, f'{len(symbols)} symbols are exported, fewer than {SYMBOLS} wanted')
        check.none('of a bundled library', filter(BUNDLED.search, symbols))
    ran = subprocess.run([sys.executable, '-m', 'abi3audit', '--strict', path], capture_output=True, text=True, env={**os.environ, 'PYTHONPATH': str(build_tools())})
    check.that(ran.returncode == 0, f'abi3audit: {ran.stdout}{ran.stderr}')


def environments(check):
    """In a new environment of each Python, with no variable set, it analyses, draws, writes a page and runs the command."""
    versions = {version: python for python, version in reversed(pythons().items())}
    expected = amdahlc.run(f'-trace={ENCODER_TRACE}', ENCODER).stdout
    for version, python in sorted(versions.items()):
        name = '.'.join(map(str, version))
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([python, '-m', 'venv', f'{folder}/venv'], capture_output=True, text=True)
            if made.returncode != 0:
                check.left_out(f'Python {name}', f'it makes no environments: {made.stdout.strip()[-200:]}')
                continue
            own = pathlib.Path(folder) / 'venv' / 'bin' / 'python'
            install(own, [])
            ran = run([own, '-c', WORK + 'amdahlc_work()'], folder)
            check.that((ran.returncode, ran.stdout, ran.stderr) == (0, '', ''), f'{name}: {ran.returncode} {ran.stdout}{ran.stderr[-2000:]}')
            for command in ([own.parent / 'amdahlc'], [own, '-m', 'amdahlc']):
                ran = run([*command, f'-trace={ENCODER_TRACE}', ENCODER], folder)
                check.that(ran.stdout + ran.stderr == expected, f'{name}: {command[-1]} prints {(ran.stdout + ran.stderr)[:1000]}')
            check.none(f'{name}: from the system', libraries(own, folder))
        check.say(f'Python {name} passed')


def libraries(python, folder):
    """Those that the package loads from the system, and that Python does not load for the same modules of its own."""
    modules = WORK + "amdahlc_work(); print(*(name for name in sys.modules if name.split('.')[0] in sys.stdlib_module_names))"
    names = run([python, '-c', modules], folder).stdout.split()

    def loaded(program):
        log = run([python, '-c', program], folder, LD_DEBUG='libs').stderr
        return {pathlib.Path(path) for path in re.findall(r'calling init: (\S+)', log)}

    own = loaded('import importlib\nfor name in ' + repr(names) + ':\n    try: importlib.import_module(name)\n    except ImportError: pass')
    found = loaded(WORK + 'amdahlc_work()')
    assert any(path.name.startswith('_core') for path in found), 'the log has no libraries'
    return sorted(str(path) for path in found - own if not path.is_relative_to(folder) and path.name not in SYSTEM)


def orders(check):
    """In every order of import the package works beside torch, onnx and onnxruntime, also where these give their symbols to all."""
    wheel()
    has_others = f'import importlib.util as util, sys; sys.exit(not all(map(util.find_spec, {OTHERS!r})))'
    fitting = [python for python in pythons() if subprocess.run([python, '-c', has_others]).returncode == 0]
    if not fitting:
        raise Skip(f'no Python of the search path has {", ".join(OTHERS)}')
    with tempfile.TemporaryDirectory() as folder:
        install(fitting[0], ['--target', folder])
        cases = [(order, '') for order in itertools.permutations(('amdahlc', *OTHERS))]
        cases += [(order, 'sys.setdlopenflags(os.RTLD_GLOBAL | os.RTLD_NOW)\n') for order in ((*OTHERS, 'amdahlc'), ('amdahlc', *OTHERS))]
        for order, before in cases:
            program = WORK + before + ''.join(f'import {name}\n{name}_work()\n' for name in order) + ''.join(f'{name}_work()\n' for name in order)
            ran = run([fitting[0], '-c', program], folder, PYTHONPATH=folder)
            check.that(ran.returncode == 0, f'{", ".join(order)}{" for all" if before else ""}: {ran.returncode} {ran.stderr[-1500:]}')
