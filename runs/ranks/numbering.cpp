#include "runs/ranks/numbering.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::ranks {
namespace {

std::optional<int64_t> inLimits(int64_t number) {
  return number <= limits::kRankNumber ? std::optional(number) : std::nullopt;
}

/// The numbers, if all traces have one and all are different.
template <typename NumberOf>
std::optional<std::vector<int64_t>> distinctNumbers(std::span<const RankName> names, NumberOf numberOf) {
  std::vector<int64_t> numbers;
  for (const RankName& name : names) {
    const std::optional<int64_t> number = numberOf(name);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  std::vector<int64_t> sorted = numbers;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return std::nullopt;
  return numbers;
}

/// ``label them `-trace=rank0=file` ``
constexpr std::string_view kHint = "give each trace as `-trace=rankN=file`";

/// Two traces of one number, or one without a number beside one with a number.
std::string faultOf(std::span<const RankName> names) {
  std::map<int64_t, const RankName*> traceOf;
  const RankName* unknown = nullptr;
  for (const RankName& name : names) {
    const auto number = name.labelled ? name.labelled : name.stated ? name.stated : rankInFileName(name.file);
    if (!number) {
      unknown = &name;
      continue;
    }
    const auto [other, isNew] = traceOf.emplace(*number, &name);
    if (!isNew)
      return fmt::format("`{}` and `{}` are both of rank {}; {}", printable(other->second->file), printable(name.file),
                         *number, kHint);
  }
  return fmt::format("neither `{}` nor its name says which rank it is of, as others do; {}",
                     unknown ? printable(unknown->file) : "a trace", kHint);
}

}  // namespace

Numbering numberRanks(std::span<const RankName> names) {
  const auto labelled = [](const RankName& name) { return name.labelled; };
  const auto stated = [](const RankName& name) { return name.stated; };
  const auto named = [](const RankName& name) { return rankInFileName(name.file); };
  const auto none = [&](auto numberOf) {
    return std::ranges::none_of(names, [&](const RankName& name) { return numberOf(name).has_value(); });
  };
  if (auto numbers = distinctNumbers(names, labelled)) return {std::move(*numbers), NumberSource::Label, ""};
  if (none(labelled)) {
    if (auto numbers = distinctNumbers(names, stated)) return {std::move(*numbers), NumberSource::Trace, ""};
    if (auto numbers = distinctNumbers(names, named)) return {std::move(*numbers), NumberSource::FileName, ""};
    if (none(stated) && none(named)) {
      std::vector<int64_t> numbers(names.size());
      std::iota(numbers.begin(), numbers.end(), 0);
      return {std::move(numbers), NumberSource::Order, ""};
    }
  }
  return {{}, NumberSource::Order, faultOf(names)};
}

std::optional<int64_t> rankInFileName(const std::string& file) {
  static const RE2 kRank("(?i)(?:^|[^a-z])rank[-_.]?([0-9]{1,9})(?:[^0-9]|$)"), kNumber("^([0-9]{1,9})(?:\\.|$)");
  int64_t number = -1;
  if (RE2::PartialMatch(file, kRank, &number) || RE2::PartialMatch(file, kNumber, &number)) return inLimits(number);
  return std::nullopt;
}

std::optional<int64_t> rankOfLabel(const std::string& label) {
  static const RE2 kLabel("rank([0-9]{1,9})");
  int64_t number = -1;
  return RE2::FullMatch(label, kLabel, &number) ? inLimits(number) : std::nullopt;
}

}  // namespace amdahlc::ranks
