"""The views Roofline, Host, Memory, Compare and Ranks, and what Kernels has beside its first table, have the rows and numbers of `-emit=json`, and fit a phone and paper.

Each grid is read with all of its columns, as a browser shows it: a cell by its `data` value, else by its text.
"""
from checks.page.browser import PHONE, browser
from checks.page.shown import hostile_page, overflow
from checks.page.written import written

# A print of a grid has so many rows at most.
MOST_ROWS = 500
READ_GRID = """label => {
    dispatchEvent(new Event("beforeprint"));
    // Paper has no room for some columns.
    const more = [...document.querySelectorAll(".more-columns:not([hidden])")].filter(button => /more column/.test(button.textContent));
    more.forEach(button => button.click());
    const grid = document.querySelector(`[role=grid][aria-label="${label}"]`);
    const value = cell => cell.querySelector("data")?.value ?? (cell.querySelector("[title]")?.title || cell.textContent.trim());
    const head = [...grid.querySelectorAll("[role=columnheader] .head-text")].map(cell => cell.textContent.replace(/, (us|s|ms)$/, ""));
    const rows = [...grid.querySelectorAll(".grid-body > [role=row]")].map(row => [...row.children].map(value));
    more.forEach(button => button.click());
    dispatchEvent(new Event("afterprint"));
    return [head, rows, Number(grid.getAttribute("aria-rowcount"))];
}"""


def shown_rows(check, tab, label, columns):
    """The values of these columns in each row of a grid, as they sort. A column that is not there has no value in any row."""
    head, rows, count = tab.page.evaluate(READ_GRID, label)
    if count == 1:
        # The text that none passes stands in a row, which is not counted.
        return []
    check.equal(f'{label}: rows', min(count - 1, MOST_ROWS), len(rows))
    places = [head.index(column) if column in head else None for column in columns]
    return [tuple('' if place is None else row[place] for place in places) for row in rows]


def text_of(value):
    """A value of the report as JavaScript writes it."""
    if value is None:
        return ''
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def check_grid(check, tab, label, columns, expected):
    shown = sorted(shown_rows(check, tab, label, columns))
    wanted = sorted(tuple(text_of(value) for value in row) for row in expected)
    if len(wanted) > MOST_ROWS:
        check.none(f'{label}: rows that the report does not have', (row for row in shown if row not in wanted))
    else:
        check.equal(label, shown, wanted)


def views_of(tab):
    return tab.page.locator('[role=tablist][aria-label=Views] [role=tab]').all_inner_texts()


def open_view(tab, name):
    """Shows a view, as a click on its tab does; the check `page/history` clicks."""
    tab.page.evaluate('name => [...document.querySelectorAll("[role=tablist][aria-label=Views] [role=tab]")].find(one => one.textContent === name).click()', name)
    tab.settle()
    return tab.page


def roofline(check, tab, report):
    [run] = report['runs']
    page = open_view(tab, 'Roofline')
    unknown = {kernel: one['reason'] for one in run['roofline']['unknown'] for kernel in one['kernels']}
    expected = []
    for kernel in run['kernels']:
        roof = kernel['roofline']
        if kernel['id'] in unknown or (roof and (roof['bytes'] or roof['flops'])):
            roof = roof or {'attainable_ns': None, 'bytes': None, 'flops': None}
            expected.append((kernel['label'], kernel['scope'], kernel['duration_ns'], roof['attainable_ns'], roof['bytes'], roof['flops']))
    check.that(len(expected) > 20, 'too few kernels have a roofline')
    check_grid(check, tab, 'Roofline', ('Kernel', 'Scope', 'Time', 'Attainable', 'Bytes', 'Operations'), expected)
    shown = page.locator('.figures').inner_text()
    check.that(run['roofline']['hardware'] in shown, 'the device is not named')
    # A mark that is chosen is the selected kernel, whose row is selected, too.
    mark = page.locator('.mark').first
    mark.click(force=True)
    check.equal('marks that are selected', page.locator('.mark.selected').count(), 1)
    check.that('sel' in page.url or page.locator('[role=row][aria-selected=true]').count() == 1, 'no row is selected')
    page.get_by_text('Rules', exact=True).click()
    labels = {kernel['label'] for kernel in run['kernels'] if kernel['duration_ns'] and kernel['roofline'] and (kernel['roofline']['bytes'] or kernel['roofline']['flops'])}
    check_grid(check, tab, 'Roofline', ('Rule',), [(label,) for label in labels])


def statistic(row):
    return row['total_ns'], row['count'], row['mean_ns'], row['std_ns'], row['min_ns'], row['median_ns'], row['max_ns']


def host(check, tab, report):
    run = report['runs'][0]
    open_view(tab, 'Host')
    if run['idle']:
        sums = {}
        for piece in run['idle']:
            key = piece['cause'], piece['detail']
            sums[key] = sums.get(key, 0) + piece['ns']
        shown = shown_rows(check, tab, 'Idle time', ('What was going on', 'Time'))
        check.equal('Idle time', sorted(shown), sorted((text_of(detail), str(ns)) for (_, detail), ns in sums.items()))
        check.equal('all idle time', sum(int(ns) for _, ns in shown), run['trace']['idle_ns'])
    overheads = run['overheads']
    rows = [('T1', 'all', overheads['t1'])] + [('T4', name, one) for name, one in overheads['t4'].items()]
    for name, one in overheads['operators'].items():
        rows += [(key.upper(), name, one[key]) for key in ('t2', 't3', 't5')]
    check_grid(check, tab, 'Overheads', ('Overhead', 'Operator or call', 'Sum', 'Samples', 'Mean', 'Deviation', 'Least', 'Median', 'Most'),
               [(which, name, *statistic(one)) for which, name, one in rows if one])
    check_grid(check, tab, 'Streams', ('Stream', 'Events', 'Device', 'Busy', 'Idle', 'Queue', 'At most'),
               [(f'{one["device"]}/{one["stream"]}', one['count'], one['runtime_ns'], one['busy_ns'], one['idle_ns'], one['queue']['mean'], one['queue']['max'])
                for one in run['streams']])
    # The queues that are drawn, which the columns of events give, reach what the report says.
    drawn = tab.page.locator('.queue h3 data').evaluate_all('all => all.map(one => Number(one.value))')
    check.equal('the longest queues', sorted(drawn), sorted(one['queue']['max'] for one in run['streams'] if one['queue']['max']))
    if run['waits'] and run['waits']['calls']:
        check_grid(check, tab, 'Waits', ('Call that waits', 'Time', 'Calls'), [(one['name'], one['ns'], one['count']) for one in run['waits']['calls']])
    calls = shown_rows(check, tab, 'Host operations', ('Name', 'Kind', 'Calls', 'Own code', 'Total'))
    check.that(calls and all(self == '' or 0 <= float(self) <= float(total) for _, _, _, self, total in calls), 'a host operation has more of its own than in all')


def figures(tab, region):
    """Of the numbers that are read first: by name the exact values, or the text of one without."""
    return region.locator('.figures > div').evaluate_all("""all => Object.fromEntries(all.map(one => {
        const values = [...one.querySelectorAll('data')].map(data => data.value);
        return [one.querySelector('dt').textContent, values.length > 0 ? values : one.querySelector('dd').textContent];
    }))""")


def check_figures(check, tab, what, region, expected):
    """`expected` has each name that the view knows, with None where the run has no such number; a number of things that is 0 may be left out."""
    shown = figures(tab, region)
    check.equal(f'{what}: figures', shown, {name: value if name == 'Rules look at' else [text_of(value)] for name, value in expected.items() if value is not None})


def path_and_replay(check, tab, report):
    """The parts of Host that tell how a run is replayed, and what steps a server has."""
    [run] = report['runs']
    page = open_view(tab, 'Host')
    for choice, path in (('From the last event', run['run_path']), ('From the end of the window', run['window_path'])):
        if path is None:
            continue
        if run['window_path']:
            page.get_by_role('radiogroup', name='Path from').get_by_text(choice, exact=True).click()
        check_grid(check, tab, 'Path of the run', ('Kind', 'What it is in', 'Time'), [(one['kind'], one['name'], one['ns']) for one in path])
    replay = run['replay']
    many = {name: replay[key] or None for name, key in (('Launches that a stream holds', 'queue_length'), ('Events whose measured start is taken over', 'carried_in'),
                                                        ('Events without a launch in the trace', 'without_launch'),
                                                        ('Calls that wait for what ended long after them', 'contradictions'))}
    check_figures(check, tab, 'replay', page.get_by_role('region', name='How the run is replayed'), {
        'Replayed wall time': replay['wall_ns'], 'Error of wall time': replay['error'], 'Error with unexplained waits kept, as predictions are made': replay['kept_error'],
        'Replayed window': replay['window_ns'], 'Error of the window': replay['window_error'], 'Unexplained waits, of wall time': replay['unexplained'],
        'Calls that look like waits and are replayed as none, of wall time': replay['audit'], 'Wall time left if the device took none': replay['without_device'],
        'Wall time left if the host took none': replay['without_host'], **many})
    check_grid(check, tab, 'Constants of the replay', ('Constant', 'Call or kernel', 'Time', 'Samples'),
               [(one['kind'], one['name'] or 'all others', one['ns'], one['samples']) for one in replay['constants']])


def server(check, tab, report):
    [run] = report['runs']
    check.that(run['throughput'] and run['step_classes'], 'the example has no steps of a server')
    path_and_replay(check, tab, report)
    check_figures(check, tab, 'throughput', tab.page.get_by_role('region', name='Throughput'),
                  {'Of wall time': run['throughput']['wall_samples_per_second'], 'Of the window': run['throughput']['window_samples_per_second']})
    check.that(f'Samples, {run["throughput"]["batch_size"]} in an iteration' in tab.page.locator('main').inner_text(), 'the size of the batch is not told')
    check_grid(check, tab, 'Steps of the server', ('Class', 'Iterations', 'Busy', 'Wall', 'Window'),
               [(one['name'], one['iterations'], one['busy_ns'], one['wall_ns'], one['window_ns']) for one in run['step_classes']])


GROUPINGS = {'rule': 'Rules', 'category': 'Categories', 'operator': 'Framework operators', 'op_type': 'Operator types'}


def groups(check, tab, report):
    """Kernels put together, the critical path, how well events were attributed, and captures."""
    [run] = report['runs']
    page = open_view(tab, 'Kernels')
    shown = page.get_by_role('radiogroup', name='Shown')
    for key, title in GROUPINGS.items():
        rows = run['aggregates'][key]
        check.equal(f'choices of {title}', shown.get_by_text(title, exact=True).count(), int(bool(rows)))
        if rows:
            shown.get_by_text(title, exact=True).click()
            check_grid(check, tab, title, (title, 'Kernels', 'Events', 'Time', 'Share', 'Limit of busy', 'Limit of wall'),
                       [(one['name'], one['kernels'], one['events'], one['duration_ns'], one['ratio'], one['max_speedup'] or 'inf', one['max_speedup_wall'] or 'inf') for one in rows])
    shown.get_by_text('Kernels', exact=True).click()
    told = page.locator('.attribution')
    told.locator('summary').click()
    path, binding = run['critical_path'], run['binding']
    times = {name: binding[key] or None for name, key in (('Device time bound', 'bound_ns'), ('Ambiguous', 'ambiguous_ns'), ('Of the runtime only', 'runtime_only_ns'),
                                                          ('Of other work', 'foreign_ns'), ('Unknown', 'unknown_ns'))}
    check_figures(check, tab, 'attribution', told, {
        'Critical path of the kernels': path['duration_ns'], 'Of busy time': path['ratio'], 'Kernels on it': len(path['kernels']), 'Other paths as long': path['ties'],
        'The trace is of this model': None if binding['fits'] is None else str(binding['fits']).lower(),
        'Rules look at': 'names alone: nothing was tested' if binding['names_only'] else None, 'Runs of the model in an iteration': binding['forwards'],
        'Calls inside the model that have a node': binding['calls_explained'], 'Work that must launch and did': binding['units_run'],
        'Dimensions of weights seen in the trace': binding['weights_seen'], 'Evidence of a call': binding['bits_per_call'], **times})
    listed = told.locator('li').evaluate_all('all => all.map(one => [one.textContent, ...[...one.querySelectorAll("data")].map(data => Number(data.value))])')
    check.equal('captures', [numbers for _, *numbers in listed], [[one['replays'], one['events'], one['launches']] for one in run['captures'] or []])
    check.none('captures that are not named', (one['name'] for one in run['captures'] or [] if not any(one['name'] in text and one['file'] in text for text, *_ in listed)))


def memory(check, tab, report):
    [run] = report['runs']
    liveness = run['liveness']
    page = open_view(tab, 'Memory')

    def live(position):
        return [(one['name'], one['type'], one['bytes'], one['birth'], one['live_end']) for one in liveness['tensors']
                if one['global'] or one['birth'] <= position < one['live_end']]

    columns = ('Tensor', 'Type', 'Bytes', 'Born', 'Lives to')
    position = liveness['peak_position']
    check.equal('live bytes at the peak', sum(size for _, _, size, _, _ in live(position)), liveness['peak_bytes'])
    check_grid(check, tab, 'Live tensors', columns, live(position))
    slider = page.get_by_role('slider', name='Position')
    slider.focus()
    page.keyboard.press('ArrowRight')
    check_grid(check, tab, 'Live tensors', columns, live(position + 1))
    check.that(f'position {position + 1}' in slider.get_attribute('aria-valuetext'), 'the slider does not say where it is')
    check_grid(check, tab, 'Inactive periods', ('Tensor', 'Bytes', 'From', 'To', 'Length'),
               [(one['name'], one['bytes'], period['from'], period['to'], period['ns']) for one in liveness['tensors'] for period in one['periods']])
    if liveness['no_measured']:
        check.that(liveness['no_measured'] in page.locator('main').inner_text(), 'it is not said why nothing was measured')


def compare(check, tab, report):
    page = open_view(tab, 'Compare')
    for pair in report['comparisons']:
        page.get_by_text(f'{pair["before"]} → {pair["after"]}', exact=True).click()
        for table, name, button in (('kernels', 'Kernel', 'Kernels'), ('scopes', 'Scope', 'Scopes'), ('categories', 'Category', 'Categories')):
            page.locator('.compare').get_by_text(button, exact=True).click()
            check_grid(check, tab, 'Comparison', (name, 'Before', 'After', 'Difference', 'Against noise'),
                       [(row['name'], side(row, 'before'), side(row, 'after'), '' if row['change'] == 'unknown' else (row['after_ns'] or 0) - (row['before_ns'] or 0), meaning(row, pair))
                        for row in pair[table]])
        page.get_by_role('switch', name='Only what is beyond noise').check()
        check_grid(check, tab, 'Comparison', ('Category', 'After'),
                   [(row['name'], side(row, 'after')) for row in pair['categories'] if row['change'] in ('faster', 'slower', 'new', 'gone')])
    page.get_by_text('All by segments', exact=True).click()
    labels, segments = report['compare']['labels'], report['compare']['segments']
    times = [[segment['cells'].get(label) for label in labels] for segment in segments]
    check_grid(check, tab, 'Comparison', ('Segment', *labels),
               [(segment['name'], *('' if cell is None else 'No event is bound there' if cell['duration_ns'] is None else cell['duration_ns'] for cell in cells))
                for segment, cells in zip(segments, times)])


def side(row, which):
    """What a time that may be longer is shown as, if nothing of it is known."""
    return '?' if row[f'{which}_ns'] is None and row[f'{which}_unexplained_ns'] is not None else row[f'{which}_ns']


def meaning(row, pair):
    """What is said of a change by pointing at it."""
    low, high = row['ratio_low'], row['ratio_high']
    if row['change'] == 'within-noise' and low is not None and (low > 1 or high < 1):
        return (DRIFT if row['before_ns'] and row['after_ns'] and 20 * abs(row['after_ns'] - row['before_ns']) <= min(row['before_ns'], row['after_ns'])
                else 'Of so many rows, some lie beyond their interval by chance')
    if row['change'] != 'unknown':
        return MEANINGS[row['change']]
    parts = ' and '.join(f'{time_text(row[f"{which}_unexplained_ns"])} of unexplained time of {pair[which]}' for which in ('before', 'after')
                        if row[f'{which}_unexplained_ns'] is not None)
    return f'Work of the row may be inside of {parts}'


def time_text(ns):
    """A time as the page writes it in sentences."""
    size, unit = next((size, unit) for size, unit in ((1, 'ns'), (1e3, 'us'), (1e6, 'ms'), (1e9, 's')) if ns < 1000 * size or unit == 's')
    return f'{ns / size:,.3f} {unit}' if size > 1 else f'{ns} ns'


DRIFT = 'Beyond its interval, but with fewer than three recordings of each run at most 5 % count as drift'
MEANINGS = {None: '', 'faster': 'Faster, beyond noise', 'slower': 'Slower, beyond noise', 'new': 'Only the later run has time here, beyond noise',
            'gone': 'Only the earlier run has time here, beyond noise', 'within-noise': 'Chance explains the difference',
            'noise-unknown': 'A side has fewer than three iterations, or only means'}


def ranks(check, tab, report):
    page = open_view(tab, 'Ranks')
    check_grid(check, tab, 'Ranks',
               ('Rank', 'Window', 'Wall', 'Busy', 'Computes', 'Communicates', 'Exposed', 'Copies', 'Waits', 'Waits exposed', 'Later by', 'Last in', 'Waited for', 'File'),
               [(one['rank'], one['window_ns'], one['wall_ns'], one['busy_ns'], one['computation_ns'], one['communication_ns'], one['exposed_communication_ns'],
                 one['exposed_copies_ns'], one['wait_ns'], one['exposed_wait_ns'], one['skew_ns'], one['last'], one['waited_for_ns'], one['file']) for one in report['ranks']])
    across = report['across_ranks']
    check_grid(check, tab, 'Waits of ranks', ('Rank', 'Waits for rank', 'Time', 'Exposed'), [(one['rank'], one['for_rank'], one['ns'], one['exposed_ns']) for one in across['waits']])
    check_grid(check, tab, 'Collectives', ('Operation', 'Kind', 'Ranks', 'Number', 'Waiting', 'Start skew', 'Most', 'End skew', 'Most often last'),
               [(one['operation'], one['kind'], one['ranks'], one['count'], one['wait_ns'], one['start_skew_ns'], one['most_start_skew_ns'], one['end_skew_ns'], one['last_rank'])
                for one in across['collectives']])
    check.that(across['straggler']['advice'] in page.locator('main').inner_text(), 'the advice about the straggler is missing')


def names(check):
    """Whatever names events, threads and streams have, they are texts in every view."""
    with browser() as chromium, chromium.open(hostile_page()) as tab:
        views = views_of(tab)
        check.that('Host' in views and 'Kernels' in views, f'the views are {views}')
        for view in views:
            open_view(tab, view)
            check.that(tab.inside('() => window.ran === undefined && document.querySelectorAll("img").length === 0'), f'{view}: a name became an element')
        check.none('faults', tab.faults)


CASES = (
    ('decoder', (('Roofline', roofline), ('Host', host), ('Host', path_and_replay), ('Memory', memory), ('Kernels', groups))),
    ('encoder', (('Kernels', groups),)),
    ('captured', (('Host', server), ('Kernels', groups))),
    ('ranks', (('Host', host), ('Ranks', ranks))),
    ('comparison', (('Compare', compare),)),
)


def check(check):
    with browser() as chromium:
        for name, views in CASES:
            one = written(name)
            with chromium.open(one.path) as tab:
                for view, of_view in views:
                    # Nothing that was selected in the view before is.
                    tab.go('v=1')
                    of_view(check, tab, one.report)
                    check.none(f'{name}, {view}: faults', tab.faults)
            with chromium.open(one.path, size=PHONE) as tab:
                for view, _ in views:
                    open_view(tab, view).emulate_media(media='print')
                    check.that(tab.page.pdf().startswith(b'%PDF'), f'{name}, {view}: it cannot be printed')
                    tab.page.emulate_media(media='screen')
                    tab.settle()
                    check.equal(f'{name}, {view}: pixels beyond the right edge of a phone', overflow(tab), 0)
