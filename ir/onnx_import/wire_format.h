/// Finds the first invalid byte of a damaged model. Private to this component.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace amdahlc::ir::onnx_import {

/// The place and kind of the first damage, which protobuf's own parser does not report.
struct WireDamage {
  /// In the file.
  uint64_t offset = 0;
  /// `graph.node[3].attribute[0]`; empty at the top level.
  std::string element;
  /// One phrase.
  std::string what;
};

/// Precondition: protobuf rejected `bytes` as a model. Nesting is limited as in protobuf.
WireDamage findWireDamage(std::string_view bytes);

}  // namespace amdahlc::ir::onnx_import
