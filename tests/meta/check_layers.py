#!/usr/bin/env python3
"""Rooms include only rooms that they link, which CMake admits only from above in AMDAHLC_ROOMS; heavy libraries stay out of headers.

The linker sees functions; a header whose types alone are used would slip past it.
"""
import re

from tree import SOURCE, files, finish, name

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
# Slow to compile or apt to leak a dependency. Headers that are private to one room may say so here, with a reason.
HEAVY = re.compile(r'(onnx|google|antlr4|boost|simdjson|nlohmann|re2|yaml-cpp|zlib)[/.]')
PRIVATE_HEADERS = {
    'ir/onnx_import/onnx_proto.h',  # the one place that includes ONNX's generated protobuf header
    'ir/onnx_import/schemas.h',     # the importer's own view of ONNX's schemas
    'trace/kineto_event.h',         # fields of a simdjson object, for the reader of Kineto's format
    'driver/yaml_text.h',           # nodes of yaml-cpp with their places in the text, for two readers of YAML
}

root = (SOURCE / 'CMakeLists.txt').read_text()
rooms = re.search(r'set\(AMDAHLC_ROOMS\s+([^)]*)\)', root)[1].split()
rooms = [room for room in rooms if (SOURCE / room / 'CMakeLists.txt').exists()]


def direct(room):
    found = re.search(r'amdahlc_add_room\(.*?\bDEPENDS\b([^)]*?)(?:\bLIBRARIES\b[^)]*)?\)', (SOURCE / room / 'CMakeLists.txt').read_text(), re.DOTALL)
    names = found[1].split() if found else []
    # The registry links every pass: it says so with the list of rooms itself.
    return set(rooms[:rooms.index(room)] if '${rooms}' in names else names)


links = {}
for room in rooms:
    links[room] = direct(room).union(*(links[one] for one in direct(room) if one in links))


def room_of(path):
    """The innermost room that holds a path, or None."""
    return max((room for room in rooms if path.startswith(room + '/')), key=len, default=None)


mistakes = []
for room in rooms:
    late = [one for one in direct(room) if one in rooms and rooms.index(one) >= rooms.index(room)]
    mistakes += [f'{room} depends on {one}, which is below it in AMDAHLC_ROOMS' for one in late]
checked = 0
for file in files('.h', '.cpp'):
    path = name(file)
    room = room_of(path)
    if room is None:
        continue
    for kind, target in INCLUDE.findall(file.read_text(errors='replace')):
        checked += 1
        other = room_of(target) if kind == '"' else None
        if other and other != room and other not in links[room]:
            mistakes.append(f'{path} includes {target}, but {room} does not link {other}')
        if kind == '<' and path.endswith('.h') and HEAVY.match(target) and path not in PRIVATE_HEADERS:
            mistakes.append(f'{path} includes <{target}> in a header')
    if room != 'driver' and re.search(r'\bgetenv\b', file.read_text(errors='replace')):
        mistakes.append(f'{path} reads the environment')
finish(mistakes, f'{len(rooms)} rooms, {checked} includes')
