#include "runs/trace/sqlite_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <new>
#include <set>
#include <utility>

#include "support/decimal_time.h"
#include "support/limits.h"

namespace amdahlc::trace {
namespace {

/// SQLite's own header, from the description of its file format.
constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};
constexpr size_t kSqliteHeaderBytes = 100;
constexpr size_t kPageSizeAt = 16, kWriteVersionAt = 18, kChangeCounterAt = 24, kPageCountAt = 28, kValidForAt = 92;

/// The virtual machine spends about 45 steps on a row of 25 columns, and a row takes at least one byte per column: an
/// honest file needs a few steps per byte, however often the reader passes through it.
constexpr uint64_t kStepsPerByte = 30;
constexpr uint64_t kFreeSteps = 10'000'000;
/// Of reading the schema and what ANALYZE noted of its indexes.
constexpr uint64_t kStepsOfSchema = 1'000'000;
constexpr int kStepsPerCall = 10'000;

uint64_t bigEndian(std::string_view bytes, size_t at, size_t count) {
  uint64_t number = 0;
  for (size_t i = 0; i < count; ++i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

/// The bytes that the header says the file has; nullopt if the header does not say it reliably.
std::optional<uint64_t> sizeInHeader(std::string_view header) {
  if (bigEndian(header, kChangeCounterAt, 4) != bigEndian(header, kValidForAt, 4)) return std::nullopt;
  const uint64_t pageSize = bigEndian(header, kPageSizeAt, 2), pages = bigEndian(header, kPageCountAt, 4);
  if (pages == 0) return std::nullopt;
  return pages * (pageSize == 1 ? 65536 : pageSize);
}

/// An URI of the file, so that SQLite takes neither locks nor looks for files beside it.
std::string uriOf(const std::string& path) {
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error).string();
  if (error) throw SqliteError(fmt::format("the path cannot be made absolute: {}", error.message()));
  std::string uri = "file://";
  for (const char c : absolute)
    if (c == '%' || c == '?' || c == '#')
      uri += fmt::format("%{:02X}", c);
    else
      uri += c;
  return uri + "?mode=ro&immutable=1";
}

/// Whether a file beside the database holds changes that the database lacks: its writer has not finished. A journal
/// that is over begins with a zero. Only a regular file is opened, because a pipe would wait for a writer.
bool holdsChanges(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  return file.get() > 0;
}

/// `"a""b"`
std::string sqlName(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace

bool looksLikeSqlite(std::string_view bytes) { return bytes.starts_with(kSqliteMagic); }

std::unique_ptr<SqliteFile> SqliteFile::open(TraceFile& file, DiagnosticEngine& diagnostics) {
  std::unique_ptr<SqliteFile> out(new SqliteFile);
  try {
    if (!out->connect(file, diagnostics)) return nullptr;
    return out;
  } catch (const SqliteError& error) {
    diagnostics.error(DiagId::TraceInvalid, FileLocation{file.name()}, error.what());
    return nullptr;
  }
}

SqliteFile::~SqliteFile() { sqlite3_close_v2(database_); }

bool SqliteFile::connect(TraceFile& file, DiagnosticEngine& diagnostics) {
  const std::string& path = file.plainPath();
  for (const char* suffix : {"-wal", "-journal"}) {
    if (path.empty() || !holdsChanges(path + suffix)) continue;
    diagnostics.error(
        DiagId::TraceInvalid, FileLocation{file.name()},
        fmt::format("the SQLite database is not finished: `{}{}` holds changes that it lacks; let the program "
                    "that writes it finish, or export it again",
                    file.lastComponent(), suffix));
    return false;
  }
  const std::string_view header = file.beginning();
  const auto expected = header.size() < kSqliteHeaderBytes ? kSqliteHeaderBytes : sizeInHeader(header);
  uint64_t size = 0;
  if (path.empty()) {
    auto bytes = file.readAll(limits::kCompressedDatabaseBytes, expected);
    if (!bytes) return false;
    bytes_ = std::move(*bytes);
    size = bytes_.size();
  } else {
    std::error_code error;
    size = std::filesystem::file_size(path, error);
    if (error) throw SqliteError(fmt::format("the size of the file cannot be read: {}", error.message()));
  }
  if (expected && size < *expected) {
    diagnostics.error(
        DiagId::TraceInvalid, file.at(size),
        fmt::format("the SQLite database ends after {} of {} bytes; the file is cut off", size, *expected));
    return false;
  }
  // `readAll` has said so of bytes in memory.
  if (expected && size > *expected) {
    file.reportGoesOn(*expected);
    return false;
  }

  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  int status = path.empty() ? sqlite3_open_v2(":memory:", &database_, SQLITE_OPEN_READWRITE | flags, nullptr)
                            : sqlite3_open_v2(uriOf(path).c_str(), &database_,
                                              SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | flags, nullptr);
  if (status != SQLITE_OK) fail("cannot be opened");
  protect();
  if (path.empty()) {
    // A database in memory cannot have a write-ahead log; the version numbers ask for one, and the pages are the same.
    for (const size_t at : {kWriteVersionAt, kWriteVersionAt + 1})
      if (bytes_[at] == 2) bytes_[at] = 1;
    const auto count = static_cast<sqlite3_int64>(bytes_.size());
    status = sqlite3_deserialize(database_, "main", reinterpret_cast<unsigned char*>(bytes_.data()), count, count,
                                 SQLITE_DESERIALIZE_READONLY);
    if (status != SQLITE_OK) fail("cannot be opened");
  }
  listTables();
  allowValues(size);
  return true;
}

/// What SQLite's documentation recommends for files from untrusted sources, and bounds on the work.
void SqliteFile::protect() {
  const auto set = [&](int option, int value) { sqlite3_db_config(database_, option, value, nullptr); };
  set(SQLITE_DBCONFIG_DEFENSIVE, 1);
  set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0);
  set(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0);
  set(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0);
  set(SQLITE_DBCONFIG_ENABLE_VIEW, 0);
  // Without it, a cell that begins in its page and ends behind it is read on in whatever memory follows.
  if (sqlite3_exec(database_, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr) != SQLITE_OK)
    fail("cannot be opened");
  forbidFunctions();
  sqlite3_drop_modules(database_, nullptr);
  longest_ = limits::kTableDeclarationBytes;
  for (const int limit : {SQLITE_LIMIT_LENGTH, SQLITE_LIMIT_SQL_LENGTH})
    sqlite3_limit(database_, limit, static_cast<int>(longest_));
  sqlite3_limit(database_, SQLITE_LIMIT_EXPR_DEPTH, 100);
  sqlite3_limit(database_, SQLITE_LIMIT_COMPOUND_SELECT, 2);
  sqlite3_limit(database_, SQLITE_LIMIT_VDBE_OP, 100'000);
  sqlite3_limit(database_, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database_, SQLITE_LIMIT_WORKER_THREADS, 0);
  stepsLeft_ = kStepsOfSchema;
  sqlite3_progress_handler(database_, kStepsPerCall, &SqliteFile::spend, this);
}

/// Expressions of the file may call functions: those of generated columns, which SQLite reads on its own where it looks
/// for what ANALYZE noted. One call may take as long as its arguments are long, squared, and is one step.
void SqliteFile::forbidFunctions() {
  std::set<std::string> names;
  sqlite3_stmt* const list = prepare("PRAGMA function_list");
  while (sqlite3_step(list) == SQLITE_ROW) names.emplace(reinterpret_cast<const char*>(sqlite3_column_text(list, 0)));
  sqlite3_finalize(list);
  const auto refuse = [](sqlite3_context* context, int, sqlite3_value**) {
    sqlite3_result_error(context, "functions of the file do not run", -1);
  };
  // So declared, one that is never called may occur in any place of the schema.
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  for (const std::string& name : names)
    if (sqlite3_create_function_v2(database_, name.c_str(), -1, kFlags, nullptr, refuse, nullptr, nullptr, nullptr))
      fail("cannot be opened");
}

void SqliteFile::allowValues(uint64_t bytes) {
  longest_ = std::clamp<uint64_t>(bytes, 1 << 20, 1'000'000'000);
  sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, static_cast<int>(longest_));  // no value is longer than its file
  stepsLeft_ = kFreeSteps + kStepsPerByte * bytes;
}

int SqliteFile::spend(void* self) {
  uint64_t& left = static_cast<SqliteFile*>(self)->stepsLeft_;
  left -= std::min<uint64_t>(left, kStepsPerCall);
  return left == 0;
}

void SqliteFile::fail(const std::string& doing) {
  if (database_ == nullptr) throw std::bad_alloc();
  if (sqlite3_errcode(database_) == SQLITE_NOMEM) {
    // SQLite also says so of a damaged record that claims more than any record can have. Then there is memory.
    const std::unique_ptr<char[]> memory(new (std::nothrow) char[longest_]);  // NOLINT(*-avoid-c-arrays)
    if (!memory) throw std::bad_alloc();
    throw SqliteError(fmt::format("the database {}: a record claims more than it can have; it is damaged", doing));
  }
  if (sqlite3_errcode(database_) == SQLITE_INTERRUPT)
    throw SqliteError(
        fmt::format("the database {}: that takes more steps than its size explains; it is damaged", doing));
  if (sqlite3_errcode(database_) == SQLITE_TOOBIG && longest_ == limits::kTableDeclarationBytes)
    throw SqliteError(
        fmt::format("the database {}: a declaration of its schema has more than {} bytes", doing, longest_));
  throw SqliteError(fmt::format("the database {}: {}", doing, sqlite3_errmsg(database_)));
}

sqlite3_stmt* SqliteFile::prepare(const std::string& query) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database_, query.c_str(), static_cast<int>(query.size()), &statement, nullptr) != SQLITE_OK)
    fail("cannot be read");
  return statement;
}

/// A virtual table has no root page: reading it would run a program.
void SqliteFile::listTables() {
  Rows found(*this, prepare("SELECT rowid, name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"),
             "sqlite_master", {true});
  while (found.next())
    if (const auto name = Cell(found, 0).text(); name && !name->starts_with("sqlite_")) tables_.emplace_back(*name);
  std::ranges::sort(tables_);
}

std::string SqliteFile::newestTable(std::string_view base) const {
  std::string newest;
  int64_t newestVersion = -1;
  for (const std::string& name : tables_) {
    if (!name.starts_with(base)) continue;
    const std::string_view rest = std::string_view(name).substr(base.size());
    int64_t version = 1;
    if (!rest.empty()) {
      if (!rest.starts_with("_V")) continue;
      const auto number = parseWhole(rest.substr(2));
      if (!number) continue;
      version = *number;
    }
    if (version <= newestVersion) continue;
    newestVersion = version;
    newest = name;
  }
  return newest;
}

SqliteFile::Rows SqliteFile::rows(const std::string& table, std::span<const std::string_view> columns) {
  std::vector<std::string> names;
  sqlite3_stmt* const all = prepare(fmt::format("PRAGMA table_xinfo({})", sqlName(table)));
  constexpr int kName = 1, kHidden = 6;
  while (sqlite3_step(all) == SQLITE_ROW)
    if (sqlite3_column_int(all, kHidden) == 0)
      names.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(all, kName)));
  sqlite3_finalize(all);
  std::string query = "SELECT _rowid_";
  std::vector<bool> present;
  for (const std::string_view column : columns) {
    present.push_back(std::ranges::find(names, column) != names.end());
    query += ", " + (present.back() ? sqlName(column) : "NULL");
  }
  // An index of the file need not agree with the table.
  query += fmt::format(" FROM {} NOT INDEXED", sqlName(table));
  return Rows(*this, prepare(query), table, std::move(present));
}

SqliteFile::Rows::Rows(Rows&& other) noexcept
    : file_(other.file_),
      statement_(std::exchange(other.statement_, nullptr)),
      table_(std::move(other.table_)),
      present_(std::move(other.present_)),
      rowId_(other.rowId_) {}

SqliteFile::Rows::~Rows() { sqlite3_finalize(statement_); }

bool SqliteFile::Rows::next() {
  const int status = sqlite3_step(statement_);
  if (status == SQLITE_DONE) return false;
  if (status != SQLITE_ROW) file_.fail(fmt::format("cannot be read in the table `{}`", table_));
  const int64_t rowId = sqlite3_column_int64(statement_, 0);
  // A page that is linked twice would give its rows twice, or without end.
  if (rowId_ && rowId <= *rowId_)
    throw SqliteError(fmt::format("the database is damaged: rows of the table `{}` are out of order", table_));
  rowId_ = rowId;
  return true;
}

// The first value of a row is its rowid.
bool SqliteFile::Cell::isOfType(int type) const {
  const int actual = sqlite3_column_type(rows_.statement_, column_ + 1);
  rows_.file_.wrongTypes_ += actual != type && actual != SQLITE_NULL;
  return actual == type;
}

std::optional<int64_t> SqliteFile::Cell::integer() const {
  if (!isOfType(SQLITE_INTEGER)) return std::nullopt;
  return sqlite3_column_int64(rows_.statement_, column_ + 1);
}

std::optional<std::string_view> SqliteFile::Cell::text() const {
  if (!isOfType(SQLITE_TEXT)) return std::nullopt;
  const auto* bytes = sqlite3_column_text(rows_.statement_, column_ + 1);
  if (bytes == nullptr) rows_.file_.fail(fmt::format("cannot be read in the table `{}`", rows_.table_));
  return std::string_view(reinterpret_cast<const char*>(bytes),
                          static_cast<size_t>(sqlite3_column_bytes(rows_.statement_, column_ + 1)));
}

}  // namespace amdahlc::trace
