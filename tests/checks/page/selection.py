"""What is selected in one view is shown in all others that have it, searches and filters hold in all views, and what is copied is what the command writes."""
import csv
import io
import urllib.parse

from checks.page.browser import browser
from checks.page.tables import copied
from checks.page.views import open_view, views_of
from checks.page.written import written

# How each view shows that something is selected: an expression that gives its name, or null.
MARKS = {
    'Kernels': '() => document.querySelector("[role=grid][aria-label=Kernels] [role=row][aria-selected=true]")?.children[0].innerText.trim() ?? null',
    'Operators': '() => document.querySelector("[role=grid][aria-label=\'Framework operators\'] [role=row][aria-selected=true]")?.children[0].innerText.trim() ?? null',
    'Modules': '() => document.querySelector("[role=treeitem][aria-selected=true] .module-name")?.title.split("\\n")[0] ?? null',
    'Timeline': '() => document.querySelector(".timeline-selected h2")?.innerText.trim() ?? (/marked/.test(document.querySelector(".timeline-selected")?.innerText) ? "marked" : null)',
    'Graph': '() => document.querySelector(".graph-option").textContent.includes(", node ") ? document.querySelector(".graph-option").textContent.split(",")[0] : null',
    'Roofline': '() => document.querySelector("[role=grid][aria-label=Roofline] [role=row][aria-selected=true]")?.children[0].innerText.trim() ?? null',
    'Memory': '() => document.querySelector("[role=slider][aria-label=Position], input[type=range]").getAttribute("aria-valuetext")',
    'Host': '() => document.querySelector("[role=grid][aria-label=Streams] [role=row][aria-selected=true]")?.children[0].innerText.trim() ?? null',
}


def things(report, document):
    """Of each kind of selection one, and what each view is to show of it; a view that is not named shows nothing of that kind."""
    [run] = report['runs']
    events, classes, operators = (document.column(f'0/event.{name}') for name in ('kernel', 'class', 'operator'))
    # A kernel whose label says which it is in the graph, with an event of its own.
    event = next(i for i, kernel in enumerate(events) if kernel >= 0 and classes[i] == 0 and operators[i] >= 0 and run['kernels'][kernel]['roofline'] and run['kernels'][kernel]['scope'])
    kernel = run['kernels'][events[event]]
    label, ident = kernel['label'], kernel['id']
    names = document.strings(0)
    operator = names[document.column('0/host.name')[operators[event]]]
    position = f'kernel {ident} {label}'
    scope = kernel['scope']
    lane = document.page['runs'][0]['lanes'][document.column('0/event.lane')[event]]['name']
    one_kernel = {'Kernels': label, 'Graph': label, 'Roofline': label, 'Memory': position}
    yield f'kernel:0:{ident}', {**one_kernel, 'Timeline': 'marked'}
    yield f'event:0:{event}', {**one_kernel, 'Timeline': label, 'Operators': operator}
    yield f'node:0:{kernel["nodes"][0]}', {**one_kernel, 'Timeline': 'marked'}
    yield f'host:0:{operators[event]}', {'Timeline': operator, 'Operators': operator}
    yield f'operator:0:{operator}', {'Operators': operator, 'Timeline': 'marked'}
    yield f'scope:0:{scope}', {'Modules': scope, 'Timeline': 'marked'}
    yield f'category:0:{kernel["category"]}', {'Timeline': 'marked'}
    yield f'rule:0:{kernel["rule"]}', {'Timeline': 'marked'}
    yield f'stream:0:{lane}', {'Timeline': 'marked', 'Host': None}


def everywhere(check):
    one = written('decoder')
    with browser() as chromium, chromium.open(one.path) as tab:
        page = tab.page
        first = None
        for selection, shown in things(one.report, one.document):
            tab.go(urllib.parse.urlencode({'v': 1, 'select': selection}))
            for view, mark in MARKS.items():
                open_view(tab, view)
                found = page.evaluate(mark)
                if view == 'Memory':
                    # The slider is somewhere without a selection, too.
                    first = first if first is not None else found
                    if view in shown:
                        check.that(shown[view] in found, f'{selection}, {view}: {found}, expected {shown[view]}')
                elif shown.get(view, '') is None:
                    check.that(found, f'{selection}, {view}: nothing is selected')
                elif view == 'Graph' and view in shown:
                    # Nodes of the graph may say more than their rule.
                    check.that((found or '').endswith(shown[view]), f'{selection}, {view}: {found}, expected {shown[view]}')
                else:
                    check.equal(f'{selection}, {view}', found, shown.get(view))
        check.none('faults', tab.faults)


def narrowed(check):
    """A search and a filter that are written in one view hold in the others, and clearing them brings all back."""
    one = written('decoder')
    [run] = one.report['runs']
    category = 'attention'
    kernels = [kernel for kernel in run['kernels'] if kernel['category'] == category]
    check.that(0 < len(kernels) < len(run['kernels']), 'the example has no such category')
    with browser() as chromium, chromium.open(one.path) as tab:
        page = open_view(tab, 'Kernels')
        count = {
            'Kernels': lambda: int(page.get_by_role('grid', name='Kernels').get_attribute('aria-rowcount')) - 1,
            'Roofline': lambda: int(page.get_by_role('grid', name='Roofline').get_attribute('aria-rowcount')) - 1,
            'Operators': lambda: int(page.get_by_role('grid', name='Framework operators').get_attribute('aria-rowcount')) - 1,
            'Modules': lambda: page.get_by_role('treeitem').count(),
            'Graph': lambda: page.get_by_role('status', name='Nodes').inner_text(),
        }

        def counts():
            found = {}
            for view, of_view in count.items():
                open_view(tab, view)
                found[view] = of_view()
            return found

        whole = counts()
        open_view(tab, 'Kernels')
        page.get_by_role('group', name='Filters').get_by_role('combobox', name='Category').select_option(category)
        filtered = counts()
        check.equal('kernels of a category', (filtered['Kernels'], filtered['Roofline']), (len(kernels), len(kernels)))
        check.that(all(filtered[view] != whole[view] for view in whole), f'a filter changes {whole} to {filtered}')
        open_view(tab, 'Timeline')
        check.equal('the pressed category of the timeline', page.locator('.timeline-legend [aria-pressed=true]').all_inner_texts(), [category])
        page.get_by_role('button', name='Clear filters').click()
        page.get_by_role('searchbox', name='Search').fill('attention')
        found = counts()
        check.that(all(found[view] != whole[view] for view in whole), f'a search changes {whole} to {found}')
        page.get_by_role('searchbox', name='Search').fill('')
        check.equal('without both', counts(), whole)
        check.none('faults', tab.faults)


# Grids whose copy has the columns of an output of the command, or of lists of its report: view, label, path in the run of the report, names of columns there.
COPIES = (
    ('Host', 'Streams', lambda run: [(f'{one["device"]}/{one["stream"]}', one['count'], one['runtime_ns'], one['busy_ns'], one['idle_ns']) for one in run['streams']],
     ('stream', 'events', 'runtime_ns', 'busy_ns', 'idle_ns')),
    ('Host', 'Who waits for whom', lambda run: [(one['name'], one['ns'], one['count']) for one in run['waits']['calls']], ('call', 'ns', 'count')),
    ('Memory', 'Inactive periods', lambda run: [(one['name'], one['bytes'], period['from'], period['to'], period['ns']) for one in run['liveness']['tensors'] for period in one['periods']],
     ('tensor', 'bytes', 'from', 'to', 'ns')),
    ('Roofline', None, lambda run: [(one['label'], one['scope'], one['duration_ns']) for one in run['kernels'] if one['roofline'] and (one['roofline']['bytes'] or one['roofline']['flops'])],
     ('name', 'scope', 'duration_ns')),
)


def copies(check):
    """Tables that are copied are `-emit=csv`, byte for byte if nothing is left out, or have the numbers of `-emit=json`."""
    for name in ('encoder', 'decoder', 'ranks'):
        one = written(name)
        [run] = one.report['runs']
        with browser() as chromium, chromium.open(one.path) as tab:
            open_view(tab, 'Kernels')
            expected = list(csv.DictReader(io.StringIO(one.csv, newline='')))
            check.equal(f'{name}: -emit=csv', sorted(copied(tab), key=lambda row: int(row['id'])), expected)
            views = views_of(tab)
            for view, section, rows, columns in COPIES:
                if view not in views or (view == 'Roofline' and name != 'decoder') or (section == 'Who waits for whom' and not (run['waits'] and run['waits']['calls'])):
                    continue
                open_view(tab, view)
                place = tab.page.get_by_role('region', name=section) if section else tab.page.get_by_role('tabpanel')
                if not place.count():
                    continue
                place.get_by_role('button', name='Copy as CSV').first.click()
                table = list(csv.DictReader(io.StringIO(tab.page.evaluate('() => window.copied'), newline='')))
                text = sorted(tuple('' if value is None else str(value) for value in row) for row in rows(run))
                check.equal(f'{name}, {view}, {section}', sorted(tuple(row[column] for column in columns) for row in table), text)
            check.none(f'{name}: faults', tab.faults)
