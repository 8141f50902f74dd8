#!/usr/bin/env python3
"""Makes the wheel of the package that a build folder has, for other systems: `make.py BUILD FOLDER`.

auditwheel takes shared libraries into the wheel. It leaves out those that nearly every system has, such as those of expat and zlib, which Graphviz needs;
a bare container has none of them, so that the wheel takes them, too.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from auditwheel import policy
from auditwheel.libc import Libc
from auditwheel.main import main as auditwheel

ROOT = pathlib.Path(__file__).resolve().parents[2]
SYSTEM = {'libc.so.6', 'libm.so.6', 'libgcc_s.so.1', 'libstdc++.so.6'}

# Debian's shared expat takes random numbers from glibc 2.36. All else needs 2.35, which Ubuntu 22.04 has, so that the wheel has Debian's static library with
# another source of them.
RANDOM = """
#include <stddef.h>
#include <unistd.h>
void arc4random_buf(void* to, size_t size) { while (getentropy(to, size) != 0) {} }
"""


def make_expat(folder):
    (folder / 'random.c').write_text(RANDOM)
    (folder / 'symbols').write_text('{ global: XML_*; local: *; };')
    subprocess.run(['cc', '-O2', '-fPIC', '-shared', '-o', 'libexpat.so.1', '-Wl,-soname,libexpat.so.1', '-Wl,-Bsymbolic', '-Wl,--version-script=symbols', 'random.c',
                    '-Wl,--whole-archive,-l:libexpat.a,--no-whole-archive'], cwd=folder, check=True)
    os.environ['LD_LIBRARY_PATH'] = str(folder)


def with_more_libraries(folder):
    policies = json.loads(policy._POLICY_JSON_MAP[Libc.GLIBC].read_text())
    for one in policies:
        one['lib_whitelist'] = [library for library in one['lib_whitelist'] if library in SYSTEM]
    path = folder / 'policies.json'
    path.write_text(json.dumps(policies))
    policy._POLICY_JSON_MAP[Libc.GLIBC] = path


def main(build, to):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        settings = {'build-dir': folder / 'cmake', 'cmake.source-dir': 'python/wheel', 'cmake.define.AMDAHLC_BUILD': build.resolve()}
        subprocess.run([sys.executable, '-m', 'pip', 'wheel', '--quiet', '--disable-pip-version-check', '--no-deps', '--no-build-isolation', '--wheel-dir', folder,
                        *(f'--config-settings={key}={value}' for key, value in settings.items()), '.'], cwd=ROOT, check=True)
        [wheel] = folder.glob('*.whl')
        with_more_libraries(folder)
        make_expat(folder)
        sys.argv = ['auditwheel', 'repair', '--wheel-dir', str(to), str(wheel)]
        return auditwheel()


if __name__ == '__main__':
    sys.exit(main(*map(pathlib.Path, sys.argv[1:])))
