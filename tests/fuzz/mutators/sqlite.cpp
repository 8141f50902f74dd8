/// Mutates SQLite databases by rows, columns and tables.
#include <fmt/format.h>
#include <sqlite3.h>

#include <vector>

#include "mutation.h"

namespace amdahlc::fuzz {
namespace {

/// A database in memory that changes nothing but itself.
class Database {
 public:
  explicit Database(std::string_view bytes) {
    if (sqlite3_open(":memory:", &database_) != SQLITE_OK) return;
    for (const int option :
         {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA})
      sqlite3_db_config(database_, option, 0, nullptr);
    sqlite3_progress_handler(database_, 100000, [](void*) { return 1; }, nullptr);
    auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
    std::memcpy(copy, bytes.data(), bytes.size());
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    sqlite3_deserialize(database_, "main", copy, size, size,
                        SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  }
  ~Database() { sqlite3_close(database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  bool run(const std::string& sql) {
    return sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }

  /// The first column of the rows.
  std::vector<std::string> list(const std::string& sql) {
    std::vector<std::string> out;
    const auto add = [](void* to, int, char** values, char**) {
      static_cast<std::vector<std::string>*>(to)->emplace_back(values[0] ? values[0] : "");
      return 0;
    };
    sqlite3_exec(database_, sql.c_str(), add, &out, nullptr);
    return out;
  }

  std::string bytes() {
    sqlite3_int64 size = 0;
    unsigned char* data = sqlite3_serialize(database_, "main", &size, 0);
    if (data == nullptr) return {};
    std::string out(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
    sqlite3_free(data);
    return out;
  }

 private:
  sqlite3* database_ = nullptr;
};

std::string quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += c;
    if (c != '\0') out += c;
  }
  return out + quote;
}

std::string someValue(Random& random) {
  switch (random.below(4)) {
    case 0:
      return "NULL";
    case 1:
      return quoted(random.of(kOddNames), '\'');
    case 2:
      return std::to_string(random.below(10));
    default:
      return fmt::format("{}", random.of(kEdgeNumbers));
  }
}

bool mutate(Database& database, Random& random) {
  const auto tables = database.list("SELECT name FROM sqlite_schema WHERE type = 'table'");
  if (tables.empty()) return false;
  const std::string table = quoted(random.of(tables), '"');
  const auto columns = database.list(fmt::format("SELECT name FROM pragma_table_info({})", table));
  if (columns.empty()) return false;
  const std::string column = quoted(random.of(columns), '"');
  const std::string other = quoted(random.of(columns), '"');
  const std::string row = fmt::format("(SELECT rowid FROM {0} LIMIT 1 OFFSET {1} % max(1, (SELECT count(*) FROM {0})))",
                                      table, random.below(1000));
  switch (random.below(9)) {
    case 0:
      return database.run(fmt::format("DELETE FROM {} WHERE rowid = {}", table, row));
    case 1:
      return database.run(fmt::format("INSERT OR IGNORE INTO {0} SELECT * FROM {0} WHERE rowid = {1}", table, row));
    case 2:
      return database.run(fmt::format("UPDATE OR IGNORE {} SET {} = {} WHERE rowid = {}", table, column, other, row));
    case 3:
      if (random.oneIn(8)) return database.run(fmt::format("ALTER TABLE {} DROP COLUMN {}", table, column));
      if (random.oneIn(8)) return database.run(fmt::format("DROP TABLE {}", table));
      if (random.oneIn(8))
        return database.run(fmt::format("UPDATE OR IGNORE {} SET {} = {}", table, column, someValue(random)));
      [[fallthrough]];
    case 4:
      return database.run(fmt::format("UPDATE OR IGNORE {0} SET {1} = {1} + {2} WHERE rowid = {3}", table, column,
                                      static_cast<int64_t>(random.below(2000)) - 1000, row));
    default:
      return database.run(
          fmt::format("UPDATE OR IGNORE {} SET {} = {} WHERE rowid = {}", table, column, someValue(random), row));
  }
}

}  // namespace

size_t mutateDatabase(uint8_t* data, size_t size, size_t maxSize, unsigned seed) {
  Random random(seed);
  if (size < 100 || random.oneIn(5)) return LLVMFuzzerMutate(data, size, maxSize);
  Database database({reinterpret_cast<const char*>(data), size});
  bool changed = false;
  for (size_t changes = 1 + random.below(4); changes > 0; --changes) changed |= mutate(database, random);
  return store(changed ? database.bytes() : std::string(), data, size, maxSize);
}

}  // namespace amdahlc::fuzz
