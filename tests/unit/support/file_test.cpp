#include "support/file.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

using namespace amdahlc;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "amdahlc-test-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

constexpr uint64_t kLimit = 1 << 20;

}  // namespace

TEST_CASE("a file is replaced as a whole and keeps its permissions") {
  const Folder folder;
  DiagnosticEngine engine;
  const fs::path path = folder.path / "out.json";
  CHECK(writeFileAtomically(path, "one", engine));
  ::chmod(path.c_str(), 0640);
  std::ifstream open(path);  // a reader that has the old file keeps it
  CHECK(writeFileAtomically(path, "two, longer", engine));
  CHECK(readFile(path, kLimit, engine) == "two, longer");
  CHECK(std::string(std::istreambuf_iterator<char>(open), {}) == "one");
  CHECK((fs::status(path).permissions() & fs::perms::mask) == fs::perms(0640));
  CHECK(folder.entries() == 1);
  CHECK(!engine.hasErrors());
}

TEST_CASE("a symbolic link stays one; its destination is replaced") {
  const Folder folder;
  DiagnosticEngine engine;
  fs::create_directory(folder.path / "real");
  fs::create_symlink("real/out", folder.path / "link");
  CHECK(writeFileAtomically(folder.path / "link", "new", engine));
  CHECK(fs::is_symlink(folder.path / "link"));
  CHECK(readFile(folder.path / "real" / "out", kLimit, engine) == "new");
  fs::create_symlink("circle", folder.path / "circle");
  CHECK_FALSE(writeFileAtomically(folder.path / "circle", "new", engine));
}

TEST_CASE("a target that cannot be written is an error and leaves no temporary file") {
  const Folder folder;
  DiagnosticEngine engine;
  CHECK_FALSE(writeFileAtomically(folder.path / "missing" / "out", "x", engine));
  CHECK_FALSE(writeFileAtomically(folder.path, "x", engine));
  CHECK_FALSE(writeFileAtomically("", "x", engine));
  CHECK_FALSE(writeFileAtomically("/dev/full", "x", engine));
  CHECK(engine.errorCount() == 4);
  CHECK(folder.entries() == 0);
  CHECK(writeFileAtomically("/dev/null", "x", engine));
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a write that fails half way leaves only the old file") {
  const Folder folder;
  DiagnosticEngine engine;
  REQUIRE(writeFileAtomically(folder.path / "out", "old", engine));
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{10, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const bool written = writeFileAtomically(folder.path / "out", "longer than ten bytes", engine);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK_FALSE(written);
  CHECK(readFile(folder.path / "out", kLimit, engine) == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("of several files all are written or none") {
  const Folder folder;
  DiagnosticEngine engine;
  REQUIRE(writeFileAtomically(folder.path / "a", "old", engine));
  const FileToWrite spoilt[] = {{folder.path / "a", "new"}, {folder.path / "b", "new"}, {"/dev/full", "x"}};
  CHECK_FALSE(writeFilesAtomically(spoilt, engine));
  CHECK(engine.errorCount() == 1);
  CHECK(readFile(folder.path / "a", kLimit, engine) == "old");
  CHECK(folder.entries() == 1);
  const FileToWrite good[] = {{folder.path / "a", "new"}, {folder.path / "b", "newer"}, {"/dev/null", "x"}};
  CHECK(writeFilesAtomically(good, engine));
  CHECK(readFile(folder.path / "a", kLimit, engine) == "new");
  CHECK(readFile(folder.path / "b", kLimit, engine) == "newer");
  CHECK(folder.entries() == 2);
}

TEST_CASE("a pipe is written in place and read to its end") {
  const Folder folder;
  DiagnosticEngine engine;
  const fs::path path = folder.path / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const std::string sent(300000, 'p');
  std::thread writer([&] {
    DiagnosticEngine own;
    writeFileAtomically(path, sent, own);
  });
  const auto got = readFile(path, kLimit, engine);
  writer.join();
  CHECK(got == sent);
  CHECK(fs::is_fifo(path));
}

TEST_CASE("reading is bounded") {
  const Folder folder;
  DiagnosticEngine engine;
  const fs::path path = folder.path / "in";
  REQUIRE(writeFileAtomically(path, "12345", engine));
  CHECK(readFile(path, 5, engine) == "12345");
  CHECK(!engine.hasErrors());
  CHECK(!readFile(path, 4, engine));
  CHECK(!readFile("/dev/zero", 100000, engine));
  CHECK(!readFile(folder.path, kLimit, engine));
  CHECK(!readFile(folder.path / "absent", kLimit, engine));
  CHECK(engine.errorCount() == 4);
}

TEST_CASE("an input is named by its path, and `-` is stdin") {
  CHECK(inputName("-") == "<stdin>");
  CHECK(inputName("dir/-") == "dir/-");
}
