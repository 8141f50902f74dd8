"""Changes that an address asks for are predicted by the page as the command predicts them, number for number.

Of each of several runs, random combinations of what its page offers are put into the fragment of one open page. The wall time that the page shows, the times
beside it, the ratio, how they are predicted and the caution are those of the command with the value of `-what-if=` that the page itself says.
"""
import fractions
import os
import random
import re
import urllib.parse

from checks import sampling
from checks.command import Failed, amdahlc
from checks.page.browser import browser
from checks.page.written import OPTIONS, written

RUNS = ('encoder', 'decoder', 'gpu', 'graphs', 'cpu')
COMBINATIONS = 200
# The order of replay/module/columns.def.
SUBJECTS = ('kernels', 'device', 'phase', 'forward', 'host', 'launches', 'host-op', 'batch', 'fused', 'copies', 'all-launches')
MODELS_OF_WALL = {'replay': 'replay of the run from its calls', 'idle-constant': 'arithmetic: idle time stays', None: 'arithmetic of busy time, because wall time is not known'}
# What the page shows after each of some fragments.
SHOWN = """async fragments => {
    const frame = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const facts = new Map();
    const found = [];
    for (const fragment of fragments) {
        const before = location.href;
        const changed = new Promise(done => addEventListener("hashchange", done, { once: true }));
        location.hash = fragment;
        // The same fragment again is no event.
        if (location.href !== before) await changed;
        await frame();
        const predicted = document.querySelector('[role=status][aria-label="Predicted wall time"]');
        const outcome = document.querySelector('section[aria-label=Prediction]');
        const facts = {};
        for (const line of outcome.querySelectorAll("dl > div")) {
            const values = [...line.querySelectorAll("data")].map(one => Number(one.value));
            facts[line.querySelector("dt").textContent] = values.length > 0 ? values : line.querySelector("dd").textContent;
        }
        found.push({
            values: [...predicted.querySelectorAll("data")].map(one => one.value === "" ? null : Number(one.value)),
            conflict: predicted.querySelector(".notice")?.textContent ?? null,
            facts,
            notices: [...outcome.querySelectorAll(":scope > div .notice")].filter(one => !predicted.contains(one)).map(one => one.textContent),
            option: outcome.querySelector(".what-if-options code").textContent,
        });
    }
    return found;
}"""


def combinations(document, count, seed):
    """Changes as an address has them, and as `-what-if=` takes them."""
    texts = bytes(document.column('0/replay.changes'))
    ends = [0, *(end + 1 for end in document.column('0/replay.changes.end'))]
    names = [texts[start:end - 1].decode() for start, end in zip(ends, ends[1:])]
    offered = list(zip(names, (SUBJECTS[subject] for subject in document.column('0/replay.change.subject'))))
    by_subject = {subject: [name for name, other in offered if other == subject] for _, subject in offered}
    chance = random.Random(seed)
    for _ in range(count):
        chosen = {}
        for _ in range(chance.randint(1, 5)):
            subject = chance.choice(sorted(by_subject))
            name = chance.choice(by_subject[subject])
            if subject in ('batch', 'fused', 'copies', 'all-launches'):
                # Two changes of the batch, and most pairs that fuse, are a conflict.
                if subject not in chosen.values():
                    chosen[name, name] = subject
            elif subject == 'kernels' and ',' not in name and chance.random() < 0.15:
                chosen[f'remove({name})', f'remove({name})'] = subject
            else:
                factor = fractions.Fraction(chance.randint(0 if subject == 'kernels' else 1, 5), chance.randint(1, 5))
                # A speed-up is written as a decimal where that is exact: `2.5x`, but `4/3x`.
                time = '0' if factor == 0 else f'{factor.denominator}/{factor.numerator}x' if factor.numerator == 3 else f'{float(1 / factor):g}x'
                if not any(other.startswith(f'{name}=') for _, other in chosen):
                    chosen[f'{name}={factor}', f'{name}={time}'] = subject
        yield [change for change, _ in chosen], ';'.join(option for _, option in chosen)


def by_command(options, combined):
    """By option its row; an option that is refused has the message."""
    try:
        run = amdahlc.run_report(*options, *(f'-what-if={option}' for option in combined))
        return {row['name']: row for row in run['what_if']}
    except Failed as failed:
        if len(combined) == 1:
            return {combined[0]: str(failed)}
        middle = len(combined) // 2
        return {**by_command(options, combined[:middle]), **by_command(options, combined[middle:])}


def label_of(trace, row, time):
    """`Wall`, or `Undisturbed wall` where the prediction starts from another time than the measured one."""
    base = row[f'base_{time}_ns']
    word = '' if base in (None, trace[f'{time}_ns']) else 'best-case ' if trace['iterations'] < 3 else 'undisturbed '
    return (word + time).capitalize()


def check_prediction(check, what, shown, row, trace):
    wall, base_wall = row['wall_ns'], row['base_wall_ns']
    check.equal(f'{what}: the predicted time', shown['values'], [row['busy_ns']] if wall is None else [wall, row['speedup_wall']])
    facts = {f'{label_of(trace, row, "wall")}, now': None if base_wall is None else [base_wall],
             label_of(trace, row, 'busy'): [row['busy_ns'], row['base_busy_ns']], 'Predicted by': MODELS_OF_WALL[row['wall_model']],
             label_of(trace, row, 'window'): None if row['window_ns'] is None else [row['window_ns'], row['base_window_ns']]}
    for name, value in facts.items():
        check.equal(f'{what}: {name}', shown['facts'].get(name), value)
    check.equal(f'{what}: notices', shown['notices'], [f'Caution: {row["caution"]}.'] if row['caution'] else [])


def check(check):
    seed = int(os.environ.get('AMDAHLC_SAMPLE_SEED') or '1', 16)
    count = max(10, COMBINATIONS // sampling.taken())
    with browser() as chromium:
        for name in RUNS:
            cases = list(combinations(written(name).document, count, f'{name} {seed}'))
            with chromium.open(written(name).path) as tab:
                tab.page.evaluate('() => { location.hash = "v=1&tab=what-if"; }')
                tab.page.wait_for_selector('section[aria-label=Prediction]')
                shown = tab.page.evaluate(SHOWN, [fragment(changes) for changes, _ in cases])
                check.none(f'{name}: faults', tab.faults)
            rows = by_command(OPTIONS[name], list({option: None for _, option in cases}))
            compared, trace = 0, written(name).report['runs'][0]['trace']
            for (_, option), one in zip(cases, shown):
                row, what = rows[option], f'{name}: {option}'
                check.equal(f'{what}: the option', one['option'], f"-what-if='{option}'")
                if isinstance(row, str) or one['conflict']:
                    check.that(isinstance(row, str) and one['conflict'], f'{what}: the page shows {one["conflict"] or one["values"]}, the command {row}')
                    continue
                compared += 1
                check_prediction(check, what, one, row, trace)
            check.that(compared, f'{name}: all of {count} combinations are refused')


def fragment(changes):
    return urllib.parse.urlencode([('v', '1'), ('tab', 'what-if'), *(('change', change) for change in changes)])


PREDICTED = '[role=status][aria-label="Predicted wall time"] data'
OPTION = '.what-if-options code'


def parts(check):
    """What is clicked in What-if and in the summary does what it says: links, advice, switches, menus, the goal, and what each part would save."""
    one = written('decoder')
    [run] = one.report['runs']
    with browser() as chromium, chromium.open(one.path) as tab:
        page = tab.page
        named = {row['id']: row['label'] for row in run['kernels']}
        row = page.locator('#summary tr[data-kernel]').first
        label = named[int(row.get_attribute('data-kernel'))]
        row.get_by_role('button').click()
        tab.settle()
        check.equal('the kernel that the summary leads to', page.locator('[role=grid][aria-label=Kernels] [role=row][aria-selected=true] [role=rowheader]').inner_text().strip(), label)
        more_rows(check, tab, len(run['kernels']))
        tab.go('v=1')
        asked = page.locator('#summary [data-option]').first
        option = asked.get_attribute('data-option')
        asked.get_by_role('button', name='Try in What-if').click()
        tab.settle()
        check.equal('the option that the summary leads to', page.locator(OPTION).inner_text(), f"-what-if='{option}'")

        now = run['trace']['wall_ns']

        def predicted():
            return float(page.locator(PREDICTED).first.get_attribute('value'))

        # Undoing the advice and trying it again.
        advice = next(piece for piece in run['advice'] if piece['selector'] == option)
        button = page.get_by_role('button', name=f'Try: {advice["change"]}')
        check.equal('the button of advice that is tried', button.inner_text(), 'Undo')
        button.click()
        check.equal('the time without it', predicted(), now)
        button.click()
        check.that(predicted() < now, f'advice that is tried leaves {predicted()} of {now}')
        page.get_by_role('button', name='Reset').click()
        check.equal('the option after a reset', page.locator(OPTION).inner_text(), 'no change is chosen')

        menu = page.get_by_role('combobox', name='Other changes of ').first
        way = menu.locator('option').filter(has_text='removed').get_attribute('value')
        menu.select_option(way)
        check.that(page.locator(OPTION).inner_text().startswith("-what-if='remove("), f'a menu says {page.locator(OPTION).inner_text()}')
        removed = by_command(OPTIONS['decoder'], [page.locator(OPTION).inner_text()[len("-what-if='"):-1]])
        check.equal('the time of what a menu says', [predicted()], [row['wall_ns'] for row in removed.values()])
        menu.select_option('')
        check.equal('the time without what a menu says', predicted(), now)

        page.get_by_role('textbox', name='Goal').fill('1.2x')
        page.get_by_role('button', name='Find').click()
        found = page.get_by_role('status', name='Goal').get_by_role('button', name='Try: ')
        found.first.wait_for()
        check.that(found.count() > 1, f'{found.count()} ways reach the goal')
        for place in range(found.count()):
            found.nth(place).click()
            option = page.locator(OPTION).inner_text()
            # A larger batch is for as many items as now.
            items = int(re.search(r'batch\((\d+)x\)|$', option)[1] or 1)
            check.that(predicted() / items <= now / 1.2 + 1, f'{option} does not reach the goal: {predicted()} of {now}')
        page.get_by_role('button', name='Reset').click()
        page.get_by_role('textbox', name='Goal').fill('soon')
        page.keyboard.press('Enter')
        check.that('A goal is' in page.get_by_role('status', name='Goal').inner_text(), 'a goal that is none is not told')

        page.get_by_text('What each part would save by itself').click()
        table = page.locator('.tornado tbody tr')
        table.first.wait_for()
        texts, saved = table.locator('th').all_inner_texts(), [float(one.get_attribute('value')) for one in table.locator('data').all()]
        rows = by_command(OPTIONS['decoder'], [f'{texts[0]}={time}' for time in ('2x', '0')])
        check.equal(f'what {texts[0]} would save', saved[:2], [now - rows[f'{texts[0]}={time}']['wall_ns'] for time in ('2x', '0')])
        check.none('faults', tab.faults)


def more_rows(check, tab, rows):
    """A grid says how many rows are below those that are seen, and no longer at its end."""
    more = tab.page.locator('[role=grid][aria-label=Kernels] .grid-more')
    below = int(more.inner_text().split()[0])
    check.that(0 < below < rows, f'of {rows} rows {below} are below')
    tab.page.locator('[role=grid][aria-label=Kernels] [tabindex="0"]').first.focus()
    tab.page.keyboard.press('Control+End')
    tab.settle()
    check.that(not more.is_visible(), f'at the end the grid says {more.text_content()}')
