"""The placed graphs of a page have each node once, within the picture, and unfolded each kernel of the report, but for what they say that they leave out."""
import json
import re

from checks.page.browser import browser
from checks.page.document import written
from checks.page.shown import findings
from checks.page.written import written as written_page
from checks.places import ENCODER, ENCODER_TRACE, EXAMPLES, SHARED


def cases():
    yield [ENCODER_TRACE, ENCODER]
    yield [ENCODER]
    yield [EXAMPLES / 'h100' / 'decoder.trace.json.gz']
    # Each run has calls that the other one lacks.
    yield [f'-trace={EXAMPLES / "h100" / "decoder.trace.json.gz"}', f'-trace={EXAMPLES / "h100" / "decoder.graph.trace.json.gz"}']
    if SHARED.is_dir():
        # Hundreds of its calls make views of tensors that nothing needs.
        yield [f'-trace={SHARED / "programs" / "dlrm"}']


LEFT_OUT = re.compile(r'(\d+) calls (that this run does not have|without device work that no device work needs, or that need none) are not drawn')


def left_out(graph):
    """How many calls a graph says that it leaves out, by the state of their kernels."""
    found = [match for note in graph['notes'] if (match := LEFT_OUT.fullmatch(note))]
    return {'not-executed' if match[2].startswith('that') else 'no-device-work': int(match[1]) for match in found}


def check_graph(check, what, graph):
    nodes = range(len(graph['nodes']))
    check.equal(f'{what}: nodes in boxes', sorted(node for box in graph['boxes'] for node in box['nodes']), list(nodes))
    check.none(f'{what}: edges without a node', (edge for edge in graph['edges'] if edge['from'] not in nodes or edge['to'] not in nodes))
    areas = [(one['area'], one) for one in graph['boxes'] + graph['frames']]
    check.none(f'{what}: beyond the border', (one for (left, top, width, height), one in areas
                                              if min(left, top) < 0 or left + width > graph['width'] + 1 or top + height > graph['height'] + 1))
    box_of = {node: i for i, box in enumerate(graph['boxes']) for node in box['nodes']}
    check.none(f'{what}: edges between boxes without a line, or within a box with one',
               (edge for edge in graph['edges'] if ('points' in edge) == (box_of[edge['from']] == box_of[edge['to']])))


def check(check):
    for options in cases():
        what = ' '.join(str(option).rpartition('/')[2] for option in options)
        document, report = written(*options)
        for index, run in enumerate(json.loads(report)['runs']):
            names = [name for name in document.meta if name.startswith(f'{index}/graph.')]
            check.that(f'{index}/graph.auto' in names, f'{what}: no graph')
            kernels, lacking = set(), {}
            for name in names:
                graph = json.loads(bytes(document.column(name)))
                check_graph(check, f'{what}, {name}', graph)
                kernels |= {node['kernel'] for node in graph['nodes'] if node['count'] == 1}
                lacking = left_out(graph)
            missing = [kernel['state'] for kernel in run['kernels'] if kernel['id'] not in kernels]
            check.equal(f'{what}: kernels that are not there', {state: missing.count(state) for state in missing}, lacking)
    if not SHARED.is_dir():
        check.left_out('a program with many views', 'there is no ../shared')


def keys(check):
    """The graph is walked by keys, searched and folded, and axe finds no fault."""
    with browser() as chromium:
        for scheme in ('light', 'dark'):
            with chromium.open(written_page('encoder').path, scheme=scheme) as tab:
                tab.page.get_by_role('tab', name='Graph').click()
                tab.settle()
                nodes = tab.page.get_by_role('listbox', name='Nodes of the graph')
                nodes.focus()
                for key in ('Home', 'ArrowRight', 'ArrowDown'):
                    tab.page.keyboard.press(key)
                spoken = nodes.get_by_role('option').text_content()
                check.that(', node ' in spoken and ' of ' in spoken, f'the chosen node is {spoken}')
                folded = tab.page.get_by_role('status', name='Nodes').text_content()
                tab.page.get_by_text('All kernels', exact=True).click()
                whole = tab.page.get_by_role('status', name='Nodes').text_content()
                check.that(int(whole.split()[0]) > int(folded.split()[0]), f'{folded} folded, {whole} in all')
                tab.page.get_by_role('searchbox', name='Search').fill('gelu')
                found = tab.page.get_by_role('status', name='Nodes').text_content()
                check.that(' of ' in found and 0 < int(found.split()[0]) < int(whole.split()[0]), f'{found} are found')
                check.none(f'{scheme}: findings of axe', findings(tab, '[role=group][aria-label=Graph]'))
                check.none(f'{scheme}: faults', tab.faults)
