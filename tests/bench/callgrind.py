"""Instructions of a whole run, which do not depend on how busy the machine is."""
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile


def is_installed():
    return shutil.which('valgrind') is not None


def instructions(command):
    """Those of a command that ends with status 0 or 1."""
    with tempfile.TemporaryDirectory(prefix='callgrind-') as folder:
        out = pathlib.Path(folder, 'out')
        done = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={out}', *command], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode not in (0, 1) or not out.is_file():
            sys.exit(f'error: {" ".join(map(str, command))} ended with status {done.returncode} under valgrind:\n{done.stderr}')
        # Line by line: the peak of a command counts that of the process which started it.
        with open(out, encoding='utf-8', errors='replace') as lines:
            return int(next(line for line in lines if line.startswith(('totals:', 'summary:'))).split()[1])


def growth(low, middle, high):
    """The exponent of counts at three sizes that double; what does not grow cancels out. None without growth."""
    return math.log2((high - middle) / (middle - low)) if high > middle > low else None
