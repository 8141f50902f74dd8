#include "passes/manager/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "ir/kernel_graph.h"

namespace amdahlc {

std::vector<ir::CoverId> everyCover(const ir::Module& module) {
  const auto ids = module.coverIds();
  return {ids.begin(), ids.end()};
}

std::vector<ir::CoverId> coversOfRuns(const ir::Module& module) {
  std::vector<ir::CoverId> covers = everyCover(module);
  std::erase_if(covers, [&](ir::CoverId id) { return module.cover(id).traceLabel.empty(); });
  return covers;
}

std::vector<ir::CoverId> reportedCovers(const ir::Module& module) {
  std::vector<ir::CoverId> covers = coversOfRuns(module);
  if (covers.empty() && !module.covers.empty()) covers.emplace_back(0);
  return covers;
}

PreservedAnalyses PreservedAnalyses::notReading(ir::FacetSet written) {
  PreservedAnalyses result;
  result.written_.emplace();
  for (const ir::FacetInfo& row : ir::allFacets())
    if (written.contains(row.facet)) result.written_->insert(ir::withDerived(row.facet));
  return result;
}

bool PreservedAnalyses::contains(std::type_index type, std::optional<ir::FacetSet> reads) const {
  return all_ || (written_ && reads && !reads->intersects(*written_)) ||
         std::ranges::any_of(types_, [&](const auto& one) { return one.first == type; });
}

std::string PreservedAnalyses::describe() const {
  if (all_) return "all analyses";
  std::string text;
  if (written_) {
    for (const ir::FacetInfo& row : ir::allFacets())
      if (written_->contains(row.facet)) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", row.name);
    text = "analyses that read none of " + text;
  }
  if (text.empty() && types_.empty()) return "no analyses";
  for (const auto& [type, name] : types_) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
  return text;
}

AnalysisManager::Entry* AnalysisManager::find(const Key& key) {
  const auto found = std::ranges::find_if(entries_, [&](const auto& entry) { return entry->key == key; });
  if (found == entries_.end()) return nullptr;
  if (!(*found)->analysis) throw std::logic_error(fmt::format("analysis `{}` depends on itself", (*found)->name));
  return found->get();
}

const void* AnalysisManager::compute(Entry fresh) {
  if (!hasNeeds(fresh.key, fresh.needs)) throw std::logic_error(describe(fresh) + " lacks the facts that it needs");
  Entry& entry = *entries_.emplace_back(std::make_unique<Entry>(std::move(fresh)));
  computing_.push_back(&entry);
  if (onCompute) onCompute(entry.name, true);
  /// Ends the computation, also if it throws: then the entry is dropped.
  const struct End {
    ~End() {
      if (manager.onCompute) manager.onCompute(entry.name, false);
      manager.computing_.pop_back();
      if (!entry.analysis) std::erase_if(manager.entries_, [this](const auto& one) { return one.get() == &entry; });
    }
    AnalysisManager& manager;
    Entry& entry;
  } end{*this, entry};
  entry.analysis = entry.recompute(*this);
  return entry.analysis.get();
}

void AnalysisManager::noteUse(const Key& key) {
  if (!computing_.empty()) computing_.back()->dependencies.push_back(key);
}

const AnalysisManager::Request* AnalysisManager::useRequest(RequestUse use) {
  if (!computing_.empty()) {
    auto& uses = computing_.back()->requests;
    if (std::ranges::find(uses, use) == uses.end()) uses.push_back(use);
  }
  const auto found = std::ranges::find(requests_, use.type, &Request::type);
  return found == requests_.end() ? nullptr : &*found;
}

void AnalysisManager::setRequest(Request request, bool hasOtherOptions) {
  const std::type_index type = request.type;
  const bool isNew = std::erase_if(requests_, [&](const Request& one) { return one.type == type; }) == 0;
  requests_.push_back(std::move(request));
  std::erase_if(entries_, [&](const auto& entry) {
    return std::ranges::any_of(entry->requests, [&](const RequestUse& use) {
      return use.type == type && (use.readsOptions ? hasOtherOptions : isNew);
    });
  });
  dropOrphans();
}

void AnalysisManager::restore(std::vector<Request> requests) {
  const auto optionsIn = [](const std::vector<Request>& some, std::type_index type) -> const void* {
    const auto found = std::ranges::find(some, type, &Request::type);
    return found != some.end() ? found->options.get() : nullptr;
  };
  std::erase_if(entries_, [&](const auto& entry) {
    return std::ranges::any_of(entry->requests, [&](const RequestUse& use) {
      return optionsIn(requests, use.type) != optionsIn(requests_, use.type);
    });
  });
  requests_ = std::move(requests);
  dropOrphans();
}

void AnalysisManager::invalidate(const PreservedAnalyses& preserved) {
  std::erase_if(entries_, [&](const auto& entry) { return !preserved.contains(entry->key.type, entry->reads); });
  dropOrphans();
}

void AnalysisManager::dropOrphans() {
  // A dependency may be before or after an entry that was computed from it, so this repeats until no entry is dropped.
  for (bool again = true; again;) {
    std::vector<const Entry*> orphans;
    for (const auto& entry : entries_)
      if (!std::ranges::all_of(entry->dependencies, [&](const Key& key) { return find(key) != nullptr; }))
        orphans.push_back(entry.get());
    again = std::erase_if(entries_, [&](const auto& entry) {
              return std::ranges::find(orphans, entry.get()) != orphans.end();
            }) > 0;
  }
}

bool AnalysisManager::hasNeeds(const Key& key, ir::FacetSet needs) const {
  if (key.cover.isNone()) return true;
  if (key.cover.index() >= module_.covers.size()) return false;
  const ir::FacetStore& stored = module_.cover(key.cover).facets;
  return std::ranges::all_of(
      ir::allFacets(), [&](const ir::FacetInfo& row) { return !needs.contains(row.facet) || stored.has(row.facet); });
}

std::string AnalysisManager::describe(const Entry& entry) const {
  const ir::CoverId cover = entry.key.cover;
  if (cover.isNone()) return fmt::format("analysis `{}`", entry.name);
  return cover.index() < module_.covers.size()
             ? fmt::format("analysis `{}` of cover `{}`", entry.name, module_.cover(cover).name)
             : fmt::format("analysis `{}` of cover {}, which is gone", entry.name, cover.index());
}

bool AnalysisManager::isComputable(const Entry& entry) {
  return hasNeeds(entry.key, entry.needs) && std::ranges::all_of(entry.dependencies, [&](const Key& key) {
           const Entry* dependency = find(key);
           return dependency == nullptr || isComputable(*dependency);
         });
}

std::vector<std::string> AnalysisManager::findStale() {
  std::vector<std::string> stale;
  AnalysisManager fresh(module_);
  fresh.requests_ = requests_;
  for (const auto& entry : entries_) {
    if (isComputable(*entry) && entry->equal(entry->analysis.get(), entry->recompute(fresh).get())) continue;
    stale.push_back(describe(*entry));
  }
  return stale;
}

std::string kernelTitle(const ir::Module& module, const ir::Kernel& kernel) {
  return fmt::format("{} \"{}\" at {}", kernel.id.index(), ir::kernelLabel(module, kernel),
                     module.displayName(kernel.anchor()));
}

}  // namespace amdahlc
