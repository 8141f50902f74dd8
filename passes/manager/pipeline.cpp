// Resolves the names in pipeline text: passes, their options, and the facets that one pass needs from another.
#include "passes/manager/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "support/byte_rate.h"
#include "support/decimal_time.h"
#include "support/edit_distance.h"

namespace amdahlc {
namespace {

std::string joinChoices(const std::vector<std::string>& choices) {
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i)
    text += fmt::format("{}`{}`", i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ", choices[i]);
  return text;
}

/// Why a value does not fit an option of `owner`, such as ``pass `fuse` ``; empty if it fits.
std::string mismatch(const PassOption& option, std::string_view owner, const PipelineParameter& parameter) {
  const std::string subject = fmt::format("option `{}` of {}", option.name, owner);
  if (option.kind == PassOption::Kind::Flag) return parameter.value ? subject + " is a flag and takes no value" : "";
  if (!parameter.value) return fmt::format("{} needs a value; write `{}=...`", subject, option.name);
  const std::string& value = *parameter.value;
  if (option.kind == PassOption::Kind::Integer) {
    int64_t number = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc() && end == value.data() + value.size() && number >= option.minimum &&
        number <= option.maximum)
      return "";
    const std::string limits = option.maximum == INT64_MAX
                                   ? fmt::format("of at least {}", option.minimum)
                                   : fmt::format("from {} to {}", option.minimum, option.maximum);
    return fmt::format("`{}` does not fit {}; it takes an integer {}", value, subject, limits);
  }
  if (option.kind == PassOption::Kind::Duration) {
    const auto ns = parseDuration(value);
    if (ns && *ns >= 0 && *ns <= option.maximum) return "";
    return fmt::format("`{}` does not fit {}; it takes a time from 0us to {}us, such as `2us` or `1.5ms`", value,
                       subject, option.maximum / 1000);
  }
  if (option.kind == PassOption::Kind::ByteRate) {
    const auto rate = parseByteRate(value);
    if (rate && *rate >= option.minimum && *rate <= option.maximum) return "";
    return fmt::format("`{}` does not fit {}; it takes bytes per second up to {}, such as `12GB/s` or `800 MB/s`",
                       value, subject, formatByteRate(option.maximum));
  }
  if (option.kind == PassOption::Kind::TimeGoal)
    return parseTimeGoal(value) ? ""
                                : fmt::format(
                                      "`{}` does not fit {}; it takes a time with its unit such as `8ms`, or "
                                      "how many times as fast, such as `1.5x`",
                                      value, subject);
  if (option.kind == PassOption::Kind::Outputs || option.choices.empty() ||
      std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end())
    return "";
  return fmt::format("`{}` does not fit {}; it takes {}{}", value, subject, joinChoices(option.choices),
                     didYouMean(value, option.choices));
}

bool isRepeatable(const PassOption& option) {
  return option.kind == PassOption::Kind::List || option.kind == PassOption::Kind::Outputs;
}

/// The option that a parameter names, with its value checked. Reports an unknown name, a second value of one that takes
/// one, and a value that does not fit, and returns nullptr.
const PassOption* checkedOption(const std::vector<const PassOption*>& options, std::string_view owner,
                                const PipelineParameter& parameter, std::vector<std::string>& seen,
                                DiagnosticEngine& diagnostics) {
  std::vector<std::string> names;
  const PassOption* option = nullptr;
  for (const PassOption* candidate : options) {
    names.push_back(candidate->name);
    const bool isNegated =
        candidate->kind == PassOption::Kind::Flag && parameter.name == std::string(kNegation) + candidate->name;
    if (candidate->name == parameter.name || isNegated) option = candidate;
  }
  if (!option) {
    const std::string hint = didYouMean(parameter.name, names);
    diagnostics.error(DiagId::PipelineUnknownOption, parameter.nameRange,
                      names.empty() ? fmt::format("{} has no options", owner)
                                    : fmt::format("{} has no option `{}`{}", owner, parameter.name,
                                                  hint.empty() ? "; it has " + joinChoices(names) : hint));
    return nullptr;
  }
  if (!isRepeatable(*option)) {
    if (std::find(seen.begin(), seen.end(), option->name) != seen.end()) {
      diagnostics.error(DiagId::PipelineRepeatedOption, parameter.nameRange,
                        fmt::format("option `{}` of {} is given twice", option->name, owner));
      return nullptr;
    }
    seen.push_back(option->name);
  }
  if (const std::string why = mismatch(*option, owner, parameter); !why.empty()) {
    diagnostics.error(DiagId::PipelineOptionValue, parameter.valueRange, why);
    return nullptr;
  }
  return option;
}

void setOption(PlannedPass& planned, const PipelineParameter& parameter, std::vector<std::string>& seen,
               DiagnosticEngine& diagnostics) {
  std::vector<const PassOption*> options;
  for (const PassOption& option : planned.pass->options()) options.push_back(&option);
  const PassOption* known =
      checkedOption(options, fmt::format("pass `{}`", planned.info->name), parameter, seen, diagnostics);
  if (!known) return;
  if (known->kind == PassOption::Kind::Outputs) {
    const auto request = readOutputRequest(*parameter.value, parameter.valueRange, diagnostics);
    if (!request || !checkOutputRequest(*request, *planned.pass, parameter.valueRange, diagnostics)) return;
    if (parameter.value->ends_with('=')) {
      diagnostics.error(DiagId::PipelineOptionValue, parameter.valueRange, emptyOutputPathMessage(request->kind));
      return;
    }
  }
  planned.pass->set(parameter);
  PassOption& option = *planned.pass->findOption(known->name);
  option.place = parameter.value ? parameter.valueRange : parameter.nameRange;
  if (option.kind == PassOption::Kind::List) option.places.push_back(*option.place);
  planned.parameters.push_back(parameter);
}

}  // namespace

std::vector<PipelineElement> expandAlias(const std::vector<PipelineElement>& elements, std::string_view alias,
                                         const std::vector<std::string>& passes) {
  std::vector<PipelineElement> result;
  for (const PipelineElement& element : elements) {
    if (element.name != alias) {
      result.push_back(element);
      continue;
    }
    for (const std::string& pass : passes) {
      result.push_back({pass, element.range, {}});
      for (const PipelineParameter& parameter : element.parameters) {
        if (passOfParameter(parameter) != pass) continue;
        PipelineParameter& own = result.back().parameters.emplace_back(parameter);
        own.name.erase(0, pass.size() + 1);
      }
    }
  }
  return result;
}

std::string_view passOfParameter(const PipelineParameter& parameter) {
  const size_t dot = parameter.name.find('.');
  return dot == std::string::npos ? "" : std::string_view(parameter.name).substr(0, dot);
}

bool checkOutputRequest(const OutputRequest& request, const Pass& renderer, SourceRange where,
                        DiagnosticEngine& diagnostics) {
  const std::vector<std::string>& kinds = renderer.outputsOption()->choices;
  if (std::find(kinds.begin(), kinds.end(), request.kind) == kinds.end()) {
    diagnostics.error(DiagId::EmitUnknownOutput, where, unknownOutputMessage(request.kind, kinds));
    return false;
  }
  const std::vector<const PassOption*> options = renderer.optionsOfOutput(request.kind);
  std::vector<std::string> seen;
  const std::string owner = fmt::format("output `{}`", request.kind);
  return std::all_of(request.settings.begin(), request.settings.end(), [&](const PipelineParameter& setting) {
    return checkedOption(options, owner, setting, seen, diagnostics) != nullptr;
  });
}

std::optional<Pipeline> buildPipeline(const std::vector<PipelineElement>& elements, const PassRegistry& registry,
                                      const std::vector<std::string>& aliases, DiagnosticEngine& diagnostics) {
  const size_t errorsBefore = diagnostics.errorCount();
  Pipeline pipeline;
  for (const PipelineElement& element : elements) {
    const PassInfo* info = registry.find(element.name);
    if (!info) {
      std::vector<std::string> names = registry.names();
      names.insert(names.end(), aliases.begin(), aliases.end());
      const std::string hint = didYouMean(element.name, names);
      diagnostics.error(
          DiagId::PipelineUnknownPass, element.range,
          fmt::format("unknown pass `{}`{}", element.name, hint.empty() ? "; `-help=passes` lists them" : hint));
      continue;
    }
    PlannedPass planned{info, registry.create(*info), element.range, {}};
    std::vector<std::string> seen;
    for (const PipelineParameter& parameter : element.parameters) setOption(planned, parameter, seen, diagnostics);
    pipeline.push_back(std::move(planned));
  }
  if (diagnostics.errorCount() != errorsBefore) return std::nullopt;
  return pipeline;
}

std::vector<std::string> defaultPasses(const PassRegistry& registry, const PassInputs& given,
                                       const std::vector<OutputRequest>& outputs,
                                       const std::set<std::string>& askedFor) {
  std::vector<std::string> passes;
  std::vector<ir::Facet> established;
  for (const PassInfo& info : registry.passes()) {
    const Pass& pass = registry.declarations(info);
    const auto isEstablished = [&](ir::Facet facet) {
      return std::find(established.begin(), established.end(), facet) != established.end();
    };
    const auto& facets = pass.requiredFacets();
    const bool wanted =
        pass.defaultUse() == Pass::DefaultUse::Always ||
        (pass.defaultUse() == Pass::DefaultUse::IfAskedFor &&
         (askedFor.contains(info.name) || std::any_of(outputs.begin(), outputs.end(), [&](const OutputRequest& output) {
            return findOutputKind(pass.outputKinds(), output.kind) != nullptr;
          })));
    if (!wanted || !std::includes(given.begin(), given.end(), pass.neededInputs().begin(), pass.neededInputs().end()) ||
        !std::all_of(facets.begin(), facets.end(), isEstablished))
      continue;
    passes.push_back(info.name);
    established.insert(established.end(), pass.establishes().begin(), pass.establishes().end());
  }
  return passes;
}

bool needsInput(const Pipeline& pipeline, PassInput input) {
  return std::any_of(pipeline.begin(), pipeline.end(),
                     [&](const PlannedPass& planned) { return planned.pass->neededInputs().contains(input); });
}

std::vector<PlannedOutput> plannedOutputs(const PlannedPass& planned) {
  const PassOption* option = planned.pass->outputsOption();
  if (!option) return {};
  std::vector<PlannedOutput> outputs;
  for (const PipelineParameter& parameter : planned.parameters)
    if (parameter.name == option->name) outputs.push_back({parseOutputRequest(*parameter.value), &parameter});
  if (outputs.empty()) outputs.push_back({{option->defaultValue, ""}, nullptr});
  return outputs;
}

bool rendersOutputs(const Pipeline& pipeline) {
  return std::any_of(pipeline.begin(), pipeline.end(),
                     [](const PlannedPass& planned) { return planned.pass->outputsOption() != nullptr; });
}

bool checkInputs(const Pipeline& pipeline, const PassInputs& given, DiagnosticEngine& diagnostics) {
  PassInputs reported;
  for (const PlannedPass& planned : pipeline) {
    for (const PassInput input : planned.pass->neededInputs()) {
      if (given.contains(input) || !reported.insert(input).second) continue;
      diagnostics.error(
          DiagId::PipelineMissingInput, planned.range,
          fmt::format("pass `{}` needs {}; {}", planned.info->name, textOf(input).needed, textOf(input).hint));
    }
  }
  return reported.empty();
}

std::string howToRestore(ir::Facet facet, ir::FacetSet present, const LostFacets& lost, const PassRegistry& registry,
                         std::string_view where) {
  std::string passes;
  for (const ir::FacetInfo& row : ir::allFacets()) {
    const PassInfo* pass = registry.establishing(row.facet);
    if (present.contains(row.facet) || !lost.facets.contains(row.facet) || !pass ||
        !ir::withDerived(row.facet).contains(facet))
      continue;
    passes += fmt::format("{}`{}`", passes.empty() ? "" : ", ", pass->name);
  }
  return fmt::format("{}; add {} {}{}", lost.why, passes, where,
                     lost.otherwise.empty() ? "" : ", or " + lost.otherwise);
}

namespace {

/// `` ; add `fuse` before it ``, or how to restore a lost facet.
std::string howToEstablish(ir::Facet facet, ir::FacetSet present, const LostFacets& lost,
                           const PassRegistry& registry) {
  const PassInfo* source = registry.establishing(facet);
  if (!source) return {};
  if (!lost.facets.contains(facet)) return fmt::format("; add `{}` before it", source->name);
  return "; " + howToRestore(facet, present, lost, registry, "before it");
}

}  // namespace

namespace {

/// Reports each pass that comes after one which uses what it finds.
bool isInOrder(const Pipeline& pipeline, DiagnosticEngine& diagnostics) {
  bool inOrder = true;
  for (size_t i = 0; i < pipeline.size(); ++i) {
    const auto isThis = [&](const PlannedPass& one) { return one.info->name == pipeline[i].info->name; };
    const auto user =
        std::find_if(pipeline.begin(), pipeline.begin() + static_cast<ptrdiff_t>(i), [&](const auto& one) {
          const auto& used = one.pass->passesUsedIfBefore();
          return std::find(used.begin(), used.end(), pipeline[i].info->name) != used.end();
        });
    if (user == pipeline.begin() + static_cast<ptrdiff_t>(i) || std::any_of(pipeline.begin(), user, isThis)) continue;
    diagnostics
        .error(DiagId::PipelineOrder, pipeline[i].range,
               fmt::format("pass `{}` comes after `{}`, which uses what it finds; put it before",
                           pipeline[i].info->name, user->info->name))
        .secondary(user->range, "used here");
    inOrder = false;
  }
  return inOrder;
}

}  // namespace

bool checkFacets(const Pipeline& pipeline, ir::FacetSet present, const LostFacets& lost, const PassRegistry& registry,
                 DiagnosticEngine& diagnostics, bool hasRuns) {
  bool complete = isInOrder(pipeline, diagnostics);
  for (const PlannedPass& planned : pipeline) {
    std::vector<ir::Facet> required = planned.pass->requiredFacets();
    const std::vector<ir::Facet>& ofRuns = planned.pass->facetsRequiredOfRuns();
    if (hasRuns) required.insert(required.end(), ofRuns.begin(), ofRuns.end());
    for (const ir::Facet facet : required) {
      if (present.contains(facet)) continue;
      diagnostics.error(DiagId::PipelineMissingFacet, planned.range,
                        fmt::format("pass `{}` needs {}{}", planned.info->name, ir::info(facet).phrase,
                                    howToEstablish(facet, present, lost, registry)));
      complete = false;
      present.insert(facet);  // one message per missing facet
    }
    for (const ir::Facet facet : planned.pass->establishes()) present.insert(facet);
  }
  return complete;
}

}  // namespace amdahlc
