"""Messages on the level of protobuf's wire format; needs no package."""
VARINT, FIXED_64, BYTES, FIXED_32 = 0, 1, 2, 5


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def varint(value):
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, content):
    """A text, bytes, an encoded message, or a whole number."""
    if isinstance(content, int):
        return varint(number << 3 | VARINT) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | BYTES) + varint(len(content)) + content


def message(*parts):
    """(number of the field, content) of each field."""
    return b''.join(field(*part) for part in parts)


def fields(data):
    """Each field of a message: its number, its bytes as encoded, and its content where that is a string, bytes or a message."""
    at = 0
    while at < len(data):
        start = at
        tag, at = read_varint(data, at)
        kind, content = tag & 7, None
        if kind == VARINT:
            _, at = read_varint(data, at)
        elif kind == BYTES:
            length, at = read_varint(data, at)
            content = data[at:at + length]
            at += length
        elif kind in (FIXED_64, FIXED_32):
            at += 8 if kind == FIXED_64 else 4
        else:
            raise ValueError(f'wire type {kind} at byte {start}')
        if at > len(data):
            raise ValueError('a field ends behind its message')
        yield tag >> 3, data[start:at], content


def contents(data, number):
    return [content for found, _, content in fields(data) if found == number]
