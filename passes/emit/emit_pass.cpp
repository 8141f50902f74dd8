// Before: facts in the module.                      After: the same module, and artifacts for the driver to write.
//
//   emit<output=json=report.json;output=summary>
//
// Nothing is computed here that a pass has established: the report divides totals by iterations and sorts. What was not established is null or
// left out; an output that cannot exist without some facet is refused.

#include "passes/emit/emit_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ir/text.h"
#include "passes/emit/report.h"
#include "passes/emit/writers.h"
#include "support/edit_distance.h"

namespace amdahlc {
namespace {

constexpr unsigned kColumnsOfAPipe = 120;

/// `report.csv` for the run `h100` of several: `report.h100.csv`.
std::string pathForRun(const std::string& path, const std::string& label) {
  if (path.empty() || path == "-") return path;
  std::filesystem::path file(path);
  const std::string extension = file.extension().string();
  file.replace_extension();
  return file.string() + "." + label + extension;
}

void addBindings(const Report& report, const std::string& path, std::vector<Artifact>& artifacts) {
  for (const RunReport& run : report.runs) {
    const bool alone = report.runs.size() == 1;
    artifacts.push_back({"bindings", alone ? path : pathForRun(path, run.label), writeBindings(run)});
  }
}

}  // namespace

const std::vector<EmitPass::Kind>& EmitPass::kinds() {
  static const std::vector<Kind> kinds = {
      {"summary", "tables for a terminal: totals, top kernels, aggregates, unbound time, what-ifs", std::nullopt},
      {"json", "the whole report as JSON, schema amdahlc.report/1", std::nullopt},
      {"csv", "one row per kernel", std::nullopt},
      {"bindings", "one CSV row per device event with the kernel and nodes that it served", ir::Facet::Bound},
      {"dot", "the kernel graph for Graphviz, with the critical path and branch labels", ir::Facet::Fused},
      {"ir", "the module as IR text, which can be the input of another run", std::nullopt},
  };
  return kinds;
}

EmitPass::EmitPass() : written_(statistic("outputs", "outputs rendered")) {
  std::string names;
  for (const Kind& one : kinds()) names += (names.empty() ? "" : ", ") + std::string(one.name);
  list("output", "a kind, or kind=path: " + names + "; summary if none is named", outputs_);
}

PassResult EmitPass::run(ir::Module& module, PassContext& context) {
  const Report report = buildReport(module);
  const std::vector<std::string> outputs = outputs_.empty() ? std::vector<std::string>{"summary"} : outputs_;
  for (const std::string& output : outputs) {
    const size_t equals = output.find('=');
    const std::string name = output.substr(0, equals);
    const std::string path = equals == std::string::npos ? "" : output.substr(equals + 1);
    const auto kind = std::find_if(kinds().begin(), kinds().end(), [&](const Kind& one) { return one.name == name; });
    if (kind == kinds().end()) {
      std::vector<std::string> names;
      for (const Kind& one : kinds()) names.emplace_back(one.name);
      context.diagnostics.error(DiagId::EmitUnknownOutput, {},
                                fmt::format("unknown output `{}`{}", name, didYouMean(name, names)));
      return PassResult::failed();
    }
    if (kind->needs && !module.has(*kind->needs)) {
      context.diagnostics.error(
          DiagId::EmitOutputUnavailable, {},
          fmt::format("output `{}` needs facet `{}`, which no pass established", name, ir::name(*kind->needs)));
      return PassResult::failed();
    }
    const TextStyle style{context.terminalColumns ? context.terminalColumns : kColumnsOfAPipe, context.color};
    if (name == "summary") context.artifacts.push_back({name, path, writeSummary(report, style)});
    if (name == "json") context.artifacts.push_back({name, path, writeJson(report)});
    if (name == "csv") context.artifacts.push_back({name, path, writeCsv(report)});
    if (name == "bindings") addBindings(report, path, context.artifacts);
    if (name == "dot") context.artifacts.push_back({name, path, writeDot(report)});
    if (name == "ir") context.artifacts.push_back({name, path, ir::print(module)});
    ++written_;
    if (context.wantsDebug())
      context.debug(fmt::format("rendered `{}`, {} bytes", name, context.artifacts.back().bytes.size()));
  }
  return PassResult::unchanged();
}

}  // namespace amdahlc
