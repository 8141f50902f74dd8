// Products in a type that the device multiplies faster: float32 rounded to TF32, numbers of 16 bits, and of 8 bits. Of
// these one is proposed, that which asks for the least among those that save much; its reason names the next one.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <utility>

#include "ir/facets/bound.h"
#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "runs/kernel_families/kernel_families.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using ir::ElementType;

/// A group has one factor if so much of its time has.
constexpr double kMostOfGroup = 0.9;
/// What asks for less is proposed if it saves at least so much of what others save.
constexpr double kEnough = 0.6;
/// From this part of the time of products on, weights are not to be converted in each pass.
constexpr double kMuchOfProducts = 0.25;
/// The next type is named if it saves so many times as much.
constexpr double kFurther = 1.1;

/// In the order of what they ask for.
enum class Narrower : uint8_t {
  Tf32,
  Bits16,
  /// Weights of linear layers alone.
  Bits8,
  /// Weights and images of convolutions.
  Bits8All,
};
constexpr std::array kNarrower = {Narrower::Tf32, Narrower::Bits16, Narrower::Bits8, Narrower::Bits8All};

bool isBits8(Narrower narrower) { return narrower == Narrower::Bits8 || narrower == Narrower::Bits8All; }

/// The type of that many bits that the device multiplies; nullopt if it has none.
std::optional<ElementType> typeOf(Narrower narrower, const ir::HardwareDescription& hardware) {
  const auto firstOf = [&](std::initializer_list<ElementType> types) -> std::optional<ElementType> {
    for (const ElementType type : types)
      if (hardware.matrixPerS.contains(type)) return type;
    return std::nullopt;
  };
  switch (narrower) {
    case Narrower::Tf32:
      return hardware.tf32PerS ? std::optional(ElementType::Float) : std::nullopt;
    case Narrower::Bits16:
      return firstOf({ElementType::BFloat16, ElementType::Float16});
    case Narrower::Bits8:
      return firstOf({ElementType::Float8E4M3FN, ElementType::Int8});
    case Narrower::Bits8All:
      // Libraries have no convolutions of float8.
      return firstOf({ElementType::Int8});
  }
  return std::nullopt;
}

std::string_view nameOf(Narrower narrower, ElementType type) {
  if (narrower == Narrower::Tf32) return "TF32";
  if (narrower == Narrower::Bits16) return "16 bits";
  return type == ElementType::Int8 ? "int8" : "float8";
}

bool isNarrowedTo(Narrower narrower, ElementType from) {
  const bool is16 = from == ElementType::BFloat16 || from == ElementType::Float16;
  return from == ElementType::Float || (isBits8(narrower) && is16);
}

int64_t bytesOf(ElementType type) { return type == ElementType::Float ? 4 : 2; }

/// Numbers of 16 bits have half of the bytes, as most are of float32. Of linear layers the weights alone have 8 bits:
/// what is computed stays in its type, and a product converts it.
KernelWorkOf narrowed(KernelWorkOf work, Narrower narrower, ElementType type, ElementType from) {
  if (narrower == Narrower::Tf32) return work;
  const int64_t parts = narrower == Narrower::Bits16 ? 2 : bytesOf(from);
  for (std::vector<TensorTraffic>* tensors : {&work.reads, &work.writes})
    for (TensorTraffic& one : *tensors)
      if (narrower != Narrower::Bits8 || one.isGlobal) one.bytes = (one.bytes + parts - 1) / parts;
  const auto move = [&](FlopsByType& flops) {
    const auto wide = flops.find(from);
    if (wide == flops.end()) return;
    const int64_t count = wide->second;
    flops.erase(wide);
    flops[type] += count;
  };
  move(work.matrixFlops);
  if (narrower == Narrower::Bits16) move(work.vectorFlops);
  return work;
}

class NarrowTypeFinder {
 public:
  explicit NarrowTypeFinder(const AdvisedRun& run)
      : run_(run), roofline_(*run.roofline), hardware_(*roofline_.hardware), float32_(float32Mode()) {
    double roofsNs = 0, timesNs = 0;
    for (const ir::Kernel& kernel : run.cover.kernels) {
      const auto now = roofOf(kernel.id, roofline_.work(kernel.id));
      if (!now || run.timeOf(kernel.id) == 0 || roofline_.kernels[kernel.id].isAbovePeak) continue;
      roofsNs += *now;
      timesNs += static_cast<double>(run.timeOf(kernel.id));
    }
    usual_ = std::max(kLeastPart, timesNs > 0 ? roofsNs / timesNs : 0);
  }

  void find(std::vector<AdviceCandidate>& candidates) {
    std::vector<Option> options;
    for (const Narrower narrower : kNarrower)
      if (auto option = optionOf(narrower)) options.push_back(std::move(*option));
    if (options.empty()) return;
    const auto saved = [](const Option& option) { return option.savedNs; };
    const double most = saved(*std::ranges::max_element(options, {}, saved));
    const auto chosen = std::ranges::find_if(options, [&](const Option& one) { return one.savedNs >= kEnough * most; });
    AdviceCandidate& candidate = chosen->candidate;
    const auto further = std::find_if(chosen + 1, options.end(),
                                      [&](const Option& one) { return one.savedNs >= kFurther * chosen->savedNs; });
    if (further != options.end())
      candidate.why += fmt::format("; {} multiplies faster still, where results stay good enough: {}", further->name,
                                   further->remedy);
    candidates.push_back(std::move(candidate));
  }

 private:
  /// What reaches less of its roof waits for something else than its operations.
  static constexpr double kLeastPart = 0.1;

  struct Option {
    AdviceCandidate candidate;
    std::string_view name, remedy;
    double savedNs = 0;
  };
  struct Group {
    int64_t ns = 0, knownNs = 0;
    double likelyNs = 0, leastNs = 0;
    std::vector<ir::KernelId> kernels = {};
  };

  /// What most of the time of products of float32 does, by the names of their kernels; what roofs assume if these do
  /// not tell.
  Float32Products float32Mode() {
    const Timeline& timeline = run_.timeline;
    if (!hardware_.tf32PerS || !timeline.hasDevice) return roofline_.float32;
    const std::vector<ir::KernelId> owners = ir::eventOwners(timeline, *run_.cover.facets.get<ir::BoundFacet>());
    int64_t roundedNs = 0, exactNs = 0;
    for (EventIndex event = 0; event < timeline.size(); ++event) {
      if (owners[event] == kUnboundOwner || !roofline_.work(owners[event]).matrixFlops.contains(ElementType::Float))
        continue;
      if (const auto rounds = roundsToTf32(timeline.text(timeline.name[event])))
        (*rounds ? roundedNs : exactNs) += timeline.durationNs[event];
    }
    isExact_ = exactNs > roundedNs;
    return isExact_ ? Float32Products::Ieee : roofline_.float32;
  }

  /// Of all runs of a kernel that multiplies matrices, in ns; nullopt for others, and where it is not known.
  std::optional<double> roofOf(ir::KernelId kernel, const KernelWorkOf& work) const {
    return roofOf(kernel, work, float32_);
  }
  std::optional<double> roofOf(ir::KernelId kernel, const KernelWorkOf& work, Float32Products float32) const {
    const auto& runs = roofline_.kernels[kernel].runs;
    if (!runs || work.matrixFlops.empty()) return std::nullopt;
    const auto roof = attainable(work, hardware_, float32);
    return roof && roof->ns() > 0 ? std::optional(roof->ns() * *runs) : std::nullopt;
  }

  std::string_view remedyOf(Narrower narrower) const {
    if (narrower == Narrower::Tf32) return run_.remedy(Remedy::Tf32);
    if (narrower == Narrower::Bits8) return run_.remedy(Remedy::Quantize);
    if (narrower == Narrower::Bits8All) return run_.remedy(Remedy::QuantizeAll);
    const std::string_view remedy =
        run_.remedy(run_.timeline.hasDevice ? Remedy::NarrowTypes : Remedy::NarrowTypesOnHost);
    return readsWeightsMostly() && !remedy.empty() ? run_.remedy(Remedy::NarrowModel) : remedy;
  }

  /// Whether reading weights at the bandwidth of memory is much of the time of products of float32.
  bool readsWeightsMostly() const {
    double weightsNs = 0, allNs = 0;
    for (const ir::Kernel& kernel : run_.cover.kernels) {
      const KernelWorkOf& work = roofline_.work(kernel.id);
      const auto timeNs = static_cast<double>(run_.timeOf(kernel.id));
      const auto& runs = roofline_.kernels[kernel.id].runs;
      if (timeNs == 0 || !runs || !work.isKnown() || !work.matrixFlops.contains(ElementType::Float)) continue;
      allNs += timeNs;
      int64_t bytes = 0;
      for (const TensorTraffic& one : work.reads)
        if (one.isGlobal) bytes += one.bytes;
      weightsNs +=
          std::min(timeNs, static_cast<double>(bytes) * 1e9 / static_cast<double>(hardware_.memoryBytesPerS) * *runs);
    }
    return weightsNs > kMuchOfProducts * allNs;
  }

  /// At most, all else that works on float32 moves half of its bytes, too.
  void narrowOthers(const std::map<std::string, Group>& products, ElementType type,
                    std::vector<ir::Change>& changes) const {
    for (const ir::Kernel& kernel : run_.cover.kernels) {
      const int64_t timeNs = run_.timeOf(kernel.id);
      const KernelWorkOf& work = roofline_.work(kernel.id);
      const auto& runs = roofline_.kernels[kernel.id].runs;
      if (timeNs == 0 || !runs || !work.isKnown() || !work.vectorFlops.contains(ElementType::Float) ||
          products.contains(ir::kernelCategory(run_.module, kernel)))
        continue;
      const auto roof = attainable(narrowed(work, Narrower::Bits16, type, ElementType::Float), hardware_, float32_);
      if (!roof) continue;
      const double leastNs = std::max(roof->ns(), static_cast<double>(run_.shortestNs)) * *runs;
      if (leastNs < static_cast<double>(timeNs)) changes.push_back(run_.newTime(kernel.id, leastNs));
    }
  }

  /// Types of 8 bits are for products with weights; others are for all that multiply.
  std::optional<ElementType> narrowedType(ir::KernelId kernel, Narrower narrower) const {
    const KernelWorkOf& work = roofline_.work(kernel);
    if (!work.isKnown() || roofline_.kernels[kernel].isAbovePeak) return std::nullopt;
    if (isBits8(narrower) && (ir::kernelCategory(run_.module, run_.cover.kernels[kernel]) !=
                                  (narrower == Narrower::Bits8 ? "gemm" : "convolution") ||
                              std::ranges::none_of(work.reads, [](const TensorTraffic& one) { return one.isGlobal; })))
      return std::nullopt;
    for (const auto& [type, flops] : work.matrixFlops)
      if (isNarrowedTo(narrower, type)) return type;
    return std::nullopt;
  }

  std::optional<Option> optionOf(Narrower narrower) const {
    const auto type = typeOf(narrower, hardware_);
    const std::string_view remedy = remedyOf(narrower);
    if (!type || remedy.empty() || (narrower == Narrower::Tf32 && !isExact_)) return std::nullopt;
    // Products of two results are gemm as well, and keep their type where weights are quantised.
    const bool byLabel = narrower == Narrower::Bits8;
    std::map<std::string, Group> groups;
    for (const ir::Kernel& kernel : run_.cover.kernels) {
      const auto timeNs = static_cast<double>(run_.timeOf(kernel.id));
      if (timeNs == 0) continue;
      Group& group = groups[byLabel ? ir::kernelLabel(run_.module, kernel) : ir::kernelCategory(run_.module, kernel)];
      group.ns += run_.timeOf(kernel.id);
      const auto from = narrowedType(kernel.id, narrower);
      if (!from) continue;
      const KernelWorkOf& work = roofline_.work(kernel.id);
      const auto now = roofOf(kernel.id, work);
      const auto then = roofOf(kernel.id, narrowed(work, narrower, *type, *from),
                               narrower == Narrower::Tf32 ? Float32Products::Tf32 : float32_);
      if (!now || !then) continue;
      const double leastNs = std::max(*then, static_cast<double>(run_.shortestNs) * *roofline_.kernels[kernel.id].runs);
      group.knownNs += run_.timeOf(kernel.id);
      // Of a product that is further from its roof than usual, the rest of its time is not that of products. A kernel
      // that is as short as others are gets no shorter.
      const double part = std::max(usual_, std::min(1.0, *now / timeNs));
      group.likelyNs += std::min(timeNs, std::max(timeNs - std::max(0.0, *now - leastNs) / part, leastNs));
      group.leastNs += std::min(timeNs, leastNs);
      group.kernels.push_back(kernel.id);
    }
    return optionOf(narrower, *type, remedy, groups);
  }

  std::optional<Option> optionOf(Narrower narrower, ElementType type, std::string_view remedy,
                                 const std::map<std::string, Group>& groups) const {
    Option option{{}, nameOf(narrower, type), remedy};
    AdviceCandidate& candidate = option.candidate;
    candidate.atMost.emplace();
    int64_t ns = 0;
    std::map<std::string, Group> chosen;
    for (const auto& [name, group] : groups) {
      if (static_cast<double>(group.knownNs) < kMostOfGroup * static_cast<double>(group.ns)) continue;
      // What the text says is what is predicted.
      constexpr double kHundredths = 100;
      const auto nowNs = static_cast<double>(group.knownNs);
      const auto change = [&](double newNs) {
        ir::Change one;
        one.selectors.push_back(
            {narrower == Narrower::Bits8 ? ir::SelectorKind::Rule : ir::SelectorKind::Category, name});
        one.factor = Rational::of(std::llround(kHundredths), std::llround(kHundredths * nowNs / std::max(newNs, 1.0)));
        return one;
      };
      const double speedup = nowNs / std::max(group.likelyNs, 1.0);
      if (speedup < 1 + 1 / kHundredths) continue;
      candidate.selector += fmt::format("{}{}:{}={:.2f}x", candidate.selector.empty() ? "" : ";",
                                        narrower == Narrower::Bits8 ? "rule" : "category", name, speedup);
      candidate.likely.push_back(change(group.likelyNs));
      candidate.atMost->push_back(change(group.leastNs));
      candidate.kernels.insert(candidate.kernels.end(), group.kernels.begin(), group.kernels.end());
      ns += group.knownNs;
      chosen.emplace(name, group);
      option.savedNs += nowNs - group.likelyNs;
    }
    if (candidate.likely.empty() || run_.partOfBusy(ns) < kLeastShare) return std::nullopt;
    if (narrower == Narrower::Bits16) narrowOthers(chosen, type, *candidate.atMost);
    // The words are of bfloat16, which not every device with 16 bits multiplies.
    const std::string_view bfloat16 = ir::name(ElementType::BFloat16), float16 = ir::name(ElementType::Float16);
    std::string how(remedy);
    if (const size_t at = how.find(bfloat16); type == ElementType::Float16 && at != how.npos)
      how.replace(at, bfloat16.size(), float16);
    candidate.change = fmt::format("multiply in {}: {}", option.name, how);
    candidate.why = fmt::format("{} of busy time multiplies {}", formatPercent(run_.partOfBusy(ns)),
                                narrower == Narrower::Bits8      ? "with weights"
                                : narrower == Narrower::Bits8All ? "images with weights"
                                                                 : "matrices of float32");
    candidate.assumption =
        "the results stay good enough, products reach the part of their roofs that those of this run do, and nothing "
        "converts "
        "between types";
    candidate.places = run_.placesOf(candidate.kernels);
    candidate.savesPart = true;
    return option;
  }

  const AdvisedRun& run_;
  const RooflineAnalysis& roofline_;
  const ir::HardwareDescription& hardware_;
  /// Whether names of kernels say that products of float32 are not rounded.
  bool isExact_ = false;
  const Float32Products float32_;
  /// The part of the time of all products together that their roofs are.
  double usual_ = kLeastPart;
};

}  // namespace

void findNarrowTypes(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  if (run.predicted().isDescribed()) NarrowTypeFinder(run).find(candidates);
}

}  // namespace amdahlc
