"""A small engine for TextMate grammars: `match` with captures, `begin` and `end`, `include` of the repository and of other grammars.

Patterns are tried at each place of a line; the first that matches leftmost wins, the end of an open region before its patterns. Regular expressions
must mean the same to Python and to Oniguruma, which editors use: no possessive or recursive parts, and look-behind of one width.
"""
import json
import re


class Grammar:
    # The grammar that a pattern is of, by its identity: its includes are of that grammar's repository.
    homes = {}

    def __init__(self, path, *embedded):
        """`embedded`: grammars that this one may include."""
        self.embedded = {one.root: one for one in embedded}
        self.document = json.loads(path.read_text())
        self.root = self.document['scopeName']
        self.compiled, self.rules = {}, {}

    def regex(self, text):
        if text not in self.compiled:
            self.compiled[text] = re.compile(text)
        return self.compiled[text]

    def patterns(self, listed):
        """Patterns with `include`s replaced by what they name."""
        key = id(listed)
        if key not in self.rules:
            out = []
            for one in listed:
                if one.get('include') in self.embedded:
                    other = self.embedded[one['include']]
                    out += other.patterns(other.document['patterns'])
                elif 'include' in one:
                    if not one['include'].startswith('#'):
                        raise ValueError(f'include of {one["include"]}')
                    out += self.patterns(self.document['repository'][one['include'][1:]]['patterns'])
                else:
                    Grammar.homes[id(one)] = self
                    out.append(one)
            self.rules[key] = out
        return self.rules[key]

    def all_regexes(self):
        def walk(value):
            if isinstance(value, dict):
                for key, inner in value.items():
                    if key in ('match', 'begin', 'end'):
                        yield inner
                    yield from walk(inner)
            elif isinstance(value, list):
                for inner in value:
                    yield from walk(inner)
        return list(walk(self.document))

    def lines(self, text):
        """For each line, its scopes by character: tuples from the outermost scope to the innermost; then the open regions at the end."""
        stack, out = [], []
        for line in text.split('\n'):
            scopes = [(self.root,)] * len(line)
            self.line(line, scopes, stack)
            out.append((line, scopes))
        return out, stack

    def line(self, line, scopes, stack):
        at = 0
        while True:
            rule = stack[-1] if stack else None
            listed = Grammar.homes[id(rule)].patterns(rule.get('patterns', [])) if rule else self.patterns(self.document['patterns'])
            best = (self.regex(rule['end']).search(line, at), None) if rule else (None, None)
            for one in listed:
                found = self.regex(one.get('match', one.get('begin'))).search(line, at)
                if found and (best[0] is None or found.start() < best[0].start()):
                    best = (found, one)
            found, one = best
            base = (self.root,) + tuple(part['name'] for part in stack if 'name' in part)
            if found is None:
                self.paint(scopes, at, len(line), base)
                return
            self.paint(scopes, at, found.start(), base)
            if one is None:
                self.take(found, rule, rule.get('endCaptures', {}), base, scopes)
                stack.pop()
            else:
                inner = base + ((one['name'],) if 'name' in one else ())
                self.take(found, one, one.get('captures', one.get('beginCaptures', {})), inner, scopes)
                if 'begin' in one:
                    stack.append(one)
            # A rule that takes nothing and opens or closes nothing would be tried for ever.
            if found.end() == at and one is not None and 'begin' not in one:
                raise ValueError(f'an empty match of {one}')
            at = found.end()
            if at >= len(line) and not (stack and self.regex(stack[-1]['end']).match(line, at)):
                return

    @staticmethod
    def paint(scopes, begin, end, value):
        for i in range(begin, end):
            scopes[i] = value

    def take(self, found, rule, captures, base, scopes):
        self.paint(scopes, found.start(), found.end(), base)
        for number, capture in captures.items():
            begin, end = found.span(int(number))
            if begin < 0:
                continue
            inner = base + ((capture['name'],) if 'name' in capture else ())
            self.paint(scopes, begin, end, inner)
            if 'patterns' in capture:
                part = scopes[begin:end]
                Grammar.homes[id(rule)].captured(found.string[begin:end], part, capture['patterns'], inner)
                scopes[begin:end] = part

    def captured(self, text, scopes, listed, base):
        at = 0
        while at < len(text):
            best = None
            for one in self.patterns(listed):
                found = self.regex(one['match']).search(text, at)
                if found and (best is None or found.start() < best[0].start()):
                    best = (found, one)
            if best is None:
                return
            self.paint(scopes, best[0].start(), best[0].end(), base + (best[1]['name'],))
            at = max(best[0].end(), at + 1)
