#!/usr/bin/env python3
"""What pages cost: to open, to draw, to search, to predict, in memory and on disk, each beside the most that it may cost.

  page.py --binary PATH [PART...]     parts: sizes, time; both by default

Pages are opened in Chromium from a file. Time and memory are measured on pages of generated runs of 250 000 and 1 000 000 device events with as many operators
and launches, and predictions at 20 000. Opening is the least of three times, because other programs only add, until the mark `amdahlc:ready`, with the summary and with the timeline; of frames
and searches the 95th percentile counts, of frames the median of three openings. Of predictions the most counts. Memory is
what is in use after a collection, with arrays, of the open timeline. Sizes are those of the pages of all traces of the folder `shared` beside the project; of
each its part of 0.6 times the trace, compressed by gzip, and 700 kB. Fails where a bar is not met.
"""
import argparse
import base64
import gzip
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks.page.browser import browser   # noqa: E402
from checks.page.document import Document, inflated   # noqa: E402
from checks.page.generated import Shape, write   # noqa: E402
from checks.places import EXAMPLES, SHARED   # noqa: E402

LAUNCHES = 2000
MB, KB = 1e6, 1e3
OPENED = 3
FRAMES = 60
SEARCHES = ('op_1', 'op_12', 'kernel', 'Block_7', 'block op', 'nothing has this')
CHANGES = ('host=2x', 'launches=2x', 'cuda-graph', 'rule:elementwise=2x')


class Table:
    def __init__(self):
        self.missed = []
        print(f'{"":66}{"at most":>12}{"measured":>12}')

    def row(self, what, most, value, unit):
        is_met = value <= most
        if not is_met:
            self.missed.append(what)
        print(f'{what:66}{f"{most:.5g} {unit}":>12}{f"{value:.4g} {unit}":>12}{"" if is_met else "  too much"}', flush=True)


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def run(binary, trace, page, *options):
    subprocess.run([binary, trace, f'-emit=html={page}', *options], check=True, stdout=subprocess.DEVNULL)


def measures(tab, name):
    return tab.page.evaluate('name => performance.getEntriesByName(name).map(one => one.duration)', name)


def ready(tab):
    return tab.page.evaluate('() => performance.getEntriesByName("amdahlc:ready")[0].startTime')


def opening(chromium, page, fragment):
    """Milliseconds from the start of the navigation; the least of some, because other programs only add."""
    times = []
    for _ in range(OPENED):
        with chromium.open(page, fragment=fragment) as tab:
            times.append(ready(tab))
    return min(times)


def frames(tab):
    """Milliseconds of own work while the visible range is zoomed and moved."""
    tab.page.evaluate('() => performance.clearMeasures("amdahlc:frame")')
    box = tab.page.locator('.timeline-surface canvas').bounding_box()
    tab.page.mouse.move(box['x'] + box['width'] / 2, box['y'] + 60)
    tab.page.get_by_role('grid', name='Lanes').focus()
    for i in range(FRAMES):
        tab.page.keyboard.press('wwwwddssaasd'[i % 12])
        tab.page.evaluate('() => new Promise(requestAnimationFrame)')
    return measures(tab, 'amdahlc:frame')


def searches(tab):
    box = tab.page.get_by_role('searchbox', name='Search')
    for text in SEARCHES:
        box.fill(text)
        tab.page.evaluate('() => new Promise(done => setTimeout(done, 300))')
    return measures(tab, 'amdahlc:search')


def memory(tab):
    """Bytes of objects and of arrays."""
    session = tab.page.context.new_cdp_session(tab.page)
    session.send('HeapProfiler.collectGarbage')
    used = session.send('Runtime.getHeapUsage')
    return used['usedSize'] + used.get('backingStorageSize', 0)


def of_time(table, binary, folder):
    with browser() as chromium:
        for events, most_ms in ((250_000, 1000), (1_000_000, 2000)):
            trace = write(folder / f'{events}.json.gz', Shape(events // LAUNCHES, LAUNCHES, kernels=100, streams=3, depth=3))
            page, name = folder / f'{events}.html', f'{events} events'
            start = time.monotonic()
            run(binary, trace, page)
            print(f'{name}: the command took {time.monotonic() - start:.1f} s')
            of_size(table, name, page, trace.stat().st_size)
            for view in ('summary', 'timeline'):
                table.row(f'{name}: opening, {view}', most_ms, opening(chromium, page, f'v=1&tab={view}'), 'ms')
            with chromium.open(page, fragment='v=1&tab=timeline') as tab:
                table.row(f'{name}: memory', 100, memory(tab) / MB, 'MB')
            own = []
            for _ in range(OPENED):
                with chromium.open(page, fragment='v=1&tab=timeline') as tab:
                    own.append(percentile(frames(tab), 0.95))
            table.row(f'{name}: a frame, 95th percentile', 4, percentile(own, 0.5), 'ms')
            with chromium.open(page, fragment='v=1&tab=kernels') as tab:
                table.row(f'{name}: a search, 95th percentile', 50, percentile(searches(tab), 0.95), 'ms')
        page = folder / '20000.html'
        run(binary, write(folder / '20000.json.gz', Shape(20_000 // LAUNCHES, LAUNCHES, kernels=100, streams=3, depth=3)), page)
        with chromium.open(page, fragment='v=1&tab=what-if') as tab:
            for slider in tab.page.get_by_role('slider').all()[:5]:
                slider.press('ArrowRight')
            times = measures(tab, 'amdahlc:what-if')
            table.row(f'20000 events: a prediction, of {len(times)}', 100, max(times), 'ms')


def of_size(table, name, page, compressed):
    table.row(f'{name}: the page', (0.6 * compressed + 700 * KB) / KB, page.stat().st_size / KB, 'kB')


def of_sizes(table, binary, folder):
    page = folder / 'page.html'
    run(binary, EXAMPLES / 'h100' / 'decoder.trace.json.gz', page)
    text = page.read_text()
    document = Document(text)
    code = sum(len(text.split(f'<{tag}>', 1)[1].split(f'</{tag}>', 1)[0].encode()) for tag in ('style', 'script'))
    table.row('script and style', 300, code / KB, 'kB')
    table.row('the module that replays', 150, len(inflated(base64.b64decode(document.texts['replay']))) / KB, 'kB')
    if not SHARED.is_dir():
        print('the folder `shared` beside the project is not there: its traces are left out')
        return
    traces = [path for part in ('traces', 'programs') for end in ('*.json.gz', '*.sqlite') for path in sorted((SHARED / part).rglob(end))]
    for trace in traces:
        if trace.name.endswith(('.et.json.gz', 'capture.json.gz')):   # no traces of a run
            continue
        compressed = trace.stat().st_size if trace.suffix == '.gz' else len(gzip.compress(trace.read_bytes(), 6))
        run(binary, trace, page)
        of_size(table, str(trace.relative_to(SHARED)), page, compressed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path, required=True)
    parser.add_argument('parts', nargs='*', metavar='PART', help='sizes or time')
    options = parser.parse_args()
    parts = {'sizes': of_sizes, 'time': of_time}
    for part in options.parts:
        if part not in parts:
            parser.error(f'no part `{part}`: {", ".join(parts)}')
    table = Table()
    with tempfile.TemporaryDirectory(prefix='page-') as name:
        for part in options.parts or parts:
            parts[part](table, options.binary.resolve(), pathlib.Path(name))
    if table.missed:
        print('not met: ' + '; '.join(table.missed))
    return 1 if table.missed else 0


if __name__ == '__main__':
    sys.exit(main())
