"""The tables Kernels, Operators and Modules have the rows and numbers of `-emit=json`, `-emit=csv` and of the events, and filters leave the rows that they name."""
import csv
import io
import json

from checks import command
from checks.command import amdahlc
from checks.page.browser import browser
from checks.page.document import Document
from checks.page.generated import DEVICE
from checks.page.views import READ_GRID, check_grid, open_view, shown_rows, text_of
from checks.page.written import written

OPERATOR = 3   # in the column `host.kind`
DEVICE_SECTIONS = ('execution', 'transfer')

# A page from a file may have no clipboard, so that what it would copy is kept.
CATCH_COPY = '() => { navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }; }'


def copied(tab):
    """The rows that `Copy as CSV` of a view gives."""
    tab.page.evaluate(CATCH_COPY)
    tab.page.get_by_role('tabpanel').get_by_role('button', name='Copy as CSV').first.click()
    return list(csv.DictReader(io.StringIO(tab.page.evaluate('() => window.copied'), newline='')))


def kernels(check, tab, run, rows_of_csv):
    open_view(tab, 'Kernels')
    check.that(len(run['kernels']) > 5, 'too few kernels')
    check_grid(check, tab, 'Kernels', ('Time', 'Share', 'Events', 'Category', 'Nodes'),
               [(one['duration_ns'], one['ratio'], one['events'], one['category'], ';'.join(one['nodes'])) for one in run['kernels']])
    check.equal('rows that are copied', sorted(copied(tab), key=lambda row: int(row['id'])), rows_of_csv)
    head, _, _ = tab.page.evaluate(READ_GRID, 'Kernels')
    check.that('Binding' in head and not any(column == '' for column in head), f'the columns are {head}')
    if run['unbound']:
        tab.page.get_by_text('Without a kernel', exact=False).first.click()
        check_grid(check, tab, 'Events without a kernel', ('Event', 'Time', 'Events', 'Class'),
                   [(one['name'], one['duration_ns'], one['events'], one['class']) for one in run['unbound']])


def expected_operators(document, meta, report):
    """Calls, times and events of each operator in the shown iterations, from the columns."""
    column = {name: document.column(f'0/{name}') for name in ('host.kind', 'host.start', 'host.duration', 'host.name', 'host.parent', 'host.iteration',
                                                              'event.duration', 'event.operator', 'event.iteration')}
    names = document.strings(0)
    selected = [i for i, one in enumerate(meta['iterations']) if one['selected']]
    chosen = [i for i in selected if meta['iterations'][i]['name'] == report['trace']['representative']] or selected
    found = {}
    for i, kind in enumerate(column['host.kind']):
        if kind == OPERATOR and column['host.iteration'][i] in chosen:
            found.setdefault(names[column['host.name'][i]], [0, 0, 0])[0] += 1
    for i, duration in enumerate(column['event.duration']):
        if column['event.iteration'][i] not in chosen:
            continue
        operator = column['event.operator'][i]
        row = found.setdefault('(no operator)' if operator < 0 else names[column['host.name'][operator]], [0, 0, 0])
        row[1] += duration
        row[2] += 1
    return {name: [value / len(chosen) for value in row] for name, row in found.items()}


def operators(check, tab, document, run):
    open_view(tab, 'Operators')
    expected = expected_operators(document, document.page['runs'][0], run)
    check.that(len(expected) > 1, 'too few operators')
    check_grid(check, tab, 'Framework operators', ('Operator', 'Calls', 'Device self', 'Events'),
               [(name, '' if name == '(no operator)' else calls, ns, events) for name, (calls, ns, events) in expected.items()])
    rows = copied(tab)
    check.equal('device time that is copied', sum(float(row['device_self_ns']) for row in rows), sum(ns for _, ns, _ in expected.values()))


def modules(check, tab, run):
    open_view(tab, 'Modules')
    scopes = run['aggregates']['scope']
    check.equal('modules that are copied', sorted((row['scope'], row['kernels'], row['duration_ns'], row['own_duration_ns']) for row in copied(tab)),
                sorted((one['name'], *(text_of(one[key]) for key in ('kernels', 'duration_ns', 'own_duration_ns'))) for one in scopes))
    # Each module is an item of its own where repeated ones are not put together; the tree has the roots, and more of what is opened.
    merge = tab.page.get_by_role('switch', name='Put repeated modules together')
    if merge.count():
        merge.uncheck()
    tree = tab.page.get_by_role('tree', name='Modules')
    tree.get_by_role('treeitem').first.focus()
    while (closed := tree.locator('[role=treeitem][aria-expanded=false]')).count():
        closed.first.focus()
        tab.page.keyboard.press('ArrowRight')
    shown = tree.get_by_role('treeitem').evaluate_all("""all => all.map(item =>
        [item.querySelector('.module-name').title, ...['.module-own', '.module-time'].map(part => item.querySelector(`${part} data`).value)])""")
    check.equal('modules', sorted(map(tuple, shown)), sorted((one['name'], text_of(one['own_duration_ns'] or 0), text_of(one['duration_ns'] or 0)) for one in scopes))


def filters(check, tab, document, run):
    """A menu has the values that rows have; with each of them the rows are those that have it."""
    lanes = document.page['runs'][0]['lanes']
    lane_of, kernel_of = document.column('0/event.lane'), document.column('0/event.kernel')
    streams = {}
    for lane, kernel in zip(lane_of, kernel_of):
        if kernel >= 0 and lanes[lane]['device'] and lanes[lane]['section'] in DEVICE_SECTIONS:
            streams.setdefault(lanes[lane]['name'], set()).add(run['kernels'][kernel]['id'])
    page = open_view(tab, 'Kernels')
    menus = page.get_by_role('group', name='Filters')
    stream = menus.get_by_role('combobox', name='Stream')
    if len(streams) < 2:
        check.equal('menus of streams', stream.count(), 0)
    for name, ids in streams.items() if len(streams) > 1 else ():
        stream.select_option(name)
        check_grid(check, tab, 'Kernels', ('Nodes', 'Time'), [(';'.join(one['nodes']), one['duration_ns']) for one in run['kernels'] if one['id'] in ids])
        menus.get_by_role('button', name='Clear filters').click()
    groups = [one['name'] for one in run['forward_groups'] or []]
    if len(groups) > 1:
        kernels_of = {}
        for kernel, group in zip(kernel_of, document.column('0/event.forward')):
            if kernel >= 0 and group < len(groups):
                kernels_of.setdefault(groups[group], set()).add(run['kernels'][kernel]['id'])
        for name in groups:
            menus.get_by_role('combobox', name='Forwards').select_option(name)
            check_grid(check, tab, 'Kernels', ('Nodes', 'Time'), [(';'.join(one['nodes']), one['duration_ns']) for one in run['kernels'] if one['id'] in kernels_of[name]])
            menus.get_by_role('button', name='Clear filters').click()
    categories = {one['category'] for one in run['kernels']}
    if len(categories) > 1:
        menus.get_by_role('combobox', name='Category').select_option(min(categories))
        check.equal('categories of rows', {category for category, in shown_rows(check, tab, 'Kernels', ('Category',))}, {min(categories)})
    # A menu that a view does not take into account is not there.
    open_view(tab, 'Modules' if run['aggregates']['scope'] else 'Graph')
    check.equal('menus of streams where they change nothing', stream.count(), 0)
    check.equal('menus of forwards', menus.get_by_role('combobox', name='Forwards').count(), int(len(groups) > 1))


CASES = ('encoder', 'decoder', 'ranks')


def two_groups():
    """The page of a run whose iterations run the model twice, with other kernels each time."""
    folder = command.temporary()
    page, report = folder / 'page.html', folder / 'report.json'
    amdahlc.text('-steps=whole', f'-emit=html={page}', f'-emit=json={report}', write_forwards(folder / 'trace.json'))
    return page, json.loads(report.read_bytes()), Document(page.read_text())


def write_forwards(path):
    """A model is called six times, now with few kernels and now with many."""
    events, at = [], 1000
    for call in range(6):
        begin = at
        for number in range(2 + 6 * (call % 2)):
            link = {'correlation': 100 * call + number + 1, 'External id': 100 * call + number + 1}
            operands = {'External id': link['External id'], 'Input Dims': [[4, 8]], 'Input type': ['float']}
            events += [{'ph': 'X', 'cat': 'cpu_op', 'name': f'aten::op_{number}', 'pid': 1, 'tid': 1, 'ts': at + 1, 'dur': 18, 'args': operands},
                       {'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 1, 'tid': 1, 'ts': at + 3, 'dur': 4, 'args': link},
                       {'ph': 'X', 'cat': 'kernel', 'name': f'kernel_{number}', 'pid': 0, 'tid': 7, 'ts': at + 9, 'dur': 8, 'args': link | {'stream': 7, 'device': 0}}]
            at += 20
        events.append({'ph': 'X', 'cat': 'python_function', 'name': 'nn.Module: Model_0', 'pid': 1, 'tid': 1, 'ts': begin, 'dur': at - begin,
                       'args': {'Python id': call + 1, 'Python module id': 0}})
        at += 50
    path.write_text(json.dumps({'schemaVersion': 1, 'deviceProperties': [DEVICE], 'traceEvents': events}))
    return path


def check(check):
    with browser() as chromium:
        for name in CASES:
            path, report, document, table = written(name)
            [run] = report['runs']
            rows = list(csv.DictReader(io.StringIO(table, newline='')))
            with chromium.open(path) as tab:
                kernels(check, tab, run, rows)
                operators(check, tab, document, run)
                filters(check, tab, document, run)
                if run['aggregates']['scope']:
                    tab.go('v=1')
                    modules(check, tab, run)
                check.none(f'{name}: faults', tab.faults)
        path, report, document = two_groups()
        [run] = report['runs']
        check.equal('groups of forwards', len(run['forward_groups']), 2)
        with chromium.open(path) as tab:
            filters(check, tab, document, run)
            check.none('two groups: faults', tab.faults)
