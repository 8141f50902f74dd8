/// The rows of evidence.def as values, sets of them, and what they sum up to.
#pragma once

#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>

#include "ir/facets/bound.h"

namespace amdahlc::binding {

/// Log-odds in hundredths of a nat.
using Score = int32_t;

/// The rows of evidence.def, which says what each is about. Values are in hundredths of a nat.
namespace evidence {

enum class Row : uint8_t {
#define AMDAHLC_EVIDENCE(ID, ...) ID,
#include "passes/trace_bind/evidence.def"
#undef AMDAHLC_EVIDENCE
};
inline constexpr Score kValues[] = {
#define AMDAHLC_EVIDENCE(ID, VALUE, ...) VALUE,
#include "passes/trace_bind/evidence.def"
#undef AMDAHLC_EVIDENCE
};
constexpr Score value(Row row) { return kValues[static_cast<size_t>(row)]; }

/// A set of rows, one bit each.
using Rows = uint64_t;
static_assert(std::size(kValues) <= 64);
constexpr Rows bit(Row row) { return Rows{1} << static_cast<unsigned>(row); }
/// `SameOperator+OtherWeight`, in the order of the table; empty for none.
std::string describe(Rows rows);

}  // namespace evidence

/// The evidence that was found, as rows and their sum.
struct Judgement {
  void take(evidence::Row row) {
    rows |= evidence::bit(row);
    score += evidence::value(row);
  }
  /// A part of what the row counts, rounded.
  void take(evidence::Row row, double share) {
    rows |= evidence::bit(row);
    score += static_cast<Score>(std::lround(evidence::value(row) * share));
  }
  void agree(ir::Evidence kind) { kinds |= static_cast<ir::EvidenceSet>(kind); }

  evidence::Rows rows = 0;
  Score score = 0;
  /// What agrees, as outputs name it.
  ir::EvidenceSet kinds = 0;
};

}  // namespace amdahlc::binding
