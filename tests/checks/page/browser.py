"""Opens pages in Chromium, as a user does: from a file, without a network. What goes wrong in a page is a fault of it.

The scripts of a check run inside of the page (`Tab.inside`), where its policy holds; the driver's own are not subject to it.
"""
import contextlib
import pathlib
import shutil
import sys

from checks.places import installed
from checks.results import Skip

SECONDS = 30
CHROMIUM = '/usr/bin/chromium'
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
        self.page.wait_for_selector('main[aria-busy=false]')
        return self

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


@contextlib.contextmanager
def browser():
    with driver()() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM)
        try:
            yield Browser(chromium)
        finally:
            chromium.close()
