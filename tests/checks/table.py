"""All checks, one row each."""
import importlib
from typing import NamedTuple

from checks import roundtrip


class Row(NamedTuple):
    name: str
    where: str               # module and function below this package; without one `check`, and `unittest` for its test cases
    shared: bool = False     # whether nothing of it can run without the folder `shared` beside the project
    sanitized: bool = False  # whether it also runs with sanitizers, because it is about memory
    together: str = ''       # the test of ctest that runs it in one process with others, which share what was read

    def function(self):
        name, _, function = self.where.partition(':')
        module = importlib.import_module(f'checks.{name}')
        if function == 'unittest':
            return lambda check: check.unit_tests(module)
        return getattr(module, function or 'check')

    def about(self):
        """The first sentence of what the function, or its module, says of itself."""
        function = self.function()
        text = function.__doc__ or importlib.import_module(f'checks.{self.where.partition(":")[0]}').__doc__
        return ' '.join(text.split('\n\n')[0].split())

    def is_named(self, name):
        return name in (self.name, self.test()) or self.name.startswith(f'{name}/')

    def test(self):
        return self.together or self.name


ROWS = [
    # Bindings against truth, and the page of these figures: 1300 runs of the command where the folder `shared` is there, else 70.
    Row('accuracy/estimates', 'accuracy.bindings:estimates', together='accuracy/bindings'),
    Row('accuracy/limits', 'accuracy.bindings:limits', together='accuracy/bindings'),
    Row('accuracy/metamorphic', 'accuracy.bindings:changed_runs', together='accuracy/bindings'),
    Row('accuracy/figures', 'accuracy.recorded:figures', shared=True, together='accuracy/recorded'),
    Row('accuracy/host-cells', 'accuracy.host:cells', shared=True),
    Row('accuracy/host-sums', 'accuracy.host:sums', shared=True),
    Row('accuracy/kineto_damage', 'accuracy.kineto_damage', shared=True),
    Row('accuracy/kineto_totals', 'accuracy.kineto_totals', shared=True),
    Row('accuracy/model_and_program', 'accuracy.model_and_program'),
    Row('accuracy/nsys', 'accuracy.recorded:nsys', shared=True, together='accuracy/recorded'),
    Row('accuracy/onnxruntime-shapes', 'accuracy.recorded:onnxruntime_shapes', shared=True, together='accuracy/recorded'),
    Row('accuracy/onnxruntime-totals', 'accuracy.recorded:onnxruntime_totals', shared=True, together='accuracy/recorded'),
    Row('accuracy/runtimes', 'accuracy.runtimes_test:unittest', together='accuracy/scoring'),
    Row('accuracy/several_runs', 'accuracy.several_runs', shared=True, together='accuracy/recorded'),
    Row('accuracy/tensorrt', 'accuracy.recorded:tensorrt', shared=True, together='accuracy/recorded'),
    Row('accuracy/transformations', 'accuracy.transformations:unittest', together='accuracy/scoring'),
    Row('accuracy/verdicts', 'accuracy.verdicts:unittest', together='accuracy/scoring'),
    Row('accuracy/viewer_data', 'accuracy.viewer_data'),
    Row('accuracy/written_traces', 'accuracy.written_traces'),
    Row('advice_changes', 'advice_changes'),
    Row('advice_runs', 'advice_runs', shared=True),
    Row('captures', 'captures', shared=True),
    Row('conformance/run', 'conformance'),
    Row('curves/scenarios', 'curves'),
    Row('editors/grammars', 'editors.grammars:unittest'),
    Row('execution_traces/recorded', 'execution_traces.recorded', shared=True),
    Row('execution_traces/programs', 'execution_traces.programs', shared=True),
    Row('execution_traces/liveness', 'execution_traces.liveness', shared=True),
    Row('execution_traces/onnx_files', 'execution_traces.onnx_files'),
    Row('first_screen', 'first_screen', shared=True),
    Row('forwards', 'forwards', shared=True),
    Row('hostile', 'hostile', sanitized=True),
    Row('liveness/changes', 'liveness.changes'),
    Row('liveness/definitions', 'liveness.definitions'),
    Row('liveness/g10', 'liveness.g10', shared=True),
    *(Row(f'lsp/{name}', f'lsp.{name}:unittest') for name in ('diagnostics', 'features', 'protocol', 'speed')),
    Row('lsp/neovim', 'lsp.neovim'),
    *(Row(f'meta/{name}', f'meta.{name}', together='meta') for name in ('diagnostics', 'files', 'fixtures', 'layers', 'limits', 'messages', 'pages', 'passes', 'report', 'rules')),
    Row('mistakes', 'mistakes'),
    *(Row(f'page/{name}', f'page.addresses:{name}', together='page/browser') for name in ('hostile', 'history')),
    Row('page/firefox', 'page.firefox'),
    Row('page/keyboard', 'page.keyboard', together='page/browser'),
    Row('page/numbers', 'page.numbers'),
    *(Row(f'page/{name}', f'page.shown:{name}', together='page/browser') for name in ('closed', 'names', 'plain')),
    Row('page/graphs', 'page.graphs'),
    Row('page/graph', 'page.graphs:keys', together='page/browser'),
    *(Row(f'page/{name}', f'page.timeline:{name}', together='page/browser') for name in ('keys', 'sums', 'fused')),
    Row('page/replay', 'page.replay'),
    Row('page/sizes', 'page.sizes', together='page/browser'),
    Row('page/restricted', 'page.sizes:restricted', together='page/browser'),
    Row('page/large-times', 'page.sizes:large_times', together='page/browser'),
    Row('page/many-ranks', 'page.sizes:many_ranks', together='page/browser'),
    Row('page/tables', 'page.tables', together='page/browser'),
    Row('page/what-if', 'page.what_if', together='page/browser'),
    Row('page/what-if-parts', 'page.what_if:parts', together='page/browser'),
    *(Row(f'page/{name}', f'page.selection:{name}', together='page/browser') for name in ('copies', 'everywhere', 'narrowed')),
    *(Row(f'page/{name.replace("_", "-")}', f'page.surroundings:{name}', together='page/browser')
      for name in ('axe', 'clipboard', 'damaged', 'media', 'notebook', 'widths', 'without_replay')),
    Row('page/types', 'page.types'),
    Row('page/typescript', 'page.typescript'),
    Row('page/views', 'page.views', together='page/browser'),
    Row('page/views-names', 'page.views:names', together='page/browser'),
    Row('python_notebooks', 'python_notebooks'),
    Row('python_package', 'python_package'),
    Row('python_torch', 'python_torch'),
    *(Row(f'python_wheel/{name}', f'python_wheel:{name}', together='python_wheel/all') for name in ('content', 'environments', 'orders')),
    Row('phases', 'phases', shared=True),
    Row('progress', 'progress'),
    Row('ranks/simulated', 'ranks.simulated'),
    Row('ranks/recorded', 'ranks.recorded', shared=True),
    Row('roofline/hardware', 'roofline.hardware'),
    Row('roofline/measure', 'roofline.hardware:measure'),
    Row('roofline/plausible', 'roofline.hardware:plausible'),
    Row('roofline/operators', 'roofline.operators'),
    Row('roofline/traces', 'roofline.traces', shared=True, together='accuracy/recorded'),
    Row('schedule/properties', 'schedule.properties'),
    Row('schedule/recorded_runs', 'schedule.recorded_runs', shared=True),
    Row('schedule/simulated_runs', 'schedule.simulated_runs'),
    Row('schema', 'schema'),
    Row('suggestions/recovered', 'suggestions', shared=True),
    *(Row(f'shells/{shell}', 'shells:completion') for shell in ('bash', 'zsh', 'fish')),
    Row('shells/man', 'shells:man_page'),
    *(Row(f'roundtrip/{case.name}', 'roundtrip') for case in roundtrip.CASES),
    Row('roundtrip/printed-rules', 'roundtrip:printed_rules'),
]
