#!/usr/bin/env python3
"""Counts what a run of ctest did, and names the tests that took the longest.

  ctest_results.py RESULTS.xml
  ctest_results.py --failures RESULTS.xml

With --failures it prints the name of each test that failed and the end of its output, and nothing else.

RESULTS.xml is what `ctest --output-junit` wrote. A test whose output ends with a count of its own, `N passed, N failed` and perhaps `, N skipped`
(goldens, checks) or doctest's table, stands for so many tests, any other for one. The last line is the sum of all. Exit status: 1 where a test
failed or none ran.
"""
import re
import sys
import xml.etree.ElementTree

COUNT = re.compile(r'^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$', re.MULTILINE)
DOCTEST = re.compile(r'test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed')
LONGEST = 10
SHOWN_LINES = 25


def counts(case):
    """(passed, failed, skipped) of one test of ctest."""
    output = case.findtext('system-out') or ''
    status = case.get('status')
    if status not in ('run', 'fail'):
        skipped = case.find('skipped')
        # A test whose program is missing is not run either.
        meant = skipped is not None and skipped.get('message', '').startswith(('SKIP', 'Disabled'))
        return (0, 0, 1) if meant else (0, 1, 0)
    found = COUNT.findall(output) or DOCTEST.findall(output)
    passed, failed, skipped = (int(count or 0) for count in (*found[-1], 0)[:3]) if found else (1, 0, 0)
    # A program that fails has failed, whatever it counted, and one that counts failures has, too.
    if status == 'fail' and failed == 0:
        failed, passed = 1, passed if found else 0
    return passed, failed, skipped


def print_failures(cases):
    for case in cases:
        if counts(case)[1]:
            print(f'failed: {case.get("name")}')
            for line in (case.findtext('system-out') or '').rstrip().splitlines()[-SHOWN_LINES:]:
                print(f'  {line[:300]}')


def main():
    cases = xml.etree.ElementTree.parse(sys.argv[-1]).getroot().findall('testcase')
    if sys.argv[1] == '--failures':
        print_failures(cases)
        return 0
    print('\nseconds  the longest tests')
    for case in sorted(cases, key=lambda case: -float(case.get('time')))[:LONGEST]:
        print(f'{float(case.get("time")):7.0f}  {case.get("name")}')
    passed, failed, skipped = (sum(column) for column in zip((0, 0, 0), *map(counts, cases)))
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed or passed == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
