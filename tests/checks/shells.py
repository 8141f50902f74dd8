"""Completion works in a shell, and formatters take the manual page without a word.

In bash and zsh the keys are typed into an interactive shell, and the line is read back after the tabulator. fish is asked by its `complete -C`.
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time

from checks.command import amdahlc
from checks.results import Skip

FILES = ('model.onnx', 'trace.json', 'other trace.json', 'report.json', 'folder/inside.json')
# What is typed, and what stands there after the tabulator, without what may follow: a blank, `,` or `=`.
CASES = {
    '-emi': '-emit',
    '--emi': '--emit',
    '-emit=js': '-emit=json',
    '--emit=js': '--emit=json',
    '-emit js': '-emit json',
    '-emit=json=rep': '-emit=json=report.json',
    '-color=al': '-color=always',
    '-steps=au': '-steps=auto',
    '-passes=simpl': '-passes=simplify',
    '-passes=simplify,fu': '-passes=simplify,fuse',
    '-print-after=simplify,spe': '-print-after=simplify,speedup-rewrite',
    '-trace=tra': '-trace=trace.json',
    '-trace=mine=tra': '-trace=mine=trace.json',
    '-trace=trace.json,rep': '-trace=trace.json,report.json',
    '-trace=folder/ins': '-trace=folder/inside.json',
    '-trace tra': '-trace trace.json',
    '-o=rep': '-o=report.json',
    '-rules=ten': '-rules=tensorrt',
    '-help=what': '-help=what-if',
    '-help=trace-b': '-help=trace-bind',
    '-h=trace-b': '-h=trace-bind',
    '-help=completion-ba': '-help=completion-bash',
    '-strict-b': '-strict-bind',
    '-what-if=rep': '-what-if=report.json',
    '-speedu': '-speedu',
    '-print-pass-doc': '-print-pass-doc',
    '-fol': '-fol',
    'mod': 'model.onnx',
    '-stats mod': '-stats model.onnx',
}
# Bash quotes what it completes; other shells have other ways to do so.
BASH_CASES = {'oth': 'other\\ trace.json', '-trace=oth': '-trace=other\\ trace.json', '-- mod': '-- model.onnx'}
SETUP = {
    'bash': ['PS1="> "; PS2=; unset PROMPT_COMMAND HISTFILE; bind "set bell-style none"; bind "set enable-bracketed-paste off"',
             r'''show() { printf '\nLINE<%s>\n' "$READLINE_LINE"; READLINE_LINE=; }; bind -x '"\C-x": show' '''],
    'zsh': ['PS1="> "; unset HISTFILE; setopt no_beep; unset zle_bracketed_paste; zstyle ":completion:*" menu no; autoload -Uz compinit; compinit -D -u',
            r'''show() { print; print -r -- "LINE<$BUFFER>"; BUFFER=; zle accept-line }; zle -N show; bindkey '^X' show; bindkey '^I' complete-word'''],
}
START = {'bash': ['bash', '--norc', '--noprofile', '-i'], 'zsh': ['zsh', '-f', '-i']}
WAIT_S = 60


class Terminal:
    """An interactive shell."""

    def __init__(self, command, folder):
        self.output = ''
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            environment = {'PATH': os.environ['PATH'], 'HOME': folder, 'TERM': 'dumb', 'LC_ALL': 'C.UTF-8', 'COLUMNS': '200', 'ZDOTDIR': folder}
            os.execvpe(command[0], command, environment)

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def wait_for(self, pattern):
        """The match of a pattern in what came since the last one."""
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            if match := re.search(pattern, self.output, re.DOTALL):
                self.output = self.output[match.end():]
                return match
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.output += os.read(self.terminal, 65536).decode(errors='replace').replace('\r', '')
        raise TimeoutError(f'the shell does not show {pattern}; it shows:\n{self.output}')

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def typed(shell, script, folder, cases):
    """The cases that a shell completes to something else."""
    terminal = Terminal(START[shell], folder)
    try:
        for number, line in enumerate([*SETUP[shell], f'source {script}', 'stty -echo 2> /dev/null']):
            terminal.type(f'{line}; echo ready$(({number} + 1000))\n')
            terminal.wait_for(f'ready{number + 1000}')
        for keys, expected in cases.items():
            terminal.type(f'amdahlc {keys}\t\x18')
            got = terminal.wait_for(r'LINE<amdahlc ([^\n]*)>')[1]
            if got.rstrip(' ,=') != expected:
                yield f'`amdahlc {keys}` becomes `amdahlc {got}`, not `amdahlc {expected}`'
    finally:
        terminal.close()


def asked(script, folder, cases):
    """The cases for which fish offers something else."""
    for keys, expected in cases.items():
        asking = f'source {script}; complete -C "amdahlc {keys}"'
        done = subprocess.run(['fish', '--no-config', '-c', asking], cwd=folder, capture_output=True, text=True, timeout=WAIT_S)
        if done.stderr:
            yield f'`amdahlc {keys}`: fish says {done.stderr}'
        # fish offers the whole last word, with a tabulator before its meaning.
        offered = [line.split('\t')[0].rstrip(' ,=') for line in done.stdout.splitlines()]
        wanted = expected.split(' ')[-1]
        if offered != [wanted] and not (not offered and keys == expected):
            yield f'`amdahlc {keys}`: fish offers {offered}, not {wanted}'


# How a text for a shell, or the manual page, names an option.
NAMED = {'bash': r'^  {}=?$', 'zsh': r'(?<![\w-])-{}(?![\w-])', 'fish': r' -o {} ', 'man': r'^(-\w+, )*-{}(?![\w-])'}


def options_without(what, text):
    """Options of -help that a text does not have."""
    shown = re.findall(r'^  ((?:-[\w-]+, )*-[\w-]+)', amdahlc.text('-help'), re.MULTILINE)
    names = {name.removeprefix('-') for group in shown for name in group.split(', ')}
    if len(names) < 20:
        yield f'-help shows {len(names)} options only'
    if what == 'man':
        text = re.sub(r'\\f[BIP]', '', text).replace('\\-', '-')
    yield from (f'the option {name} is missing' for name in sorted(names) if not re.search(NAMED[what].format(re.escape(name)), text, re.MULTILINE))


def completion(check):
    shell = check.last_name
    if not shutil.which(shell):
        raise Skip(f'{shell} is not installed')
    with tempfile.TemporaryDirectory(prefix='shells-') as folder:
        script = pathlib.Path(folder, 'completion')
        script.write_text(amdahlc.text(f'-help=completion-{shell}'))
        for name in FILES:
            file = pathlib.Path(folder, name)
            file.parent.mkdir(exist_ok=True)
            file.touch()
        syntax = subprocess.run([shell, '--no-execute' if shell == 'fish' else '-n', script], capture_output=True, text=True)
        if check.that(not syntax.returncode and not syntax.stderr, f'the script is no {shell}: {syntax.stderr}'):
            check.none(shell, options_without(shell, script.read_text()))
            check.none(shell, asked(script, folder, CASES) if shell == 'fish' else typed(shell, script, folder, CASES | (BASH_CASES if shell == 'bash' else {})))


def man_page(check):
    """Every option is in the manual page, and the formatters that are installed take it without a word."""
    formatters = {'groff': ['-man', '-ww', '-Kutf8', '-Tutf8', '-z'], 'mandoc': ['-Tlint', '-Wwarning'], 'man': ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z']}
    installed = [name for name in formatters if shutil.which(name)]
    for name in formatters.keys() - set(installed):
        check.left_out(name, 'it is not installed')
    if not installed:
        raise Skip('no formatter is installed')
    with tempfile.TemporaryDirectory(prefix='man-') as folder:
        page = pathlib.Path(folder, 'amdahlc.1')
        page.write_text(amdahlc.text('-help=man-page'))
        check.none('man', options_without('man', page.read_text()))
        for name in installed:
            done = subprocess.run([name, *formatters[name], page], capture_output=True, text=True, env={'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8'})
            said = done.stderr if name != 'mandoc' else done.stdout + done.stderr
            # A date would make equal builds print different pages.
            check.none(name, (line for line in said.splitlines() if 'missing date' not in line))
