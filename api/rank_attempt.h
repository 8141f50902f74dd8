/// The result of reading the trace of one rank, also as bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runs/ranks/rank_record.h"
#include "support/diagnostic.h"

namespace amdahlc::api {

/// A record, or why there is none.
struct RankAttempt {
  std::optional<ranks::RankRecord> record;
  std::vector<Diagnostic> found;
  bool ranOutOfMemory = false;
};

std::string packed(RankAttempt attempt);
/// Throws std::runtime_error if the bytes are not of `packed`. Precondition: if they are, it is of the same build.
RankAttempt unpacked(std::string_view bytes);

}  // namespace amdahlc::api
