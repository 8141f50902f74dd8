/// Tables in the form of Arrow's C data interface, which data frames of all kinds take without copying.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "report/table.h"

struct ArrowArray;
struct ArrowArrayStream;
struct ArrowSchema;

namespace amdahlc::python {

/// One schema and one batch of rows. It never changes, and its streams keep it alive.
class ArrowTable {
 public:
  /// Of rows as JSON and the JSON Schema of one row. Integers are int64, numbers double, texts utf8; lists are lists,
  /// and objects are structs, or maps where their keys are names. Throws std::runtime_error if a row does not follow
  /// the schema.
  static ArrowTable ofRows(std::string_view rows, std::string_view rowSchema);
  /// Texts are dictionaries.
  static ArrowTable ofEvents(DeviceEventTable events);

  int64_t rows() const;
  int64_t columns() const;
  std::string_view columnName(int64_t column) const;
  /// As Arrow's format string has it: `l`, `g`, `u`, `+l`.
  std::string_view columnFormat(int64_t column) const;
  /// The first rows as a JSON array of objects, for people.
  std::string head(int64_t rows) const;
  /// A stream of one batch. The caller releases it as Arrow's C stream interface has it.
  void exportStream(ArrowArrayStream& stream) const;
  void exportSchema(ArrowSchema& schema) const;

 private:
  struct Content;
  explicit ArrowTable(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

}  // namespace amdahlc::python
