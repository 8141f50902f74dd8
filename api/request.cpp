#include "api/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <variant>

#include "support/printable.h"

namespace amdahlc::api {
namespace {

/// Checks values that the types of a request allow, but that mean nothing.
class ValueCheck {
 public:
  ValueCheck(const SourceManager& sources, DiagnosticEngine& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  Outcome outcome() const { return outcome_; }

  void check(const std::vector<DimArgument>& dims) {
    std::map<std::string_view, SourceRange> places;
    for (const DimArgument& dim : dims) {
      if (dim.size < 1)
        refuse(dim.range,
               fmt::format("`{}` is not the size of a dimension; it takes an integer of at least 1", dim.size));
      if (!places.emplace(dim.name, dim.range).second)
        refuse(dim.range, fmt::format("dimension `{}` is fixed twice", printable(dim.name)));
    }
  }

  void check(const std::vector<RemarkArgument>& remarks) {
    for (const RemarkArgument& argument : remarks)
      if (const auto error = RemarkFilter().enable(argument.kind, argument.pattern))
        refuse(argument.range, fmt::format("`{}` is no regular expression: {}", argument.pattern, *error));
  }

  /// Each makes sense, and has a name of its own.
  void check(const std::vector<ir::Scenario>& scenarios) {
    std::map<std::string_view, SourceRange> places;
    for (const ir::Scenario& one : scenarios) {
      if (!ir::checkScenario(one, DiagId::SpeedupSyntax, diagnostics_))
        outcome_ = std::max(outcome_, Outcome::InputFault);
      const auto [first, isNew] = places.emplace(one.name, one.range);
      if (isNew) continue;
      diagnostics_
          .error(DiagId::OptionConflict, one.range,
                 fmt::format("two scenarios are named `{}`; leave one out, or give those of files another `name`",
                             printable(one.name)))
          .secondary(first->second, "the first has its name here");
      note(one.range);
    }
  }

 private:
  void note(SourceRange range) { outcome_ = std::max(outcome_, faultAt(sources_, range)); }

  void refuse(SourceRange range, std::string message) {
    const bool isInFile = faultAt(sources_, range) == Outcome::InputFault;
    diagnostics_.error(isInFile ? DiagId::ConfigValue : DiagId::OptionValue, range, std::move(message));
    note(range);
  }

  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  Outcome outcome_ = Outcome::Done;
};

}  // namespace

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

Outcome checkValues(const Request& request, const SourceManager& sources, DiagnosticEngine& diagnostics) {
  ValueCheck check(sources, diagnostics);
  check.check(request.scenarios);
  check.check(request.dims);
  check.check(request.remarks);
  return check.outcome();
}

}  // namespace amdahlc::api
