"""The client that is part of Neovim, driven by neovim.lua."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from checks.command import amdahlc
from checks.results import Skip

SCRIPT = pathlib.Path(__file__).with_name('neovim.lua')
SECONDS = 120


def check(check):
    if not shutil.which('nvim'):
        raise Skip('nvim is not installed')
    with tempfile.TemporaryDirectory(prefix='neovim-') as folder:
        rules, home = pathlib.Path(folder, 'rules'), pathlib.Path(folder, 'home')
        rules.mkdir()
        home.mkdir()
        done = subprocess.run(['nvim', '--headless', '--clean', '-n', '-i', 'NONE', '-c', f'luafile {SCRIPT}'], timeout=SECONDS, cwd=rules, capture_output=True, text=True,
                              env=os.environ | {'BINARY': str(amdahlc.binary), 'FOLDER': str(rules), 'HOME': str(home), 'XDG_STATE_HOME': str(home),
                                                'XDG_CACHE_HOME': str(home), 'LC_ALL': 'C.UTF-8'})
        check.that(not done.returncode, f'exit {done.returncode}\n{done.stdout}{done.stderr}')
