"""Pages of runs of unusual sizes open without an error in each of their views, and their columns sum up to the report.

Small runs are tried in every case; runs that take seconds to write only where no sample of cases is asked for.
"""
import json

from checks import command
from checks.command import amdahlc
from checks.page.browser import browser
from checks.page.document import Document
from checks.page.generated import DEVICE, Shape, write
from checks.page.numbers import check_run
from checks.page.shown import HOSTILE
from checks.page.views import READ_GRID, open_view, ranks, views_of
from checks.ranks.simulate import Options, simulate, trace_text
from checks.sampling import is_all

EQUAL = 'void the_same_kernel<float>(int, float*)'
LONG = ['</script>' + 'x' * 100_000, 'y' * 100_000 + '\u2028"\'\r\n\0\u202e']
SMALL = {
    'one event': lambda path: write(path, Shape(iterations=1, launches=1)),
    'one iteration': lambda path: write(path, Shape(iterations=1)),
    'no iterations': lambda path: write_events(path, device_events([(0, 5), (10, 5)])),
    'no device events': lambda path: write_events(path, [host_event('aten::mm', 10, 5), host_event('aten::add', 20, 5)]),
    'a negative duration': lambda path: write_events(path, device_events([(0, 5), (10, -5), (20, 5)])),
    'durations of zero': lambda path: write_events(path, device_events([(0, 0), (0, 0), (10, 5), (15, 0)])),
    'times beyond 2^53 ns': lambda path: write(path, Shape(origin_ns=2**53 + 12345)),
    'long and hostile names': lambda path: write(path, Shape(launches=len(HOSTILE) + 2), kernels=[*HOSTILE[:-1], *LONG], operators=[*HOSTILE[:-1], *LONG]),
    '40 levels of modules': lambda path: write(path, Shape(depth=40)),
    '100 streams': lambda path: write(path, Shape(launches=200, streams=100)),
    'one of 64 ranks': lambda path: write(path, Shape(rank=63, ranks=64)),   # all of them: `many_ranks`
}
LARGE = {
    '10000 equal names': lambda path: write(path, Shape(iterations=5, launches=2000), kernels=[EQUAL], operators=['aten::same']),
    '1000 iterations': lambda path: write(path, Shape(iterations=1000, launches=20)),
    '2000 kernels': lambda path: write(path, Shape(launches=2000, kernels=2000)),
}
# The options of a page whose events are more than it has room for, by what it then lacks.
RESTRICTED = {'other iterations': 42, 'short events': 20, 'all events': 0}


def host_event(name, start, duration):
    return {'ph': 'X', 'cat': 'cpu_op', 'name': name, 'pid': 1, 'tid': 1, 'ts': start, 'dur': duration}


def device_events(times):
    events = []
    for number, (start, duration) in enumerate(times, 1):
        link = {'correlation': number, 'External id': number}
        events += [host_event('aten::mm', 2 * number, 2) | {'args': {'External id': number}},
                   {'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 1, 'tid': 1, 'ts': 2 * number, 'dur': 1, 'args': link},
                   {'ph': 'X', 'cat': 'kernel', 'name': f'kernel_{number % 2}', 'pid': 0, 'tid': 7, 'ts': 100 + start, 'dur': duration, 'args': link | {'stream': 7}}]
    return events


def write_events(path, events):
    path.write_text(json.dumps({'schemaVersion': 1, 'deviceProperties': [DEVICE], 'traceEvents': events}))
    return path


def open_all(check, chromium, what, page):
    """Opens each view of a page once."""
    with chromium.open(page) as tab:
        for view in views_of(tab):
            open_view(tab, view)
            check.equal(f'{what}, {view}: errors', tab.page.locator('[role=alert]').all_inner_texts(), [])
        check.none(f'{what}: faults', tab.faults)


def written(folder, trace, output='html'):
    page, report = folder / 'page.html', folder / 'report.json'
    amdahlc.text(f'-emit={output}={page}', f'-emit=json={report}', trace)
    return page, report.read_bytes()


def check(check):
    folder = command.temporary()
    if not is_all():
        check.left_out('runs of thousands of events', 'a sample is asked for')
    with browser() as chromium:
        for what, write_trace in {**SMALL, **(LARGE if is_all() else {})}.items():
            page, report = written(folder, write_trace(folder / 'trace.json'))
            document = Document(page.read_text())
            check.that(document.report() == report, f'{what}: the report is another one')
            for index, run in enumerate(json.loads(report)['runs']):
                check_run(check, what, document, index, run)
            open_all(check, chromium, what, page)


SUMS = ('Framework operators', 'Host operations')


def tables(tab):
    """The rows of tables that sum up events; none where there is no such table."""
    found = {}
    for view, label in zip(('Operators', 'Host'), SUMS):
        open_view(tab, view)
        found[label] = tab.page.evaluate(READ_GRID, label) if tab.page.get_by_role('grid', name=label).count() else None
    return found


def restricted(check):
    """A page without room for all events has the sums of one with room, or none, and says why, and why it predicts nothing."""
    folder = command.temporary()
    trace = write(folder / 'trace.json', Shape(iterations=4, launches=400))
    with browser() as chromium:
        page, _ = written(folder, trace)
        with chromium.open(page) as tab:
            whole = tables(tab)
        check.that(all(whole.values()), 'the whole page lacks a table')
        for lacks, kib in RESTRICTED.items():
            page, _ = written(folder, trace, f'html<events-kib={kib}>')
            [run] = Document(page.read_text()).page['runs']
            check.that(run['restricted'], f'{kib} KiB are room for all events')
            check.equal(f'{lacks}: whether it has the selected iterations', run['has_selected'], lacks == 'other iterations')
            with chromium.open(page) as tab:
                shown = tables(tab) if run['has_selected'] else None
                if shown is not None:
                    check.equal(f'{lacks}: tables', shown, whole)
                open_view(tab, 'What-if')
                check.that(run['not_replayed'].split('`')[0].strip(' ,') in tab.page.locator('main').inner_text(), f'{lacks}: it is not said why nothing is predicted')
            open_all(check, chromium, lacks, page)


# What the page may take to show the ranks, and to draw them anew for a search, in milliseconds; machines are busy with other checks.
SHOWN_MS, SEARCHED_MS = 1000, 1000
RANKS, SLOW = 64, 41


def many_ranks(check):
    """Ranks has all of 64 ranks, and says who waits for whom, at once."""
    folder = command.temporary()
    options = Options(ranks=RANKS, slow={SLOW: 1.3})
    simulated = simulate(options)
    (folder / 'ranks').mkdir()
    for rank in range(RANKS):
        (folder / 'ranks' / f'rank{rank}.json').write_text(trace_text(options, *simulated, rank))
    page, report = written(folder, f'-trace={folder / "ranks"}')
    with browser() as chromium, chromium.open(page) as tab:
        ranks(check, tab, json.loads(report))
        check.that(f'Rank {SLOW} holds up the others' in tab.page.locator('main').inner_text(), 'the slow rank is not told')
        check.equal('bars of ranks', tab.page.locator('.rank-bars .divided').count(), RANKS)
        tab.go('v=1')
        check.that((took := tab.page.evaluate(TIMED, [SHOW_RANKS, ''])) <= SHOWN_MS, f'Ranks is shown after {took:.0f} ms')
        check.that((took := tab.page.evaluate(TIMED, [SEARCH, f'rank {SLOW}'])) <= SEARCHED_MS, f'a search takes {took:.0f} ms')
        check.that(0 < int(tab.page.get_by_role('grid', name='Ranks', exact=True).get_attribute('aria-rowcount')) - 1 < RANKS, 'a search leaves all ranks')
        open_all(check, chromium, f'{RANKS} ranks', page)


SHOW_RANKS = 'document.querySelectorAll("[role=tab]").forEach(one => { if (one.textContent === "Ranks") one.click(); })'
SEARCH = 'const box = document.querySelector("input[type=search]"); box.value = text; box.dispatchEvent(new Event("input", { bubbles: true }))'
# How long it takes until what a statement did is drawn.
TIMED = """async ([statement, text]) => {
    const start = performance.now();
    new Function("text", statement)(text);
    do await new Promise(done => setTimeout(() => requestAnimationFrame(done), 0)); while (document.querySelector("main").getAttribute("aria-busy") === "true");
    return performance.now() - start;
}"""


def large_times(check):
    """Where times are beyond 2^53 ns, each number that a view shows is that of the same run at small times, and so is a time of the trace but for the shift."""
    folder = command.temporary()
    shown, starts = [], []
    for origin in (1_000_000, *LARGE_ORIGINS):
        trace = write(folder / 'trace.json', Shape(origin_ns=origin))
        page, _ = written(folder, trace)
        [run] = Document(page.read_text()).page['runs']
        # The step begins 2 us before the first module.
        check.equal(f'{origin}: where the run begins', run['origin_ns'], str(origin - 2000))
        with browser() as chromium, chromium.open(page) as tab:
            values = {}
            for view in views_of(tab):
                open_view(tab, view)
                values[view] = tab.page.locator('main data').evaluate_all('all => all.map(one => one.value)')
            shown.append(values)
            tab.go('v=1&tab=timeline&select=event:0:7')
            text = tab.page.locator('.timeline-details dt:text-is("in the trace") + dd').inner_text()
            starts.append(int(text.removesuffix(' ns')) - origin)
            check.none(f'{origin}: faults', tab.faults)
    check.that(all(values for view, values in shown[0].items() if view not in ('Graph',)), f'views without a number: {shown[0]}')
    for origin, values, start in zip(LARGE_ORIGINS, shown[1:], starts[1:]):
        for view, numbers in values.items():
            check.equal(f'{origin}, {view}: numbers', numbers, shown[0][view])
        check.equal(f'{origin}: the start of an event in the trace', start, starts[0])


# Beyond what a double has exactly, and the nanoseconds of today's clocks.
LARGE_ORIGINS = (2**53 + 12345, 1_764_000_000_123_456_789)
