"""Everything in a page is reached by keys, in the order of the document, with a focus that can be seen, and can be left again.

In each view the key Tab reaches all that can have the focus, and then leaves the page; Shift and Tab goes the same way back. What listens to a pointer is reached
by keys, too, or something else does the same. Arrow keys walk through tabs, tables, trees and the icicle up to their ends.
"""
from checks.page.browser import browser
from checks.page.written import written
from checks.sampling import sampled

VIEWS = [('decoder', view) for view in ('Summary', 'Operators', 'Kernels', 'Modules', 'Timeline', 'Graph', 'What-if', 'Roofline', 'Host', 'Memory')] + [
    ('comparison', 'Compare'), ('comparison', 'Kernels'), ('ranks', 'Ranks'), ('encoder', 'Operators')]
MOST_STOPS, BATCH = 400, 20
# Notes whatever gets the focus, and whether that can be seen.
WATCH = """() => {
    if (window.reached) return;
    window.reached = [];
    const seen = element => {
        const has = one => { const { outlineStyle, outlineWidth } = getComputedStyle(one); return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1; };
        // The visible part of a radio button is behind it. The canvas below draws the focus of a lane and of a node.
        return has(element) || (element.matches("input[type=radio]") && has(element.nextElementSibling)) || element.matches(".timeline-cell");
    };
    document.addEventListener("focusin", event => window.reached.push([event.target, seen(event.target)]));
}"""
# Two ends around the page, which hold the focus: a window that the focus has left gets it back at a time of its own, and then moves it once more.
BOUND = """() => {
    window.ends = ["Tab", "Shift+Tab"].map(key => {
        const end = document.createElement("button");
        end.addEventListener("keydown", event => { if (event.key === "Tab" && event.shiftKey === (key !== "Tab")) event.preventDefault(); });
        return end;
    });
    document.body.append(window.ends[0]);
    document.body.prepend(window.ends[1]);
}"""
UNBOUND = '() => window.ends.forEach(end => end.remove())'
STOPS = """() => {
    const isShown = one => one.checkVisibility({ visibilityProperty: true });
    const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")].filter(one =>
        !window.ends.includes(one) && one.tabIndex >= 0 && !one.disabled && isShown(one) &&
        !(one.matches("input[type=radio]") && !one.checked && document.querySelector(`input[name="${one.name}"]:checked`)));
    const kept = window.reached.filter(([one]) => !window.ends.includes(one));
    const reached = kept.map(([one]) => one);
    const nameOf = one => `${one.tagName.toLowerCase()} ${one.className} ${one.getAttribute("aria-label") ?? one.textContent.slice(0, 40)}`;
    const order = (a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING;
    return {
        missed: all.filter(one => !reached.includes(one)).map(nameOf),
        unseen: kept.filter(([, isSeen]) => !isSeen).map(([one]) => nameOf(one)),
        disorder: reached.filter((one, i) => i > 0 && one.isConnected && reached[i - 1].isConnected && !order(reached[i - 1], one)).map(nameOf),
        names: reached.map(nameOf),
    };
}"""


def walk(tab, key):
    """Presses a key from before the page until it has left it; what was reached, as `STOPS` says, or None if it never leaves."""
    tab.page.evaluate('key => { window.ends[key === "Tab" ? 1 : 0].focus(); window.reached.length = 0; }', key)
    for _ in range(MOST_STOPS // BATCH):
        for _ in range(BATCH):
            tab.page.keyboard.press(key)
        if tab.page.evaluate('key => document.activeElement === window.ends[key === "Tab" ? 0 : 1]', key):
            return tab.page.evaluate(STOPS)
    return None


def by_tab(check, tab, what):
    tab.page.evaluate(WATCH)
    tab.page.evaluate(BOUND)
    there, back = walk(tab, 'Tab'), walk(tab, 'Shift+Tab')
    tab.page.evaluate(UNBOUND)
    if not check.that(there and back, f'{what}: {"Shift and Tab" if there else "the key Tab"} never leaves the page'):
        return
    for fault in ('missed', 'unseen', 'disorder'):
        check.none(f'{what}: {fault}', dict.fromkeys(there[fault]))
    check.equal(f'{what}: the way back', back['names'][::-1], there['names'])


# What only a pointer can do, and what does the same by keys.
POINTED = {
    '.chart > svg': 'the table below it, or the slider beside it, chooses the same',
    '.timeline-surface > div': 'the lanes are walked by arrow keys',
    '.timeline-overview': 'keys zoom and move',
}
IS_REACHED = """function (exceptions) {
    if (this.nodeType !== 1 || !this.isConnected || !this.checkVisibility()) return "";
    const isFocusable = one => one.tabIndex >= 0 || (one.hasAttribute("tabindex") && one.closest("[role=grid], [role=tree], [role=tablist], .icicle"));
    const own = isFocusable(this) || this.matches("label, [role=grid], [role=tree]") || exceptions.some(one => this.matches(one));
    return own ? "" : `${this.tagName.toLowerCase()} ${this.className} ${this.textContent.slice(0, 40)}`;
}"""


def by_pointer(check, tab, what):
    """What listens to a pointer can have the focus."""
    session = tab.page.context.new_cdp_session(tab.page)
    root = session.send('Runtime.evaluate', {'expression': 'document'})['result']['objectId']
    listeners = session.send('DOMDebugger.getEventListeners', {'objectId': root, 'depth': -1, 'pierce': False})['listeners']
    nodes = {one['backendNodeId'] for one in listeners if one['type'] in ('click', 'dblclick', 'pointerdown', 'pointerup') and 'backendNodeId' in one}
    check.that(nodes, f'{what}: nothing listens to a pointer')
    for node in sorted(nodes):
        found = session.send('DOM.resolveNode', {'backendNodeId': node})['object']['objectId']
        lacks = session.send('Runtime.callFunctionOn', {'objectId': found, 'functionDeclaration': IS_REACHED, 'arguments': [{'value': list(POINTED)}], 'returnByValue': True})
        check.equal(f'{what}: out of reach of the keys', lacks['result'].get('value'), '')
    session.detach()


# What becomes of the focus when each button, switch and choice of the page is pressed.
PRESS = """async () => {
    const frames = () => new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 0));
    const main = document.querySelector("main");
    const settle = async () => { do await frames(); while (main.getAttribute("aria-busy") === "true"); };
    const all = () => [...document.querySelectorAll("main button, main input, main summary, .scheme")].filter(one => one.tabIndex >= 0 && one.checkVisibility());
    const nameOf = one => one.getAttribute("aria-label") ?? (one.labels?.[0] ?? one).textContent;
    const view = main.dataset.view, before = location.hash || "#v=1", lost = [], seen = new Set();
    for (;;) {
        const next = all().findLast(one => !seen.has(nameOf(one)));
        if (!next || seen.size > 60) return [lost, seen.size];
        const name = nameOf(next);
        seen.add(name);
        next.focus();
        next.click();
        await settle();
        const at = document.activeElement;
        const isThere = main.dataset.view === view && !document.querySelector("dialog") && all().some(one => nameOf(one) === name);
        if (at === document.body || !at.checkVisibility() || (isThere && nameOf(at) !== name)) lost.push(name);
        document.querySelector("dialog")?.close();
        if (main.dataset.view !== view) {
            // The address may not have the other view yet, so that it must become another one.
            const restored = new Promise(done => addEventListener("hashchange", done, { once: true }));
            location.hash = `${before}&press=${seen.size}`;
            await restored;
            await settle();
        }
    }
}"""


def by_press(check, tab, what):
    """Whatever is pressed, the focus stays at it, or in the page where it is gone."""
    # What is selected has a panel of its own.
    row = tab.page.locator('[role=row][data-row], [role=treeitem], .icicle-block')
    if row.count():
        row.first.click()
    tab.wait_for_address()
    lost, pressed = tab.page.evaluate(PRESS)
    check.none(f'{what}: pressing it loses the focus', lost)
    return pressed


ACTIVE = """() => {
    const cell = document.activeElement;
    const row = cell.closest("[role=row]");
    return [cell.getAttribute("role"), Number(row?.getAttribute("aria-rowindex")), Number(cell.getAttribute("aria-colindex")), row?.getAttribute("aria-selected") ?? null];
}"""


def shown_columns(grid):
    return [int(head.get_attribute('aria-colindex')) for head in grid.get_by_role('columnheader').all()]


def in_grids(check, tab, what):
    page = tab.page
    for grid in page.get_by_role('grid').all():
        label = grid.get_attribute('aria-label')
        if label == 'Lanes':
            continue
        rows = int(grid.get_attribute('aria-rowcount'))
        # Columns without room are left out; the others keep their numbers.
        columns = shown_columns(grid)
        where = f'{what}, {label}'
        grid.locator('[tabindex="0"]').first.focus()
        page.keyboard.press('Control+Home')
        check.equal(f'{where}: Ctrl and Home', page.evaluate(ACTIVE)[:3], ['rowheader', min(2, rows), 1] if rows > 1 else ['columnheader', 1, 1])
        page.keyboard.press('Control+End')
        check.equal(f'{where}: Ctrl and End', page.evaluate(ACTIVE)[1:3], [rows, columns[-1]])
        page.keyboard.press('Home')
        check.equal(f'{where}: Home', page.evaluate(ACTIVE)[1:3], [rows, 1])
        page.keyboard.press('PageUp')
        check.that(page.evaluate(ACTIVE)[1] < rows or rows <= 2, f'{where}: the key PageUp does not move')
        for _ in range(2):
            page.keyboard.press('ArrowRight')
        page.keyboard.press('ArrowLeft')
        check.equal(f'{where}: arrows', page.evaluate(ACTIVE)[2], columns[1] if len(columns) > 2 else 1)
        before = page.evaluate(ACTIVE)
        page.keyboard.press('Space')
        after = page.evaluate(ACTIVE)
        # The details that open may take the room of the column.
        check.equal(f'{where}: the row that the key Space chooses', after[:2], before[:2])
        check.that(after[2] == before[2] or before[2] not in shown_columns(grid), f'{where}: the key Space moves to another column')
        check.that(after[3] in (None, 'true'), f'{where}: the row of the focus is not selected')
        # The header is the row above the first one, and sorts.
        page.keyboard.press('Control+Home')
        if rows > 1:
            page.keyboard.press('ArrowUp')
        page.keyboard.press('Enter')
        check.equal(f'{where}: in the header', page.evaluate(ACTIVE)[0], 'columnheader')
        check.that(page.evaluate('() => document.activeElement.getAttribute("aria-sort")') != 'none', f'{where}: the key Enter does not sort')


def in_trees(check, tab, what):
    page = tab.page
    for tree in page.get_by_role('tree').all():
        items = tree.get_by_role('treeitem')
        tree.locator('[tabindex="0"]').first.focus()
        page.keyboard.press('Home')
        steps = [page.evaluate('() => [...document.activeElement.parentElement.children].indexOf(document.activeElement)')]
        for _ in range(items.count() - 1):
            page.keyboard.press('ArrowDown')
            steps.append(page.evaluate('() => [...document.activeElement.parentElement.children].indexOf(document.activeElement)'))
        check.equal(f'{what}: items of the tree', steps, list(range(items.count())))
        page.keyboard.press('Enter')
        check.equal(f'{what}: the chosen item', page.evaluate('() => document.activeElement.getAttribute("aria-selected")'), 'true')


def in_icicles(check, tab, what):
    page = tab.page
    for icicle in page.locator('.icicle').all():
        icicle.locator('.icicle-field [tabindex="0"]').first.focus()
        path = []
        for key in ('ArrowDown', 'ArrowRight', 'ArrowUp', 'Enter', 'Escape'):
            page.keyboard.press(key)
            path.append(page.evaluate('() => document.activeElement.matches(".icicle-block") && document.activeElement.getAttribute("aria-label")'))
        check.that(all(path) and len(set(path)) > 1, f'{what}: the keys lead to {path}')


def in_tabs(check, tab, what):
    page = tab.page
    tabs = page.get_by_role('tablist', name='Views').get_by_role('tab')
    names = tabs.all_inner_texts()
    tabs.first.focus()
    page.keyboard.press('Home')
    found = []
    for _ in names:
        found.append(page.evaluate('() => document.querySelector("[role=tabpanel]").getAttribute("aria-labelledby") === document.activeElement.id && document.activeElement.textContent'))
        page.keyboard.press('ArrowRight')
    check.equal(f'{what}: tabs', found, names)
    tab.settle()
    check.equal(f'{what}: behind the last tab', page.evaluate('() => document.activeElement.textContent'), names[0])


def check(check):
    documents = {}
    for name, view in sampled(VIEWS):
        documents.setdefault(name, []).append(view)
    with browser() as chromium:
        for name, views in documents.items():
            with chromium.open(written(name).path) as tab:
                in_tabs(check, tab, name)
                for view in views:
                    # Nothing of what was pressed in the view before is left.
                    tab.go(f'v=1&tab={view.lower()}')
                    what = f'{name}, {view}'
                    by_tab(check, tab, what)
                    for part in (by_pointer, in_grids, in_trees, in_icicles, by_press):
                        part(check, tab, what)
                check.none(f'{name}: faults', tab.faults)
