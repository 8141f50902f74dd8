#include "runs/execution_trace/data_edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/icl/interval_map.hpp>
#include <unordered_map>
#include <utility>

#include "replay/runtimes/runtime.h"
#include "runs/execution_trace/op_schema.h"
#include "support/limits.h"
#include "support/sort_unique.h"

namespace amdahlc::execution_trace {
namespace {

constexpr uint32_t kNobody = UINT32_MAX;

/// Who used a piece of a storage last.
struct Access {
  uint32_t writer = kNobody;
  /// The last of those who have read it since: an index into `EdgeFinder::readers_`.
  uint32_t reader = kNobody;
  friend bool operator==(const Access&, const Access&) = default;
};

using Bytes = boost::icl::right_open_interval<int64_t>;
// Access is no sum: pieces are replaced only.
using Pieces = boost::icl::interval_map<int64_t, Access, boost::icl::partial_enricher, std::less,
                                        boost::icl::inplace_identity, boost::icl::inplace_identity, Bytes>;

struct Storage {
  Pieces pieces;
  /// When it was born last, from 1, and in which group.
  uint64_t born = 0;
  uint32_t bornIn = kNobody;
  /// Behind the last byte of it that a call has returned since; of one that was never born it is not known.
  int64_t endByte = kWholeStorage;
  /// An index into `DataEdges::lives`.
  uint32_t life = kNoLife;
};

/// The calls inside of each call, and the outermost call of the group that each is in.
struct Nesting {
  CompressedRows<NodeId, NodeId> inside;
  IdVector<NodeId, bool> isOutermost;
};

Nesting nestingOf(const ExecutionTrace& trace, std::span<const NodeId> groups) {
  std::vector<CompressedRows<NodeId, NodeId>::Entry> entries;
  for (const NodeId node : trace.id.ids())
    if (!trace.parent[node].isNone()) entries.emplace_back(trace.parent[node], node);
  Nesting nesting{CompressedRows<NodeId, NodeId>(trace.size(), entries), IdVector<NodeId, bool>(trace.size(), false)};
  for (const NodeId group : groups) nesting.isOutermost[group] = true;
  return nesting;
}

class EdgeFinder {
 public:
  EdgeFinder(const ExecutionTrace& trace, std::span<const NodeId> groups, const AllocationOracle& allocates)
      : trace_(trace),
        groups_(groups),
        allocates_(allocates),
        nesting_(nestingOf(trace, groups)),
        writtenBySchema_(trace.strings) {
    edges_.lifeOf.assign(trace.tensors.size(), kNoLife);
  }

  bool find() {
    for (uint32_t group = 0; group < groups_.size() && pieces_ <= mostPieces(); ++group) walk(group);
    return pieces_ <= mostPieces();
  }
  int64_t mostPieces() const {
    return std::max(limits::kFreeStoragePieces,
                    limits::kStoragePiecesPerTensor * static_cast<int64_t>(trace_.tensors.size()));
  }
  DataEdges result() && { return std::move(edges_); }

 private:
  struct OpenCall {
    NodeId node;
    /// When it began.
    uint64_t began;
    /// Whether what it takes and returns is what the group does.
    bool isSurface;
    /// Of the calls inside of it, how many have returned.
    size_t returned = 0;
  };
  struct Write {
    int64_t storage;
    int64_t beginByte, endByte;
  };

  /// The calls of a group, as they began and returned.
  void walk(uint32_t group) {
    group_ = group;
    groupData_.clear();
    groupOrder_.clear();
    writes_.clear();
    std::vector<OpenCall> open;
    for (begin(groups_[group], open); !open.empty();) {
      OpenCall& call = open.back();
      const auto inside = nesting_.inside[call.node];
      if (call.returned < inside.size()) {
        const NodeId next = inside[call.returned++];
        if (!nesting_.isOutermost[next]) begin(next, open);
        continue;
      }
      end(call);
      open.pop_back();
    }
    for (const Write& write : writes_) apply(write);
    keepEdges();
    keepWrittenLives();
  }

  void begin(NodeId node, std::vector<OpenCall>& open) {
    const bool isSurface =
        open.empty() || (open.back().isSurface && trace_.text(trace_.opSchema[open.back().node]).empty());
    open.push_back({node, ++moment_, isSurface});
    const auto values = trace_.inputs(node);
    for (const Value& value : values) {
      const Tensor* const tensor = tensorWithBytes(value);
      if (tensor == nullptr) continue;
      Storage& storage = storages_[tensor->storage];
      if (tensor->endByte > storage.endByte) free(storage);
      live(storage, indexOf(value), false);
      if (isSurface && storage.bornIn != group_) read(storage, *tensor, indexOf(value));
    }
    addWritesInPlace(node, values);
  }

  void end(const OpenCall& call) {
    const auto results = trace_.outputs(call.node);
    if (results.empty()) return;
    operands_.clear();
    for (const Value& value : trace_.inputs(call.node))
      if (const Tensor* const tensor = tensorWithBytes(value)) operands_.push_back(tensor->storage);
    std::ranges::sort(operands_);
    for (const Value& value : results) {
      const Tensor* const tensor = tensorWithBytes(value);
      if (tensor == nullptr) continue;
      const bool isTaken = std::ranges::binary_search(operands_, tensor->storage);
      const auto stated = allocates_ ? allocates_(call.node, *tensor) : std::nullopt;
      Storage& storage = storages_[tensor->storage];
      const bool isBorn = stated.value_or(!isTaken) && storage.born < call.began;
      if (!isBorn && storage.endByte < kWholeStorage) storage.endByte = std::max(storage.endByte, tensor->endByte);
      if (isBorn) {
        free(storage);
        storage.born = ++moment_;
        storage.bornIn = group_;
        storage.endByte = tensor->endByte;
        edges_.births.push_back({group_, call.node, indexOf(value)});
      }
      live(storage, indexOf(value), isBorn);
      if (isBorn || (call.isSurface && !isTaken))
        writes_.push_back({tensor->storage, tensor->beginByte, tensor->endByte});
    }
  }

  /// The number of the storage is that of other memory from here on.
  void free(Storage& storage) {
    if (storage.life != kNoLife) edges_.lives[storage.life].isFollowed = true;
    storage = {};
  }

  /// A call of the present group takes or returns the tensor.
  void live(Storage& storage, uint32_t index, bool isBirth) {
    const Tensor& tensor = trace_.tensors[index];
    if (storage.life == kNoLife) {
      storage.life = static_cast<uint32_t>(edges_.lives.size());
      edges_.lives.push_back({.isBorn = isBirth, .onHost = isOnHost(trace_, tensor), .firstGroup = group_});
    }
    edges_.lifeOf[index] = storage.life;
    Life& life = edges_.lives[storage.life];
    life.lastGroup = group_;
    int64_t bytes = tensor.endByte;
    if (bytes == kWholeStorage) {
      // A view that repeats elements has more of them than the storage.
      if (life.isBorn && !isBirth) return;
      const __int128 all = static_cast<__int128>(tensor.elements) * tensor.elementBytes;
      bytes = all < kWholeStorage ? static_cast<int64_t>(all) : 0;
    }
    life.bytes = std::max(life.bytes, bytes);
  }

  void keepWrittenLives() {
    std::vector<uint32_t> lives;
    for (const Write& write : writes_) lives.push_back(storages_[write.storage].life);
    sortUnique(lives);
    for (const uint32_t life : lives) edges_.written.append(life);
    edges_.written.endRow();
  }

  void addWritesInPlace(NodeId node, std::span<const Value> values) {
    const std::vector<bool>& written = writtenBySchema_.of(trace_.opSchema[node], [](std::string_view schema) {
      std::vector<bool> marks;
      for (const SchemaArgument& argument : schemaArguments(schema)) marks.push_back(argument.isWritten);
      return std::ranges::find(marks, true) == marks.end() ? std::vector<bool>() : marks;
    });
    const std::string_view name = trace_.text(trace_.name[node]);
    bool first = written.empty() && runtime_.writesInPlace(name);
    if (!first && written.empty()) return;
    for (size_t at = 0, argument = 0; at < values.size(); ++argument) {
      const size_t next = behind(values, at);
      const bool isWritten = first || (argument < written.size() && written[argument]);
      for (; at < next; ++at) {
        const Tensor* const tensor = isWritten ? tensorWithBytes(values[at]) : nullptr;
        if (tensor == nullptr) continue;
        first = false;
        writes_.push_back({tensor->storage, tensor->beginByte, tensor->endByte});
      }
    }
  }

  void read(Storage& storage, const Tensor& tensor, uint32_t index) {
    forEachPiece(storage, tensor.beginByte, tensor.endByte, [&](const Bytes&, Access& access) {
      if (access.writer != kNobody && access.writer != group_) groupData_.push_back({access.writer, group_, index});
      if (access.reader != kNobody && readers_[access.reader].group == group_) return false;
      access.reader = addReader(access.reader);
      return true;
    });
  }

  void apply(const Write& write) {
    forEachPiece(storages_[write.storage], write.beginByte, write.endByte, [&](const Bytes&, Access& access) {
      if (access.writer != kNobody) groupOrder_.push_back({access.writer, group_});
      for (uint32_t at = access.reader; at != kNobody; at = readers_[at].before, ++pieces_)
        groupOrder_.push_back({readers_[at].group, group_});
      access = {group_, kNobody};
      return true;
    });
  }

  /// Calls `change` with the bytes and the access of each piece between two bytes, which are those with one access. It
  /// tells whether it changed the access.
  void forEachPiece(Storage& storage, int64_t beginByte, int64_t endByte, const auto& change) {
    changed_.clear();
    int64_t at = beginByte;
    const auto visit = [&](const Bytes& bytes, Access access) {
      ++pieces_;
      if (change(bytes, access)) changed_.emplace_back(bytes, access);
    };
    const auto [first, last] = storage.pieces.equal_range(Bytes(beginByte, endByte));
    for (auto piece = first; piece != last; ++piece) {
      const int64_t from = std::max(piece->first.lower(), beginByte), to = std::min(piece->first.upper(), endByte);
      if (at < from) visit(Bytes(at, from), {});
      visit(Bytes(from, to), piece->second);
      at = to;
    }
    if (at < endByte) visit(Bytes(at, endByte), {});
    for (const auto& piece : changed_) storage.pieces.set(piece);
  }

  uint32_t addReader(uint32_t before) {
    readers_.push_back({group_, before});
    return static_cast<uint32_t>(readers_.size() - 1);
  }

  void keepEdges() {
    const auto byTensor = [](const DataEdge& edge) { return std::pair(edge.tensor, edge.from); };
    std::ranges::sort(groupData_, {}, byTensor);
    groupData_.erase(std::ranges::unique(groupData_).begin(), groupData_.end());
    std::vector<uint32_t> read;
    for (const DataEdge& edge : groupData_) read.push_back(edge.from);
    sortUnique(read);
    std::ranges::sort(groupOrder_, {}, &OrderEdge::from);
    groupOrder_.erase(std::ranges::unique(groupOrder_).begin(), groupOrder_.end());
    edges_.data.insert(edges_.data.end(), groupData_.begin(), groupData_.end());
    for (const OrderEdge& edge : groupOrder_)
      if (edge.from != group_ && !std::ranges::binary_search(read, edge.from)) edges_.order.push_back(edge);
  }

  const Tensor* tensorWithBytes(const Value& value) const {
    if (value.kind != ValueKind::Tensor) return nullptr;
    const Tensor& tensor = trace_.tensors[static_cast<size_t>(value.number)];
    return tensor.beginByte < tensor.endByte ? &tensor : nullptr;
  }
  static uint32_t indexOf(const Value& value) { return static_cast<uint32_t>(value.number); }

  struct Reader {
    uint32_t group;
    /// The one before it, or `kNobody`. Pieces that were one share the beginning of their lists.
    uint32_t before;
  };

  const ExecutionTrace& trace_;
  /// Of PyTorch, which alone writes execution traces.
  const RuntimeAdapter& runtime_ = runtimeAdapter(kPyTorch);
  const std::span<const NodeId> groups_;
  const AllocationOracle& allocates_;
  const Nesting nesting_;
  SymbolMemo<std::vector<bool>> writtenBySchema_;
  // Looked up only.
  std::unordered_map<int64_t, Storage> storages_;
  std::vector<Reader> readers_;
  uint64_t moment_ = 0;
  int64_t pieces_ = 0;
  DataEdges edges_;

  // Of the present group.
  uint32_t group_ = 0;
  std::vector<DataEdge> groupData_;
  std::vector<OrderEdge> groupOrder_;
  std::vector<Write> writes_;
  // Of the present call: the storages in which it takes tensors.
  std::vector<int64_t> operands_;
  // Of the present read or write.
  std::vector<std::pair<Bytes, Access>> changed_;
};

}  // namespace

std::optional<DataEdges> findDataEdges(const ExecutionTrace& trace, std::span<const NodeId> groups,
                                       DiagnosticEngine& diagnostics, const AllocationOracle& allocates) {
  EdgeFinder finder(trace, groups, allocates);
  if (finder.find()) return std::move(finder).result();
  diagnostics.error(
      DiagId::TraceInvalid, FileLocation{trace.file},
      fmt::format("calls read and write more than {} pieces of storages; the limit is the larger of {} and {} for each "
                  "tensor",
                  finder.mostPieces(), limits::kFreeStoragePieces, limits::kStoragePiecesPerTensor));
  return std::nullopt;
}

}  // namespace amdahlc::execution_trace
