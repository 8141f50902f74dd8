#include "ir/text.h"

#include "ir/text/printers.h"

namespace amdahlc::ir {

void printTarget(TextWriter& out, std::string_view runtime, std::string_view vendor, std::string_view arch,
                 std::string_view device) {
  if (runtime.empty() && vendor.empty() && arch.empty() && device.empty()) return;
  out.line() << "target";
  const auto fact = [&](const char* word, std::string_view text) {
    if (!text.empty()) (out << ' ' << word << ' ').name(text);
  };
  fact("runtime", runtime);
  fact("vendor", vendor);
  fact("arch", arch);
  fact("device", device);
}

namespace {

void printHeader(TextWriter& out, const Module& module) {
  out.line() << "amdahlc.ir 1";
  out.blankLine();
  (out.line() << "model ").quoted(module.modelName);
  for (const auto& [domain, version] : module.opsets) {
    (out.line() << "opset ").name(domain.empty() ? std::string_view("ai.onnx") : std::string_view(domain))
        << ' ' << version;
  }
  const Target& target = module.target;
  printTarget(out, target.runtime, target.vendor, target.arch, target.device);
  std::vector<Facet> facets;
  for (uint8_t bit = 0; bit < kFacetCount; ++bit) {
    if (module.has(static_cast<Facet>(bit))) facets.push_back(static_cast<Facet>(bit));
  }
  if (!facets.empty()) {
    out.line() << "facets ";
    out.list(facets, [&](Facet facet) { out << name(facet); });
  }
  if (module.truncatedRoots != 0) out.line() << "truncated-roots " << module.truncatedRoots;
  for (const DataProblem& problem : module.dataProblems) {
    (out.line() << "problem ").name(problem.name) << ' ' << problem.count << ' ';
    out.quoted(problem.what);
  }
}

}  // namespace

std::string print(const Module& module) {
  TextWriter out;
  GraphPrinter graphs(module, out);
  printHeader(out, module);
  out.blankLine();
  out.line();
  graphs.printGraph(0);
  if (!module.candidates.empty()) {
    std::vector<bool> matched(module.rules.rules.size(), false);
    for (const Candidate& candidate : module.candidates) matched[candidate.rule] = true;
    out.blankLine();
    printRuleSet(out, module.rules, matched);
    out.blankLine();
    printCandidates(out, graphs, module);
  }
  if (module.has(Facet::Bound)) {
    for (const Timeline& timeline : module.timelines) {
      out.blankLine();
      printTimeline(out, timeline);
    }
  }
  for (const Cover& cover : module.covers) {
    out.blankLine();
    printCover(out, graphs, module, cover);
  }
  for (const Scenario& scenario : module.scenarios) {
    out.blankLine();
    printScenario(out, scenario);
  }
  return out.take();
}

std::string printRules(const RuleSet& rules) {
  TextWriter out;
  printRuleSet(out, rules, std::vector<bool>(rules.rules.size(), true));
  return out.take();
}

}  // namespace amdahlc::ir
