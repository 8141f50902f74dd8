"""The types of the report in TypeScript are those that its JSON Schema makes."""
import subprocess
import sys

from checks.command import amdahlc
from checks.places import SOURCE

PAGE = SOURCE / 'report' / 'page'


def check(check):
    made = subprocess.run([sys.executable, '-B', PAGE / 'contract' / 'generate.py', '--binary', amdahlc.binary, '--check'], capture_output=True, text=True)
    check.equal('contract/report.ts', made.stderr.strip(), '')
