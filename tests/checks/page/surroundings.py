"""The page does what it can wherever it is opened: without a clipboard, without WebAssembly, in the frame of a notebook, with forced colours, without motion, on paper
and at any width, zoomed twice."""
import html
import re

from checks import command
from checks.page.browser import ADDRESS_WRITTEN, DESKTOP, browser
from checks.page.shown import findings, overflow
from checks.page.views import open_view, views_of
from checks.page.written import written
from checks.sampling import sampled, sampled_by

DOCUMENTS = ('encoder', 'decoder', 'captured', 'comparison', 'ranks')
# Texts that are cut without a sign of it, or over each other, and what is beyond the right edge of the page.
CUT = """() => {
    const shown = one => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const boxOf = one => one.getBoundingClientRect();
    const nameOf = one => `${one.tagName.toLowerCase()}.${one.className} ${one.textContent.trim().slice(0, 40)}`;
    const texts = [...document.querySelectorAll("header *, nav *, main *")].filter(one => shown(one) && !one.closest("svg, canvas, .timeline-body, .icicle-field, option, select, textarea") &&
        [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim() !== "") && boxOf(one).width > 2);
    const wrong = [];
    for (const one of texts) {
        const style = getComputedStyle(one);
        const hides = style.overflowX === "hidden" || style.overflowX === "clip";
        if (hides && one.scrollWidth > one.clientWidth + 1 && style.textOverflow !== "ellipsis") wrong.push(`cut: ${nameOf(one)}`);
        if ((style.overflowY === "hidden" || style.overflowY === "clip") && one.scrollHeight > one.clientHeight + 4) wrong.push(`cut below: ${nameOf(one)}`);
    }
    const leaves = texts.filter(one => !texts.some(other => other !== one && one.contains(other)) && !one.closest(".grid, .tree, [role=tooltip], .timeline-menu"));
    const boxes = leaves.map(one => { const range = document.createRange(); range.selectNodeContents(one); return range.getBoundingClientRect(); });
    for (let i = 0; i < leaves.length; i++) {
        for (let j = i + 1; j < leaves.length; j++) {
            const [a, b] = [boxes[i], boxes[j]];
            const width = Math.min(a.right, b.right) - Math.max(a.left, b.left), height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            // Lines of text that go on in the next line have boxes around each other.
            const isInline = leaves[i].parentElement.contains(leaves[j]) || leaves[j].parentElement.contains(leaves[i]);
            if (width > 2 && height > 3 && !isInline) wrong.push(`over each other: ${nameOf(leaves[i])} and ${nameOf(leaves[j])}`);
        }
    }
    return wrong.slice(0, 10);
}"""


# Names of the lanes in sight whose first row has nothing in another colour than what is between the lanes. Lines of the axis of time go through both.
EMPTY_LANES = """canvas => {
    const box = canvas.getBoundingClientRect(), scale = canvas.width / box.width, { width } = canvas;
    const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, width, canvas.height).data.buffer);
    const ground = pixels[(canvas.height - 1) * width + 5];
    return [...document.querySelectorAll('.timeline-lane')].filter(lane => {
        const top = lane.getBoundingClientRect().top - box.top;
        if (top < 30 || top + 20 > box.height) return false;
        const between = pixels.subarray(Math.round(top * scale) * width), inside = pixels.subarray(Math.round((top + 10) * scale) * width);
        return !inside.subarray(0, width).some((pixel, x) => between[x] === ground && pixel !== ground);
    }).map(lane => lane.querySelector('[role=rowheader]').getAttribute('aria-label'));
}"""
# Opens what is closed in the view.
OPEN = '() => document.querySelectorAll("main details").forEach(one => one.open = true)'


def parts_of(tab, view):
    """Shows a view with all that can be opened, then with each other choice of what its first table shows, and yields a name for each."""
    open_view(tab, view)
    tab.page.evaluate(OPEN)
    tab.settle()
    yield view
    choices = tab.page.get_by_role('tabpanel').get_by_role('radiogroup').first.locator('label')
    names = choices.all_inner_texts()
    for place, name in enumerate(names[1:] if view in ('Kernels', 'Compare', 'Roofline', 'Memory') else [], 1):
        choices.nth(place).click()
        tab.settle()
        yield f'{view}, {name}'


def widths(check):
    """No view is wider than the window, and no text is cut or over another one, at several widths and zoomed twice."""
    cases = [(name, size, zoom) for name in DOCUMENTS # A window of 1440 pixels that is zoomed twice has 720.
             for size, zoom in (((400, 800), 1), ((800, 700), 1), (DESKTOP, 1), ((720, 450), 2))]
    with browser() as chromium:
        for name, size, zoom in sampled_by(lambda case: case[1:], cases):
            with chromium.open(written(name).path, size=size, device_scale_factor=zoom) as tab:
                for part in (part for view in views_of(tab) for part in parts_of(tab, view)):
                    what = f'{name}, {part}, {size[0]} px, zoom {zoom}'
                    check.equal(f'{what}: pixels beyond the right edge', overflow(tab), 0)
                    check.none(what, tab.page.evaluate(CUT))


def axe(check):
    """axe-core has no finding in any view, in light and dark colours."""
    cases = {}
    with browser() as chromium:
        for name in DOCUMENTS:
            with chromium.open(written(name).path) as tab:
                for view in views_of(tab):
                    cases.setdefault(view, []).append((name, view, 'light'))
                    cases[view].append((name, view, 'dark'))
        chosen = sampled_by(lambda case: case[1], [case for found in cases.values() for case in found])
        for name, scheme in dict.fromkeys((name, scheme) for name, _, scheme in chosen):
            with chromium.open(written(name).path, scheme=scheme) as tab:
                for one in chosen:
                    if (one[0], one[2]) == (name, scheme):
                        for part in parts_of(tab, one[1]):
                            check.none(f'{name}, {part}, {scheme}: findings of axe', findings(tab, 'body'))


def clipboard(check):
    """Without a clipboard the text is shown, selected, and Escape closes it; with one it is copied, and the page says so."""
    with browser() as chromium:
        with chromium.open(written('encoder').path) as tab:
            page = open_view(tab, 'Kernels')
            page.evaluate('() => { navigator.clipboard.writeText = () => Promise.reject(new DOMException("denied", "NotAllowedError")); }')
            button = page.get_by_role('tabpanel').get_by_role('button', name='Copy as CSV')
            button.click()
            dialog = page.get_by_role('dialog')
            dialog.wait_for()
            area = dialog.get_by_role('textbox')
            check.that('Copy the text by hand' in dialog.inner_text() and area.input_value().startswith('run,id,'), 'the dialog has no table')
            check.that(area.evaluate('one => document.activeElement === one && one.selectionStart === 0 && one.selectionEnd === one.value.length'), 'the text is not selected')
            check.none('findings of axe', findings(tab, 'dialog'))
            page.keyboard.press('Escape')
            check.equal('dialogs after Escape', dialog.count(), 0)
            check.that(button.evaluate('one => document.activeElement === one'), 'the focus does not go back to the button')
            page.evaluate('() => { navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }; }')
            button.click()
            page.get_by_role('status').get_by_text('copied').wait_for()
            check.equal('lines', len(page.evaluate('() => window.copied').splitlines()), len(written('encoder').report['runs'][0]['kernels']) + 1)
            check.none('faults', tab.faults)


def without_replay(check):
    """Without WebAssembly the view What-if says why it shows nothing, also where a policy forbids it, and all else is there."""
    text = written('encoder').path.read_text()
    forbids = command.temporary() / 'forbids.html'
    forbids.write_text(text.replace(" 'wasm-unsafe-eval'", '', 1))
    with browser() as chromium:
        with chromium.open(forbids, fragment='v=1&tab=what-if') as tab:
            shown = tab.page.get_by_role('alert').inner_text()
            check.that('cannot be shown' in shown and 'WebAssembly' in shown, f'it is said {shown}')
            for view in views_of(tab):
                if view != 'What-if':
                    open_view(tab, view)
                    check.equal(f'{view}: messages', tab.page.get_by_role('alert').count(), 0)
            check.that(all('WebAssembly' in fault for fault in tab.faults), f'faults: {tab.faults}')
        with chromium.open(written('encoder').path, first='delete globalThis.WebAssembly', fragment='v=1&tab=what-if') as tab:
            check.that(tab.page.get_by_text('The browser has no WebAssembly').is_visible(), 'What-if does not say why it shows nothing')
            check.that('Kernels' in views_of(tab), 'other views are missing')
            check.none('faults', tab.faults)


def notebook(check):
    """In a sandboxed frame, as a notebook has it, the state stays in memory, and nothing else is missing."""
    holder = command.temporary() / 'notebook.html'
    page = html.escape(written('encoder').path.read_text())
    holder.write_text(f'<!doctype html><meta charset="utf-8"><title>notebook</title><iframe sandbox="allow-scripts" width="1000" height="700" srcdoc="{page}"></iframe>')
    with browser() as chromium, chromium.open(holder, ready=False) as tab:
        tab.page.wait_for_selector('iframe')
        frame = tab.page.frames[1]
        frame.wait_for_selector('main[aria-busy=false]')
        for view in frame.get_by_role('tab').all_inner_texts():
            frame.get_by_role('tab', name=view, exact=True).click()
            frame.wait_for_selector('main[aria-busy=false]')
            check.equal(f'{view}: messages', frame.get_by_role('alert').count(), 0)
            check.that(frame.get_by_role('tabpanel').inner_text().strip(), f'{view} is empty')
        frame.get_by_role('tab', name='Kernels', exact=True).click()
        row = frame.get_by_role('grid', name='Kernels').get_by_role('row').nth(2)
        row.click()
        frame.evaluate(ADDRESS_WRITTEN)
        frame.get_by_role('tab', name='Operators', exact=True).click()
        frame.get_by_role('tab', name='Kernels', exact=True).click()
        check.equal('rows that stay selected', frame.locator('[role=row][aria-selected=true]').count(), 1)
        check.none('faults', (fault for fault in tab.faults if not fault.startswith('request: about:srcdoc')))


def media(check):
    """With forced colours what is chosen can be seen, nothing moves for those who want that, and on paper each view shows what it has, in the width of the paper."""
    with browser() as chromium, chromium.open(written('decoder').path, forced_colors='active', reduced_motion='reduce') as tab:
        for view in views_of(tab):
            page = open_view(tab, view)
            moving = page.evaluate('() => document.getAnimations().length + [...document.querySelectorAll("*")].filter(one => parseFloat(getComputedStyle(one).animationDuration) > 0).length')
            check.equal(f'{view}: animations', moving, 0)
            chosen = page.locator('[role=tab][aria-selected=true]')
            other = page.locator('[role=tab][aria-selected=false]').first
            style = 'one => { const style = getComputedStyle(one); return [style.borderBottomColor, style.outlineStyle, style.backgroundColor, style.color, style.fontWeight].join(); }'
            check.that(chosen.evaluate(style) != other.evaluate(style), f'{view}: the chosen tab looks like the others')
        page = open_view(tab, 'Timeline')
        check.none('lanes whose bars cannot be seen', page.locator('.timeline-surface canvas').evaluate(EMPTY_LANES))
        page = open_view(tab, 'Kernels')
        page.get_by_role('grid', name='Kernels').get_by_role('row').nth(2).click()
        check.equal('outline of the selected row', page.locator('[role=row][aria-selected=true]').evaluate('one => getComputedStyle(one).outlineStyle'), 'solid')
        tab.page.emulate_media(media='print', forced_colors='none')
        tab.page.set_viewport_size({'width': 794, 'height': 1123})
        for view in sampled(views_of(tab)):
            page = tab.page
            # The tabs are not on paper.
            page.get_by_role('tab', name=view, exact=True, include_hidden=True).evaluate('one => one.click()')
            tab.settle()
            page.evaluate('() => dispatchEvent(new Event("beforeprint"))')
            check.equal(f'{view} on paper: pixels beyond the right edge', overflow(tab), 0)
            scrolled = page.evaluate("""() => [...document.querySelectorAll("main, main *")].filter(one => one.checkVisibility() && !one.closest("canvas, textarea, .timeline-body, .graph-surface") &&
                /auto|scroll/.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1).map(one => `${one.tagName} ${one.className}`)""")
            check.none(f'{view} on paper: parts that are cut', scrolled)
            page.evaluate('() => dispatchEvent(new Event("afterprint"))')
            pdf = page.pdf(format='A4')
            pages = len(re.findall(rb'/Type\s*/Page\b', pdf))
            check.that(1 <= pages <= 60, f'{view} has {pages} pages')
        check.none('faults', tab.faults)


def damaged(check):
    """What is read when it is asked for, and is damaged, is said to be; all that was read before stays."""
    document = written('encoder').document
    column = document.meta['0/event.call']
    text = document.text.replace(f'id="{column["id"]}">', f'id="{column["id"]}">AAAA', 1)
    check.that(text != document.text, 'the page has no column of launching calls')
    file = command.temporary() / 'damaged.html'
    file.write_text(text)
    with browser() as chromium, chromium.open(file, fragment='v=1&tab=timeline&select=event:0:3') as tab:
        alert = tab.page.get_by_role('alert')
        alert.wait_for()
        check.that('could not be read' in alert.inner_text(), f'it is said {alert.inner_text()}')
        check.equal('timelines', tab.page.get_by_role('group', name='Timeline').count(), 1)
