#!/usr/bin/env python3
"""Converts a pattern library of Amdahl4ML, `operationsAndGroups.xml`, to a rule file for `amdahlc -rules=FILE`.

  convert_rules.py LIBRARY.xml [-o RULES.akp]

The rules are written to stdout or to the file of -o. What has no plain equal in a rule file, such as a look-around of a regular expression,
is a warning and a comment that begins with `// EDIT:` where a person has to decide.
Exit status: 0 converted, also with comments to edit; 1 the library cannot be read, and nothing is written; 2 wrong command line.
"""
import argparse
import itertools
import os
import pathlib
import re
import sys
import warnings
from xml.parsers import expat

FILE_BYTES = 1 << 20
NESTING = 64
PATTERN_OPERATORS = 500
OPERANDS = 64
REGEX_LENGTH = 1000

# ONNX's operators by the number of operands that all their versions have; the others have operands that may be left out.
FIXED = {
    1: '''Abs Acos Acosh ArgMax ArgMin Asin Asinh Atan Atanh AveragePool Bernoulli BitwiseNot Cast Ceil Celu ConstantOfShape Cos Cosh
          DepthToSpace Det DynamicQuantizeLinear Elu Erf Exp EyeLike Flatten Floor Gelu GlobalAveragePool GlobalLpPool GlobalMaxPool
          HardSigmoid HardSwish Hardmax Identity If IsInf IsNaN LRN LeakyRelu Log LogSoftmax LpNormalization LpPool MaxPool
          MeanVarianceNormalization Mish Multinomial Neg NonZero Not RandomNormalLike RandomUniformLike Reciprocal Relu Round Selu Shape
          Shrink Sigmoid Sign Sin Sinh Size Softmax Softplus Softsign SpaceToDepth Sqrt Swish Tan Tanh ThresholdedRelu Transpose Unique''',
    2: '''Add AffineGrid And BitShift BitwiseAnd BitwiseOr BitwiseXor CastLike CenterCropPad Compress CumSum Div Equal Expand Gather
          GatherElements GatherND Greater GreaterOrEqual GridSample Less LessOrEqual MatMul MaxRoiPool Mod Mul Or PRelu Pow
          RMSNormalization ReverseSequence Sub Xor''',
    3: 'Col2Im InstanceNormalization OneHot Range RoiAlign Scatter ScatterElements ScatterND Where'}
OPEN = '''Attention BatchNormalization Clip Concat Constant Conv ConvInteger ConvTranspose DFT DeformConv DequantizeLinear Dropout Einsum GRU
          Gemm GroupNormalization LSTM LayerNormalization Loop MatMulInteger Max MaxUnpool Mean MelWeightMatrix Min NegativeLogLikelihoodLoss
          NonMaxSuppression Pad QLinearConv QLinearMatMul QuantizeLinear RNN RandomNormal RandomUniform ReduceL1 ReduceL2 ReduceLogSum
          ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Reshape Resize RotaryEmbedding STFT Scan Slice
          SoftmaxCrossEntropyLoss Split Squeeze Sum Tile TopK Trilu Unsqueeze Upsample'''
# Operators that ONNX Runtime adds, of any domain.
CONTRIBUTED = '''BiasGelu EmbedLayerNormalization FastGelu FusedConv FusedGemm FusedMatMul GroupQueryAttention MultiHeadAttention QuickGelu
                 SimplifiedLayerNormalization SkipLayerNormalization SkipSimplifiedLayerNormalization'''
OPERANDS_OF = {name: count for count, names in FIXED.items() for name in names.split()}
OPERATORS = {name.lower(): name for name in [*OPERANDS_OF, *OPEN.split()]} | {name.lower(): f'*::{name}' for name in CONTRIBUTED.split()}
COMMUTATIVE = set('Add And BitwiseAnd BitwiseOr BitwiseXor Equal Mul Or Xor'.split())
# The first row of which an operator of the kernel is one; regular expressions of types.
CATEGORIES = {'attention': '.*Attention', 'convolution': '(Fused)?Conv.*', 'gemm': '(Fused)?(MatMul|Gemm)|MatMulInteger|QLinearMatMul|Einsum',
              'normalization': '.*Normalization', 'softmax': '(Log)?Softmax',
              'activation': '.*Gelu|(Leaky|P)?Relu|[CS]?[Ee]lu|(Hard)?Sigmoid|(Hard)?Swish|Tanh|Soft(plus|sign)|Mish|Erf',
              'pooling': '.*Pool', 'reduction': 'Reduce.*'}


class Malformed(Exception):
    """The library is not one: (line, message)."""


class NoEqual(Exception):
    """An entry that a rule file cannot say plainly: (line, message)."""


class Element:
    """An element, or a comment, whose tag is empty."""

    def __init__(self, tag, line, attributes=(), text=''):
        self.tag, self.line, self.attributes, self.text, self.children = tag, line, dict(attributes), text, []

    def elements(self):
        return [child for child in self.children if child.tag]


def shown(text):
    return ''.join(letter if letter.isprintable() else letter.encode('unicode_escape').decode() for letter in text)


def read(data):
    """The root element, and the comments around it. A document type is refused, and with it every entity that a file could define."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    outside = Element('', 0)
    stack = [outside]

    def start(tag, attributes):
        if len(stack) > NESTING:
            raise Malformed(parser.CurrentLineNumber, f'elements nest deeper than {NESTING}')
        stack[-1].children.append(Element(tag, parser.CurrentLineNumber, attributes))
        stack.append(stack[-1].children[-1])

    def text(part):
        stack[-1].text += part

    def doctype(*_):
        raise Malformed(parser.CurrentLineNumber, 'a document type declaration is not read: it could define entities or name other files')
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, lambda tag: stack.pop(), text
    parser.CommentHandler = lambda comment: stack[-1].children.append(Element('', parser.CurrentLineNumber, (), comment))
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise Malformed(error.lineno, f'this is not well-formed XML: {expat.ErrorString(error.code)}') from None
    return outside


# ---- regular expressions

TOKEN = re.compile(r'\\.|\[\^?\]?(?:\\.|[^\\\]])*\]|\(\?(?:<?[=!]|P<\w+>|[a-z]*[:)]|.)|\{\d*,?\d*\}|.', re.DOTALL)
LOOK_AROUND = {'(?=': 'look-ahead', '(?!': 'look-ahead', '(?<=': 'look-behind', '(?<!': 'look-behind'}
# Tokens that RE2 does not have, or reads otherwise than Python does.
PYTHON_ONLY = re.compile(r'\\[0-9ZuUN]|\[:|\{,|\(\?(?!<?[=!]|P<|[ims]*[:)])')


def is_quantifier(token):
    return token in ('*', '+', '?') or token.startswith('{') and len(token) > 1


def without_look_arounds(regex, line):
    """The other tokens, and the look-arounds as text."""
    tokens, kept, found, depth = TOKEN.findall(regex), [], [], 0
    for one, two in zip(tokens, [*tokens[1:], '']):
        if PYTHON_ONLY.search(one) or is_quantifier(one) and two == '+' or not one.isprintable():
            raise NoEqual(line, f'RE2 does not have `{shown(one)}` of the regular expression `{shown(regex)}`, or reads it otherwise')
        if depth == 0 and one not in LOOK_AROUND:
            kept.append(one)
            continue
        found += [''] if depth == 0 else []
        found[-1] += one
        depth += one.startswith('(') - (one == ')')
        if depth == 0 and is_quantifier(two):
            raise NoEqual(line, f'`{shown(found[-1])}` is repeated in the regular expression `{shown(regex)}`')
    return kept, found


def searched(tokens):
    """What finds, anywhere in a name, the names that the expression matches at their begin."""
    alternatives, depth = [[]], 0
    for token in tokens:
        depth += token.startswith('(') - (token == ')')
        if token == '|' and depth == 0:
            alternatives.append([])
        else:
            alternatives[-1].append(token)
    for parts in alternatives:
        begins_anywhere = False
        if parts[:3] == ['^', '.', '*']:
            del parts[:1]
        while parts[:2] == ['.', '*'] and not is_quantifier(''.join(parts[2:3])):
            begins_anywhere = True
            del parts[:2]
        if not begins_anywhere and parts[:1] not in (['^'], [r'\A']):
            parts.insert(0, '^')
        while parts[-2:] == ['.', '*']:
            del parts[-2:]
    text = '|'.join(''.join(parts) or '^' for parts in alternatives)
    return re.sub(r'(\\.)|/', lambda found: found[1] or r'\/', text)


def kernel_test(regex, line):
    """The test of a kernel's name, and comments to edit."""
    if len(regex) > REGEX_LENGTH:
        raise Malformed(line, f'the regular expression has {len(regex)} letters, more than {REGEX_LENGTH}')
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            re.compile(regex)
    except (re.error, OverflowError, RecursionError) as error:
        raise Malformed(line, f'`{shown(regex)}` is not a regular expression: {error}') from None
    flags = re.match(r'(\(\?[ims]+\))*', regex)[0]
    kept, found = without_look_arounds(regex[len(flags):], line)
    edits = [(line, f'{LOOK_AROUND[re.match("[(][?]<?[=!]", look)[0]]} `{shown(look)}` of `{shown(regex)}` is left out, because RE2 has none: the test accepts the same names or more; '
                    'if more, restrict it with `and`') for look in found]
    return f'/{flags}{searched(kept)}/', edits


# ---- groups

class Operator:
    def __init__(self, type, producers, line, branches):
        self.type, self.producers, self.line, self.branches = type, list(producers), line, branches
        self.name, self.of_shapes = '', False

    def plain(self):
        return self.type.removeprefix('*::')

    def term(self, operand):
        """`operand` names an operator. Which operand of several a value is, the library does not say: all positions are alternatives."""
        used = [operand(one) for one in self.producers]
        if not self.type:
            return f'Miscellaneous+({used[0] if used else "_"})'
        count = OPERANDS_OF.get(self.type)
        if count is None:
            return f'{self.type}({", ".join([*used, "..."])})'
        if not used or self.type in COMMUTATIVE:
            return f'{self.type}({", ".join([*used, *["_"] * (count - len(used))])})'
        terms = dict.fromkeys(f'{self.type}({", ".join(one)})' for one in itertools.permutations([*used, *['_'] * (count - len(used))]))
        return next(iter(terms)) if len(terms) == 1 else f'({" | ".join(terms)})'


def operator_type(name, line):
    name = name.replace('"', '').strip()
    if name.lower() not in OPERATORS:
        raise NoEqual(line, f'`{shown(name)}` is not an operator that this script knows')
    return OPERATORS[name.lower()]


class Group:
    """The operators of a group as a graph. `sequential` goes on where the element before ended, `branching` goes several ways from there,
    `branchedStart` begins several times. What is open after an element is its front; the next operator uses all of it."""

    def __init__(self, nodes, has_miscellaneous):
        self.has_miscellaneous, self.operators, self.jumps, self.around, self.edits = has_miscellaneous, [], [], (), []
        self.results = self.sequence(nodes, [], True)
        if not self.results:
            raise NoEqual(nodes.line, 'the group has no result')
        for jump in self.jumps:
            self.land(*jump)
        self.sort(nodes.line)
        self.require_connected(nodes.line)
        self.name_values()

    def sequence(self, element, front, is_start):
        for part in element.elements():
            front = self.element(part, front, is_start)
            is_start = False
        return front

    def element(self, element, front, is_start):
        if element.tag == 'node':
            return self.add(operator_type(element.text, element.line), front, element.line)
        if element.tag == 'miscellaneousNodes':
            if not self.has_miscellaneous or len(front) > 1:
                raise NoEqual(element.line, '`miscellaneousNodes` behind several branches, or in a library without a `miscNode`')
            return self.add('', front, element.line)
        if element.tag == 'sequential':
            return self.sequence(element, front, is_start)
        if element.tag == 'emptyBranch':
            return front
        if element.tag == 'crossbranchjump':
            self.jumps.append((front, self.around, element.line))
            return []
        if element.tag not in ('branching', 'branchedStart'):
            raise Malformed(element.line, f'`{shown(element.tag)}` is no part of a group')
        if (element.tag == 'branchedStart') != is_start:
            raise NoEqual(element.line, '`branchedStart` is only converted at a start, and `branching` only behind an operator')
        out, around = [], self.around
        for number, part in enumerate(element.elements()):
            self.around = (*around, (element, number))
            out += self.element(part, [] if is_start else front, is_start)
        self.around = around
        return list(dict.fromkeys(out))

    def add(self, type, front, line):
        if len(front) > OPERANDS_OF.get(type, OPERANDS) or len(self.operators) >= PATTERN_OPERATORS:
            raise NoEqual(line, f'{len(front)} branches lead to `{type}`' if front[OPERANDS_OF.get(type, OPERANDS):]
                          else f'a pattern of more than {PATTERN_OPERATORS} operators')
        self.operators.append(Operator(type, front, line, self.around))
        return [self.operators[-1]]

    def land(self, values, branches, line):
        """A jump leads to an operator of another branch, of the innermost branching that has some, which needs an operand more."""
        for depth in reversed(range(len(branches))):
            here, number = branches[depth]
            found = [one for one in self.operators if one.branches[depth:] and one.branches[depth][0] is here and one.branches[depth][1] != number
                     and one.producers and len(one.producers) + len(values) <= OPERANDS_OF.get(one.type, 0)]
            if found and values:
                found[-1].producers += values
                if len(found) > 1:
                    names = ' and '.join(f'`{one.type}` of line {one.line}' for one in found)
                    self.edits.append((line, f'`crossbranchjump` could lead to {names}; the last one is taken'))
                return
        raise NoEqual(line, '`crossbranchjump` leads to no operator of another branch')

    def sort(self, line):
        """Puts operators behind their producers, which only jumps can violate."""
        done = {}
        while len(done) < len(self.operators):
            before = len(done)
            for one in self.operators:
                if all(producer in done for producer in one.producers):
                    done[one] = None
            if len(done) == before:
                raise NoEqual(line, 'jumps between the branches make a cycle')
        self.operators = list(done)
        for one in done:
            one.of_shapes = one.type in ('Shape', 'Size') or bool(one.producers) and all(producer.of_shapes for producer in one.producers)

    def require_connected(self, line):
        reached, size = {self.operators[0]}, 0
        while size < len(reached):
            size = len(reached)
            reached |= {one for one in self.operators if not reached.isdisjoint(one.producers)} | {two for one in reached for two in one.producers}
        if size < len(self.operators):
            raise NoEqual(line, 'the branches of the group never meet')

    def name_values(self):
        bases = [one.plain().lower() or 'run' for one in self.operators]
        for index, (one, base) in enumerate(zip(self.operators, bases)):
            numbered = bases.count(base) > 1 or base in ('and', 'not', 'or', 'where') or base[-1].isdigit()
            one.name = f'{base}_{bases[:index + 1].count(base)}' if numbered else base

    def match(self):
        out = self.text(self.operators, lambda one: one.name)
        # The same where shapes are known, so that the arithmetic with them is folded to constants.
        needed = set(self.results)
        for one in reversed(self.operators):
            needed |= {producer for producer in one.producers if one in needed and not producer.of_shapes}
        if len(needed) < len(self.operators) and any(one.of_shapes for one in self.operators) and not any(one.of_shapes for one in self.results):
            out += '\n  // The same where shapes are known, so that the arithmetic with them is folded.\n  or '
            out += self.text([one for one in self.operators if one in needed], lambda one: 'const' if one.of_shapes else one.name)
        return out

    def text(self, operators, operand):
        if len(operators) == 1:
            return f'match -> {operators[0].term(operand)}'
        lines = [f'    {one.name} = {one.term(operand)};\n' for one in operators]
        results = ', '.join(one.name for one in self.results)
        return f'match {{\n{"".join(lines)}  }} -> {f"({results})" if len(self.results) > 1 else results}'


# ---- the library

def rule_name(name):
    if re.fullmatch('[A-Za-z_][A-Za-z_0-9]*(-[A-Za-z_][A-Za-z_0-9]*)*', name):
        return name
    return '"' + re.sub(r'(["\\])', r'\\\1', shown(name)) + '"'


def category(types):
    if len([one for one in types if re.fullmatch(CATEGORIES['gemm'], one)]) > 1 and 'Softmax' in types:
        return 'attention'
    return next((name for name, test in CATEGORIES.items() if any(re.fullmatch(test, one) for one in types)), 'elementwise')


def comment(mark, text):
    lines = [shown(line.strip()) for line in text.strip().splitlines()]
    return ''.join(f'{mark} {line}'.rstrip() + '\n' for line in lines)


class Converter:
    def __init__(self, path):
        self.path, self.warnings, self.names, self.classes = path, [], set(), {'hiddenOperation': [], 'miscNode': []}

    def warn(self, line, message):
        self.warnings.append(f'{shown(str(self.path))}:{line}: warning: {message}')

    def edit(self, line, message, indent=''):
        self.warn(line, message)
        return f'{indent}// EDIT: line {line}: {message}\n'

    def required(self, entry, name):
        """The text of an attribute of an entry or, of a group, of an element in it."""
        if entry.tag != 'OperationGroup':
            text, line = entry.attributes.get(name, '').strip(), entry.line
        else:
            found = [child for child in entry.elements() if child.tag == name]
            text, line = (found[0].text.strip(), found[0].line) if len(found) == 1 else ('', entry.line)
        if not text:
            raise Malformed(entry.line, f'`{shown(entry.tag)}` has no `{name}`, or several')
        return text, line

    def rule(self, entry):
        label = self.required(entry, 'name')[0]
        test, edits = kernel_test(*self.required(entry, 'kernelNameRegex'))
        if entry.tag == 'OperationGroup':
            nodes = [child for child in entry.elements() if child.tag == 'nodes']
            if len(nodes) != 1:
                raise Malformed(entry.line, '`OperationGroup` has no `nodes`, or several')
            group = Group(nodes[0], bool(self.classes['miscNode']))
            types, match, edits = [one.plain() for one in group.operators], group.match(), group.edits + edits
        else:
            one = Operator(operator_type(*self.required(entry, 'nodeName')), [], entry.line, ())
            types, match = [one.plain()], f'match -> {one.term(None)}'
        name = next(name for name in itertools.chain([label], (f'{label}-{number}' for number in itertools.count(2))) if name not in self.names)
        self.names.add(name)
        out = ''.join(comment('///', child.text) for child in entry.children if not child.tag)
        out += f'kernel {rule_name(name)} : {category(types)} {{\n'
        if name != label:
            out += '  label "' + re.sub(r'(["\\])', r'\\\1', shown(label)) + '";\n'
        return out + f'  {match};\n' + ''.join(self.edit(*one, '  ') for one in edits) + f'  runs as {test};\n}}\n'

    def run(self, outside):
        root = next(child for child in outside.children if child.tag)
        entries, declarations, pending = {}, '', ''
        for child in [one for part in outside.children for one in (root.children if part is root else [part])]:
            if not child.tag:
                pending += comment('//', child.text)
            elif child.tag in self.classes:
                declarations, pending = declarations + pending, ''
                try:
                    self.classes[child.tag].append(operator_type(*self.required(child, 'name')))
                except NoEqual as fault:
                    declarations += self.edit(*fault.args)
            elif child.tag in ('singleOperation', 'OperationGroup'):
                key = child.tag, self.required(child, 'nodeName')[0].lower() if child.tag == 'singleOperation' else self.required(child, 'name')[0]
                if key in entries:
                    self.warn(entries[key][0].line, f'the entry of line {child.line} replaces this one')
                entries[key], pending = (child, entries[key][1] + pending if key in entries else pending), ''
            else:
                self.warn(child.line, f'`{shown(child.tag)}` is no tag of a library, which switches its entry off')
                pending += f'// Line {child.line}: `{shown(child.tag)}` is no tag of a library, which switches its entry off.\n'
        if not entries and not any(self.classes.values()):
            raise Malformed(root.line, f'`{shown(root.tag)}` has no entry of a pattern library')
        # Amdahl4ML reads traces of PyTorch on NVIDIA's devices, and of these only the names of kernels.
        out = f'// Converted from {shown(self.path.name)}, a pattern library of Amdahl4ML.\nakp 1;\nruntime pytorch;\nvendor nvidia;\nevidence names;\n'
        out += f'\n{declarations}' if declarations else ''
        for tag, text, separator in (('hiddenOperation', 'hidden ', ', '), ('miscNode', 'class Miscellaneous = ', ' | ')):
            if self.classes[tag]:
                out += f'\n{text}{separator.join(dict.fromkeys(self.classes[tag]))};\n'
        for entry, comments in entries.values():
            out += '\n' + comments + ('\n' if comments else '')
            try:
                out += self.rule(entry)
            except NoEqual as fault:
                out += self.edit(*fault.args)
        return out + (f'\n{pending}' if pending else '')


def write(path, text):
    """Writes all or nothing: another name first, then that of the file. What the shell opened for stdout is written where it stands."""
    if str(path) in ('-', '/dev/stdout'):
        sys.stdout.buffer.write(text.encode())
        return sys.stdout.flush()
    if path.exists() and not path.is_file():
        return path.write_text(text, encoding='utf-8')
    path = path.resolve()
    part = path.with_name(f'{path.name}.{os.getpid()}.part')
    try:
        part.write_text(text, encoding='utf-8')
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('library', type=pathlib.Path)
    parser.add_argument('-o', '--output', type=pathlib.Path, default='-')
    options = parser.parse_args()
    converter, path = Converter(options.library), options.library
    try:
        with open(path, 'rb') as file:
            data = file.read(FILE_BYTES + 1)
        if len(data) > FILE_BYTES:
            raise Malformed(1, f'the file is larger than the limit of {FILE_BYTES} bytes')
        text, path = converter.run(read(data)), options.output
        if path.exists() and path.samefile(options.library):
            parser.error('the rules would replace the library')
        write(path, text)
    except Malformed as fault:
        sys.exit(f'{shown(str(path))}:{fault.args[0]}: error: {fault.args[1]}')
    except OSError as fault:
        sys.exit(f'{shown(str(path))}: error: {fault.strerror}')
    for warning in converter.warnings:
        print(warning, file=sys.stderr)


if __name__ == '__main__':
    main()
