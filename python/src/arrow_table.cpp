#include "python/src/arrow_table.h"

#include <fmt/format.h>
#include <nanoarrow/nanoarrow.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/utf8.h"

namespace amdahlc::python {
namespace {

using Json = nlohmann::ordered_json;

void require(ArrowErrorCode code) {
  if (code == ENOMEM) throw std::bad_alloc();
  if (code != NANOARROW_OK) throw std::runtime_error(fmt::format("Arrow refuses a value (error {})", code));
}

/// What a JSON Schema says of a value, as far as Arrow has a type for it.
enum class Shape : uint8_t { Flag, Integer, Number, Text, List, Struct, Map };

bool isNull(const Json& schema) { return schema.value("type", Json()) == "null"; }

/// The schema without the alternative null. Values of several types, which no column has, are texts.
const Json& withoutNull(const Json& schema) {
  static const Json kAny{{"type", "string"}};
  const auto alternatives = schema.find("anyOf");
  if (alternatives == schema.end()) return schema;
  return alternatives->size() == 2 && isNull(alternatives->back()) ? alternatives->front() : kAny;
}

Shape shapeOf(const Json& schema) {
  const auto type = schema.find("type");
  // Of names (`enum`, `const`).
  if (type == schema.end()) return Shape::Text;
  if (type->is_array() && std::ranges::count_if(*type, [](const Json& one) { return one != "null"; }) != 1)
    return Shape::Text;
  const std::string name = type->is_array() ? type->front().get<std::string>() : type->get<std::string>();
  if (name == "boolean") return Shape::Flag;
  if (name == "integer") return Shape::Integer;
  if (name == "number") return Shape::Number;
  if (name == "array") return Shape::List;
  if (name == "object") return schema.contains("properties") ? Shape::Struct : Shape::Map;
  return Shape::Text;
}

ArrowType typeOf(Shape shape) {
  switch (shape) {
    case Shape::Flag:
      return NANOARROW_TYPE_BOOL;
    case Shape::Integer:
      return NANOARROW_TYPE_INT64;
    case Shape::Number:
      return NANOARROW_TYPE_DOUBLE;
    case Shape::Text:
      return NANOARROW_TYPE_STRING;
    case Shape::List:
      return NANOARROW_TYPE_LIST;
    case Shape::Struct:
      return NANOARROW_TYPE_STRUCT;
    case Shape::Map:
      return NANOARROW_TYPE_MAP;
  }
  return NANOARROW_TYPE_STRING;
}

/// Initializes `to`.
void describe(const Json& given, ArrowSchema& to) {
  const Json& schema = withoutNull(given);
  const Shape shape = shapeOf(schema);
  if (shape == Shape::Struct) {
    const Json& properties = schema["properties"];
    ArrowSchemaInit(&to);
    require(ArrowSchemaSetTypeStruct(&to, static_cast<int64_t>(properties.size())));
    int64_t child = 0;
    for (const auto& [name, property] : properties.items()) {
      to.children[child]->release(to.children[child]);
      describe(property, *to.children[child]);
      require(ArrowSchemaSetName(to.children[child], name.c_str()));
      ++child;
    }
    return;
  }
  require(ArrowSchemaInitFromType(&to, typeOf(shape)));
  if (shape == Shape::List) {
    to.children[0]->release(to.children[0]);
    describe(schema["items"], *to.children[0]);
    require(ArrowSchemaSetName(to.children[0], "item"));
  } else if (shape == Shape::Map) {
    ArrowSchema& entry = *to.children[0];
    require(ArrowSchemaSetType(entry.children[0], NANOARROW_TYPE_STRING));
    entry.children[1]->release(entry.children[1]);
    describe(schema["additionalProperties"], *entry.children[1]);
    require(ArrowSchemaSetName(entry.children[1], "value"));
  }
}

/// A text in Arrow is UTF-8; the names in a trace may have other bytes, which become question marks.
void appendText(const std::string& text, ArrowArray& to) {
  std::string valid;
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8::sequenceLength(std::string_view(text).substr(at));
    if (length > 0)
      valid.append(text, at, length);
    else
      valid += '?';
    at += std::max<size_t>(length, 1);
  }
  require(ArrowArrayAppendString(&to, {valid.data(), static_cast<int64_t>(valid.size())}));
}

void append(const Json& value, const Json& given, ArrowArray& to) {
  if (value.is_null()) return require(ArrowArrayAppendNull(&to, 1));
  const Json& schema = withoutNull(given);
  switch (shapeOf(schema)) {
    case Shape::Flag:
      return require(ArrowArrayAppendInt(&to, value.get<bool>() ? 1 : 0));
    case Shape::Integer:
      return require(ArrowArrayAppendInt(&to, value.get<int64_t>()));
    case Shape::Number:
      return require(ArrowArrayAppendDouble(&to, value.get<double>()));
    case Shape::Text:
      return appendText(value.is_string() ? value.get<std::string>() : value.dump(), to);
    case Shape::List:
      for (const Json& item : value) append(item, schema["items"], *to.children[0]);
      return require(ArrowArrayFinishElement(&to));
    case Shape::Struct: {
      int64_t child = 0;
      for (const auto& [name, property] : schema["properties"].items())
        append(value.at(name), property, *to.children[child++]);
      return require(ArrowArrayFinishElement(&to));
    }
    case Shape::Map: {
      ArrowArray& entry = *to.children[0];
      for (const auto& [name, item] : value.items()) {
        appendText(name, *entry.children[0]);
        append(item, schema["additionalProperties"], *entry.children[1]);
        require(ArrowArrayFinishElement(&entry));
      }
      return require(ArrowArrayFinishElement(&to));
    }
  }
}

void finish(ArrowArray& array) {
  ArrowError error{};
  if (ArrowArrayFinishBuildingDefault(&array, &error) != NANOARROW_OK) throw std::runtime_error(error.message);
}

}  // namespace

struct ArrowTable::Content {
  ArrowSchema schema{};
  ArrowArray batch{};

  Content() = default;
  Content(const Content&) = delete;
  Content& operator=(const Content&) = delete;
  ~Content() {
    if (batch.release != nullptr) batch.release(&batch);
    if (schema.release != nullptr) schema.release(&schema);
  }
};

namespace {

/// What an exported array refers to: the content of the table, whose buffers it shares, and lists of its own.
struct Shared {
  std::shared_ptr<const void> content;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> childPointers;
  ArrowArray dictionary{};
};

void releaseShared(ArrowArray* array) {
  const std::unique_ptr<Shared> shared(static_cast<Shared*>(array->private_data));
  for (ArrowArray& child : shared->children)
    if (child.release != nullptr) child.release(&child);
  if (shared->dictionary.release != nullptr) shared->dictionary.release(&shared->dictionary);
  array->release = nullptr;
}

/// An array with the buffers of `of`. Each part of it keeps the content, because a consumer may move parts out.
ArrowArray share(const ArrowArray& of, const std::shared_ptr<const void>& content) {
  auto shared = std::make_unique<Shared>();
  shared->content = content;
  for (int64_t child = 0; child < of.n_children; ++child)
    shared->children.push_back(share(*of.children[child], content));
  for (ArrowArray& child : shared->children) shared->childPointers.push_back(&child);
  if (of.dictionary != nullptr) shared->dictionary = share(*of.dictionary, content);
  ArrowArray array = of;
  array.children = shared->childPointers.empty() ? nullptr : shared->childPointers.data();
  array.dictionary = of.dictionary != nullptr ? &shared->dictionary : nullptr;
  array.release = releaseShared;
  array.private_data = shared.release();
  return array;
}

}  // namespace

ArrowTable ArrowTable::ofRows(std::string_view rows, std::string_view rowSchema) {
  const Json schema = Json::parse(rowSchema);
  auto content = std::make_shared<Content>();
  describe(schema, content->schema);
  require(ArrowArrayInitFromSchema(&content->batch, &content->schema, nullptr));
  require(ArrowArrayStartAppending(&content->batch));
  for (const Json& row : Json::parse(rows)) append(row, schema, content->batch);
  finish(content->batch);
  return ArrowTable(std::move(content));
}

namespace {

/// Makes a vector the values of an array, without a copy.
template <typename Value>
void setBuffer(ArrowArray& array, std::vector<Value> values) {
  if (values.empty()) return;
  auto owned = std::make_unique<std::vector<Value>>(std::move(values));
  ArrowBuffer& buffer = *ArrowArrayBuffer(&array, 1);
  buffer.data = reinterpret_cast<uint8_t*>(owned->data());
  buffer.size_bytes = static_cast<int64_t>(owned->size() * sizeof(Value));
  buffer.capacity_bytes = buffer.size_bytes;
  array.length = static_cast<int64_t>(owned->size());
  buffer.allocator =
      ArrowBufferDeallocator([](ArrowBufferAllocator* allocator, uint8_t*,
                                int64_t) { delete static_cast<std::vector<Value>*>(allocator->private_data); },
                             owned.release());
}

/// Values below 0 are null.
void markNulls(ArrowArray& array, const std::vector<int32_t>& values) {
  const auto nulls = std::ranges::count_if(values, [](int32_t value) { return value < 0; });
  array.null_count = nulls;
  if (nulls == 0) return;
  ArrowBitmap& valid = *ArrowArrayValidityBitmap(&array);
  require(ArrowBitmapReserve(&valid, static_cast<int64_t>(values.size())));
  for (const int32_t value : values) ArrowBitmapAppendUnsafe(&valid, value >= 0 ? 1 : 0, 1);
}

/// The columns of the table of events, one after the other: first their types, then their values.
class EventColumnsWriter {
 public:
  EventColumnsWriter(ArrowSchema& schema, ArrowArray& batch, int64_t columns) : schema_(schema), batch_(batch) {
    ArrowSchemaInit(&schema);
    require(ArrowSchemaSetTypeStruct(&schema, columns));
  }
  void type(const char* name, ArrowType type, bool isCoded = false) {
    ArrowSchema& column = *schema_.children[typed_++];
    require(ArrowSchemaSetType(&column, type));
    require(ArrowSchemaSetName(&column, name));
    if (!isCoded) return;
    require(ArrowSchemaAllocateDictionary(&column));
    require(ArrowSchemaInitFromType(column.dictionary, NANOARROW_TYPE_STRING));
  }
  void begin() { require(ArrowArrayInitFromSchema(&batch_, &schema_, nullptr)); }
  ArrowArray& next() { return *batch_.children[written_++]; }
  void texts(CodedTexts column) {
    ArrowArray& array = next();
    setBuffer(array, std::move(column.codes));
    require(ArrowArrayStartAppending(array.dictionary));
    for (const std::string& text : column.texts) appendText(text, *array.dictionary);
  }

 private:
  ArrowSchema& schema_;
  ArrowArray& batch_;
  int64_t typed_ = 0, written_ = 0;
};

}  // namespace

ArrowTable ArrowTable::ofEvents(DeviceEventTable events) {
  auto content = std::make_shared<Content>();
  const size_t size = events.durationNs.size();
  EventColumnsWriter columns(content->schema, content->batch, 11);
  columns.type("event", NANOARROW_TYPE_INT64);
  columns.type("ts_ns", NANOARROW_TYPE_INT64);
  columns.type("duration_ns", NANOARROW_TYPE_INT64);
  columns.type("stream", NANOARROW_TYPE_INT32, true);
  columns.type("name", NANOARROW_TYPE_INT32, true);
  columns.type("kernel", NANOARROW_TYPE_INT32);
  columns.type("nodes", NANOARROW_TYPE_INT32, true);
  columns.type("scope", NANOARROW_TYPE_INT32, true);
  columns.type("evidence", NANOARROW_TYPE_INT32, true);
  columns.type("confidence", NANOARROW_TYPE_DOUBLE);
  columns.type("state", NANOARROW_TYPE_INT32, true);
  columns.begin();
  std::vector<int64_t> ranks(size);
  std::iota(ranks.begin(), ranks.end(), 0);
  setBuffer(columns.next(), std::move(ranks));
  ArrowArray& starts = columns.next();
  if (events.startNs.size() == size) {
    setBuffer(starts, std::move(events.startNs));
  } else {
    require(ArrowArrayStartAppending(&starts));
    require(ArrowArrayAppendNull(&starts, static_cast<int64_t>(size)));
  }
  setBuffer(columns.next(), std::move(events.durationNs));
  columns.texts(std::move(events.stream));
  columns.texts(std::move(events.name));
  ArrowArray& kernels = columns.next();
  markNulls(kernels, events.kernel);
  setBuffer(kernels, std::move(events.kernel));
  columns.texts(std::move(events.nodes));
  columns.texts(std::move(events.scope));
  columns.texts(std::move(events.evidence));
  std::vector<double> confidences(size);
  std::ranges::transform(events.confidencePermille, confidences.begin(),
                         [](int32_t permille) { return permille / 1000.0; });
  ArrowArray& confidence = columns.next();
  setBuffer(confidence, std::move(confidences));
  markNulls(confidence, events.confidencePermille);
  columns.texts(std::move(events.state));
  content->batch.length = static_cast<int64_t>(size);
  finish(content->batch);
  return ArrowTable(std::move(content));
}

int64_t ArrowTable::rows() const { return content_->batch.length; }
int64_t ArrowTable::columns() const { return content_->schema.n_children; }
std::string_view ArrowTable::columnName(int64_t column) const { return content_->schema.children[column]->name; }
std::string_view ArrowTable::columnFormat(int64_t column) const {
  const ArrowSchema& schema = *content_->schema.children[column];
  return schema.dictionary != nullptr ? schema.dictionary->format : schema.format;
}

namespace {

std::string textAt(const ArrowArrayView& view, int64_t row) {
  const ArrowStringView text = ArrowArrayViewGetStringUnsafe(&view, row);
  return std::string(text.data, static_cast<size_t>(text.size_bytes));
}

Json valueAt(const ArrowSchema& schema, const ArrowArrayView& view, int64_t row) {
  if (ArrowArrayViewIsNull(&view, row)) return nullptr;
  if (view.dictionary != nullptr) return textAt(*view.dictionary, ArrowArrayViewGetIntUnsafe(&view, row));
  switch (view.storage_type) {
    case NANOARROW_TYPE_BOOL:
      return ArrowArrayViewGetIntUnsafe(&view, row) != 0;
    case NANOARROW_TYPE_INT32:
    case NANOARROW_TYPE_INT64:
      return ArrowArrayViewGetIntUnsafe(&view, row);
    case NANOARROW_TYPE_DOUBLE:
      return ArrowArrayViewGetDoubleUnsafe(&view, row);
    case NANOARROW_TYPE_STRING:
      return textAt(view, row);
    case NANOARROW_TYPE_STRUCT: {
      Json object = Json::object();
      for (int64_t child = 0; child < view.n_children; ++child)
        object[schema.children[child]->name] = valueAt(*schema.children[child], *view.children[child], row);
      return object;
    }
    default:
      break;
  }
  const int64_t end = ArrowArrayViewListChildOffset(&view, row + 1);
  const bool isMap = view.storage_type == NANOARROW_TYPE_MAP;
  Json items = isMap ? Json::object() : Json::array();
  for (int64_t item = ArrowArrayViewListChildOffset(&view, row); item < end; ++item) {
    const ArrowSchema& itemSchema = *schema.children[0];
    const ArrowArrayView& itemView = *view.children[0];
    if (isMap)
      items[textAt(*itemView.children[0], item)] = valueAt(*itemSchema.children[1], *itemView.children[1], item);
    else
      items.push_back(valueAt(itemSchema, itemView, item));
  }
  return items;
}

}  // namespace

std::string ArrowTable::head(int64_t rows) const {
  const auto reset = [](ArrowArrayView* view) { ArrowArrayViewReset(view); };
  ArrowArrayView view;
  require(ArrowArrayViewInitFromSchema(&view, &content_->schema, nullptr));
  const std::unique_ptr<ArrowArrayView, decltype(reset)> owned(&view, reset);
  require(ArrowArrayViewSetArray(&view, &content_->batch, nullptr));
  Json all = Json::array();
  for (int64_t row = 0; row < std::min(rows, this->rows()); ++row) all.push_back(valueAt(content_->schema, view, row));
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void ArrowTable::exportSchema(ArrowSchema& schema) const { require(ArrowSchemaDeepCopy(&content_->schema, &schema)); }

void ArrowTable::exportStream(ArrowArrayStream& stream) const {
  ArrowSchema schema;
  exportSchema(schema);
  if (const ArrowErrorCode code = ArrowBasicArrayStreamInit(&stream, &schema, 1); code != NANOARROW_OK) {
    schema.release(&schema);
    require(code);
  }
  ArrowArray batch = share(content_->batch, content_);
  ArrowBasicArrayStreamSetArray(&stream, 0, &batch);
}

}  // namespace amdahlc::python
