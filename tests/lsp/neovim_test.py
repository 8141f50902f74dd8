#!/usr/bin/env python3
"""neovim_test.py BINARY: the client that is part of Neovim, driven by neovim.lua. Exit status 77: Neovim is missing."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).with_name('neovim.lua')
SECONDS = 120


def main(binary):
    if not shutil.which('nvim'):
        print('skipped: nvim is not installed')
        return 77
    with tempfile.TemporaryDirectory(prefix='neovim-') as folder:
        home = pathlib.Path(folder, 'home')
        home.mkdir()
        rules = pathlib.Path(folder, 'rules')
        rules.mkdir()
        done = subprocess.run(['nvim', '--headless', '--clean', '-n', '-i', 'NONE', '-c', f'luafile {SCRIPT}'], timeout=SECONDS, cwd=rules,
                              env=os.environ | {'BINARY': str(binary), 'FOLDER': str(rules), 'HOME': str(home), 'XDG_STATE_HOME': str(home),
                                                'XDG_CACHE_HOME': str(home), 'LC_ALL': 'C.UTF-8'})
    print()
    return 1 if done.returncode else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
