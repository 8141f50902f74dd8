"""Whatever the fragment of an address has in it, the page shows a view, without an error; and the history restores views and selections.

Fragments are put into one open page, one after the other: damaged, of another version, of a megabyte, with names that objects of JavaScript have, with numbers that
are none, and random ones. Each leaves one chosen tab with its panel, no message of a failure, and numbers that are numbers.
"""
import os
import random
import urllib.parse

from checks import sampling
from checks.page.browser import browser
from checks.page.views import open_view
from checks.page.written import written

RANDOM = 200
IGNORED = {'nonsense': 'no state', 'tab=kernels': 'no state', 'v=2&tab=kernels': 'of version 2', 'v=999999999999999999999999&tab=x': 'of version 9', 'v=&tab=kernels': 'of version',
           '%': 'no state', '%E0%A4%A': 'no state', 'v=1&search=' + 'x' * 1_000_000: 'more than a state'}
# Values for every key, and keys that values may have.
NAMES = ('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', '', ' ', '0', '-1', '1e999', 'NaN', 'Infinity', '-0', '0x10', '9' * 40, '%00', '\0', '\u202e', '"><img src=x>',
         'javascript:alert(1)', '%zz', '\ud83d', 'summary', 'kernels', 'x' * 5000)
KEYS = ('tab', 'run', 'select', 'search', 'phase', 'stream', 'category', 'range', 'change', 'scheme', '__proto__', 'constructor')
KINDS = ('kernel', 'event', 'host', 'node', 'operator', 'scope', 'rule', 'category', 'stream', 'constructor', '__proto__')
TABS = ('summary', 'operators', 'kernels', 'modules', 'timeline', 'graph', 'what-if', 'roofline', 'host', 'memory', 'compare', 'ranks')
RANGES = ('0-0', '5-1', '-5-10', '0-9999999999999999', '1e999-NaN', '-9999999999999999-1', '0-1', 'constructor')
# What is wrong with the page after each fragment, as text.
TRY = """async fragments => {
    const frames = () => new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 0));
    const main = document.querySelector("main");
    const wrong = [];
    for (const fragment of fragments) {
        const before = location.href;
        const changed = new Promise(done => addEventListener("hashchange", done, { once: true }));
        location.hash = fragment;
        if (location.href !== before) await changed;
        for (let i = 0; i < 600; i++) {
            await frames();
            if (main.getAttribute("aria-busy") === "false") break;
        }
        const faults = [];
        const chosen = [...document.querySelectorAll("[role=tab][aria-selected=true]")];
        const panel = document.querySelector("[role=tabpanel]");
        if (main.getAttribute("aria-busy") !== "false") faults.push("it is busy");
        if (chosen.length !== 1) faults.push(`${chosen.length} tabs are chosen`);
        if (panel.getAttribute("aria-labelledby") !== chosen[0]?.id) faults.push("the panel is of another tab");
        if (panel.textContent.trim() === "") faults.push("the panel is empty");
        for (const alert of document.querySelectorAll("[role=alert]")) faults.push(alert.textContent);
        const bad = /\\b(NaN|undefined|\\[object|Infinity)\\b/.exec(panel.innerText.replaceAll(/1e999|Infinity|NaN/g, match => fragment.includes(match) ? "" : match));
        if (bad) faults.push(`it shows ${bad[0]}`);
        if (faults.length > 0) wrong.push(`${fragment.slice(0, 200)}: ${faults.join("; ")}`);
    }
    return wrong;
}"""


def fragments(seed, count):
    """Each value of each key by itself, and random ones of several."""
    value = {key: NAMES for key in KEYS}
    value['range'] = NAMES + RANGES
    value['select'] = NAMES + tuple(f'{kind}:{run}:{name}' for kind in KINDS for run in ('0', '999') for name in NAMES[:8])
    value['change'] = NAMES + tuple(f'{name}={factor}' for name in ('linear', 'host', *NAMES[:6]) for factor in ('1/0', '0/0', '1e9', '9' * 18, '0', '1/' + '9' * 18, '-1'))
    value['tab'] = NAMES + TABS
    chance = random.Random(seed)
    single = [f'v=1&{urllib.parse.quote(key)}={urllib.parse.quote(one, errors="surrogatepass")}' for key in KEYS for one in value[key]]
    for _ in range(count):
        parts = [('v', '1'), ('tab', chance.choice(TABS))] + [(key, chance.choice(value[key])) for key in chance.choices(KEYS[1:], k=chance.randint(1, 6))]
        text = '&'.join(f'{urllib.parse.quote(key)}={urllib.parse.quote(one, errors="surrogatepass")}' for key, one in parts)
        if chance.random() < 0.2:
            place = chance.randrange(len(text))
            text = text[:place] + chance.choice('%&=#;\0/:') + text[place + 1:]
        single.append(text)
    return single


def hostile(check):
    seed = int(os.environ.get('AMDAHLC_SAMPLE_SEED') or '1', 16)
    with browser() as chromium:
        for name in ('decoder', 'comparison'):
            with chromium.open(written(name).path) as tab:
                notice = tab.page.locator('main > .notice')
                for fragment, text in IGNORED.items():
                    check.none(name, tab.page.evaluate(TRY, [fragment]))
                    check.that(notice.is_visible() and text in notice.inner_text(), f'{name}: of {fragment[:40]} it is said {notice.inner_text()!r}')
                check.none(name, tab.page.evaluate(TRY, ['v=1']))
                check.that(not notice.is_visible(), f'{name}: a notice stays')
                cases = fragments(f'{name} {seed}', RANDOM)
                for begin in range(0, len(tried := sampling.sampled(cases)), 100):
                    check.none(name, tab.page.evaluate(TRY, tried[begin:begin + 100]))
                check.none(f'{name}: faults', tab.faults)
            # The page is opened with them, too.
            for fragment in list(IGNORED)[-1:] + ['v=1&tab=__proto__&select=kernel:9:9&range=1e999-NaN&run=7']:
                with chromium.open(written(name).path, fragment=fragment) as tab:
                    check.none(name, tab.page.evaluate(TRY, ['v=1&tab=kernels']))
                    check.none(f'{name}: faults', tab.faults)


def history(check):
    """Back and forward restore tabs, runs and selections, and what is not a step of its own is no entry."""
    def state(page):
        page.wait_for_function('() => document.querySelector("main").getAttribute("aria-busy") === "false"')
        return page.evaluate("""() => [document.querySelector("[role=tab][aria-selected=true]").textContent,
            document.querySelector('[aria-label="Run"]')?.value ?? "", document.querySelector("[role=row][aria-selected=true]")?.getAttribute("aria-rowindex") ?? null,
            document.querySelector("[role=searchbox], input[type=search]").value]""")

    with browser() as chromium, chromium.open(written('comparison').path) as tab:
        page, states, hashes = tab.page, [], []

        def step(action):
            before = page.evaluate('() => location.hash')
            action()
            page.wait_for_function('before => location.hash !== before', arg=before)
            hashes.append(page.evaluate('() => location.hash'))
            states.append(state(page))

        def select(row):
            page.get_by_role('grid', name='Kernels').get_by_role('row').nth(row).click()

        step(lambda: open_view(tab, 'Kernels'))
        step(lambda: select(2))
        step(lambda: select(4))
        step(lambda: open_view(tab, 'Timeline'))
        step(lambda: open_view(tab, 'Kernels'))
        entries = page.evaluate('() => history.length')
        page.get_by_role('searchbox', name='Search').fill('linear')
        page.wait_for_function('() => location.hash.includes("search=linear")')
        check.equal('entries after a search', page.evaluate('() => history.length'), entries)
        page.get_by_role('searchbox', name='Search').fill('')
        page.wait_for_function('() => !location.hash.includes("search")')
        step(lambda: page.get_by_role('combobox', name='Run').select_option('1'))
        step(lambda: select(3))
        check.that('run=1' in hashes[-1] and '%3A1%3A' in hashes[-1], f'the address of the second run is {hashes[-1]}')
        check.equal('runs that are chosen', [one[1] for one in states], [''] * 5 + ['1'] * 2)
        order = list(range(len(hashes)))
        for move, places in (('back', order[-2::-1]), ('forward', order[1:])):
            for place in places:
                page.evaluate(f'() => history.{move}()')
                page.wait_for_function('hash => location.hash === hash', arg=hashes[place])
                check.equal(f'{move} to {hashes[place]}', state(page), states[place])
        # An address that is copied opens the same.
        with chromium.open(written('comparison').path, fragment=hashes[-1].lstrip('#')) as other:
            check.equal('the address in another tab', state(other.page), states[-1])
        check.none('faults', tab.faults)
