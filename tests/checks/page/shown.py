"""Pages in a browser: they ask for nothing, run nothing but their own script, show any name as text, and can be read without a script and on paper."""
import functools
import json
import re

from checks import command
from checks.command import amdahlc
from checks.page.browser import DESKTOP, PHONE, browser
from checks.page.written import written

# What a page must not do, as the body of a function, and what becomes of it.
FORBIDDEN = {
    'markup by innerHTML': ('() => { document.body.innerHTML = "<p>x</p>"; }', 'threw TypeError'),
    'markup by a parser': ('() => new DOMParser().parseFromString("<p>x</p>", "text/html")', 'threw TypeError'),
    'code in a text': ('() => (0, eval)("1")', 'threw EvalError'),
    'a function of a text': ('() => new Function("return 1")()', 'threw EvalError'),
    'a script of its own': ('() => { const one = document.createElement("script"); one.textContent = "window.ran = 1"; document.body.append(one); }', 'threw TypeError'),
    'a request': ('() => fetch("https://example.invalid/")', 'threw TypeError'),
    'a worker': ('() => { new Worker("data:text/javascript,1"); }', 'threw TypeError'),
}
# Names that are markup, end an element, or change how a page is read.
HOSTILE = ['</script><script>window.ran = 1</script>', '<!--<script>', '<img src=x onerror="window.ran = 1">', '"><svg onload=window.ran=1>', "' onmouseover='1",
           ']]>', '&lt;b&gt;&amp;', 'line\nbreak\r\n', 'zero\0byte', 'sep\u2028ara\u2029tors', '\u202eright to left\u202c', 'a\u0301\u200d', '\ud800', '</title>', '</style>',
           '`code` `half', 'javascript:alert(1)', 'n' * 100_000, '${1}', '%s%n', '../../etc/passwd', '']


RECORDED = ('encoder', 'gpu')


def closed(check):
    """Nothing that a page holds or does asks a network, and no text becomes markup or code."""
    with browser() as chromium:
        for name in RECORDED:
            path = written(name).path
            with chromium.open(path) as tab:
                check.none(f'{name}: faults', tab.faults)
                check.that(tab.page.title().endswith(': amdahlc'), f'{name} has the title {tab.page.title()}')
                for what, (body, expected) in FORBIDDEN.items():
                    check.equal(f'{name}: {what}', tab.inside(body), expected)
                check.that(tab.inside('() => window.ran === undefined'), f'{name} ran a script that is not its own')
                check.that(all(fault.startswith('error: ') or 'example.invalid' in fault for fault in tab.faults), f'{name} asked for {tab.faults}')


def hostile_trace(folder):
    """A run whose kernels, operators, annotations, modules, threads and streams have hostile names, one of each for each of them."""
    events, at = [], 1000
    for step in range(3):
        begin = at
        for i, name in enumerate(HOSTILE):
            correlation = step * 1000 + i + 1
            events += [{'ph': 'X', 'cat': 'cpu_op', 'name': name or 'none', 'pid': 1, 'tid': 1, 'ts': at, 'dur': 30},
                       {'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 1, 'tid': 1, 'ts': at + 5, 'dur': 5, 'args': {'correlation': correlation}},
                       {'ph': 'X', 'cat': 'kernel', 'name': name, 'pid': 0, 'tid': 7, 'ts': at + 20, 'dur': 15, 'args': {'correlation': correlation, 'stream': 7}}]
            at += 40
        events += [{'ph': 'X', 'cat': 'user_annotation', 'name': f'ProfilerStep#{step}', 'pid': 1, 'tid': 1, 'ts': begin - 5, 'dur': at - begin + 5},
                   {'ph': 'X', 'cat': 'user_annotation', 'name': HOSTILE[step], 'pid': 1, 'tid': 1, 'ts': begin, 'dur': at - begin}]
        at += 20
    events += [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': HOSTILE[0]}}, {'ph': 'M', 'name': 'thread_name', 'pid': 0, 'tid': 7, 'args': {'name': HOSTILE[2]}}]
    path = folder / '<b>&quot;trace.json'
    path.write_text(json.dumps({'schemaVersion': 1, 'deviceProperties': [{'id': 0, 'name': HOSTILE[3]}], 'traceEvents': events}))
    return path


@functools.cache
def hostile_page():
    folder = command.temporary()
    path = folder / 'hostile.html'
    amdahlc.text(f'-emit=html={path}', hostile_trace(folder))
    return path


def names(check):
    """Names of events, threads, devices and files are texts, whatever characters they have."""
    path = hostile_page()
    text = path.read_bytes()
    check.that(b'\0' not in text, 'the page has a zero byte')
    text.decode('utf-8')
    check.equal('elements that could load or run something', set(re.findall(rb'<(?:img|svg|iframe|object|embed|link|base|form)\b[^>]{0,12}', text)), {b'<svg class="shar'})
    check.equal('scripts', text.count(b'<script'), text.count(b'</script>'))
    with browser() as chromium:
        for script in (True, False):
            with chromium.open(path, script=script) as tab:
                check.none('faults', tab.faults)
                shown = tab.page.locator('#summary').inner_text()
                check.that('window.ran = 1' in shown, 'a name is not shown')
                if script:
                    check.that(tab.inside('() => window.ran === undefined'), 'a name became a script')
                    check.that(tab.inside('() => document.querySelectorAll("img").length === 0'), 'a name became an element')


def overflow(tab):
    return tab.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')


def findings(tab, within):
    """What axe-core says of a part of the page, by rule."""
    from axe_playwright_python.sync_playwright import Axe
    violations = Axe().run(tab.page, context=within, options={'resultTypes': ['violations']}).response['violations']
    return [f'{one["id"]}: {one["nodes"][0]["html"][:200]}' for one in violations]


def plain(check):
    """The summary is there without a script, on paper, on a phone and in both colour schemes, and whoever reads it with a screen reader finds all of it."""
    with browser() as chromium:
        for name in RECORDED:
            path = written(name).path
            with chromium.open(path) as tab:
                for scheme in ('light', 'dark'):
                    tab.page.emulate_media(color_scheme=scheme)
                    check.none(f'{name}, {scheme}: findings of axe', findings(tab, '#summary'))
                fits(check, tab, f'{name} with a script')
            with chromium.open(path, script=False) as tab:
                shown = tab.page.locator('#summary').inner_text()
                # A run on a CPU is not replayed.
                for word in ('Trust in what was measured:', *(['Trust in predictions:'] if name == 'gpu' else []), 'What to do first', 'Longest kernels', 'Wall', 'Busy'):
                    check.that(word in shown, f'{name} without a script lacks `{word}`')
                fits(check, tab, f'{name} without a script')
                tab.page.emulate_media(media='print')
                check.that(tab.page.locator('#summary').is_visible(), f'{name} on paper has no summary')
                check.that(tab.page.pdf().startswith(b'%PDF'), f'{name} cannot be printed')


def fits(check, tab, what):
    """The summary has a readable width on a phone and on a desk."""
    for size in (PHONE, DESKTOP):
        tab.page.set_viewport_size(dict(zip(('width', 'height'), size)))
        check.that(tab.page.locator('#summary').bounding_box()['height'] < 6000, f'{what}, {size[0]} px: the summary is a narrow column')
        check.equal(f'{what}, {size[0]} px: pixels beyond the right edge', overflow(tab), 0)
