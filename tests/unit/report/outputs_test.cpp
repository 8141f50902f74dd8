#include "report/outputs/rendering.h"

#include <doctest/doctest.h>

namespace amdahlc {
namespace {

struct Rendered {
  std::vector<Artifact> artifacts;
  std::string reported;
};

Rendered rendered(const Output& output, const std::string& path, const ir::Module& module) {
  Rendered out;
  AnalysisManager analyses(module);
  DiagnosticEngine engine([&](const Diagnostic& diagnostic) { out.reported += diagnostic.message + '\n'; });
  if (auto artifacts = renderOutput(output, path, {module, analyses}, engine)) out.artifacts = std::move(*artifacts);
  return out;
}

constexpr Output kPerRun{
    .name = "rows",
    .summary = "",
    .needs = ir::Facet::Bound,
    .write = [](const OutputContext& context, ir::CoverId cover) { return context.module.cover(cover).name; }};

TEST_CASE("a request is a kind, or a kind and a path") {
  CHECK(parseOutputRequest("json").kind == "json");
  CHECK(parseOutputRequest("json").path.empty());
  CHECK(parseOutputRequest("json=a=b").kind == "json");
  CHECK(parseOutputRequest("json=a=b").path == "a=b");
  CHECK(parseOutputRequest("json=a<b>").path == "a<b>");
  const OutputRequest drawn = parseOutputRequest("svg<fold=2;no-labels>=a.svg");
  CHECK(drawn.kind == "svg");
  CHECK(drawn.path == "a.svg");
  REQUIRE(drawn.settings.size() == 2);
  CHECK(drawn.settings[0].name == "fold");
  CHECK(drawn.settings[0].value == "2");
  CHECK(!drawn.settings[1].value);
}

TEST_CASE("the path of a run carries its label only if there are several") {
  ir::Module module;
  module.covers.resize(1);
  CHECK(rendered(kPerRun, "rows.csv", module).artifacts.empty());
  module.covers.resize(2);
  module.covers[0].name = "default";
  module.covers[1].name = module.covers[1].traceLabel = "h100";
  auto artifacts = rendered(kPerRun, "out/rows.csv", module).artifacts;
  REQUIRE(artifacts.size() == 1);
  CHECK(artifacts[0].path == "out/rows.csv");
  CHECK(artifacts[0].bytes == "h100");

  module.covers.emplace_back();
  module.covers[2].name = module.covers[2].traceLabel = "mi300";
  artifacts = rendered(kPerRun, "out/rows.csv", module).artifacts;
  REQUIRE(artifacts.size() == 2);
  CHECK(artifacts[0].path == "out/rows.h100.csv");
  CHECK(artifacts[1].path == "out/rows.mi300.csv");
  CHECK(rendered(kPerRun, "rows.json.gz", module).artifacts[1].path == "rows.mi300.json.gz");
  CHECK(rendered(kPerRun, "a.b/rows", module).artifacts[1].path == "a.b/rows.mi300");
  for (const Artifact& artifact : rendered(kPerRun, "-", module).artifacts) CHECK(artifact.path == "-");
}

TEST_CASE("several documents of a run have names behind that of the run") {
  const Output output{.name = "data", .summary = "", .write = [](const OutputContext&, ir::CoverId) {
                        return std::vector<NamedDocument>{{"", "all"}, {"rows", "some"}};
                      }};
  ir::Module module;
  module.covers.resize(2);
  module.covers[1].traceLabel = "h100.a";
  auto artifacts = rendered(output, "out/data.json.gz", module).artifacts;
  REQUIRE(artifacts.size() == 2);
  CHECK(artifacts[0].path == "out/data.json.gz");
  CHECK(artifacts[0].kind == "data");
  CHECK(artifacts[1].path == "out/data.rows.json.gz");
  CHECK(artifacts[1].kind == "data (rows)");
  CHECK(artifacts[1].bytes == "some");

  module.covers.emplace_back();
  module.covers[2].traceLabel = "mi300";
  artifacts = rendered(output, "data", module).artifacts;
  REQUIRE(artifacts.size() == 4);
  CHECK(artifacts[0].path == "data.h100.a");
  CHECK(artifacts[1].path == "data.h100.a.rows");
  CHECK(artifacts[3].path == "data.mi300.rows");
}

TEST_CASE("documents in a folder are its files, with the run's label in their names") {
  const Output output{
      .name = "data",
      .summary = "",
      .write = [](const OutputContext&,
                  ir::CoverId) { return std::vector<NamedDocument>{{"a.config", "all"}, {"b.svg", "some"}}; },
      .isFolder = true};
  ir::Module module;
  module.covers.resize(1);
  auto artifacts = rendered(output, "out/data", module).artifacts;
  REQUIRE(artifacts.size() == 2);
  CHECK(artifacts[0].path == "out/data/a.config");
  CHECK(artifacts[0].folder == "out/data");
  CHECK(artifacts[1].path == "out/data/b.svg");
  CHECK(artifacts[1].kind == "data (b.svg)");

  module.covers.resize(3);
  module.covers[1].traceLabel = "h100";
  // A label is a part of a name, and no folder.
  module.covers[2].traceLabel = "..";
  artifacts = rendered(output, "data/", module).artifacts;
  REQUIRE(artifacts.size() == 4);
  CHECK(artifacts[0].path == "data/a.h100.config");
  CHECK(artifacts[2].path == "data/a....config");
}

TEST_CASE("an output of traces is written for all runs or for none") {
  const Output kOfTrace{.name = "labels",
                        .summary = "",
                        .write = [](const Timeline& timeline) { return timeline.label; },
                        .absenceOf =
                            [](const Timeline& timeline) {
                              return timeline.hasStarts ? std::nullopt
                                                        : std::optional(Absence{Absence::Reason::NoStarts});
                            }};
  ir::Module module;
  module.timelines.resize(2);
  module.timelines[0].label = "a";
  module.timelines[1].label = "b";
  const Rendered both = rendered(kOfTrace, "t.json.zst", module);
  REQUIRE(both.artifacts.size() == 2);
  CHECK(both.artifacts[1].path == "t.b.json.zst");
  CHECK(both.artifacts[1].bytes == "b");
  module.timelines[1].hasStarts = false;
  const Rendered none = rendered(kOfTrace, "t.json", module);
  CHECK(none.artifacts.empty());
  CHECK(none.reported == "output `labels` cannot exist of run `b`: the trace does not say when events started\n");
}

TEST_CASE("a request is refused if its output, an option of it, or its path is unknown") {
  std::vector<std::string> messages;
  DiagnosticEngine engine([&](const Diagnostic& diagnostic) { messages.push_back(diagnostic.message); });
  const auto isFine = [&](std::string_view text) {
    return checkOutputRequest(text, {}, DiagId::PipelineOptionValue, engine);
  };
  CHECK(isFine("svg<fold=2;embed-doc-strings>=a.svg"));
  CHECK(isFine("json"));
  CHECK(messages.empty());
  CHECK_FALSE(isFine("jsno"));
  CHECK_FALSE(isFine("csv<fold=2>"));
  CHECK_FALSE(isFine("svg<fold=10>"));
  CHECK_FALSE(isFine("svg<top=2>=a.svg"));
  CHECK_FALSE(isFine("csv="));
  REQUIRE(messages.size() == 5);
  CHECK(messages[0] == "unknown output `jsno`; did you mean `json`?");
  CHECK(messages[1] == "output `csv` has no options");
  CHECK(messages[3].starts_with("output `svg` has no option `top`"));
  CHECK(messages[4] == "the path of `csv` is empty; leave the `=` out for `-o` or stdout");
}

TEST_CASE("outputs are found by their names, and take options that exist") {
  const OutputOptions options;
  for (const Output* output : allOutputs()) {
    CAPTURE(output->name);
    CHECK(findOutput(output->name) == output);
    for (const std::string_view option : output->options) CHECK(options.findOption(option) != nullptr);
    CHECK((output->schema != nullptr) == !output->schemaName.empty());
    CHECK((!output->isFolder || std::holds_alternative<WriteRunFiles>(output->write)));
  }
  CHECK(findOutput(kDefaultOutput) != nullptr);
}

}  // namespace
}  // namespace amdahlc
