/// The generated ONNX messages, without the warnings of their header. Private to the components of ONNX.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

namespace amdahlc::ir::onnx_schemas {

/// Calls `visit` for each graph in the attributes of a node.
template <typename Visit>
void forEachBody(const onnx::NodeProto& node, const Visit& visit) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) visit(attribute.g());
    for (const auto& graph : attribute.graphs()) visit(graph);
  }
}
template <typename Visit>
void forEachBody(onnx::NodeProto& node, const Visit& visit) {
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) visit(*attribute.mutable_g());
    for (auto& graph : *attribute.mutable_graphs()) visit(graph);
  }
}

}  // namespace amdahlc::ir::onnx_schemas
