/// The tensors of calls while a program is made a module. Internal to the import of programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "runs/program/program_data.h"

namespace amdahlc::ir {

/// The tensors that the calls of a run returned so far in the representative iteration, by tensor and storage.
struct ReturnedTensors {
  explicit ReturnedTensors(const program::ProgramData* data) {
    if (data == nullptr) return;
    for (size_t i = 0; i < data->edges.size(); ++i) {
      const bool isNew = i == 0 || data->edges[i].reader != data->edges[i - 1].reader;
      if (isNew) firstEdge.emplace(data->edges[i].reader, i);
    }
  }
  struct Returned {
    program::NodeId node;
    ValueId value;
    uint32_t tensor;
  };
  std::map<std::pair<int64_t, int64_t>, Returned> last;
  /// By node: the results that its readers see, with what they are of.
  std::map<program::NodeId, std::vector<std::pair<uint32_t, ValueId>>> results;
  /// By reader: the first of its edges.
  std::map<program::NodeId, size_t> firstEdge;
};

inline std::pair<int64_t, int64_t> keyOf(const execution_trace::Tensor& tensor) { return {tensor.id, tensor.storage}; }

inline bool haveEqualShapes(const execution_trace::Tensor& a, const execution_trace::Tensor& b) {
  return a.sizes == b.sizes && a.strides == b.strides && a.type == b.type;
}

}  // namespace amdahlc::ir
