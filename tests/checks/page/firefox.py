"""Firefox opens a page from a file, shows each view without an error, and draws it.

Debian's Firefox is driven by its own protocol Marionette, which geckodriver speaks, too: messages are JSON behind their length.
"""
import base64
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from checks import sampling
from checks.page.written import written
from checks.results import Skip

FIREFOX = '/usr/bin/firefox-esr'
SECONDS = 60
PREFERENCES = {'marionette.port': 0, 'browser.shell.checkDefaultBrowser': False, 'datareporting.policy.dataSubmissionEnabled': False, 'app.update.enabled': False,
               'network.manage-offline-status': False, 'browser.startup.page': 0, 'toolkit.telemetry.enabled': False}
# A page that is loaded decodes its data before it shows views.
VIEWS = """const [done] = arguments;
let left = 300;
const look = () => {
    if (document.querySelector('main')?.getAttribute('aria-busy') !== 'false' && left-- > 0) return requestAnimationFrame(look);
    done([...document.querySelectorAll('[role=tablist][aria-label=Views] [role=tab]')].map(one => one.textContent));
};
look();"""
SHOW = """const [name, done] = arguments;
const main = document.querySelector('main');
[...document.querySelectorAll('[role=tab]')].find(one => one.textContent === name)?.click();
let left = 300;
const look = () => {
    if (main.getAttribute('aria-busy') === 'true' && left-- > 0) return requestAnimationFrame(look);
    const panel = document.querySelector('[role=tabpanel]');
    done([main.getAttribute('aria-busy'), panel.innerText.trim().length, [...document.querySelectorAll('[role=alert]')].map(one => one.textContent),
          document.documentElement.scrollWidth - document.documentElement.clientWidth]);
};
requestAnimationFrame(() => requestAnimationFrame(look));"""
# Errors and violations of the policy that the console has of a file.
ERRORS = """return Services.console.getMessageArray().filter(one => one instanceof Ci.nsIScriptError && one.sourceName.startsWith('file:') && !(one.flags & one.warningFlag))
    .map(one => one.errorMessage);"""


class Marionette:
    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=SECONDS)
        self.stream = self.socket.makefile('rb')
        self.read()
        self.last = 0

    def read(self):
        length = b''
        while (byte := self.stream.read(1)) != b':':
            if not byte:
                raise ConnectionError('Firefox has ended')
            length += byte
        return json.loads(self.stream.read(int(length)))

    def __call__(self, command, **parameters):
        self.last += 1
        message = json.dumps([0, self.last, command, parameters]).encode()
        self.socket.sendall(b'%d:%s' % (len(message), message))
        _, _, error, result = self.read()
        assert not error, f'{command}: {error}'
        return result

    def script(self, body, *arguments, wait=False):
        return self(f'WebDriver:Execute{"Async" if wait else ""}Script', script=body, args=list(arguments), scriptTimeout=SECONDS * 1000)['value']


class Firefox:
    """A running Firefox with a profile of its own; all of it ends with the block."""

    def __enter__(self):
        self.profile = pathlib.Path(tempfile.mkdtemp(prefix='checks-firefox-'))
        (self.profile / 'user.js').write_text(''.join(f'user_pref({json.dumps(name)}, {json.dumps(value)});\n' for name, value in PREFERENCES.items()))
        self.process = subprocess.Popen([FIREFOX, '--headless', '--marionette', '--remote-allow-system-access', '--no-remote', '--profile', self.profile], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, 'HOME': str(self.profile)}, start_new_session=True)
        try:
            marionette = Marionette(self.port())
            marionette('WebDriver:NewSession', capabilities={})
            marionette('WebDriver:SetWindowRect', width=1440, height=900)
            return marionette
        except BaseException:
            self.__exit__()
            raise

    def port(self):
        """Of Marionette, which writes it into the profile."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            assert self.process.poll() is None, f'Firefox ends with {self.process.returncode}'
            try:
                return int((self.profile / 'MarionetteActivePort').read_text())
            except (OSError, ValueError):
                time.sleep(0.1)
        raise TimeoutError('Firefox does not listen')

    def __exit__(self, *_):
        # Its processes are a session of their own.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def check(check):
    if not pathlib.Path(FIREFOX).exists():
        raise Skip('the package firefox-esr is missing')
    if not sampling.is_all():
        raise Skip('a second browser is for runs of all cases')
    with Firefox() as firefox:
        for name in ('encoder', 'decoder', 'comparison', 'ranks'):
            firefox('WebDriver:Navigate', url=written(name).path.as_uri())
            views = firefox.script(VIEWS, wait=True)
            check.that('Kernels' in views and len(views) > 4, f'{name}: the views are {views}')
            for view in views:
                busy, length, alerts, beyond = firefox.script(SHOW, view, wait=True)
                check.equal(f'{name}, {view}: busy', busy, 'false')
                check.that(length > 40, f'{name}, {view} has {length} characters')
                check.none(f'{name}, {view}: messages', alerts)
                check.equal(f'{name}, {view}: pixels beyond the right edge', beyond, 0)
                picture = base64.b64decode(firefox('WebDriver:TakeScreenshot', full=False)['value'])
                check.that(picture.startswith(b'\x89PNG') and len(picture) > 8000, f'{name}, {view}: the picture has {len(picture)} bytes')
        firefox('Marionette:SetContext', value='chrome')
        check.none('errors', firefox.script(ERRORS))
