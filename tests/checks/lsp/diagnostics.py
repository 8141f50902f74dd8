"""What is said about documents while they are typed, and the fixes that are offered."""
import re
import shutil
import subprocess

from checks.command import amdahlc
from checks.lsp.cases import ServerCase
from checks.lsp.client import FULL, framed
from checks.lsp.shapes import position

ERROR, WARNING = 1, 2
RULE = 'akp 1;\nkernel add { match -> Add(_, _); }\n'


class Diagnostics(ServerCase):
    def setUp(self):
        super().setUp()
        self.client.initialize()

    def test_they_are_those_of_check_rules(self):
        text = 'akp 1;\nkernel a { match(x, y) -> Relu(x) runs as /(/; }\nkernel b { match -> Matmul(_, _) { axis == 1 }; priority; }\n' \
               'kernel c { match(x) -> Add(Erf(x), unknown); }\nclass Add = Relu;\n'
        uri = self.file('all.akp', text)
        self.client.open(uri, text)
        shown = [(start[0] + 1, start[1] + 1, {ERROR: 'error', WARNING: 'warning'}[severity], code) for code, severity, start, _ in self.found(uri)]
        done = subprocess.run([amdahlc.binary, '-check-rules', '-rules=all.akp', '-color=never'], cwd=self.folder, capture_output=True, text=True)
        said = [(int(line), int(column), kind, code) for line, column, kind, code in
                re.findall(r'^all\.akp:(\d+):(\d+): (error|warning)\[([\w-]+)\]', done.stderr, re.MULTILINE)]
        self.assertGreater(len(said), 3)
        self.assertEqual(shown, said)

    def test_columns_count_units_of_utf16(self):
        uri, (begin, end) = self.document('akp 1;\nkernel a { label "𝔘é"; match -> ¦Relux¦(_); }\n')
        self.assertEqual(self.found(uri), [('akp-unknown-operator', WARNING, begin, end)])

    def test_columns_count_bytes_where_that_was_agreed(self):
        client = self.another_client()
        client.initialize(FULL | {'general': {'positionEncodings': ['utf-8']}})
        client.open('file:///a.akp', 'akp 1;\nkernel a { label "𝔘é"; match -> Relux(_); }\n')
        self.assertEqual(client.diagnostics_of('file:///a.akp')[0]['range']['start'], position(1, 36))
        # A line that ends with a pair of surrogates is longer in bytes than in characters.
        client.change('file:///a.akp', ((1, 18), (1, 24), 'x'))
        self.assertEqual(client.diagnostics_of('file:///a.akp')[0]['range']['start'], position(1, 31))

    def test_a_change_of_a_part(self):
        uri, _ = self.document(RULE)
        self.assertEqual(self.found(uri), [])
        self.client.change(uri, ((1, 22), (1, 25), 'Adds'))
        self.assertEqual(self.found(uri), [('akp-unknown-operator', WARNING, (1, 22), (1, 26))])
        # Two changes, the second in the text after the first, across lines and beyond the end of a line.
        self.client.change(uri, ((0, 6), (1, 0), '\n// 𝔘\n\n'), ((3, 22), (3, 26), 'Sub'))
        self.assertEqual(self.found(uri), [])
        self.client.change(uri, ((1, 5), (1, 999), ''), ((0, 999), (0, 999), ' // é'))
        self.assertEqual(self.found(uri), [])
        self.client.change(uri, 'akp 2;\n')
        self.assertEqual(self.found(uri), [('akp-version', ERROR, (0, 4), (0, 5))])

    def test_half_of_a_pair_of_surrogates_is_one_unit(self):
        uri, _ = self.document('akp 1;\n')
        self.client.change(uri, ((0, 6), (0, 6), ' // \ud83d'))
        self.client.change(uri, ((0, 10), (0, 11), '\nkernel a { match -> Relux(_); }'))
        self.assertEqual(self.found(uri), [('akp-unknown-operator', WARNING, (1, 20), (1, 25))])

    def test_a_file_that_is_open_under_two_names_has_two_texts(self):
        uri = self.file('two.akp', 'nothing')
        other = uri.replace('two', '%74wo')
        self.client.open(uri, RULE)
        self.client.open(other, RULE.replace('Add', 'Relux'))
        self.assertEqual(self.found(uri), [])
        self.assertEqual([code for code, *_ in self.found(other)], ['akp-unknown-operator'])
        self.client.notify('textDocument/didClose', {'textDocument': {'uri': other}})
        self.client.change(uri, ((1, 22), (1, 25), 'Sub'))
        self.assertEqual(self.found(uri), [])

    def test_a_thousand_changes_in_one_message(self):
        uri, _ = self.document('akp 1;\n' + '// x\n' * 5000 + 'kernel a { match -> Relux(_); }\n')
        self.client.change(uri, *(((line, 3), (line, 4), 'yy') for line in range(1000, 0, -1)))
        self.assertEqual(self.found(uri), [('akp-unknown-operator', WARNING, (5001, 20), (5001, 25))])

    def test_many_errors_are_all_shown(self):
        uri, _ = self.document('akp 1;\n' + ''.join(f'kernel k{i} {{ match -> Relu(x{i}); }}\n' for i in range(120)))
        self.assertEqual(len(self.found(uri)), 120)

    def test_lines_may_end_in_three_ways(self):
        uri, _ = self.document('akp 1;\r\n\rkernel a { match -> Relux(_); }')
        self.assertEqual([place for _, _, *place in self.found(uri)], [[(2, 20), (2, 25)]])

    def test_further_places_are_related(self):
        uri, (first, second) = self.document('akp 1;\nclass ¦Twice = Add;\nclass ¦Twice = Sub;\n')
        [one] = self.client.diagnostics_of(uri)
        self.assertEqual((one['code'], one['range']['start']), ('akp-duplicate', position(*second)))
        [related] = one['relatedInformation']
        self.assertEqual((related['message'], related['location']['uri'], related['location']['range']['start']), ('first here', uri, position(*first)))

    def test_clients_without_related_places_get_lines(self):
        client = self.another_client()
        client.initialize({})
        client.notify('textDocument/didOpen', {'textDocument': {'uri': 'file:///a.akp', 'languageId': 'akp', 'version': 1,
                                                                'text': 'akp 1;\nclass Twice = Add;\nclass Twice = Sub;\n'}})
        while not client.diagnostics:
            client.receive()
        [one] = client.diagnostics['file:///a.akp']['diagnostics']
        self.assertEqual(one['message'], '`Twice` is declared twice\nfile:///a.akp:2: first here')
        self.assertNotIn('relatedInformation', one)

    def test_a_value_that_is_not_used_is_tagged(self):
        uri, _ = self.document('akp 1;\nkernel a { match(x, y) -> Relu(x); }\n')
        self.assertEqual([(one['code'], one['tags']) for one in self.client.diagnostics_of(uri)], [('akp-unused', [1])])

    def test_closing_takes_them_back(self):
        uri, _ = self.document('akp 2;\n')
        self.assertEqual(len(self.found(uri)), 1)
        self.client.close(uri)
        self.wait_for(uri, False)

    def test_a_burst_of_changes_is_one_analysis(self):
        uri, _ = self.document(RULE)
        self.found(uri)
        before, count = self.client.published, 2000
        data = b''
        for i in range(count):
            self.client.versions[uri] += 1
            data += framed({'jsonrpc': '2.0', 'method': 'textDocument/didChange', 'params': {
                'textDocument': {'uri': uri, 'version': self.client.versions[uri]},
                'contentChanges': [{'range': {'start': position(0, 6), 'end': position(0, 6)}, 'text': ' '}]}})
        self.client.send_bytes(data)
        self.found(uri)
        self.assertLess(self.client.published - before, count // 10)


class Imports(ServerCase):
    def setUp(self):
        super().setUp()
        self.client.initialize()

    def test_an_open_document_wins_over_the_disk(self):
        part = self.file('part one.akp', 'akp 1;\nclass Onlydisk = Add;\n')
        uri, (begin, end) = self.document('akp 1;\nimport "part one.akp";\nkernel a { match -> ¦Onlybuffer¦(_, _); }\n')
        self.assertEqual(self.found(uri), [('akp-unknown-operator', WARNING, begin, end)])
        self.client.open(part, 'akp 1;\nclass Onlybuffer = Add;\n')
        self.client.published = 0
        self.wait_for(uri, False)
        # What is typed there is seen here.
        self.client.change(part, ((1, 6), (1, 16), 'Other'))
        self.wait_for(uri, True)
        self.client.change(part, ((1, 6), (1, 11), 'Onlybuffer'))
        self.wait_for(uri, False)
        # Closed, the disk counts again.
        self.client.close(part)
        self.wait_for(uri, True)

    def test_errors_of_an_import_are_at_the_import(self):
        part = self.file('part.akp', 'akp 1;\nkernel broken { match -> Add(_, }\n')
        uri, (begin, end) = self.document('akp 1;\nimport ¦"part.akp"¦;\n' + RULE.partition('\n')[2])
        [one] = self.client.diagnostics_of(uri)
        self.assertEqual(one['range'], {'start': position(*begin), 'end': position(*end)})
        self.assertTrue(one['message'].startswith('what this imports has 1 error; the first: '), one['message'])
        self.assertEqual([related['location']['uri'] for related in one['relatedInformation']], [part])

    def test_a_missing_import_appears(self):
        uri, (begin, end) = self.document('akp 1;\nimport ¦"later.akp"¦;\n')
        self.assertEqual(self.found(uri), [('akp-missing-file', ERROR, begin, end)])
        later = self.file('later.akp', 'akp 1;\n')
        self.client.notify('workspace/didChangeWatchedFiles', {'changes': [{'uri': later, 'type': 1}]})
        self.wait_for(uri, False)

    def a_folder_of_imports_disappears(self, slash):
        part = self.file('parts/one.akp', 'akp 1;\n')
        uri, (begin, end) = self.document('akp 1;\nimport ¦"parts/one.akp"¦;\n')
        self.assertEqual(self.found(uri), [])
        shutil.rmtree(self.folder / 'parts')
        # Editors name the folder only.
        self.client.notify('workspace/didChangeWatchedFiles', {'changes': [{'uri': part.rpartition('/')[0] + slash, 'type': 3}]})
        self.wait_for(uri, True)
        self.assertEqual(self.found(uri), [('akp-missing-file', ERROR, begin, end)])

    def test_a_folder_of_imports_disappears(self):
        self.a_folder_of_imports_disappears('')

    def test_a_folder_of_imports_whose_uri_ends_in_a_slash_disappears(self):
        self.a_folder_of_imports_disappears('/')

    def test_a_cycle_is_reported(self):
        self.file('b.akp', 'akp 1;\nimport "rules.akp";\n')
        uri, _ = self.document('akp 1;\nimport "b.akp";\n')
        [one] = self.client.diagnostics_of(uri)
        self.assertIn('import cycle: rules.akp -> b.akp -> rules.akp', one['message'])

    def test_a_text_that_is_no_file_imports_nothing(self):
        self.file('part.akp', 'akp 1;\n')
        for uri in ('untitled:Untitled-1', 'git:/a/b.akp', 'file://elsewhere' + str(self.folder) + '/rules.akp', 'file:relative.akp', 'file:///a%00b.akp', 'file:///%zz.akp'):
            self.client.open(uri, RULE)
            self.assertEqual(self.found(uri), [], uri)
            self.client.change(uri, 'akp 1;\nimport "part.akp";\n')
            self.assertEqual([code for code, *_ in self.found(uri)], ['akp-missing-file'], uri)

    def test_an_escaped_uri_is_the_same_file(self):
        part = self.file('part.akp', 'akp 1;\nclass Only = Add;\n')
        escaped = part.replace('part.akp', '%70art%2Eakp').replace('file:///', 'file://localhost/')
        self.client.open(escaped, 'akp 1;\nclass Other = Add;\n')
        uri, _ = self.document('akp 1;\nimport "part.akp";\nkernel a { match -> Other(_, _); }\n')
        self.assertEqual(self.found(uri), [])


def edited(text, edit):
    """The text after the edit. Columns are those of text in ASCII."""
    lines = text.splitlines(keepends=True)

    def offset(place):
        return sum(map(len, lines[:place['line']])) + place['character']

    return text[:offset(edit['range']['start'])] + edit['newText'] + text[offset(edit['range']['end']):]


class Fixes(ServerCase):
    def actions(self, uri, begin, end, **context):
        return self.client.request('textDocument/codeAction', {'textDocument': {'uri': uri}, 'range': {'start': position(*begin), 'end': position(*end)},
                                                               'context': {'diagnostics': []} | context})

    def test_a_fix_of_each_kind(self):
        self.client.initialize()
        rule = 'akp 1;\nkernel a { match(x) -> Relu(x); }\n'
        where = 'akp 1;\nkernel a { match(x) -> Relu(x) where '
        for text, title, fixed in (
                ('akp 1;\nkernel a { match -> Relu(_)¦ }\n', 'Insert `;`', 'akp 1;\nkernel a { match -> Relu(_); }\n'),
                (where + 'rank(x) == 4 ¦&& rank(x) == 4; }\n', 'Replace `&&` with `and`', where + 'rank(x) == 4 and rank(x) == 4; }\n'),
                (where + 'rank(x) == 4¦&&rank(x) == 4; }\n', 'Replace `&&` with `and`', where + 'rank(x) == 4 and rank(x) == 4; }\n'),
                (where + '¦!same(x, x); }\n', 'Replace `!` with `not`', where + 'not same(x, x); }\n'),
                ('akp 1;\n¦a { match -> Relu(_); }\n', 'Insert `kernel`', 'akp 1;\nkernel a { match -> Relu(_); }\n'),
                (rule + '¦a { or match -> Exp(_); }\n', 'Insert `refine`', rule + 'refine a { or match -> Exp(_); }\n'),
                ('akp 1;\nkernel a { match -> Exp(_) ¦match -> Relu(_); }\n', 'Insert `or`', 'akp 1;\nkernel a { match -> Exp(_) or match -> Relu(_); }\n'),
                ('akp 1;\nkernel a { match -> Relu(_); runs¦\n /x/; }\n', 'Insert `as`', 'akp 1;\nkernel a { match -> Relu(_); runs as\n /x/; }\n'),
                ('akp 1;\nkernel a { match -> Relu(_); runs as /x/ for¦"y"; }\n', 'Insert `op`',
                 'akp 1;\nkernel a { match -> Relu(_); runs as /x/ for op"y"; }\n'),
                ('¦kernel a { match -> Relu(_); }\n', 'Insert `akp 1;`', 'akp 1;kernel a { match -> Relu(_); }\n'),
                ('akp 1;\nkernel a { match -> Relu(_); runs as ¦\'x\'; }\n', 'Replace `\'x\'` with `"x"`', None),
                ('akp 1;\nkernel a { match -> ¦Relux(_); }\n', 'Replace `Relux` with `Relu`', 'akp 1;\nkernel a { match -> Relu(_); }\n'),
                ('akp 1;\nkernel a { match -> ¦FastGelu(_); }\n', 'Replace `FastGelu` with `com.microsoft::FastGelu`',
                 'akp 1;\nkernel a { match -> com.microsoft::FastGelu(_); }\n'),
                (where + '¦rnak(x) == 4; }\n', 'Replace `rnak` with `rank`', where + 'rank(x) == 4; }\n')):
            uri, [place] = self.document(text)
            [action] = [one for one in self.actions(uri, place, place) if one['title'] == title] or self.fail((text, title))
            self.assertEqual((action['kind'], len(action['diagnostics'])), ('quickfix', 1))
            self.assertIn(action['diagnostics'][0], self.client.diagnostics_of(uri))
            [change] = action['edit']['documentChanges']
            self.assertEqual(change['textDocument'], {'uri': uri, 'version': 1})
            [edit] = change['edits']
            start, end = edit['range']['start'], edit['range']['end']
            self.client.change(uri, ((start['line'], start['character']), (end['line'], end['character']), edit['newText']))
            if fixed is not None:
                self.assertEqual(edited(text.replace('¦', ''), edit), fixed)
                self.assertEqual(self.client.diagnostics_of(uri), [], fixed)
            self.client.close(uri)

    def test_only_where_they_are_wanted(self):
        self.client.initialize()
        uri, (first, second) = self.document('akp 1;\nkernel a { match -> Relu(_)¦ }\nkernel b { match -> Relu(_)¦ }\n')
        self.assertEqual(len(self.actions(uri, first, second)), 2)
        self.assertEqual(len(self.actions(uri, first, first)), 1)
        self.assertEqual(self.actions(uri, (0, 0), (0, 3)), [])
        self.assertEqual(self.actions(uri, first, second, only=['refactor']), [])
        self.assertEqual(len(self.actions(uri, first, second, only=['quickfix'])), 2)

    def test_clients_without_literals_get_none_and_old_ones_changes(self):
        text = 'akp 1;\nkernel a { match -> Relu(_) }\n'
        for capabilities, count in (({}, 0), ({'textDocument': {'codeAction': {'codeActionLiteralSupport': {}}}}, 1)):
            client = self.client = self.another_client()
            client.initialize(capabilities)
            client.open('file:///a.akp', text)
            actions = self.actions('file:///a.akp', (1, 0), (1, 40))
            self.assertEqual([list(one['edit']) for one in actions], [['changes']] * count)
