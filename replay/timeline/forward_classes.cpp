// Which forwards do the same, by the shapes of their operands.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "replay/timeline/forward_groups.h"

namespace amdahlc {
namespace {

using Dims = std::vector<int64_t>;

/// The operand of a product with a weight that is not the weight; null for other operators.
///
/// The weight is a matrix, one of whose dimensions is the last one of the other operand. Elementwise operators have
/// operands whose last dimensions are all the same. A matrix with a dimension of 1 may be the only row of an
/// activation.
const Dims* multipliedByWeight(const OperatorFacts& facts) {
  for (const Dims& other : facts.inputDims) {
    if (other.size() < 2) continue;
    for (const Dims& weight : facts.inputDims) {
      if (&weight == &other || weight.size() != 2 || weight[0] < 2 || weight[1] < 2) continue;
      const bool isElementwise = std::equal(weight.begin(), weight.end(), other.end() - 2);
      if (!isElementwise && (other.back() == weight[0] || other.back() == weight[1])) return &other;
    }
  }
  return nullptr;
}

/// The outermost operators of a forward, in order.
struct Calls {
  std::vector<HostEventId> operators;
  /// Of operators that are products with weights: their places, and the dimensions of all operands. Forwards of one
  /// class have the same.
  Dims products;
  /// Of the other operands of these products.
  std::vector<const Dims*> activations;
};

std::vector<Calls> callsOf(const Timeline& timeline, const std::vector<ForwardSpan>& spans) {
  const HostFacts& host = *timeline.host;
  std::vector<Calls> calls(spans.size());
  const auto startOf = [&](uint32_t span) { return spans[span].host->startNs; };
  std::vector<std::vector<uint32_t>> ofThread(timeline.tracks.size());
  for (uint32_t span = 0; span < spans.size(); ++span)
    if (spans[span].host && spans[span].track) ofThread[*spans[span].track].push_back(span);
  for (std::vector<uint32_t>& ofOne : ofThread) std::ranges::stable_sort(ofOne, {}, startOf);
  // An operator around a whole forward is no part of it.
  IdVector<HostEventId, bool> isPart(host.size(), false);
  for (const HostEventId event : host.kind.ids()) {
    const HostEventId parent = host.parent[event];
    if (!parent.isNone() && isPart[parent]) {
      isPart[event] = true;
      continue;
    }
    if (host.kind[event] != EventKind::Operator) continue;
    const std::vector<uint32_t>& ofOne = ofThread[host.track[event]];
    const auto behind = std::ranges::upper_bound(ofOne, host.startNs[event], {}, startOf);
    if (behind == ofOne.begin()) continue;
    const uint32_t span = *std::prev(behind);
    if (host.startNs[event] > spans[span].host->endNs) continue;
    isPart[event] = true;
    Calls& forward = calls[span];
    forward.operators.push_back(event);
    const OperatorFacts* facts = host.operatorFactsOf(event);
    const Dims* activation = facts != nullptr ? multipliedByWeight(*facts) : nullptr;
    if (activation == nullptr) continue;
    forward.activations.push_back(activation);
    forward.products.push_back(static_cast<int64_t>(forward.operators.size()));
    for (const Dims& dims : facts->inputDims) {
      forward.products.push_back(static_cast<int64_t>(dims.size()));
      forward.products.insert(forward.products.end(), dims.begin(), dims.end());
    }
  }
  return calls;
}

/// Whether all dimensions that differ do so by one amount. Products with weights are not compared.
bool agreeButForCache(const HostFacts& host, const Calls& a, const Calls& b) {
  if (a.operators.size() != b.operators.size()) return false;
  int64_t amount = 0;
  for (size_t i = 0; i < a.operators.size(); ++i) {
    const HostEventId left = a.operators[i], right = b.operators[i];
    if (host.name[left] != host.name[right]) return false;
    const OperatorFacts *const before = host.operatorFactsOf(left), *const after = host.operatorFactsOf(right);
    if (before == after) continue;
    if (before == nullptr || after == nullptr || before->inputDims.size() != after->inputDims.size() ||
        before->inputTypes != after->inputTypes)
      return false;
    for (size_t operand = 0; operand < before->inputDims.size(); ++operand) {
      const Dims &from = before->inputDims[operand], &to = after->inputDims[operand];
      if (from.size() != to.size()) return false;
      for (size_t dim = 0; dim < from.size(); ++dim) {
        int64_t difference = 0;
        if (__builtin_sub_overflow(to[dim], from[dim], &difference)) return false;
        if (difference == 0) continue;
        if (amount != 0 && difference != amount) return false;
        amount = difference;
      }
    }
  }
  return true;
}

/// How many tokens of a sequence a forward computes: the last dimension but one that most activations have; of equally
/// many the least. Matrices count only where all activations are matrices, because theirs may be that of several
/// sequences. 0 without products with weights.
int64_t sequenceLength(const Calls& forward) {
  for (const bool ofMatrices : {false, true}) {
    std::map<int64_t, size_t> counts;
    for (const Dims* dims : forward.activations)
      if ((dims->size() == 2) == ofMatrices) ++counts[*(dims->end() - 2)];
    if (!counts.empty()) return std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
  }
  return 0;
}

}  // namespace

ForwardClasses classesByShapes(const Timeline& timeline, const std::vector<ForwardSpan>& spans) {
  ForwardClasses classes{std::vector<uint32_t>(spans.size(), 0), {"forward"}};
  if (!timeline.host || timeline.host->operatorFacts.empty()) return classes;
  const std::vector<Calls> calls = callsOf(timeline, spans);
  // By class its first forward, and by the products of forwards their classes.
  std::vector<size_t> firsts;
  std::map<std::span<const int64_t>, std::vector<uint32_t>,
           decltype([](auto a, auto b) { return std::ranges::lexicographical_compare(a, b); })>
      known;
  for (size_t i = 0; i < calls.size(); ++i) {
    std::vector<uint32_t>& candidates = known[calls[i].products];
    const auto found = std::ranges::find_if(
        candidates, [&](uint32_t one) { return agreeButForCache(*timeline.host, calls[firsts[one]], calls[i]); });
    if (found != candidates.end()) {
      classes.of[i] = *found;
      continue;
    }
    classes.of[i] = static_cast<uint32_t>(firsts.size());
    candidates.push_back(classes.of[i]);
    firsts.push_back(i);
  }
  std::vector<int64_t> lengths;
  for (const size_t first : firsts) lengths.push_back(sequenceLength(calls[first]));
  std::vector<std::string_view> kinds(firsts.size(), "forward");
  // What a forward follows is the one before it on its thread; of the first one of a thread that of any.
  std::map<std::optional<uint32_t>, size_t> lastOf;
  for (size_t i = 0; i < spans.size(); ++i) {
    const auto [last, isFirst] = lastOf.try_emplace(spans[i].track, i == 0 ? 0 : i - 1);
    const size_t previous = std::exchange(last->second, i);
    const uint32_t before = classes.of[previous], one = classes.of[i];
    const auto recordingOf = [&](size_t span) {
      return timeline.iterations[static_cast<size_t>(spans[span].iteration)].recording;
    };
    if (recordingOf(i) != recordingOf(previous) || lengths[one] != 1 || lengths[before] < 2) continue;
    kinds[before] = "prefill";
    kinds[one] = "decode";
  }
  classes.names.clear();
  std::map<std::string_view, size_t> counts;
  for (const std::string_view kind : kinds) {
    const size_t number = ++counts[kind];
    classes.names.push_back(number == 1 ? std::string(kind) : fmt::format("{} {}", kind, number));
  }
  return classes;
}

}  // namespace amdahlc
