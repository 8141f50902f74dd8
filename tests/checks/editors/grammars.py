"""The grammars of editors/ know every word of the languages, and read shipped rules and dumps of the IR.

The words are those of the real grammar, of the parser of IR text, and of the command; a word that is added there and not here fails, and so does one
that is here alone.
"""
import json
import re
import unittest

from checks.command import amdahlc
from checks.editors.textmate import Grammar
from checks.meta.tree import goldens, sections
from checks.places import SOURCE

EXTENSION = SOURCE / 'editors' / 'vscode'
AKP = Grammar(EXTENSION / 'syntaxes' / 'akp.tmLanguage.json')
AIR = Grammar(EXTENSION / 'syntaxes' / 'air.tmLanguage.json', AKP)


def printed(*arguments):
    return amdahlc.text(*arguments, cwd=SOURCE)


def listed(grammar, scope):
    """The words that the patterns of a scope list."""
    words = set()
    for group in grammar.document['repository'].values():
        for one in group['patterns']:
            if one.get('name') == f'{scope}.{grammar.root.partition(".")[2]}':
                words |= set(re.search(r'\(\?:((?:[\w.\\-]+\|)*[\w.\\-]+)\)', one['match'])[1].replace('\\', '').split('|'))
    return words


def scopes_of(grammar, text):
    """(word, innermost scope without its last part) of each stretch of one scope."""
    lines, _ = grammar.lines(text)
    out = []
    for line, scopes in lines:
        begin = 0
        for i in range(1, len(line) + 1):
            if i == len(line) or scopes[i] != scopes[begin]:
                if line[begin:i].strip():
                    out.append((line[begin:i].strip(), scopes[begin][-1].rpartition('.')[0]))
                begin = i
    return out


def element_types():
    return set(re.findall(r'\{"(\w+)", \d+, Arithmetic', (SOURCE / 'ir' / 'type.cpp').read_text())) - {'undefined'}


class Words(unittest.TestCase):
    def test_keywords_of_rules(self):
        tokens = set(re.findall(r"^[A-Z_]+ : '([a-z]+)' ;", (SOURCE / 'grammar' / 'Akp.g4').read_text(), re.MULTILINE))
        self.assertGreater(len(tokens), 30)
        groups = [listed(AKP, scope) for scope in ('keyword.declaration', 'keyword.operator.word', 'constant.language', 'keyword.other')]
        self.assertEqual(set().union(*groups), tokens)
        self.assertEqual(sum(map(len, groups)), len(tokens))
        # What writes rules knows them, too.
        [known] = re.findall(r'kKeywords\{(.*?)\};', (SOURCE / 'ir' / 'text' / 'rule_words.cpp').read_text(), re.DOTALL)
        self.assertEqual(set(re.findall(r'"(\w+)"', known)), tokens)

    def test_functions_and_facts_of_rules(self):
        page = printed('-help=rule-functions')
        self.assertEqual(listed(AKP, 'support.function'), set(re.findall(r'^\| `(\w+)\(', page, re.MULTILINE)))
        self.assertEqual(listed(AKP, 'variable.language.launch'), set(re.findall(r'^\| `([\w.]+)` \|', page, re.MULTILINE)))

    def test_element_types(self):
        self.assertGreater(len(element_types()), 20)
        for grammar in (AKP, AIR):
            self.assertEqual(listed(grammar, 'support.type.element'), element_types())

    def test_words_of_ir_text(self):
        source = ''.join(file.read_text() for folder in ('ir/text', 'ir/facets') for file in sorted((SOURCE / folder).glob('*.[ch]*')))
        words = set(re.findall(r'\b(?:accept|expect|at)\("([a-z][a-z-]*)"\)', source))
        for group in re.findall(r'failExpected\(\{([^}]*)\}', source):
            words |= set(re.findall(r'"([a-z][a-z-]*)"', group))
        for table in ('kListWords', 'kEvidence'):
            [row] = re.findall(table + r'\[\] = \{([^}]*)\}', source)
            words |= set(re.findall(r'"([a-z]+)"', row))
        [word] = re.findall(r'kIdleConstant = "([a-z-]+)"', (SOURCE / 'ir' / 'scenario.h').read_text())
        words.add(word)
        words |= set(re.findall(r'\{"([a-z]+)", &Target::', (SOURCE / 'ir' / 'text' / 'printers.h').read_text()))
        words |= set(re.findall(r'^AMDAHLC_FACET\(\w+, "([a-z-]+)"', (SOURCE / 'ir' / 'facets' / 'facets.def').read_text(), re.MULTILINE))
        words |= set(re.findall(r'^AMDAHLC_\w+_REASON\(\w+, "([a-z-]+)"', (SOURCE / 'ir' / 'reasons.def').read_text(), re.MULTILINE))
        self.assertGreater(len(words), 100)
        known = set().union(*(listed(AIR, scope) for scope in ('keyword.declaration', 'keyword.operator.word', 'constant.language', 'keyword.other',
                                                              'constant.other.facet', 'constant.other.reason')))
        self.assertEqual(known, words)


class Texts(unittest.TestCase):
    maxDiff = None

    def test_regular_expressions_mean_the_same_everywhere(self):
        for grammar in (AKP, AIR):
            for text in grammar.all_regexes():
                re.compile(text)
                self.assertNotRegex(text, r'\[\[:|&&')
                # Possessive and atomic parts, names, options, and anchors that only one of them has.
                self.assertNotRegex(re.sub(r'\[(?:[^\]\\]|\\.)*\]', '[]', text), r'\(\?P|\(\?>|[*+?}]\+|\\[AZzGKhH]|\(\?[imsx]')

    def test_a_rule(self):
        text = '/// Doc.\nkernel add-two : gemm {\n  match(x) -> com.microsoft::Op(Add(x, const 2.5e-1)) where rank(x) in (1, 4..8) and type(x) == float16; // end\n' \
               '  runs as /a\\/b "c"/ and not /d/ | /e/ and grid.x / 2 > -1 for op "f\\"g" | /h/;\n}\n'
        found = scopes_of(AKP, text)
        for word, scope in (('/// Doc.', 'comment.line.documentation'), ('kernel', 'keyword.declaration'), ('add-two', 'entity.name.function.rule'),
                            ('gemm', 'constant.other.category'), ('match', 'keyword.other'), ('x', 'variable.other'), ('com.microsoft', 'entity.name.namespace'),
                            ('Op', 'support.class.operator'), ('Add', 'support.class.operator'), ('const', 'keyword.other'), ('2.5e-1', 'constant.numeric'),
                            ('where', 'keyword.other'), ('rank', 'support.function'), ('in', 'keyword.operator.word'), ('4', 'constant.numeric'), ('..', 'keyword.operator'),
                            ('8', 'constant.numeric'), ('and', 'keyword.operator.word'), ('float16', 'support.type.element'), ('// end', 'comment.line.double-slash'),
                            ('\\/', 'constant.character.escape'), ('b "c"/', 'string.regexp'), ('/d/', 'string.regexp'), ('/e/', 'string.regexp'),
                            ('grid.x', 'variable.language.launch'), ('2', 'constant.numeric'), ('1', 'constant.numeric'), ('op', 'keyword.other'),
                            ('\\"', 'constant.character.escape'), ('/h/', 'string.regexp'), ('as', 'keyword.other')):
            self.assertIn((word, scope), found)

    def test_a_dump(self):
        text = 'amdahlc.ir 1\n\ngraph 0 main {\n  #1 %y.0 = Add(%h, %b) : float32[1,128] name /fc/Add scope fc absorbed [#3]  // note\n}\n' \
               'rules {\n  kernel add-one {\n    label "ge\\"mm";\n    match -> com.microsoft::Gelu(_);\n    runs as /a"b/;\n  }\n}\n\ncandidates {\n  0 @add-one root #1\n}\n'
        found = scopes_of(AIR, text)
        for word, scope in (('amdahlc.ir', 'keyword.control.header'), ('graph', 'keyword.declaration'), ('#1', 'entity.name.tag.operator'), ('%y.0', 'variable.other.value'),
                            ('Add', 'support.class.operator'), ('float32', 'support.type.element'), ('/fc/Add', 'variable.other'), ('scope', 'keyword.other'),
                            ('absorbed', 'keyword.other'), ('// note', 'comment.line.double-slash'), ('@add-one', 'entity.name.function.rule'),
                            ('\\"', 'constant.character.escape'), ('com.microsoft', 'entity.name.namespace'), ('Gelu', 'support.class.operator'),
                            ('kernel', 'keyword.declaration'), ('add-one', 'entity.name.function.rule'), ('/a"b/', 'string.regexp'), ('candidates', 'keyword.declaration'),
                            ('128', 'constant.numeric')):
            self.assertIn((word, scope), found)

    def test_shipped_rules(self):
        """Each word that the grammar takes is one: keywords begin statements, operators have no other scope, and nothing stays open."""
        files = sorted((SOURCE / 'rules').rglob('*.akp'))
        self.assertGreater(len(files), 10)
        for file in files:
            lines, open_regions = AKP.lines(file.read_text())
            self.assertEqual(open_regions, [], file.name)
            for line, scopes in lines:
                code = ''.join(' ' if any('comment' in scope or 'string' in scope for scope in scopes[i]) else letter for i, letter in enumerate(line))
                for mark in re.finditer(r'["#\'`\\]|//', code):
                    self.fail(f'{file.name}: `{mark[0]}` outside of strings and comments: {line}')
                # Regular expressions are the only text between slashes.
                self.assertEqual(code.count('/'), 0, f'{file.name}: {line}')
                for word in re.finditer(r'^\s*(\w+)', code):
                    if word[1] in ('kernel', 'match', 'runs', 'or', 'import', 'fragment', 'class', 'where', 'label'):
                        self.assertIn('keyword', scopes[word.start(1)][-1], f'{file.name}: {line}')
                for word in re.finditer(r'\b([A-Z]\w*)(?=[(*+])', code):
                    self.assertEqual(scopes[word.start()][-1], 'support.class.operator.akp', f'{file.name}: {line}')

    def test_dumps_of_the_ir(self):
        dumps = [printed('-passes=simplify,fuse,trace-bind,timing,critical-path', '-trace=examples/encoder.trace.json.gz', 'examples/encoder.onnx')]
        for golden in goldens():
            for name, text in sections(golden).items():
                if name == 'stdout' and text.startswith('amdahlc.ir') and len(dumps) < 80:
                    dumps.append(text)
        self.assertGreater(len(dumps), 20)
        for dump in dumps:
            lines, open_regions = AIR.lines(dump)
            self.assertEqual(open_regions, [])
            for line, scopes in lines:
                # The first word of a statement. Regions have names of their own.
                word = re.match(r'\s*([a-z][\w.-]*)(?=\s(?!= )|$)', line)
                if word:
                    self.assertRegex(scopes[word.start(1)][-1], r'^(keyword|constant)\.', line)


class Extension(unittest.TestCase):
    def test_it_names_files_that_exist(self):
        manifest = json.loads((EXTENSION / 'package.json').read_text())
        paths = [manifest['main'], *(one['configuration'] for one in manifest['contributes']['languages']), *(one['path'] for one in manifest['contributes']['grammars'])]
        for path in paths:
            self.assertTrue((EXTENSION / path).is_file(), path)
        for grammar in manifest['contributes']['grammars']:
            self.assertEqual(json.loads((EXTENSION / grammar['path']).read_text())['scopeName'], grammar['scopeName'])
        version = re.search(r'project\(amdahlc VERSION (\S+)', (SOURCE / 'CMakeLists.txt').read_text())[1]
        self.assertEqual(manifest['version'], version)

    def test_ir_text_is_recognised_by_its_first_line(self):
        [first] = [one['firstLine'] for one in json.loads((EXTENSION / 'package.json').read_text())['contributes']['languages'] if one['id'] == 'air']
        self.assertTrue(re.match(first, printed('-passes=', 'examples/encoder.onnx')))
