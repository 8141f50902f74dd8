/// Limits on nesting that readers of text and the verifier share.
#pragma once

namespace amdahlc::ir {

/// Limit on the nesting of types, such as sequences of sequences: safe for recursion.
inline constexpr int kMaxTypeDepth = 16;

}  // namespace amdahlc::ir
