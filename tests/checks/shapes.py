"""Whether values of JSON have the shapes of a protocol or a format."""


def fail(what, value):
    raise AssertionError(f'{what}: {value!r}')


def check(value, shape):
    """A shape is a type, the values that are allowed, a list of one shape, an object of shapes by key, where `?` ends optional keys and `*` is any key, a tuple
    of alternatives, of which the last explains a failure, or a function."""
    if isinstance(shape, type):
        if type(value) is not shape or value == '':
            fail(f'{shape.__name__} expected', value)
    elif isinstance(shape, (set, range)):
        if value not in list(shape) if isinstance(shape, set) else type(value) is not int or value not in shape:
            fail(f'one of {shape}', value)
    elif isinstance(shape, list):
        check(value, list)
        for one in value:
            check(one, shape[0])
    elif isinstance(shape, tuple):
        for alternative in shape[:-1]:
            try:
                return check(value, alternative)
            except AssertionError:
                pass
        check(value, shape[-1])
    elif isinstance(shape, dict):
        check(value, dict)
        known = {key.removesuffix('?') for key in shape}
        needed = {key for key in shape if not key.endswith('?') and key != '*'}
        if not needed <= set(value) or '*' not in shape and not set(value) <= known:
            fail(f'an object with {sorted(shape)}', value)
        for key, one in value.items():
            check(one, shape[key] if key in shape else shape[f'{key}?'] if f'{key}?' in shape else shape['*'])
    else:
        shape(value)


def ANY(value):
    """Not looked at."""
