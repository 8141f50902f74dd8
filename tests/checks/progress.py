"""Long work shows a line of progress on a terminal, which is written anew and taken away; nothing in a pipe, on a terminal without escape sequences, or of short work."""
import os
import pty
import select
import subprocess
import time

from checks.command import amdahlc
from checks.places import SOURCE

CLEAR = '\r\x1b[K'
# The command waits for its input, which this process writes late: after that time, or after a text is on the terminal.
SLOW_S = 1.6
PATIENCE_S = 60


def read_until(descriptor, text, seconds):
    """What arrives until it holds the text (b'' for none), the other side is closed, or nothing came for some seconds."""
    read = b''
    while not (text and text in read) and select.select([descriptor], [], [], seconds)[0]:
        try:
            piece = os.read(descriptor, 1 << 16)
        except OSError:  # the other side of a terminal is closed
            break
        if not piece:
            break
        read += piece
    return read


def stderr_of(terminal, awaited=b'', term='xterm'):
    """What the command writes to stderr, a terminal or a pipe, while its trace comes from stdin, late."""
    trace = (SOURCE / 'examples' / 'encoder.trace.json.gz').read_bytes()
    if terminal:
        ours, theirs = pty.openpty()
    else:
        ours, theirs = os.pipe()
    process = subprocess.Popen([amdahlc.binary, '-trace=-', '-emit=csv', SOURCE / 'examples' / 'encoder.onnx'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=theirs, env={**os.environ, 'TERM': term})
    os.close(theirs)
    process.stdin.write(trace[:1000])
    process.stdin.flush()
    text = read_until(ours, awaited, PATIENCE_S) if awaited else b''
    if not awaited:
        time.sleep(SLOW_S)
    process.stdin.write(trace[1000:])
    process.stdin.close()
    process.stdout.read()
    process.wait()
    text += read_until(ours, b'', 1)
    os.close(ours)
    return process.returncode, text.decode()


def check(check):
    status, text = stderr_of(terminal=True, awaited=b'read traces: 1 s')
    lines = text.split(CLEAR)
    check.equal('exit status', status, 0)
    check.that(any(line.startswith('read traces: 1 s') for line in lines), f'a terminal gets no progress of reading: {text!r}')
    check.equal('what is left on the terminal', lines[-1], '')
    check.none('a line that is not written over', (line for line in lines if '\n' in line))
    check.equal('progress on a terminal without escape sequences', stderr_of(terminal=True, term='dumb'), (0, ''))
    check.equal('progress in a pipe', stderr_of(terminal=False), (0, ''))
