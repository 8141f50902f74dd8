/// A trace that is an SQLite database. Read-only: nothing is written to it or beside it. Internal to the readers.
///
/// The file is not trusted. Nothing of it is a program that runs: views, triggers, functions, virtual tables and
/// extensions are off, and generated columns are not read. The work of a query is bounded by the size of the file, and
/// a table whose rows are not in ascending order of their rowid is damaged.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runs/files/trace_file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace amdahlc::trace {

/// Thrown while a database is read; the reader catches it and reports `trace-invalid`.
class SqliteError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether the bytes are the beginning of an SQLite database.
bool looksLikeSqlite(std::string_view bytes);

class SqliteFile {
 public:
  /// Reports a file that is damaged, cut off or unfinished, and returns null. A plain file is read in place; any other
  /// is read into memory.
  static std::unique_ptr<SqliteFile> open(TraceFile& file, DiagnosticEngine& diagnostics);
  ~SqliteFile();

  /// The names of the ordinary tables, sorted.
  const std::vector<std::string>& tables() const { return tables_; }
  /// The table `base`, or the one with the highest version of its name (`base_V2`); empty if there is none.
  std::string newestTable(std::string_view base) const;

  /// The rows of a table, one after the other.
  class Rows {
   public:
    Rows(Rows&& other) noexcept;
    ~Rows();
    /// Steps to the next row; false after the last one.
    bool next();

   private:
    friend class SqliteFile;
    Rows(SqliteFile& file, sqlite3_stmt* statement, std::string table, std::vector<bool> present)
        : file_(file), statement_(statement), table_(std::move(table)), present_(std::move(present)) {}

    SqliteFile& file_;
    sqlite3_stmt* statement_;
    std::string table_;
    std::vector<bool> present_;
    std::optional<int64_t> rowId_;
  };
  /// A value of the row at hand.
  class Cell {
   public:
    Cell(const Rows& rows, size_t column) : rows_(rows), column_(static_cast<int>(column)) {}
    /// Whether the table has the column.
    bool exists() const { return rows_.present_[static_cast<size_t>(column_)]; }
    /// nullopt for NULL, for a missing column, and for a value of another type, which is counted.
    std::optional<int64_t> integer() const;
    /// The same for text, which lives until the next row.
    std::optional<std::string_view> text() const;

   private:
    bool isOfType(int type) const;

    const Rows& rows_;
    int column_;
  };
  /// Calls `read` with the cells of these columns in each row of the newest table `base`, if there is one. A missing
  /// column reads as NULL, and so does a generated one, whose value is an expression of the file.
  template <size_t kCount, typename Read>
  void eachRow(std::string_view base, const std::string_view (&columns)[kCount], const Read& read) {
    const std::string table = newestTable(base);
    if (table.empty()) return;
    Rows all = rows(table, columns);
    while (all.next())
      [&]<size_t... kColumn>(std::index_sequence<kColumn...>) {
        read(Cell(all, kColumn)...);
      }(std::make_index_sequence<kCount>());
  }

  /// Values of an unexpected type, over all rows read.
  int64_t wrongTypes() const { return wrongTypes_; }
  /// For rows that are read twice.
  void resetWrongTypes(int64_t count) { wrongTypes_ = count; }

 private:
  SqliteFile() = default;
  bool connect(TraceFile& file, DiagnosticEngine& diagnostics);
  void protect();
  void forbidFunctions();
  /// Reads the schema; then larger values and more work are allowed than it may have.
  void allowValues(uint64_t bytes);
  void listTables();
  sqlite3_stmt* prepare(const std::string& query);
  Rows rows(const std::string& table, std::span<const std::string_view> columns);
  /// Throws what the last failed call of the library was about.
  [[noreturn]] void fail(const std::string& doing);
  static int spend(void* self);

  sqlite3* database_ = nullptr;
  /// The database, if it is not read in place.
  std::string bytes_;
  std::vector<std::string> tables_;
  int64_t wrongTypes_ = 0;
  /// Steps of SQLite's virtual machine that are left.
  uint64_t stepsLeft_ = 0;
  /// Bytes of the longest value.
  size_t longest_ = 0;
};

}  // namespace amdahlc::trace
