#include "ir/onnx_import/steps.h"

#include <algorithm>
#include <boost/algorithm/string/split.hpp>
#include <cctype>
#include <filesystem>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <onnx/checker.h>

#include "ir/onnx_import/wording.h"
#include "ir/onnx_schemas/proto_values.h"
#include "support/edit_distance.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::ir::onnx_import {

using namespace onnx_schemas;

namespace {

/// Calls `visit` for every tensor of the graph and of the graphs in it.
template <typename Visit>
void forEachTensor(onnx::GraphProto& graph, const Visit& visit);

template <typename Visit>
void forEachSparse(onnx::SparseTensorProto& sparse, const std::string& node, const Visit& visit) {
  visit(*sparse.mutable_values(), node);
  if (sparse.has_indices()) visit(*sparse.mutable_indices(), node);
}

template <typename Visit>
void forEachTensor(onnx::NodeProto& node, const Visit& visit) {
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_t()) visit(*attribute.mutable_t(), node.name());
    for (auto& tensor : *attribute.mutable_tensors()) visit(tensor, node.name());
    if (attribute.has_sparse_tensor()) forEachSparse(*attribute.mutable_sparse_tensor(), node.name(), visit);
    for (auto& sparse : *attribute.mutable_sparse_tensors()) forEachSparse(sparse, node.name(), visit);
    if (attribute.has_g()) forEachTensor(*attribute.mutable_g(), visit);
    for (auto& graph : *attribute.mutable_graphs()) forEachTensor(graph, visit);
  }
}

template <typename Visit>
void forEachTensor(onnx::GraphProto& graph, const Visit& visit) {
  for (auto& tensor : *graph.mutable_initializer()) visit(tensor, std::string());
  for (auto& sparse : *graph.mutable_sparse_initializer()) forEachSparse(sparse, std::string(), visit);
  for (auto& node : *graph.mutable_node()) forEachTensor(node, visit);
}

bool leavesFolder(const std::string& location) {
  const std::filesystem::path path = std::filesystem::path(location).lexically_normal();
  return path.is_absolute() || location.starts_with('\\') || (!path.empty() && *path.begin() == "..");
}

/// Data in the message, of any kind.
bool hasData(const onnx::TensorProto& tensor) {
  return !tensor.raw_data().empty() || tensor.float_data_size() > 0 || tensor.int32_data_size() > 0 ||
         tensor.string_data_size() > 0 || tensor.int64_data_size() > 0 || tensor.double_data_size() > 0 ||
         tensor.uint64_data_size() > 0;
}

/// Calls `visit` for every type of the graph and of the graphs in it, with whether it is an input of the main graph.
using VisitType = std::function<void(onnx::TypeProto&, bool isInput)>;
void forEachType(onnx::GraphProto& graph, const VisitType& visit, bool isMain = true) {
  const auto each = [&](auto& infos, bool isInput) {
    for (auto& info : infos)
      if (info.has_type()) visit(*info.mutable_type(), isInput);
  };
  each(*graph.mutable_input(), isMain);
  each(*graph.mutable_output(), false);
  each(*graph.mutable_value_info(), false);
  for (auto& node : *graph.mutable_node()) forEachBody(node, [&](auto& body) { forEachType(body, visit, false); });
}

/// Calls `visit` with the type of the tensors that values of a type are or hold.
template <typename Visit>
void forEachTensor(onnx::TypeProto& type, const Visit& visit) {
  switch (type.value_case()) {
    case onnx::TypeProto::kTensorType:
      return visit(*type.mutable_tensor_type());
    case onnx::TypeProto::kSparseTensorType:
      return visit(*type.mutable_sparse_tensor_type());
    case onnx::TypeProto::kSequenceType:
      return forEachTensor(*type.mutable_sequence_type()->mutable_elem_type(), visit);
    case onnx::TypeProto::kOptionalType:
      return forEachTensor(*type.mutable_optional_type()->mutable_elem_type(), visit);
    case onnx::TypeProto::kMapType:
      return forEachTensor(*type.mutable_map_type()->mutable_value_type(), visit);
    default:
      return;
  }
}

/// True where the expression (`2*batch + 1`) names one of `dims`.
bool mentions(std::string_view expression, const std::map<std::string, int64_t>& dims) {
  std::vector<std::string> words;
  boost::split(words, expression, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; });
  return std::ranges::any_of(words, [&](const std::string& word) { return dims.contains(word); });
}

void takeConstants(onnx::GraphProto& graph, GraphConstants& result) {
  auto& constants = result[&graph];
  auto& initializers = *graph.mutable_initializer();
  constants.reserve(static_cast<size_t>(initializers.size()) + static_cast<size_t>(graph.sparse_initializer_size()));
  int kept = 0;
  for (int i = 0; i < initializers.size(); ++i) {
    const onnx::TensorProto& tensor = initializers[i];
    constants.push_back({tensor.name(), constant(tensor), byteSize(tensor)});
    if (!isDropped(tensor)) {
      initializers.SwapElements(i, kept++);
      continue;
    }
    auto* info = graph.add_value_info();
    info->set_name(tensor.name());
    auto* type = info->mutable_type()->mutable_tensor_type();
    type->set_elem_type(tensor.data_type());
    for (int64_t dim : tensor.dims()) type->mutable_shape()->add_dim()->set_dim_value(dim);
    type->mutable_shape();
  }
  initializers.DeleteSubrange(kept, initializers.size() - kept);
  for (const auto& sparse : graph.sparse_initializer())
    constants.push_back({sparse.values().name(), constant(sparse), byteSize(sparse.values())});
  for (auto& node : *graph.mutable_node()) forEachBody(node, [&](auto& body) { takeConstants(body, result); });
}

}  // namespace

int64_t dropHighRanks(onnx::TypeProto& type) {
  int64_t dropped = 0;
  forEachTensor(type, [&](auto& tensor) {
    if (!tensor.has_shape() || tensor.shape().dim_size() <= limits::kRank) return;
    tensor.clear_shape();
    ++dropped;
  });
  return dropped;
}

void dropShapes(onnx::TypeProto& type) {
  forEachTensor(type, [](auto& tensor) { tensor.clear_shape(); });
}

int64_t dropHighRanks(onnx::ModelProto& model) {
  int64_t dropped = 0;
  forEachType(*model.mutable_graph(), [&](onnx::TypeProto& type, bool) { dropped += dropHighRanks(type); });
  return dropped;
}

bool dropWeights(onnx::ModelProto& model, const std::string& file, DataProblems& problems,
                 DiagnosticEngine& diagnostics) {
  onnx::checker::CheckerContext context;
  context.set_ir_version(static_cast<int>(model.ir_version()));
  bool sound = true;
  const auto report = [&](const onnx::TensorProto& tensor, const std::string& node, const std::string& what) {
    sound = false;
    diagnostics.error(DiagId::OnnxInvalid, OnnxLocation{file, "", printable(node), printable(tensor.name())},
                      printable(what));
  };
  const auto visit = [&](onnx::TensorProto& tensor, const std::string& node) {
    const std::optional<int64_t> count = elementCount(tensor);
    if (!count) return report(tensor, node, "a tensor has a negative dimension or more elements than 64 bits count");
    if (tensor.dims_size() > limits::kRank)
      return report(tensor, node,
                    fmt::format("a tensor has {} dimensions, more than {}", tensor.dims_size(), limits::kRank));
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
      for (const auto& entry : tensor.external_data()) {
        if (entry.key() != "location" || !leavesFolder(entry.value())) continue;
        problems.add("external-path-outside", 1,
                     fmt::format("tensors with external data outside of the model's folder, such as `{}`; no external "
                                 "file is ever opened",
                                 printable(entry.value())));
      }
      return dropData(tensor);
    }
    tensor.clear_external_data();
    if (!hasData(tensor)) {
      if (*count > 0) {
        problems.add("tensor-without-data", 1, "constants that have neither data nor a file with it");
        dropData(tensor);
      }
      return;
    }
    const bool isValid = callLibrary(
        [&] {
          onnx::checker::check_tensor(tensor, context);
          return true;
        },
        [&](const char* what) {
          report(tensor, node, libraryMessage(what));
          return false;
        });
    if (isValid && *count > limits::kPropagatedElements) dropData(tensor);
  };
  forEachTensor(*model.mutable_graph(), visit);
  for (auto& function : *model.mutable_functions())
    for (auto& node : *function.mutable_node()) forEachTensor(node, visit);
  model.clear_training_info();
  return sound;
}

bool fixDims(onnx::ModelProto& model, const std::map<std::string, int64_t>& dims, const std::string& file,
             DiagnosticEngine& diagnostics) {
  if (dims.empty()) return true;
  std::set<std::string> used;
  const auto onEachDim = [&](const std::function<void(onnx::TensorShapeProto::Dimension&, bool)>& visit) {
    forEachType(*model.mutable_graph(), [&](onnx::TypeProto& type, bool isInput) {
      forEachTensor(type, [&](auto& tensor) {
        // A tensor type without a shape must stay so; `mutable_shape` would turn it into a scalar.
        if (!tensor.has_shape()) return;
        for (auto& dim : *tensor.mutable_shape()->mutable_dim()) visit(dim, isInput);
      });
    });
  };
  onEachDim([&](onnx::TensorShapeProto::Dimension& dim, bool) {
    if (!dim.dim_param().empty()) used.insert(dim.dim_param());
  });
  bool known = true;
  const std::vector<std::string> names(used.begin(), used.end());
  for (const auto& [name, value] : dims) {
    if (used.contains(name)) continue;
    known = false;
    auto error = diagnostics.error(
        DiagId::OnnxUnknownDim, FileLocation{file},
        fmt::format("the model has no symbolic dimension `{}`{}", name, printable(didYouMean(name, names))));
    error.note(names.empty() ? "every dimension of the model is a number or unknown"
                             : printable(fmt::format("its symbolic dimensions are `{}`", fmt::join(names, "`, `"))));
  }
  if (!known) return false;
  onEachDim([&](onnx::TensorShapeProto::Dimension& dim, bool isInput) {
    if (const auto found = dims.find(dim.dim_param()); found != dims.end())
      dim.set_dim_value(found->second);
    else if (!isInput && mentions(dim.dim_param(), dims))
      dim.clear_value();  // an expression such as `2*batch`; shape inference computes it now
  });
  return true;
}

GraphConstants takeConstants(onnx::ModelProto& model) {
  GraphConstants result;
  takeConstants(*model.mutable_graph(), result);
  return result;
}

}  // namespace amdahlc::ir::onnx_import
