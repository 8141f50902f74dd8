#include "runs/execution_trace/node_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "support/decimal_time.h"
#include "support/limits.h"
#include "support/utf8.h"

namespace amdahlc::execution_trace {
namespace {

using trace::InvalidValue;

bool isOpen(const JsonCursor& cursor) { return cursor.peek() == '[' || cursor.peek() == '{'; }

/// An integer that is a fact of a node.
bool readWhole(JsonCursor& cursor, std::string_view key, int64_t& number) {
  const char* const place = cursor.place();
  std::string_view text;
  if (!isOpen(cursor) && !cursor.scalar(text)) return false;
  if (cursor.atEnd()) return false;  // the number may be cut off
  const auto whole = *place == '"' ? std::nullopt : parseWhole(text);
  if (!whole) throw InvalidValue(fmt::format("`{}` of a node is not an integer", key), place);
  number = *whole;
  return true;
}

/// A string that is a fact of a node, with its escapes.
bool readString(JsonCursor& cursor, std::string_view key, std::string_view& text) {
  if (cursor.atEnd()) return false;
  if (cursor.peek() != '"') throw InvalidValue(fmt::format("`{}` of a node is not a string", key), cursor.place());
  return trace::readText(cursor, text);
}

/// A text, or a list as text.
bool readTextOrList(JsonCursor& cursor, std::string_view& text) {
  return cursor.peek() == '[' ? cursor.raw(text) : trace::readText(cursor, text);
}

/// Steps through a list beside another one, which may have more entries, or through none.
class Beside {
 public:
  explicit Beside(std::optional<JsonCursor> list) : at_(list) {
    if (at_ && (!at_->take('[') || at_->peek() == ']')) at_.reset();
  }
  /// At the next entry; nullopt behind the last.
  std::optional<JsonCursor> next() {
    const std::optional<JsonCursor> entry = at_;
    if (at_ && (!at_->skip() || !at_->take(','))) at_.reset();
    return entry;
  }

 private:
  std::optional<JsonCursor> at_;
};

/// Takes the first of the types that a list has between its brackets: `Int,GenericList[Int,Int]`.
std::string_view takeType(std::string_view& types) {
  size_t depth = 0, end = 0;
  for (; end < types.size() && (depth > 0 || types[end] != ','); ++end) {
    if (types[end] == '[' || types[end] == '(') ++depth;
    if ((types[end] == ']' || types[end] == ')') && depth > 0) --depth;
  }
  const std::string_view first = types.substr(0, end);
  types.remove_prefix(std::min(end + 1, types.size()));
  return first;
}

/// What stands between the first opening bracket of a type and its end.
std::string_view inside(std::string_view type, char bracket) {
  const size_t open = type.find(bracket);
  if (open == type.npos || open + 2 > type.size()) return {};
  return type.substr(open + 1, type.size() - open - 2);
}

ValueKind kindOf(std::string_view text, bool isString, std::string_view type) {
  if (type == "None" || (!isString && text == "null")) return ValueKind::None;
  if (type == "Double") return ValueKind::Real;
  if (isString) return type == "String" || type == "Device" ? ValueKind::Text : ValueKind::Other;
  if (text == "true" || text == "false") return ValueKind::Boolean;
  return parseWhole(text) ? ValueKind::Integer : ValueKind::Other;
}

struct CollectiveText {
  std::string_view key;
  Symbol Collective::* member;
};
constexpr CollectiveText kCollectiveTexts[] = {
    {"collective_name", &Collective::operation}, {"pg_name", &Collective::group},
    {"pg_desc", &Collective::groupDescription},  {"dtype", &Collective::type},
    {"in_split_size", &Collective::inSplit},     {"out_split_size", &Collective::outSplit},
};
struct CollectiveNumber {
  std::string_view key;
  int64_t Collective::* member;
};
constexpr CollectiveNumber kCollectiveNumbers[] = {
    {"pg_size", &Collective::groupSize},
    {"in_msg_nelems", &Collective::inElements},
    {"out_msg_nelems", &Collective::outElements},
    {"global_rank_start", &Collective::firstRank},
    {"global_rank_stride", &Collective::rankStride},
};

}  // namespace

NodeReader::NodeReader(ExecutionTrace& trace) : trace_(trace) {}

bool NodeReader::read(JsonCursor& cursor) {
  if (cursor.atEnd()) return false;
  node_ = {};
  node_.place = cursor.place();
  if (cursor.peek() != '{') throw InvalidValue("an entry of `nodes` is not an object", node_.place);
  if (!cursor.object([&](std::string_view key) { return readField(cursor, key); })) return false;
  if (node_.id < 0) throw InvalidValue("a node has no `id`, or a negative one", node_.place);
  if (!node_.name) throw InvalidValue(fmt::format("node {} has no `name`", node_.id), node_.place);
  return true;
}

/// 1.0 has all facts and the lists of values here; later versions have `attrs`, and the lists in objects.
bool NodeReader::readField(JsonCursor& cursor, std::string_view key) {
  if (key == "id") return readWhole(cursor, key, node_.id);
  if (key == "name") return readString(cursor, key, node_.name.emplace());
  if (key == "parent" || key == "ctrl_deps") return readWhole(cursor, key, node_.parent);
  if (key == "inputs") return readSide(cursor, key, node_.inputs);
  if (key == "outputs") return readSide(cursor, key, node_.outputs);
  if (key == "attrs") {
    if (!cursor.atEnd() && cursor.peek() != '[') throw InvalidValue("`attrs` of a node is not a list", cursor.place());
    return cursor.array([&] { return readAttribute(cursor); });
  }
  const std::pair<std::string_view, std::optional<JsonCursor>*> lists[] = {
      {"input_shapes", &node_.inputs.sizes},
      {"input_types", &node_.inputs.types},
      {"output_shapes", &node_.outputs.sizes},
      {"output_types", &node_.outputs.types},
  };
  for (const auto& [name, list] : lists) {
    if (key != name) continue;
    *list = cursor;
    return cursor.skip();
  }
  return readFact(cursor, key);
}

/// `{"name":"rf_id","type":"uint64","value":7}`
bool NodeReader::readAttribute(JsonCursor& cursor) {
  if (cursor.peek() != '{') return cursor.skip();
  std::string_view name;
  std::optional<JsonCursor> value;
  const bool isRead = cursor.object([&](std::string_view key) {
    if (key == "name") return trace::readText(cursor, name);
    if (key == "value") value = cursor;
    return cursor.skip();
  });
  if (!isRead || !value) return isRead;
  if (readFact(*value, name)) return true;
  cursor = *value;
  return false;
}

bool NodeReader::readFact(JsonCursor& cursor, std::string_view key) {
  const std::pair<std::string_view, int64_t*> numbers[] = {
      {"rf_id", &node_.recordFunction},
      {"fw_parent", &node_.forwardParent},
      {"seq_id", &node_.sequenceNumber},
      {"scope", &node_.scope},
      {"tid", &node_.thread},
      {"fw_tid", &node_.forwardThread},
  };
  for (const auto& [name, number] : numbers)
    if (key == name) return readWhole(cursor, key, *number);
  if (key == "op_schema") return readString(cursor, key, node_.opSchema);
  if (key == "kernel_backend") return readString(cursor, key, node_.kernelBackend);
  const auto collective = [&]() -> Collective& {
    return node_.collective ? *node_.collective : node_.collective.emplace();
  };
  for (size_t i = 0; i < std::size(kCollectiveTexts); ++i) {
    if (key != kCollectiveTexts[i].key) continue;
    collective();
    return readTextOrList(cursor, node_.collectiveTexts[i]);
  }
  for (const CollectiveNumber& row : kCollectiveNumbers)
    if (key == row.key) return trace::readInteger(cursor, collective().*row.member);
  return cursor.skip();
}

bool NodeReader::readSide(JsonCursor& cursor, std::string_view key, Side& side) {
  if (cursor.atEnd()) return false;
  const auto list = [&](std::optional<JsonCursor>& at) {
    if (!cursor.atEnd() && cursor.peek() != '[')
      throw InvalidValue(fmt::format("`{}` of a node has something else than a list of values", key), cursor.place());
    at = cursor;
    return cursor.skip();
  };
  if (cursor.peek() != '{') return list(side.values);
  return cursor.object([&](std::string_view name) {
    if (name == "values") return list(side.values);
    if (name == "types") return list(side.types);
    if (name == "shapes") return list(side.sizes);
    if (name == "strides") return list(side.strides);
    return cursor.skip();
  });
}

void NodeReader::keep(uint64_t byteOffset) {
  const Node& node = node_;
  KeptNode kept{node.id,
                node.parent,
                node.recordFunction,
                node.forwardParent,
                node.sequenceNumber,
                node.scope,
                node.thread,
                node.forwardThread,
                name(*node.name),
                name(node.opSchema),
                name(node.kernelBackend),
                keepSide(node.inputs),
                keepSide(node.outputs),
                byteOffset};
  if (node.collective) keepCollective(node.id);
  kept_.push_back(kept);
}

void NodeReader::keepCollective(int64_t id) {
  Collective& collective = collectives_[id] = *node_.collective;
  for (size_t i = 0; i < std::size(kCollectiveTexts); ++i)
    collective.*kCollectiveTexts[i].member = name(node_.collectiveTexts[i]);
}

Symbol NodeReader::name(std::string_view text) {
  std::string unescaped;
  if (text.find('\\') != text.npos) text = unescaped = trace::unescapedJson(text);
  constexpr auto kBytes = static_cast<size_t>(limits::kNameBytes);
  longNames_ += text.size() > kBytes;
  return trace_.strings.intern(utf8::beginning(text, kBytes));
}

ExecutionTrace::ValueRange NodeReader::keepSide(const Side& side) {
  const size_t first = trace_.values.size();
  if (!side.values) return {first, 0};
  Beside types(side.types), sizes(side.sizes), strides(side.strides);
  JsonCursor at = *side.values;
  const bool isList = at.array([&] {
    Entry entry{{}, sizes.next(), strides.next()};
    auto type = types.next();
    untypedValues_ += !type || !type->string(entry.type);
    return keepValue(at, entry, 0);
  });
  if (!isList) throw InvalidValue("the values of a node are not JSON", at.place());
  return {first, trace_.values.size() - first};
}

bool NodeReader::keepValue(JsonCursor& at, const Entry& entry, size_t depth) {
  if (at.peek() == '[') return entry.type.starts_with("Tensor") ? keepTensor(at, entry) : keepList(at, entry, depth);
  std::string_view text;
  const bool isString = at.peek() == '"';
  if (at.peek() == '{' ? !at.skip() : !trace::readText(at, text)) return false;
  Value value{kindOf(text, isString, entry.type), {}, 0};
  if (value.kind == ValueKind::Integer)
    value.number = *parseWhole(text);
  else if (value.kind == ValueKind::Boolean)
    value.number = text == "true";
  else if (value.kind != ValueKind::None)
    value.text = name(text);
  trace_.values.push_back(value);
  return true;
}

bool NodeReader::keepList(JsonCursor& at, const Entry& entry, size_t depth) {
  const size_t index = trace_.values.size();
  trace_.values.push_back({ValueKind::List, {}, 0});
  if (depth == static_cast<size_t>(limits::kNestedValues)) {
    ++deepLists_;
    trace_.values[index].kind = ValueKind::Other;
    return at.skip();
  }
  std::string_view types = inside(entry.type, '[');
  Beside sizes(entry.sizes), strides(entry.strides);
  int64_t elements = 0;
  const bool isRead = at.array([&] {
    ++elements;
    return keepValue(at, {takeType(types), sizes.next(), strides.next()}, depth + 1);
  });
  // PyTorch writes one more than the 4096 elements that it means to write, and leaves out the rest.
  constexpr int64_t kCutElements = 4097;
  cutLists_ += elements == kCutElements;
  trace_.values[index].number = static_cast<int64_t>(trace_.values.size() - index - 1);
  return isRead;
}

/// `[tensor, storage, offset, elements, bytes of an element, "device"]`
bool NodeReader::keepTensor(JsonCursor& at, const Entry& entry) {
  constexpr size_t kDevice = 5;
  std::array<int64_t, kDevice> numbers{};
  std::string_view device;
  size_t parts = 0;
  bool isTensor = true;
  const bool isRead = at.array([&] {
    std::string_view text;
    if (isOpen(at) ? !at.skip() : !at.scalar(text)) return false;
    if (parts < kDevice) {
      numbers[parts] = parseWhole(text).value_or(-1);
      isTensor = isTensor && numbers[parts] >= 0;
    } else if (parts == kDevice) {
      device = text;
    }
    ++parts;
    return true;
  });
  if (!isRead) return false;
  if (!isTensor || parts != kDevice + 1) {
    ++invalidTensors_;
    trace_.values.push_back({ValueKind::Other, {}, 0});
    return true;
  }
  Tensor tensor;
  tensor.id = numbers[0];
  tensor.storage = numbers[1];
  tensor.beginByte = numbers[2];  // in elements until `setExtent`
  tensor.elements = numbers[3];
  tensor.elementBytes = numbers[4];
  tensor.type = name(inside(entry.type, '('));
  tensor.device = name(device);
  tensor.sizes = sizesRow(entry.sizes);
  tensor.strides = sizesRow(entry.strides);
  setExtent(tensor);
  trace_.values.push_back({ValueKind::Tensor, {}, static_cast<int64_t>(trace_.tensors.size())});
  trace_.tensors.push_back(tensor);
  return true;
}

/// Few lists of sizes differ from all before.
uint32_t NodeReader::sizesRow(std::optional<JsonCursor> at) {
  JsonCursor list;
  if (at) list = *at;
  std::string_view text;
  if (!at || list.peek() != '[' || !at->raw(text)) return kNoSizes;
  const Symbol symbol = sizesTexts_.intern(text);
  if (symbol.index >= rowOfSizes_.size()) {
    rowOfSizes_.resize(symbol.index + 1, kNoSizes);
    std::vector<int64_t> sizes;
    bool isValid = list.array([&] {
      std::string_view size;
      const auto number = list.scalar(size) ? parseWhole(size) : std::nullopt;
      sizes.push_back(number.value_or(-1));
      return sizes.back() >= 0;
    });
    isValid = isValid && sizes.size() <= static_cast<size_t>(limits::kRank);
    if (isValid) {
      rowOfSizes_[symbol.index] = static_cast<uint32_t>(trace_.sizes.size());
      for (const int64_t size : sizes) trace_.sizes.append(size);
      trace_.sizes.endRow();
    }
  }
  unknownSizes_ += rowOfSizes_[symbol.index] == kNoSizes;
  return rowOfSizes_[symbol.index];
}

/// The first and the last element of a view are those whose indices are all first, and all last.
void NodeReader::setExtent(Tensor& tensor) {
  const int64_t offset = std::exchange(tensor.beginByte, 0);
  if (tensor.storage == 0 || tensor.elements == 0) return;
  tensor.endByte = kWholeStorage;
  __int128 first = 0, last = 0, elements = 1;
  if (tensor.elements > 1) {
    if (tensor.sizes == kNoSizes || tensor.strides == kNoSizes) return;
    const auto sizes = trace_.sizes[tensor.sizes], strides = trace_.sizes[tensor.strides];
    const bool isPossible =
        std::ranges::all_of(sizes, [&](int64_t size) { return size > 0 && (elements *= size) <= tensor.elements; });
    if (!isPossible || sizes.size() != strides.size() || elements != tensor.elements) {
      ++otherSizes_;
      return;
    }
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      __int128& end = strides[axis] < 0 ? first : last;
      end += static_cast<__int128>(sizes[axis] - 1) * strides[axis];
    }
  }
  first += offset;
  last += offset;
  if (first < 0 || tensor.elementBytes == 0 || last >= kWholeStorage / tensor.elementBytes) {
    ++otherSizes_;
    return;
  }
  tensor.beginByte = static_cast<int64_t>(first) * tensor.elementBytes;
  tensor.endByte = (static_cast<int64_t>(last) + 1) * tensor.elementBytes;
}

std::optional<NodeReader::Fault> NodeReader::finish() {
  std::vector<KeptNode> nodes = std::move(kept_);
  std::ranges::stable_sort(nodes, {}, &KeptNode::id);
  const auto same = std::ranges::adjacent_find(nodes, {}, &KeptNode::id);
  if (same != nodes.end())
    return Fault{(same + 1)->byteOffset,
                 fmt::format("two nodes have the id {}; the other one is at byte {}", same->id, same->byteOffset)};
  const auto fill = [&](auto& column, auto member) {
    column.reserve(nodes.size());
    for (const KeptNode& node : nodes) column.push_back(node.*member);
  };
  fill(trace_.id, &KeptNode::id);
  fill(trace_.name, &KeptNode::name);
  fill(trace_.recordFunction, &KeptNode::recordFunction);
  fill(trace_.sequenceNumber, &KeptNode::sequenceNumber);
  fill(trace_.scope, &KeptNode::scope);
  fill(trace_.thread, &KeptNode::thread);
  fill(trace_.forwardThread, &KeptNode::forwardThread);
  fill(trace_.opSchema, &KeptNode::opSchema);
  fill(trace_.kernelBackend, &KeptNode::kernelBackend);
  fill(trace_.inputRange, &KeptNode::inputs);
  fill(trace_.outputRange, &KeptNode::outputs);
  if (auto fault = setParents(nodes)) return fault;
  countProblems();
  return std::nullopt;
}

std::optional<NodeReader::Fault> NodeReader::setParents(const std::vector<KeptNode>& nodes) {
  const auto nodeOf = [&](int64_t id) {
    const auto found = std::ranges::lower_bound(trace_.id, id);
    return found != trace_.id.end() && *found == id ? NodeId(found - trace_.id.begin()) : NodeId();
  };
  for (const KeptNode& node : nodes) {
    // PyTorch states of an asynchronous call, such as `gloo:broadcast`, what its thread was in when it ended. What
    // began since is left out, from the inside to the outside.
    constexpr int kLaterCalls = 64;  // calls are hardly deeper inside each other
    int64_t around = node.parent;
    for (int later = 0; around > node.id; ++later) {
      const NodeId call = nodeOf(around);
      around = call.isNone() || later == kLaterCalls ? -1 : nodes[call.index()].parent;
    }
    // The node of the process is its own parent.
    if (around == node.id && node.parent != node.id)
      return Fault{node.byteOffset,
                   fmt::format("node {} is inside node {}, which is inside of it", node.id, node.parent)};
    const NodeId parent = around < 0 || around == node.id ? NodeId() : nodeOf(around);
    unknownParents_ += parent.isNone() && node.parent != node.id;
    trace_.parent.push_back(parent);
    trace_.forwardParent.push_back(node.forwardParent > 0 ? nodeOf(node.forwardParent) : NodeId());
  }
  for (const auto& [id, collective] : collectives_) trace_.collectives.emplace(nodeOf(id), collective);
  return std::nullopt;
}

void NodeReader::countProblems() {
  DataProblems& problems = trace_.problems;
  problems.add("name-too-long", longNames_,
               fmt::format("names have more than {} bytes; the rest of them is left out", limits::kNameBytes));
  problems.add("untyped-value", untypedValues_, "values of calls have no type");
  problems.add("invalid-tensor", invalidTensors_, "tensors are not as the format has them, and are not known");
  problems.add("unknown-sizes", unknownSizes_, "sizes or strides are no lists of whole numbers, or too long");
  problems.add("sizes-disagree", otherSizes_,
               "tensors have other elements than their sizes and strides say; they count as their whole storages");
  problems.add("cut-list", cutLists_, "lists have as many elements as are recorded at most; others may be missing");
  problems.add("nested-list", deepLists_, "lists are nested too deep, and are not known");
  problems.add("unknown-parent", unknownParents_,
               "calls are inside a call that is not in the file, of an unknown one, or of one that began later");
}

}  // namespace amdahlc::execution_trace
