#include "api/analysis.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/change_text.h"
#include "api/trace_files.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "support/csv_row.h"

namespace amdahlc::testing {
namespace {

// The examples and the shipped files, from the root of the sources, where the tests run.
constexpr const char* kModel = "examples/encoder.onnx";
constexpr const char* kTrace = "examples/encoder.trace.json.gz";

/// An analysis of the example, with the messages of its own.
struct Example {
  explicit Example(const std::vector<std::string>& outputs, api::Environment environment = {})
      : analysis(request(outputs), messages.sources, messages.diagnostics, std::move(environment)) {}

  api::Request request(const std::vector<std::string>& outputs) {
    api::Request request;
    request.model = {kModel, {}};
    request.shippedFolder = ".";
    api::addTrace(request, "", kTrace, {}, DiagId::OptionValue, messages.diagnostics);
    for (const std::string& output : outputs) request.emits.push_back({output, {}});
    return request;
  }

  api::Messages messages;
  api::Analysis analysis;
};

std::vector<std::string> bytesOf(const api::Analysis& analysis) {
  std::vector<std::string> all;
  for (const Artifact& artifact : analysis.artifacts()) all.push_back(artifact.bytes);
  return all;
}

api::Outcome outcomeOf(std::string_view name, std::string bytes, api::Messages& messages) {
  api::Request request;
  request.model = {std::string(name), {}, std::move(bytes)};
  request.shippedFolder = ".";
  return api::Analysis(std::move(request), messages.sources, messages.diagnostics, {}).run();
}

TEST_CASE("analyses in threads give what each gives alone") {
  // JSON and pictures: rules are parsed, schemas looked up, and Graphviz lays out.
  const std::vector<std::string> outputs{"json", "svg"};
  constexpr size_t kThreads = 4;
  std::vector<std::vector<std::string>> results(kThreads);
  std::vector<std::string> texts(kThreads);
  {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        Example example(outputs);
        if (example.analysis.run() == api::Outcome::Done) results[i] = bytesOf(example.analysis);
        texts[i] = example.messages.text();
      });
    for (std::thread& thread : threads) thread.join();
  }
  Example alone(outputs);
  REQUIRE(alone.analysis.run() == api::Outcome::Done);
  for (size_t i = 0; i < kThreads; ++i) {
    CHECK(texts[i] == "");
    CHECK(results[i] == bytesOf(alone.analysis));
  }
}

TEST_CASE("the result is kept, and renders further outputs without reading anything again") {
  std::vector<std::string> phases;
  api::Environment environment;
  environment.phaseDone = [&](const char* phase, int64_t) { phases.emplace_back(phase); };
  Example example({"json"}, std::move(environment));
  REQUIRE(example.analysis.run() == api::Outcome::Done);
  CHECK(!phases.empty());
  phases.clear();
  const auto again = example.analysis.render("json");
  REQUIRE(again.has_value());
  REQUIRE(again->size() == 1);
  CHECK(again->front().bytes == example.analysis.artifacts().front().bytes);
  CHECK(example.analysis.render("summary<top=3>").has_value());
  CHECK(phases.empty());
  CHECK(example.messages.list.empty());
}

TEST_CASE("the table of kernels has the columns and rows of CSV, with typed values") {
  Example example({"csv"});
  REQUIRE(example.analysis.run() == api::Outcome::Done);
  const std::string& csv = example.analysis.artifacts().front().bytes;
  const RowTable table = example.analysis.kernels();
  const auto rows = nlohmann::ordered_json::parse(table.rows);
  const auto schema = nlohmann::ordered_json::parse(table.rowSchema);
  CHECK(rows.size() + 1 == static_cast<size_t>(std::ranges::count(csv, '\n')));
  std::string header;
  for (const auto& [name, value] : rows.front().items()) header += (header.empty() ? "" : ",") + name;
  CHECK(csv.starts_with(header + "\r\n"));
  CHECK(schema["properties"].size() == rows.front().size());
  CHECK(rows.front()["label"].is_string());
  CHECK(rows.front()["duration_ns"].get<int64_t>() > 0);
  CHECK(rows.front()["critical"].is_boolean());
  CHECK(schema["properties"]["critical"]["type"].front() == "boolean");
}

TEST_CASE("the table of events has the rows and texts of the output `bindings`") {
  Example example({"bindings"});
  REQUIRE(example.analysis.run() == api::Outcome::Done);
  const std::string& csv = example.analysis.artifacts().front().bytes;
  const auto table = example.analysis.events(example.analysis.module().timelines.front().label);
  REQUIRE(table.has_value());
  std::string again = csv.substr(0, csv.find('\n') + 1);
  const auto text = [](const CodedTexts& column, size_t row) { return column.texts[column.codes[row]]; };
  for (size_t row = 0; row < table->durationNs.size(); ++row) {
    CsvRow line(again);
    line.field(fmt::to_string(row))
        .field(fmt::to_string(table->startNs[row]))
        .field(fmt::to_string(table->durationNs[row]));
    line.field(text(table->stream, row)).field(text(table->name, row));
    line.field(table->kernel[row] < 0 ? "" : fmt::to_string(table->kernel[row]));
    line.field(text(table->nodes, row)).field(text(table->scope, row)).field(text(table->evidence, row));
    const int32_t permille = table->confidencePermille[row];
    line.field(permille < 0 ? "" : fmt::format("{}", permille / 1000.0)).field(text(table->state, row)).end();
  }
  CHECK(again == csv);
  CHECK(!example.analysis.events("another").has_value());
}

TEST_CASE("the rows of a prediction have the figures of the report") {
  Example example({"json"});
  REQUIRE(example.analysis.run() == api::Outcome::Done);
  const auto rows = example.analysis.predictionRows("linear=2x");
  REQUIRE(rows.has_value());
  const auto row = nlohmann::ordered_json::parse(rows->rows).front();
  CHECK(row["unknown"].is_null());
  const auto predicted = example.analysis.predict("linear=2x");
  REQUIRE(predicted.has_value());
  CHECK(row["prediction"]["name"] == "linear=2x");
  CHECK(row["prediction"]["busy_ns"].get<int64_t>() * predicted->front().iterations -
            predicted->front().prediction.times.busyNs <=
        predicted->front().iterations);
}

TEST_CASE("what further passes find is handed out, and outputs stay as they were") {
  Example example({"json"});
  REQUIRE(example.analysis.run() == api::Outcome::Done);
  const std::string before = example.analysis.render("json")->front().bytes;
  for (int turn = 0; turn < 2; ++turn) {
    const auto found = example.analysis.further("curves<groups=linear>", "curves");
    REQUIRE(found.has_value());
    const auto run = nlohmann::ordered_json::parse(*found).front();
    CHECK(run.size() == 2);
    CHECK(run["label"].is_string());
    REQUIRE(run["curves"].size() == 1);
    CHECK(run["curves"].front()["selector"] == "linear");
    CHECK(example.analysis.render("json")->front().bytes == before);
  }
  CHECK(!example.analysis.further("curves<groups=no_such_group>", "curves").has_value());
  CHECK(example.analysis.render("json")->front().bytes == before);
}

TEST_CASE("a further output has the options that the pipeline gives to outputs") {
  Example whole({"summary"});
  REQUIRE(whole.analysis.run() == api::Outcome::Done);
  api::Request request = whole.request({"summary"});
  request.passes = "default<emit.top=3>";
  api::Analysis shortened(std::move(request), whole.messages.sources, whole.messages.diagnostics, {});
  REQUIRE(shortened.run() == api::Outcome::Done);
  const auto again = shortened.render("summary");
  REQUIRE(again.has_value());
  CHECK(again->front().bytes == shortened.artifacts().front().bytes);
  CHECK(again->front().bytes != whole.analysis.artifacts().front().bytes);
  // An option of the output itself counts more.
  CHECK(shortened.render("summary<top=0>")->front().bytes == whole.analysis.artifacts().front().bytes);
}

TEST_CASE("scenarios are predicted after the run as in it, and leave no trace") {
  const std::string scenario = "linear=2x;gelu=0";
  Example planned({"json"});
  api::Request request = planned.request({"json"});
  const SourceRange range{planned.messages.sources.add("<what-if>", scenario), 0,
                          static_cast<uint32_t>(scenario.size())};
  request.scenarios.push_back(*api::readScenario(scenario, range, planned.messages.diagnostics));
  api::Analysis before(std::move(request), planned.messages.sources, planned.messages.diagnostics, {});
  REQUIRE(before.run() == api::Outcome::Done);
  const auto& expected = before.analyses().get<ScenarioPredictions>().runs.begin()->second;

  Example example({"json"});
  REQUIRE(example.analysis.run() == api::Outcome::Done);
  const auto found = example.analysis.predict(scenario);
  REQUIRE(found.has_value());
  REQUIRE(found->size() == 1);
  CHECK(found->front().prediction == expected.predictions.front());
  CHECK(found->front().prediction.times.busyNs < found->front().prediction.base.busyNs);
  CHECK(example.analysis.module().scenarios.empty());
  CHECK(example.analysis.render("json")->front().bytes == example.analysis.artifacts().front().bytes);
  CHECK(example.messages.list.empty());
  CHECK(!example.analysis.predict("no-such-kernel=2x").has_value());
  CHECK(!example.analysis.predict("linear=2x;linear=3x").has_value());
  CHECK(!example.analysis.predict("linear").has_value());
  CHECK(example.messages.list.size() == 3);
}

TEST_CASE("two scenarios of one name are refused, and none replaces the other") {
  Example example({"json"});
  api::Request request = example.request({"json"});
  for (const char* const changes : {"linear=2x", "gelu=2x"}) {
    request.scenarios.push_back(*api::readScenario(changes, {}, example.messages.diagnostics));
    request.scenarios.back().name = "faster";
  }
  api::Analysis analysis(std::move(request), example.messages.sources, example.messages.diagnostics, {});
  CHECK(analysis.run() == api::Outcome::RequestFault);
  REQUIRE(example.messages.list.size() == 1);
  CHECK(example.messages.list.front().message.starts_with("two scenarios are named `faster`;"));
}

TEST_CASE("a scenario that makes no sense is refused before anything is read") {
  for (const bool isEmpty : {false, true}) {
    Example example({"json"});
    api::Request request = example.request({"json"});
    ir::Scenario& scenario = request.scenarios.emplace_back();
    scenario.name = "faster";
    if (!isEmpty) scenario.changes.push_back(*api::readChange("host=10us", {}, example.messages.diagnostics));
    api::Analysis analysis(std::move(request), example.messages.sources, example.messages.diagnostics, {});
    CHECK(analysis.run() == api::Outcome::InputFault);
    CHECK(example.messages.list.size() == 1);
  }
}

TEST_CASE(
    "without a model the graph is the program of the trace, unless all that is asked for is made of events alone") {
  for (const char* output : {"json", "trace"}) {
    Example example({});
    api::Request request = example.request({output});
    request.model.reset();
    api::Analysis analysis(std::move(request), example.messages.sources, example.messages.diagnostics, {});
    CHECK(analysis.run() == api::Outcome::Done);
    CHECK(analysis.module().isRecorded() == (output == std::string_view("json")));
    CHECK(analysis.artifacts().size() == 1);
  }
}

TEST_CASE("values that mean nothing are refused before anything is read") {
  const auto refused = [](const std::function<void(api::Request&)>& add) {
    Example example({"json"});
    api::Request request = example.request({"json"});
    request.model->path = "there/is/none.onnx";
    add(request);
    api::Analysis analysis(std::move(request), example.messages.sources, example.messages.diagnostics, {});
    return analysis.run() == api::Outcome::RequestFault && example.messages.list.size() == 1;
  };
  CHECK(refused([](api::Request& request) { request.dims = {{"batch", 0}}; }));
  CHECK(refused([](api::Request& request) { request.dims = {{"batch", 1}, {"batch", 2}}; }));
  CHECK(refused([](api::Request& request) { request.remarks = {{RemarkKind::Missed, "(", {}}}; }));
  CHECK(refused([](api::Request& request) { request.traces.front().label = "a/b"; }));
}

TEST_CASE("traces without a model have the outputs that the request or the pipeline names, else their totals") {
  const auto bytesFor = [](const std::vector<std::string>& outputs, std::optional<std::string> passes) {
    Example example({});
    api::Request request = example.request(outputs);
    request.model.reset();
    request.passes = std::move(passes);
    api::Analysis analysis(std::move(request), example.messages.sources, example.messages.diagnostics, {});
    REQUIRE(analysis.run() == api::Outcome::Done);
    const std::vector<OutputRequest> planned = analysis.plannedOutputs();
    REQUIRE(planned.size() == 1);
    REQUIRE(analysis.artifacts().size() == 1);
    CHECK(analysis.artifacts().front().kind == planned.front().kind);
    return analysis.artifacts().front().bytes;
  };
  const std::string excerpt = bytesFor({"trace"}, std::nullopt);
  CHECK(bytesFor({}, "emit<output=trace>") == excerpt);
  CHECK(bytesFor({}, std::nullopt) != excerpt);
}

TEST_CASE("an output that cannot be rendered is an error as a value") {
  Example example({"json"});
  REQUIRE(example.analysis.run() == api::Outcome::Done);
  CHECK(!example.analysis.render("ranks").has_value());
  REQUIRE(example.messages.list.size() == 1);
  CHECK(example.messages.list.front().id == DiagId::EmitOutputUnavailable);
  CHECK(!example.analysis.render("jsno").has_value());
  CHECK(example.messages.text().find("did you mean `json`") != std::string::npos);
}

TEST_CASE("a model may be bytes, and their faults have their name") {
  api::Messages messages;
  CHECK(outcomeOf("two.onnxtxt",
                  "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] x) => (float[2] y) { y = Relu(x) }",
                  messages) == api::Outcome::Done);
  CHECK(messages.text() == "");
  CHECK(outcomeOf("bytes", "a text", messages) == api::Outcome::InputFault);
  REQUIRE(messages.list.size() == 1);
  CHECK(messages.list.front().id == DiagId::InputKind);
  CHECK(messages.text().starts_with("bytes: error[input-kind]"));
}

TEST_CASE("faults of a request without texts of its own are in its empty one") {
  api::Messages messages;
  api::Request request;
  request.model = {kModel, {}};
  request.hardware = "no-such-device";
  api::addTrace(request, "", kTrace, {}, DiagId::OptionValue, messages.diagnostics);
  request.shippedFolder = ".";
  CHECK(api::Analysis(std::move(request), messages.sources, messages.diagnostics, {}).run() ==
        api::Outcome::InputFault);
  CHECK(messages.text().starts_with("<request>:1:1: error["));
}

struct CountedPredictors : PassInstrumentation {
  int count = 0;
  void beforeAnalysis(const char* name) override { count += std::string_view(name) == "run-predictor"; }
};

TEST_CASE("passes that predict often share a predictor, and tell how far they are") {
  struct Told {
    std::string what;
    double fraction;
  };
  std::vector<Told> told;
  CountedPredictors predictors;
  api::Environment environment;
  environment.instrumentation.push_back(&predictors);
  environment.progress = [&](std::string_view what, double fraction) { told.push_back({std::string(what), fraction}); };
  Example example({"json"});
  api::Request request = example.request({"json"});
  request.passes =
      "simplify,fuse,trace-bind,timing,critical-path,schedule,roofline,curves,goal<target=1.1x>,advise,emit";
  request.hardware = "epyc-genoa-2-cores";
  api::Analysis analysis(std::move(request), example.messages.sources, example.messages.diagnostics, environment);
  REQUIRE(analysis.run() == api::Outcome::Done);
  for (const char* const pass : {"advise", "curves", "goal"}) {
    CAPTURE(pass);
    CHECK(std::ranges::count_if(told, [&](const Told& one) { return one.what.starts_with(pass); }) > 3);
  }
  CHECK(std::ranges::count_if(told, [](const Told& one) { return one.what == "read encoder.trace.json.gz"; }) > 0);
  for (size_t i = 1; i < told.size(); ++i)
    if (told[i].what == told[i - 1].what) CHECK(told[i].fraction >= told[i - 1].fraction);
  CHECK(predictors.count == 1);
}

TEST_CASE("a request that lacks the shipped files is told which folder they are in") {
  const auto messageOf = [](const std::filesystem::path& shippedFolder, std::string hardware) {
    api::Messages messages;
    api::Request request;
    request.model = {kModel, {}};
    request.hardware = std::move(hardware);
    api::addTrace(request, "", kTrace, {}, DiagId::OptionValue, messages.diagnostics);
    request.shippedFolder = shippedFolder;
    if (!request.hardware.empty()) request.rules = {{"rules/pytorch.akp", {}}};
    CHECK(api::Analysis(std::move(request), messages.sources, messages.diagnostics, {}).run() ==
          api::Outcome::InputFault);
    // Without those of the rules, of which the model has not all operators.
    std::erase_if(messages.list, [](const Diagnostic& found) { return found.severity == Severity::Warning; });
    REQUIRE(messages.list.size() == 1);
    return messages.list.front().message;
  };
  CHECK(messageOf("", "") ==
        "no rules are named, and none are shipped: the request has no `shippedFolder`, the folder with `rules`; "
        "give rules with `-rules=`");
  CHECK(messageOf("examples", "").find("there is no folder `examples/rules`") != std::string::npos);
  CHECK(messageOf("", "a100").find("the request has no `shippedFolder`, the folder with `hardware`") !=
        std::string::npos);
}

TEST_CASE("an exception of progress cancels the analysis") {
  struct Cancelled : std::exception {};
  api::Environment environment;
  size_t calls = 0;
  environment.progress = [&](std::string_view, double) {
    if (++calls == 6) throw Cancelled();
  };
  Example example({"json"}, std::move(environment));
  CHECK_THROWS_AS(example.analysis.run(), Cancelled);
  CHECK(example.analysis.artifacts().empty());
}

}  // namespace
}  // namespace amdahlc::testing
