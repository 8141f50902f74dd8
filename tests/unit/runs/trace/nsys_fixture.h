/// Small exports of Nsight Systems, for tests.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <map>
#include <string>

namespace amdahlc::testing {

/// `globalPid`, or `globalTid` with a thread, as Nsight forms it.
constexpr int64_t nsightId(int64_t pid, int64_t thread = 0) { return int64_t{1} << 48 | pid << 24 | thread; }

/// A database in memory.
class Database {
 public:
  explicit Database(const std::string& sql) {
    REQUIRE(sqlite3_open(":memory:", &database_) == SQLITE_OK);
    run(sql);
  }
  ~Database() { sqlite3_close(database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Database& run(const std::string& sql) {
    char* message = nullptr;
    const int status = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message);
    REQUIRE_MESSAGE(status == SQLITE_OK, message);
    return *this;
  }
  /// The file.
  std::string bytes() const {
    sqlite3_int64 size = 0;
    unsigned char* data = sqlite3_serialize(database_, "main", &size, 0);
    REQUIRE(data != nullptr);
    std::string out(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
    sqlite3_free(data);
    return out;
  }

 private:
  sqlite3* database_ = nullptr;
};

/// An export with empty tables, and one method for a row of each.
class NsightExport : public Database {
 public:
  NsightExport()
      : Database(
            "PRAGMA page_size = 512;"
            "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
            "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,"
            " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER,"
            " registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER,"
            " blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, correlationId "
            "INTEGER,"
            " nameId INTEGER, returnValue INTEGER);"
            "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER,"
            " globalTid INTEGER, rangeId INTEGER);") {}

  int64_t name(const std::string& text) {
    const auto [known, added] = names_.emplace(text, static_cast<int64_t>(names_.size()) + 1);
    if (added) run(fmt::format("INSERT INTO StringIds VALUES({}, '{}')", known->second, text));
    return known->second;
  }
  /// A kernel of 10 ns on device 0, context 1, with its launch 5 ns earlier.
  NsightExport& launch(int64_t startNs, int64_t correlation, int64_t pid = 100, int64_t device = 0, int64_t stream = 7,
                       const std::string& kernel = "kernel") {
    call(startNs - 5, correlation, pid);
    run(fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES({}, {}, {}, 1, {}, {}, {}, {}, {}, 32, 1, 2, 3, 64, 1, 1,"
        " 1024, 512, NULL)",
        startNs, startNs + 10, device, stream, correlation, nsightId(pid), name(kernel), name("short")));
    return *this;
  }
  NsightExport& call(int64_t startNs, int64_t correlation, int64_t pid = 100,
                     const std::string& function = "cudaLaunchKernel_v7000") {
    run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES({}, {}, {}, {}, {}, 0)", startNs, startNs + 2,
                    nsightId(pid, pid), correlation, name(function)));
    return *this;
  }
  NsightExport& range(int64_t startNs, int64_t endNs, const std::string& text, int64_t pid = 100, int type = 59) {
    run(fmt::format("INSERT INTO NVTX_EVENTS VALUES({}, {}, {}, '{}', NULL, {}, NULL)", startNs, endNs, type, text,
                    nsightId(pid, pid)));
    return *this;
  }

 private:
  std::map<std::string, int64_t> names_;
};

}  // namespace amdahlc::testing
