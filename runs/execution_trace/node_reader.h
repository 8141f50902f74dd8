/// Reads the nodes of an execution trace, one by one, into its columns. Internal to the reader.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runs/execution_trace/execution_trace.h"
#include "runs/files/json_cursor.h"

namespace amdahlc::execution_trace {

using trace::JsonCursor;

class NodeReader {
 public:
  /// `trace` must outlive it.
  explicit NodeReader(ExecutionTrace& trace);

  /// Steps over a node, and notes where what it says is. False if the text is not as expected, with the cursor at the
  /// place. Throws trace::InvalidValue for a node that no execution trace has. May be called again with the same node.
  bool read(JsonCursor& cursor);
  /// Keeps the node that was read last. The text must be where it was. Throws as `read` does.
  void keep(uint64_t byteOffset);

  /// Why the nodes that were kept are not the calls of a run, and where.
  struct Fault {
    uint64_t byteOffset;
    std::string what;
  };
  /// Fills the columns of the trace, in the order of ids.
  std::optional<Fault> finish();

 private:
  using ValueRange = ExecutionTrace::ValueRange;
  /// What a call took or returned: four lists with an entry for each value.
  struct Side {
    std::optional<JsonCursor> values, types, sizes, strides;
  };
  struct Node {
    int64_t id = -1, parent = -1, recordFunction = -1, forwardParent = -1, sequenceNumber = -1, scope = -1;
    int64_t thread = -1, forwardThread = -1;
    std::optional<std::string_view> name;
    std::string_view opSchema, kernelBackend;
    Side inputs, outputs;
    /// Texts are views, in the order of `kCollectiveTexts`.
    std::optional<Collective> collective;
    std::array<std::string_view, 6> collectiveTexts;
    const char* place = nullptr;
  };
  struct KeptNode {
    int64_t id, parent, recordFunction, forwardParent, sequenceNumber, scope, thread, forwardThread;
    Symbol name, opSchema, kernelBackend;
    ValueRange inputs, outputs;
    uint64_t byteOffset;
  };
  /// The lists beside that of the values, at the entry of one value.
  struct Entry {
    std::string_view type;
    std::optional<JsonCursor> sizes, strides;
  };

  bool readField(JsonCursor& cursor, std::string_view key);
  bool readAttribute(JsonCursor& cursor);
  bool readFact(JsonCursor& cursor, std::string_view key);
  static bool readSide(JsonCursor& cursor, std::string_view key, Side& side);

  Symbol name(std::string_view text);
  ValueRange keepSide(const Side& side);
  bool keepValue(JsonCursor& at, const Entry& entry, size_t depth);
  bool keepList(JsonCursor& at, const Entry& entry, size_t depth);
  bool keepTensor(JsonCursor& at, const Entry& entry);
  uint32_t sizesRow(std::optional<JsonCursor> at);
  void setExtent(Tensor& tensor);
  void keepCollective(int64_t id);
  std::optional<Fault> setParents(const std::vector<KeptNode>& nodes);
  void countProblems();

  ExecutionTrace& trace_;
  Node node_;
  std::vector<KeptNode> kept_;
  std::map<int64_t, Collective> collectives_;
  /// Texts of sizes and strides, and the row of each.
  StringPool sizesTexts_;
  std::vector<uint32_t> rowOfSizes_;

  int64_t longNames_ = 0, untypedValues_ = 0, invalidTensors_ = 0, unknownSizes_ = 0, otherSizes_ = 0;
  int64_t cutLists_ = 0, deepLists_ = 0, unknownParents_ = 0;
};

}  // namespace amdahlc::execution_trace
