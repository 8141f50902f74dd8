/// Which operators a set of a rule contains.
#pragma once

#include <algorithm>
#include <string_view>

#include "ir/rules.h"

namespace amdahlc::ir {

inline bool isEmpty(const OperatorSet& set) { return set.any.empty() && set.none.empty(); }

/// Whether the operator `type` of `domain` is in the set. ONNX's own domain is empty.
inline bool contains(const OperatorSet& set, std::string_view domain, std::string_view type) {
  const auto covers = [&](const OperatorName& name) {
    return (name.domain == "*" || name.domain == domain) && (name.type == "*" || name.type == type);
  };
  return (set.any.empty() ? !set.none.empty() : std::any_of(set.any.begin(), set.any.end(), covers)) &&
         std::none_of(set.none.begin(), set.none.end(), covers);
}

}  // namespace amdahlc::ir
