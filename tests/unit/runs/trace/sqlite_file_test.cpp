#include "runs/trace/sqlite_file.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/runs/trace/nsys_fixture.h"
#include "tests/unit/runs/trace/trace_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;
namespace fs = std::filesystem;

namespace {

/// A new folder, removed at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("sqlite_file_test_{}", counter_++)) {
    fs::remove_all(path_);
    fs::create_directory(path_);
  }
  ~Folder() {
    fs::permissions(path_, fs::perms::owner_all);
    fs::remove_all(path_);
  }
  fs::path add(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(path_)) out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
  const fs::path& path() const { return path_; }

 private:
  static inline int counter_ = 0;
  fs::path path_;
};

std::string smallExport() {
  NsightExport file;
  file.launch(1000, 1).launch(2000, 2).range(900, 2100, "step");
  return file.bytes();
}

}  // namespace

TEST_CASE("a database is read in place under any name, and nothing is left beside it") {
  const Folder folder;
  for (const char* name : {"a.sqlite", "100% of?it#1 & \"x\".sqlite", "\xC3\xA9.db"}) {
    CAPTURE(name);
    const fs::path path = folder.add(name, smallExport());
    fs::permissions(path, fs::perms::owner_read);
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    const Read read = readFiles({path});
    fs::permissions(folder.path(), fs::perms::owner_all);
    REQUIRE_MESSAGE(read.timeline, read.reported);
    CHECK(read.timeline->size() == 2);
    CHECK(read.timeline->file == name);
    CHECK(folder.names() == std::vector<std::string>{name});
    fs::remove(path);
  }
}

TEST_CASE("a database that asks for a write-ahead log is read without one, in place and from memory") {
  std::string bytes = smallExport();
  bytes[18] = bytes[19] = 2;
  const Folder folder;
  const fs::path path = folder.add("t.sqlite", bytes);
  CHECK(readFiles({path}).timeline);
  CHECK(folder.names().size() == 1);
  CHECK(readText(bytes).timeline);
}

TEST_CASE("a database that its writer has not finished is an error") {
  const Folder folder;
  const fs::path path = folder.add("t.sqlite", smallExport());
  folder.add("t.sqlite-wal", "");
  folder.add("t.sqlite-journal", std::string(512, '\0'));
  CHECK(readFiles({path}).timeline);
  folder.add("t.sqlite-journal", "\xd9\xd5\x05\xf9 changes");
  const Read read = readFiles({path});
  CHECK_FALSE(read.timeline);
  CHECK(contains(read.reported, "`t.sqlite-journal` holds changes"));
}

TEST_CASE("a database cut off at any page, and at many bytes, is an error with a place") {
  const std::string bytes = smallExport();
  const Folder folder;
  for (size_t length = 16; length < bytes.size(); length += length < 200 ? 1 : 509) {
    CAPTURE(length);
    const Read read = readText(std::string_view(bytes).substr(0, length));
    CHECK_FALSE(read.timeline);
    CHECK(contains(read.reported, fmt::format("byte {}: error[trace-invalid]", length)));
    const Read inPlace = readFiles({folder.add("t.sqlite", std::string_view(bytes).substr(0, length))});
    CHECK_FALSE(inPlace.timeline);
    CHECK(contains(inPlace.reported, "cut off"));
  }
}

TEST_CASE("any changed byte of a database gives a timeline or an error, never a crash") {
  const std::string good = smallExport();
  for (size_t at = 0; at < good.size(); ++at) {
    if (good[at] == '\0' && at > 100 && at % 13 != 0) continue;  // free space, mostly
    for (const char byte : {'\0', '\xFF', '\x03'}) {
      std::string bytes = good;
      bytes[at] = byte;
      const Read read = readText(bytes);
      if (!read.timeline) CHECK(contains(read.reported, "error["));
    }
  }
}

TEST_CASE("a recorded export with damaged pages gives a timeline or an error, never a crash") {
  const auto bytes = sharedFile("traces/nsys/h100_2gpu_1s.sqlite");
  if (!bytes) return;
  uint32_t random = 1;
  for (int trial = 0; trial < 20; ++trial) {
    std::string damaged = *bytes;
    for (int i = 0; i < 2; ++i) {
      random = random * 1664525 + 1013904223;
      damaged[4096 + random % (damaged.size() - 4096)] = static_cast<char>(random >> 24);
    }
    const Read read = readText(damaged);
    if (!read.timeline) CHECK(contains(read.reported, "error["));
  }
}

TEST_CASE("a page that is linked twice is an error") {
  Database file(
      "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, text TEXT);"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)"
      " INSERT INTO NVTX_EVENTS SELECT i, i + 1, hex(zeroblob(50)) FROM n");
  std::string bytes = file.bytes();
  REQUIRE(readText(bytes).timeline);
  // Page 2 is the root of the table: an interior page (5) with an array of cells, each the number of a child.
  const size_t page = 4096;
  REQUIRE(bytes[page] == 5);
  const auto cell = [&](size_t index) {
    const size_t at = page + 12 + 2 * index;
    return page +
           static_cast<size_t>(static_cast<unsigned char>(bytes[at]) << 8 | static_cast<unsigned char>(bytes[at + 1]));
  };
  for (size_t i = 0; i < 4; ++i) bytes[cell(3) + i] = bytes[cell(0) + i];
  const Read read = readText(bytes);
  CHECK_FALSE(read.timeline);
  CHECK(contains(read.reported, "rows of the table `NVTX_EVENTS` are out of order"));
}

TEST_CASE("views and virtual tables are no tables, and take no time") {
  Database file(
      "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
      "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
      " SELECT i AS start, i + 1 AS end FROM n;"
      "CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_MEMCPY USING fts5(start, end);");
  const Read read = readText(file.bytes());
  REQUIRE_MESSAGE(read.timeline, read.reported);
  CHECK(read.timeline->size() == 0);
}

TEST_CASE("a column that is computed is missing") {
  Database file(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(a TEXT, end INTEGER, start INTEGER AS "
      "(length(replace(hex(zeroblob(30000)),"
      " '0', hex(zeroblob(1000)))))); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(a, end) VALUES('x', 5), ('y', 6);");
  const Read read = readText(file.bytes());
  REQUIRE_MESSAGE(read.timeline, read.reported);
  CHECK(read.timeline->size() == 0);
}

TEST_CASE("a database of another program is an error that names its tables") {
  const Read read =
      readText(Database("CREATE TABLE users(id INTEGER); CREATE TABLE \"or\x1b[2Jders\"(id INTEGER)").bytes());
  CHECK_FALSE(read.timeline);
  CHECK(contains(read.reported, "trace-unknown-format"));
  CHECK(contains(read.reported, "its tables are `or?[2Jders`, `users`"));
  CHECK(contains(readText(Database("CREATE TABLE a(b); DROP TABLE a").bytes()).reported, "it has no tables"));
}

TEST_CASE("a table without rows in order is an error, not a crash") {
  const Read read =
      readText(Database("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER PRIMARY KEY, end INTEGER) WITHOUT ROWID")
                   .bytes());
  CHECK_FALSE(read.timeline);
  CHECK(contains(read.reported, "error[trace-invalid]"));
}
