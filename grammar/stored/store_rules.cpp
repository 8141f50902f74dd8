// store_rules FOLDER SOURCE: writes a source with the rules of the libraries in a folder, for the build. A library
// about which there is a message is left out, so that each run that uses it tells the message. It is an error if no
// library is left, or if the source cannot be written.
#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/rule_loader.h"
#include "grammar/stored/archive.h"
#include "support/content_hash.h"

namespace {

namespace fs = std::filesystem;
using namespace amdahlc;

/// As parts of a literal of C++.
std::string literal(std::string_view bytes) {
  constexpr size_t kLine = 32;
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i % kLine == 0) text += i == 0 ? "\"" : "\"\n\"";
    fmt::format_to(std::back_inserter(text), "\\{:03o}", static_cast<unsigned char>(bytes[i]));
  }
  return text + '"';
}

/// The members of a `StoredSet`; empty if there is a message. Its files are declared in `declarations`.
std::string stored(const std::vector<fs::path>& library, const fs::path& folder, std::string& declarations) {
  SourceManager sources;
  sources.add("<nowhere>", "");
  std::vector<grammar::RequestedName> requested;
  std::string names;
  for (const fs::path& file : library) {
    requested.push_back({file.string(), {}});
    names += file.filename().string() + ' ';
  }
  bool hasMessage = false;
  DiagnosticEngine diagnostics([&](const Diagnostic&) { hasMessage = true; });
  auto rules = grammar::loadRules(requested, {}, sources, diagnostics);
  if (!rules || hasMessage) return {};
  std::string id;
  for (const char c : names) id += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  auto out = std::back_inserter(declarations);
  fmt::format_to(out, "constexpr StoredFile files_{}[] = {{\n", id);
  for (BufferId file = kNoFile + 1; file < sources.size(); ++file)
    fmt::format_to(out, "{{\"{}\", \"{}\"}},\n",
                   fs::path(sources.name(file)).lexically_relative(folder).generic_string(),
                   contentHash(sources.text(file)));
  Packer packer;
  packer.add(*rules);
  fmt::format_to(out, "}};\nconstexpr char rules_{}[] =\n{};\n", id, literal(packer.bytes()));
  return fmt::format("{{\"{0}\", files_{1}, {{rules_{1}, {2}}}}},\n", names, id, packer.bytes().size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const fs::path folder = argv[1];
  std::string declarations, sets;
  const std::vector<fs::path> libraries = grammar::ruleFilesOnDisk().rulesIn(folder);
  std::set<fs::path> ofOthers;
  for (const fs::path& library : libraries) ofOthers.insert(grammar::rulesOfPrograms(library));
  for (const fs::path& library : libraries) {
    if (ofOthers.contains(library)) continue;
    sets += stored({library}, folder, declarations);
    const fs::path ofPrograms = grammar::rulesOfPrograms(library);
    if (fs::exists(ofPrograms)) sets += stored({library, ofPrograms}, folder, declarations);
  }
  if (sets.empty()) {
    fmt::print(stderr, "store_rules: no library of `{}` is without messages\n", folder.string());
    return 1;
  }
  std::ofstream source(argv[2]);
  source << "#include \"grammar/stored/stored_rules.h\"\nnamespace amdahlc::grammar {\n"
         << declarations << "constexpr StoredSet kSets[] = {\n"
         << sets << "};\nstd::span<const StoredSet> storedSets() { return kSets; }\n}\n";
  source.close();
  if (source) return 0;
  fmt::print(stderr, "store_rules: cannot write `{}`\n", argv[2]);
  return 1;
}
