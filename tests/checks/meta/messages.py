"""docs/messages.md explains each id of a diagnostic, each verdict that is no praise, each caution of predictions, and each kind of advice, and nothing else by these forms of headings."""
import re

from checks.meta.pages import anchors
from checks.meta.tree import rows
from checks.places import SOURCE

PAGE = 'docs/messages.md'
# What a verdict that is not full trust says, and the heading about it.
VERDICTS = {
    'The run was disturbed': 'the-run-was-disturbed',
    'no time was measured on the device': 'no-time-was-measured-on-the-device',
    'the trace does not fit the model': 'the-trace-does-not-fit-the-model',
    'of device time is unexplained': 'device-time-is-unexplained',
    'binding::describeFit': 'bindings-rest-on-names-alone',
}
VERDICT_SOURCES = ('report/sections/binding.cpp', 'report/section.cpp')


def check(check):
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
    doubts = len(re.findall(r'return Trust\{\s*TrustLevel::(?:None|Limited)', sources))
    check.equal('verdicts of limited or no trust, and of VERDICTS without the disturbance', doubts, len(VERDICTS) - 1)

    cautions = re.search(r'describe\(Caution caution\).*?kTexts\[\] = \{(.*?)\};', (SOURCE / 'replay/schedule/prediction.cpp').read_text(), re.DOTALL)
    texts = [re.sub(r'"\s*"', '', literal) for literal in re.findall(r'"(?:[^"]|"\s*")*"', cautions[1])]
    for one in texts:
        clause = one.strip('"').partition(':')[0]
        if clause:
            explained('a caution of predictions', re.sub(r'[^\w\- ]', '', clause.lower()).strip().replace(' ', '-'))
