"""Components include only components that they link, which CMake admits only from above in AMDAHLC_COMPONENTS; heavy libraries stay out of headers;
how a framework names things, and what calls of CUDA and HIP mean, is known in `replay/runtimes` alone, beside the readers and importers of what they write.

The linker sees functions; a header whose types alone are used would slip past it.
"""
import re

from checks.meta.tree import components, files, name
from checks.places import SOURCE

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
# Slow to compile or apt to leak a dependency. Headers that are private to one component, or for .cpp files only, may say so here, with a reason.
HEAVY = re.compile(r'(boost|onnx|google|antlr4|simdjson|nlohmann|re2|yaml-cpp|zlib)[/.]')
PRIVATE_HEADERS = {
    'support/boost_graph.h',  # what Boost.Graph's algorithms need of a graph, for .cpp files that call them
    'support/json_tree.h',  # a tree is of JSON values, for .cpp files that read them
    'report/field_value.h',     # schemas are JSON values, for the files that hold tables of a report
    'report/json_stream.h',  # its parameters are JSON values, which are only forward declared
    'report/outputs/html_lanes.h',  # it describes lanes as JSON, for one file
    'ir/onnx_schemas/onnx_proto.h',  # the one place that includes ONNX's generated protobuf header
    'ir/onnx_schemas/registry.h',   # schemas of the library, for the importer
    'ir/onnx_import/schemas.h',     # the importer's own view of ONNX's schemas
    'grammar/lsp/protocol.h',               # values of JSON, which are all that requests and answers are
    'api/yaml_text.h',              # nodes of yaml-cpp with their places in the text, for two readers of YAML
}

# How frameworks name operators, modules, steps and kernels. Readers of their files may know them, and no other
# component but `replay/runtimes`.
FRAMEWORK_NAMES = re.compile(r'aten(::|\.)|nn\.Module|ProfilerStep|c10::|\bat::(native|cuda)|torch[.:]'
                             r'|"_?foreach|cudnn|nchwTo|<built-in|"<string>|checkpoint\.py')
# Functions of CUDA and HIP, and the prefixes of their names. What they mean is one list; readers know those of their formats.
DRIVER_CALLS = re.compile(r'\b(?:cuda|hip)[A-Z]\w+|\bcu[A-Z][a-z]+[A-Z]\w+|"(?:cuda|cu|hip)"')
KNOW_DRIVER_CALLS = ('replay/runtimes/', 'runs/trace/', 'tests/')
KNOW_FRAMEWORKS = ('replay/runtimes/', 'runs/kernel_families/', 'runs/trace/', 'ir/onnx_import/', 'grammar/')


def direct(component, known):
    """What a component links by its own list, or by that of passes of one file."""
    own = SOURCE / component / 'CMakeLists.txt'
    text = (own if own.exists() else SOURCE / 'CMakeLists.txt').read_text()
    found = re.search(r'amdahlc_add_component\(.*?\bDEPENDS\b([^)]*?)(?:\bLIBRARIES\b[^)]*)?\)', text, re.DOTALL)
    names = found[1].split() if found else []
    # The registry links every pass: it says so with the list of components itself.
    return set(known[:known.index(component)] if '${components}' in names else names)


def check(check):
    known, links = components(), {}

    def component_of(path):
        """The innermost component that holds a path, or None."""
        return max((component for component in known if path.startswith(component + '/')), key=len, default=None)

    for component in known:
        own = direct(component, known)
        links[component] = own.union(*(links[one] for one in own if one in links))
        check.none(f'{component} depends on components that are not above it in AMDAHLC_COMPONENTS', (one for one in own if one in known and one not in links))
    for file in files('.h', '.cpp'):
        path, text = name(file), file.read_text(errors='replace')
        component = component_of(path)
        if component is None:
            continue
        for kind, target in INCLUDE.findall(text):
            other = component_of(target) if kind == '"' else None
            check.that(other in (None, component) or other in links[component], f'{path} includes {target}, but {component} does not link {other}')
            check.that(not (kind == '<' and path.endswith('.h') and HEAVY.match(target)) or path in PRIVATE_HEADERS, f'{path} includes <{target}> in a header')
        if not path.startswith(KNOW_FRAMEWORKS):
            check.none(f'{path} knows framework names; replay/runtimes/ is the place for them', (match[0] for match in FRAMEWORK_NAMES.finditer(text)))
        if not path.startswith(KNOW_DRIVER_CALLS):
            check.none(f'{path} knows functions of CUDA or HIP; replay/runtimes/device_calls is the place for them', (match[0] for match in DRIVER_CALLS.finditer(text)))
        check.that(component == 'driver' or not re.search(r'\bgetenv\b', text), f'{path} reads the environment')
