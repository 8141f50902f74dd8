"""Hovers, completion, definitions and symbols."""
import re
import subprocess

from checks.command import amdahlc
from checks.lsp.cases import MARK, ServerCase
from checks.lsp.client import uri_of
from checks.places import SOURCE

LIBRARY = '''akp 1;
import ¦"parts/views.akp";
views ¦Thin { Reshape, Transpose }
/// x W + b, with or without b.
fragment ¦linear(x, b?) {
  y = MatMul(x, const);
} -> (Add(y, b) | y);
/// A projection.
kernel ¦projection : gemm {
  match(¦x) { ¦h = ¦linear(¦x); } -> ¦Thin(Softmax(¦h) { ¦axis == -1 }) where ¦rank(x) == 4 and type(x) == ¦float16;
  match(w) -> ¦MatMul(w, const(¦it > 0));
  runs as /gemm/ and ¦grid.x > 1;
}
refine ¦projection { priority 3; }
disable ¦"other-rule";
kernel uses { match -> ¦Seen(com.microsoft::¦FusedMatMul(_, _)); }
lower "lib::scale"(y, const ¦factor) -> Mul(y, ¦factor);
'''.replace('  match(w)', '  or match(w)').replace('float16;\n  or', 'float16\n  or')
NAMES = ('import', 'Thin', 'linear', 'projection', 'x', 'h', 'use of linear', 'use of x', 'use of Thin', 'use of h', 'axis', 'rank', 'float16', 'MatMul', 'it', 'grid',
         'refined', 'disabled', 'Seen', 'FusedMatMul', 'factor', 'use of factor')
PART = 'akp 1;\n/// What sees.\nclass Seen = Relu | Gelu;\nkernel "other-rule" { match -> Seen(_); }\n'


class Places(ServerCase):
    def setUp(self):
        super().setUp()
        self.client.initialize()
        self.part = self.file('parts/views.akp', PART)
        self.uri, places = self.document(LIBRARY)
        self.assertEqual(len(places), len(NAMES))
        self.places = dict(zip(NAMES, places))
        self.assertEqual(self.client.diagnostics_of(self.uri), [])

    def hover(self, name):
        line, character = self.places[name]
        return self.client.at('textDocument/hover', self.uri, line, character)['contents']['value']

    def definition(self, name):
        [found] = self.client.at('textDocument/definition', self.uri, *self.places[name])
        return found['uri'], (found['range']['start']['line'], found['range']['start']['character'])

    def test_definitions(self):
        for name, target in (('use of linear', 'linear'), ('use of x', 'x'), ('use of Thin', 'Thin'), ('use of h', 'h'), ('refined', 'projection'), ('linear', 'linear'),
                             ('use of factor', 'factor')):
            self.assertEqual(self.definition(name), (self.uri, self.places[target]), name)
        self.assertEqual(self.definition('import'), (self.part, (0, 0)))
        self.assertEqual(self.definition('Seen'), (self.part, (2, 6)))
        self.assertEqual(self.definition('disabled'), (self.part, (3, 7)))
        self.assertIsNone(self.client.at('textDocument/definition', self.uri, *self.places['MatMul']))
        self.assertIsNone(self.client.at('textDocument/definition', self.uri, 0, 0))

    def test_the_end_of_a_name_is_at_it(self):
        line, character = self.places['use of linear']
        self.assertEqual(self.client.at('textDocument/definition', self.uri, line, character + 6)[0]['range']['start']['line'], self.places['linear'][0])
        self.assertIsNone(self.client.at('textDocument/definition', self.uri, 999, 999))

    def test_hover_of_a_rule_is_its_checked_form(self):
        text = self.hover('projection')
        self.assertTrue(text.startswith('kernel `projection : gemm`\n\nA projection.\n\nChecked form:\n\n```akp\n'), text)
        done = subprocess.run([amdahlc.binary, '-print-rules', '-rules=rules.akp'], cwd=self.on_disk(), capture_output=True, text=True, check=True)
        # The same text, without what the hover has above it.
        [rule] = re.findall(r'^(kernel projection .*?^\})', done.stdout, re.MULTILINE | re.DOTALL)
        self.assertEqual(text.partition('```akp\n')[2].removesuffix('\n```').rstrip('\n'), rule)

    def on_disk(self):
        self.file('rules.akp', LIBRARY.replace(MARK, ''))
        return self.folder

    def test_hover_of_a_fragment_is_expanded(self):
        text = self.hover('use of linear')
        self.assertTrue(text.startswith('fragment `linear(x, b?)`\n\nx W + b, with or without b.\n\nExpanded:\n\n```akp\nmatch(x'), text)
        self.assertIn('MatMul', text)

    def test_hover_of_names(self):
        self.assertEqual(self.hover('Seen'), 'class `Seen`\n\nWhat sees.\n\n```akp\nRelu | Gelu\n```')
        self.assertTrue(self.hover('use of Thin').startswith('views `Thin`'))
        self.assertEqual(self.hover('use of x'), f'value `x`\n\n```akp\n{LIBRARY.replace(MARK, "").split(chr(10))[9].strip()}\n```')
        self.assertEqual(self.hover('float16'), 'element type `float16`\n\n16 bits')
        self.assertIn('number of dimensions of `v`', self.hover('rank'))
        self.assertIn('blocks of the grid along x', self.hover('grid'))
        self.assertIn('the element under test', self.hover('it'))
        self.assertEqual(self.hover('import'), 'file `parts/views.akp`\n\n1 rule, 0 fragments, 0 imports')

    def test_hover_of_an_operator_is_its_schema(self):
        text = self.hover('MatMul')
        for line in ('operator `MatMul`', 'ai.onnx, since opset 1; changed in 9, 13', '2 inputs:', '- `A` : T', '1 output:'):
            self.assertIn(line, text.split('\n'), line)
        self.assertIn('ONNX Runtime contributes it', self.hover('FusedMatMul'))
        self.assertEqual(self.hover('axis'), 'attribute `axis`\n\n- `Softmax` : int, default -1')

    def test_hover_is_plain_where_markdown_is_not_shown(self):
        client = self.another_client()
        client.initialize({})
        client.open('file:///a.akp', 'akp 1;\nclass A = Add | Sub;\n')
        self.assertEqual(client.at('textDocument/hover', 'file:///a.akp', 1, 6)['contents'], {'kind': 'plaintext', 'value': 'class A\n\nAdd | Sub'})

    def test_code_in_markdown_ends_where_it_ends(self):
        uri, [place] = self.document('akp 1;\nkernel ¦a { label "```` <b>"; match -> Relu(_); }\n', 'fence.akp')
        text = self.client.at('textDocument/hover', uri, *place)['contents']['value']
        self.assertTrue(text.partition('Checked form:\n\n')[2].startswith('`````akp\n') and text.endswith('\n`````'), text)

    def test_names_in_damaged_text_have_a_meaning(self):
        uri, (use, op, other) = self.document('akp 1;\nclass Cls = Add;\nkernel broken { match -> ¦Cls(_, ) ) -> ¦MatMul }\nkernel good { match -> ¦Cls(_, _); }\n', 'damaged.akp')
        self.assertTrue(self.client.diagnostics_of(uri))
        for place in (use, other):
            self.assertEqual(self.client.at('textDocument/definition', uri, *place)[0]['range']['start'], {'line': 1, 'character': 6})
        self.assertIn('operator `MatMul`', self.client.at('textDocument/hover', uri, *op)['contents']['value'])

    def test_symbols(self):
        found = self.client.request('textDocument/documentSymbol', {'textDocument': {'uri': self.uri}})
        self.assertEqual([(one['name'], one['detail'], one['selectionRange']['start']['line']) for one in found],
                         [('parts/views.akp', 'import', 1), ('Thin', 'views', 2), ('linear', 'fragment', 4), ('projection', 'kernel', 8),
                          ('projection', 'refine', 13), ('uses', 'kernel', 15), ('lib::scale', 'lower', 16)])

    def test_symbols_for_clients_without_trees(self):
        client = self.another_client()
        client.initialize({})
        client.open('file:///a.akp', 'akp 1;\nviews { Reshape }\nkernel "" { match -> Add(_, _); }\n')
        self.assertEqual([(one['name'], one['location']['uri']) for one in
                          client.request('textDocument/documentSymbol', {'textDocument': {'uri': 'file:///a.akp'}})], [('View', 'file:///a.akp')])


class Completion(ServerCase):
    def setUp(self):
        super().setUp()
        self.client.initialize()

    def items(self, text):
        """Label -> item at the mark, and the text of the word that each replaces."""
        uri, [place] = self.document(text)
        found = self.client.at('textDocument/completion', uri, *place)['items']
        words = set()
        for item in found:
            span = item['textEdit']['range']
            line = text.replace(MARK, '').split('\n')[span['start']['line']].encode('utf-16-le')
            words.add(line[2 * span['start']['character']:2 * span['end']['character']].decode('utf-16-le'))
        self.assertLessEqual(len(words), 1)
        self.client.close(uri)
        return {item['label']: item for item in found}, words.pop() if words else None

    def offered(self, text, has=(), lacks=(), word='', only=None):
        found, replaced = self.items(text)
        labels = set(found)
        self.assertLessEqual(set(has), labels, text)
        self.assertEqual(set(lacks) & labels, set(), text)
        if only is not None:
            self.assertEqual(labels, set(only), text)
        if found:
            self.assertEqual(replaced, word, text)
        return found

    HEAD = 'akp 1;\nclass Act = Relu | Gelu;\nfragment lin(x) -> MatMul(x, const);\n'
    KERNEL = HEAD + 'kernel k : gemm { match(x, w) { h = lin(x); } -> '

    def test_declarations_and_members(self):
        self.offered('¦', has=['akp', 'kernel', 'import', 'fragment'], lacks=['match', 'and', 'MatMul'])
        self.offered(self.HEAD + 'ker¦', has=['kernel', 'class'], lacks=['match', 'akp'], word='ker')
        self.offered(self.HEAD + 'kernel k : a { ¦', only=['arch', 'category', 'evidence', 'generated', 'label', 'match', 'or', 'priority', 'recompute', 'runs', 'runtime', 'vendor'])
        self.offered(self.HEAD + 'kernel k : a { match -> Relu(_); ru¦ }\nkernel z { match -> Relu(_); }', has=['runs', 'label'], word='ru')
        self.offered(self.HEAD + 'kernel k { match(x) { ¦', only=['shared', 'anchor', 'where'])

    def test_operands(self):
        found = self.offered(self.KERNEL + 'Add(¦', has=['x', 'w', 'h', 'lin', 'Act', 'MatMul', 'com.microsoft::FusedMatMul', 'const'], lacks=['rank', 'kernel', 'and'])
        self.assertEqual(found['Act']['detail'], 'class')
        self.assertEqual(found['MatMul']['detail'], 'ai.onnx')
        order = sorted(('x', 'lin', 'const', 'MatMul', 'com.microsoft::FusedMatMul'), key=lambda label: found[label]['sortText'])
        self.assertEqual(order, ['x', 'lin', 'const', 'MatMul', 'com.microsoft::FusedMatMul'])
        self.offered(self.HEAD + 'lower "a::b"(x, const w) -> Add(¦', has=['x', 'w', 'MatMul'], lacks=['kernel', 'rank'])
        self.offered(self.HEAD + 'lower "a::b"(x, dim) -> Softmax(x) { axis = ¦', has=['x', 'dim', 'repeat', 'rank'], lacks=['axis', 'float16', 'MatMul'])
        self.offered(self.KERNEL + 'Mat¦Mu(x, w); }', has=['MatMul'], word='MatMu')
        self.offered(self.KERNEL + 'com.microsoft::Fu¦', has=['com.microsoft::FusedMatMul'], word='com.microsoft::Fu')
        self.offered(self.KERNEL + 'Add(com.mic¦', has=['com.microsoft::FusedMatMul'], word='com.mic')
        self.offered(self.KERNEL + 'ai.onnx::Mat¦', has=['ai.onnx::MatMul'], lacks=['MatMul', 'com.microsoft::FusedMatMul', 'x', 'lin'], word='ai.onnx::Mat')
        # What an item replaces begins as the item does, or editors leave the item out.
        self.offered(self.KERNEL + '"com.microsoft"::Fu¦', has=['"com.microsoft"::FusedMatMul'], lacks=['"com.microsoft"::MatMul'], word='"com.microsoft"::Fu')
        self.offered(self.KERNEL + 'ai.onnx :: Mat¦', has=['ai.onnx :: MatMul'], lacks=['x', 'MatMul'], word='ai.onnx :: Mat')
        self.offered(self.KERNEL + 'com.mic¦rosoft::Fused(x)', has=['com.microsoft::FusedMatMul'], word='com.microsoft::Fused')
        self.offered(self.KERNEL + '*::Ge¦', has=['*::Gelu', '*::FusedMatMul'], lacks=['Gelu', 'Act'], word='*::Ge')
        self.offered(self.HEAD + 'kernel k { match(𝔘) -> ¦', has=['MatMul'])
        self.offered('akp 1;\nkernel k { match(a) { b = Relu(a); c = ¦', has=['a', 'b'], lacks=['c'])
        self.offered('akp 1;\nfragment f(p) { q = Relu(p); } -> ¦', has=['p', 'q'])

    def test_operators(self):
        for text in ('class C = Add | ¦', 'views V { Reshape, ¦', 'views { ¦', 'hidden ¦'):
            self.offered(self.HEAD + text, has=['MatMul', 'Act'], lacks=['x', 'lin'])
        self.offered(self.HEAD + 'class ¦', only=[])

    def test_attributes(self):
        found = self.offered(self.KERNEL + 'Softmax(x) { ¦', has=['axis', 'float16', 'not'], lacks=['perm', 'x', 'MatMul', 'rank'])
        self.assertEqual(found['axis']['detail'], 'Softmax: int, default -1')
        self.offered(self.KERNEL + 'Transpose(x) { pe¦', has=['perm'], lacks=['axis'], word='pe')
        self.offered(self.KERNEL + '(Softmax | Transpose)(x) { axis == 1, ¦', has=['axis', 'perm'])
        self.offered(self.KERNEL + 'Act(x) { ¦', has=['approximate'])
        self.offered(self.KERNEL + 'com.microsoft::Gelu(x) { ¦', lacks=['approximate'])
        self.offered(self.KERNEL + 'Softmax(x) { axis ¦', has=['and', 'or', 'in'], lacks=['axis'])

    def test_expressions(self):
        self.offered(self.KERNEL + 'Relu(h) where ¦', has=['x', 'h', 'rank', 'type', 'float16', 'not', 'true'], lacks=['grid.x', 'it', 'axis'])
        self.offered(self.KERNEL + 'Relu(h) where type(x) == bf¦', has=['bfloat16'], word='bf')
        self.offered(self.KERNEL + 'Relu(const(¦', has=['it', 'rank', 'float32'], lacks=['x', 'grid.x'])
        self.offered(self.KERNEL + 'Relu(x); runs as ¦', has=['grid.x', 'kind', 'nothing', 'set'], lacks=['rank', 'x'])
        self.offered(self.KERNEL + 'Relu(x); runs as /a/ and grid.¦', has=['grid.x'], word='grid.')
        self.offered(self.KERNEL + 'Relu(x); runs as /a/ ¦', has=['for', 'on', 'and', 'or', 'arch', 'runtime'])

    def test_names(self):
        rules = self.HEAD + 'kernel add-one : gemm { match -> Act(_); }\nkernel "two words" { match -> Act(_); }\n'
        self.offered(rules + 'refine ¦', has=['add-one', '"two words"'], lacks=['MatMul'])
        self.offered(rules + 'disable add-o¦', has=['add-one'], word='add-o')
        self.offered(rules + 'kernel new : ¦', has=['gemm'], lacks=['add-one'])
        self.offered(rules + 'runtime ¦', has=['pytorch', 'onnxruntime'])
        self.offered(rules + 'vendor nvidia | ¦', has=['amd'])
        self.offered(rules + 'evidence ¦', only=['names'])
        self.offered(self.HEAD + 'kernel k { match(x) { y = Relu(x); shared ¦', only=['x', 'y'])

    def test_imported_names(self):
        self.file('part.akp', 'akp 1;\nclass Imported = Add;\nfragment part(x) -> Relu(x);\nkernel theirs { match -> Imported(_, _); }\n')
        self.offered('akp 1;\nimport "part.akp";\nkernel k { match -> ¦', has=['Imported', 'part'])
        self.offered('akp 1;\nimport "part.akp";\nrefine ¦', has=['theirs'])

    def test_nothing_where_text_is_no_code(self):
        for text in ('// ker¦', '/* ker¦', '/// ker¦', 'import "ker¦', 'kernel k { match -> Relu(_); runs as /ker¦', 'kernel k { match -> Relu(_); } // ¦', '# ker¦'):
            self.offered(self.HEAD + text, only=[])
        self.offered(self.HEAD + '/* comment */ ker¦', has=['kernel'], word='ker')

    def test_mistakes_before_the_place(self):
        self.offered(self.HEAD + 'kernel other { match -> ) Relu( }\nkernel k { label "a" priority 3; match(x) -> ¦', has=['x', 'MatMul'])
        self.offered(self.HEAD + 'kernel k { match(x) { y = Relu(x) z = Add(y, ¦', has=['MatMul', 'x', 'y'])

    def test_a_rule_with_many_brackets(self):
        self.offered(self.HEAD + 'kernel k { match(x) { ' + 'y = Relu((x));' * 300 + '} -> Add(¦', has=['x', 'y'])

    def test_deep_text_is_bounded(self):
        self.offered(self.HEAD + 'kernel k { match -> ' + 'Relu(' * 5000 + '¦', only=[])

    def test_every_place_of_a_library_can_be_asked(self):
        path = SOURCE / 'rules' / 'pytorch' / 'attention.akp'
        text = path.read_text()
        self.client.open(uri_of(path), text)
        for line, content in enumerate(text.split('\n')):
            for character in range(0, len(content) + 1, 3):
                for method in ('textDocument/completion', 'textDocument/hover', 'textDocument/definition'):
                    self.client.at(method, uri_of(path), line, character)
