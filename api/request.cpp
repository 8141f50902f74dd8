#include "api/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "report/outputs/output.h"
#include "report/outputs/output_requests.h"
#include "runs/ranks/numbering.h"
#include "support/printable.h"

namespace amdahlc::api {

Outcome faultAt(const SourceManager& sources, const Location& place) {
  const auto* range = std::get_if<SourceRange>(&place);
  if (range == nullptr) return Outcome::RequestFault;
  const std::string_view name = sources.name(range->buffer);
  return name.starts_with('<') && name != kPipelineText ? Outcome::RequestFault : Outcome::InputFault;
}

bool explainsOnly(const Request& request) {
  return std::ranges::any_of(request.passArguments,
                             [](const PassArgument& argument) { return argument.option->explains; });
}

bool isOfTracesAlone(const Request& request) {
  if (request.model || request.traces.empty()) return !request.model;
  const auto isOfRank = [](const TraceArgument& trace) {
    return !trace.isNamedByFile && ranks::rankOfLabel(trace.label).has_value();
  };
  const auto others = request.traces.size() - static_cast<size_t>(std::ranges::count_if(request.traces, isOfRank));
  const bool areRanks = request.ranks ? request.traces.size() <= 1 : request.traces.size() > 1 && others == 0;
  const auto needsGraph = [](const EmitArgument& emit) {
    const Output* output = findOutput(parseOutputRequest(emit.output).kind);
    return output == nullptr || !output->needsNoModel();
  };
  const bool asksForMore = request.passes || !request.passArguments.empty() || !request.scenarios.empty() ||
                           !request.baseline.empty() || !request.rules.empty() || !request.disabledRules.empty() ||
                           !request.target.empty() || !request.hardware.empty() || !request.dims.empty() ||
                           !request.namedPasses.empty() || !request.remarks.empty() || !request.debugOnly.empty() ||
                           std::ranges::any_of(request.emits, needsGraph) || (request.rank && request.emits.empty());
  return !asksForMore && (areRanks || !request.emits.empty());
}

Outcome checkValues(const Request& request, const SourceManager& sources, DiagnosticEngine& diagnostics) {
  Outcome outcome = Outcome::Done;
  const auto note = [&](SourceRange range) { outcome = std::max(outcome, faultAt(sources, range)); };
  const auto refuse = [&](SourceRange range, std::string message) {
    const bool isInFile = faultAt(sources, range) == Outcome::InputFault;
    diagnostics.error(isInFile ? DiagId::ConfigValue : DiagId::OptionValue, range, std::move(message));
    note(range);
  };
  std::map<std::string_view, SourceRange> places;
  for (const ir::Scenario& one : request.scenarios) {
    if (!ir::checkScenario(one, DiagId::SpeedupSyntax, diagnostics)) outcome = std::max(outcome, Outcome::InputFault);
    const auto [first, isNew] = places.emplace(one.name, one.range);
    if (isNew) continue;
    diagnostics
        .error(DiagId::OptionConflict, one.range,
               fmt::format("two scenarios are named `{}`; leave one out, or give those of files another `name`",
                           printable(one.name)))
        .secondary(first->second, "the first has its name here");
    note(one.range);
  }
  std::set<std::string_view> dims;
  for (const DimArgument& dim : request.dims) {
    if (dim.size < 1)
      refuse(dim.range,
             fmt::format("`{}` is not the size of a dimension; it takes an integer of at least 1", dim.size));
    if (!dims.insert(dim.name).second)
      refuse(dim.range, fmt::format("dimension `{}` is fixed twice", printable(dim.name)));
  }
  for (const RemarkArgument& argument : request.remarks)
    if (const auto error = RemarkFilter().enable(argument.kind, argument.pattern))
      refuse(argument.range, fmt::format("`{}` is no regular expression: {}", argument.pattern, *error));
  return outcome;
}

}  // namespace amdahlc::api
