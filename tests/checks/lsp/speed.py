"""A shipped library answers while it is typed, and nothing that is typed makes it wait.

The time of the server on processors is what counts, because a loaded machine does not change it.
"""
from checks.lsp.cases import ServerCase
from checks.places import SOURCE
from checks.lsp.client import uri_of

# Most requests take a tenth of this.
SECONDS_PER_KEY = 0.25
KEYS = 60


class Speed(ServerCase):
    def setUp(self):
        super().setUp()
        self.client.initialize()

    def test_a_rule_is_typed_at_the_end_of_a_library(self):
        path = SOURCE / 'rules' / 'onnxruntime' / 'operators.akp'
        text = path.read_text()
        uri = uri_of(path)
        self.client.open(uri, text)
        self.client.diagnostics_of(uri)
        line = text.count('\n')
        typed = 'kernel typed : gemm { match(x, w) { y = MatMul(x, w); } -> Relu(y); runs as /gemm/; }'[:KEYS]
        begin = self.client.processor_seconds()
        for i, letter in enumerate(typed):
            self.client.change(uri, ((line, i), (line, i), letter))
            self.client.at('textDocument/completion', uri, line, i + 1)
            self.client.diagnostics_of(uri)
        seconds = (self.client.processor_seconds() - begin) / len(typed)
        print(f'{1000 * seconds:.0f} ms of a processor for a key with completion and diagnostics')
        self.assertLess(seconds, SECONDS_PER_KEY)

    def test_a_large_file(self):
        """Two thousand rules: a change of one letter at its beginning."""
        rules = ''.join(f'kernel rule_{i} : gemm {{ match(x) -> Add(MatMul(x, const), const); runs as /gemm_{i}/; }}\n' for i in range(2000))
        uri = 'file:///large.akp'
        self.client.open(uri, 'akp 1;\n' + rules)
        self.client.diagnostics_of(uri)
        begin = self.client.processor_seconds()
        self.client.change(uri, ((1, 7), (1, 8), 'R'))
        self.client.at('textDocument/hover', uri, 1, 8)
        self.client.diagnostics_of(uri)
        seconds = self.client.processor_seconds() - begin
        print(f'{1000 * seconds:.0f} ms of a processor for a change of a file of 2000 rules')
        self.assertLess(seconds, 20 * SECONDS_PER_KEY)
