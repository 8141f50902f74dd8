/// The numbers of the ranks of several traces.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace amdahlc::ranks {

/// What is known of the rank of one trace.
struct RankName {
  /// Without folders.
  std::string file;
  /// In the label that the user gave.
  std::optional<int64_t> labelled;
  /// In the trace.
  std::optional<int64_t> stated;
};

enum class NumberSource : uint8_t { Label, Trace, FileName, Order };

struct Numbering {
  /// One for each trace, all different; empty if there is a fault.
  std::vector<int64_t> numbers;
  NumberSource source = NumberSource::Order;
  /// Why the ranks cannot be numbered, as a sentence for users; empty if they are.
  std::string fault;
};

/// The labels decide, else what all traces state, else their file names (`rank3`, `rank_3`, or all of the name before
/// its ending), provided that all have a number and all are different; else, if none states or names a number, their
/// order.
Numbering numberRanks(std::span<const RankName> names);

/// The number in the name of a file.
std::optional<int64_t> rankInFileName(const std::string& file);

/// `rank3`: 3; nullopt for any other label.
std::optional<int64_t> rankOfLabel(const std::string& label);

}  // namespace amdahlc::ranks
