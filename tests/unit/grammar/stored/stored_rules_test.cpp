#include "grammar/stored/stored_rules.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "grammar/stored/archive.h"

using namespace amdahlc;
using namespace amdahlc::grammar;

namespace {

namespace fs = std::filesystem;

std::vector<RequestedName> filesOf(const StoredSet& set, const fs::path& folder) {
  std::vector<RequestedName> files;
  std::string_view names = set.names;
  for (size_t end = 0; (end = names.find(' ')) != std::string_view::npos; names.remove_prefix(end + 1))
    files.push_back({(folder / names.substr(0, end)).string(), {}});
  return files;
}

std::string packed(ir::RuleSet rules) {
  Packer packer(1);
  packer.add(rules);
  return packer.bytes();
}

}  // namespace

TEST_CASE("stored rules are those of the files, at the same places") {
  size_t rules = 0;
  for (const StoredSet& set : storedSets()) {
    INFO(set.names);
    const std::vector<RequestedName> files = filesOf(set, "rules/pytorch/..");
    SourceManager sources[2];
    for (SourceManager& one : sources) one.add("<test>", "");
    DiagnosticEngine diagnostics([](const Diagnostic& diagnostic) { FAIL(diagnostic.message); });
    const auto read = loadRules(files, {}, sources[0], diagnostics);
    const auto stored = storedRules(files, sources[1]);
    REQUIRE(read);
    REQUIRE(stored);
    CHECK(packed(*stored) == packed(*read));
    CHECK(stored->rules.front() == read->rules.front());
    REQUIRE(sources[1].size() == sources[0].size());
    for (BufferId file = 0; file < sources[0].size(); ++file) {
      CHECK(sources[1].name(file) == sources[0].name(file));
      CHECK(sources[1].text(file) == sources[0].text(file));
    }
    rules += stored->rules.size();
  }
  CHECK(rules > 200);
  const auto isOfPrograms = [](const StoredSet& set) { return set.names == "pytorch.akp pytorch_programs.akp "; };
  CHECK(std::ranges::count_if(storedSets(), isOfPrograms) == 1);
}

TEST_CASE("stored rules are not those of files that have changed") {
  std::string name = (fs::temp_directory_path() / "amdahlc-test-XXXXXX").string();
  const fs::path folder = mkdtemp(name.data());
  fs::copy("rules", folder, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  const std::vector<RequestedName> files{{(folder / "pytorch.akp").string(), {}}};
  SourceManager sources;
  CHECK(storedRules(files, sources));
  const size_t before = sources.size();
  std::ofstream(folder / "pytorch" / "gemm.akp", std::ios::app) << "\n";
  CHECK_FALSE(storedRules(files, sources));
  fs::remove(folder / "pytorch" / "gemm.akp");
  CHECK_FALSE(storedRules(files, sources));
  CHECK(sources.size() == before);
  fs::remove_all(folder);
}
