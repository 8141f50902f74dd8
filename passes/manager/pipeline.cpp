// Resolves the names in pipeline text: passes, their options, and the facets that one pass needs from another.
#include "passes/manager/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/edit_distance.h"

namespace amdahlc {
namespace {

void setOption(PlannedPass& planned, const PipelineParameter& parameter, std::vector<std::string>& seen,
               DiagnosticEngine& diagnostics) {
  std::vector<const PassOption*> options;
  for (const PassOption& option : planned.pass->options()) options.push_back(&option);
  const PassOption* known =
      checkedOption(options, fmt::format("pass `{}`", planned.info->name), parameter, seen, diagnostics);
  if (!known) return;
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
                                       const std::set<std::string>& askedFor) {
  std::vector<std::string> passes;
  ir::FacetSet established;
  for (const PassInfo& info : registry.passes()) {
    const Pass& pass = registry.declarations(info);
    const auto isEstablished = [&](ir::Facet facet) { return established.contains(facet); };
    const auto& facets = pass.requiredFacets();
    const bool wanted = pass.defaultUse() == Pass::DefaultUse::Always ||
                        (pass.defaultUse() == Pass::DefaultUse::IfAskedFor && askedFor.contains(info.name));
    if (!wanted || !std::ranges::includes(given, pass.neededInputs()) || !std::ranges::all_of(facets, isEstablished))
      continue;
    passes.push_back(info.name);
    if (const auto facet = pass.establishes()) established.insert(*facet);
  }
  return passes;
}

bool needsInput(const Pipeline& pipeline, PassInput input) {
  return std::ranges::any_of(pipeline,
                             [&](const PlannedPass& planned) { return planned.pass->neededInputs().contains(input); });
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

/// Reports each pass that comes after one which uses what it finds.
bool isInOrder(const Pipeline& pipeline, DiagnosticEngine& diagnostics) {
  bool inOrder = true;
  for (size_t i = 0; i < pipeline.size(); ++i) {
    const auto isThis = [&](const PlannedPass& one) { return one.info->name == pipeline[i].info->name; };
    const auto user =
        std::find_if(pipeline.begin(), pipeline.begin() + static_cast<ptrdiff_t>(i), [&](const auto& one) {
          const auto& used = one.pass->passesUsedIfBefore();
          return std::ranges::find(used, pipeline[i].info->name) != used.end();
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
    if (const auto facet = planned.pass->establishes()) present.insert(*facet);
  }
  return complete;
}

}  // namespace amdahlc
