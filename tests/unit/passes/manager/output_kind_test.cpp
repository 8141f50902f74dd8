#include "passes/manager/output_kind.h"

#include <doctest/doctest.h>

namespace amdahlc {
namespace {

OutputContext contextOf(const ir::Module& module, AnalysisManager& analyses) { return {module, analyses, {}}; }

const OutputKind kPerRun{
    .name = "rows",
    .summary = "",
    .needs = std::nullopt,
    .writeRun = [](const OutputContext& context, ir::CoverId cover) { return context.module.cover(cover).name; }};

TEST_CASE("a request is a kind, or a kind and a path") {
  CHECK(parseOutputRequest("json").kind == "json");
  CHECK(parseOutputRequest("json").path.empty());
  CHECK(parseOutputRequest("json=a=b").kind == "json");
  CHECK(parseOutputRequest("json=a=b").path == "a=b");
}

TEST_CASE("the path of a run carries its label only if there are several") {
  ir::Module module;
  module.covers.resize(2);
  module.covers[0].name = "default";
  module.covers[1].name = module.covers[1].traceLabel = "h100";
  AnalysisManager analyses(module);
  auto artifacts = renderOutput(kPerRun, "out/rows.csv", contextOf(module, analyses));
  REQUIRE(artifacts.size() == 1);
  CHECK(artifacts[0].path == "out/rows.csv");
  CHECK(artifacts[0].bytes == "h100");

  module.covers.emplace_back();
  module.covers[2].name = module.covers[2].traceLabel = "mi300";
  artifacts = renderOutput(kPerRun, "out/rows.csv", contextOf(module, analyses));
  REQUIRE(artifacts.size() == 2);
  CHECK(artifacts[0].path == "out/rows.h100.csv");
  CHECK(artifacts[1].path == "out/rows.mi300.csv");
  for (const Artifact& artifact : renderOutput(kPerRun, "-", contextOf(module, analyses))) CHECK(artifact.path == "-");
}

TEST_CASE("an unknown kind is answered by the nearest, or by all") {
  CHECK(unknownOutputMessage("jsno", {"json", "csv"}) == "unknown output `jsno`; did you mean `json`?");
  CHECK(unknownOutputMessage("spreadsheet", {"json", "csv"}) == "unknown output `spreadsheet`; known: json, csv");
}

}  // namespace
}  // namespace amdahlc
