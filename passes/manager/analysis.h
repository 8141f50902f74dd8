/// Analyses: classes that are computed from the module, cached until a pass changes what they depend on.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace amdahlc {

class AnalysisManager;

/// An analysis of `Cover...`, which is one cover, or nothing for the module as a whole, that depends on it only.
template <typename A, typename... Cover>
concept ModuleAnalysis = std::constructible_from<A, const ir::Module&, Cover...>;
/// An analysis that also uses other analyses.
template <typename A, typename... Cover>
concept DerivedAnalysis = std::constructible_from<A, const ir::Module&, Cover..., AnalysisManager&>;

/// `A::kReads`: the facets that the analysis reads itself, not through other analyses. `simplified` stands for graphs,
/// `fused` and `bound` for the kernels of covers. nullopt without `kReads`: the analysis may read everything.
template <typename A>
constexpr std::optional<ir::FacetSet> readsOf() {
  if constexpr (requires { A::kReads; })
    return A::kReads;
  else
    return std::nullopt;
}

/// `A::kNeeds`: the facets of the level `Run` that its cover must have. Without one of them the analysis cannot be
/// computed.
template <typename A>
constexpr ir::FacetSet needsOf() {
  if constexpr (requires { A::kNeeds; }) {
    static_assert(A::kReads.containsAll(A::kNeeds), "an analysis reads the facets that it needs");
    return A::kNeeds;
  } else {
    return {};
  }
}

/// The options of an analysis that has none.
struct NoOptions {
  friend bool operator==(const NoOptions&, const NoOptions&) = default;
};
template <typename A>
struct OptionsOfAnalysis {
  using Type = NoOptions;
};
template <typename A>
  requires requires { typename A::Options; }
struct OptionsOfAnalysis<A> {
  using Type = typename A::Options;
};
/// `A::Options`, which can be compared and made without arguments.
template <typename A>
using OptionsOf = typename OptionsOfAnalysis<A>::Type;

std::vector<ir::CoverId> everyCover(const ir::Module& module);
/// The covers that belong to a trace.
std::vector<ir::CoverId> coversOfRuns(const ir::Module& module);
/// The covers that reports are about: those of runs, or the default cover if there is none.
std::vector<ir::CoverId> reportedCovers(const ir::Module& module);

/// A class is an analysis if it can be computed from the module and the cover, has a name, and can be compared. It
/// depends on its options and on nothing else. All analyses of a type have the same options at a time, so its type and
/// the cover are the key of the cache.
template <typename A, typename... Cover>
concept Analysis =
    (ModuleAnalysis<A, Cover...> || DerivedAnalysis<A, Cover...>) && std::equality_comparable<A> && requires {
      { A::kName } -> std::convertible_to<const char*>;
    };

/// The analyses that stay valid after a pass changed the module.
class PreservedAnalyses {
 public:
  static PreservedAnalyses none() { return {}; }
  static PreservedAnalyses all() {
    PreservedAnalyses result;
    result.all_ = true;
    return result;
  }
  /// Those whose `kReads` contains no facet of `written` and none derived from these. Others are not preserved.
  static PreservedAnalyses notReading(ir::FacetSet written);
  /// Adds every cached `A`, of any cover.
  template <typename A>
  PreservedAnalyses& preserve() {
    types_.emplace_back(typeid(A), A::kName);
    return *this;
  }

  bool contains(std::type_index type, std::optional<ir::FacetSet> reads) const;
  /// `all analyses`, `no analyses`, or which ones.
  std::string describe() const;

 private:
  bool all_ = false;
  std::optional<ir::FacetSet> written_;
  std::vector<std::pair<std::type_index, const char*>> types_;
};

/// The cache of analyses of one module.
class AnalysisManager {
 public:
  explicit AnalysisManager(const ir::Module& module) : module_(module) {}
  AnalysisManager(const AnalysisManager&) = delete;
  AnalysisManager& operator=(const AnalysisManager&) = delete;

  /// The analysis `A`, computed on first use. Its cover must have the facets `kNeeds`. An analysis that asks for
  /// another one depends on that one: it is dropped with it. The reference is valid until the pass ends.
  template <typename A, typename... Cover>
    requires Analysis<A, Cover...>
  const A& get(Cover... cover);

  /// Asks for the analysis `A` with these options: `requested` finds it, and `get` computes it with them. Analyses that
  /// were computed with other options are dropped, and so is what was computed from them or from the lack of a request.
  template <typename A>
  void request(OptionsOf<A> options = {});
  /// The options of the last request for `A`, or those that it has by itself. The constructor of `A` reads them.
  template <typename A>
  const OptionsOf<A>& options();
  /// The analysis `A` if a pass asked for it and its cover has the facets `kNeeds`; else null.
  template <typename A, typename... Cover>
    requires Analysis<A, Cover...>
  const A* requested(Cover... cover);
  /// Does work that asks for analyses, and forgets that they were asked for. Returns the result of the work.
  template <typename Work>
  auto temporarily(const Work& work) -> decltype(work());

  /// Drops analyses that are not preserved, and all that were computed from them.
  void invalidate(const PreservedAnalyses& preserved);

  /// Recomputes every cached analysis from the module as it is now and compares. Names those that differ or cannot be
  /// computed any more, in order of first use: `` analysis `timing` of cover `default` ``.
  std::vector<std::string> findStale();

  const ir::Module& module() const { return module_; }
  size_t size() const { return entries_.size(); }

  /// Instrumentation: called before (true) and after (false) an analysis is computed, even if the computation throws.
  std::function<void(const char* name, bool begin)> onCompute;
  /// Progress of long work, displayed on a terminal only: fraction in 0..1. May be empty.
  std::function<void(std::string_view what, double fraction)> progress;

 private:
  /// What a pass asked for.
  struct Request {
    std::type_index type;
    std::shared_ptr<const void> options;
  };
  /// What an analysis knows of a request: its options, or only whether there is one.
  struct RequestUse {
    std::type_index type;
    bool readsOptions;
    friend bool operator==(const RequestUse&, const RequestUse&) = default;
  };
  struct Key {
    std::type_index type;
    /// None: of the module as a whole.
    ir::CoverId cover = {};
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Entry {
    Key key;
    const char* name = nullptr;
    /// Null while the analysis is computed.
    std::shared_ptr<const void> analysis = nullptr;
    std::vector<Key> dependencies = {};
    std::vector<RequestUse> requests = {};
    std::function<std::shared_ptr<const void>(AnalysisManager&)> recompute = {};
    bool (*equal)(const void*, const void*) = nullptr;
    std::optional<ir::FacetSet> reads = std::nullopt;
    ir::FacetSet needs = {};
  };

  Entry* find(const Key& key);
  /// Whether the cover of a key exists and stores these facets. Without a cover there is nothing to lack.
  bool hasNeeds(const Key& key, ir::FacetSet needs) const;
  /// `` analysis `timing` of cover `default` ``
  std::string describe(const Entry& entry) const;
  /// Whether the entry, and every entry that it was computed from, has a cover that exists and has `kNeeds`.
  bool isComputable(const Entry& entry);
  /// Adds the entry and computes its analysis; drops it if the computation throws. Throws if the cover lacks a facet of
  /// `kNeeds`: a pass that asks for the analysis must require these facets.
  const void* compute(Entry fresh);
  /// The analysis that is being computed, if any, depends on `key`.
  void noteUse(const Key& key);
  /// The same of a request. Returns the request, or null.
  const Request* useRequest(RequestUse use);
  /// Sets the request and drops what depends on the change.
  void setRequest(Request request, bool hasOtherOptions);
  /// Sets the requests of an earlier time, and drops what was computed with other ones.
  void restore(std::vector<Request> requests);
  /// Drops entries that were computed from dropped ones.
  void dropOrphans();

  const ir::Module& module_;
  /// In order of first use. There are few: some per cover.
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<Entry*> computing_;
  std::vector<Request> requests_;
};

template <typename A, typename... Cover>
  requires Analysis<A, Cover...>
const A& AnalysisManager::get(Cover... cover) {
  const Key key{typeid(A), cover...};
  noteUse(key);
  if (const Entry* known = find(key)) return *static_cast<const A*>(known->analysis.get());
  Entry fresh{key, A::kName};
  fresh.recompute = [cover...](AnalysisManager& manager) -> std::shared_ptr<const void> {
    if constexpr (DerivedAnalysis<A, Cover...>)
      return std::make_shared<const A>(manager.module(), cover..., manager);
    else
      return std::make_shared<const A>(manager.module(), cover...);
  };
  fresh.equal = [](const void* a, const void* b) { return *static_cast<const A*>(a) == *static_cast<const A*>(b); };
  fresh.reads = readsOf<A>();
  fresh.needs = needsOf<A>();
  return *static_cast<const A*>(compute(std::move(fresh)));
}

template <typename A>
const OptionsOf<A>& AnalysisManager::options() {
  static const OptionsOf<A> kDefault{};
  const Request* request = useRequest({typeid(A), true});
  return request ? *static_cast<const OptionsOf<A>*>(request->options.get()) : kDefault;
}

template <typename A>
void AnalysisManager::request(OptionsOf<A> options) {
  const bool areOther = options != this->options<A>();
  setRequest({typeid(A), std::make_shared<const OptionsOf<A>>(std::move(options))}, areOther);
}

template <typename A, typename... Cover>
  requires Analysis<A, Cover...>
const A* AnalysisManager::requested(Cover... cover) {
  const bool can = useRequest({typeid(A), false}) != nullptr && hasNeeds({typeid(A), cover...}, needsOf<A>());
  return can ? &get<A>(cover...) : nullptr;
}

template <typename Work>
auto AnalysisManager::temporarily(const Work& work) -> decltype(work()) {
  std::vector<Request> before = requests_;
  try {
    auto result = work();
    restore(std::move(before));
    return result;
  } catch (...) {
    restore(std::move(before));
    throw;
  }
}

/// A printer of an analysis, which a pass declares for `print<name>`.
struct AnalysisPrinter {
  /// The analysis's name.
  std::string name;
  /// One line for help.
  std::string summary;
  /// The facet that must be established before.
  ir::Facet needs;
  /// The text about one cover.
  std::string (*print)(const ir::Module&, ir::CoverId, AnalysisManager&);
  /// The covers that it is printed of.
  std::vector<ir::CoverId> (*covers)(const ir::Module&) = reportedCovers;
};

/// A kernel as printers write it: `3 "sdpa" at /layer.0/MatMul`.
std::string kernelTitle(const ir::Module& module, const ir::Kernel& kernel);

}  // namespace amdahlc
