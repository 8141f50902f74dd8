"""Opens pages in Chromium, as a user does: from a file, without a network. What goes wrong in a page is a fault of it.

The scripts of a check run inside of the page (`Tab.inside`), where its policy holds; the driver's own are not subject to it.
"""
import atexit
import contextlib
import functools
import pathlib
import shutil
import sys

from checks.places import installed
from checks.results import Skip

SECONDS = 30
CHROMIUM = '/usr/bin/chromium'
# Parts of the summary get their links a moment after it is shown.
SETTLED = 'main[aria-busy=false]:not(:has([aria-busy=true]))'
FRAMES = '() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))'
# Timers end in the order of their times, and the page writes the address after 150 ms.
ADDRESS_WRITTEN = '() => new Promise(done => setTimeout(done, 160))'
DESKTOP, PHONE = (1440, 900), (400, 800)


def driver():
    """Playwright as `./dev` installs it."""
    folder = installed('browser', pathlib.Path(__file__).with_name('browser_requirements.txt'))
    if not shutil.which(CHROMIUM):
        raise Skip('the package chromium is missing')
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise Skip(f'Playwright is for another Python: {error}') from error
    return sync_playwright


class Tab:
    """An open page. `faults` has errors of its console, violations of its policy, and everything that it asked for."""

    def __init__(self, page, file, fragment=''):
        self.page, self.faults = page, []
        page.set_default_timeout(SECONDS * 1000)
        page.on('pageerror', lambda error: self.faults.append(f'error: {error}'))
        page.on('console', lambda message: self.faults.append(f'{message.type}: {message.text}') if message.type in ('error', 'warning') else None)
        url = file.resolve().as_uri()
        page.on('request', lambda request: self.faults.append(f'request: {request.url}') if request.url.partition('#')[0] != url else None)
        page.goto(f'{url}#{fragment}' if fragment else url)

    def settle(self):
        """Waits until the page has shown what was asked for, and knows its size."""
        self.page.wait_for_selector(SETTLED)
        self.page.evaluate(FRAMES)
        return self

    def go(self, fragment):
        """Shows what a fragment says, and nothing of what was chosen before."""
        self.page.evaluate("""fragment => new Promise(done => {
            // The same address again is no event, and an end without a parameter is another address.
            if (location.hash === `#${fragment}`) fragment += "&";
            addEventListener("hashchange", done, { once: true });
            location.hash = fragment;
        })""", fragment)
        return self.settle()

    def wait_for_address(self):
        """Waits until the address, which follows a moment later, has all that was chosen."""
        self.page.evaluate(ADDRESS_WRITTEN)

    def inside(self, body):
        """What an expression gives, or the name of the error that it throws, where the page's policy holds: in a task of the page."""
        return self.page.evaluate("""body => new Promise(done => {
            const ask = () => { let value; try { value = (%s)(); } catch (error) { return done(`threw ${error.name}`); }
                                Promise.resolve(value).then(done, error => done(`threw ${error.name}`)); };
            setTimeout(ask, 0);
        })""" % body, '')

    def screenshot(self, file, **options):
        self.page.screenshot(path=str(file), **options)


class Browser:
    def __init__(self, chromium):
        self.chromium = chromium

    @contextlib.contextmanager
    def open(self, file, size=DESKTOP, scheme='light', script=True, fragment='', first='', ready=True, **options):
        """`first` is a script that runs before the page's own; a page that is not amdahlc's is never `ready`."""
        context = self.chromium.new_context(viewport=dict(zip(('width', 'height'), size)), color_scheme=scheme, java_script_enabled=script, offline=True, **options)
        try:
            if first:
                context.add_init_script(first)
            tab = Tab(context.new_page(), file, fragment)
            yield tab.settle() if script and ready else tab
        finally:
            context.close()


@functools.cache
def playwright():
    started = driver()().start()
    atexit.register(started.stop)
    return started


launched = []


@contextlib.contextmanager
def browser():
    """The browser of this process, in which each page is opened without anything of the others."""
    if not launched or not launched[0].is_connected():
        launched[:] = [playwright().chromium.launch(executable_path=CHROMIUM)]
    yield Browser(launched[0])
