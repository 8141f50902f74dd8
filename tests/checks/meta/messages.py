"""docs/messages.md explains each id of a diagnostic, each verdict that is no praise, each caution of predictions, and each kind of advice, and nothing else by these forms of headings.

docs/ranks.md does so for what the first screen of ranks says, and docs/data-problems.md for each data problem."""
import re

from checks.meta.pages import anchors
from checks.meta.tree import rows
from checks.places import SOURCE

PAGE = 'docs/messages.md'
# What a verdict that is not full trust says, and the heading about it.
VERDICTS = {
    'The run was disturbed': 'the-run-was-disturbed',
    'the two iterations differ': 'the-two-iterations-differ',
    'no time was measured on the device': 'no-time-was-measured-on-the-device',
    'the trace does not fit the model': 'the-trace-does-not-fit-the-model',
    ' is unexplained, most of it': 'device-time-is-unexplained',
    'binding::describeFit': 'bindings-rest-on-names-alone',
}
VERDICT_SOURCES = ('report/sections/binding.cpp', 'report/section.cpp')

RANKS_PAGE, RANKS_SOURCE = 'docs/ranks.md', 'report/outputs/rank_summary.cpp'
# What the first screen of ranks says, and the heading about it.
OF_RANKS = {
    ', the straggler: ': 'a-rank-is-the-straggler',
    'No rank holds up the others': 'no-rank-holds-up-the-others',
    'let the ranks compute equally long': 'no-rank-holds-up-the-others',
    'It is not known who waits for whom': 'it-is-not-known-who-waits-for-whom',
    'Communication while the rank computes nothing': 'communication-is-exposed',
    'communicate beside computation': 'communication-is-exposed',
    'has no device work in': 'no-device-work-in-a-part-of-wall-time',
    'none in a comparison of the ranks': 'the-comparison-is-limited',
}


def check_ranks(check):
    source, text = (SOURCE / RANKS_SOURCE).read_text(), (SOURCE / RANKS_PAGE).read_text()
    known = anchors(text)
    for says, anchor in OF_RANKS.items():
        check.that(says in source, f'{RANKS_SOURCE} does not say `{says}`; OF_RANKS of meta/messages.py is out of date')
        check.that(anchor in known, f'{RANKS_PAGE} has no heading `{anchor}` about `{says}`')
    check.equal('pieces of advice on ranks, and of OF_RANKS', len(re.findall(r'found\.(?:push_back|insert)\(', source.partition('pieces() const')[2].partition('return found')[0])), 4)
    reasons = text.partition('### The comparison is limited')[2].partition('\n## ')[0]
    doubts = re.findall(r'^    \{"([a-z-]+)",', source.partition('kDoubts[]')[2].partition('};')[0], re.MULTILINE)
    check.at_least('reasons to doubt a comparison of ranks', len(doubts), 5)
    check.none(f'{RANKS_PAGE} explains no reason', (one for one in doubts if f'`{one}`' not in reasons))


# Where data problems are named in the code: in calls, and by constants.
PROBLEM = re.compile(r'(?:problems?_?(?:->|\.)add|dataProblems\.add|countProblem|problem)\(\s*"([a-z]+(?:-[a-z]+)+)"')
PROBLEM_CONSTANT = re.compile(r'\bk\w+ = "([a-z]+(?:-[a-z]+)+)"')
WITH_PROBLEMS = ('api', 'ir', 'passes', 'replay', 'report', 'runs')


def check_data_problems(check):
    named = set(PROBLEM_CONSTANT.findall((SOURCE / 'replay/timeline/guessed_iterations.h').read_text())) | {'run-not-bound'}
    for room in WITH_PROBLEMS:
        for path in sorted((SOURCE / room).rglob('*.cpp')):
            named.update(PROBLEM.findall(path.read_text()))
    explained = set(re.findall(r'`([a-z]+(?:-[a-z]+)+)`', (SOURCE / 'docs/data-problems.md').read_text())) - {'trace-bind'}
    check.at_least('names of data problems in the code', len(named), 80)
    check.none('docs/data-problems.md does not explain', sorted(named - explained))
    check.none('docs/data-problems.md explains what is no data problem', sorted(explained - named))


def check(check):
    check_ranks(check)
    check_data_problems(check)
    text = (SOURCE / PAGE).read_text()
    known = anchors(text)

    def explained(what, anchor):
        check.that(anchor in known, f'{PAGE} has no heading `{anchor}` about {what}')

    ids = {row.split('"')[1] for row in rows('support/diagnostics.def', 'AMDAHLC_DIAG')}
    for one in sorted(ids):
        explained('the id of a message', one.lower())
    # A heading in the form of an id is one.
    headings = re.findall(r'^### ([\w-]+)$', text, re.MULTILINE)
    check.none(PAGE, (f'`{one}` is no id of support/diagnostics.def' for one in headings if one not in ids))

    for row in rows('passes/advise/finders.def', 'AMDAHLC_FINDER'):
        finder = row.partition(',')[0]
        explained(f'advice of the finder {finder}', 'advice' + re.sub('([A-Z])', r'-\1', finder).lower())

    sources = ''.join((SOURCE / file).read_text() for file in VERDICT_SOURCES)
    for says, anchor in VERDICTS.items():
        check.that(says in sources, f'no verdict says `{says}`; VERDICTS of meta/messages.py is out of date')
        explained(f'the verdict `{says}`', anchor)
    doubts = len(re.findall(r'(?:return Trust|trust = )\{\s*TrustLevel::(?:None|Limited)', sources))
    check.equal('verdicts of limited or no trust, and of VERDICTS without the disturbance', doubts, len(VERDICTS) - 1)

    cautions = re.search(r'describe\(Caution caution\).*?kTexts\[\] = \{(.*?)\};', (SOURCE / 'replay/schedule/prediction.cpp').read_text(), re.DOTALL)
    texts = [re.sub(r'"\s*"', '', literal) for literal in re.findall(r'"(?:[^"]|"\s*")*"', cautions[1])]
    for one in texts:
        clause = one.strip('"').partition(':')[0]
        if clause:
            explained('a caution of predictions', re.sub(r'[^\w\- ]', '', clause.lower()).strip().replace(' ', '-'))
