"""The reference of the Python package as Markdown, of its sources alone: signatures, and docstrings as numpydoc has them."""
import ast
import inspect
import pathlib
import re

SECTION = re.compile(r'^(\w[\w ]*)\n-+\n', re.MULTILINE)


def is_overload(node):
    return any(ast.unparse(one) in ('overload', 'typing.overload') for one in node.decorator_list)


def definitions(package):
    """By name, what the modules of a folder and the packages in it define."""
    found = {}
    for path in [*sorted(package.glob('*.py')), *sorted(package.glob('*/__init__.py'))]:
        for node in ast.parse(path.read_text(encoding='utf-8')).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not is_overload(node):
                found.setdefault(node.name, node)
    return found


def public(package):
    """The names of `__all__`, without those that Python itself defines."""
    for node in ast.parse((package / '__init__.py').read_text(encoding='utf-8')).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == '__all__':
            return [name for name in ast.literal_eval(node.value) if not name.startswith('__')]
    return []


def plain(text):
    return text.replace('``', '`')


def items(text, titled):
    """The entries of a section: `name : type`, and indented text behind it."""
    lines = []
    for entry in re.split(r'\n(?=\S)', text.strip('\n')):
        head, _, rest = entry.partition('\n')
        name, _, kind = head.partition(' : ')
        about = ' '.join(plain(inspect.cleandoc(rest)).split())
        lines.append(f'- `{name}`' + (f' ({plain(kind)})' if kind else '') + (f': {about}' if about else ''))
    return [f'*{titled}*', '', *lines, '']


def described(text):
    """A docstring of numpydoc."""
    before, *rest = SECTION.split(inspect.cleandoc(text or ''))
    lines = [plain(before.strip()), '']
    for title, section in zip(rest[::2], rest[1::2]):
        if title == 'Examples':
            lines += ['```python', section.strip(), '```', '']
        elif title in ('Parameters', 'Returns', 'Raises', 'Attributes', 'Yields'):
            lines += items(section, title)
        else:
            lines += [f'*{title}*', '', plain(section.strip()), '']
    return lines


def split(text):
    """At the commas that are in no bracket."""
    parts, depth = [''], 0
    for char in text:
        depth += (char in '[({') - (char in '])}')
        if char == ',' and not depth:
            parts.append('')
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def signature(name, function):
    """As it is called, without the object itself."""
    given = ast.unparse(function.args).removeprefix('self, ').removeprefix('self').removeprefix('cls, ')
    result = f' -> {ast.unparse(function.returns)}' if function.returns else ''
    if len(name) + len(given) + len(result) > 100:
        given = '\n    ' + ',\n    '.join(split(given)) + '\n'
    return ['```python', f'{name}({given}){result}', '```', '']


def is_property(node):
    return any(ast.unparse(one) in ('property', 'functools.cached_property') for one in node.decorator_list)


def members(node, known):
    """Of a class: those of classes of the package above it that have no page of their own come last."""
    rows, methods = [], []
    for one in node.body:
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and getattr(one.value.func, 'id', '') == 'TableOf':
            key, text = map(ast.literal_eval, one.value.args)
            rows.append(f'- `{one.targets[0].id}` (Table): {text} The key `{key}` of the report.')
        elif isinstance(one, ast.FunctionDef) and not one.name.startswith('_') and ast.get_docstring(one):
            if is_property(one):
                kind = plain(ast.unparse(one.returns)).strip("'") if one.returns else ''
                rows.append(f'- `{one.name}` ({kind}): ' + ' '.join(plain(SECTION.split(ast.get_docstring(one))[0]).split()))
            else:
                methods.append(one)
    for base in node.bases:
        above = known.get(ast.unparse(base))
        if isinstance(above, ast.ClassDef):
            more_rows, more_methods = members(above, known)
            rows += more_rows
            methods += [one for one in more_methods if one.name not in {mine.name for mine in methods}]
    return rows, methods


def reference(package, module):
    """All public names of a package, functions first, each with its anchor."""
    package, lines = pathlib.Path(package), []
    known = definitions(package)
    nodes = [known[name] for name in public(package)]
    for node in sorted(nodes, key=lambda one: (isinstance(one, ast.ClassDef), one.name.lower())):
        lines += [f'### {module}.{node.name}', '']
        if isinstance(node, ast.FunctionDef):
            lines += signature(f'{module}.{node.name}', node) + described(ast.get_docstring(node))
            continue
        bases = [base for base in map(ast.unparse, node.bases) if base not in known or known[base] in nodes]
        lines += [f'A kind of `{"` and `".join(bases)}`.', ''] if bases else []
        lines += described(ast.get_docstring(node))
        rows, methods = members(node, known)
        if rows:
            lines += ['*Properties*', '', *rows, '']
        for method in methods:
            lines += [f'#### {node.name}.{method.name}', '', *signature(method.name, method), *described(ast.get_docstring(method))]
    return re.sub(r'\n{3,}', '\n\n', '\n'.join(lines)).strip() + '\n'
