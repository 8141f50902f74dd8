/// Traces of any format as programs, without a model: all passes and outputs. A document that is an execution trace as
/// well gives the program its data edges.
#include "ir/program_import/program_import.h"

#include "grammar/rule_loader.h"
#include "modules.h"
#include "runs/execution_trace/reader.h"
#include "runs/files/trace_file.h"
#include "runs/trace/reader.h"
#include "traces.h"

namespace amdahlc::fuzz {
namespace {

ir::RuleSet rulesOfPrograms() {
  SourceManager sources;
  DiagnosticEngine reading = noErrors(sources, "the rules cannot be read");
  return std::move(*grammar::loadRules(
      {{AMDAHLC_SOURCE_DIR "/rules/pytorch.akp", {}}, {AMDAHLC_SOURCE_DIR "/rules/pytorch_programs.akp", {}}}, {},
      sources, reading));
}

void fuzzProgram(std::string_view input, Run& run) {
  static const ir::RuleSet rules = rulesOfPrograms();
  auto timeline = trace::readTraceBytes(input, "trace.json", {"run", selectionFor(input)}, run.diagnostics);
  if (!timeline) return;
  std::vector<ir::RunProgram> runs;
  runs.push_back({*timeline, program::Program(*timeline)});
  const auto file = trace::TraceFile::inMemory(input, "et.json", run.diagnostics);
  if (file && execution_trace::looksLikeExecutionTrace(file->beginning())) {
    auto trace = execution_trace::readExecutionTrace(*file, run.diagnostics);
    if (!trace) return;
    runs.back().data = program::dataOf(*timeline, runs.back().program, std::move(*trace), run.diagnostics);
    if (!runs.back().data) return;
  }
  ir::Module module = ir::importPrograms(runs, rules);
  module.rules = rules;
  analyse(module, std::move(*timeline), run);
}

const Registration kProgram(
    {.name = "program", .fuzzOne = fuzzProgram, .mutate = mutateJson, .mutations = 100, .everySeed = 8});

}  // namespace
}  // namespace amdahlc::fuzz
