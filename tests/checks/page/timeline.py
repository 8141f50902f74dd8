"""The timeline of a page, used as a person uses it: keys, marked ranges, kernels that are opened. Sums are those of the trace, to the nanosecond."""
import decimal
import gzip
import json

from checks.page.browser import DESKTOP, PHONE, browser
from checks.page.shown import findings, overflow
from checks.page.written import written
from checks.places import EXAMPLES

DECODER = EXAMPLES / 'h100' / 'decoder.trace.json.gz'
DEVICE_WORK = ('kernel', 'gpu_memcpy', 'gpu_memset')


def show(tab, selection=''):
    """Shows the timeline, with something selected."""
    tab.go(f'v=1&tab=timeline{selection}')


def visible(tab):
    """From when to when the lanes show the run."""
    tab.page.evaluate('() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    values = tab.page.locator('[role=status][aria-label="Visible range"] data').evaluate_all('all => all.map(one => one.value)')
    return int(values[0]), int(values[1])


def spoken(tab):
    """What the cell with the focus says."""
    return tab.page.evaluate('() => document.activeElement.getAttribute("role") === "gridcell" ? document.activeElement.textContent : null')


def facts(tab, status):
    """Exact values of a status by the name beside them."""
    return tab.page.locator(f'[role=status][aria-label="{status}"]').evaluate("""status => {
        const found = {};
        for (const line of status.querySelectorAll('dl > div')) found[line.querySelector('dt').textContent] = [...line.querySelectorAll('data')].map(one => Number(one.value));
        for (const line of status.querySelectorAll('.timeline-sum')) {
            const group = line.parentElement.querySelector('h3').textContent;
            (found[group] ??= {})[line.children[1].textContent] = Number(line.querySelector('data').value);
        }
        return found;
    }""")


def press(tab, *keys):
    for key in keys:
        tab.page.keyboard.press(key)


def keys(check):
    """Keys move the visible range and the focus; frames are measured; and neither axe nor a narrow window finds a fault."""
    with browser() as chromium:
        with chromium.open(written('decoder').path) as tab:
            show(tab)
            grid = tab.page.get_by_role('grid', name='Lanes')
            rows = grid.get_by_role('row').count()
            check.equal('rows', str(rows), grid.get_attribute('aria-rowcount'))
            check.equal('names of lanes', grid.get_by_role('rowheader').count(), rows)
            all_of_it = visible(tab)
            press(tab, 'w', 'w', 'w')
            near = visible(tab)
            check.that(near[1] - near[0] < (all_of_it[1] - all_of_it[0]) / 2, f'w zooms from {all_of_it} to {near}')
            press(tab, 'd')
            right = visible(tab)
            check.that(right[0] > near[0] and right[1] - right[0] == near[1] - near[0], f'd moves from {near} to {right}')
            press(tab, 'a')
            check.that(abs(visible(tab)[0] - near[0]) <= 1, f'a does not undo d: {visible(tab)}')
            press(tab, '0')
            check.equal('0 shows', visible(tab), all_of_it)
            press(tab, 'ArrowRight')
            first = spoken(tab)
            check.that(first and ', event 1 of ' in first, f'the first event is {first}')
            press(tab, 'ArrowRight', 'ArrowRight', 'ArrowLeft')
            check.that(', event 2 of ' in (spoken(tab) or ''), f'the second event is {spoken(tab)}')
            press(tab, 'End')
            last = spoken(tab).partition(', event ')[2].partition(' in ')[0].split(' of ')
            check.that(last[0] == last[1], f'the last event is {spoken(tab)}')
            press(tab, 'ArrowDown')
            check.that(spoken(tab) and spoken(tab).partition(' in ')[2] != '', f'a row below is {spoken(tab)}')
            # The address follows a moment later.
            tab.page.wait_for_function('() => location.hash.includes("select=")')
            press(tab, 'f')
            fitted = visible(tab)
            check.that(fitted != all_of_it, 'f does not fit the event')
            press(tab, 's')
            wider = visible(tab)
            check.that(wider[1] - wider[0] > fitted[1] - fitted[0], f's zooms from {fitted} to {wider}')
            press(tab, 'f', 'Shift+W')
            nearer = visible(tab)
            press(tab, 'f', 'w')
            check.that(nearer[1] - nearer[0] < visible(tab)[1] - visible(tab)[0], f'Shift and w zooms to {nearer}, w to {visible(tab)}')
            press(tab, 'Home')
            check.that(', event 1 of ' in (spoken(tab) or ''), f'the first event is {spoken(tab)}')
            press(tab, 'm')
            marked, selected = facts(tab, 'Selection'), tab.page.locator('.timeline-details dt:text-is("duration") + dd data').get_attribute('value')
            check.equal('the time that m marks', str(marked['range'][0]), selected)
            press(tab, 'Escape')
            check.equal('marked after Escape', facts(tab, 'Selection'), {})
            check.that(tab.page.locator('.timeline-details').count() == 1, 'Escape drops the selection with the mark')
            press(tab, 'Escape')
            tab.page.wait_for_function('() => !location.hash.includes("select=")')
            frames = tab.page.evaluate('() => performance.getEntriesByName("amdahlc:frame").length')
            check.that(frames > 5, f'{frames} frames are measured')
            show(tab, '&select=event:0:3')
            for size in (DESKTOP, PHONE):
                tab.page.set_viewport_size(dict(zip(('width', 'height'), size)))
                for scheme in ('light', 'dark'):
                    tab.page.emulate_media(color_scheme=scheme)
                    tab.settle()
                    check.none(f'{scheme}, {size[0]} px: findings of axe', findings(tab, '[role=group][aria-label=Timeline]'))
                    check.equal(f'{scheme}, {size[0]} px: pixels beyond the right edge', overflow(tab), 0)
            check.none('faults', tab.faults)


def device_events(path):
    """Start and end of each device event of a trace, in nanoseconds."""
    events = json.loads(gzip.decompress(path.read_bytes()), parse_float=decimal.Decimal)['traceEvents']
    work = [one for one in events if one.get('ph') == 'X' and one.get('cat') in DEVICE_WORK]
    return sorted((int(one['ts'] * 1000), int(one['ts'] * 1000) + int(one['dur'] * 1000)) for one in work)


def expected(events, begin, end):
    """Busy time and the sum of durations within a range, and the number of events."""
    inside = [(max(start, begin), min(stop, end)) for start, stop in events if start < end and (stop > begin or start == stop == begin)]
    busy, reached = 0, begin
    for start, stop in inside:
        busy += max(0, stop - max(start, reached))
        reached = max(reached, stop)
    return busy, sum(stop - start for start, stop in inside), len(inside)


def sums(check):
    """What a marked range sums up to is what the trace has in it."""
    path, _, document, _ = written('decoder')
    events = device_events(DECODER)
    meta = document.page['runs'][0]
    origin = int(meta['origin_ns'])
    idle = list(zip(*(document.column(f'0/idle.{name}') for name in ('start', 'duration', 'cause'))))
    with browser() as chromium, chromium.open(path) as tab:
        show(tab)
        box = tab.page.locator('.timeline-surface canvas').bounding_box()
        for left, right, zooms in ((0.1, 0.6, 0), (0.3, 0.9, 2), (0.45, 0.55, 4), (0.02, 0.97, 6)):
            press(tab, '0', *'w' * zooms)
            tab.page.mouse.move(box['x'] + left * box['width'], box['y'] + 60)
            tab.page.mouse.down()
            tab.page.mouse.move(box['x'] + right * box['width'], box['y'] + 90, steps=4)
            tab.page.mouse.up()
            found = facts(tab, 'Selection')
            length, begin = found['range']
            what = f'{begin} to {begin + length}'
            busy, device, count = expected(events, origin + begin, origin + begin + length)
            check.equal(f'{what}: busy', found['device busy'], [busy])
            check.equal(f'{what}: events', found['events'], [count])
            check.equal(f'{what}: device time', sum(found.get('device time by category', {}).values()), device)
            causes = {}
            for start, duration, cause in idle:
                within = min(start + duration, begin + length) - max(start, begin)
                if within > 0:
                    causes[meta['causes'][cause]] = causes.get(meta['causes'][cause], 0) + within
            shown = found.get('idle time by cause', {})
            rest = sum(shown.pop(name, 0) for name in ('outside of the selected iterations', 'before the first or after the last event of an iteration'))
            check.equal(f'{what}: idle time', shown, causes)
            check.equal(f'{what}: all of it', busy + sum(causes.values()) + rest, length)
        press(tab, 'Escape')
        check.equal('summed up after Escape', facts(tab, 'Selection'), {})
        check.none('faults', tab.faults)


def fused(check):
    """A kernel of several nodes opens into exactly its nodes, by a button or by the key Enter."""
    path, report, document, _ = written('encoder')
    kernels = report['runs'][0]['kernels']
    events = document.column('0/event.kernel')
    chosen = {tuple(kernels[kernel]['nodes']): event for event, kernel in enumerate(events) if kernel >= 0 and len(kernels[kernel]['nodes']) > 1}
    check.that(len(chosen) > 3, 'the example has no fused kernels')
    with browser() as chromium, chromium.open(path) as tab:
        for nodes, event in list(chosen.items())[:6]:
            show(tab, f'&select=event:0:{event}')
            values = tab.page.get_by_role('list', name='Nodes of ').locator('data').evaluate_all('all => all.map(one => one.value)')
            check.equal(f'event {event}', values, list(nodes))
        tab.page.get_by_role('button', name='Show in the lanes').click()
        check.that(tab.page.get_by_role('button', name='Hide in the lanes').is_visible(), 'the nodes are not shown in the lanes')
        tab.page.locator('.timeline-cell[tabindex="0"]').focus()
        press(tab, 'Enter')
        check.that(tab.page.get_by_role('button', name='Show in the lanes').is_visible(), 'Enter does not close the kernel')
        check.none('faults', tab.faults)
